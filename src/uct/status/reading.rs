//! From the owners of points to the status of a position.

use super::standoff::{self, Standoff};
use super::{Fate, Status};
use crate::go::benson::Unconditional;
use crate::go::bits::PointSet as _;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Game;
use crate::go::geometry::G25;
use crate::go::rules::Scoring;

/// Ownership from which a point or a chain counts as decided.
const DECIDED: f32 = 0.7;
/// Ownership up to which it depends on who moves next.
const UNSURE: f32 = 0.5;
/// Ownership from which a point in the open is counted for a player.
const LEANING: f32 = 0.35;

/// A position being read: stones, then what is left of them.
pub(super) struct Reading<'a> {
    game: &'a Game,
    size: Size,
    ownership: Vec<f32>,
    decided: Unconditional<G25>,
    fates: Vec<Option<Fate>>,
}

/// Empty points, and points with dead stones, that hang together.
struct Region {
    points: Vec<Coord>,
    /// Which players' living stones it touches.
    touches: [bool; 2],
}

impl Region {
    /// The only player it touches.
    fn surrounded_by(&self) -> Option<Color> {
        match self.touches {
            [true, false] => Some(Color::Black),
            [false, true] => Some(Color::White),
            _ => None,
        }
    }
}

impl<'a> Reading<'a> {
    pub fn new(game: &'a Game, mut ownership: Vec<f32>) -> Self {
        let size = game.size();
        let decided = Unconditional::of(game.board());
        for (coord, mean) in size.coords().zip(&mut ownership) {
            if let Some(owner) = decided.owner(game.board().point(coord)) {
                *mean = owner.sign() as f32;
            }
        }
        let fates = vec![None; size.points()];
        let mut reading = Reading { game, size, ownership, decided, fates };
        reading.find_dead();
        reading
    }

    /// Places where an attack may cost the attacker's own stones.
    pub fn standoffs(&self) -> Vec<Standoff> {
        standoff::find(self.game.board(), &self.decided)
    }

    /// Says that the chains of a standoff stay.
    pub fn keep(&mut self, standoff: &Standoff) {
        for color in Color::BOTH {
            for &coord in &standoff.chains[color.index()] {
                let index = self.size.index(coord);
                self.ownership[index] = color.sign() as f32;
                self.fates[index] = Some(Fate::Alive);
            }
        }
    }

    fn stone(&self, coord: Coord) -> Option<Color> {
        self.game.color_at(coord)
    }

    /// The stone on a point that stays to the end.
    fn living(&self, coord: Coord) -> Option<Color> {
        self.stone(coord).filter(|_| self.fates[self.size.index(coord)] != Some(Fate::Dead))
    }

    fn mean(&self, points: &[Coord]) -> f32 {
        let sum: f32 = points.iter().map(|&c| self.ownership[self.size.index(c)]).sum();
        sum / points.len().max(1) as f32
    }

    /// Points connected with `from` over points of which `same` holds.
    fn flood(&self, from: Coord, same: impl Fn(Coord) -> bool) -> Vec<Coord> {
        let mut seen = vec![false; self.size.points()];
        let mut found = vec![from];
        seen[self.size.index(from)] = true;
        let mut next = 0;
        while let Some(&coord) = found.get(next) {
            next += 1;
            for near in self.size.neighbors(coord).filter(|&near| same(near)) {
                if !std::mem::replace(&mut seen[self.size.index(near)], true) {
                    found.push(near);
                }
            }
        }
        found
    }

    /// Splits the points of which `member` holds into connected parts; two
    /// neighbours are connected if `same` holds of them.
    fn parts(&self, member: impl Fn(Coord) -> bool, same: impl Fn(Coord, Coord) -> bool) -> Vec<Vec<Coord>> {
        let mut seen = vec![false; self.size.points()];
        let mut parts = Vec::new();
        for coord in self.size.coords() {
            if !member(coord) || seen[self.size.index(coord)] {
                continue;
            }
            let part = self.flood(coord, |near| member(near) && same(coord, near));
            part.iter().for_each(|&c| seen[self.size.index(c)] = true);
            parts.push(part);
        }
        parts
    }

