//! How boards are stored: a padded line of points.
//!
//! Rows lie one after the other, each led by one border point that serves as
//! the left edge of its row and the right edge of the one before; a row of
//! border lies below and above. So every neighbour of a point is at a fixed
//! distance, and no loop tests for the edge. Boards smaller than the
//! geometry's side use its lower left corner; the rest is border too.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::bits::{Bits128, Bits256, Bits512, Bits768, PointSet};
use super::coord::Coord;

/// A point of the padded board. Its meaning depends on the [`Geometry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Point(u16);

impl Point {
    /// Stands for "no point": a border point in every geometry.
    pub(crate) const NONE: Point = Point(0);
    /// Stands for a pass where moves are recorded: another border point.
    pub(crate) const PASS: Point = Point(1);

    /// The point with this padded index.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn from_index(index: usize) -> Self {
        Point(index as u16)
    }

    /// The padded index: the place of the point in arrays and sets.
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline(always)]
    pub(crate) const fn offset(self, distance: isize) -> Self {
        Point((self.0 as isize).wrapping_add(distance) as u16)
    }
}

/// The storage of boards up to some size.
pub trait Geometry: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The longest side of a board.
    const SIDE: usize;
    /// The distance between a point and the one above it.
    const STRIDE: usize = Self::SIDE + 1;
    /// The number of padded points.
    const AREA: usize = Self::STRIDE * (Self::SIDE + 2) + 1;
    /// Sets of points.
    type Bits: PointSet;
    /// One value for each padded point.
    type Array<T: Copy + Debug + Send + Sync>: Copy + Debug + Send + Sync + AsRef<[T]> + AsMut<[T]>;

    /// `value` for every point.
    fn array<T: Copy + Debug + Send + Sync>(value: T) -> Self::Array<T>;

    /// The point for `coord`, which must be inside the geometry's side.
    #[inline(always)]
    #[must_use]
    fn point(coord: Coord) -> Point {
        debug_assert!((coord.x as usize) < Self::SIDE && (coord.y as usize) < Self::SIDE);
        Point::from_index((coord.y as usize + 1) * Self::STRIDE + coord.x as usize + 1)
    }

    /// The inverse of [`Geometry::point`].
    #[inline(always)]
    #[must_use]
    fn coord(point: Point) -> Coord {
        debug_assert!(point.index() > Self::STRIDE, "a point on the board");
        let index = point.index() - Self::STRIDE - 1;
        Coord { x: (index % Self::STRIDE) as u8, y: (index / Self::STRIDE) as u8 }
    }

    /// The points to the left, to the right, below and above, in the order of
    /// the directions in contact codes.
    #[inline(always)]
    #[must_use]
    fn neighbors(point: Point) -> [Point; 4] {
        let up = Self::STRIDE as isize;
        [point.offset(-1), point.offset(1), point.offset(-up), point.offset(up)]
    }

    /// The points that touch `point` at a corner: below left, below right,
    /// above left, above right.
    #[inline(always)]
    #[must_use]
    fn diagonals(point: Point) -> [Point; 4] {
        let up = Self::STRIDE as isize;
        [point.offset(-up - 1), point.offset(-up + 1), point.offset(up - 1), point.offset(up + 1)]
    }

    /// The set of `point` alone.
    #[inline(always)]
    #[must_use]
    fn single(point: Point) -> Self::Bits {
        Windows::<Self>::load(point, 0)
    }

    /// The set of [`Geometry::neighbors`]. May hold border points.
    #[inline(always)]
    #[must_use]
    fn neighbor_mask(point: Point) -> Self::Bits {
        Windows::<Self>::load(point, 1)
    }

    /// The set of [`Geometry::diagonals`]. May hold border points.
    #[inline(always)]
    #[must_use]
    fn diagonal_mask(point: Point) -> Self::Bits {
        Windows::<Self>::load(point, 2)
    }
}

macro_rules! geometry {
    ($name:ident, $side:literal, $area:literal, $bits:ty) => {
        #[doc = concat!("Boards with sides up to ", $side, ".")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Geometry for $name {
            const SIDE: usize = $side;
            type Bits = $bits;
            type Array<T: Copy + Debug + Send + Sync> = [T; $area];

            #[inline(always)]
            fn array<T: Copy + Debug + Send + Sync>(value: T) -> [T; $area] {
                [value; $area]
            }
        }

        const _: () = assert!($area == $name::AREA && $area <= <$bits as PointSet>::BYTES * 8);
    };
}

