//! Whether a player who is shut in can live when he alone moves.
//!
//! All that he can do in a closed region is tried, as long as it is small.
//! Points have numbers of their own in it, so that sets are single words.

use std::collections::HashSet;

use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::geometry::{Geometry, Point};

/// More positions than this are not tried: the player may live then.
const MOST_POSITIONS: usize = 3000;
/// More enemy chains than this are not looked at one by one.
const MOST_CHAINS: usize = 5;

/// Stones in a region, a bit for each of its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stones {
    /// Of the player who is shut in.
    own: u64,
    /// Of the other.
    enemy: u64,
}

/// A region between living enemy stones.
struct Siege {
    /// The neighbours of each point within the region.
    near: Vec<u64>,
    all: u64,
    /// Points that living enemy stones touch.
    edge: u64,
    stones: Stones,
}

/// Whether `color` can get chains that live (in Benson's sense) in `region`,
/// when the opponent always passes. `living` are stones of the opponent that
/// cannot be taken, and all that `region` touches. Answers yes where the region
/// is too large to say.
pub(super) fn can_live<G: Geometry>(
    board: &Board<G>,
    color: Color,
    region: G::Bits,
    living: G::Bits,
) -> bool {
    Siege::new(board, color, region, living).is_none_or(|siege| siege.can_live())
}

impl Siege {
    /// `None` if the region is too large.
    fn new<G: Geometry>(board: &Board<G>, color: Color, region: G::Bits, living: G::Bits) -> Option<Self> {
        let points: Vec<Point> = region.iter().collect();
        if points.len() > 64 {
            return None;
        }
        let bits = |set: G::Bits| {
            let members = points.iter().enumerate().filter(|(_, point)| set.contains(**point));
            members.fold(0, |bits, (index, _)| bits | 1 << index)
        };
        let near = points.iter().map(|&point| bits(G::neighbor_mask(point))).collect();
        let stones = Stones { own: bits(board.stones(color)), enemy: bits(board.stones(color.opponent())) };
        Some(Siege { near, all: bits(region), edge: bits(Board::<G>::beside(living)), stones })
    }

    fn can_live(&self) -> bool {
        if !self.may_get_two_eyes(self.stones) {
            return false;
        }
        let mut seen = HashSet::from([self.stones]);
        let mut open = vec![self.stones];
        while let Some(stones) = open.pop() {
            if self.lives(stones) || seen.len() > MOST_POSITIONS {
                return true;
            }
            // The last pushed is tried first: points that can be no eye.
            let empty = self.empty(stones);
            for point in bits(empty & !self.edge).chain(bits(empty & self.edge)) {
                let Some(next) = self.played(stones, point) else { continue };
                if seen.insert(next) && self.may_get_two_eyes(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    fn empty(&self, stones: Stones) -> u64 {
        self.all & !stones.own & !stones.enemy
    }

    /// Whether two eyes may still come about. Each enemy chain stays for ever,
    /// and is in one eye at most, or is taken: then all its liberties have been
    /// filled. An eye without an enemy chain that stays is a point beside none.
    fn may_get_two_eyes(&self, stones: Stones) -> bool {
        let chains: Vec<u64> = self.parts(stones.enemy).collect();
        if chains.len() > MOST_CHAINS {
            return true;
        }
        let empty = self.empty(stones);
        (0_u32..1 << chains.len()).any(|taken| {
            let (mut filled, mut staying, mut eyes) = (stones.own, 0, 0);
            for (index, &chain) in chains.iter().enumerate() {
                if taken >> index & 1 != 0 {
                    filled |= self.beside(chain) & empty;
                } else {
                    staying |= chain;
                    eyes += 1;
                }
            }
            let points = self.all & !self.edge & !filled & !staying & !self.beside(staying);
            match eyes {
                0 => bits(points).any(|point| points & !(1 << point) & !self.near[point] != 0),
                1 => points != 0,
                _ => true,
            }
        })
    }

    fn beside(&self, set: u64) -> u64 {
        bits(set).fold(0, |near, point| near | self.near[point])
    }

    fn flood(&self, from: u64, within: u64) -> u64 {
        let (mut reached, mut last) = (from, from);
        while last != 0 {
            last = self.beside(last) & within & !reached;
            reached |= last;
        }
        reached
    }

    /// The connected parts of a set.
    fn parts(&self, mut set: u64) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || {
            (set != 0).then(|| {
                let part = self.flood(set & set.wrapping_neg(), set);
                set &= !part;
                part
            })
        })
    }

    /// The stones after an own move at `point`, unless it is suicide.
    fn played(&self, stones: Stones, point: usize) -> Option<Stones> {
        let mut after = Stones { own: stones.own | 1 << point, ..stones };
        let empty = self.empty(after);
        for chain in self.parts(stones.enemy) {
            if chain & self.near[point] != 0 && self.beside(chain) & empty == 0 {
                after.enemy &= !chain;
            }
        }
        let chain = self.flood(1 << point, after.own);
        (self.beside(chain) & self.empty(after) != 0).then_some(after)
    }

    /// Whether an own chain lives, by Benson's conditions.
    fn lives(&self, stones: Stones) -> bool {
        let mut chains: Vec<u64> = self.parts(stones.own).collect();
        let empty = self.empty(stones);
        let mut regions: Vec<u64> =
            self.parts(self.all & !stones.own).filter(|region| region & self.edge == 0).collect();
        while !chains.is_empty() {
            let is_vital = |region: &&u64, chain: u64| *region & empty & !self.beside(chain) == 0;
            let lives =
                |chain: &u64| regions.iter().filter(|region| is_vital(region, *chain)).nth(1).is_some();
            let (living, dropped): (Vec<u64>, Vec<u64>) = chains.into_iter().partition(lives);
            if dropped.is_empty() {
                return true;
            }
            regions.retain(|region| !dropped.iter().any(|&chain| self.beside(chain) & region != 0));
            chains = living;
        }
        false
    }
}

/// The numbers of the bits that are set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit
        })
    })
}
