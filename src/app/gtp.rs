//! `tengen gtp`: the engine on standard input and output.

use std::io;

use crate::go::coord::Size;
use crate::protocol::gtp::{Output, Session, receive};
use crate::protocol::line::read_stdin;
use crate::uct::engine::{Engine, Settings};

/// The board that a client finds before it asks for another.
const FIRST_SIDE: u8 = 19;

/// Answers a GTP client until it quits, or until the input ends.
///
/// # Errors
/// Standard input cannot be read at all. A client that went away is no error.
pub fn run(settings: Settings) -> anyhow::Result<()> {
    let size = Size::square(FIRST_SIDE).unwrap_or_else(|| unreachable!("19 is a side"));
    let inbox = read_stdin(receive)?;
    let output = Output::new(Box::new(io::stdout()));
    let mut session = Session::new(Engine::new(settings, size), inbox, output);
    super::session_end(session.run())
}