geometry!(G9, 9, 111, Bits128);
geometry!(G13, 13, 211, Bits256);
geometry!(G19, 19, 421, Bits512);
geometry!(G25, 25, 703, Bits768);

const WINDOW_BITS: usize = 768;
const WINDOW_BYTES: usize = WINDOW_BITS / 4;

/// Small sets that look the same around every point, found by sliding a
/// window over one copy of the pattern: the pattern lies at bit
/// [`WINDOW_BITS`] plus 0 to 7, and the window starts `point / 8` bytes
/// before it. A table with an entry for each point would fill the cache.
struct Windows<G>(PhantomData<G>);

impl<G: Geometry> Windows<G> {
    const TABLE: &'static [[[u8; WINDOW_BYTES]; 3]; 8] = &window_table(G::STRIDE);

    #[inline(always)]
    fn load(point: Point, pattern: usize) -> G::Bits {
        let row = &Self::TABLE[point.index() % 8][pattern];
        debug_assert!(point.index() < G::AREA);
        let start = WINDOW_BITS / 8 - point.index() / 8;
        // SAFETY: a window starts at most WINDOW_BITS / 8 bytes into a row
        // twice as long, which leaves room for the largest set; and not before
        // the row, as points of every geometry are below WINDOW_BITS.
        G::Bits::from_le_bytes(unsafe { row.get_unchecked(start..start + G::Bits::BYTES) })
    }
}

/// The patterns point, neighbours and diagonals, by the bit in the byte.
const fn window_table(stride: usize) -> [[[u8; WINDOW_BYTES]; 3]; 8] {
    let mut table = [[[0; WINDOW_BYTES]; 3]; 8];
    let mut bit = 0;
    while bit < 8 {
        let at = WINDOW_BITS + bit;
        table[bit][0][at / 8] |= 1 << (at % 8);
        let near = [at - 1, at + 1, at - stride, at + stride];
        let corner = [at - stride - 1, at - stride + 1, at + stride - 1, at + stride + 1];
        let mut i = 0;
        while i < 4 {
            table[bit][1][near[i] / 8] |= 1 << (near[i] % 8);
            table[bit][2][corner[i] / 8] |= 1 << (corner[i] % 8);
            i += 1;
        }
        bit += 1;
    }
    table
}

/// A value for each point. Points must be of the map's own geometry, which
/// debug builds check: they come from [`Geometry::point`] and the steps from
/// there that stay within the border.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct PointMap<G: Geometry, T: Copy + Debug + Send + Sync>(G::Array<T>);

impl<G: Geometry, T: Copy + Debug + Send + Sync> PointMap<G, T> {
    pub(crate) fn new(value: T) -> Self {
        PointMap(G::array(value))
    }

    /// The values of all padded points.
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[T] {
        self.0.as_ref()
    }
}

impl<G: Geometry, T: Copy + Debug + Send + Sync> Index<Point> for PointMap<G, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, point: Point) -> &T {
        debug_assert!(point.index() < G::AREA, "a point of the map's geometry");
        // SAFETY: an array has a place for every padded point, and points of
        // the geometry are below its AREA.
        unsafe { self.0.as_ref().get_unchecked(point.index()) }
    }
}

impl<G: Geometry, T: Copy + Debug + Send + Sync> IndexMut<Point> for PointMap<G, T> {
    #[inline(always)]
    fn index_mut(&mut self, point: Point) -> &mut T {
        debug_assert!(point.index() < G::AREA, "a point of the map's geometry");
        // SAFETY: as for `index`.
        unsafe { self.0.as_mut().get_unchecked_mut(point.index()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::Size;

    fn masks_match_neighbors<G: Geometry>() {
        for coord in Size::square(G::SIDE as u8).unwrap().coords() {
            let point = G::point(coord);
            assert_eq!(G::coord(point), coord);
            let set = |points: [Point; 4]| points.into_iter().fold(G::Bits::empty(), G::Bits::with);
            assert_eq!(G::neighbor_mask(point), set(G::neighbors(point)));
            assert_eq!(G::diagonal_mask(point), set(G::diagonals(point)));
            assert_eq!(G::single(point), G::Bits::empty().with(point));
        }
    }

    #[test]
    fn masks_match_in_every_geometry() {
        masks_match_neighbors::<G9>();
        masks_match_neighbors::<G13>();
        masks_match_neighbors::<G19>();
        masks_match_neighbors::<G25>();
    }
}
