//! Counts of move sequences, to compare with published ones.

use super::board::Board;
use super::color::Color;
use super::geometry::Geometry;
use super::rules::KoRule;
use super::zobrist;
use crate::shared::hash::Key;

/// Counts the sequences of `depth` moves without passes from a position whose
/// history is that position alone.
#[must_use]
pub fn perft<G: Geometry>(board: &Board<G>, to_move: Color, depth: u32, ko: KoRule, suicide: bool) -> u64 {
    let mut perft = Perft { ko, suicide, history: Vec::new() };
    perft.history.push(perft.repetition_key(board.key(), to_move));
    perft.count(board, to_move, depth)
}

struct Perft {
    ko: KoRule,
    suicide: bool,
    history: Vec<Key>,
}

impl Perft {
    /// What may not occur twice: the stones, and under situational superko the
    /// player to move.
    fn repetition_key(&self, stones: Key, to_move: Color) -> Key {
        match self.ko {
            KoRule::SituationalSuperko => stones ^ zobrist::side_key(to_move),
            KoRule::Simple | KoRule::PositionalSuperko => stones,
        }
    }

    fn count<G: Geometry>(&mut self, board: &Board<G>, color: Color, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut total = 0;
        let suicide = self.suicide;
        for point in board.points().filter(|&point| board.is_legal(point, color, suicide)) {
            let key = self.repetition_key(board.resulting_key(point, color), color.opponent());
            if self.ko != KoRule::Simple && self.history.contains(&key) {
                continue;
            }
            let mut next = board.clone();
            next.play(point, color);
            self.history.push(key);
            total += self.count(&next, color.opponent(), depth - 1);
            self.history.pop();
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::{G9, G19, G25};

    /// Perft from the empty board, depth 1 on.
    fn counts<G: Geometry>(size: (u8, u8), ko: KoRule, suicide: bool, depths: u32) -> Vec<u64> {
        let board = Board::<G>::new(Size::new(size.0, size.1).unwrap());
        (1..=depths).map(|depth| perft(&board, Color::Black, depth, ko, suicide)).collect()
    }

    #[test]
    fn small_boards_match_published_counts() {
        use KoRule::{PositionalSuperko, Simple, SituationalSuperko};
        assert_eq!(counts::<G9>((2, 2), Simple, false, 7), [4, 12, 24, 16, 32, 32, 32]);
        for superko in [PositionalSuperko, SituationalSuperko] {
            assert_eq!(counts::<G9>((2, 2), superko, false, 7), [4, 12, 24, 16, 32, 32, 16]);
        }
        assert_eq!(counts::<G9>((2, 3), Simple, false, 6), [6, 30, 120, 336, 616, 664]);
        assert_eq!(counts::<G9>((3, 2), Simple, true, 6), [6, 30, 120, 344, 728, 1184]);
        assert_eq!(counts::<G9>((3, 3), Simple, false, 6), [9, 72, 504, 2976, 14720, 56176]);
        assert_eq!(counts::<G9>((3, 3), Simple, true, 6)[5], 57040);
        assert_eq!(counts::<G19>((4, 4), Simple, false, 4), [16, 240, 3360, 43576]);
        assert_eq!(counts::<G25>((5, 5), Simple, false, 3), [25, 600, 13800]);
        assert_eq!(counts::<G9>((9, 9), Simple, false, 2), [81, 6480]);
    }

    /// The number of ways to fill a board that leave every chain a liberty.
    fn legal_positions(width: u8, height: u8) -> usize {
        let size = Size::new(width, height).unwrap();
        let coords: Vec<Coord> = size.coords().collect();
        let colors = [None, Some(Color::Black), Some(Color::White)];
        let stones = |mut code: usize| {
            let mut stones = Vec::new();
            for &coord in &coords {
                stones.extend(colors[code % 3].map(|color| (coord, color)));
                code /= 3;
            }
            stones
        };
        let all = 3usize.pow(coords.len() as u32);
        (0..all).filter(|&code| Board::<G9>::from_stones(size, stones(code)).is_some()).count()
    }

    #[test]
    fn legal_positions_match_published_counts() {
        // Tromp and Farnebaeck 2007, "Combinatorics of Go".
        assert_eq!(legal_positions(2, 2), 57);
        assert_eq!(legal_positions(2, 3), 489);
        assert_eq!(legal_positions(3, 2), 489);
        assert_eq!(legal_positions(3, 3), 12_675);
    }
}
