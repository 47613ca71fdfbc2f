//! Which stones live at the end, and whose the points are.
//!
//! A short search from each player's side tells who owns each point at the end
//! of its playouts, unless that is decided whatever is played
//! ([`crate::go::benson`]). It is made with a komi that makes the game even, so
//! that both sides fight for every point, whoever is ahead. Chains that mostly
//! end up as the opponent's are dead; what remains is taken as alive, and a group
//! that has no two eyes and shares its last liberties with an enemy group like it
//! is in seki. The regions between the chains that are left decide the points,
//! except where the game is still open: there the ownership itself does. Stones
//! that live with one player to move first and die with the other are open.

mod reading;
mod standoff;
mod teire;

use std::time::Duration;

use self::reading::Reading;
use self::standoff::{MOST_LIBERTIES, Standoff};
use super::engine::is_pass;
use super::report::Report;
use super::search::{Request, Search, Settings, new_search};
use crate::go::bits::PointSet;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::{Event, Game};
use crate::go::geometry::Point;
use crate::go::rules::Scoring;
use crate::shared::control::{Limits, StopFlag, Stopwatch};

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
    /// For each player, the move that decides the fate of stones, if one does
    /// and is best by far.
    deciding: [Option<Coord>; 2],
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

    /// Points that are left to play: between both players' living stones, apart
    /// from liberties that are shared in seki, and where a living chain in atari
    /// still has to be connected.
    pub fn dame(&self) -> impl Iterator<Item = Coord> + '_ {
        self.dame.iter().copied()
    }

    /// Whether nothing but dame is left to play.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// The move by which `color` decides the fate of stones that depends on who
    /// moves next, if there are any and one move is clearly best.
    #[must_use]
    pub fn deciding_move(&self, color: Color) -> Option<Coord> {
        self.deciding[color.index()]
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
        let in_seki = |coord| self.size.neighbors(coord).any(|near| self.fate(near) == Some(Fate::Seki));
        let gap = |coord: Coord| {
            let mean = self.ownership[self.size.index(coord)];
            match self.owner(coord) {
                Some(color) => f64::from((mean - color.sign() as f32).abs().min(1.0)),
                // A point that may still become anybody's.
                None if !self.settled && !self.dame.contains(&coord) && !in_seki(coord) => {
                    f64::from(1.0 - mean.abs())
                }
                None => f64::from(mean.abs()),
            }
        };
        let gaps = self.size.coords().map(gap).filter(|gap| *gap > 0.2);
        // The sum of nothing is -0, which would be shown with its sign.
        gaps.sum::<f64>().abs()
    }
}

/// Simulations from each side. One thread and one seed: the same position
/// always has the same status.
const SIMULATIONS: u64 = 800;
/// How many times as many, when the fate of stones is in doubt.
const CLOSER_LOOK: u64 = 4;
/// The part of the simulations that goes into finding out who is ahead.
const FIRST_LOOK: u64 = 8;
/// Simulations to see what comes of an attack.
const TRIAL: u64 = 200;
/// Mean owner of a player's chains, from 1 (the player) to -1, at which an
/// attack has lost them.
const LOST: f32 = -0.3;
/// Attacks are tried in this many places at most.
const MOST_STANDOFFS: usize = 8;
const SEED: u64 = 0x57a7_0500;
const MEMORY_MIB: usize = 32;

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

/// What a status depends on besides the moves: the position at the start, komi,
/// scoring, and whether a ko may be retaken.
#[derive(Clone, Copy, PartialEq)]
struct Terms(u64, f64, Scoring, bool);

