//! Zobrist keys of Go positions.
//!
//! The number of a stone depends on its coordinates only, so boards of every
//! geometry agree on keys.

use super::color::Color;
use super::coord::{Coord, MAX_SIDE};
use crate::shared::hash::{self, Key, feature, features};

const POINTS: usize = MAX_SIDE as usize * MAX_SIDE as usize;
const STONES: usize = 2 * POINTS;

static STONE_KEYS: [Key; STONES] = features(0x60);
static KO_KEYS: [Key; POINTS] = features(0x61);
const WHITE_TO_MOVE: Key = feature(0x62, 0);

const fn index(coord: Coord) -> usize {
    coord.y as usize * MAX_SIDE as usize + coord.x as usize
}

/// The number of a stone.
#[must_use]
#[inline]
pub fn stone_key(coord: Coord, color: Color) -> Key {
    STONE_KEYS[color.index() * POINTS + index(coord)]
}

/// The number of a point at which retaking a ko is forbidden.
#[must_use]
#[inline]
pub fn ko_key(coord: Coord) -> Key {
    KO_KEYS[index(coord)]
}

/// The number of the player to move.
#[must_use]
#[inline]
pub const fn side_key(to_move: Color) -> Key {
    match to_move {
        Color::Black => 0,
        Color::White => WHITE_TO_MOVE,
    }
}

/// One number for all of these tables: it changes when any number does.
#[must_use]
pub fn fingerprint() -> u64 {
    hash::fingerprint(&[&STONE_KEYS, &KO_KEYS, &[WHITE_TO_MOVE]])
}
