//! Whether a player who is shut in can live, however many moves in a row he
//! makes before the other begins.
//!
//! The defender, as he is called here, is shut in by stones of the attacker's
//! that live. First he fills all he can: points beside living stones are never
//! eyes, take liberties and connect. What is left falls apart into rooms. In
//! a room without attacking stones his eyes are counted as GNU Go's manual
//! does (the section on unconditional life): he plays where that splits an eye
//! space. Attacking stones in a room he takes, if that gives him two eyes. If it
//! does not, both may live in seki, which is tried out move by move in turn.

use std::collections::{HashMap, HashSet};

use super::benson::parts;
use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::geometry::{Geometry, Point};
use super::local::{Local, indices};

/// With more empty points in a room than this seki is not ruled out.
const MOST_EMPTY: u32 = 12;
/// After so many positions seki is not ruled out.
const MOST_POSITIONS: usize = 8_000;

/// The points of `region` where `defender` cannot get a chain that lives.
/// `living` are stones of the attacker's that cannot be taken, and all that
/// `region` touches. What is not decided within bounds is left out.
pub(super) fn lost_points<G: Geometry>(
    board: &Board<G>,
    defender: Color,
    region: G::Bits,
    living: G::Bits,
) -> G::Bits {
    let attacker = board.stones(defender.opponent()).and(region);
    let mut siege =
        Siege::<G> { region, own: board.stones(defender).and(region), enemy: attacker, wall: living };
    siege.fill();
    let rooms = parts::<G>(region.and_not(siege.wall)).into_iter();
    let held = rooms.filter(|&room| siege.room(room).may_live());
    region.and_not(held.fold(G::Bits::empty(), G::Bits::or))
}

/// A region, or a room of one.
struct Siege<G: Geometry> {
    region: G::Bits,
    /// The defender's stones.
    own: G::Bits,
    /// The attacker's that can be taken.
    enemy: G::Bits,
    /// The attacker's that cannot, and what they have taken.
    wall: G::Bits,
}

impl<G: Geometry> Siege<G> {
    fn room(&self, room: G::Bits) -> Self {
        Siege { region: room, own: self.own.and(room), enemy: self.enemy.and(room), wall: self.wall }
    }

    fn empty(&self) -> G::Bits {
        self.region.and_not(self.own).and_not(self.enemy).and_not(self.wall)
    }

    fn liberties(&self, chain: G::Bits) -> G::Bits {
        Board::<G>::beside(chain).and(self.empty())
    }

    /// Fills the points beside the wall. Chains that have no others fall, and
    /// belong to the wall then.
    fn fill(&mut self) {
        loop {
            let edge = Board::<G>::beside(self.wall).and(self.empty());
            self.own = self.own.or(edge);
            let relieved = parts::<G>(self.enemy).into_iter().filter(|&chain| self.touches_wall(chain));
            let relieved = relieved.fold(G::Bits::empty(), G::Bits::or);
            self.enemy = self.enemy.and_not(relieved);
            self.wall = self.wall.or(relieved);
            let taken = self.breathless(self.enemy);
            self.enemy = self.enemy.and_not(taken);
            let fallen = self.breathless(self.own);
            self.own = self.own.and_not(fallen);
            self.wall = self.wall.or(fallen);
            if edge.or(relieved).or(taken).or(fallen).is_empty() {
                return;
            }
        }
    }

    fn touches_wall(&self, chain: G::Bits) -> bool {
        Board::<G>::beside(chain).intersects(self.wall)
    }

    /// The chains of `stones` that have no liberty.
    fn breathless(&self, stones: G::Bits) -> G::Bits {
        let chains = parts::<G>(stones).into_iter().filter(|&chain| self.liberties(chain).is_empty());
        chains.fold(G::Bits::empty(), G::Bits::or)
    }

    /// Whether the defender may live in this room: with two eyes, or in seki.
    fn may_live(&self) -> bool {
        let filled = Siege { ..*self }.with_eyes_split();
        let lives = parts::<G>(filled.own).into_iter().any(|chain| filled.liberties(chain).count() > 1);
        lives || (!self.enemy.is_empty() && Seki::of(self).is_none_or(|mut seki| seki.is_possible()))
    }

    /// The room when the defender has taken what there is to take, and has then
    /// made as many eyes as he can.
    fn with_eyes_split(mut self) -> Self {
        while self.plays(Self::takes) || self.plays(Self::extends) || self.plays(|room| room.splits(2)) {}
        while self.plays(Self::extends) || self.plays(|room| room.splits(1)) {}
        self
    }

    /// Liberties of the attacker's stones.
    fn takes(&self) -> G::Bits {
        self.liberties(self.enemy)
    }

    /// The last liberties of the defender's chains.
    fn extends(&self) -> G::Bits {
        let last = parts::<G>(self.own).into_iter().filter_map(|chain| self.liberties(chain).only());
        last.fold(G::Bits::empty(), G::Bits::with)
    }

    /// Empty points with at least so many empty neighbours.
    fn splits(&self, least: u32) -> G::Bits {
        let empty = self.empty();
        let open = |point: &Point| G::neighbor_mask(*point).and(empty).count() >= least;
        empty.iter().filter(open).fold(G::Bits::empty(), G::Bits::with)
    }

