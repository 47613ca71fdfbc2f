//! `tengen bench perft`: counts the positions some moves on.

use std::io;

use anyhow::Context;
use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::chess::fen::START;
use crate::chess::perft;
use crate::chess::position::Position;
use crate::shared::control::Stopwatch;
use crate::shared::cpu;

/// Counts the chess positions some moves on.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench perft --depth 6 --bulk --save perft.json")]
pub struct PerftArgs {
    /// The position to start from
    #[arg(long, default_value = START)]
    fen: String,
    /// How many moves on
    #[arg(long, default_value_t = 6)]
    depth: u32,
    /// Count the last moves without playing them
    #[arg(long)]
    bulk: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Counts, and writes the count and the speed to `out`. Gives whether a
/// comparison turned out well.
pub fn run(args: &PerftArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let position = Position::parse_fen(&args.fen).with_context(|| format!("not a FEN: {}", args.fen))?;
    let (watch, before) = (Stopwatch::start(), cpu::process_time());
    let count = if args.bulk { perft::bulk } else { perft::full };
    let nodes = count(&position, args.depth);
    let wall = watch.elapsed().as_secs_f64();
    let cpu = (cpu::process_time() - before).as_secs_f64();
    let mut sheet = Sheet::new("perft");
    sheet
        .setting("fen", args.fen.as_str())
        .setting("depth", args.depth)
        .setting("bulk", args.bulk)
        .fixed("nodes", "nodes", nodes)
        .figure("cpu_seconds", "processor time", cpu, 3, "s")
        .figure("wall_seconds", "wall time", wall, 3, "s")
        .rate("nodes_per_cpu_second", "nodes, by processor time", nodes as f64 / cpu.max(1e-9))
        .rate("nodes_per_second", "nodes, by wall time", nodes as f64 / wall.max(1e-9));
    sheet.finish(&args.output, out)
}
