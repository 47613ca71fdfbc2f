//! Chains: sets of connected stones of one colour.
//!
//! Every stone knows its chain's head, and the stones of a chain form a ring
//! of links. A head carries the chain's length and its adjacency: the union
//! of the neighbour masks of its stones, which never shrinks. The liberties
//! are the adjacent points that are empty, so a stone that comes or goes
//! touches no chain but its own.
//!
//! An empty point is kept as a chain of itself without a stone (length 0),
//! ready to become one or to join another.

use super::bits::PointSet;
use super::geometry::{Geometry, Point, PointMap};

/// The chains of a board.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Chains<G: Geometry> {
    adjacency: PointMap<G, G::Bits>,
    head: PointMap<G, Point>,
    next: PointMap<G, Point>,
    len: PointMap<G, u16>,
}

impl<G: Geometry> Chains<G> {
    /// No stones on `points`; border points elsewhere, which all have
    /// [`Point::NONE`] for a head, with nothing adjacent, and are rings of
    /// their own.
    pub fn new(points: impl Iterator<Item = Point>) -> Self {
        let mut chains = Chains {
            adjacency: PointMap::new(G::Bits::empty()),
            head: PointMap::new(Point::NONE),
            next: PointMap::new(Point::NONE),
            len: PointMap::new(0),
        };
        (0..G::AREA).map(Point::from_index).for_each(|point| chains.next[point] = point);
        points.for_each(|point| {
            chains.release(point);
        });
        chains
    }

    /// The head of the chain at `point`; the point itself if it is empty.
    #[inline(always)]
    pub fn head(&self, point: Point) -> Point {
        self.head[point]
    }

    /// The heads of the chains on the four sides of `point`.
    #[inline(always)]
    pub fn heads_around(&self, point: Point) -> [Point; 4] {
        G::DISTANCES.map(|distance| *self.head.near(point, distance))
    }

    /// The stone after `stone` in its chain's ring.
    #[inline(always)]
    pub fn next(&self, stone: Point) -> Point {
        self.next[stone]
    }

    /// The number of stones of the chain with this head.
    #[inline(always)]
    pub fn len(&self, head: Point) -> usize {
        self.len[head] as usize
    }

    /// The points next to the chain with this head, whatever is there.
    #[inline(always)]
    pub fn adjacency(&self, head: Point) -> G::Bits {
        self.adjacency[head]
    }

    /// Bit i: whether the chain with head `heads[i]` touches `points`.
    #[inline(always)]
    pub fn touching(&self, heads: &[Point; 4], points: G::Bits) -> u8 {
        G::Bits::intersects_each(std::array::from_fn(|i| &self.adjacency[heads[i]]), points)
    }

    /// The stones of the chain of `stone`, from that stone on.
    pub fn stones(&self, stone: Point) -> impl Iterator<Item = Point> {
        let mut following = Some(stone);
        std::iter::from_fn(move || {
            let current = following?;
            let next = self.next[current];
            following = (next != stone).then_some(next);
            Some(current)
        })
    }

    /// Puts a stone on the empty `point`. It joins the chain of the neighbour
    /// at `distance`, or becomes a chain of its own if that is 0. Returns the
    /// chain's head.
    #[inline(always)]
    pub fn join(&mut self, point: Point, distance: isize) -> Point {
        let head = *self.head.near(point, distance);
        self.adjacency[head] = self.adjacency[head].or(self.adjacency[point]);
        self.head[point] = head;
        self.next[point] = self.next[head];
        self.next[head] = point;
        self.len[head] += 1;
        head
    }

    /// Makes one chain of two different ones, the smaller taking the head of
    /// the larger, which is returned.
    #[inline(always)]
    pub fn merge(&mut self, a: Point, b: Point) -> Point {
        debug_assert!(a != b && self.head[a] == a && self.head[b] == b);
        let (large, small) = if self.len[b] > self.len[a] { (b, a) } else { (a, b) };
        self.relabel(small, large);
        self.adjacency[large] = self.adjacency[large].or(self.adjacency[small]);
        self.len[large] += self.len[small];
        let after = self.next[large];
        self.next[large] = self.next[small];
        self.next[small] = after;
        large
    }

    /// Gives every stone of chain `from` the head `to`. Goes round the ring in
    /// steps of four, which at worst writes a few heads twice: cheaper than a
    /// test for the end after every stone.
    #[inline(always)]
    fn relabel(&mut self, from: Point, to: Point) {
        let mut left = i32::from(self.len[from]);
        let mut stone = from;
        while left > 0 {
            for _ in 0..4 {
                self.head[stone] = to;
                stone = self.next[stone];
            }
            left -= 4;
        }
    }

    /// Gives `point` the form of an empty point and returns the stone that
    /// followed it in its ring.
    #[inline(always)]
    pub fn release(&mut self, point: Point) -> Point {
        self.adjacency[point] = G::neighbor_mask(point);
        self.head[point] = point;
        self.len[point] = 0;
        std::mem::replace(&mut self.next[point], point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G9;

    fn at(x: u8, y: u8) -> Point {
        G9::point(Coord { x, y })
    }

    fn ring(chains: &Chains<G9>, stone: Point) -> Vec<Point> {
        let mut stones: Vec<Point> = chains.stones(stone).collect();
        stones.sort();
        stones
    }

    #[test]
    fn chains_are_created_joined_merged_and_removed() {
        let mut chains = Chains::<G9>::new(Size::square(9).unwrap().coords().map(G9::point));
        let (a, b, c) = (at(2, 2), at(3, 2), at(4, 2));
        assert_eq!(chains.join(a, 0), a);
        assert_eq!(ring(&chains, a), [a]);
        assert_eq!(chains.join(c, 0), c);
        assert_eq!(chains.join(b, -1), a);
        assert_eq!((chains.len(a), ring(&chains, b)), (2, vec![a, b]));
        let head = chains.merge(c, a);
        assert_eq!(head, a, "the larger chain keeps its head");
        assert!([a, b, c].iter().all(|&stone| chains.head(stone) == head));
        assert_eq!((chains.len(head), ring(&chains, c)), (3, vec![a, b, c]));
        assert_eq!(chains.adjacency(head).count(), 8 + 3);
        let mut stone = a;
        for _ in 0..3 {
            stone = chains.release(stone);
        }
        assert_eq!(stone, a);
        assert_eq!((chains.head(b), chains.len(b), chains.adjacency(b).count()), (b, 0, 4));
    }

    #[test]
    fn long_chains_keep_one_ring() {
        let mut chains = Chains::<G9>::new(Size::square(9).unwrap().coords().map(G9::point));
        for y in 0..9 {
            for x in 0..9 {
                chains.join(at(x, y), -isize::from(x > 0));
            }
            if y > 0 {
                chains.merge(chains.head(at(0, y)), chains.head(at(0, y - 1)));
            }
        }
        assert_eq!(ring(&chains, at(4, 4)).len(), 81);
        assert_eq!(chains.len(chains.head(at(8, 8))), 81);
    }
}
