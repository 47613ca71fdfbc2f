//! Lines that a person types, or that a program sends in his place.

use std::io::{self, BufRead, IsTerminal};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Nothing more.
    End,
}

/// A source of lines.
pub(super) trait Lines {
    /// Waits for a line.
    fn next(&mut self, prompt: &str) -> io::Result<Input>;
}

/// Standard input: with a line editor and a history where that is a terminal.
pub(super) fn open() -> Box<dyn Lines> {
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let editor = is_terminal.then(|| DefaultEditor::new().ok()).flatten();
    match editor {
        Some(editor) => Box::new(editor),
        None => Box::new(Plain(io::stdin().lock())),
    }
}

impl Lines for DefaultEditor {
    fn next(&mut self, prompt: &str) -> io::Result<Input> {
        match self.readline(prompt) {
            Ok(line) => {
                // The history is a convenience.
                let _ = self.add_history_entry(&line);
                Ok(Input::Line(line))
            }
            Err(ReadlineError::Eof) => Ok(Input::End),
            Err(ReadlineError::Interrupted) => Ok(Input::Interrupted),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(other) => Err(io::Error::other(other)),
        }
    }
}

/// Lines without a prompt.
pub(super) struct Plain<R>(pub(super) R);

impl<R: BufRead> Lines for Plain<R> {
    fn next(&mut self, _: &str) -> io::Result<Input> {
        let mut bytes = Vec::new();
        match self.0.read_until(b'\n', &mut bytes)? {
            0 => Ok(Input::End),
            _ => Ok(Input::Line(String::from_utf8_lossy(&bytes).into_owned())),
        }
    }
}
