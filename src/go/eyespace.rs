//! Whether a group lives in one eye space when the opponent moves first.
//!
//! Benson's life asks for two eyes that are there already. Here every way is
//! tried, move by move in turn, to take the chains around a small region: what
//! is proven lives even if the opponent has filled all liberties elsewhere. A
//! ko counts for him: he is taken to find a threat each time.

use std::collections::{HashMap, HashSet};

use super::benson::{all_points, parts};
use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::geometry::{Geometry, Point};
use super::local::{Local, indices};

/// Larger regions are not tried.
const MOST_POINTS: u32 = 10;
/// After so many positions the group counts as not proven.
const MOST_POSITIONS: usize = 40_000;

/// A region without stones of its owner, and the chains around it.
struct EyeSpace {
    place: Local,
    all: u64,
    /// For each chain around the region: the points beside it.
    walls: Vec<u64>,
    /// What is known of positions: whether the owner's chains are lost there.
    known: HashMap<(Position, bool), bool>,
    /// Positions of the line that is being tried.
    line: HashSet<(Position, bool)>,
}

/// Stones in the region.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    own: u64,
    enemy: u64,
    /// The point where the owner may not take a ko back, if any.
    ko: u64,
}

/// The owner's chain is gone.
struct Lost;

/// Stones of `color` that an opponent who moves first cannot take, for they have
/// a small region that lets them live, and the empty regions of this kind.
/// Chains in `safe` cannot be taken in any case.
#[must_use]
pub fn held<G: Geometry>(board: &Board<G>, color: Color, safe: G::Bits) -> G::Bits {
    let mut held = G::Bits::empty();
    for region in parts::<G>(all_points(board).and_not(board.stones(color))) {
        let walls = Board::<G>::beside(region).and(board.stones(color)).and_not(safe);
        if walls.is_empty() || !lives(board, color, region, walls) {
            continue;
        }
        let chains = walls.iter().flat_map(|stone| board.chain(stone));
        held = chains.fold(held, G::Bits::with);
        if !region.intersects(board.stones(color.opponent())) {
            held = held.or(region);
        }
    }
    held
}

/// Whether the chains of `color` that `walls` belong to, all beside `region`,
/// cannot be taken by an opponent who moves first. `region` is a connected part
/// of the points without stones of `color`. Answers no where it is too large to
/// say.
fn lives<G: Geometry>(board: &Board<G>, color: Color, region: G::Bits, walls: G::Bits) -> bool {
    let Some(place) = Local::new::<G>(region).filter(|_| region.count() <= MOST_POINTS) else { return false };
    let mut heads: Vec<Point> = walls.iter().map(|stone| board.head(stone)).collect();
    heads.sort_unstable_by_key(|head| head.index());
    heads.dedup();
    let wall = |&head: &Point| {
        let stones = board.chain(head).fold(G::Bits::empty(), G::Bits::with);
        place.bits_beside::<G>(stones)
    };
    let (all, walls) = (place.all(), heads.iter().map(wall).collect());
    let start = Position { own: 0, enemy: place.bits::<G>(board.stones(color.opponent())), ko: 0 };
    let mut space = EyeSpace { place, all, walls, known: HashMap::new(), line: HashSet::new() };
    !space.is_lost(start, true)
}

impl EyeSpace {
    /// Whether the owner's chains are lost with the opponent to move
    /// (`attacked`), or with the owner to move.
    fn is_lost(&mut self, position: Position, attacked: bool) -> bool {
        if let Some(&lost) = self.known.get(&(position, attacked)) {
            return lost;
        }
        // What comes back is the opponent's: he goes on with a ko.
        if self.known.len() > MOST_POSITIONS || !self.line.insert((position, attacked)) {
            return true;
        }
        let empty = self.all & !position.own & !position.enemy;
        let lost = if attacked {
            points(empty).any(|point| self.falls_to(position, point))
        } else {
            let passed = Position { ko: 0, ..position };
            self.is_lost(passed, true)
                && !points(empty & !position.ko).any(|point| self.saves(position, point))
        };
        self.line.remove(&(position, attacked));
        self.known.insert((position, attacked), lost);
        lost
    }

    /// Whether an attack at `point` takes the owner's chains in the end.
    fn falls_to(&mut self, position: Position, point: u64) -> bool {
        match self.attacked_at(position, point) {
            Ok(Some(next)) => self.is_lost(next, false),
            Ok(None) => false,
            Err(Lost) => true,
        }
    }

    /// Whether a move of the owner's at `point` saves his chains.
    fn saves(&mut self, position: Position, point: u64) -> bool {
        let own = position.own | point;
        let mut enemy = position.enemy;
        for chain in self.place.parts(position.enemy) {
            let empty = self.all & !own & !enemy;
            if self.place.beside(chain) & point != 0 && self.place.beside(chain) & empty == 0 {
                enemy &= !chain;
            }
        }
        let next = Position { own, enemy, ko: 0 };
        self.breathless(next) == 0
            && !self.walls_fall(next)
            && !self.line.contains(&(next, true))
            && !self.is_lost(next, true)
    }

