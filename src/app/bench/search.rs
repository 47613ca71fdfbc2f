//! `tengen bench search`: how many simulations a second a search of the empty
//! board makes.

use std::io;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::app::cli::{NetChoice, parameter};
use crate::go::coord::Size;
use crate::go::game::Game;
use crate::go::rules::Rules;
use crate::playout::Policy;
use crate::shared::control::{Limits, StopFlag};
use crate::shared::cpu;
use crate::uct::report::Report;
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
    #[command(flatten)]
    net: NetChoice,
    /// A search parameter, as tengen-params lists them; may be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    params: Vec<(String, String)>,
    #[command(flatten)]
    output: OutputArgs,
}

impl SearchArgs {
    /// To search for some seconds.
    pub(super) fn of(size: u8, threads: usize, seconds: f64, policy: Policy) -> Self {
        SearchArgs {
            size,
            playouts: None,
            seconds: Some(seconds),
            threads,
            memory: 512,
            seed: 1,
            policy,
            net: NetChoice::default(),
            params: Vec::new(),
            output: OutputArgs::default(),
        }
    }
}

/// A search that was measured.
pub(super) struct Run {
    report: Report,
    cpu_seconds: f64,
}

impl Run {
    /// Simulations for a second of processor time, and of wall time.
    pub(super) fn rates(&self) -> [f64; 2] {
        let wall_seconds = self.report.elapsed.as_secs_f64();
        [self.cpu_seconds, wall_seconds].map(|seconds| self.report.simulations as f64 / seconds.max(1e-9))
    }
}

/// Measures, and writes the figures to `out`. Gives whether a comparison
/// turned out well.
pub(super) fn run(args: &SearchArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let run = measure(args)?;
    let ([by_cpu, by_wall], report) = (run.rates(), &run.report);
    let mut sheet = Sheet::new("search");
    sheet
        .setting("size", args.size)
        .setting("threads", args.threads)
        .setting("policy", args.policy.to_string())
        .count("simulations", "simulations", report.simulations, "")
        .figure("cpu_seconds", "processor time", run.cpu_seconds, 3, "s")
        .figure("wall_seconds", "wall time", report.elapsed.as_secs_f64(), 3, "s")
        .rate("simulations_per_cpu_second", "simulations, by processor time", by_cpu)
        .rate("simulations_per_second", "simulations, by wall time", by_wall)
        .text("best", "best move", &report.best.to_string())
        .share("win_rate", "Black wins", report.win_rate)
        .figure("score_mean", "mean score of Black", report.score_mean, 2, "points")
        .count("tree_nodes", "positions in the tree", report.tree_nodes, "")
        .count("tree_bytes", "size of the tree", report.tree_bytes, "bytes");
    sheet.finish(&args.output, out)
}

/// Searches as `args` say.
pub(super) fn measure(args: &SearchArgs) -> anyhow::Result<Run> {
    let size = Size::square(args.size).context("the size must be from 2 to 25")?;
    ensure!(args.threads > 0 && args.threads <= 1024, "the number of threads must be from 1 to 1024");
    let limits = match args.playouts {
        Some(count) => Limits::nodes(count),
        None => Limits::time(Duration::try_from_secs_f64(args.seconds.unwrap_or(3.0)).context("--seconds")?),
    };
    let game = Game::new(size, Rules::CHINESE, 7.0);
    let mut settings = Settings {
        threads: args.threads,
        memory_mib: args.memory,
        seed: args.seed,
        policy: args.policy,
        net: args.net.load(),
        ..Settings::default()
    };
    for (name, value) in &args.params {
        settings.params.set(name, value)?;
    }
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
    Ok(Run { report, cpu_seconds: (cpu::process_time() - before).as_secs_f64() })
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
