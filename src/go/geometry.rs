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

    /// Whether the point and the eight around it are padded points of `G`, as
    /// they are for every point on a board.
    #[inline(always)]
    pub(crate) const fn is_within<G: Geometry>(self) -> bool {
        // Below the first such point the difference wraps around.
        self.index().wrapping_sub(G::STRIDE + 1) <= G::AREA - 2 * G::STRIDE - 3
    }
}

mod sealed {
    /// Keeps [`super::Geometry`] to the four that are checked at compile time:
    /// unchecked indexing relies on them.
    pub trait Sealed {}
}

/// The storage of boards up to some size.
pub trait Geometry: sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
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

    /// The distances from a point to the one on the left, on the right, below
    /// and above, in the order of the directions in contact codes.
    const DISTANCES: [isize; 4] = [-1, 1, -(Self::STRIDE as isize), Self::STRIDE as isize];

    /// The points to the left, to the right, below and above.
    #[inline(always)]
    #[must_use]
    fn neighbors(point: Point) -> [Point; 4] {
        Self::DISTANCES.map(|distance| point.offset(distance))
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
        Windows::<Self>::load(point, Pattern::Point)
    }

    /// The set of [`Geometry::neighbors`]. May hold border points.
    #[inline(always)]
    #[must_use]
    fn neighbor_mask(point: Point) -> Self::Bits {
        Windows::<Self>::load(point, Pattern::Neighbors)
    }

    /// The set of [`Geometry::diagonals`]. May hold border points.
    #[inline(always)]
    #[must_use]
    fn diagonal_mask(point: Point) -> Self::Bits {
        Windows::<Self>::load(point, Pattern::Diagonals)
    }
}

macro_rules! geometry {
    ($name:ident, $side:literal, $area:literal, $bits:ty) => {
        #[doc = concat!("Boards with sides up to ", $side, ".")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl sealed::Sealed for $name {}

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

/// Bytes of a row before the one in which its pattern lies: a power of two,
/// less one, that leaves room for every geometry's points.
const LEAD: usize = 127;
/// Room for the lead and the largest set, and a power of two for short code.
const ROW_BYTES: usize = 256;

/// The small sets that look the same around every point.
#[derive(Clone, Copy)]
enum Pattern {
    Point,
    Neighbors,
    Diagonals,
}

/// Small sets that look the same around every point, found by sliding a
/// window over one copy of the pattern: the pattern lies in byte [`LEAD`] of a
/// row, and the window starts `point / 8` bytes before it. A table with an
/// entry for each point would fill the cache.
struct Windows<G>(PhantomData<G>);

impl<G: Geometry> Windows<G> {
    /// A row for each pattern and each bit of a byte.
    const ROWS: &'static [[[u8; ROW_BYTES]; 8]; 3] = &window_rows(G::STRIDE);

    #[inline(always)]
    fn load(point: Point, pattern: Pattern) -> G::Bits {
        debug_assert!(point.index() < G::AREA);
        let row = &Self::ROWS[pattern as usize][point.index() % 8];
        // That is LEAD less the point's byte; for no number outside the row.
        let start = !(point.index() / 8) & LEAD;
        G::Bits::from_le_bytes(&row[start..start + G::Bits::BYTES])
    }
}

const fn window_rows(stride: usize) -> [[[u8; ROW_BYTES]; 8]; 3] {
    let mut rows = [[[0; ROW_BYTES]; 8]; 3];
    let mut bit = 0;
    while bit < 8 {
        let at = 8 * LEAD + bit;
        let near = [at - 1, at + 1, at - stride, at + stride];
        let corner = [at - stride - 1, at - stride + 1, at + stride - 1, at + stride + 1];
        rows[Pattern::Point as usize][bit][at / 8] |= 1 << (at % 8);
        let mut i = 0;
        while i < 4 {
            rows[Pattern::Neighbors as usize][bit][near[i] / 8] |= 1 << (near[i] % 8);
            rows[Pattern::Diagonals as usize][bit][corner[i] / 8] |= 1 << (corner[i] % 8);
            i += 1;
        }
        bit += 1;
    }
    rows
}

const _: () = assert!(LEAD + Bits768::BYTES <= ROW_BYTES && G25::AREA <= 8 * (LEAD + 1));

/// A value for each point. Points must be of the map's own geometry, which
/// debug builds check. They are: a board fills its own fields with such points
/// only, and its public methods look at every point that they are given
/// ([`Point::is_within`]); so does whatever else takes points from outside.
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

    /// The value of the point at `distance` from `point`, which is of the
    /// geometry too. Saves the steps in 16 bits that [`Point::offset`] takes.
    #[inline(always)]
    pub(crate) fn near(&self, point: Point, distance: isize) -> &T {
        let index = point.index().wrapping_add_signed(distance);
        debug_assert!(index < G::AREA, "a point of the map's geometry");
        // SAFETY: an array has a place for every padded point, and points of
        // the geometry are below its AREA.
        unsafe { self.0.as_ref().get_unchecked(index) }
    }

    /// [`PointMap::near`], to change it.
    #[inline(always)]
    pub(crate) fn near_mut(&mut self, point: Point, distance: isize) -> &mut T {
        let index = point.index().wrapping_add_signed(distance);
        debug_assert!(index < G::AREA, "a point of the map's geometry");
        // SAFETY: as for `near`.
        unsafe { self.0.as_mut().get_unchecked_mut(index) }
    }
}

impl<G: Geometry, T: Copy + Debug + Send + Sync> Index<Point> for PointMap<G, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, point: Point) -> &T {
        self.near(point, 0)
    }
}

impl<G: Geometry, T: Copy + Debug + Send + Sync> IndexMut<Point> for PointMap<G, T> {
    #[inline(always)]
    fn index_mut(&mut self, point: Point) -> &mut T {
        self.near_mut(point, 0)
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

    fn points_within_have_their_surroundings_on_the_padded_board<G: Geometry>() {
        for point in (0..=usize::from(u16::MAX)).map(Point::from_index) {
            let around = G::neighbors(point).into_iter().chain(G::diagonals(point));
            assert_eq!(point.is_within::<G>(), around.chain([point]).all(|near| near.index() < G::AREA));
        }
        for coord in Size::square(G::SIDE as u8).unwrap().coords() {
            assert!(G::point(coord).is_within::<G>());
        }
    }

    #[test]
    fn points_within_are_told_in_every_geometry() {
        points_within_have_their_surroundings_on_the_padded_board::<G9>();
        points_within_have_their_surroundings_on_the_padded_board::<G13>();
        points_within_have_their_surroundings_on_the_padded_board::<G19>();
        points_within_have_their_surroundings_on_the_padded_board::<G25>();
    }

    #[test]
    fn masks_match_in_every_geometry() {
        masks_match_neighbors::<G9>();
        masks_match_neighbors::<G13>();
        masks_match_neighbors::<G19>();
        masks_match_neighbors::<G25>();
    }
}
