//! `tengen bench chess`: nodes a second over fixed positions.

use std::io;

use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::chess::bench;
use crate::shared::control::Stopwatch;
use crate::shared::cpu;

/// Searches fixed chess positions.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench chess --depth 11 --save before.json")]
pub(super) struct ChessArgs {
    /// Plies to search each position to
    #[arg(long, default_value_t = 10, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// Searches, and writes the figures to `out`. Gives whether a comparison
/// turned out well.
pub(super) fn run(args: &ChessArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let (watch, before) = (Stopwatch::start(), cpu::process_time());
    let (nodes, value) = bench::run(args.depth);
    let wall = watch.elapsed().as_secs_f64();
    let cpu = (cpu::process_time() - before).as_secs_f64();
    let mut sheet = Sheet::new("chess");
    sheet
        .setting("depth", args.depth)
        .setting("positions", bench::POSITIONS.len())
        .fixed("nodes", "nodes", nodes)
        .fixed("value", "of nodes, scores and moves", format!("{value:016x}"))
        .figure("cpu_seconds", "processor time", cpu, 3, "s")
        .figure("wall_seconds", "wall time", wall, 3, "s")
        .rate("nodes_per_cpu_second", "nodes, by processor time", nodes as f64 / cpu.max(1e-9))
        .rate("nodes_per_second", "nodes, by wall time", nodes as f64 / wall.max(1e-9));
    sheet.finish(&args.output, out)
}
