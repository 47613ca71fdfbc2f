//! The planes against a slow, plain reading of their definitions, on random
//! games.

use proptest::prelude::*;

use super::features::{PLANES, extract, place, plane, reading_order};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::geometry::{G9, G13, G19, G25, Geometry, Point};
use crate::go::naive::NaiveBoard;
use crate::playout::reading::Reader;
use crate::shared::rng::Rng;

/// A game between players who move at random, half the time near the last
/// move.
struct Twin<G: Geometry> {
    fast: Board<G>,
    slow: NaiveBoard,
    /// Latest last.
    moves: Vec<Option<Coord>>,
    to_move: Color,
    rng: Rng,
}

impl<G: Geometry> Twin<G> {
    fn new(size: Size, seed: u64) -> Self {
        Twin {
            fast: Board::new(size),
            slow: NaiveBoard::new(size),
            moves: Vec::new(),
            to_move: Color::Black,
            rng: Rng::new(seed, 0),
        }
    }

    fn run(&mut self, moves: usize) {
        for ply in 0..moves {
            self.turn();
            if ply % 5 == 0 || self.fast.ko_point().is_some() {
                self.compare();
            }
        }
    }

    fn turn(&mut self) {
        let size = self.fast.size();
        let near = self.moves.last().copied().flatten();
        let chosen = (0..20).find_map(|_| {
            let spots: Vec<Coord> = match near {
                Some(last) if self.rng.below(2) == 0 => size.neighbors(last).collect(),
                _ => size.coords().collect(),
            };
            let coord = spots[self.rng.below(spots.len())];
            self.fast.is_legal(self.fast.point(coord), self.to_move, false).then_some(coord)
        });
        match chosen.filter(|_| self.rng.below(30) != 0) {
            Some(coord) => {
                self.fast.play(self.fast.point(coord), self.to_move);
                assert!(self.slow.play(coord, self.to_move, false));
                self.moves.push(Some(coord));
            }
            None => {
                self.fast.pass(self.to_move);
                self.slow.pass();
                self.moves.push(None);
            }
        }
        self.to_move = self.to_move.opponent();
    }

    fn compare(&self) {
        let size = self.fast.size();
        let last: Vec<Option<Point>> =
            self.moves.iter().rev().map(|mv| mv.map(|coord| self.fast.point(coord))).collect();
        let mut out = vec![7; size.points() * PLANES];
        extract(&self.fast, self.to_move, &last, &mut out);
        for (coord, cell) in reading_order(size).zip(out.chunks(PLANES)) {
            let expected = self.cell(coord);
            let differing = (0..PLANES).find(|&i| cell[i] != u8::from(expected[i]));
            assert_eq!(differing, None, "plane at {coord}, {} to move", self.to_move);
        }
    }

    /// The planes of a point, each from its definition.
    fn cell(&self, coord: Coord) -> [bool; PLANES] {
        let (own, enemy) = (self.to_move, self.to_move.opponent());
        let size = self.fast.size();
        let mut cell = [false; PLANES];
        cell[plane::ON_BOARD] = true;
        cell[plane::BLACK] = own == Color::Black;
        let from_edge =
            [coord.x, coord.y, size.width() - 1 - coord.x, size.height() - 1 - coord.y].into_iter().min();
        for line in 0..3 {
            cell[plane::LINE + usize::from(line)] = from_edge == Some(line);
        }
        for (age, mv) in self.moves.iter().rev().take(5).enumerate() {
            cell[plane::HISTORY + age] = *mv == Some(coord);
        }
        if let Some(color) = self.slow.color_at(coord) {
            let group = if color == own { plane::OWN } else { plane::ENEMY };
            cell[group + self.slow.liberties(coord).len().min(4) - 1] = true;
            return cell;
        }
        match self.after(coord, own) {
            None => cell[plane::ILLEGAL] = true,
            Some((liberties, taken)) => {
                for n in 1..=3 {
                    cell[plane::LIBERTIES_AFTER + n - 1] = liberties == n;
                }
                cell[plane::CAPTURES] = taken == 1;
                cell[plane::CAPTURES + 1] = taken > 1;
            }
        }
        cell[plane::ENEMY_SELF_ATARI] = self.after(coord, enemy).is_some_and(|(liberties, _)| liberties == 1);
        cell[plane::EYE] = self.is_eye(coord, own);
        cell[plane::EYE + 1] = self.is_eye(coord, enemy);
        self.ladders(coord, &mut cell);
        cell
    }

