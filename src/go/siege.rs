//! Whether a player who is shut in can live when he alone moves.
//!
//! All that he can do in a closed region is tried, as long as it is small.

use std::collections::HashSet;

use super::board::Board;
use super::color::Color;
use super::geometry::Geometry;
use super::local::{Local, indices};

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
    place: Local,
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
        let place = Local::new::<G>(region)?;
        let [own, enemy] = [color, color.opponent()].map(|color| place.bits::<G>(board.stones(color)));
        let (all, edge) = (place.all(), place.bits_beside::<G>(living));
        Some(Siege { place, all, edge, stones: Stones { own, enemy } })
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
            for point in indices(empty & !self.edge).chain(indices(empty & self.edge)) {
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
        let chains: Vec<u64> = self.place.parts(stones.enemy).collect();
        if chains.len() > MOST_CHAINS {
            return true;
        }
        let empty = self.empty(stones);
        (0_u32..1 << chains.len()).any(|taken| {
            let (mut filled, mut staying, mut eyes) = (stones.own, 0, 0);
            for (index, &chain) in chains.iter().enumerate() {
                if taken >> index & 1 != 0 {
                    filled |= self.place.beside(chain) & empty;
                } else {
                    staying |= chain;
                    eyes += 1;
                }
            }
            let points = self.all & !self.edge & !filled & !staying & !self.place.beside(staying);
            match eyes {
                0 => indices(points).any(|point| points & !(1 << point) & !self.place.near(point) != 0),
                1 => points != 0,
                _ => true,
            }
        })
    }

    /// The stones after an own move at `point`, unless it is suicide.
    fn played(&self, stones: Stones, point: usize) -> Option<Stones> {
        let mut after = Stones { own: stones.own | 1 << point, ..stones };
        let empty = self.empty(after);
        for chain in self.place.parts(stones.enemy) {
            if chain & self.place.near(point) != 0 && self.place.beside(chain) & empty == 0 {
                after.enemy &= !chain;
            }
        }
        let chain = self.place.flood(1 << point, after.own);
        (self.place.beside(chain) & self.empty(after) != 0).then_some(after)
    }

    /// Whether an own chain lives, by Benson's conditions.
    fn lives(&self, stones: Stones) -> bool {
        let mut chains: Vec<u64> = self.place.parts(stones.own).collect();
        let empty = self.empty(stones);
        let mut regions: Vec<u64> =
            self.place.parts(self.all & !stones.own).filter(|region| region & self.edge == 0).collect();
        while !chains.is_empty() {
            let is_vital = |region: &&u64, chain: u64| *region & empty & !self.place.beside(chain) == 0;
            let lives =
                |chain: &u64| regions.iter().filter(|region| is_vital(region, *chain)).nth(1).is_some();
            let (living, dropped): (Vec<u64>, Vec<u64>) = chains.into_iter().partition(lives);
            if dropped.is_empty() {
                return true;
            }
            regions.retain(|region| !dropped.iter().any(|&chain| self.place.beside(chain) & region != 0));
            chains = living;
        }
        false
    }
}