    fn find_dead(&mut self) {
        let chains = self.parts(|c| self.stone(c).is_some(), |a, b| self.stone(a) == self.stone(b));
        for chain in chains {
            let Some(color) = self.stone(chain[0]) else { continue };
            let mean = self.mean(&chain) * color.sign() as f32;
            let saved = mean > -UNSURE && self.connects_out_of_atari(chain[0], color);
            let fate = if mean < 0.0 && !saved { Fate::Dead } else { Fate::Alive };
            for &coord in &chain {
                self.fates[self.size.index(coord)] = Some(fate);
            }
        }
    }

    /// Whether one move saves a chain in atari: whoever moves next decides, so
    /// playouts say neither.
    fn connects_out_of_atari(&self, stone: Coord, color: Color) -> bool {
        let board = self.game.board();
        let liberty = board.liberties(board.point(stone)).only();
        liberty.is_some_and(|liberty| board.liberties_after(liberty, color).count() >= 2)
    }

    /// The regions between living stones.
    fn regions(&self) -> Vec<Region> {
        let parts = self.parts(|c| self.living(c).is_none(), |_, _| true);
        let region = |points: Vec<Coord>| {
            let mut touches = [false; 2];
            for color in points.iter().flat_map(|&c| self.size.neighbors(c)).filter_map(|c| self.living(c)) {
                touches[color.index()] = true;
            }
            Region { points, touches }
        };
        parts.into_iter().map(region).collect()
    }

    /// Marks groups that live only because nobody can begin: each has less than
    /// two eyes, and they share liberties.
    fn find_seki(&mut self, regions: &[Region]) {
        let weak = self.weak_points(regions);
        let is_weak = |coord: Coord| weak[self.size.index(coord)];
        let mut in_seki = vec![false; self.size.points()];
        for region in regions.iter().filter(|region| region.touches == [true, true]) {
            let around: Vec<Coord> = region
                .points
                .iter()
                .flat_map(|&c| self.size.neighbors(c))
                .filter(|&c| self.living(c).is_some() && is_weak(c))
                .collect();
            let both = Color::BOTH.iter().all(|&color| around.iter().any(|&c| self.living(c) == Some(color)));
            if both {
                around.iter().for_each(|&c| in_seki[self.size.index(c)] = true);
            }
        }
        self.spread_seki(&mut in_seki, regions);
    }

    /// Marks the whole of each group of which a stone is in seki.
    fn spread_seki(&mut self, in_seki: &mut [bool], regions: &[Region]) {
        for group in self.groups(regions) {
            if group.iter().any(|&c| in_seki[self.size.index(c)]) {
                for &coord in &group {
                    if self.living(coord).is_some() {
                        self.fates[self.size.index(coord)] = Some(Fate::Seki);
                    }
                }
            }
        }
    }

    /// Living stones of one colour with the regions that only they surround,
    /// as far as they hang together.
    fn groups(&self, regions: &[Region]) -> Vec<Vec<Coord>> {
        let mut side: Vec<Option<Color>> = self.size.coords().map(|c| self.living(c)).collect();
        for region in regions {
            if let Some(color) = region.surrounded_by() {
                region.points.iter().for_each(|&c| side[self.size.index(c)] = Some(color));
            }
        }
        let of = |c: Coord| side[self.size.index(c)];
        self.parts(|c| of(c).is_some(), |a, b| of(a) == of(b))
    }

    /// Stones whose group has no room for two eyes.
    fn weak_points(&self, regions: &[Region]) -> Vec<bool> {
        let mut eye_of = vec![None; self.size.points()];
        for (number, region) in regions.iter().enumerate() {
            region.points.iter().for_each(|&c| eye_of[self.size.index(c)] = Some(number));
        }
        let mut weak = vec![false; self.size.points()];
        for group in self.groups(regions) {
            let room = group.iter().filter(|&&c| self.living(c).is_none()).count();
            let mut eyes: Vec<usize> = group.iter().filter_map(|&c| eye_of[self.size.index(c)]).collect();
            eyes.sort_unstable();
            eyes.dedup();
            if eyes.len() < 2 && room < ROOM_FOR_TWO_EYES {
                group.iter().for_each(|&c| weak[self.size.index(c)] = true);
            }
        }
        weak
    }

    /// Draws the conclusions.
    pub fn status(mut self) -> Status {
        let regions = self.regions();
        self.find_seki(&regions);
        let mut owners: Vec<Option<Color>> = self.size.coords().map(|c| self.living(c)).collect();
        let mut settled = self.chains_are_decided();
        let mut dame = Vec::new();
        for region in &regions {
            settled &= self.settle(region, &mut owners, &mut dame);
        }
        let (area, territory) = self.count(&owners);
        Status {
            size: self.size,
            fates: self.fates,
            ownership: self.ownership,
            owners,
            dame,
            settled,
            area,
            territory,
        }
    }

