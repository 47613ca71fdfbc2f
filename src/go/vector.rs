//! Sets of points in vector registers, for processors with AVX2: the same sets
//! as [`super::bits::Words`], with each operation one instruction. The largest
//! takes one register with AVX-512 and two without.

use std::arch::x86_64::*;
use std::mem::transmute;

use super::bits::{PointSet, Words};
use super::geometry::Point;

macro_rules! vector_set {
    (
        $name:ident, $register:ty, $words:literal, $lanes:expr,
        $load:ident, $and:ident, $or:ident, $and_not:ident, $meet:path, $set1:ident, $sub:ident,
        $shift:ident, $each:path
    ) => {
        #[doc = concat!("A set of ", $words, " words in one register.")]
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name($register);

        // "As above" in the blocks below: this module is compiled only where the
        // instruction sets that it uses are enabled for the whole program, and
        // a register and an array of its words convert into each other freely.
        impl $name {
            #[inline(always)]
            fn from_words(words: [u64; $words]) -> Self {
                // SAFETY: as above.
                $name(unsafe { transmute::<[u64; $words], $register>(words) })
            }

            #[inline(always)]
            fn to_words(self) -> [u64; $words] {
                // SAFETY: as above.
                unsafe { transmute::<$register, [u64; $words]>(self.0) }
            }

            #[inline(always)]
            fn portable(self) -> Words<$words> {
                Words::from(self.to_words())
            }

            #[inline(always)]
            fn single(point: Point) -> Self {
                const FIRST_BITS: [i64; $words] = $lanes;
                // A shift by 64 or more, as an unsigned number, gives zero.
                // SAFETY: as above.
                $name(unsafe {
                    let first = transmute::<[i64; $words], $register>(FIRST_BITS);
                    $shift($set1(1), $sub($set1(point.index() as i64), first))
                })
            }
        }

        impl Default for $name {
            #[inline(always)]
            fn default() -> Self {
                Self::from_words([0; $words])
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                self.to_words() == other.to_words()
            }
        }

        impl Eq for $name {}

        impl PointSet for $name {
            const BYTES: usize = $words * 8;

            #[inline(always)]
            fn from_le_bytes(bytes: &[u8]) -> Self {
                let bytes: &[u8; $words * 8] = bytes.first_chunk().expect("a window of the set's size");
                // SAFETY: as above; the array is as long as the register, and
                // the load needs no alignment.
                $name(unsafe { $load(bytes.as_ptr().cast()) })
            }

            #[inline(always)]
            fn words(&self) -> impl AsRef<[u64]> + Copy {
                self.to_words()
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $and(self.0, other.0) })
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $or(self.0, other.0) })
            }

            #[inline(always)]
            fn and_not(self, other: Self) -> Self {
                // SAFETY: as above.
                $name(unsafe { $and_not(other.0, self.0) })
            }

            #[inline(always)]
            fn intersects(self, other: Self) -> bool {
                $meet(self.0, other.0)
            }

            #[inline]
            fn shifted_up(self, distance: usize) -> Self {
                Self::from_words(self.portable().shifted_up(distance).into())
            }

            #[inline]
            fn shifted_down(self, distance: usize) -> Self {
                Self::from_words(self.portable().shifted_down(distance).into())
            }

            #[inline(always)]
            fn insert(&mut self, point: Point) {
                *self = self.or(Self::single(point));
            }

            #[inline(always)]
            fn remove(&mut self, point: Point) {
                *self = self.and_not(Self::single(point));
            }

            #[inline(always)]
            fn contains(&self, point: Point) -> bool {
                self.intersects(Self::single(point))
            }

            #[inline(always)]
            fn intersects_each(sets: [&Self; 4], with: Self) -> u8 {
                $each(sets, with)
            }
        }
    };
}

vector_set!(
    Vector128,
    __m128i,
    2,
    [0, 64],
    _mm_loadu_si128,
    _mm_and_si128,
    _mm_or_si128,
    _mm_andnot_si128,
    meet_128,
    _mm_set1_epi64x,
    _mm_sub_epi64,
    _mm_sllv_epi64,
    each_by_flags
);
vector_set!(
    Vector256,
    __m256i,
    4,
    [0, 64, 128, 192],
    _mm256_loadu_si256,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_andnot_si256,
    meet_256,
    _mm256_set1_epi64x,
    _mm256_sub_epi64,
    _mm256_sllv_epi64,
    each_by_flags
);
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
vector_set!(
    Vector512,
    __m512i,
    8,
    [0, 64, 128, 192, 256, 320, 384, 448],
    _mm512_loadu_si512,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_andnot_si512,
    meet_512,
    _mm512_set1_epi64,
    _mm512_sub_epi64,
    _mm512_sllv_epi64,
    each_by_masks
);

