//! Correction history: how far the static evaluation was off in positions
//! with the same pawns or the same pieces of one side, learnt in search.

use crate::chess::position::Position;
use crate::chess::types::Color;
use crate::shared::cpu;

const ENTRIES: usize = 1 << 14;
/// Stored corrections are this many times finer than a hundredth of a pawn.
const GRAIN: i32 = 256;
const LIMIT: i32 = GRAIN * 48;

/// The corrections: by pawns, by White's pieces, by Black's, each for the side
/// to move.
pub struct Corrections(Box<[[[i16; ENTRIES]; 3]; 2]>);

impl Default for Corrections {
    fn default() -> Self {
        Corrections(Box::new([[[0; ENTRIES]; 3]; 2]))
    }
}

fn indices(position: &Position) -> [usize; 3] {
    [position.pawn_key(), position.side_key(Color::White), position.side_key(Color::Black)]
        .map(|key| key as usize % ENTRIES)
}

impl Corrections {
    /// What to add to the static evaluation.
    #[inline]
    pub fn of(&self, position: &Position) -> i32 {
        let tables = &self.0[position.side().index()];
        let [pawns, white, black] = indices(position);
        let sum = 2 * i32::from(tables[0][pawns]) + i32::from(tables[1][white]) + i32::from(tables[2][black]);
        sum / (2 * GRAIN)
    }

    /// Asks the processor to load what [`Corrections::of`] will read.
    #[inline]
    pub fn prefetch(&self, position: &Position) {
        let tables = &self.0[position.side().index()];
        for (table, index) in tables.iter().zip(indices(position)) {
            cpu::prefetch(&table[index]);
        }
    }

    /// Learns that search to `depth` found `error` more than the evaluation.
    pub fn learn(&mut self, position: &Position, error: i32, depth: i32) {
        let weight = (depth + 1).min(16);
        let target = (error * GRAIN).clamp(-LIMIT, LIMIT);
        let tables = &mut self.0[position.side().index()];
        for (table, index) in tables.iter_mut().zip(indices(position)) {
            let old = i32::from(table[index]);
            table[index] = ((old * (256 - weight) + target * weight) / 256).clamp(-LIMIT, LIMIT) as i16;
        }
    }
}
