//! `tengen bench perft`: counts the positions some moves on.

use std::io;

use anyhow::Context;
use clap::Args;

use crate::chess::fen::START;
use crate::chess::perft;
use crate::chess::position::Position;
use crate::shared::control::Stopwatch;

/// Counts the chess positions some moves on.
#[derive(Args, Clone, Debug)]
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
}

/// Counts, and writes the count and the speed to `out`.
pub fn run(args: &PerftArgs, out: &mut impl io::Write) -> anyhow::Result<()> {
    let position = Position::parse_fen(&args.fen).with_context(|| format!("not a FEN: {}", args.fen))?;
    let watch = Stopwatch::start();
    let count = if args.bulk { perft::bulk } else { perft::full };
    let nodes = count(&position, args.depth);
    let seconds = watch.elapsed().as_secs_f64().max(1e-9);
    writeln!(
        out,
        "nodes {nodes}  seconds {seconds:.3}  million a second {:.1}",
        nodes as f64 / seconds / 1e6
    )?;
    Ok(())
}
