//! `tengen bench`: measures speed.

mod epd;
mod perft;
mod playouts;
mod search;

use std::io;

use clap::{Args, Subcommand};

use crate::shared::hash::mix;

/// Measures speed.
#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: Bench,
}

#[derive(Subcommand, Clone, Debug)]
enum Bench {
    /// Solves chess positions with known best moves.
    Epd(epd::EpdArgs),
    /// Counts the chess positions some moves on.
    Perft(perft::PerftArgs),
    /// Plays random games from the empty board.
    Playouts(playouts::PlayoutsArgs),
    /// Searches the empty board of Go.
    Search(search::SearchArgs),
    /// Prints one number that changes whenever what the program plays changes.
    Signature,
}

/// Runs the benchmark that was asked for, and writes its report to `out`.
pub fn run(args: &BenchArgs, out: &mut impl io::Write) -> anyhow::Result<()> {
    match &args.what {
        Bench::Epd(args) => epd::run(args, out),
        Bench::Perft(args) => perft::run(args, out),
        Bench::Playouts(args) => playouts::run(args, out),
        Bench::Search(args) => search::run(args, out),
        Bench::Signature => Ok(writeln!(out, "{:016x}", signature())?),
    }
}

/// One number over fixed work of both games, the same on every machine.
fn signature() -> u64 {
    mix(mix(crate::uct::bench::signature()) ^ crate::chess::bench::signature())
}
