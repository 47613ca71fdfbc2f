//! Moves: which are legal, what they lead to, and playing them.

use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::contact::{ALL, Contact, Contacts};
use super::coord::{Coord, Size};
use super::geometry::{Geometry, Point};
use super::zobrist;
use crate::shared::hash::Key;

const BLACK: usize = Color::Black as usize;
const WHITE: usize = Color::White as usize;

impl<G: Geometry> Board<G> {
    /// A position from its stones; `None` if two share a point, one is off the
    /// board or a chain has no liberty.
    #[must_use]
    pub fn from_stones(size: Size, stones: impl IntoIterator<Item = (Coord, Color)>) -> Option<Self> {
        let mut board = Self::new(size);
        for (coord, color) in stones {
            if !size.contains(coord) || !board.is_empty(G::point(coord)) {
                return None;
            }
            board.put(G::point(coord), color);
        }
        let breathes = |point: Point| board.is_empty(point) || !board.liberties(point).is_empty();
        board.points().all(breathes).then_some(board)
    }

    /// Sets up a stone on an empty point. Takes nothing, and forgets ko and
    /// last moves. Refused, with the board unchanged, if that would leave a
    /// chain without liberties.
    #[must_use = "a refusal must be handled"]
    pub fn place(&mut self, point: Point, color: Color) -> bool {
        if self.would_capture(point, color) || self.liberties_after(point, color).is_empty() {
            return false;
        }
        self.revive_dead();
        self.put(point, color);
        self.ko = Point::NONE;
        self.last = [Point::NONE; 2];
        self.checked();
        true
    }

    /// Whether `color` may play at `point` under the rule of simple ko.
    /// `suicide` says whether a player may take his own chains of two stones
    /// or more; a single stone never.
    #[must_use]
    #[inline]
    pub fn is_legal(&self, point: Point, color: Color, suicide: bool) -> bool {
        if !self.is_empty(point) {
            return false;
        }
        let contact = self.contacts.contact(point, color);
        if contact.open != 0 {
            return true;
        }
        if point == self.ko && contact.own == 0 {
            return false;
        }
        let breathing = self.breathing_around(point);
        let captures = contact.enemy & !breathing != 0;
        captures || contact.own & breathing != 0 || (suicide && contact.own != 0)
    }

    /// On which sides of the empty `point` chains have a liberty elsewhere.
    #[inline(always)]
    fn breathing_around(&self, point: Point) -> u8 {
        let elsewhere = self.empty_points().and_not(G::single(point));
        self.chains.touching(&self.chains.heads_around(point), elsewhere)
    }

    /// Whether a stone of `color` on the empty `point` takes enemy stones.
    #[must_use]
    #[inline]
    pub fn would_capture(&self, point: Point, color: Color) -> bool {
        let point = Self::own(point);
        self.contacts.contact(point, color).enemy & !self.breathing_around(point) != 0
    }

    /// The enemy stones that a stone of `color` on the empty `point` takes.
    #[must_use]
    pub fn captures(&self, point: Point, color: Color) -> G::Bits {
        let point = Self::own(point);
        let sides = self.contacts.contact(point, color).enemy & !self.breathing_around(point);
        self.stones_on_sides(point, sides)
    }

    /// The stones of the chains on some sides of `point`.
    fn stones_on_sides(&self, point: Point, sides: u8) -> G::Bits {
        // Several sides may show the same chain.
        chosen::<G>(point, sides).fold(G::Bits::empty(), |stones, near| {
            if stones.contains(near) { stones } else { self.chains.stones(near).fold(stones, G::Bits::with) }
        })
    }

    /// The liberties that the chain of a stone of `color` has when it has been
    /// placed on the empty `point`, after captures. None if it is suicide.
    #[must_use]
    pub fn liberties_after(&self, point: Point, color: Color) -> G::Bits {
        let point = Self::own(point);
        let own = self.contacts.contact(point, color).own;
        let near = chosen::<G>(point, own).fold(G::neighbor_mask(point), |set, friend| {
            set.or(self.chains.adjacency(self.chains.head(friend)))
        });
        let empty = self.empty_points().and_not(G::single(point));
        near.and(empty.or(self.captures(point, color)))
    }

    /// Whether a stone of `color` on the empty `point` is left in atari, or
    /// without a liberty.
    #[must_use]
    #[inline]
    pub fn is_self_atari(&self, point: Point, color: Color) -> bool {
        self.liberties_after(point, color).count() < 2
    }