/// Whether two registers share a bit.
#[inline(always)]
fn meet_128(a: __m128i, b: __m128i) -> bool {
    // SAFETY: the instruction sets are enabled for the whole program.
    unsafe { _mm_testz_si128(a, b) == 0 }
}

/// [`meet_128`] for registers of 256 bits.
#[inline(always)]
fn meet_256(a: __m256i, b: __m256i) -> bool {
    // SAFETY: as for `meet_128`.
    unsafe { _mm256_testz_si256(a, b) == 0 }
}

/// [`meet_128`] for registers of 512 bits.
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
#[inline(always)]
fn meet_512(a: __m512i, b: __m512i) -> bool {
    // SAFETY: as for `meet_128`.
    unsafe { _mm512_test_epi64_mask(a, b) != 0 }
}

/// A set of 8 words in two registers, for processors without AVX-512.
#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
pub type Vector512 = Pair<Vector256>;

/// Two sets end to end.
#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair<S>(S, S);

#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
mod pair {
    use super::{Pair, Vector256};
    use crate::go::bits::{PointSet, Words};
    use crate::go::geometry::Point;

    /// The number of points in the lower set.
    const HALF: usize = Vector256::BYTES * 8;

    impl Pair<Vector256> {
        #[inline(always)]
        fn to_words(self) -> [u64; 8] {
            let (low, high) = (self.0.to_words(), self.1.to_words());
            std::array::from_fn(|i| if i < 4 { low[i] } else { high[i - 4] })
        }

        #[inline(always)]
        fn from_words(words: [u64; 8]) -> Self {
            let half = |from: usize| Vector256::from_words(std::array::from_fn(|i| words[from + i]));
            Pair(half(0), half(4))
        }

        #[inline(always)]
        fn single(point: Point) -> Self {
            // Outside its half a point makes an empty set.
            let above = Point::from_index(point.index().wrapping_sub(HALF));
            Pair(Vector256::single(point), Vector256::single(above))
        }
    }

    impl PointSet for Pair<Vector256> {
        const BYTES: usize = 2 * Vector256::BYTES;

        #[inline(always)]
        fn from_le_bytes(bytes: &[u8]) -> Self {
            let (low, high) = bytes.split_at(Vector256::BYTES);
            Pair(Vector256::from_le_bytes(low), Vector256::from_le_bytes(high))
        }

        #[inline(always)]
        fn words(&self) -> impl AsRef<[u64]> + Copy {
            self.to_words()
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Pair(self.0.and(other.0), self.1.and(other.1))
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Pair(self.0.or(other.0), self.1.or(other.1))
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Pair(self.0.and_not(other.0), self.1.and_not(other.1))
        }

        #[inline(always)]
        fn intersects(self, other: Self) -> bool {
            let common = self.and(other);
            let any = common.0.or(common.1);
            any.intersects(any)
        }

        #[inline]
        fn shifted_up(self, distance: usize) -> Self {
            Self::from_words(Words::from(self.to_words()).shifted_up(distance).into())
        }

        #[inline]
        fn shifted_down(self, distance: usize) -> Self {
            Self::from_words(Words::from(self.to_words()).shifted_down(distance).into())
        }

        #[inline(always)]
        fn insert(&mut self, point: Point) {
            *self = self.or(Self::single(point));
        }

        #[inline(always)]
        fn remove(&mut self, point: Point) {
            *self = self.and_not(Self::single(point));
        }

        #[inline(always)]
        fn contains(&self, point: Point) -> bool {
            self.intersects(Self::single(point))
        }
    }
}

#[inline(always)]
fn each_by_flags<S: PointSet>(sets: [&S; 4], with: S) -> u8 {
    (0..4).fold(0, |mask, i| mask | u8::from(sets[i].intersects(with)) << i)
}

/// One bit for each set that shares a point with another. A mask of words is
/// at most 7 bits long, as bits from 448 on are never used, so adding 127
/// carries into the eighth bit if and only if it is not zero.
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
#[inline(always)]
fn each_by_masks(sets: [&Vector512; 4], with: Vector512) -> u8 {
    // SAFETY: the instruction sets are enabled for the whole program.
    unsafe {
        let mask = |i: usize| u32::from(_mm512_test_epi64_mask(sets[i].0, with.0)) << (8 * i);
        let words = mask(0) | mask(1) | mask(2) | mask(3);
        _pext_u32(words.wrapping_add(0x7f7f_7f7f), 0x8080_8080) as u8
    }
}
