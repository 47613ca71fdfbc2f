//! Game records in SGF, FF\[1\] to FF\[4\], as people have them.
//!
//! [`Collection::parse`] takes the bytes of a file in any encoding and gives a
//! tree of nodes with properties; what is damaged is skipped and listed in
//! [`Collection::warnings`]. [`GameTree`] reads one game of it as Go: size,
//! komi, players, and the main line as a sequence of typed [`Step`]s.
//! [`GameTree::replay`] plays it out. [`Record`] builds a new game. Every collection is written by
//! [`Collection::write_to`], in UTF-8, without loss.
//!
//! The format: A. Hollosi, "SGF File Format FF\[4\]" (1997), with the letters
//! of M. Müller's thesis for FF\[1\].

mod decode;
mod error;
mod game;
mod parse;
mod point;
mod record;
mod replay;
mod result;
mod tree;
mod value;
mod write;

#[cfg(test)]
mod tests;

pub use error::{Place, SgfError, SgfErrorKind, Warning, WarningKind};
pub(crate) use game::parse_komi;
pub use game::{Action, GameTree, Step, StopAt};
pub use point::{parse_move, parse_points, point_text};
pub use record::{Mark, Record};
pub use result::{GameResult, Margin};
pub use tree::{Collection, NodeId, Property};
pub use value::{escape, split_composed, unescape};
