//! Moves that earlier games tried so often, and so well, that no others are
//! looked at.

use super::hints::distinct_games;
use super::place::{Probe, known_moves};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::geometry::Geometry;

/// Shorter boards have openings short enough to be searched; memory is a prior
/// there, and no book.
const SHORTEST_SIDE: u8 = 13;
/// Games through a position from which it has a book.
const GAMES: f32 = 4.0;
/// Games of a move that is in it, at least, and as a share of the position's.
const GAMES_OF_MOVE: f32 = 2.0;
const SHARE_OF_MOVE: f32 = 0.08;
/// Moves that won less, for their player, are left out.
const WON: f32 = 0.4;

/// The moves of `color` to choose from; none where too little is known.
pub(super) fn moves<G: Geometry>(probe: &Probe<'_>, board: &Board<G>, color: Color) -> Vec<Move> {
    if board.size().longer_side() < SHORTEST_SIDE {
        return Vec::new();
    }
    let known = known_moves(probe, board, color);
    let games = distinct_games(&known);
    if games < GAMES {
        return Vec::new();
    }
    let tried = known.iter().filter(|known| {
        let played = known.record.games();
        // A record's values are for the opponent; two games, one won, are added.
        let won = (known.record.losses + 1.0) / (played + 2.0);
        played >= GAMES_OF_MOVE.max(SHARE_OF_MOVE * games) && won >= WON
    });
    tried.map(|known| Move::Play(known.coord)).collect()
}
