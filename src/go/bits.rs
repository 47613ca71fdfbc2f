//! Sets of points as fixed-size bit vectors, held inline.

use std::fmt::Debug;

use super::geometry::Point;

/// A set of points of one geometry.
pub trait PointSet: Copy + Debug + Default + PartialEq + Eq + Send + Sync {
    /// The size of the set.
    const BYTES: usize;

    /// The set whose bits are `bytes`, lowest first. `bytes` must be
    /// [`PointSet::BYTES`] long.
    fn from_le_bytes(bytes: &[u8]) -> Self;
    /// The set's words, lowest first.
    fn words(&self) -> impl AsRef<[u64]> + Copy;
    /// Points in both sets.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Points in either set.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Points in `self` but not in `other`.
    #[must_use]
    fn and_not(self, other: Self) -> Self;
    /// Whether the sets share a point.
    #[must_use]
    fn intersects(self, other: Self) -> bool;
    /// Every point moved up by `distance` places, below 64.
    #[must_use]
    fn shifted_up(self, distance: usize) -> Self;
    /// Every point moved down by `distance` places, below 64.
    #[must_use]
    fn shifted_down(self, distance: usize) -> Self;
    /// Adds `point`.
    fn insert(&mut self, point: Point);
    /// Takes `point` out.
    fn remove(&mut self, point: Point);

    /// No points.
    #[inline(always)]
    #[must_use]
    fn empty() -> Self {
        Self::default()
    }

    /// The set and `point`.
    #[inline(always)]
    #[must_use]
    fn with(mut self, point: Point) -> Self {
        self.insert(point);
        self
    }

    /// Whether `point` is in the set.
    #[inline(always)]
    #[must_use]
    fn contains(&self, point: Point) -> bool {
        self.words().as_ref()[point.index() / 64] >> (point.index() % 64) & 1 != 0
    }

    /// Whether there are no points.
    #[inline(always)]
    #[must_use]
    fn is_empty(&self) -> bool {
        !self.intersects(*self)
    }

    /// The number of points.
    #[inline(always)]
    #[must_use]
    fn count(&self) -> u32 {
        self.words().as_ref().iter().map(|word| word.count_ones()).sum()
    }

    /// The lowest point.
    #[inline(always)]
    #[must_use]
    fn first(&self) -> Option<Point> {
        let words = self.words();
        let at = words.as_ref().iter().position(|&word| word != 0)?;
        Some(Point::from_index(at * 64 + words.as_ref()[at].trailing_zeros() as usize))
    }

    /// The point, if there is exactly one.
    #[inline(always)]
    #[must_use]
    fn only(&self) -> Option<Point> {
        let (mut count, mut index) = (0, 0);
        for (at, &word) in self.words().as_ref().iter().enumerate() {
            if word != 0 {
                count += word.count_ones();
                index = at * 64 + word.trailing_zeros() as usize;
            }
        }
        (count == 1).then(|| Point::from_index(index))
    }

