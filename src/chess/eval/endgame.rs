//! Endgames that the terms misjudge: drawish material, and mates that need
//! the king driven to the edge.

use super::FULL_SCALE;
use crate::chess::bitboard::Bitboard;
use crate::chess::position::Position;
use crate::chess::types::{Color, Kind, Square};

/// How much of an endgame's value to keep, of [`FULL_SCALE`]; `endgame` is
/// that value for White.
#[inline]
pub(super) fn scale(position: &Position, endgame: i32) -> i32 {
    let strong = if endgame >= 0 { Color::White } else { Color::Black };
    let pawns = position.of(strong, Kind::Pawn);
    if pawns.is_empty() {
        let (ours, theirs) = (force(position, strong), force(position, !strong));
        if ours - theirs <= 3 {
            return if ours <= 3 { 2 } else { 14 };
        }
    }
    if opposite_bishops(position) {
        return 22 + 6 * pawns.count().min(6) as i32;
    }
    (40 + 5 * pawns.count() as i32).min(FULL_SCALE)
}

/// The pieces of a side, in units of a pawn.
fn force(position: &Position, color: Color) -> i32 {
    let count = |kind| position.of(color, kind).count() as i32;
    3 * (count(Kind::Knight) + count(Kind::Bishop)) + 5 * count(Kind::Rook) + 9 * count(Kind::Queen)
}

/// Whether each side has one bishop, on squares of different colours, and no
/// other piece.
fn opposite_bishops(position: &Position) -> bool {
    let bishops = position.kind(Kind::Bishop);
    bishops.count() == 2
        && !position.of(Color::White, Kind::Bishop).many()
        && !position.of(Color::Black, Kind::Bishop).many()
        && (bishops & Bitboard::DARK).count() == 1
        && (position.straight() | position.kind(Kind::Knight)).is_empty()
}

/// A bonus, from White's view, for driving a bare king to where it is mated.
pub(super) fn drive_to_corner(position: &Position) -> i32 {
    let bare = |color| !position.color(color).many();
    let (strong, sign) = match (bare(Color::White), bare(Color::Black)) {
        (false, true) => (Color::White, 1),
        (true, false) => (Color::Black, -1),
        _ => return 0,
    };
    let can_mate = position.of(strong, Kind::Rook).any()
        || position.of(strong, Kind::Queen).any()
        || force(position, strong) > 6
        || position.of(strong, Kind::Bishop).any() && force(position, strong) == 6;
    if !can_mate {
        return 0;
    }
    let (hunter, prey) = (position.king(strong), position.king(!strong));
    let closeness = 7 - hunter.distance(prey) as i32;
    let corners = if position.of(strong, Kind::Knight).any()
        && force(position, strong) == 6
        && position.of(strong, Kind::Pawn).is_empty()
    {
        let dark = (position.of(strong, Kind::Bishop) & Bitboard::DARK).any();
        7 - corner_distance(prey, dark)
    } else {
        edge_closeness(prey)
    };
    sign * (400 + 10 * closeness + 20 * corners)
}

/// King steps to the nearer of the two corners of one colour.
fn corner_distance(square: Square, dark: bool) -> i32 {
    let corners = if dark { [0, 63] } else { [7, 56] };
    let distances = corners.map(|corner| square.distance(Square::from_index(corner)) as i32);
    distances[0].min(distances[1])
}

/// 0 in the centre to 6 in a corner.
fn edge_closeness(square: Square) -> i32 {
    let edge = |line: usize| 3 - line.min(7 - line) as i32;
    edge(square.file()) + edge(square.rank())
}
