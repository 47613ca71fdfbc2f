//! The fast board against the slow one, on random games.

use std::collections::HashSet;

use proptest::prelude::*;

use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::coord::{Coord, Size};
use super::geometry::{G9, G13, G19, G25, Geometry};
use super::naive::NaiveBoard;
use crate::shared::rng::Rng;

/// A game between players who move anywhere legal, half the time next to the
/// last move, so that fights, captures and kos abound. Everything is compared
/// after every move; every possible move before a few.
struct TwinGame<G: Geometry> {
    fast: Board<G>,
    slow: NaiveBoard,
    size: Size,
    suicide: bool,
    rng: Rng,
}

impl<G: Geometry> TwinGame<G> {
    fn new(size: Size, suicide: bool, seed: u64) -> Self {
        let (fast, slow) = (Board::new(size), NaiveBoard::new(size));
        TwinGame { fast, slow, size, suicide, rng: Rng::new(seed, 0) }
    }

    fn run(&mut self, moves: usize) {
        let mut color = Color::Black;
        for ply in 0..moves {
            if ply % 8 == 0 {
                self.compare_moves(color);
            }
            self.turn(color);
            self.compare_position();
            if self.rng.below(16) != 0 {
                color = color.opponent();
            }
        }
    }

    fn turn(&mut self, color: Color) {
        let coords: Vec<Coord> = self.size.coords().collect();
        for _ in 0..20 {
            let near = self.fast.last_move().map(|point| self.fast.coord(point));
            let coord = match near {
                Some(last) if self.rng.below(2) == 0 => {
                    let choices: Vec<Coord> = self.size.neighbors(last).collect();
                    choices[self.rng.below(choices.len())]
                }
                _ => coords[self.rng.below(coords.len())],
            };
            if self.try_move(coord, color) {
                return;
            }
        }
        self.fast.pass(color);
        self.slow.pass();
    }

    fn try_move(&mut self, coord: Coord, color: Color) -> bool {
        let point = self.fast.point(coord);
        let legal = self.fast.is_legal(point, color, self.suicide);
        assert_eq!(self.slow.play(coord, color, self.suicide), legal, "{color} {coord}");
        if legal {
            let key = self.fast.resulting_key(point, color);
            let liberties = self.fast.liberties_after(point, color);
            self.fast.play(point, color);
            assert_eq!(self.fast.key(), key, "the key was foretold");
            if !self.fast.is_empty(point) {
                assert_eq!(self.fast.liberties(point), liberties, "so were the liberties");
            }
        }
        legal
    }

    fn compare_moves(&self, color: Color) {
        for coord in self.size.coords() {
            let mut slow = self.slow.clone();
            let legal = slow.play(coord, color, self.suicide);
            assert_eq!(self.fast.is_legal(self.fast.point(coord), color, self.suicide), legal, "{coord}");
            if legal {
                let point = self.fast.point(coord);
                assert_eq!(self.fast.resulting_key(point, color), slow.key());
                let taken = slow.captured(color) - self.slow.captured(color);
                assert_eq!(self.fast.captures(point, color).count(), taken);
                assert_eq!(self.fast.would_capture(point, color), taken > 0);
            }
        }
    }

    fn compare_position(&self) {
        let coords = |set: G::Bits| set.iter().map(|point| self.fast.coord(point)).collect::<HashSet<_>>();
        for coord in self.size.coords() {
            let point = self.fast.point(coord);
            assert_eq!(self.fast.color_at(point), self.slow.color_at(coord));
            if !self.fast.is_empty(point) {
                assert_eq!(coords(self.fast.liberties(point)), self.slow.liberties(coord));
                let chain: HashSet<_> = self.fast.chain(point).map(|p| self.fast.coord(p)).collect();
                assert_eq!(chain, self.slow.region(coord).0);
                assert_eq!(self.fast.in_atari(point), self.slow.liberties(coord).len() == 1);
            }
        }
        assert_eq!(self.fast.key(), self.slow.key());
        assert_eq!(self.fast.ko_point().map(|point| self.fast.coord(point)), self.slow.ko());
        assert_eq!(self.fast.area_score(), self.slow.area_score());
        for color in Color::BOTH {
            assert_eq!(self.fast.captured(color), self.slow.captured(color));
        }
    }
}

fn twin_game(width: u8, height: u8, suicide: bool, seed: u64) {
    let size = Size::new(width, height).unwrap();
    let moves = (4 * size.points()).min(240);
    match size.longer_side() {
        ..=9 => TwinGame::<G9>::new(size, suicide, seed).run(moves),
        10..=13 => TwinGame::<G13>::new(size, suicide, seed).run(moves),
        14..=19 => TwinGame::<G19>::new(size, suicide, seed).run(moves),
        _ => TwinGame::<G25>::new(size, suicide, seed).run(moves),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn small_boards_agree(w in 2u8..=6, h in 2u8..=6, suicide: bool, seed: u64) {
        twin_game(w, h, suicide, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn boards_of_all_sizes_agree(w in 2u8..=25, h in 2u8..=25, suicide: bool, seed: u64) {
        twin_game(w, h, suicide, seed);
    }
}
