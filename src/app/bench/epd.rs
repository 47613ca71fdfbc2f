//! `tengen bench epd`: chess positions with known best moves, and how many of
//! them the engine finds.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::chess::engine::{Engine, Order};
use crate::chess::position::Position;
use crate::formats::epd::Epd;
use crate::shared::control::Limits;
use crate::shared::cpu;

/// Solves chess positions with known best moves.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench epd wac.epd --time 0.5")]
pub struct EpdArgs {
    /// Positions with `bm` or `am`, one a line
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Seconds for each position
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    time: f64,
    /// Only every n-th position
    #[arg(long, default_value_t = 1, value_name = "N")]
    every: usize,
    #[command(flatten)]
    output: OutputArgs,
}

/// Whether the engine's move in SAN is one of `moves`.
fn is_among(position: &Position, best: &str, moves: &[String]) -> bool {
    moves.iter().filter_map(|mv| position.parse_san(mv)).any(|mv| position.san(mv) == best)
}

/// Searches each position, and writes those not solved, and the count, to
/// `out`. Gives whether a comparison turned out well.
pub fn run(args: &EpdArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let text = std::fs::read_to_string(&args.file)
        .with_context(|| format!("cannot read {}", args.file.display()))?;
    let time = Duration::try_from_secs_f64(args.time).context("not a time")?;
    let (mut solved, mut total, mut nodes) = (0, 0, 0);
    let mut missed = Vec::new();
    let before = cpu::process_time();
    for (line, epd) in Epd::parse_file(&text).step_by(args.every.max(1)) {
        let epd = epd.with_context(|| format!("line {line}"))?;
        let position = Position::parse_fen(&epd.fen).with_context(|| format!("line {line}"))?;
        let mut engine = Engine::default();
        engine.set_position(position);
        let order = Order { limits: Limits::time(time), lines: 1, ..Order::default() };
        let outcome = engine.think(&order, |_| ());
        let best = outcome.best.map(|mv| position.san(mv)).unwrap_or_default();
        let good = epd.operands("bm").is_none_or(|moves| is_among(&position, &best, moves))
            && !epd.operands("am").is_some_and(|moves| is_among(&position, &best, moves));
        total += 1;
        nodes += outcome.nodes;
        if good {
            solved += 1;
        } else {
            let depth = outcome.depth;
            if !args.output.is_json() {
                writeln!(out, "line {line}: {best} at depth {depth}")?;
            }
            missed.push(serde_json::json!({ "line": line, "move": best, "depth": depth }));
        }
    }
    ensure!(total > 0, "{}: there are no positions", args.file.display());
    let cpu = (cpu::process_time() - before).as_secs_f64();
    let mut sheet = Sheet::new("epd");
    sheet
        .setting("file", args.file.display().to_string())
        .setting("time", args.time)
        .setting("every", args.every)
        .count("positions", "positions", total, "")
        .count("solved", "solved", solved, "")
        .hidden("missed", missed)
        .rate("nodes_per_cpu_second", "nodes, by processor time", nodes as f64 / cpu.max(1e-9));
    sheet.finish(&args.output, out)
}
