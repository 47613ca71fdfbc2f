//! Which stones live at the end, and whose the points are.
//!
//! A short search from each player's side tells who owns each point at the end
//! of its playouts, unless that is decided whatever is played
//! ([`crate::go::benson`]). Chains that mostly end up as the opponent's are dead; what
//! remains is taken as alive, and a group that has no two eyes and shares its
//! last liberties with an enemy group like it is in seki. The regions between
//! the chains that are left decide the points, except where the game is still
//! open: there the ownership itself does.

use std::time::Duration;

use super::engine::is_pass;
use super::report::Report;
use super::search::{Request, Search, Settings, new_search};
use crate::go::benson::Unconditional;
use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::game::{Event, Game};
use crate::go::rules::Scoring;
use crate::shared::control::{Limits, StopFlag};

/// What becomes of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It stays, and its points count.
    Alive,
    /// It is taken off before counting.
    Dead,
    /// It stays, but cannot be made safe by either player.
    Seki,
}

impl Fate {
    const NAMES: [(&'static str, Fate); 3] =
        [("alive", Fate::Alive), ("dead", Fate::Dead), ("seki", Fate::Seki)];

    /// The name that GTP uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, fate)| *fate == self).map_or("", |(name, _)| name)
    }

    /// The fate that GTP calls `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Fate> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, fate)| fate)
    }
}

/// The expected end of a game, point by point.
#[derive(Clone, Debug)]
pub struct Status {
    size: Size,
    fates: Vec<Option<Fate>>,
    owners: Vec<Option<Color>>,
    /// From -1 (White's) to 1 (Black's).
    ownership: Vec<f32>,
    dame: Vec<Coord>,
    settled: bool,
    /// Area, and territory with the prisoners of the game: Black minus White.
    area: i32,
    territory: i32,
}

impl Status {
    /// What becomes of the stone on a point, if there is one.
    #[must_use]
    pub fn fate(&self, coord: Coord) -> Option<Fate> {
        self.fates[self.size.index(coord)]
    }

    /// Whether a dead stone is on the point.
    #[must_use]
    pub fn is_dead(&self, coord: Coord) -> bool {
        self.fate(coord) == Some(Fate::Dead)
    }

    /// Who has the point at the end, if anybody.
    #[must_use]
    pub fn owner(&self, coord: Coord) -> Option<Color> {
        self.owners[self.size.index(coord)]
    }

    /// Mean owner of each point over the playouts, from -1 (White) to 1
    /// (Black), in the order of `Size::coords`.
    #[must_use]
    pub fn ownership(&self) -> &[f32] {
        &self.ownership
    }

    /// Points next to both players' living stones.
    pub fn dame(&self) -> impl Iterator<Item = Coord> + '_ {
        self.dame.iter().copied()
    }

    /// Whether nothing but dame is left to play.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Whether `color` has dead stones on the board.
    #[must_use]
    pub fn has_dead(&self, color: Color) -> bool {
        let dead = |coord: Coord| self.is_dead(coord) && self.owner(coord) == Some(color.opponent());
        self.size.coords().any(dead)
    }

    /// The score under the game's rules, Black minus White, komi counted.
    #[must_use]
    pub fn score(&self, game: &Game) -> f64 {
        let points = match game.rules().scoring {
            Scoring::Area => self.area,
            Scoring::Territory => self.territory,
        };
        f64::from(points) - game.total_komi()
    }

    /// How far the score may be off, in points: what is still open on the board.
    #[must_use]
    pub fn uncertainty(&self) -> f64 {
        let open = |(&mean, owner): (&f32, &Option<Color>)| {
            let owner = owner.map_or(0.0, |color| color.sign() as f32);
            f64::from((mean - owner).abs().min(1.0))
        };
        self.ownership.iter().zip(&self.owners).map(open).filter(|gap| *gap > 0.2).sum()
    }
}

/// Simulations from each side. One thread and one seed: the same position
/// always has the same status.
const SIMULATIONS: u64 = 800;
/// How many times as many, when the fate of stones is in doubt.
const CLOSER_LOOK: u64 = 4;
const SEED: u64 = 0x57a7_0500;
const MEMORY_MIB: usize = 32;
/// Ownership from which a point or a chain counts as decided.
const DECIDED: f32 = 0.7;
/// Ownership from which a point in the open is counted for a player.
const LEANING: f32 = 0.35;

/// How closely a position is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Long enough to see whether the game is over, and no longer than the
    /// time, if one is given.
    Within(Option<Duration>),
    /// Longer if the fate of stones is in doubt.
    Full,
}

