//! `tengen bench`: measures speed.

mod chess;
mod epd;
mod net;
mod perft;
mod playouts;
mod scaling;
mod search;
mod sheet;

use std::io;

use clap::{Args, Subcommand};

use sheet::{OutputArgs, Sheet};

use crate::app::cli::NetChoice;
use crate::shared::hash::mix;

/// Measures speed.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  tengen bench playouts --size 19 --seconds 5\n  \
    tengen bench chess --save before.json\n  \
    tengen bench chess --compare before.json --fail-below 0.95\n\n\
    Exit status: 1 if a comparison shows other results, or less than --fail-below; 2 if something could not be used.")]
pub struct BenchArgs {
    #[command(subcommand)]
    what: Bench,
}

#[derive(Subcommand, Clone, Debug)]
enum Bench {
    /// Searches fixed chess positions.
    Chess(chess::ChessArgs),
    /// Solves chess positions with known best moves.
    Epd(epd::EpdArgs),
    /// Evaluates positions with the network.
    Net(net::NetArgs),
    /// Counts the chess positions some moves on.
    Perft(perft::PerftArgs),
    /// Plays random games from the empty board.
    Playouts(playouts::PlayoutsArgs),
    /// Plays and searches with 1 to N threads.
    Scaling(scaling::ScalingArgs),
    /// Searches the empty board of Go.
    Search(search::SearchArgs),
    /// Prints one number that changes whenever what the program plays changes.
    Signature(SignatureArgs),
}

#[derive(Args, Clone, Debug)]
struct SignatureArgs {
    #[command(flatten)]
    net: NetChoice,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the benchmark that was asked for, and writes its report to `out`.
/// Gives whether a comparison with an earlier run turned out well.
///
/// # Errors
/// Arguments or files that cannot be used.
pub fn run(args: &BenchArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    match &args.what {
        Bench::Chess(args) => chess::run(args, out),
        Bench::Epd(args) => epd::run(args, out),
        Bench::Net(args) => net::run(args, out),
        Bench::Perft(args) => perft::run(args, out),
        Bench::Playouts(args) => playouts::run(args, out),
        Bench::Scaling(args) => scaling::run(args, out),
        Bench::Search(args) => search::run(args, out),
        Bench::Signature(args) => print_signature(args, out),
    }
}

/// The bare number where nothing else is asked for.
fn print_signature(args: &SignatureArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let signature = format!("{:016x}", signature(&args.net));
    if args.output.is_plain() {
        writeln!(out, "{signature}")?;
        return Ok(true);
    }
    Sheet::new("signature").fixed("signature", "signature", signature).finish(&args.output, out)
}

/// One number over fixed work of both games, the same on every machine.
fn signature(net: &NetChoice) -> u64 {
    mix(mix(crate::uct::bench::signature(net.load().as_ref())) ^ crate::chess::bench::signature())
}
