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

    #[inline(always)]
    fn slot(&mut self, place: usize) -> &mut Point {
        debug_assert!(place < G::AREA);
        // SAFETY: places are below the number of points on the board, of which
        // the list holds each at most once, and the array is longer.
        unsafe { self.points.as_mut().get_unchecked_mut(place) }
    }

    /// The point at `place`.
    #[inline(always)]
    pub fn get(&self, place: usize) -> Point {
        debug_assert!(place < self.count);
        // SAFETY: as for `slot`.
        unsafe { *self.points.as_ref().get_unchecked(place) }
    }

    /// Adds `point`, which must not be in the list.
    #[inline(always)]
    pub fn push(&mut self, point: Point) {
        *self.slot(self.count) = point;
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
        *self.slot(place) = *self.slot(self.count);
    }

    /// Exchanges the points at two places.
    #[inline(always)]
    pub fn swap(&mut self, a: usize, b: usize) {
        let point = *self.slot(a);
        *self.slot(a) = *self.slot(b);
        *self.slot(b) = point;
    }
}
