//! What a search says of a position, without reference to how boards are
//! stored.

use std::time::Duration;

use crate::go::color::Color;
use crate::go::coord::Move;

/// A move from the root, and what was found out about it.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Simulations that began with it.
    pub visits: u64,
    /// Win rate of the player to move, 0 to 1; a draw counts one half.
    pub win_rate: f64,
    /// The network's probability of the move; without a network the value that
    /// it was given before any simulation, 0 to 1, for the player to move.
    pub prior: f64,
    /// Lower bound of the win rate's 95% interval, for the player to move.
    pub lcb: f64,
    /// Mean score for the player to move, komi counted.
    pub score_mean: f64,
    /// The move and what is expected to follow it.
    pub pv: Vec<Move>,
}

/// The state of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The player to move at the root.
    pub to_move: Color,
    /// The move to play.
    pub best: Move,
    /// Win rate of the player to move, 0 to 1; a draw counts one half.
    pub win_rate: f64,
    /// Mean score for the player to move, komi counted.
    pub score_mean: f64,
    /// Standard deviation of the score over the simulations of this search.
    pub score_stdev: f64,
    /// Every move from the root that may be played, the best first, then by
    /// visits.
    pub moves: Vec<MoveReport>,
    /// Visits of the root, those of earlier searches of the same tree included.
    pub root_visits: u64,
    /// Simulations of this search.
    pub simulations: u64,
    /// Who owns each point at the end of the playouts of this search: from -1
    /// (always White) to 1 (always Black), in the order of `Size::coords`.
    pub ownership: Vec<f32>,
    /// Positions in the tree.
    pub tree_nodes: u64,
    /// Bytes that the tree uses.
    pub tree_bytes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
}

impl Report {
    /// Win rate of `color`.
    #[must_use]
    pub fn win_rate_of(&self, color: Color) -> f64 {
        if color == self.to_move { self.win_rate } else { 1.0 - self.win_rate }
    }

    /// Mean score of `color`, komi counted.
    #[must_use]
    pub fn score_of(&self, color: Color) -> f64 {
        if color == self.to_move { self.score_mean } else { -self.score_mean }
    }
}
