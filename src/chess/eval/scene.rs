//! What all parts of the evaluation look at: attacked squares above all.

use super::pawns::Structure;
use crate::chess::attacks::{self, Sliders};
use crate::chess::bitboard::Bitboard;
use crate::chess::position::Position;
use crate::chess::types::{Color, Kind};

/// A position with the attacks found so far.
pub(super) struct Scene<'a> {
    pub position: &'a Position,
    pub sliders: Sliders,
    pub occupied: Bitboard,
    pub pawns: Structure,
    /// Attacked squares by side and kind.
    pub by: [[Bitboard; 6]; 2],
    /// Squares attacked by any piece of a side.
    pub attacked: [Bitboard; 2],
    /// Squares attacked at least twice by a side.
    pub twice: [Bitboard; 2],
    /// Squares around each side's king.
    pub ring: [Bitboard; 2],
    /// Where mobility of a side counts.
    pub free: [Bitboard; 2],
    /// Units of attack of a side against the enemy king.
    pub danger: [i32; 2],
}

impl<'a> Scene<'a> {
    #[inline]
    pub fn new(position: &'a Position, pawns: Structure) -> Scene<'a> {
        let mut scene = Scene {
            position,
            sliders: Sliders::get(),
            occupied: position.occupied(),
            pawns,
            by: [[Bitboard::EMPTY; 6]; 2],
            attacked: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            free: [Bitboard::EMPTY; 2],
            danger: [0; 2],
        };
        Color::ALL.into_iter().for_each(|color| scene.start(color));
        Color::ALL.into_iter().for_each(|color| scene.set_free(color));
        scene
    }

    /// Pawns and kings, whose attacks everything else needs.
    #[inline]
    fn start(&mut self, color: Color) {
        let king = self.position.king(color);
        let around = attacks::king(king);
        self.ring[color.index()] = around | Bitboard::from(king) | around.forward(color);
        let pawns = self.position.of(color, Kind::Pawn).pawn_attacks(color);
        self.add(color, Kind::Pawn, pawns);
        self.add(color, Kind::King, around);
    }

    #[inline]
    fn set_free(&mut self, color: Color) {
        let position = self.position;
        let pawns = position.of(color, Kind::Pawn);
        let stuck = pawns & (self.occupied.forward(!color) | Bitboard::relative_rank(color, 1));
        let king = Bitboard::from(position.king(color));
        self.free[color.index()] = !(stuck | king | self.by[(!color).index()][Kind::Pawn.index()]);
    }

    /// Notes what one piece (or all pawns) attacks.
    #[inline]
    pub fn add(&mut self, color: Color, kind: Kind, attacks: Bitboard) {
        let side = color.index();
        self.twice[side] |= self.attacked[side] & attacks;
        self.attacked[side] |= attacks;
        self.by[side][kind.index()] |= attacks;
    }

    #[inline]
    pub fn by(&self, color: Color, kind: Kind) -> Bitboard {
        self.by[color.index()][kind.index()]
    }
}
