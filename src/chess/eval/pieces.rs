//! Pieces: material, place, mobility, and what they threaten.

use super::Tally;
use super::scene::Scene;
use super::terms::{self, Group};
use crate::chess::attacks;
use crate::chess::bitboard::Bitboard;
use crate::chess::types::{Color, Kind};

const MOBILITY: [Group; 4] =
    [terms::KNIGHT_MOBILITY, terms::BISHOP_MOBILITY, terms::ROOK_MOBILITY, terms::QUEEN_MOBILITY];
/// Units of danger that an attacker of the king's surroundings adds.
const RING_UNITS: [i32; 4] = [3, 2, 3, 4];

/// Counts the pieces of one side other than pawns, and notes their attacks.
pub(super) fn pieces<T: Tally>(scene: &mut Scene, color: Color, tally: &mut T) {
    let position = scene.position;
    tally.piece(color, Kind::King, position.king(color));
    active(scene, color, Kind::Knight, tally);
    active(scene, color, Kind::Bishop, tally);
    active(scene, color, Kind::Rook, tally);
    active(scene, color, Kind::Queen, tally);
    let bishops = position.of(color, Kind::Bishop);
    if bishops.many() {
        tally.add(terms::BISHOP_PAIR, 0, 1);
    }
    minors(scene, color, tally);
    rooks(scene, color, tally);
}

/// Place and mobility of the pieces of one kind, and their part in an attack
/// on the king. Made anew for each kind.
#[inline(always)]
fn active<T: Tally>(scene: &mut Scene, color: Color, kind: Kind, tally: &mut T) {
    let position = scene.position;
    // A slider looks through its own side's pieces that move the same way.
    let occupied = match kind {
        Kind::Bishop => scene.occupied ^ position.of(color, Kind::Queen),
        Kind::Rook => scene.occupied ^ (position.straight() & position.color(color)),
        _ => scene.occupied,
    };
    let (free, ring) = (scene.free[color.index()], scene.ring[(!color).index()]);
    let piece = kind.index() - 1;
    let (mut hunters, mut danger) = (0, 0);
    for square in position.of(color, kind) {
        tally.piece(color, kind, square);
        let attacks = scene.sliders.piece(kind, square, occupied);
        scene.add(color, kind, attacks);
        tally.add(MOBILITY[piece], (attacks & free).count(), 1);
        let hits = attacks & ring;
        let hunts = i32::from(hits.any());
        hunters += hunts;
        danger += RING_UNITS[piece] * hunts + hits.count() as i32;
    }
    tally.add(terms::RING_ATTACK, piece, hunters);
    scene.danger[color.index()] += danger;
}

fn minors<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    let position = scene.position;
    let pawns = position.of(color, Kind::Pawn);
    let forward = Bitboard::relative_rank(color, 3)
        | Bitboard::relative_rank(color, 4)
        | Bitboard::relative_rank(color, 5);
    let posts = forward.without(scene.pawns.reach[(!color).index()]);
    let supported = scene.by(color, Kind::Pawn);
    for (first, kind) in [(0, Kind::Knight), (2, Kind::Bishop)] {
        let there = position.of(color, kind) & posts;
        tally.add(terms::OUTPOST, first, there.without(supported).count() as i32);
        tally.add(terms::OUTPOST, first + 1, (there & supported).count() as i32);
    }
    let minors = position.kind(Kind::Knight) | position.kind(Kind::Bishop);
    let shielded = minors & position.color(color) & position.kind(Kind::Pawn).forward(!color);
    tally.add(terms::SHIELDED_MINOR, 0, shielded.count() as i32);
    for bishop in position.of(color, Kind::Bishop) {
        let shade = if Bitboard::DARK.contains(bishop) { Bitboard::DARK } else { !Bitboard::DARK };
        tally.add(terms::BISHOP_PAWNS, (pawns & shade).count(), 1);
    }
}

fn rooks<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    let (closed, contested) = (scene.pawns.files[color.index()], scene.pawns.files[(!color).index()]);
    let rooks = scene.position.of(color, Kind::Rook).without(closed);
    tally.add(terms::ROOK_FILE, 0, (rooks & contested).count() as i32);
    tally.add(terms::ROOK_FILE, 1, rooks.without(contested).count() as i32);
}

/// What one side attacks to its profit.
pub(super) fn threats<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    let (position, enemy) = (scene.position, !color);
    let prey = position.color(enemy);
    let minors = scene.by(color, Kind::Knight) | scene.by(color, Kind::Bishop);
    let undefended = !scene.attacked[enemy.index()];
    let weak = undefended | scene.twice[color.index()].without(scene.twice[enemy.index()]);
    let loose = weak.without(scene.by(enemy, Kind::Pawn));
    for kind in &Kind::ALL[..5] {
        let victims = prey & position.kind(*kind);
        let sure = *kind >= Kind::Rook;
        let by_pawn = victims & scene.by(color, Kind::Pawn);
        tally.add(terms::PAWN_THREAT, kind.index(), by_pawn.count() as i32);
        let by_minor = victims & minors & if sure { Bitboard::ALL } else { loose };
        tally.add(terms::MINOR_THREAT, kind.index(), by_minor.count() as i32);
        let sure = *kind == Kind::Queen;
        let by_rook = victims & scene.by(color, Kind::Rook) & if sure { Bitboard::ALL } else { loose };
        tally.add(terms::ROOK_THREAT, kind.index(), by_rook.count() as i32);
    }
    let by_king = prey & undefended & attacks::king(position.king(color));
    tally.add(terms::KING_THREAT, 0, by_king.count() as i32);
    let pieces = prey.without(position.kind(Kind::Pawn));
    let hanging = prey & undefended & scene.attacked[color.index()];
    tally.add(terms::HANGING, 0, hanging.count() as i32);
    let safe = !scene.occupied & (!scene.attacked[enemy.index()] | scene.attacked[color.index()]);
    let safe = safe.without(scene.by(enemy, Kind::Pawn));
    let step = position.of(color, Kind::Pawn).forward(color) & safe;
    let second = Bitboard::relative_rank(color, 2);
    let steps = step | (step & second).forward(color) & safe;
    tally.add(terms::PUSH_THREAT, 0, (steps.pawn_attacks(color) & pieces).count() as i32);
    space(scene, color, tally);
}

fn space<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    const CENTRE: u64 = 0x3c3c_3c3c_3c3c_3c3c;
    let ranks = Bitboard::relative_rank(color, 1)
        | Bitboard::relative_rank(color, 2)
        | Bitboard::relative_rank(color, 3);
    let pawns = scene.position.of(color, Kind::Pawn);
    let safe = (Bitboard(CENTRE) & ranks).without(pawns | scene.by(!color, Kind::Pawn));
    tally.add(terms::SPACE, 0, safe.count() as i32);
}