    /// [`Board::key`] after a legal move.
    #[must_use]
    pub fn resulting_key(&self, point: Point, color: Color) -> Key {
        let point = Self::own(point);
        let contact = self.contacts.contact(point, color);
        let key = self.key ^ zobrist::stone_key(G::coord(point), color);
        let breathing = self.breathing_around(point);
        let taken = contact.enemy & !breathing;
        if taken != 0 {
            key ^ keys::<G>(self.stones_on_sides(point, taken).iter(), color.opponent())
        } else if contact.open != 0 || contact.own & breathing != 0 {
            key
        } else {
            self.key ^ keys::<G>(self.stones_on_sides(point, contact.own).iter(), color)
        }
    }

    /// Plays a legal move. Suicide of several stones is played as such,
    /// whatever the rules. Panics if `point` is not an empty point.
    #[inline]
    pub fn play(&mut self, point: Point, color: Color) {
        match color {
            Color::Black => self.play_as::<BLACK, WHITE>(point),
            Color::White => self.play_as::<WHITE, BLACK>(point),
        }
    }

    /// Passes: the ko is lifted.
    #[inline]
    pub fn pass(&mut self, _color: Color) {
        self.ko = Point::NONE;
        self.last = [Point::PASS, self.last[0]];
    }

    fn play_as<const C: usize, const ENEMY: usize>(&mut self, point: Point) {
        debug_assert!(self.is_legal(point, Color::BOTH[C], true), "a legal move");
        self.revive_dead();
        let place = self.candidates.place_of(point).expect("an empty point is a candidate");
        let code = self.contacts.code(point);
        let contact = Contacts::<G>::meaning::<C>(code);
        let heads = self.chains.heads_around(point);
        let rest = self.alive.and_not(G::single(point));
        let captured = contact.enemy & !self.chains.touching(&heads, rest);
        self.occupy::<C>(point, place, rest);
        self.connect(point, &contact, &heads);
        let before = self.candidates.len();
        if captured != 0 {
            self.resolve::<C, ENEMY>(point, captured, code, false);
            self.account::<C, ENEMY>(before);
        } else if contact.open == 0 && !self.liberties_at(point).intersects(self.alive) {
            self.take_chain::<C>(point);
            self.account::<ENEMY, C>(before);
        }
        self.key ^= zobrist::stone_key(G::coord(point), Color::BOTH[C]);
        self.last = [point, self.last[0]];
        self.checked();
    }

    /// The points listed from place `before` on have just been taken by
    /// `TAKER`.
    #[inline(always)]
    fn account<const TAKER: usize, const OWNER: usize>(&mut self, before: usize) {
        let taken = &self.candidates.as_slice()[before..];
        self.captured[TAKER] += taken.len() as u32;
        self.key ^= keys::<G>(taken.iter().copied(), Color::BOTH[OWNER]);
    }

    /// Puts a stone on the board with nothing else done.
    pub(super) fn put(&mut self, point: Point, color: Color) {
        let place = self.candidates.place_of(point).expect("an empty point is a candidate");
        let heads = self.chains.heads_around(point);
        let rest = self.alive.and_not(G::single(point));
        let contact = self.contacts.contact(point, color);
        match color {
            Color::Black => self.occupy::<BLACK>(point, place, rest),
            Color::White => self.occupy::<WHITE>(point, place, rest),
        }
        self.connect(point, &contact, &heads);
        self.key ^= zobrist::stone_key(G::coord(point), color);
    }

    /// A stone of `C` comes to `point`, which is at `place` among the
    /// candidates, and leaves `rest` of them. [`Board::connect`] must follow.
    #[inline(always)]
    pub(crate) fn occupy<const C: usize>(&mut self, point: Point, place: usize, rest: G::Bits) {
        self.ko = Point::NONE;
        self.alive = rest;
        self.candidates.remove(place);
        self.contacts.flip::<C>(point);
    }

    /// Makes a chain of a new stone and the friends around it. Nothing is
    /// taken yet.
    #[inline(always)]
    pub(crate) fn connect(&mut self, point: Point, contact: &Contact, heads: &[Point; 4]) {
        let head = self.chains.join(point, contact.first_own as isize);
        let differs = |side: usize| u8::from(heads[side] != head) << side;
        let others = contact.own & (differs(1) | differs(2) | differs(3));
        if others != 0 {
            self.merge_sides(point, others, head);
        }
    }

