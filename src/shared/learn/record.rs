//! What is kept of a position, and how it is written.

use crate::shared::hash::mix;

/// How a stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the true score, or an estimate of it.
    Exact = 0,
    /// The true score is at least this.
    Lower = 1,
    /// The true score is at most this.
    Upper = 2,
}

/// What is known of a position. Every value is for the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The best move, in the game's own numbering; [`Record::NO_MOVE`] if unknown.
    pub best: u16,
    /// The score, in the game's own unit; it counts only if `effort` is not 0.
    pub score: i16,
    /// What went into the score: visits or plies of depth, by game; 0 if the
    /// position was only passed through in games.
    pub effort: u32,
    /// What the score means.
    pub bound: Bound,
    /// Games won from here, later ones counting in full and distant ones less.
    pub wins: f32,
    /// Games lost from here.
    pub losses: f32,
    /// The batch that last changed the record: larger is later.
    pub generation: u32,
}

/// Bytes of a written record.
pub(super) const BYTES: usize = 25;

impl Record {
    /// The value of `best` when no move is known.
    pub const NO_MOVE: u16 = u16::MAX;

    /// Nothing known yet.
    pub const EMPTY: Record = Record {
        best: Record::NO_MOVE,
        score: 0,
        effort: 0,
        bound: Bound::Exact,
        wins: 0.0,
        losses: 0.0,
        generation: 0,
    };

    /// A record of a search alone.
    #[must_use]
    pub const fn of_search(best: u16, score: i16, effort: u32, bound: Bound) -> Self {
        Record { best, score, effort, bound, ..Record::EMPTY }
    }

    /// A record of a game alone: `wins` from 0 to 1 for the player to move, who
    /// played `best`, at a `weight` that fades with the distance to the end.
    #[must_use]
    pub fn of_game(best: u16, wins: f32, weight: f32) -> Self {
        Record { best, wins: wins * weight, losses: (1.0 - wins) * weight, ..Record::EMPTY }
    }

    /// Games that went through the position, by weight.
    #[must_use]
    pub fn games(&self) -> f32 {
        self.wins + self.losses
    }

    /// What is worth keeping: effort and games, by their magnitude, and a little
    /// for being recent.
    #[must_use]
    pub fn worth(&self, now: u32) -> f32 {
        let age = now.saturating_sub(self.generation) as f32;
        (1.0 + self.effort as f32).log2() + 4.0 * (1.0 + self.games()).log2() + 4.0 / (1.0 + age / 64.0)
    }

    /// Adds what another source knows of the same position: results add up, and
    /// of two scores the one with more effort stays, the newer if equal.
    #[must_use]
    pub fn merged(self, newer: Record) -> Record {
        let search = if newer.effort > 0 && newer.effort >= self.effort { newer } else { self };
        let unknown = search.effort == 0 && newer.best != Record::NO_MOVE;
        Record {
            best: if unknown { newer.best } else { search.best },
            wins: self.wins + newer.wins,
            losses: self.losses + newer.losses,
            generation: self.generation.max(newer.generation),
            ..search
        }
    }

    /// The record of `key` as bytes, the last four a check of all.
    pub(super) fn to_bytes(self, key: (u64, u64)) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[0..2].copy_from_slice(&self.best.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.score.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.effort.to_le_bytes());
        bytes[8] = self.bound as u8;
        bytes[9..13].copy_from_slice(&self.wins.to_le_bytes());
        bytes[13..17].copy_from_slice(&self.losses.to_le_bytes());
        bytes[17..21].copy_from_slice(&self.generation.to_le_bytes());
        let check = check(key, &bytes[..21]);
        bytes[21..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads what [`Record::to_bytes`] wrote for `key`; `None` if it is torn.
    pub(super) fn from_bytes(key: (u64, u64), bytes: &[u8]) -> Option<Record> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if word(21) != check(key, &bytes[..21]) {
            return None;
        }
        Some(Record {
            best: u16::from_le_bytes([bytes[0], bytes[1]]),
            score: i16::from_le_bytes([bytes[2], bytes[3]]),
            effort: word(4),
            bound: match bytes[8] {
                0 => Bound::Exact,
                1 => Bound::Lower,
                2 => Bound::Upper,
                _ => return None,
            },
            wins: f32::from_bits(word(9)),
            losses: f32::from_bits(word(13)),
            generation: word(17),
        })
    }
}

fn check(key: (u64, u64), bytes: &[u8]) -> u32 {
    let start = mix(key.0 ^ mix(key.1));
    bytes.iter().fold(start, |acc, &byte| mix(acc ^ u64::from(byte))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Record {
        Record {
            best: 7,
            score: -312,
            effort: 1000,
            bound: Bound::Upper,
            wins: 1.5,
            losses: 0.25,
            generation: 3,
        }
    }

    #[test]
    fn bytes_round_trip_and_flips_are_seen() {
        let bytes = sample().to_bytes((1, 2));
        assert_eq!(Record::from_bytes((1, 2), &bytes), Some(sample()));
        assert_eq!(Record::from_bytes((1, 3), &bytes), None);
        for bit in 0..BYTES * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::from_bytes((1, 2), &flipped), None, "bit {bit}");
        }
    }

    #[test]
    fn merging_adds_results_and_keeps_the_deeper_search() {
        let merged = sample().merged(Record::of_search(9, 50, 10, Bound::Exact));
        assert_eq!((merged.best, merged.effort, merged.wins), (7, 1000, 1.5));
        let merged = sample().merged(Record::of_search(9, 50, 2000, Bound::Exact));
        assert_eq!((merged.best, merged.score, merged.losses), (9, 50, 0.25));
        let merged = sample().merged(Record::of_game(9, 1.0, 0.5));
        assert_eq!((merged.best, merged.wins, merged.losses), (7, 2.0, 0.25));
    }
}
