//! What can be wrong with a record, and where.

use std::fmt;

use crate::go::color::Color;
use crate::go::coord::Move;

/// A place in a text file, both counted from 1; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl Place {
    /// The place of byte `offset` of `text`. Any of LF, CR, CRLF and LFCR ends
    /// a line.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Place {
        let before = text.get(..offset).unwrap_or(text);
        let (mut line, mut start) = (1, 0);
        let bytes = before.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            if matches!(bytes[i], b'\n' | b'\r') {
                let pair = bytes.get(i + 1).is_some_and(|&b| matches!(b, b'\n' | b'\r') && b != bytes[i]);
                i += usize::from(pair);
                line += 1;
                start = i + 1;
            }
            i += 1;
        }
        let column = before.get(start..).map_or(0, |tail| tail.chars().count()) as u32 + 1;
        Place { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A record that cannot be used, with the file and the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{place}: {kind}")]
pub struct SgfError {
    /// The file, as the caller named it.
    pub name: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong.
    pub kind: SgfErrorKind,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SgfErrorKind {
    /// Nowhere in the file does `(;` begin a game.
    #[error("no game record: there is no \"(;\"")]
    NoGame,
    /// More than offsets of 32 bits reach.
    #[error("the file is larger than 4 GiB")]
    TooLarge,
    /// The record is of some other game.
    #[error("not a Go record: GM[{0}]")]
    OtherGame(String),
    /// SZ is not a size, or not one of ours.
    #[error("board size {0:?} is not supported")]
    Size(String),
    /// A value that should be a point of the board.
    #[error("{0:?} is not a point of the board")]
    Point(String),
    /// A move that the rules forbid; for callers that replay a record.
    #[error("move {number}, {color} {mv}, is illegal")]
    IllegalMove {
        /// Which move, from 1.
        number: u32,
        /// Who plays it.
        color: Color,
        /// The move.
        mv: Move,
    },
}

/// Something odd that reading went past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: WarningKind,
}

/// What was odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WarningKind {
    /// Text between properties that is none.
    #[error("text that belongs to no property was skipped")]
    Junk,
    /// A `]` inside a value without a backslash.
    #[error("a \"]\" inside a value is not escaped")]
    UnescapedBracket,
    /// A property without a value.
    #[error("a property has no value")]
    NoValue,
    /// A property outside any node.
    #[error("a property stands before the first node of its variation")]
    NoNode,
    /// The file ends inside a value or with open parentheses.
    #[error("the record is cut off")]
    Truncated,
    /// Bytes that are no text in the encoding of the file.
    #[error("some text cannot be decoded")]
    Encoding,
}
