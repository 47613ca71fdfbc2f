//! One file for each subcommand of the program.

pub mod analyze;
pub mod bench;
pub mod board_svg;
pub mod chess_line;
pub mod chess_svg;
pub mod cli;
pub mod config;
pub mod engine_process;
pub mod gtp;
pub mod gtp_client;
pub mod learn;
pub mod manual;
pub mod match_;
pub mod net;
pub mod play;
pub mod progress;
pub mod regress;
pub mod selfplay;
pub mod train;
pub mod uci;
pub mod xboard;

use crate::chess::engine::Engine;
use crate::chess::memory::ChessMemory;

/// A chess engine that learns if `flags` say so.
fn chess_engine(flags: &cli::LearnFlags) -> Engine {
    let mut engine = Engine::default();
    if let Some(store) = flags.store() {
        engine.learn_with(ChessMemory::open(store));
    }
    engine
}

/// How a session ended: a client that went away is no error.
fn session_end(result: std::io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
