//! What the transposition table keeps of a search.

use crate::shared::table::{Entry, Table};

use super::score::is_mate;
use super::types::Move;

/// How the stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// It is the true score.
    Exact = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The true score is at most this.
    Upper = 3,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The best move, or the one that refuted; [`Move::NONE`] if unknown.
    pub best: Move,
    /// The score; mates are counted from this position.
    pub score: i16,
    /// The static evaluation, [`NO_EVAL`] in check.
    pub eval: i16,
    /// The depth searched, in plies.
    pub depth: u8,
    /// What the score means.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub on_pv: bool,
}

/// The position was in check: it has no static evaluation.
pub const NO_EVAL: i16 = i16::MIN;

/// The chess engine's transposition table.
pub type ChessTable = Table<Known>;

impl Entry for Known {
    fn to_bits(self) -> u64 {
        u64::from(self.best.to_bits())
            | u64::from(self.score as u16) << 16
            | u64::from(self.eval as u16) << 32
            | u64::from(self.depth & 127) << 48
            | (self.bound as u64) << 55
            | u64::from(self.on_pv) << 57
    }

    fn from_bits(bits: u64) -> Self {
        Known {
            best: Move::from_bits(bits as u16),
            score: (bits >> 16) as i16,
            eval: (bits >> 32) as i16,
            depth: (bits >> 48) as u8 & 127,
            bound: match bits >> 55 & 3 {
                1 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
            on_pv: bits >> 57 & 1 != 0,
        }
    }

    fn worth(self) -> i32 {
        i32::from(self.depth) + 2 * i32::from(self.on_pv)
    }
}

impl Known {
    /// The score as seen `ply` plies from the root.
    #[must_use]
    #[inline]
    pub fn score_at(self, ply: usize) -> i32 {
        let score = i32::from(self.score);
        if is_mate(score) { score - score.signum() * ply as i32 } else { score }
    }

    /// Whether the score settles a search of this window.
    #[must_use]
    #[inline]
    pub fn settles(self, score: i32, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        }
    }
}

/// A score found `ply` plies from the root, as the table keeps it.
#[must_use]
#[inline]
pub fn score_to_keep(score: i32, ply: usize) -> i16 {
    (if is_mate(score) { score + score.signum() * ply as i32 } else { score }) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::score::MATE;

    #[test]
    fn entries_pack() {
        for score in [-MATE, -31_000, -1, 0, 1, 25_000, MATE] {
            let known = Known {
                best: Move::from_bits(0xfedc),
                score: score as i16,
                eval: NO_EVAL,
                depth: 99,
                bound: Bound::Upper,
                on_pv: true,
            };
            assert_eq!(Known::from_bits(known.to_bits()), known);
            assert!(known.to_bits() < 1 << 58);
        }
    }

    #[test]
    fn mates_are_kept_by_distance_from_the_position() {
        let known = Known {
            best: Move::NONE,
            score: score_to_keep(MATE - 7, 4),
            eval: 0,
            depth: 1,
            bound: Bound::Exact,
            on_pv: false,
        };
        assert_eq!(i32::from(known.score), MATE - 3);
        assert_eq!(known.score_at(2), MATE - 5);
    }
}
