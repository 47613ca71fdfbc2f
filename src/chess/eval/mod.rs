//! The evaluation: terms counted for each side, weighted for the middlegame
//! and the endgame, and mixed by the material that is left.
//!
//! The same code counts and weighs: a [`Tally`] is told of each term, and
//! either adds its weight ([`Sum`]) or notes it for tuning ([`Trace`]).

mod endgame;
mod king;
mod pawns;
mod pieces;
mod scene;
pub mod terms;
pub mod weights;

use super::position::Position;
use super::types::{Color, Kind, Square};
use pawns::PawnTable;
use scene::Scene;
use terms::Group;
use weights::WEIGHTS;

/// Full material, for the mix of middlegame and endgame.
pub const FULL_PHASE: i32 = 24;
/// The scale of an endgame that is neither drawish nor the like.
pub const FULL_SCALE: i32 = 64;

/// A weight: the endgame's in the upper half, the middlegame's in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight(pub i32);

impl Weight {
    /// From both parts, in hundredths of a pawn.
    #[must_use]
    pub const fn new(middlegame: i32, endgame: i32) -> Weight {
        Weight((endgame << 16) + middlegame)
    }

    /// The middlegame part.
    #[must_use]
    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame part.
    #[must_use]
    #[inline]
    pub const fn endgame(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

/// Is told of the terms of one side.
pub trait Tally: Default {
    /// Counts term `index` of a group `count` times.
    fn add(&mut self, group: Group, index: usize, count: i32);

    /// Counts a piece and its place.
    #[inline]
    fn piece(&mut self, color: Color, kind: Kind, square: Square) {
        if kind != Kind::King {
            self.add(terms::MATERIAL, kind.index(), 1);
        }
        self.add(terms::PLACE, place(color, kind, square), 1);
    }
}

/// The place of a piece as the tables have it: ranks from its own side, files
/// folded in the middle.
const fn place(color: Color, kind: Kind, square: Square) -> usize {
    let (file, rank) = (square.file(), square.relative(color).rank());
    kind.index() * 32 + rank * 4 + if file < 4 { file } else { 7 - file }
}

/// The weights of a piece and its place in one, by colour and kind.
static PLACED: [[[i32; 64]; 6]; 2] = [placed(Color::White), placed(Color::Black)];

const fn placed(color: Color) -> [[i32; 64]; 6] {
    let mut table = [[0; 64]; 6];
    let mut at = 0;
    while at < 6 * 64 {
        let (kind, square) = (Kind::ALL[at / 64], Square::from_index(at % 64));
        let material =
            if at / 64 < terms::MATERIAL.len { WEIGHTS[terms::MATERIAL.first + at / 64].0 } else { 0 };
        table[at / 64][at % 64] = material + WEIGHTS[terms::PLACE.first + place(color, kind, square)].0;
        at += 1;
    }
    table
}

/// Adds up the weights.
#[derive(Default)]
pub struct Sum(i32);

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, group: Group, index: usize, count: i32) {
        debug_assert!(index < group.len);
        self.0 += WEIGHTS[group.first + index].0 * count;
    }

    #[inline(always)]
    fn piece(&mut self, color: Color, kind: Kind, square: Square) {
        self.0 += PLACED[color.index()][kind.index()][square.index()];
    }
}

/// Notes every term with its count.
#[derive(Default)]
pub struct Trace(pub Vec<(u16, i8)>);

impl Tally for Trace {
    fn add(&mut self, group: Group, index: usize, count: i32) {
        debug_assert!(index < group.len);
        if count != 0 {
            self.0.push(((group.first + index) as u16, count as i8));
        }
    }
}

/// Middlegame material left: 24 at the start, 0 with kings and pawns only.
#[must_use]
#[inline]
pub fn phase(position: &Position) -> i32 {
    let count = |kind| position.kind(kind).count() as i32;
    let phase = count(Kind::Knight) + count(Kind::Bishop) + 2 * count(Kind::Rook) + 4 * count(Kind::Queen);
    phase.min(FULL_PHASE)
}

/// Evaluates positions; keeps what it found out about pawns.
pub struct Evaluator {
    pawns: PawnTable,
}

impl Default for Evaluator {
    fn default() -> Self {
        Evaluator { pawns: PawnTable::new() }
    }
}

impl Evaluator {
    /// The value of a position for the side to move, in hundredths of a pawn.
    #[must_use]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let (pawn_score, structure) = self.pawns.probe(position);
        let mut scene = Scene::new(position, structure);
        let sums = count_all::<Sum>(&mut scene);
        let total = Weight(pawn_score + sums[0].0 - sums[1].0);
        finish(position, total.middlegame(), total.endgame())
    }
}

/// Counts every term but those of the pawn structure, White's and Black's.
fn count_all<T: Tally>(scene: &mut Scene) -> [T; 2] {
    let mut sides = [T::default(), T::default()];
    for color in Color::ALL {
        pieces::pieces(scene, color, &mut sides[color.index()]);
    }
    for color in Color::ALL {
        let tally = &mut sides[color.index()];
        pieces::threats(scene, color, tally);
        king::attack(scene, color, tally);
        king::shelter(scene, color, tally);
        pawns::passed(scene, color, tally);
    }
    sides[scene.position.side().index()].add(terms::TEMPO, 0, 1);
    sides
}

/// The terms of both sides with their counts, for tuning.
#[must_use]
pub fn trace(position: &Position) -> [Trace; 2] {
    let (structure, pawns) = pawns::structure::<Trace>(position);
    let mut sides = count_all::<Trace>(&mut Scene::new(position, structure));
    for (side, pawns) in sides.iter_mut().zip(pawns) {
        side.0.extend(pawns.0);
    }
    sides
}

/// Mixes both parts, given from White's view, into the value for the side to
/// move.
fn finish(position: &Position, middlegame: i32, endgame: i32) -> i32 {
    let phase = phase(position);
    let endgame = endgame * endgame::scale(position, endgame) / FULL_SCALE;
    let mixed = (middlegame * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE;
    let fading = mixed * (220 - i32::from(position.halfmoves().min(100))) / 220;
    let white = fading + endgame::drive_to_corner(position);
    if position.side() == Color::White { white } else { -white }
}

/// How much of its endgame part a position keeps, of [`FULL_SCALE`].
#[must_use]
pub fn endgame_scale(position: &Position, endgame: i32) -> i32 {
    endgame::scale(position, endgame)
}
