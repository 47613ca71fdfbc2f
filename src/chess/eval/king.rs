//! The king: its pawn shelter, and attacks on it.

use super::Tally;
use super::scene::Scene;
use super::terms;
use crate::chess::bitboard::Bitboard;
use crate::chess::types::{Color, Kind};

/// Units of danger of a safe check by knight, bishop, rook, queen.
const CHECK_UNITS: [i32; 4] = [6, 4, 7, 6];

/// Counts what `color` has against the enemy king.
pub(super) fn attack<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    let (position, enemy) = (scene.position, !color);
    let king = position.king(enemy);
    let defended_badly = !scene.attacked[enemy.index()]
        | (scene.twice[color.index()]
            & (scene.by(enemy, Kind::King) | scene.by(enemy, Kind::Queen))
                .without(scene.twice[enemy.index()]));
    let safe = defended_badly.without(position.color(color));
    let diagonal = scene.sliders.bishop(king, scene.occupied);
    let straight = scene.sliders.rook(king, scene.occupied);
    let from = [crate::chess::attacks::knight(king), diagonal, straight, diagonal | straight];
    let mut units = scene.danger[color.index()];
    for (piece, kind) in [Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen].into_iter().enumerate() {
        let checks = from[piece] & scene.by(color, kind) & safe;
        let possible = i32::from(checks.any());
        tally.add(terms::SAFE_CHECK, piece, possible);
        units += CHECK_UNITS[piece] * possible;
    }
    let weak = scene.ring[enemy.index()] & scene.attacked[color.index()] & defended_badly;
    units += 2 * weak.count() as i32;
    if position.of(color, Kind::Queen).is_empty() {
        units /= 2;
    }
    tally.add(terms::DANGER, units.clamp(0, terms::DANGER.len as i32 - 1) as usize, 1);
}

/// Counts the pawns of both sides on the king's file and beside it.
pub(super) fn shelter<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    let position = scene.position;
    let king = position.king(color);
    let rank = king.relative(color).rank();
    let ahead = match color {
        Color::White => Bitboard(!0 << (8 * rank)),
        Color::Black => Bitboard(!0 >> (8 * rank)),
    };
    let centre = king.file().clamp(1, 6);
    for file in centre - 1..=centre + 1 {
        let edge = file.min(7 - file);
        let lane = Bitboard::file(file) & ahead;
        // The rank of the first pawn, seen by `color`; 0 without one.
        let nearest = |pawns: Bitboard| {
            let pawns = (pawns & lane).0;
            let first = if color == Color::White { pawns.trailing_zeros() } else { pawns.leading_zeros() };
            (first / 8 % 8) as usize
        };
        tally.add(terms::SHELTER, edge * 8 + nearest(position.of(color, Kind::Pawn)), 1);
        tally.add(terms::STORM, edge * 8 + nearest(position.of(!color, Kind::Pawn)), 1);
    }
}
