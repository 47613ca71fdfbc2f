//! `tengen bench playouts`: how many random games a second, and what they come
//! to.

use std::io;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::Size;
use crate::go::geometry::{G9, G13, G19, G25, Geometry};
use crate::playout::{Policy, light};
use crate::shared::cpu;
use crate::shared::rng::Rng;

/// Games between two looks at the clock.
const BATCH: u64 = 64;

#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench playouts --size 19 --seconds 5 --json")]
pub(super) struct PlayoutsArgs {
    /// Side of the board, 2 to 25.
    #[arg(long, default_value_t = 9)]
    size: u8,
    /// How many games to play [default: as many as fit into --seconds].
    #[arg(long, conflicts_with = "seconds")]
    count: Option<u64>,
    /// How long to play [default: 2].
    #[arg(long)]
    seconds: Option<f64>,
    /// Threads, each with random numbers of its own.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How moves are chosen.
    #[arg(long, default_value_t = Policy::Light)]
    policy: Policy,
    /// White's compensation, for the win rate.
    #[arg(long, default_value_t = 6.5, allow_hyphen_values = true)]
    komi: f64,
    #[command(flatten)]
    output: OutputArgs,
}

impl PlayoutsArgs {
    /// To play for some seconds.
    pub(super) fn of(size: u8, threads: usize, seconds: f64, policy: Policy) -> Self {
        let (count, seconds, output) = (None, Some(seconds), OutputArgs::default());
        PlayoutsArgs { size, count, seconds, threads, seed: 1, policy, komi: 6.5, output }
    }
}

/// When to stop.
#[derive(Clone, Copy)]
enum Until {
    Games(u64),
    Elapsed(Duration),
}

/// Sums over games.
#[derive(Clone, Copy, Default)]
struct Totals {
    games: u64,
    moves: u64,
    black_wins: u64,
    score: i64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.moves += other.moves;
        self.black_wins += other.black_wins;
        self.score += other.score;
    }
}

/// Runs of playouts, added up.
pub(super) struct Run {
    totals: Totals,
    cpu_seconds: f64,
    wall_seconds: f64,
}