    /// The liberties of the new chain and the stones taken, if the move is
    /// legal.
    fn after(&self, coord: Coord, color: Color) -> Option<(usize, u32)> {
        let mut next = self.slow.clone();
        let legal = next.play(coord, color, false);
        legal.then(|| (next.liberties(coord).len(), next.captured(color) - self.slow.captured(color)))
    }

    /// All sides own, and at most one corner the enemy's, none at the edge.
    fn is_eye(&self, coord: Coord, color: Color) -> bool {
        let size = self.fast.size();
        let closed = size.neighbors(coord).all(|near| self.slow.color_at(near) == Some(color));
        let corners: Vec<Coord> = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
            .into_iter()
            .map(|(dx, dy)| Coord { x: coord.x.wrapping_add_signed(dx), y: coord.y.wrapping_add_signed(dy) })
            .filter(|&corner| size.contains(corner))
            .collect();
        let taken = corners.iter().filter(|&&c| self.slow.color_at(c) == Some(color.opponent())).count();
        closed && taken <= usize::from(corners.len() == 4)
    }

    /// Ladders are read by the reader, which has its own tests; where they are
    /// to be read is found by flood fill.
    fn ladders(&self, coord: Coord, cell: &mut [bool; PLANES]) {
        let point = self.fast.point(coord);
        let mut reader = Reader::new();
        for near in self.fast.size().neighbors(coord) {
            let Some(color) = self.slow.color_at(near) else { continue };
            let stone = self.fast.point(near);
            match self.slow.liberties(near).len() {
                1 if color == self.to_move && self.after(coord, color).is_some() => {
                    let lost = reader.fails(&self.fast, stone, point);
                    cell[if lost { plane::LOST_ESCAPE } else { plane::ESCAPE }] = true;
                }
                2 if color != self.to_move => cell[plane::LADDER] |= reader.works(&self.fast, stone, point),
                _ => {}
            }
        }
    }
}

fn twin(width: u8, height: u8, seed: u64) {
    let size = Size::new(width, height).unwrap();
    let moves = (2 * size.points()).min(300);
    match size.longer_side() {
        ..=9 => Twin::<G9>::new(size, seed).run(moves),
        10..=13 => Twin::<G13>::new(size, seed).run(moves),
        14..=19 => Twin::<G19>::new(size, seed).run(moves),
        _ => Twin::<G25>::new(size, seed).run(moves),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn small_boards_agree(w in 2u8..=9, h in 2u8..=9, seed: u64) {
        twin(w, h, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn boards_of_all_sizes_agree(w in 10u8..=25, h in 10u8..=25, seed: u64) {
        twin(w, h, seed);
    }
}

#[test]
fn points_come_from_the_top_left() {
    let size = Size::new(3, 2).unwrap();
    let order: Vec<String> = reading_order(size).map(|coord| coord.to_string()).collect();
    assert_eq!(order, ["A2", "B2", "C2", "A1", "B1", "C1"]);
    assert!(reading_order(size).enumerate().all(|(at, coord)| place(size, coord) == at));
}

#[test]
fn a_working_ladder_and_an_escape_are_seen() {
    let stones =
        [((3, 3), Color::White), ((2, 3), Color::Black), ((3, 2), Color::Black), ((2, 4), Color::Black)];
    let mut board = Board::<G19>::new(Size::square(19).unwrap());
    for ((x, y), color) in stones {
        assert!(board.place(board.point(Coord { x, y }), color));
    }
    let planes_at = |board: &Board<G19>, to_move, (x, y)| {
        let mut out = vec![0; 361 * PLANES];
        extract(board, to_move, &[], &mut out);
        let at = place(board.size(), Coord { x, y });
        out[at * PLANES..][..PLANES].to_vec()
    };
    assert_eq!(planes_at(&board, Color::Black, (4, 3))[plane::LADDER], 1);
    assert_eq!(planes_at(&board, Color::White, (4, 3))[plane::LADDER], 0);
    assert!(board.place(board.point(Coord { x: 4, y: 3 }), Color::Black));
    assert_eq!(planes_at(&board, Color::White, (3, 4))[plane::LOST_ESCAPE], 1);
    assert!(board.place(board.point(Coord { x: 14, y: 14 }), Color::White));
    assert_eq!(planes_at(&board, Color::White, (3, 4))[plane::ESCAPE], 1);
}
