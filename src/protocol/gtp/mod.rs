//! The Go Text Protocol, version 2 (G. Farnebäck, "Specification of the Go
//! Text Protocol, version 2, draft 2", 2002), with the extensions of the
//! clients and servers in use.
//!
//! A [`Session`] takes a line, finds the command in a table ([`command`]),
//! lets its handler ask the engine, and writes the reply. Handlers are in one
//! file for each subject. A command that fails changes nothing.

mod analyze;
pub mod command;
mod core;
mod gogui;
mod gomill;
mod inspect;
mod kata;
mod kgs;
mod network;
mod play;
mod reply;
mod request;
mod score;
mod setup;
mod sgf;
mod time;

#[cfg(test)]
mod tests;

use std::io;

pub use reply::{Answer, Failure, Output, Reply};
pub use request::{Request, clean, is_interrupt};

use crate::protocol::line::{Inbox, Yield};
use crate::shared::control::StopFlag;
use crate::uct::engine::Engine;

/// A client's conversation with an engine.
pub struct Session {
    engine: Engine,
    inbox: Inbox,
    output: Output,
    stop: StopFlag,
    /// The number of the command that runs.
    id: String,
    /// Whether `quit` was said.
    over: bool,
    /// A write that failed while a command ran: the client is gone.
    broken: Option<io::Error>,
    gogui: gogui::State,
}

impl Session {
    /// A session that reads from `inbox` and answers on `output`.
    #[must_use]
    pub fn new(engine: Engine, inbox: Inbox, output: Output) -> Self {
        Session {
            engine,
            inbox,
            output,
            stop: StopFlag::new(),
            id: String::new(),
            over: false,
            broken: None,
            gogui: gogui::State::default(),
        }
    }

    /// Answers commands until `quit` or the end of the input.
    ///
    /// # Errors
    /// The client does not take a reply.
    pub fn run(&mut self) -> io::Result<()> {
        while !self.over {
            self.ponder();
            let Some(line) = self.inbox.take() else { break };
            self.handle(&line)?;
        }
        Ok(())
    }

    /// Answers one cleaned line.
    ///
    /// # Errors
    /// The client does not take the reply.
    pub fn handle(&mut self, line: &str) -> io::Result<()> {
        let Some(request) = Request::parse(line) else { return Ok(()) };
        self.id.clone_from(&request.id);
        let reply = self.answer(&request);
        if let Err(failure) = &reply {
            tracing::debug!(command = %request.name, %failure, "command failed");
        }
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        self.output.reply(&request.id, &reply)
    }

    /// The reply to a request.
    fn answer(&mut self, request: &Request) -> Reply {
        let command = command::find(&request.name).ok_or_else(|| reply::failure("unknown command"))?;
        if request.words.len() < command.required() {
            return Err(reply::failure(format!("syntax error: {} {}", command.name, command.arguments)));
        }
        (command.run)(self, request)
    }

    /// Thinks in the opponent's time, until input arrives.
    fn ponder(&mut self) {
        if self.inbox.has_input() || !self.engine.wants_to_ponder() {
            return;
        }
        let inbox = self.inbox.clone();
        let stop = self.stop.clone();
        inbox.watch(&stop, Yield::ToAnyInput, || self.engine.ponder(&stop));
    }

    /// Writes part of a reply while a command runs.
    fn stream(&mut self, text: &str) {
        if let Err(error) = self.output.raw(text) {
            self.stop.raise();
            self.broken = Some(error);
        }
    }
}

/// What the reading thread does with the bytes of a line.
#[must_use]
pub fn receive(bytes: &[u8], inbox: &Inbox) -> Option<String> {
    if is_interrupt(bytes) {
        inbox.interrupt();
        return None;
    }
    // An empty line ends an analysis, so it is passed on like any other.
    let line = clean(bytes);
    if Request::parse(&line).is_some_and(|request| request.name == "quit") {
        // Nothing after it is answered: a search need not go on for it either.
        inbox.push(line);
        inbox.close();
        return None;
    }
    Some(line)
}