    /// Merges the chain with this head, at `point`, with those on some sides.
    #[inline(always)]
    fn merge_sides(&mut self, point: Point, sides: u8, mut head: Point) {
        for near in chosen::<G>(point, sides) {
            let other = self.chains.head(near);
            if other != head {
                head = self.chains.merge(head, other);
            }
        }
    }

    /// What follows from a stone of `C` at `point`: `short` are the sides on
    /// which enemy chains have no liberty among the candidates, `code` the
    /// contact code of `point`, and `tight` says that the stone's own chain
    /// may have come down to one liberty.
    #[inline(never)]
    pub(crate) fn resolve<const C: usize, const ENEMY: usize>(
        &mut self,
        point: Point,
        short: u8,
        code: u8,
        tight: bool,
    ) {
        let mut taken = 0;
        let mut last = Point::NONE;
        for enemy in chosen::<G>(point, short) {
            if self.contacts.occupant(enemy) == 0 {
                continue;
            }
            let liberties = self.liberties_at(enemy);
            if liberties.is_empty() {
                taken += self.take_chain::<ENEMY>(enemy);
                last = enemy;
            } else if let Some(liberty) = liberties.only() {
                self.revive::<ENEMY>(liberty);
            }
        }
        if taken == 1 && code.rotate_right(4 * C as u32) >> 4 == ALL {
            self.ko = last;
        }
        if tight && let Some(liberty) = self.liberties_at(point).only() {
            self.revive::<C>(liberty);
        }
        self.review_eyes::<ENEMY>(point);
    }

    /// Takes the chain of `OWNER` at `stone` off the board; returns its
    /// length.
    fn take_chain<const OWNER: usize>(&mut self, stone: Point) -> usize {
        let before = self.candidates.len();
        let mut alive = self.alive;
        let mut point = stone;
        loop {
            let next = self.chains.release(point);
            self.candidates.push(point);
            self.contacts.flip::<OWNER>(point);
            alive = alive.or(G::single(point));
            point = next;
            if point == stone {
                break;
            }
        }
        self.alive = alive;
        self.candidates.len() - before
    }

    /// Dead eyes of `OWNER` diagonally next to a new enemy stone at `point`
    /// may be false now.
    #[inline(always)]
    fn review_eyes<const OWNER: usize>(&mut self, point: Point) {
        if !self.dead[OWNER].intersects(G::diagonal_mask(point)) {
            return;
        }
        for eye in G::diagonals(point) {
            if self.dead[OWNER].contains(eye) && self.contacts.eye_flaws(eye, OWNER) > 1 {
                self.revive::<OWNER>(eye);
            }
        }
    }

    /// Makes `point` a candidate again, if it was a dead eye of `OWNER`.
    #[inline(always)]
    fn revive<const OWNER: usize>(&mut self, point: Point) {
        if self.dead[OWNER].contains(point) {
            self.dead[OWNER].remove(point);
            self.alive.insert(point);
            self.candidates.push(point);
        }
    }

    /// Makes `point` a candidate, if it was a dead eye.
    #[inline(always)]
    pub(crate) fn revive_at(&mut self, point: Point) {
        self.revive::<BLACK>(point);
        self.revive::<WHITE>(point);
    }

    /// Makes every empty point a candidate.
    #[inline(always)]
    pub(crate) fn revive_dead(&mut self) {
        let dead = self.dead[0].or(self.dead[1]);
        if !dead.is_empty() {
            dead.iter().for_each(|point| self.candidates.push(point));
            self.alive = self.alive.or(dead);
            self.dead = [G::Bits::empty(); 2];
        }
    }

    /// In debug builds, checks that every field is what the stones make it.
    #[inline(always)]
    pub(crate) fn checked(&self) {
        if cfg!(debug_assertions) {
            self.check_consistency();
        }
    }
}

/// The neighbours of `point` on the sides that are set.
#[inline(always)]
fn chosen<G: Geometry>(point: Point, sides: u8) -> impl Iterator<Item = Point> {
    let near = G::neighbors(point);
    let mut rest = sides;
    std::iter::from_fn(move || {
        let side = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(near[side])
    })
}

fn keys<G: Geometry>(stones: impl Iterator<Item = Point>, color: Color) -> Key {
    stones.fold(0, |key, stone| key ^ zobrist::stone_key(G::coord(stone), color))
}