/// The position of `game` with nothing before it: a ko may be retaken, as it may
/// after a pass.
fn without_past(game: &Game) -> Game {
    let mut fresh = Game::new(game.size(), game.rules(), game.total_komi());
    let stones = game.size().coords().filter_map(|at| Some((at, Some(game.color_at(at)?)))).collect();
    if fresh.set_up(stones).is_ok() { fresh } else { game.clone() }
}

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
        let position = game.at(kept);
        let retaking = passes > 0 && position.board().ko_key() != 0;
        let terms = Terms(game.start().key(), game.total_komi(), game.rules().scoring, retaking);
        if let Some((events, known, status)) = &self.last
            && *known == terms
            && events[..] == game.events()[..kept]
        {
            return status.clone();
        }
        let mut even = if retaking { without_past(&position) } else { position.clone() };
        let settings =
            Settings { threads: 1, seed: SEED, memory_mib: MEMORY_MIB, net: None, ..settings.clone() };
        let ends = match effort {
            Effort::Within(time) => time.map(|time| (Stopwatch::start(), time)),
            Effort::Full => None,
        };
        let question = Question { game: &even, settings: &settings, stop, ends };
        let komi = even.komi() + self.lead(&question);
        even.set_komi(komi);
        let question = Question { game: &even, settings: &settings, stop, ends };
        let mut outlook = self.outlook(&question, SIMULATIONS);
        let mut reading = Reading::new(&position, &outlook.owners);
        self.find_standoffs(&question, &mut reading);
        let in_doubt = !reading.chains_are_decided();
        if in_doubt && effort == Effort::Full && outlook.complete {
            outlook = self.outlook(&question, SIMULATIONS * CLOSER_LOOK);
            reading = Reading::new(&position, &outlook.owners);
            self.find_standoffs(&question, &mut reading);
        }
        let status = reading.status(outlook.best);
        if outlook.complete && (effort == Effort::Full || !in_doubt) {
            self.last = Some((position.events().to_vec(), terms, status.clone()));
        }
        status
    }

    /// How far Black is ahead, so that neither player is when komi is raised by
    /// as much; draws are impossible then.
    fn lead(&mut self, question: &Question<'_>) -> f64 {
        let lead =
            |color| self.look(question, color, SIMULATIONS / FIRST_LOOK, 8, &[]).score_of(Color::Black);
        let mean = Color::BOTH.map(lead).iter().sum::<f64>() / 2.0;
        let komi = question.game.total_komi();
        (komi + mean).floor() + 0.5 - komi
    }

    /// A search of its own with `color` to move, among `allowed` unless that is
    /// empty, that takes at most one of so many `parts` of the time.
    fn look(
        &mut self,
        question: &Question<'_>,
        color: Color,
        simulations: u64,
        parts: u32,
        allowed: &[Move],
    ) -> Report {
        let Question { game, settings, stop, ends } = *question;
        let time = ends.map(|(watch, time)| (time / parts).min(time.saturating_sub(watch.elapsed())));
        let limits = Limits { nodes: Some(simulations), hard_time: time, soft_time: time };
        self.search.clear();
        let request = Request { game, to_move: color, limits, stop, report_every: None, settings, allowed };
        self.search.search(&request, &mut |_| {})
    }

    /// What playouts say with either player to move.
    fn outlook(&mut self, question: &Question<'_>, simulations: u64) -> Outlook {
        let reports = Color::BOTH.map(|color| self.look(question, color, simulations, 3, &[]));
        let clearly_best = |report: &Report| {
            let best = report.moves.first().filter(|best| best.mv == report.best);
            best.filter(|best| best.visits * 2 > report.simulations)?.mv.coord()
        };
        Outlook {
            best: [clearly_best(&reports[0]), clearly_best(&reports[1])],
            complete: reports.iter().all(|report| report.simulations >= simulations),
            owners: reports.map(|report| report.ownership),
        }
    }

    /// Keeps the chains on the board that neither player can attack: playouts
    /// that attack them anyway know nothing of their fate.
    fn find_standoffs(&mut self, question: &Question<'_>, reading: &mut Reading<'_>) {
        let standoffs = reading.standoffs();
        if standoffs.is_empty() || (question.ends.is_some() && standoffs.len() > MOST_STANDOFFS) {
            return;
        }
        for standoff in standoffs.iter().take(MOST_STANDOFFS) {
            let closed = !Color::BOTH.iter().any(|&color| reading.has_way_out(standoff, color));
            if closed && Color::BOTH.iter().all(|&color| self.loses_by_starting(question, standoff, color)) {
                reading.keep(standoff);
            }
        }
    }

    /// Whether `color`, once he has connected what he can, can take none of the
    /// enemy's chains by filling a liberty of theirs, and loses the own ones by filling some. Where he may fill none, each
    /// is the last of all his chains there, and the opponent takes them.
    fn loses_by_starting(&mut self, question: &Question<'_>, standoff: &Standoff, color: Color) -> bool {
        let game = &connected(question.game, standoff, color);
        let question = &Question { game, ..*question };
        let board = game.board();
        let (own, enemies) = (&standoff.chains[color.index()], &standoff.chains[color.opponent().index()]);
        let liberties = enemies.iter().map(|&coord| board.liberties(board.point(coord))).reduce(PointSet::or);
        let starts = liberties.iter().flat_map(|set| set.iter()).map(|at| Move::Play(board.coord(at)));
        let mut loses = false;
        for start in starts.filter(|&mv| game.check(color, mv).is_ok()) {
            let report = self.look(question, color, TRIAL, 3, &[start]);
            let owned = |at: &Coord| report.ownership[game.size().index(*at)] * color.sign() as f32;
            if report.simulations < TRIAL || enemies.iter().any(|at| owned(at) >= -LOST) {
                return false;
            }
            loses |= own.iter().map(owned).sum::<f32>() / own.len() as f32 <= LOST;
        }
        loses
    }
}

/// The game after `color`, alone on the move, has connected what he can to stones
/// outside the standoff without filling a liberty of the enemy's there: nothing
/// hurries him, so he does that before he attacks.
fn connected(game: &Game, standoff: &Standoff, color: Color) -> Game {
    let mut game = game.clone();
    let [own, enemies] = [color, color.opponent()].map(|side| &standoff.chains[side.index()]);
    for &stone in own {
        let board = game.board();
        let liberties = |coord: &Coord| board.liberties(board.point(*coord));
        let shared = enemies.iter().map(liberties).reduce(PointSet::or);
        let free = shared.map_or(liberties(&stone), |shared| liberties(&stone).and_not(shared));
        let connects = |point: &Point| board.liberties_after(*point, color).count() > MOST_LIBERTIES;
        if let Some(point) = free.iter().find(connects) {
            let at = board.coord(point);
            // What the rules forbid is left out.
            let _ = game.play(color, Move::Play(at));
        }
    }
    game
}

/// What playouts say of a position.
struct Outlook {
    /// Mean owners with Black and with White to move.
    owners: [Vec<f32>; 2],
    /// The move that was clearly best for each.
    best: [Option<Coord>; 2],
    /// Whether all simulations were made.
    complete: bool,
}

/// What playouts are asked about.
#[derive(Clone, Copy)]
struct Question<'a> {
    game: &'a Game,
    settings: &'a Settings,
    stop: &'a StopFlag,
    /// When all has to be done, if ever: so long after a start.
    ends: Option<(Stopwatch, Duration)>,
}