    /// Plays at the points that `moves` gives one after another, as long as it
    /// does, without suicide. Whether there was one to play at.
    fn plays(&mut self, moves: impl Fn(&Self) -> G::Bits) -> bool {
        let mut open = moves(self);
        let mut has_played = false;
        while let Some(point) = open.first() {
            open.remove(point);
            if self.plays_at(point) {
                has_played = true;
                open = open.and(moves(self));
            }
        }
        has_played
    }

    /// Plays at an empty point, unless it is suicide.
    fn plays_at(&mut self, point: Point) -> bool {
        let mut next = Siege { own: self.own.with(point), ..*self };
        if Board::<G>::beside(G::single(point)).intersects(self.enemy) {
            next.enemy = next.enemy.and_not(next.breathless(next.enemy));
        }
        let is_free = |stones: G::Bits| !next.liberties(stones).is_empty();
        if !is_free(G::single(point)) && !is_free(Board::<G>::flood(G::single(point), next.own)) {
            return false;
        }
        *self = next;
        true
    }
}

/// A room with attacking stones, played out in turn.
struct Seki {
    place: Local,
    all: u64,
    start: Position,
    /// What is known of positions: whether the attacker takes all.
    known: HashMap<(Position, bool), bool>,
    /// Positions of the line that is being tried.
    line: HashSet<(Position, bool)>,
}

/// Stones in a room, a bit for each of its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Position {
    own: u64,
    enemy: u64,
    /// What the attacker has taken: it counts as his, and lives.
    fallen: u64,
}

impl Seki {
    /// `None` if the room is too large.
    fn of<G: Geometry>(room: &Siege<G>) -> Option<Self> {
        let place = Local::new::<G>(room.region).filter(|_| room.empty().count() <= MOST_EMPTY)?;
        let [own, enemy] = [room.own, room.enemy].map(|stones| place.bits::<G>(stones));
        let (all, start) = (place.all(), Position { own, enemy, fallen: 0 });
        Some(Seki { place, all, start, known: HashMap::new(), line: HashSet::new() })
    }

    /// Whether the defender, after any number of moves, has stones that an
    /// attacker who moves then cannot take.
    fn is_possible(&mut self) -> bool {
        let mut seen = HashSet::from([self.start]);
        let mut open = vec![self.start];
        while let Some(position) = open.pop() {
            if !self.is_lost(position, true) {
                return true;
            }
            let next = indices(self.empty(position)).filter_map(|point| self.defended_at(position, point));
            open.extend(next.filter(|next| seen.insert(*next)));
        }
        false
    }

    fn empty(&self, position: Position) -> u64 {
        self.all & !position.own & !position.enemy & !position.fallen
    }

    /// Whether all of the defender's chains are taken in the end with the
    /// attacker to move (`attacked`), or with the defender to move.
    fn is_lost(&mut self, position: Position, attacked: bool) -> bool {
        if position.own == 0 {
            return true;
        }
        if let Some(&lost) = self.known.get(&(position, attacked)) {
            return lost;
        }
        // Who has to repeat himself has not taken anything.
        if self.known.len() > MOST_POSITIONS || !self.line.insert((position, attacked)) {
            return false;
        }
        let lost = if attacked {
            let moves = indices(self.empty(position)).filter_map(|point| self.attacked_at(position, point));
            let moves: Vec<Position> = moves.collect();
            moves.into_iter().any(|next| self.is_lost(next, false))
        } else {
            let moves = indices(self.empty(position)).filter_map(|point| self.defended_at(position, point));
            let moves: Vec<Position> = moves.collect();
            self.is_lost(position, true) && moves.into_iter().all(|next| self.is_lost(next, true))
        };
        self.line.remove(&(position, attacked));
        self.known.insert((position, attacked), lost);
        lost
    }

    /// The position after a move of the defender's, `None` if it is suicide.
    fn defended_at(&self, position: Position, point: usize) -> Option<Position> {
        let mut next = Position { own: position.own | 1 << point, ..position };
        for chain in self.place.parts(position.enemy) {
            let breath = self.empty(next) | position.fallen;
            if chain & self.place.near(point) != 0 && self.place.beside(chain) & breath == 0 {
                next.enemy &= !chain;
            }
        }
        let chain = self.place.flood(1 << point, next.own);
        (self.place.beside(chain) & self.empty(next) != 0).then_some(next)
    }

    /// The position after a move of the attacker's, `None` if it is suicide.
    fn attacked_at(&self, position: Position, point: usize) -> Option<Position> {
        let mut next = Position { enemy: position.enemy | 1 << point, ..position };
        for chain in self.place.parts(position.own) {
            if chain & self.place.near(point) != 0 && self.place.beside(chain) & self.empty(next) == 0 {
                next.own &= !chain;
                next.fallen |= chain;
            }
        }
        let chain = self.place.flood(1 << point, next.enemy);
        (self.place.beside(chain) & (self.empty(next) | next.fallen) != 0).then_some(next)
    }
}
