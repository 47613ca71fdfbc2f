//! `tengen train`: fits what the chess engine evaluates by.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::chess::tune::fit::fit;
use crate::chess::tune::games::{Player, Sample};

/// Fits parameters from games.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen train chess --games 100 --positions positions.txt")]
pub struct TrainArgs {
    #[command(subcommand)]
    what: Train,
}

#[derive(Subcommand, Clone, Debug)]
enum Train {
    /// Plays games against itself and fits the chess evaluation to their results
    Chess(ChessArgs),
}

#[derive(Args, Clone, Debug)]
struct ChessArgs {
    /// Games to play before fitting
    #[arg(long, default_value_t = 0)]
    games: u32,
    /// Nodes for each move of these games
    #[arg(long, default_value_t = 2500)]
    nodes: u64,
    /// The random openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where positions are kept: new ones are added, all are used
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,
    /// Passes over the positions; 0 leaves the weights alone
    #[arg(long, default_value_t = 400)]
    rounds: usize,
    /// Where the fitted weights go, as source code
    #[arg(long, value_name = "FILE", default_value = "src/chess/eval/weights.rs")]
    weights: PathBuf,
}

/// Trains what was asked for, and writes its report to `out`.
pub fn run(args: &TrainArgs, out: &mut impl io::Write) -> anyhow::Result<()> {
    let Train::Chess(args) = &args.what;
    play(args)?;
    if args.rounds == 0 {
        return Ok(());
    }
    let text = fs::read_to_string(&args.positions)
        .with_context(|| format!("cannot read {}", args.positions.display()))?;
    let samples: Vec<Sample> = text.lines().filter_map(Sample::parse).collect();
    let fitted = fit(&samples, args.rounds);
    let [before, after] = fitted.errors;
    writeln!(out, "positions {}  error held back {before:.5} -> {after:.5}", samples.len())?;
    fs::write(&args.weights, fitted.source())
        .with_context(|| format!("cannot write {}", args.weights.display()))
}

/// Plays the games and adds their positions to the file.
fn play(args: &ChessArgs) -> anyhow::Result<()> {
    let file = fs::File::options()
        .create(true)
        .append(true)
        .open(&args.positions)
        .with_context(|| format!("cannot write {}", args.positions.display()))?;
    let mut file = BufWriter::new(file);
    let mut player = Player::new(args.nodes, args.seed);
    for _ in 0..args.games {
        for sample in player.play() {
            writeln!(file, "{sample}")?;
        }
    }
    Ok(file.flush()?)
}