/// Judges positions, and remembers the last one.
pub struct Judge {
    search: Box<dyn Search>,
    last: Option<(Vec<Event>, Terms, Status)>,
}

/// What a status depends on besides the moves.
#[derive(Clone, Copy, PartialEq)]
struct Terms(u64, f64, Scoring);

impl Judge {
    /// A judge for boards of `size`.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Judge { search: new_search(size), last: None }
    }

    /// The status of the game as it stands, passes at its end set aside.
    pub fn status(&mut self, game: &Game, settings: &Settings, stop: &StopFlag, effort: Effort) -> Status {
        let passes = game.events().iter().rev().take_while(|event| is_pass(event)).count();
        let kept = game.events().len() - passes;
        let terms = Terms(game.start().key(), game.total_komi(), game.rules().scoring);
        if let Some((events, known, status)) = &self.last
            && *known == terms
            && events[..] == game.events()[..kept]
        {
            return status.clone();
        }
        let game = game.at(kept);
        let settings =
            Settings { threads: 1, seed: SEED, memory_mib: MEMORY_MIB, net: None, ..settings.clone() };
        let time = match effort {
            Effort::Within(time) => time.map(|time| time / 2),
            Effort::Full => None,
        };
        let question = Question { game: &game, settings: &settings, stop, time };
        let (mut ownership, mut complete) = self.ownership(&question, SIMULATIONS);
        let mut reading = Reading::new(&game, ownership);
        let in_doubt = !reading.chains_are_decided();
        if in_doubt && effort == Effort::Full && complete {
            (ownership, complete) = self.ownership(&question, SIMULATIONS * CLOSER_LOOK);
            reading = Reading::new(&game, ownership);
        }
        let status = reading.status();
        if complete && (effort == Effort::Full || !in_doubt) {
            self.last = Some((game.events().to_vec(), terms, status.clone()));
        }
        status
    }

    /// Mean owners over playouts with either player to move, and whether all
    /// simulations were made.
    fn ownership(&mut self, question: &Question<'_>, simulations: u64) -> (Vec<f32>, bool) {
        let Question { game, settings, stop, time } = *question;
        let limits = Limits { nodes: Some(simulations), hard_time: time, soft_time: time };
        let mut complete = true;
        let mut sum = vec![0.0; game.size().points()];
        for color in Color::BOTH {
            self.search.clear();
            let request =
                Request { game, to_move: color, limits, stop, report_every: None, settings, allowed: &[] };
            let report: Report = self.search.search(&request, &mut |_| {});
            complete &= report.simulations >= simulations;
            for (sum, mean) in sum.iter_mut().zip(&report.ownership) {
                *sum += mean / 2.0;
            }
        }
        (sum, complete)
    }
}

/// What playouts are asked about.
struct Question<'a> {
    game: &'a Game,
    settings: &'a Settings,
    stop: &'a StopFlag,
    /// For each of the two sides.
    time: Option<Duration>,
}

/// A position being read: stones, then what is left of them.
struct Reading<'a> {
    game: &'a Game,
    size: Size,
    ownership: Vec<f32>,
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
    fn new(game: &'a Game, mut ownership: Vec<f32>) -> Self {
        let size = game.size();
        let decided = Unconditional::of(game.board());
        for (coord, mean) in size.coords().zip(&mut ownership) {
            if let Some(owner) = decided.owner(game.board().point(coord)) {
                *mean = owner.sign() as f32;
            }
        }
        let mut reading = Reading { game, size, ownership, fates: vec![None; size.points()] };
        reading.find_dead();
        reading
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
            let fate = if mean < 0.0 { Fate::Dead } else { Fate::Alive };
            for &coord in &chain {
                self.fates[self.size.index(coord)] = Some(fate);
            }
        }
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
    fn status(mut self) -> Status {
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

    fn chains_are_decided(&self) -> bool {
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
                return settled;
            }
        }
        let narrow = |&c: &Coord| self.size.neighbors(c).any(|near| self.living(near).is_some());
        if region.touches == [true, true] && region.points.iter().all(narrow) {
            dame.extend(region.points.iter().filter(|&&c| self.stone(c).is_none()));
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

    fn touches_seki(&self, region: &Region) -> bool {
        let mut near = region.points.iter().flat_map(|&c| self.size.neighbors(c));
        near.any(|c| self.fates[self.size.index(c)] == Some(Fate::Seki))
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
