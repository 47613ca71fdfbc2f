//! Setting up positions, outside the rules of play.

use super::board::Board;
use super::color::Color;
use super::geometry::{Geometry, Point};

impl<G: Geometry> Board<G> {
    /// The number of empty points.
    #[must_use]
    pub fn empty_count(&self) -> usize {
        self.empty_list().len()
    }

    /// Puts a stone on `point`, in place of another if need be, or takes the
    /// stone there off. Nothing is captured: chains may be left without
    /// liberties until [`Board::remove_breathless`]. Prisoners stay; ko and
    /// last moves are forgotten.
    pub fn set_stone(&mut self, point: Point, stone: Option<Color>) {
        self.rebuild(|at, before| if at == point { stone } else { before });
    }

    /// Takes chains without liberties off the board, Black's before White's.
    pub fn remove_breathless(&mut self) {
        for color in Color::BOTH {
            let breathless: Vec<Point> = self
                .points()
                .filter(|&point| self.color_at(point) == Some(color) && self.liberty_count(point) == 0)
                .collect();
            if !breathless.is_empty() {
                self.rebuild(|at, before| if breathless.contains(&at) { None } else { before });
            }
        }
        self.checked();
    }

    /// Sets every point anew, to what `stone` says of the point and of what
    /// was there.
    fn rebuild(&mut self, stone: impl Fn(Point, Option<Color>) -> Option<Color>) {
        let mut fresh = Board::new(self.size());
        for point in self.points() {
            if let Some(color) = stone(point, self.color_at(point)) {
                fresh.put(point, color);
            }
        }
        fresh.captured = self.captured;
        *self = fresh;
    }
}

#[cfg(test)]
mod tests {
    use crate::go::board::Board;
    use crate::go::color::Color;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G9;

    #[test]
    fn stones_come_and_go_without_capture() {
        let mut board = Board::<G9>::new(Size::square(9).unwrap());
        let at = |x, y| Coord { x, y };
        for (x, y) in [(1, 0), (0, 1)] {
            board.set_stone(board.point(at(x, y)), Some(Color::White));
        }
        let corner = board.point(at(0, 0));
        board.set_stone(corner, Some(Color::Black));
        assert_eq!(board.color_at(corner), Some(Color::Black));
        board.remove_breathless();
        assert_eq!(board.color_at(corner), None);
        assert_eq!(board.empty_count(), 79);
        board.set_stone(board.point(at(1, 0)), None);
        board.set_stone(board.point(at(0, 1)), Some(Color::Black));
        board.set_stone(board.point(at(0, 1)), None);
        assert_eq!((board.empty_count(), board.key()), (81, 0));
    }
}
