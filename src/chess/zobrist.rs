//! The random numbers behind a position's key.

use crate::shared::hash::{self, Key};

use super::types::{Color, Kind, Square};

const PIECES: u64 = 0x201;
const CASTLING: u64 = 0x202;
const EN_PASSANT: u64 = 0x203;
const SIDE: u64 = 0x204;

static PIECE_KEYS: [Key; 768] = hash::features(PIECES);
static CASTLING_KEYS: [Key; 16] = hash::features(CASTLING);
static EN_PASSANT_KEYS: [Key; 8] = hash::features(EN_PASSANT);

/// Black is to move.
pub const BLACK_TO_MOVE: Key = hash::feature(SIDE, 0);

/// A piece stands on a square.
#[must_use]
#[inline]
pub fn piece(color: Color, kind: Kind, square: Square) -> Key {
    PIECE_KEYS[(color.index() * 6 + kind.index()) << 6 | square.index()]
}

/// The same keys by kind, then colour, then square; what is beyond is 0.
static BY_KIND: [Key; 1024] = by_kind();

const fn by_kind() -> [Key; 1024] {
    let mut table = [0; 1024];
    let mut at = 0;
    while at < 768 {
        let (kind, color, square) = (at >> 7, at >> 6 & 1, at & 63);
        table[at] = PIECE_KEYS[(color * 6 + kind) << 6 | square];
        at += 1;
    }
    table
}

/// [`piece`] for a number that has the kind in the upper bits and the colour
/// in the lowest.
#[must_use]
#[inline]
pub(super) fn numbered(kind_and_color: u8, square: Square) -> Key {
    BY_KIND[usize::from(kind_and_color & 15) << 6 | square.index()]
}

/// A set of castling rights, 0 to 15.
#[must_use]
#[inline]
pub fn castling(rights: u8) -> Key {
    CASTLING_KEYS[usize::from(rights & 15)]
}

/// A pawn can be taken en passant on this file.
#[must_use]
#[inline]
pub fn en_passant(file: usize) -> Key {
    EN_PASSANT_KEYS[file & 7]
}

/// One number for all of these tables; files kept under the keys carry it.
#[must_use]
pub fn fingerprint() -> u64 {
    hash::fingerprint(&[&PIECE_KEYS, &CASTLING_KEYS, &EN_PASSANT_KEYS, &[BLACK_TO_MOVE]])
}
