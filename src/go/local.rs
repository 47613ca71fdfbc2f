//! A small part of the board whose points have numbers of their own, so that
//! sets of them are single words.

use super::bits::PointSet;
use super::board::Board;
use super::geometry::{Geometry, Point};

/// The most points that can be numbered.
const MOST_POINTS: usize = 64;

/// A part of the board. Its sets have a bit for each point.
pub(super) struct Local {
    points: Vec<Point>,
    near: Vec<u64>,
}

impl Local {
    /// The points of `part`; `None` if there are too many.
    pub fn new<G: Geometry>(part: G::Bits) -> Option<Self> {
        let points: Vec<Point> = part.iter().collect();
        if points.len() > MOST_POINTS {
            return None;
        }
        let mut local = Local { points, near: Vec::new() };
        local.near = local.points.iter().map(|&point| local.bits::<G>(G::neighbor_mask(point))).collect();
        Some(local)
    }

    /// Those points of a set that are in this part.
    pub fn bits<G: Geometry>(&self, set: G::Bits) -> u64 {
        let members = self.points.iter().enumerate().filter(|(_, point)| set.contains(**point));
        members.fold(0, |bits, (index, _)| bits | 1 << index)
    }

    /// The same for the points beside a set.
    pub fn bits_beside<G: Geometry>(&self, set: G::Bits) -> u64 {
        self.bits::<G>(Board::<G>::beside(set))
    }

    /// All points.
    pub fn all(&self) -> u64 {
        u64::MAX.checked_shr((MOST_POINTS - self.points.len()) as u32).unwrap_or(0)
    }

    /// The neighbours of the point with a number.
    pub fn near(&self, index: usize) -> u64 {
        self.near[index]
    }

    /// The neighbours of the points in a set.
    pub fn beside(&self, set: u64) -> u64 {
        indices(set).fold(0, |near, index| near | self.near[index])
    }

    /// What hangs together with `from` within a set.
    pub fn flood(&self, from: u64, within: u64) -> u64 {
        let (mut reached, mut last) = (from, from);
        while last != 0 {
            last = self.beside(last) & within & !reached;
            reached |= last;
        }
        reached
    }

    /// The connected parts of a set.
    pub fn parts(&self, mut set: u64) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || {
            (set != 0).then(|| {
                let part = self.flood(set & set.wrapping_neg(), set);
                set &= !part;
                part
            })
        })
    }
}

/// The numbers of the points in a set.
pub(super) fn indices(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            index
        })
    })
}
