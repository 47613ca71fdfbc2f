//! The search: principal variation search (Marsland and Campbell 1982) with
//! iterative deepening, a transposition table, and threads that share nothing
//! but that table ("lazy SMP").
//!
//! [`root`] deepens, `node` is one interior node, `selectivity` says what it
//! leaves out or looks at more closely, `quiescence` settles the leaves. A
//! search reports to whoever started it and never prints.

pub mod correction;
pub mod link;
mod node;
mod quiescence;
pub mod root;
mod selectivity;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::shared::control::{Limits, Stopwatch};
use crate::shared::hash::Key;

use super::position::Position;
use super::table::{Bound, ChessTable};
use super::types::Move;

pub use link::{Link, Status};
pub use worker::Worker;

/// What to search, and for how long.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where to search from.
    pub position: Position,
    /// Keys of the positions before it, the oldest first.
    pub history: Vec<Key>,
    /// Nodes and time.
    pub limits: Limits,
    /// At most this many plies, extensions aside.
    pub depth: Option<u32>,
    /// Stop at a mate in this many moves.
    pub mate: Option<u32>,
    /// Only these root moves; empty for all.
    pub moves: Vec<Move>,
    /// How many best lines to find.
    pub lines: usize,
    /// What an earlier search of the position found.
    pub recall: Option<Recall>,
    /// Added to the scores of root moves, in hundredths of a pawn.
    pub biases: Vec<(Move, i32)>,
}

/// What is known of the root from an earlier search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// For the side to move.
    pub score: i32,
    /// Plies searched then.
    pub depth: u32,
    /// The best move, and those expected to follow.
    pub moves: Vec<Move>,
}

impl Request {
    /// A search of one line without limits.
    #[must_use]
    pub fn new(position: Position) -> Request {
        Request {
            position,
            history: Vec::new(),
            limits: Limits::default(),
            depth: None,
            mate: None,
            moves: Vec::new(),
            lines: 1,
            recall: None,
            biases: Vec::new(),
        }
    }
}

/// A line found, for the report.
#[derive(Clone, Debug)]
pub struct Line {
    /// Plies searched.
    pub depth: u32,
    /// The deepest ply reached.
    pub selective: u32,
    /// Which best line it is, from 1.
    pub rank: usize,
    /// For the side to move.
    pub score: i32,
    /// What the score means.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Thousandths of the table in use.
    pub hashfull: usize,
    /// The moves, the first at the root.
    pub moves: Vec<Move>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The best move; none without legal moves.
    pub best: Option<Move>,
    /// The reply it expects.
    pub ponder: Option<Move>,
    /// The score for the side to move.
    pub score: i32,
    /// Plies completed.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// The best line of the last iteration completed.
    pub line: Vec<Move>,
}

/// What the threads of one search share.
pub struct Common<'a> {
    /// The transposition table.
    pub table: &'a ChessTable,
    /// Between the search and whoever started it.
    pub link: &'a Link,
    /// Ends the helpers when the main thread is done.
    pub done: AtomicBool,
    /// Nodes of each thread, now and then brought up to date.
    pub nodes: Vec<AtomicU64>,
    /// Since the search began.
    pub watch: Stopwatch,
}

impl Common<'_> {
    /// Nodes of all threads.
    #[must_use]
    pub fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Relaxed)).sum()
    }
}
