//! The list of points that a random player draws from.

use super::geometry::{Geometry, Point};

/// Points in no particular order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<G: Geometry> {
    points: G::Array<Point>,
    count: usize,
}

impl<G: Geometry> Candidates<G> {
    /// No points.
    pub fn new() -> Self {
        Candidates { points: G::array(Point::NONE), count: 0 }
    }

    /// The number of points.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The points.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Point] {
        &self.points.as_ref()[..self.count]
    }

    /// The point at `place`.
    #[inline(always)]
    pub fn get(&self, place: usize) -> Point {
        self.points.as_ref()[place]
    }

    /// Adds `point`, which must not be in the list.
    #[inline(always)]
    pub fn push(&mut self, point: Point) {
        self.points.as_mut()[self.count] = point;
        self.count += 1;
    }

    /// Where `point` is in the list.
    #[inline]
    pub fn place_of(&self, point: Point) -> Option<usize> {
        // Whole blocks are compared without an early exit, so that vector
        // instructions serve.
        const BLOCK: usize = 32;
        let points = self.as_slice();
        let block = points
            .chunks(BLOCK)
            .position(|block| block.iter().fold(false, |found, &candidate| found | (candidate == point)))?;
        let start = block * BLOCK;
        points[start..].iter().position(|&candidate| candidate == point).map(|at| start + at)
    }

    /// Takes out the point at `place`.
    #[inline(always)]
    pub fn remove(&mut self, place: usize) {
        self.count -= 1;
        self.points.as_mut()[place] = self.points.as_ref()[self.count];
    }

    /// Exchanges the points at two places.
    #[inline(always)]
    pub fn swap(&mut self, a: usize, b: usize) {
        self.points.as_mut().swap(a, b);
    }
}