impl Run {
    /// Playouts for a second of processor time, and of wall time.
    pub(super) fn rates(&self) -> [f64; 2] {
        [self.cpu_seconds, self.wall_seconds].map(|seconds| ratio(self.totals.games as f64, seconds))
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// Measures, and writes the figures to `out`. Gives whether a comparison
/// turned out well.
pub(super) fn run(args: &PlayoutsArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let run = measure(args)?;
    let Run { totals, cpu_seconds, wall_seconds } = run;
    let (games, moves) = (totals.games as f64, totals.moves as f64);
    let [by_cpu, by_wall] = run.rates();
    let mut sheet = Sheet::new("playouts");
    sheet
        .setting("size", args.size)
        .setting("threads", args.threads)
        .setting("seed", args.seed)
        .setting("policy", args.policy.to_string())
        .setting("komi", args.komi)
        .count("playouts", "playouts", totals.games, "")
        .figure("cpu_seconds", "processor time", cpu_seconds, 3, "s")
        .figure("wall_seconds", "wall time", wall_seconds, 3, "s")
        .rate("playouts_per_cpu_second", "playouts, by processor time", by_cpu)
        .rate("playouts_per_second", "playouts, by wall time", by_wall)
        .rate("moves_per_cpu_second", "moves, by processor time", ratio(moves, cpu_seconds))
        .figure("mean_length", "mean length", ratio(moves, games), 2, "moves")
        .share("black_win_rate", "Black wins", ratio(totals.black_wins as f64, games))
        .figure("mean_score", "mean score of Black", ratio(totals.score as f64, games), 2, "points");
    sheet.finish(&args.output, out)
}

/// Plays as `args` say.
pub(super) fn measure(args: &PlayoutsArgs) -> anyhow::Result<Run> {
    let size = Size::square(args.size).context("the size must be from 2 to 25")?;
    ensure!(args.threads > 0 && args.threads <= 1024, "the number of threads must be from 1 to 1024");
    match args.size {
        ..=9 => measure_on::<G9>(args, size),
        10..=13 => measure_on::<G13>(args, size),
        14..=19 => measure_on::<G19>(args, size),
        _ => measure_on::<G25>(args, size),
    }
}

fn measure_on<G: Geometry>(args: &PlayoutsArgs, size: Size) -> anyhow::Result<Run> {
    let seconds = Duration::try_from_secs_f64(args.seconds.unwrap_or(2.0)).context("--seconds")?;
    let until = |thread: u64| match args.count {
        Some(count) => Until::Games(share(count, args.threads as u64, thread)),
        None => Until::Elapsed(seconds),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let start = (Instant::now(), cpu::process_time());
    let parts = pool.broadcast(|context| {
        let thread = context.index() as u64;
        play::<G>(args, size, thread, until(thread))
    });
    let (wall, cpu) = (start.0.elapsed(), cpu::process_time() - start.1);
    let mut totals = Totals::default();
    parts.into_iter().for_each(|part| totals += part);
    Ok(Run { totals, cpu_seconds: cpu.as_secs_f64(), wall_seconds: wall.as_secs_f64() })
}

/// What one of `threads` does of `count` games.
fn share(count: u64, threads: u64, thread: u64) -> u64 {
    count / threads + u64::from(thread < count % threads)
}

fn play<G: Geometry>(args: &PlayoutsArgs, size: Size, thread: u64, until: Until) -> Totals {
    let start = Instant::now();
    let empty = Board::<G>::new(size);
    let mut board = empty.clone();
    let mut rng = Rng::new(args.seed, thread);
    let (mut rollout, mut moves) = (args.policy.rollout::<G>(), Vec::new());
    let mut totals = Totals::default();
    loop {
        let batch = match until {
            Until::Games(count) => BATCH.min(count - totals.games),
            Until::Elapsed(time) if start.elapsed() < time => BATCH,
            Until::Elapsed(_) => 0,
        };
        if batch == 0 {
            return totals;
        }
        for _ in 0..batch {
            board.copy_from(&empty);
            let outcome = match args.policy {
                Policy::Light => light::play_out(&mut board, Color::Black, &mut rng),
                Policy::Heavy => {
                    moves.clear();
                    rollout.play_out(&mut board, Color::Black, &mut rng, &mut moves)
                }
            };
            totals += Totals {
                games: 1,
                moves: outcome.moves.into(),
                black_wins: u64::from(f64::from(outcome.score) > args.komi),
                score: outcome.score.into(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: PlayoutsArgs,
    }

    fn bench(line: &str) -> anyhow::Result<String> {
        let args = Cli::try_parse_from(line.split_whitespace())?.args;
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn json_has_every_field() {
        let text = bench("bench --size 5 --count 1001 --threads 2 --json").unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["playouts"], 1001);
        for field in ["cpu_seconds", "wall_seconds", "mean_length", "black_win_rate", "mean_score"] {
            assert!(report[field].is_f64(), "{field}");
        }
        let length = report["mean_length"].as_f64().unwrap();
        assert!((40.0..45.0).contains(&length), "{length} moves on 5x5");
    }

    #[test]
    fn a_seed_repeats() {
        let statistics = |line: &str| {
            let report: serde_json::Value = serde_json::from_str(&bench(line).unwrap()).unwrap();
            (report["mean_length"].clone(), report["mean_score"].clone())
        };
        let line = "bench --count 100 --threads 2 --json";
        assert_eq!(statistics(line), statistics(line));
        assert_ne!(statistics(line), statistics("bench --count 100 --threads 2 --json --seed 2"));
    }

    #[test]
    fn odd_arguments_are_refused() {
        for line in [
            "bench --size 26",
            "bench --size 1",
            "bench --threads 0",
            "bench --seconds -1",
            "bench --seconds nan",
            "bench --count 1 --seconds 1",
        ] {
            assert!(bench(line).is_err(), "{line}");
        }
    }
}
