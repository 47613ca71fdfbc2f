//! `tengen bench chess`: nodes a second over fixed positions.

use std::io;

use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::chess::bench;
use crate::shared::control::Stopwatch;

/// Searches fixed chess positions.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench chess --depth 11 --save before.json")]
pub(super) struct ChessArgs {
    /// Plies to search each position to
    #[arg(long, default_value_t = 10, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Nodes to search from the start position, for its own figure
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    start_nodes: u64,
    #[command(flatten)]
    output: OutputArgs,
}

/// Searches, and writes the figures to `out`. Gives whether a comparison
/// turned out well.
pub(super) fn run(args: &ChessArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let rate = |work: &bench::Work| work.nodes as f64 / work.time.as_secs_f64().max(1e-9);
    let watch = Stopwatch::start();
    let work = bench::run(args.depth);
    let wall = watch.elapsed().as_secs_f64();
    let start = bench::from_start(args.start_nodes);
    let mut sheet = Sheet::new("chess");
    sheet
        .setting("depth", args.depth)
        .setting("positions", bench::POSITIONS.len())
        .setting("start_nodes", args.start_nodes)
        .fixed("nodes", "nodes", work.nodes)
        .fixed("value", "of nodes, scores and moves", format!("{:016x}", work.value))
        .figure("cpu_seconds", "processor time of the searches", work.time.as_secs_f64(), 3, "s")
        .figure("wall_seconds", "wall time with setting up", wall, 3, "s")
        .rate("nodes_per_cpu_second", "nodes, by processor time", rate(&work))
        .rate("start_nodes_per_cpu_second", "the same from the start position", rate(&start));
    sheet.finish(&args.output, out)
}