    /// The position after an enemy stone at `point`, `None` if it is suicide.
    fn attacked_at(&self, position: Position, point: u64) -> Result<Option<Position>, Lost> {
        let mut next = Position { enemy: position.enemy | point, ..position };
        next.ko = 0;
        if self.walls_fall(next) {
            return Err(Lost);
        }
        let taken = self.breathless(next);
        next.own &= !taken;
        let chain = self.place.flood(point, next.enemy);
        let liberties = self.place.beside(chain) & self.all & !next.own & !next.enemy;
        if liberties == 0 {
            return Ok(None);
        }
        if taken.count_ones() == 1 && chain == point && liberties == taken {
            next.ko = taken;
        }
        Ok(Some(next))
    }

    /// Own stones in the region without a liberty, those that are connected to a
    /// chain around it apart.
    fn breathless(&self, position: Position) -> u64 {
        let empty = self.all & !position.own & !position.enemy;
        let free = |&chain: &u64| self.place.beside(chain) & empty == 0 && !self.touches_wall(chain);
        self.place.parts(position.own).filter(free).fold(0, |all, chain| all | chain)
    }

    fn touches_wall(&self, chain: u64) -> bool {
        self.walls.iter().any(|wall| wall & chain != 0)
    }

    /// Whether a chain around the region has no liberty left in it.
    fn walls_fall(&self, position: Position) -> bool {
        let empty = self.all & !position.own & !position.enemy;
        let parts: Vec<u64> = self.place.parts(position.own).collect();
        self.walls.iter().any(|&wall| {
            // Chains that own stones connect share their liberties.
            let (mut reach, mut last) = (wall, 0);
            while reach != last {
                last = reach;
                for &part in parts.iter().filter(|&&part| part & last != 0) {
                    reach |= self.place.beside(part) | part;
                    let joined = self.walls.iter().filter(|&&other| other & part != 0);
                    reach = joined.fold(reach, |reach, other| reach | other);
                }
            }
            reach & empty == 0
        })
    }
}

/// The points of a set, each a set of its own.
fn points(set: u64) -> impl Iterator<Item = u64> {
    indices(set).map(|index| 1 << index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G9;

    /// Whether White (`o`) holds the group in a diagram of 9x9's upper left;
    /// Black stones are `x`. What is not shown is empty.
    fn white_lives(diagram: &[&str]) -> bool {
        let mut board = Board::<G9>::new(Size::square(9).unwrap());
        let mut first = None;
        for (y, row) in diagram.iter().enumerate() {
            for (x, stone) in row.bytes().enumerate() {
                let point = board.point(Coord { x: x as u8, y: y as u8 });
                let color = match stone {
                    b'o' => Color::White,
                    b'x' => Color::Black,
                    _ => continue,
                };
                assert!(board.place(point, color), "{diagram:?}");
                first = first.or(Some(point).filter(|_| color == Color::White));
            }
        }
        held(&board, Color::White, <G9 as Geometry>::Bits::empty()).contains(first.unwrap())
    }

    #[test]
    fn shapes_of_four_and_more() {
        assert!(white_lives(&["....oo", "ooooo."]), "straight four");
        assert!(white_lives(&[".ooooo", "oo...o", ".o.ooo", ".ooo.."]), "bent four");
        assert!(white_lives(&[".oooo.", "oo..oo", "o..ooo", "oooo.."]), "zigzag four");
        assert!(white_lives(&[".....o", "oooooo"]), "straight five");
        assert!(white_lives(&["oooooo", "o....o", "o.oooo", "oooo.."]), "a bent five");
        assert!(white_lives(&["ooooo", "o...o", "o...o", "ooooo"]), "two rows of three");
    }

    #[test]
    fn shapes_that_one_stone_kills() {
        assert!(!white_lives(&["..oo", "oooo"]), "two");
        assert!(!white_lives(&["...oo", "ooooo"]), "straight three");
        assert!(!white_lives(&["oooo", "o..o", "o..o", "oooo"]), "square four");
        assert!(!white_lives(&["ooooo", "o...o", "oo.oo", ".ooo."]), "pyramid four");
        assert!(!white_lives(&["ooooo", "o...o", "o..oo", "oooo."]), "bulky five");
        assert!(!white_lives(&[".ooo.", "oo.oo", "o...o", "oo.oo", ".ooo."]), "crossed five");
        assert!(
            !white_lives(&["...o", "...o", "oooo"]),
            "two rows of three in the corner, without liberties outside"
        );
    }

    #[test]
    fn stones_in_the_eye_count() {
        assert!(!white_lives(&[".x..oo", "ooooo."]), "on a vital point of the straight four");
        assert!(white_lives(&["x...oo", "ooooo."]), "at its end");
        assert!(!white_lives(&["xx..oo", "ooooo."]), "two of the straight four: four in a row, then three");
    }
}
