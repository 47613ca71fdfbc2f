//! Perft: how many sequences of legal moves there are, the usual test of a
//! move generator.

use super::movegen::Generator;
use super::position::Position;
use super::types::Move;

/// Counts the positions `depth` moves on. The last move is counted, not played.
#[must_use]
pub fn bulk(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => Generator::new(position).count() as u64,
        _ => Generator::new(position).all().iter().map(|&mv| bulk(&position.after(mv), depth - 1)).sum(),
    }
}

/// Counts the positions `depth` moves on, playing every move.
#[must_use]
pub fn full(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    Generator::new(position).all().iter().map(|&mv| full(&position.after(mv), depth - 1)).sum()
}

/// The count behind each move of a position, in the order of generation.
#[must_use]
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let moves = position.legal_moves();
    moves.iter().map(|&mv| (mv, bulk(&position.after(mv), depth.saturating_sub(1)))).collect()
}
