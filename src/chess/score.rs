//! Scores, in hundredths of a pawn for the side to move, and mates.

/// The longest line searched, in plies.
pub const MAX_PLY: usize = 128;
/// Mate on the board; a mate in n plies is worth n less.
pub const MATE: i32 = 32_000;
/// Beyond every score.
pub const INFINITE: i32 = 32_500;
/// From here on a score is a mate.
pub const MATE_BOUND: i32 = MATE - 2 * MAX_PLY as i32;
/// A draw.
pub const DRAW: i32 = 0;

/// The score of being mated `ply` plies from the root.
#[must_use]
#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Whether a score is a mate for either side.
#[must_use]
#[inline]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= MATE_BOUND
}

/// The moves to mate, negative if mated, if the score is one.
#[must_use]
pub fn mate_moves(score: i32) -> Option<i32> {
    let moves = (MATE - score.abs() + 1) / 2;
    is_mate(score).then_some(if score > 0 { moves } else { -moves })
}

/// Chances of a score, in thousandths: win, draw, loss. By a logistic curve
/// over the score, as games of this engine against itself end.
#[must_use]
pub fn win_draw_loss(score: i32) -> [i32; 3] {
    const MIDDLE: f64 = 170.0;
    const SPREAD: f64 = 75.0;
    let chance = |score: i32| 1000.0 / (1.0 + ((MIDDLE - f64::from(score)) / SPREAD).exp());
    let (win, loss) = (chance(score).round() as i32, chance(-score).round() as i32);
    [win, 1000 - win - loss, loss]
}
