//! The symmetries of the board: eight of a square, four of a rectangle.

use super::color::Color;
use super::coord::{Coord, Size};
use super::zobrist::{side_key, stone_key};
use crate::shared::hash::Key;

/// One way to turn or mirror a board onto itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

const MIRROR_X: u8 = 1;
const MIRROR_Y: u8 = 2;
const TRANSPOSE: u8 = 4;

impl Symmetry {
    /// The most that a board has.
    pub const MOST: usize = 8;
    /// Leaves everything in its place.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All symmetries of a board of `size`, the identity first.
    pub fn all(size: Size) -> impl Iterator<Item = Symmetry> + Clone {
        (0..if size.is_square() { 8 } else { 4 }).map(Symmetry)
    }

    /// Where `coord` goes on a board of `size`. The axes are exchanged last.
    #[must_use]
    pub const fn apply(self, size: Size, coord: Coord) -> Coord {
        let x = if self.0 & MIRROR_X == 0 { coord.x } else { size.width() - 1 - coord.x };
        let y = if self.0 & MIRROR_Y == 0 { coord.y } else { size.height() - 1 - coord.y };
        if self.0 & TRANSPOSE == 0 { Coord { x, y } } else { Coord { x: y, y: x } }
    }

    /// What leads back.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        // Exchanged axes exchange the mirrors as well.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            other => Symmetry(other),
        }
    }
}

/// The keys of one position under every symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymmetricKeys {
    size: Size,
    keys: [Key; Symmetry::MOST],
}

impl SymmetricKeys {
    /// The keys of these stones with `to_move` to move.
    #[must_use]
    pub fn new(size: Size, stones: impl Iterator<Item = (Coord, Color)>, to_move: Color) -> Self {
        let mut keys = SymmetricKeys { size, keys: [side_key(to_move); Symmetry::MOST] };
        stones.for_each(|(coord, color)| keys.toggle_stone(coord, color));
        keys
    }

    /// Puts a stone on an empty point, or takes it off.
    pub fn toggle_stone(&mut self, coord: Coord, color: Color) {
        for symmetry in Symmetry::all(self.size) {
            self.keys[usize::from(symmetry.0)] ^= stone_key(symmetry.apply(self.size, coord), color);
        }
    }

    /// Gives the turn to the other player.
    pub fn toggle_turn(&mut self) {
        let change = side_key(Color::Black) ^ side_key(Color::White);
        self.keys.iter_mut().for_each(|key| *key ^= change);
    }

    /// The smallest key, the same for all positions that are mirror images of
    /// each other, and the symmetry that leads to it.
    #[must_use]
    pub fn smallest(&self) -> (Key, Symmetry) {
        let all = Symmetry::all(self.size).map(|symmetry| (self.keys[usize::from(symmetry.0)], symmetry));
        all.min_by_key(|&(key, _)| key).unwrap_or((self.keys[0], Symmetry::IDENTITY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn sizes() -> [Size; 3] {
        [Size::square(9).unwrap(), Size::new(5, 9).unwrap(), Size::new(9, 4).unwrap()]
    }

    #[test]
    fn symmetries_permute_the_board_and_lead_back() {
        for size in sizes() {
            for symmetry in Symmetry::all(size) {
                let images: HashSet<Coord> = size.coords().map(|c| symmetry.apply(size, c)).collect();
                assert_eq!(images.len(), size.points());
                assert!(images.iter().all(|&c| size.contains(c)));
                for coord in size.coords() {
                    let there = symmetry.apply(size, coord);
                    assert_eq!(symmetry.inverse().apply(size, there), coord, "{symmetry:?}");
                }
            }
        }
    }

    #[test]
    fn mirror_images_share_the_smallest_key_and_others_do_not() {
        for size in sizes() {
            let stones = [(Coord { x: 2, y: 1 }, Color::Black), (Coord { x: 3, y: 3 }, Color::White)];
            let keys = SymmetricKeys::new(size, stones.into_iter(), Color::Black);
            let (smallest, to_smallest) = keys.smallest();
            for symmetry in Symmetry::all(size) {
                let image = stones.map(|(coord, color)| (symmetry.apply(size, coord), color));
                let image = SymmetricKeys::new(size, image.into_iter(), Color::Black);
                assert_eq!(image.smallest().0, smallest);
            }
            let there = stones.map(|(coord, color)| (to_smallest.apply(size, coord), color));
            assert_eq!(SymmetricKeys::new(size, there.into_iter(), Color::Black).keys[0], smallest);
            let white = SymmetricKeys::new(size, stones.into_iter(), Color::White);
            assert_ne!(white.smallest().0, smallest);
        }
    }

    #[test]
    fn keys_change_by_the_stone() {
        let size = Size::square(9).unwrap();
        let coord = Coord { x: 2, y: 6 };
        let mut keys = SymmetricKeys::new(size, std::iter::empty(), Color::Black);
        keys.toggle_stone(coord, Color::Black);
        keys.toggle_turn();
        let fresh = SymmetricKeys::new(size, [(coord, Color::Black)].into_iter(), Color::White);
        assert_eq!(keys, fresh);
    }
}
