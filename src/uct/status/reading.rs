//! From the owners of points to the status of a position.

use super::standoff::{self, Standoff};
use super::teire::Territory;
use super::{Fate, Status};
use crate::go::benson::Unconditional;
use crate::go::bits::PointSet as _;
use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::eyespace;
use crate::go::game::Game;
use crate::go::geometry::{G25, Geometry, Point};
use crate::go::rules::Scoring;

type Bits = <G25 as Geometry>::Bits;

/// Ownership from which a point or a chain counts as decided.
const DECIDED: f32 = 0.7;
/// Ownership up to which it depends on who moves next.
const UNSURE: f32 = 0.5;
/// The gain of ownership by moving first from which on a stone's fate depends on
/// it. The most is 2: the stone's life.
const URGENT: f32 = 0.7;
/// Ownership from which a point in the open is counted for a player.
const LEANING: f32 = 0.35;

/// A position being read: stones, then what is left of them.
pub(super) struct Reading<'a> {
    game: &'a Game,
    size: Size,
    ownership: Vec<f32>,
    /// Ownership with Black to move first minus that with White to.
    swing: Vec<f32>,
    decided: Unconditional<G25>,
    /// What each player has in groups that live by one eye space.
    held: [Bits; 2],
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
    /// A reading of `game`, whose points belong to `owners` with Black and with
    /// White to move.
    pub fn new(game: &'a Game, owners: &[Vec<f32>; 2]) -> Self {
        let size = game.size();
        let decided = Unconditional::of(game.board());
        let held = Color::BOTH.map(|color| eyespace::held(game.board(), color, decided.alive(color)));
        let by_points = || owners[0].iter().zip(&owners[1]);
        let mut ownership: Vec<f32> = by_points().map(|(black, white)| (black + white) / 2.0).collect();
        let mut swing: Vec<f32> = by_points().map(|(black, white)| black - white).collect();
        for ((coord, mean), swing) in size.coords().zip(&mut ownership).zip(&mut swing) {
            let point = game.board().point(coord);
            let holder = Color::BOTH.into_iter().find(|color| held[color.index()].contains(point));
            if let Some(owner) = decided.owner(point).or(holder) {
                *mean = owner.sign() as f32;
                *swing = 0.0;
            }
        }
        let fates = vec![None; size.points()];
        let mut reading = Reading { game, size, ownership, swing, decided, held, fates };
        reading.find_dead();
        reading
    }

    /// Places where an attack may cost the attacker's own stones.
    pub fn standoffs(&self) -> Vec<Standoff> {
        let alive = Color::BOTH.map(|color| self.decided.alive(color).or(self.held[color.index()]));
        standoff::find(self.game.board(), alive[0].or(alive[1]))
    }

    /// Whether the chains of `color` in a standoff touch dead stones elsewhere,
    /// and can take them to get out of it.
    pub fn has_way_out(&self, standoff: &Standoff, color: Color) -> bool {
        let enemies = &standoff.chains[color.opponent().index()];
        let is_prey = |coord: Coord| {
            self.stone(coord) == Some(color.opponent())
                && self.living(coord).is_none()
                && !enemies.contains(&coord)
        };
        standoff.chains[color.index()].iter().flat_map(|&coord| self.size.neighbors(coord)).any(is_prey)
    }

    /// Says that the chains of a standoff stay.
    pub fn keep(&mut self, standoff: &Standoff) {
        for color in Color::BOTH {
            for &coord in &standoff.chains[color.index()] {
                let index = self.size.index(coord);
                self.ownership[index] = color.sign() as f32;
                self.swing[index] = 0.0;
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
                .filter(|&c| self.living(c).is_some() && is_weak(c) && !self.is_urgent(c))
                .collect();
            let both = Color::BOTH.iter().all(|&color| around.iter().any(|&c| self.living(c) == Some(color)));
            if both {
                around.iter().for_each(|&c| in_seki[self.size.index(c)] = true);
            }
        }
        self.spread_seki(&in_seki, regions);
        self.spread_seki(&self.held_back(regions), regions);
    }

    /// Whether it matters for the stone on a point who moves first.
    fn is_urgent(&self, coord: Coord) -> bool {
        self.swing[self.size.index(coord)] > URGENT
    }

    /// Small groups that cannot fill a liberty of enemy stones in seki, because
    /// they would lose stones by it.
    fn held_back(&self, regions: &[Region]) -> Vec<bool> {
        let board = self.game.board();
        let holds = |liberty: Coord, color: Color| {
            let point = board.point(liberty);
            let near_seki = |near| self.is_seki(near) && self.stone(near) == Some(color.opponent());
            self.stone(liberty).is_none()
                && self.size.neighbors(liberty).any(near_seki)
                && board.is_self_atari(point, color)
                && !board.would_capture(point, color)
        };
        let mut held = vec![false; self.size.points()];
        for group in self.groups(regions) {
            let room = group.iter().filter(|&&c| self.living(c).is_none()).count();
            let is_held = |&coord: &Coord| {
                let color = self.living(coord);
                color.is_some_and(|color| self.size.neighbors(coord).any(|near| holds(near, color)))
            };
            if room < ROOM_FOR_TWO_EYES && group.iter().any(is_held) {
                group.iter().for_each(|&c| held[self.size.index(c)] = true);
            }
        }
        held
    }

    /// Marks the whole of each group of which a stone is in seki.
    fn spread_seki(&mut self, in_seki: &[bool], regions: &[Region]) {
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

    /// Living stones of one colour with the regions that only they surround and
    /// the dead stones beside them, which they can take, as far as they hang
    /// together.
    fn groups(&self, regions: &[Region]) -> Vec<Vec<Coord>> {
        let owner = |c: Coord| self.living(c).or(self.stone(c).map(Color::opponent));
        let mut side: Vec<Option<Color>> = self.size.coords().map(owner).collect();
        for region in regions {
            if let Some(color) = region.surrounded_by() {
                region.points.iter().for_each(|&c| side[self.size.index(c)] = Some(color));
            }
        }
        let of = |c: Coord| side[self.size.index(c)];
        self.parts(|c| of(c).is_some(), |a, b| of(a) == of(b))
    }

    /// Whether a stone or eye on a point is part of a group that lives.
    fn is_held(&self, coord: Coord) -> bool {
        let point = self.game.board().point(coord);
        self.held.iter().any(|held| held.contains(point))
    }

    /// Stones whose group has no room for two eyes, and is not known to live.
    fn weak_points(&self, regions: &[Region]) -> Vec<bool> {
        let mut eye_of = vec![None; self.size.points()];
        for (number, region) in
            regions.iter().enumerate().filter(|(_, region)| region.surrounded_by().is_some())
        {
            region.points.iter().for_each(|&c| eye_of[self.size.index(c)] = Some(number));
        }
        let mut weak = vec![false; self.size.points()];
        for group in self.groups(regions) {
            let mut eyes: Vec<usize> = group.iter().filter_map(|&c| eye_of[self.size.index(c)]).collect();
            let room = eyes.len();
            eyes.sort_unstable();
            eyes.dedup();
            let lives = group.iter().any(|&c| self.is_held(c));
            if eyes.len() < 2 && room < ROOM_FOR_TWO_EYES && !lives {
                group.iter().for_each(|&c| weak[self.size.index(c)] = true);
            }
        }
        weak
    }

    /// Draws the conclusions. `best` are moves that playouts found clearly best.
    pub fn status(mut self, best: [Option<Coord>; 2]) -> Status {
        let regions = self.regions();
        self.find_seki(&regions);
        let mut owners: Vec<Option<Color>> = self.size.coords().map(|c| self.living(c)).collect();
        let mut settled = self.chains_are_decided();
        let mut dame = Vec::new();
        for region in &regions {
            settled &= self.settle(region, &mut owners, &mut dame);
        }
        if self.game.rules().scoring == Scoring::Territory {
            self.leave_later_fillings(&mut owners, &dame);
        }
        let (area, territory) = self.count(&owners);
        let urgent = self.size.coords().any(|c| self.stone(c).is_some() && self.is_urgent(c));
        let deciding = if urgent { best } else { [None; 2] };
        Status {
            size: self.size,
            fates: self.fates,
            ownership: self.ownership,
            owners,
            dame,
            settled,
            deciding,
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
            let in_seki = self.touches_seki(region);
            let settled = mean >= DECIDED || in_seki;
            if in_seki && self.game.rules().scoring == Scoring::Territory {
                // Eyes in seki are nobody's points.
                return true;
            }
            // However unsure: what only living stones of one player enclose is his.
            if settled || mean >= LEANING || region.points.len() < MOST_DAME {
                region.points.iter().for_each(|&c| owners[self.size.index(c)] = Some(color));
                self.leave_fillings(region, color, owners, dame);
                return settled;
            }
        }
        let narrow = |&c: &Coord| self.size.neighbors(c).any(|near| self.living(near).is_some());
        if region.touches == [true, true] && region.points.iter().all(narrow) {
            // Whoever fills a liberty that is shared in seki loses by it.
            let near_seki = |c: Coord| self.size.neighbors(c).any(|near| self.is_seki(near));
            for &coord in region.points.iter().filter(|&&c| !near_seki(c)) {
                match self.stone(coord) {
                    // Dead stones are taken from among the dame.
                    Some(dead) => owners[self.size.index(coord)] = Some(dead.opponent()),
                    None => dame.push(coord),
                }
            }
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
        // Stones that are dead themselves threaten nothing by taking it.
        let by_living = |chain: Point| {
            let around = board.chain(chain).flat_map(|stone| self.size.neighbors(board.coord(stone)));
            around.into_iter().any(|near| self.living(near) == Some(color.opponent()))
        };
        let in_atari = |coord: Coord, near: Coord| {
            let chain = board.point(near);
            self.living(near) == Some(color)
                && board.liberties(chain).only() == Some(board.point(coord))
                && by_living(chain)
        };
        for &coord in region.points.iter().filter(|&&c| self.stone(c).is_none()) {
            // A ban on retaking a ko is over by the time the point is filled.
            if self.size.neighbors(coord).any(|near| in_atari(coord, near)) {
                dame.push(coord);
                if self.game.rules().scoring == Scoring::Territory {
                    owners[self.size.index(coord)] = None;
                }
            }
        }
    }

    /// Points that have to be filled when the dame are played: no territory.
    fn leave_later_fillings(&self, owners: &mut [Option<Color>], dame: &[Coord]) {
        let board = self.game.board();
        let points = |coords: &mut dyn Iterator<Item = Coord>| {
            coords.fold(Bits::empty(), |set, coord| set.with(board.point(coord)))
        };
        let living = |color| points(&mut self.size.coords().filter(|&c| self.living(c) == Some(color)));
        let is_own = |c: Coord, color| self.stone(c).is_none() && owners[self.size.index(c)] == Some(color);
        let own = |color| points(&mut self.size.coords().filter(|&c| is_own(c, color)));
        let territory = Territory {
            board: board.clone(),
            living: Color::BOTH.map(living),
            own: Color::BOTH.map(own),
            dame: points(&mut dame.iter().copied()),
        };
        for point in territory.fillings().iter() {
            owners[self.size.index(board.coord(point))] = None;
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
            if self.living(coord).is_some() {
                continue;
            }
            let prisoner = self.stone(coord).is_some();
            territory += owner.sign() * (1 + i32::from(prisoner));
        }
        (area, territory)
    }
}

/// A single eye space of this size always has room for two eyes.
const ROOM_FOR_TWO_EYES: usize = 7;
/// A region of more points between living stones is no dame, but a game that
/// goes on.
const MOST_DAME: usize = 12;