    /// The points in rising order.
    #[inline]
    fn iter(&self) -> impl Iterator<Item = Point> {
        let words = self.words();
        let (mut at, mut rest) = (0, words.as_ref()[0]);
        std::iter::from_fn(move || {
            while rest == 0 {
                at += 1;
                rest = *words.as_ref().get(at)?;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(Point::from_index(at * 64 + bit))
        })
    }

    /// Bit i of the result: whether `sets[i]` and `with` share a point.
    #[inline(always)]
    #[must_use]
    fn intersects_each(sets: [&Self; 4], with: Self) -> u8 {
        (0..4).fold(0, |mask, i| mask | u8::from(sets[i].intersects(with)) << i)
    }
}

/// A set in `W` plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<const W: usize>([u64; W]);

/// Points of a 9x9 geometry.
pub type Bits128 = chosen::Bits128;
/// Points of a 13x13 geometry.
pub type Bits256 = chosen::Bits256;
/// Points of a 19x19 geometry.
pub type Bits512 = chosen::Bits512;
/// Points of a 25x25 geometry.
pub type Bits768 = Words<12>;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod chosen {
    pub use crate::go::vector::{Vector128 as Bits128, Vector256 as Bits256, Vector512 as Bits512};
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
mod chosen {
    use super::Words;
    pub type Bits128 = Words<2>;
    pub type Bits256 = Words<4>;
    pub type Bits512 = Words<8>;
}

impl<const W: usize> From<[u64; W]> for Words<W> {
    #[inline(always)]
    fn from(words: [u64; W]) -> Self {
        Words(words)
    }
}

impl<const W: usize> From<Words<W>> for [u64; W] {
    #[inline(always)]
    fn from(set: Words<W>) -> Self {
        set.0
    }
}

impl<const W: usize> Default for Words<W> {
    #[inline(always)]
    fn default() -> Self {
        Words([0; W])
    }
}

impl<const W: usize> PointSet for Words<W> {
    const BYTES: usize = W * 8;

    #[inline(always)]
    fn from_le_bytes(bytes: &[u8]) -> Self {
        let (words, _) = bytes[..Self::BYTES].as_chunks::<8>();
        Words(std::array::from_fn(|i| u64::from_le_bytes(words[i])))
    }

    #[inline(always)]
    fn words(&self) -> impl AsRef<[u64]> + Copy {
        self.0
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Words(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Words(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Words(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    #[inline(always)]
    fn intersects(self, other: Self) -> bool {
        self.and(other).0.iter().fold(0, |any, word| any | word) != 0
    }

    #[inline]
    fn shifted_up(self, distance: usize) -> Self {
        debug_assert!(0 < distance && distance < 64);
        let low = |i: usize| if i == 0 { 0 } else { self.0[i - 1] >> (64 - distance) };
        Words(std::array::from_fn(|i| self.0[i] << distance | low(i)))
    }

    #[inline]
    fn shifted_down(self, distance: usize) -> Self {
        debug_assert!(0 < distance && distance < 64);
        let high = |i: usize| if i + 1 == W { 0 } else { self.0[i + 1] << (64 - distance) };
        Words(std::array::from_fn(|i| self.0[i] >> distance | high(i)))
    }

    #[inline(always)]
    fn insert(&mut self, point: Point) {
        self.0[point.index() / 64] |= 1 << (point.index() % 64);
    }

    #[inline(always)]
    fn remove(&mut self, point: Point) {
        self.0[point.index() / 64] &= !(1 << (point.index() % 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set<S: PointSet>(points: &BTreeSet<usize>) -> S {
        points.iter().fold(S::empty(), |set, &i| set.with(Point::from_index(i)))
    }

    fn list<S: PointSet>(set: S) -> BTreeSet<usize> {
        set.iter().map(Point::index).collect()
    }

    fn agrees<S: PointSet>(a: &BTreeSet<usize>, b: &BTreeSet<usize>) {
        let (x, y) = (set::<S>(a), set::<S>(b));
        assert_eq!(list(x), *a);
        assert_eq!(list(x.and(y)), a & b);
        assert_eq!(list(x.or(y)), a | b);
        assert_eq!(list(x.and_not(y)), a - b);
        assert_eq!(x.intersects(y), !a.is_disjoint(b));
        assert_eq!((x.count() as usize, x.is_empty()), (a.len(), a.is_empty()));
        assert_eq!(x.first().map(Point::index), a.first().copied());
        assert_eq!(x.only().map(Point::index), a.first().copied().filter(|_| a.len() == 1));
        assert_eq!(x == y, a == b);
        let top = S::BYTES * 8;
        for d in [1, 10, 26, 63] {
            let up = a.iter().map(|i| i + d).filter(|&i| i < top).collect();
            assert_eq!(list(x.shifted_up(d)), up);
            assert_eq!(list(x.shifted_down(d)), a.iter().filter_map(|i| i.checked_sub(d)).collect());
        }
        let bits = [x.intersects(y), y.intersects(y), false, x.intersects(y)];
        let mask = bits.iter().rev().fold(0, |mask, &bit| mask << 1 | u8::from(bit));
        assert_eq!(S::intersects_each([&x, &y, &S::empty(), &x], y), mask);
        for i in 0..top {
            assert_eq!(x.contains(Point::from_index(i)), a.contains(&i));
        }
        let mut less = x;
        a.iter().for_each(|&i| less.remove(Point::from_index(i)));
        assert!(less.is_empty());
    }

    proptest! {
        #[test]
        fn sets_behave_as_sets(
            a in prop::collection::btree_set(0usize..110, 0..60),
            b in prop::collection::btree_set(0usize..110, 0..4),
            spread in 1usize..7,
        ) {
            let wide = |s: &BTreeSet<usize>, to: usize| s.iter().map(|i| i * spread % to).collect();
            agrees::<Bits128>(&a, &b);
            agrees::<Bits256>(&wide(&a, 211), &wide(&b, 211));
            agrees::<Bits512>(&wide(&a, 421), &wide(&b, 421));
            agrees::<Bits768>(&wide(&a, 703), &wide(&b, 703));
        }
    }
}
