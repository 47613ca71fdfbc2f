//! `tengen uci`: the chess engine on standard input and output.

use std::io;

use super::cli::LearnFlags;
use crate::protocol::line::read_stdin;
use crate::protocol::uci::{Session, Writer, receive};

/// Answers a UCI client until it quits, or until the input ends.
///
/// # Errors
/// Standard input cannot be read at all. A client that went away is no error.
pub fn run(flags: &LearnFlags) -> anyhow::Result<()> {
    let inbox = read_stdin(receive)?;
    let writer = Writer::new(Box::new(io::stdout()));
    super::session_end(Session::new(super::chess_engine(flags), inbox, writer).run())
}
