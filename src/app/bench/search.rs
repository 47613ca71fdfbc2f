//! `tengen bench search`: how many simulations a second a search of the empty
//! board makes.

use std::io;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;

use crate::go::coord::Size;
use crate::go::game::Game;
use crate::go::rules::Rules;
use crate::playout::Policy;
use crate::shared::control::{Limits, StopFlag};
use crate::shared::cpu;
use crate::uct::search::{Request, Settings, new_search};

#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench search --size 19 --seconds 5 --json")]
pub(super) struct SearchArgs {
    /// Side of the board, 2 to 25.
    #[arg(long, default_value_t = 9)]
    size: u8,
    /// How many simulations to make [default: as many as fit into --seconds].
    #[arg(long, conflicts_with = "seconds")]
    playouts: Option<u64>,
    /// How long to search [default: 3].
    #[arg(long)]
    seconds: Option<f64>,
    /// Threads on the one tree.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Memory for the tree, in MiB.
    #[arg(long, default_value_t = 512)]
    memory: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How the moves of playouts are chosen: light or heavy.
    #[arg(long, default_value_t = Policy::Heavy)]
    policy: Policy,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figures {
    size: u8,
    threads: usize,
    policy: String,
    simulations: u64,
    cpu_seconds: f64,
    wall_seconds: f64,
    simulations_per_cpu_second: f64,
    simulations_per_second: f64,
    best: String,
    win_rate: f64,
    score_mean: f64,
    tree_nodes: u64,
    tree_bytes: u64,
}

pub(super) fn run(args: &SearchArgs, out: &mut impl io::Write) -> anyhow::Result<()> {
    let figures = measure(args)?;
    if args.json {
        serde_json::to_writer(&mut *out, &figures)?;
        writeln!(out)?;
        return Ok(());
    }
    let mut row = |name: &str, value: String| writeln!(out, "{name:<24}{value:>14}");
    row("simulations", figures.simulations.to_string())?;
    row("CPU seconds", format!("{:.3}", figures.cpu_seconds))?;
    row("wall seconds", format!("{:.3}", figures.wall_seconds))?;
    row("simulations / CPU second", format!("{:.0}", figures.simulations_per_cpu_second))?;
    row("simulations / second", format!("{:.0}", figures.simulations_per_second))?;
    row("best move", figures.best.clone())?;
    row("Black wins", format!("{:.2}%", 100.0 * figures.win_rate))?;
    row("mean score", format!("{:+.2}", figures.score_mean))?;
    row("nodes in the tree", figures.tree_nodes.to_string())?;
    row("tree, MiB", format!("{:.1}", figures.tree_bytes as f64 / f64::from(1 << 20)))?;
    Ok(())
}

fn measure(args: &SearchArgs) -> anyhow::Result<Figures> {
    let size = Size::square(args.size).context("the size must be from 2 to 25")?;
    ensure!(args.threads > 0 && args.threads <= 1024, "the number of threads must be from 1 to 1024");
    let limits = match args.playouts {
        Some(count) => Limits::nodes(count),
        None => Limits::time(Duration::try_from_secs_f64(args.seconds.unwrap_or(3.0)).context("--seconds")?),
    };
    let game = Game::new(size, Rules::CHINESE, 7.0);
    let settings = Settings {
        threads: args.threads,
        memory_mib: args.memory,
        seed: args.seed,
        policy: args.policy,
        ..Settings::default()
    };
    let request = Request {
        game: &game,
        to_move: game.to_move(),
        limits,
        stop: &StopFlag::new(),
        report_every: None,
        settings: &settings,
        allowed: &[],
    };
    let before = cpu::process_time();
    let report = new_search(size).search(&request, &mut |_| {});
    let cpu = (cpu::process_time() - before).as_secs_f64();
    let wall = report.elapsed.as_secs_f64();
    Ok(Figures {
        size: args.size,
        threads: args.threads,
        policy: args.policy.to_string(),
        simulations: report.simulations,
        cpu_seconds: cpu,
        wall_seconds: wall,
        simulations_per_cpu_second: report.simulations as f64 / cpu.max(1e-9),
        simulations_per_second: report.simulations as f64 / wall.max(1e-9),
        best: report.best.to_string(),
        win_rate: report.win_rate,
        score_mean: report.score_mean,
        tree_nodes: report.tree_nodes,
        tree_bytes: report.tree_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: SearchArgs,
    }

    #[test]
    fn json_has_every_field() {
        let line = "bench --size 5 --playouts 300 --policy light --memory 8 --json";
        let args = Cli::try_parse_from(line.split_whitespace()).unwrap().args;
        let mut out = Vec::new();
        run(&args, &mut out).unwrap();
        let figures: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(figures["simulations"], 300);
        assert_eq!(figures["policy"], "light");
        assert!(figures["simulations_per_cpu_second"].as_f64().unwrap() > 0.0);
    }
}