    pub fn chains_are_decided(&self) -> bool {
        let open = |c: Coord| {
            let fate = self.fates[self.size.index(c)];
            fate.is_some_and(|fate| fate != Fate::Seki) && self.ownership[self.size.index(c)].abs() < DECIDED
        };
        !self.size.coords().any(open)
    }

    /// Finds the owners of a region's points; tells whether it is settled.
    fn settle(&self, region: &Region, owners: &mut [Option<Color>], dame: &mut Vec<Coord>) -> bool {
        if let Some(color) = region.surrounded_by() {
            let mean = self.mean(&region.points) * color.sign() as f32;
            let settled = mean >= DECIDED || self.touches_seki(region);
            if settled || mean >= LEANING {
                region.points.iter().for_each(|&c| owners[self.size.index(c)] = Some(color));
                self.leave_fillings(region, color, owners, dame);
                return settled;
            }
        }
        let narrow = |&c: &Coord| self.size.neighbors(c).any(|near| self.living(near).is_some());
        if region.touches == [true, true] && region.points.iter().all(narrow) {
            // Whoever fills a liberty that is shared in seki loses by it.
            let near_seki = |c: Coord| self.size.neighbors(c).any(|near| self.is_seki(near));
            dame.extend(region.points.iter().filter(|&&c| self.stone(c).is_none() && !near_seki(c)));
            return region.points.len() < MOST_DAME;
        }
        for &coord in &region.points {
            let mean = self.ownership[self.size.index(coord)];
            owners[self.size.index(coord)] = match mean {
                _ if mean >= LEANING => Some(Color::Black),
                _ if mean <= -LEANING => Some(Color::White),
                _ => None,
            };
        }
        false
    }

    /// Points of its own that `color` still has to fill, because a chain in
    /// atari would be taken there: they are played for like dame, and are no
    /// territory.
    fn leave_fillings(
        &self,
        region: &Region,
        color: Color,
        owners: &mut [Option<Color>],
        dame: &mut Vec<Coord>,
    ) {
        let board = self.game.board();
        let in_atari = |coord: Coord, near: Coord| {
            self.living(near) == Some(color)
                && board.liberties(board.point(near)).only() == Some(board.point(coord))
        };
        for &coord in region.points.iter().filter(|&&c| self.stone(c).is_none()) {
            let enemy_takes = self.game.check(color.opponent(), Move::Play(coord)).is_ok();
            if enemy_takes && self.size.neighbors(coord).any(|near| in_atari(coord, near)) {
                dame.push(coord);
                if self.game.rules().scoring == Scoring::Territory {
                    owners[self.size.index(coord)] = None;
                }
            }
        }
    }

    fn touches_seki(&self, region: &Region) -> bool {
        region.points.iter().flat_map(|&c| self.size.neighbors(c)).any(|near| self.is_seki(near))
    }

    fn is_seki(&self, coord: Coord) -> bool {
        self.fates[self.size.index(coord)] == Some(Fate::Seki)
    }

    /// Area, and territory with prisoners: Black minus White.
    fn count(&self, owners: &[Option<Color>]) -> (i32, i32) {
        let board = self.game.board();
        let taken = |color| board.captured(color) as i32;
        let mut territory = taken(Color::Black) - taken(Color::White);
        let mut area = 0;
        for coord in self.size.coords() {
            let Some(owner) = owners[self.size.index(coord)] else { continue };
            area += owner.sign();
            if self.living(coord).is_some() || self.in_seki(coord) {
                continue;
            }
            let prisoner = self.stone(coord).is_some();
            territory += owner.sign() * (1 + i32::from(prisoner));
        }
        (area, territory)
    }

    /// Whether an empty point is surrounded by stones in seki.
    fn in_seki(&self, coord: Coord) -> bool {
        let region = self.flood(coord, |c| self.living(c).is_none());
        self.touches_seki(&Region { points: region, touches: [false; 2] })
    }
}

/// A single eye space of this size always has room for two eyes.
const ROOM_FOR_TWO_EYES: usize = 7;
/// A region of more points between living stones is no dame, but a game that
/// goes on.
const MOST_DAME: usize = 12;
