//! Recomputes every field of a board from the stones alone.

use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::geometry::{Geometry, Point};
use super::zobrist;

impl<G: Geometry> Board<G> {
    /// Panics unless every derived field is what the stones make it. For tests
    /// and debug builds: slow.
    pub fn check_consistency(&self) {
        self.check_lists();
        self.check_dead_points();
        let key = self.points().fold(0, |key, point| match self.color_at(point) {
            Some(color) => key ^ zobrist::stone_key(G::coord(point), color),
            None => key,
        });
        assert_eq!(key, self.key, "the key is that of the stones");
        self.check_stones();
    }

    /// What light playouts keep up as well: all but the key.
    pub(crate) fn check_stones(&self) {
        self.check_lists();
        self.check_dead_points();
        for point in self.points() {
            self.check_contacts(point);
            if self.is_empty(point) {
                self.check_empty(point);
            } else if self.head(point) == point {
                self.check_chain(point);
            } else {
                assert!(self.chain(self.head(point)).any(|stone| stone == point), "in its head's ring");
            }
        }
    }

    fn check_lists(&self) {
        let listed = self.candidates.as_slice().iter().fold(G::Bits::empty(), |set, &point| set.with(point));
        assert_eq!(listed, self.alive, "the list of candidates is the set of candidates");
        assert_eq!(self.candidates.len() as u32, self.alive.count(), "no candidate is listed twice");
        assert!(!self.alive.intersects(self.dead[0]) && !self.alive.intersects(self.dead[1]));
        assert!(!self.dead[0].intersects(self.dead[1]));
        let empty = self.points().filter(|&point| self.is_empty(point));
        assert_eq!(empty.fold(G::Bits::empty(), G::Bits::with), self.empty_points());
        assert!(self.ko_point().is_none_or(|ko| self.is_empty(ko)), "a ko point is empty");
    }

    fn check_dead_points(&self) {
        for color in Color::BOTH {
            for eye in self.dead[color.index()].iter() {
                assert!(self.is_eye(eye, color), "a dead point is an eye");
                let near = G::neighbors(eye).into_iter().filter(|&near| self.on_board(near));
                assert!(near.into_iter().all(|near| self.liberty_count(near) > 1), "of safe chains");
            }
        }
    }

    fn check_contacts(&self, point: Point) {
        let mut code = 0;
        for (side, near) in G::neighbors(point).into_iter().enumerate() {
            code |= match self.color_at(near) {
                _ if !self.on_board(near) => 0x11,
                Some(Color::Black) => 0x01,
                Some(Color::White) => 0x10,
                None => 0,
            } << side;
        }
        assert_eq!(code, self.contacts.code(point), "the contact code of {}", G::coord(point));
    }

    fn check_empty(&self, point: Point) {
        let chains = &self.chains;
        assert_eq!((chains.head(point), chains.next(point), chains.len(point)), (point, point, 0));
        assert_eq!(chains.adjacency(point), G::neighbor_mask(point));
    }

    /// Compares the chain with this head with a flood fill.
    fn check_chain(&self, head: Point) {
        let color = self.color_at(head);
        let (mut stones, mut near) = (G::Bits::empty().with(head), G::Bits::empty());
        let mut unseen = vec![head];
        while let Some(stone) = unseen.pop() {
            assert_eq!(self.head(stone), head, "every stone of a chain has its head");
            near = near.or(G::neighbor_mask(stone));
            for friend in G::neighbors(stone) {
                if self.color_at(friend) == color && !stones.contains(friend) && self.on_board(friend) {
                    stones.insert(friend);
                    unseen.push(friend);
                }
            }
        }
        let ring: Vec<Point> = self.chain(head).take(G::AREA).collect();
        assert_eq!(ring.iter().fold(G::Bits::empty(), |set, &stone| set.with(stone)), stones);
        assert_eq!((ring.len(), self.chain_len(head)), (stones.count() as usize, ring.len()));
        assert_eq!(self.liberties(head), near.and(self.empty_points()), "liberties are exact");
        assert!(!self.liberties(head).is_empty(), "a chain has a liberty");
    }
}
