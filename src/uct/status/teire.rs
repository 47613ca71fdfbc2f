//! Points that a player has to fill before territory is counted (teire).
//!
//! Once both have passed, a dame may still threaten stones, and the answer costs
//! a point of one's own. Around such dame the rest of the game is played out: a
//! search over filling dame, which is free, filling one's own points, which costs
//! one each, and passing. Who leaves living stones in atari has lost them.

use std::collections::HashMap;

use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{G25, Geometry, Point};
use crate::shared::hash::Key;

type Bits = <G25 as Geometry>::Bits;

/// Chains with more liberties are in no danger.
const FEW_LIBERTIES: u32 = 3;
/// More dame and points in one place are a game that goes on.
const MOST_POINTS: u32 = 12;
/// Positions searched in one place.
const MOST_POSITIONS: usize = 20_000;
/// The worth of taking living stones: more than can be filled.
const TAKEN: i32 = 100;

/// A board whose owners are known, but for what has to be filled.
pub(super) struct Territory {
    pub board: Board<G25>,
    /// The stones of each player that stay.
    pub living: [Bits; 2],
    /// The empty points of each player.
    pub own: [Bits; 2],
    /// The empty points of nobody.
    pub dame: Bits,
}

impl Territory {
    /// The points of either player that have to be filled.
    pub fn fillings(mut self) -> Bits {
        self.connect();
        let (mut fillings, mut seen) = (Bits::empty(), Bits::empty());
        for dame in self.dame.and(self.board.empty_points()).iter() {
            if seen.contains(dame) {
                continue;
            }
            let place = self.place(dame);
            seen = seen.or(place);
            if place.count() > MOST_POINTS || place.and_not(self.dame).is_empty() {
                continue;
            }
            for first in Color::BOTH {
                fillings = fillings.or(Playout::new(&self, place).fillings(first));
            }
        }
        fillings
    }

    /// Fills what has to be filled already: such points are among the dame.
    fn connect(&mut self) {
        for color in Color::BOTH {
            while let Some(liberty) =
                self.last_liberties(&self.board, self.board.stones(color), color).iter().next()
            {
                if !self.dame.contains(liberty) || self.board.liberties_after(liberty, color).is_empty() {
                    break;
                }
                self.board.play(liberty, color);
                self.board.pass(color.opponent());
            }
        }
    }

    /// The liberties of those chains of `color` among `stones` that are in atari
    /// from stones that stay.
    fn last_liberties(&self, board: &Board<G25>, stones: Bits, color: Color) -> Bits {
        let stays = |stone: Point, color: Color| {
            board.color_at(stone) == Some(color)
                && (self.living[color.index()].contains(stone) || self.board.is_empty(stone))
        };
        let is_attacked = |stone: Point| {
            let around = board.chain(stone).flat_map(Board::<G25>::neighbors);
            around.into_iter().any(|near| board.on_board(near) && stays(near, color.opponent()))
        };
        let in_atari = stones.iter().filter(|&stone| stays(stone, color) && board.liberty_count(stone) == 1);
        in_atari
            .filter(|&stone| is_attacked(stone))
            .fold(Bits::empty(), |set, stone| set.or(board.liberties(stone)))
    }

    /// The dame and points that hang together with `dame` by chains of few
    /// liberties, and by such chains of the other colour beside them.
    fn place(&self, dame: Point) -> Bits {
        let open = self.dame.or(self.own[0]).or(self.own[1]).and(self.board.empty_points());
        let mut place = Bits::empty().with(dame);
        let mut unseen = vec![dame];
        while let Some(point) = unseen.pop() {
            for stone in self.weak_neighbors(point) {
                let beside = self.board.chain(stone).flat_map(|stone| self.weak_neighbors(stone));
                for chain in beside.chain([stone]) {
                    let fresh = self.board.liberties(chain).and(open).and_not(place);
                    unseen.extend(fresh.iter());
                    place = place.or(fresh);
                }
            }
        }
        place
    }

    /// Stones beside a point whose chains have few liberties.
    fn weak_neighbors(&self, point: Point) -> impl Iterator<Item = Point> {
        Board::<G25>::neighbors(point).into_iter().filter(|&near| {
            self.board.on_board(near)
                && !self.board.is_empty(near)
                && self.board.liberty_count(near) <= FEW_LIBERTIES
        })
    }
}

/// The rest of the game in one place.
struct Playout<'a> {
    territory: &'a Territory,
    place: Bits,
    /// What the player to move gains, and his best move (none is a pass), by the
    /// stones, the player, and whether the other has passed.
    seen: HashMap<(Key, Color, bool), (i32, Option<Point>)>,
}

impl<'a> Playout<'a> {
    fn new(territory: &'a Territory, place: Bits) -> Self {
        Playout { territory, place, seen: HashMap::new() }
    }

    /// The points that both fill if `first` begins and gains by it.
    fn fillings(&mut self, first: Color) -> Bits {
        let mut board = self.territory.board.clone();
        let gain = self.value(&board, first, false);
        let mut fillings = Bits::empty();
        if gain <= 0 || gain >= TAKEN / 2 || self.seen.len() >= MOST_POSITIONS {
            return fillings;
        }
        let (mut color, mut passed) = (first, false);
        while let Some(&(_, best)) = self.seen.get(&(board.key(), color, passed)) {
            match best {
                Some(point) => {
                    if self.territory.own[color.index()].contains(point) {
                        fillings.insert(point);
                    }
                    board.play(point, color);
                    board.pass(color.opponent());
                }
                None if passed => break,
                None => {}
            }
            passed = best.is_none();
            color = color.opponent();
        }
        fillings
    }

    /// The points that `color`, to move, gains on the opponent.
    fn value(&mut self, board: &Board<G25>, color: Color, passed: bool) -> i32 {
        let enemy = color.opponent();
        if self.is_in_atari(board, enemy) {
            return TAKEN;
        }
        if let Some(&(value, _)) = self.seen.get(&(board.key(), color, passed)) {
            return value;
        }
        if self.seen.len() >= MOST_POSITIONS {
            return 0;
        }
        let own = self.territory.own[color.index()];
        let mut best = (if passed { 0 } else { -self.value(board, enemy, true) }, None);
        // Dame come first: of equal moves the free one is played.
        let dame = self.place.and(self.territory.dame);
        let own_here = self.place.and(own);
        let moves = dame.iter().chain(own_here.iter());
        for point in moves.filter(|&point| board.is_empty(point)) {
            if board.liberties_after(point, color).is_empty() {
                continue;
            }
            let mut after = board.clone();
            after.play(point, color);
            after.pass(enemy);
            if self.is_in_atari(&after, color) {
                continue;
            }
            let value = -self.value(&after, enemy, false) - i32::from(own.contains(point));
            if value > best.0 {
                best = (value, Some(point));
            }
        }
        self.seen.insert((board.key(), color, passed), best);
        best.0
    }

    /// Whether the opponent can take stones of `color` that should stay.
    fn is_in_atari(&self, board: &Board<G25>, color: Color) -> bool {
        let around = self.place.iter().fold(self.place, |set, point| set.or(G25::neighbor_mask(point)));
        !self.territory.last_liberties(board, around.and(board.stones(color)), color).is_empty()
    }
}
