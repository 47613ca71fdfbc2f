//! Pawns: their structure, kept in a table by the pawns' key, and passed
//! pawns, which depend on the pieces too.

use super::scene::Scene;
use super::{Sum, Tally, terms};
use crate::chess::attacks;
use crate::chess::bitboard::Bitboard;
use crate::chess::position::Position;
use crate::chess::types::{Color, Kind, Square};
use crate::shared::hash::Key;

const ENTRIES: usize = 1 << 12;

/// What the pieces need to know of the pawns, each for White's and Black's.
#[derive(Clone, Copy, Default)]
pub(super) struct Structure {
    /// Pawns that no enemy pawn can stop.
    pub passed: [Bitboard; 2],
    /// Squares that pawns attack or will attack on their way.
    pub reach: [Bitboard; 2],
    /// The files with pawns.
    pub files: [Bitboard; 2],
}

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Entry {
    key: Key,
    score: i32,
    structure: Structure,
}

const _: () = assert!(size_of::<Entry>() == 64);

/// What was found out about pawn structures.
pub(super) struct PawnTable(Box<[Entry]>);

impl PawnTable {
    pub fn new() -> PawnTable {
        PawnTable(vec![Entry::default(); ENTRIES].into())
    }

    /// White's score less Black's, both weights in one, and the structure.
    #[inline]
    pub fn probe(&mut self, position: &Position) -> (i32, Structure) {
        let key = position.pawn_key();
        let entry = &mut self.0[key as usize % ENTRIES];
        // The default entry is right for the key of no pawns, 0.
        if entry.key != key {
            let (structure, sums) = structure::<Sum>(position);
            *entry = Entry { key, score: sums[0].0 - sums[1].0, structure };
        }
        (entry.score, entry.structure)
    }
}

/// Counts the pawns of both sides.
pub(super) fn structure<T: Tally>(position: &Position) -> (Structure, [T; 2]) {
    let mut tallies = [T::default(), T::default()];
    let passed = Color::ALL.map(|color| side(position, color, &mut tallies[color.index()]));
    let reach = Color::ALL.map(|color| {
        let ahead = position.of(color, Kind::Pawn).front_span(color);
        ahead.west() | ahead.east()
    });
    let files = Color::ALL.map(|color| position.of(color, Kind::Pawn).files());
    (Structure { passed, reach, files }, tallies)
}

/// Counts the pawns of one side; returns those that are passed.
fn side<T: Tally>(position: &Position, color: Color, tally: &mut T) -> Bitboard {
    let own = position.of(color, Kind::Pawn);
    let enemy = position.of(!color, Kind::Pawn);
    let mut passed = Bitboard::EMPTY;
    for pawn in own {
        tally.piece(color, Kind::Pawn, pawn);
        if is_passed(color, pawn, own, enemy) {
            passed |= pawn.into();
        }
        bonds(color, pawn, own, enemy, tally);
    }
    passed
}

#[inline]
fn is_passed(color: Color, pawn: Square, own: Bitboard, enemy: Bitboard) -> bool {
    let ahead = Bitboard::from(pawn).front_span(color);
    let lanes = ahead | ahead.west() | ahead.east();
    (lanes & enemy).is_empty() && (ahead & own).is_empty()
}

/// How a pawn stands to those of its own side.
#[inline]
fn bonds<T: Tally>(color: Color, pawn: Square, own: Bitboard, enemy: Bitboard, tally: &mut T) {
    let here = Bitboard::from(pawn);
    let rank = pawn.relative(color).rank();
    let ahead = here.front_span(color);
    let beside = here.west() | here.east();
    let half_open = usize::from((ahead & enemy).is_empty());
    let support = attacks::pawn(!color, pawn) & own;
    let connected = support.any() || (beside & own).any();
    if (ahead & own).any() {
        tally.add(terms::DOUBLED, 0, 1);
    }
    if (beside & own).any() {
        tally.add(terms::PHALANX, rank, 1);
    }
    if support.any() {
        tally.add(terms::SUPPORTED, rank, support.count() as i32);
    }
    if (beside.files() & own).is_empty() {
        tally.add(terms::ISOLATED, half_open, 1);
    } else if !connected {
        let behind = beside.front_span(!color) & own;
        let stop = pawn.forward(color);
        if behind.is_empty() && (attacks::pawn(color, stop) & enemy).any() {
            tally.add(terms::BACKWARD, half_open, 1);
        }
    }
}

/// Counts what the pieces mean for one side's passed pawns.
pub(super) fn passed<T: Tally>(scene: &Scene, color: Color, tally: &mut T) {
    let (position, enemy) = (scene.position, !color);
    for pawn in scene.pawns.passed[color.index()] {
        let rank = pawn.relative(color).rank();
        tally.add(terms::PASSED, rank, 1);
        let stop = pawn.forward(color);
        if scene.occupied.contains(stop) {
            tally.add(terms::PASSED_BLOCKED, rank, 1);
        }
        if !scene.attacked[enemy.index()].contains(stop) {
            tally.add(terms::PASSED_SAFE, rank, 1);
        }
        if rank >= 3 {
            let weight = rank as i32 - 2;
            tally.add(terms::PASSED_OWN_KING, position.king(color).distance(stop), weight);
            tally.add(terms::PASSED_ENEMY_KING, position.king(enemy).distance(stop), weight);
        }
        let behind = Bitboard::from(pawn).front_span(enemy);
        if (behind & position.of(color, Kind::Rook)).any() {
            tally.add(terms::PASSED_ROOK, 0, 1);
        }
    }
}
