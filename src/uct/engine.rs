//! The engine: a game, its clocks and a search, and answers to everything a
//! protocol may ask, as typed values.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::memory::GoMemory;
use super::report::Report;
use super::search::{self, Request, Search, new_search};
use super::status::{Effort, Judge, Status};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::{Event, Game, Illegal};
use crate::go::rules::{Rules, Scoring};
use crate::shared::clock::{Clock, Left, TimeControl};
use crate::shared::control::{Limits, StopFlag, Stopwatch};
use crate::shared::learn::Store;

/// How the engine is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads, memory, seed, playouts and the search's numbers.
    pub search: search::Settings,
    /// Simulations for a move, if they are limited.
    pub playouts: Option<u64>,
    /// Time for a move while no clock is set and simulations are not limited.
    pub time: Duration,
    /// Whether to think in the opponent's time.
    pub ponder: bool,
    /// The win rate below which a game is resigned; 0 never resigns.
    pub resign: f64,
    /// Time that is lost for every move on the way to the client.
    pub lag: Duration,
    /// The rules of a new game.
    pub rules: Rules,
    /// Whether `kgs-chat` is announced.
    pub kgs_chat: bool,
    /// Where to learn from games, if at all.
    pub learn: Option<Store>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            search: search::Settings::default(),
            playouts: None,
            time: Duration::from_secs(2),
            ponder: false,
            resign: 0.05,
            lag: Duration::from_millis(60),
            rules: Rules::default(),
            kgs_chat: false,
            learn: None,
        }
    }
}

/// What a move is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The next move of the game, on the player's clock.
    Play,
    /// What would be played; the game and the clocks stay as they are.
    Suggest,
    /// The next move of a clean-up: everything dead is taken before a pass, and
    /// nobody resigns.
    CleanUp,
}

/// What the engine decided to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// To move.
    Move(Move),
    /// To give up.
    Resign,
}

impl std::fmt::Display for Decision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Decision::Move(mv) => mv.fmt(f),
            Decision::Resign => f.write_str("resign"),
        }
    }
}

/// A setting by name, for listings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value, as [`Engine::set_parameter`] reads it.
    pub value: String,
}

/// The parameter is unknown, or cannot have the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// No such parameter.
    #[error("unknown parameter {0}")]
    Unknown(String),
    /// The value does not fit.
    #[error("invalid value for {0}")]
    Invalid(String),
}

/// Receives reports while a search runs.
pub struct Observer<'a> {
    /// How often.
    pub every: Duration,
    /// What to do with a report.
    pub tell: &'a mut dyn FnMut(&Report),
}

/// What a search is asked besides the position.
pub struct Question<'a> {
    /// The player to move.
    pub color: Color,
    /// When to end.
    pub limits: Limits,
    /// Restricts the first move to these, unless empty.
    pub allowed: &'a [Move],
}

/// A game, its clocks, and a search that knows the game's tree.
pub struct Engine {
    settings: Settings,
    game: Game,
    clocks: [Clock; 2],
    search: Box<dyn Search>,
    memory: Option<GoMemory>,
    judge: Judge,
    last: Option<Searched>,
    /// Whether the last thing that happened was a move of our own.
    may_ponder: bool,
}

/// The last search, and the game it was about.
struct Searched {
    report: Report,
    events: usize,
}

/// How far from even a win rate leaves no doubt about a result.
const CLEAR_MARGIN: f64 = 0.35;
const DEFAULT_KOMI: f64 = 7.5;
/// Fewer visits than this are no ground to resign on.
const RESIGN_VISITS: u64 = 100;
/// Simulations of a ponder search at most: what fits into memory is long full.
const PONDER_NODES: u64 = 50_000_000;

impl Engine {
    /// An engine with an empty board of `size`.
    #[must_use]
    pub fn new(settings: Settings, size: Size) -> Self {
        Engine {
            game: Game::new(size, settings.rules, DEFAULT_KOMI),
            clocks: [Clock::new(TimeControl::None); 2],
            search: new_search(size),
            memory: settings.learn.clone().map(GoMemory::new),
            judge: Judge::new(size),
            last: None,
            may_ponder: false,
            settings,
        }
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The report of the last search of this game.
    #[must_use]
    pub fn last_report(&self) -> Option<&Report> {
        self.last.as_ref().map(|last| &last.report)
    }

    /// The game as it was when [`Engine::last_report`] was made.
    #[must_use]
    pub fn searched_game(&self) -> Game {
        self.last.as_ref().map_or_else(|| self.game.clone(), |last| self.game.at(last.events))
    }

    /// Begins a game on an empty board of `size`; komi, rules and time control
    /// stay.
    pub fn set_size(&mut self, size: Size) {
        if size != self.game.size() {
            self.search = new_search(size);
            self.judge = Judge::new(size);
        }
        self.set_game(Game::new(size, self.game.rules(), self.game.komi()));
    }

    /// Begins a game on an empty board; komi, rules and time control stay.
    pub fn clear_board(&mut self) {
        self.set_size(self.game.size());
    }

    /// Takes over a game.
    pub fn set_game(&mut self, game: Game) {
        self.learn_result();
        if game.size() != self.game.size() {
            self.search = new_search(game.size());
            self.judge = Judge::new(game.size());
        }
        self.game = game;
        self.clocks = self.clocks.map(|clock| Clock::new(clock.control()));
        self.last = None;
        self.may_ponder = false;
    }

    /// Changes komi; what the search knows is judged anew.
    pub fn set_komi(&mut self, komi: f64) {
        self.game.set_komi(komi);
    }

    /// Changes the rules, of this game and of the next ones.
    pub fn set_rules(&mut self, rules: Rules) {
        self.game.set_rules(rules);
    }

    /// Plays a move.
    ///
    /// # Errors
    /// The rule that forbids it; nothing has changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.game.play(color, mv)?;
        self.may_ponder = false;
        Ok(())
    }

    /// Carries out a decision: the opponent is to move then, and may be
    /// thought for.
    ///
    /// # Errors
    /// The rule that forbids the move; nothing has changed then.
    pub fn carry_out(&mut self, color: Color, decision: Decision) -> Result<(), Illegal> {
        if let Decision::Move(mv) = decision {
            self.play(color, mv)?;
            self.may_ponder = true;
        }
        Ok(())
    }

    /// Takes back the last move or set-up; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        self.may_ponder = false;
        let undone = self.game.undo().is_some();
        if self.last.as_ref().is_some_and(|last| last.events > self.game.events().len()) {
            self.last = None;
        }
        undone
    }

    /// Puts Black's handicap stones on the empty board.
    ///
    /// # Errors
    /// The board is not empty, or a point is outside it or named twice.
    pub fn place_handicap(&mut self, stones: &[Coord]) -> Result<(), Illegal> {
        self.game.place_handicap(stones)
    }

    /// Puts stones on points, or takes them off.
    ///
    /// # Errors
    /// A point is outside the board; nothing has changed then.
    pub fn set_up(&mut self, stones: Vec<(Coord, Option<Color>)>) -> Result<(), Illegal> {
        self.game.set_up(stones)
    }

    /// Says whose turn it is.
    pub fn set_to_move(&mut self, color: Color) {
        self.game.set_to_move(color);
    }

    /// Gives both players a clock.
    pub fn set_time_control(&mut self, control: TimeControl) {
        self.clocks = [Clock::new(control); 2];
    }

    /// Takes over what a server says `color` has left.
    pub fn set_time_left(&mut self, color: Color, left: Left) {
        let clock = &mut self.clocks[color.index()];
        if !clock.is_limited() {
            // A server that tells the time left plays with a clock.
            *clock = match left {
                Left::Main(main) if main.is_zero() => return,
                Left::Main(main) => Clock::new(TimeControl::Absolute { main }),
                Left::Overtime(period, stones) => {
                    Clock::new(TimeControl::Canadian { main: Duration::ZERO, period, stones })
                }
            };
        }
        clock.set_left(left);
    }

    /// Forgets everything that was searched.
    pub fn forget(&mut self) {
        self.search.clear();
        self.last = None;
    }

    /// The game is over: nothing more to think about.
    pub fn end_game(&mut self) {
        self.learn_result();
        self.may_ponder = false;
    }

    /// Decides on the next move of `color`, among `allowed` unless that is
    /// empty. It is not played.
    pub fn decide(
        &mut self,
        color: Color,
        manner: Manner,
        allowed: &[Move],
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Decision {
        let watch = Stopwatch::start();
        let limits = self.limits(color);
        let plan = if allowed.is_empty() {
            self.settled_move(color, manner, stop, &limits)
        } else {
            Plan::Search(allowed.to_vec())
        };
        let decision = match plan {
            Plan::Pass => Decision::Move(Move::Pass),
            Plan::Search(allowed) => {
                let limits = less(limits, watch.elapsed());
                let question = Question { color, limits, allowed: &allowed };
                let report = self.search(&question, stop, observer);
                self.conclude(&report, &allowed, manner)
            }
        };
        if manner != Manner::Suggest {
            self.clocks[color.index()].spend(watch.elapsed());
        }
        decision
    }

    /// Searches without limit but those given, until stopped.
    pub fn search(
        &mut self,
        question: &Question<'_>,
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Report {
        let (every, tell) = match observer {
            Some(observer) => (Some(observer.every), Some(observer.tell)),
            None => (None, None),
        };
        if let Some(memory) = &mut self.memory {
            self.settings.search.hints = Arc::new(memory.hints(&self.game, question.color));
        }
        let request = Request {
            game: &self.game,
            to_move: question.color,
            limits: question.limits,
            stop,
            report_every: every,
            settings: &self.settings.search,
            allowed: question.allowed,
        };
        let mut ignore = |_: &Report| {};
        let report = self.search.search(&request, tell.unwrap_or(&mut ignore));
        if let (Some(memory), []) = (&mut self.memory, question.allowed) {
            memory.learn_search(&self.game, &report);
        }
        self.last = Some(Searched { report: report.clone(), events: self.game.events().len() });
        report
    }

    /// Learns from the game as it stands, if its last search left no doubt.
    fn learn_result(&mut self) {
        let (Some(memory), Some(last)) = (&mut self.memory, &self.last) else { return };
        let black = last.report.win_rate_of(Color::Black);
        if last.events + 4 >= self.game.events().len() && (black - 0.5).abs() > CLEAR_MARGIN {
            memory.learn_result(&self.game, if black > 0.5 { Color::Black } else { Color::White });
        }
    }

    /// What a move of `color` may take now.
    fn limits(&self, color: Color) -> Limits {
        let nodes = self.settings.playouts;
        if let Some(limits) = self.clocks[color.index()].limits(self.moves_left(), self.settings.lag) {
            return Limits { nodes, ..limits };
        }
        match nodes {
            Some(nodes) => Limits::nodes(nodes),
            None => Limits::time(self.settings.time),
        }
    }

    /// A guess of how many moves each player still makes before the game is
    /// decided: games last about 0.8 moves a point, and the early ones matter
    /// most.
    fn moves_left(&self) -> f64 {
        let points = self.game.size().points() as f64;
        let played = self.game.moves().count() as f64;
        ((points * 0.7 - played) / 2.0).max(points * 0.06).max(6.0)
    }

    /// Whether the game is over but for passes, and if not, which moves are
    /// worth a thought (none named: all of them).
    fn settled_move(&mut self, color: Color, manner: Manner, stop: &StopFlag, limits: &Limits) -> Plan {
        let passed = self.game.passes_in_a_row() > 0;
        if !passed && !self.looks_settled() {
            return Plan::Search(Vec::new());
        }
        let wins_as_it_stands = self.game.area_result() * f64::from(color.sign()) > 0.0;
        let by_area = self.game.rules().scoring == Scoring::Area;
        if by_area && passed && wins_as_it_stands && manner != Manner::CleanUp {
            return Plan::Pass;
        }
        let time = limits.soft_time.map(|time| time.mul_f64(STATUS_SHARE));
        let status = self.judge.status(&self.game, &self.settings.search, stop, Effort::Within(time));
        if !status.is_settled() {
            return Plan::Search(Vec::new());
        }
        let dead = status.has_dead(color.opponent());
        let open: Vec<Coord> =
            status.dame().filter(|&c| self.game.check(color, Move::Play(c)).is_ok()).collect();
        match (manner, by_area) {
            (Manner::CleanUp, _) if dead => self.removal(color, &status),
            (Manner::CleanUp, _) => Plan::Pass,
            (_, false) if passed || open.is_empty() => Plan::Pass,
            (_, false) => Plan::Search(open.into_iter().map(Move::Play).chain([Move::Pass]).collect()),
            (_, true) if open.is_empty() && wins_as_it_stands => Plan::Pass,
            (_, true) if open.is_empty() && dead => self.removal(color, &status),
            _ => Plan::Search(Vec::new()),
        }
    }

    /// Whether the last search found nearly every point decided.
    fn looks_settled(&self) -> bool {
        let Some(last) = &self.last else { return false };
        let open = last.report.ownership.iter().filter(|mean| mean.abs() < 0.6).count();
        last.events + 2 >= self.game.events().len() && open * 20 <= self.game.size().points()
    }

    /// Moves that help to take the opponent's dead stones off: on their
    /// liberties, and next to them.
    fn removal(&self, color: Color, status: &Status) -> Plan {
        use crate::go::bits::PointSet as _;
        let board = self.game.board();
        let mut moves = Vec::new();
        for coord in self.game.size().coords() {
            if self.game.color_at(coord) != Some(color.opponent()) || !status.is_dead(coord) {
                continue;
            }
            let liberties = board.liberties(board.point(coord));
            for liberty in liberties.iter() {
                let mv = Move::Play(board.coord(liberty));
                if !moves.contains(&mv) && self.game.check(color, mv).is_ok() {
                    moves.push(mv);
                }
            }
        }
        if moves.is_empty() { Plan::Search(Vec::new()) } else { Plan::Search(moves) }
    }

    /// The decision after a search.
    fn conclude(&self, report: &Report, allowed: &[Move], manner: Manner) -> Decision {
        let color = report.to_move;
        if manner != Manner::CleanUp && self.is_lost(report) {
            return Decision::Resign;
        }
        let legal = |mv: &Move| self.game.check(color, *mv).is_ok();
        let ranked = std::iter::once(report.best).filter(|_| !report.moves.is_empty());
        let mut candidates = ranked.chain(report.moves.iter().map(|found| found.mv));
        let mv = candidates.find(legal).or_else(|| allowed.iter().copied().find(legal));
        Decision::Move(mv.unwrap_or_else(|| self.any_move(color)))
    }

    /// A move without any search: near the middle, and filling no eye.
    fn any_move(&self, color: Color) -> Move {
        let board = self.game.board();
        let size = self.game.size();
        let off_center = |c: &Coord| {
            (2 * i32::from(c.x) + 1 - i32::from(size.width())).abs()
                + (2 * i32::from(c.y) + 1 - i32::from(size.height())).abs()
        };
        let moves = self.game.legal_moves(color).into_iter();
        let sensible = moves.filter(|&coord| !board.is_eye(board.point(coord), color));
        sensible.min_by_key(off_center).map_or(Move::Pass, Move::Play)
    }

    /// Whether the game should be resigned: the search gives no hope, it is not
    /// early, and the board as it stands is not won.
    fn is_lost(&self, report: &Report) -> bool {
        let points = self.game.size().points();
        let played = self.game.moves().count();
        // With handicap stones White starts far behind, and waits for mistakes.
        let early = if self.game.handicap().is_empty() { points / 6 } else { points / 2 };
        let standing = self.game.area_result() * f64::from(report.to_move.sign());
        let best = report.moves.first().map_or(report.win_rate, |best| best.win_rate);
        self.settings.resign > 0.0
            && best.max(report.win_rate) < self.settings.resign
            && report.root_visits >= RESIGN_VISITS
            && played >= early
            && (played < points / 2 || standing <= 0.0)
    }

    /// Whether there is a game to think about while the opponent does.
    #[must_use]
    pub fn wants_to_ponder(&self) -> bool {
        self.settings.ponder && self.may_ponder && self.game.passes_in_a_row() < 2
    }

    /// Thinks about the opponent's move until stopped.
    pub fn ponder(&mut self, stop: &StopFlag) {
        let last = self.last.take();
        let color = self.game.to_move();
        let question = Question { color, limits: Limits::nodes(PONDER_NODES), allowed: &[] };
        let report = self.search(&question, stop, None);
        tracing::debug!(simulations = report.simulations, "pondered");
        self.last = last;
        self.may_ponder = stop.is_raised();
    }

    /// Which stones live, and whose the points are.
    pub fn status(&mut self, stop: &StopFlag) -> Status {
        self.judge.status(&self.game, &self.settings.search, stop, Effort::Full)
    }

    /// Every parameter with its value.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let own = [
            ("threads", self.settings.search.threads.to_string()),
            ("memory_mib", self.settings.search.memory_mib.to_string()),
            ("seed", self.settings.search.seed.to_string()),
            ("playouts", self.settings.playouts.unwrap_or(0).to_string()),
            ("time", self.settings.time.as_secs_f64().to_string()),
            ("ponder", u8::from(self.settings.ponder).to_string()),
            ("resign", self.settings.resign.to_string()),
            ("lag_ms", self.settings.lag.as_millis().to_string()),
        ];
        let search = self.settings.search.params.list().into_iter().map(|p| (p.name, p.value.to_string()));
        own.into_iter().chain(search).map(|(name, value)| Parameter { name, value }).collect()
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// The parameter is unknown, or cannot have the value; nothing has changed
    /// then.
    pub fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let settings = &mut self.settings;
        match name {
            "threads" => settings.search.threads = within(name, value, 1..=1024)?,
            "memory_mib" => settings.search.memory_mib = within(name, value, 2..=1 << 20)?,
            "seed" => settings.search.seed = within(name, value, 0..=u64::MAX)?,
            "playouts" => {
                let count: u64 = within(name, value, 0..=u64::MAX)?;
                settings.playouts = (count > 0).then_some(count);
            }
            "time" => settings.time = Duration::from_secs_f64(within(name, value, 0.001..=1e6)?),
            "ponder" => settings.ponder = within(name, value, 0..=1)? == 1,
            "resign" => settings.resign = within(name, value, 0.0..=0.5)?,
            "lag_ms" => settings.lag = Duration::from_millis(within(name, value, 0..=60_000)?),
            _ => {
                let known = settings.search.params.get(name).is_some();
                settings.search.params.set(name, value).map_err(|_| match known {
                    true => ParameterError::Invalid(name.into()),
                    false => ParameterError::Unknown(name.into()),
                })?;
            }
        }
        Ok(())
    }
}

/// The share of a move's time that may go into finding out whether the game is
/// over.
const STATUS_SHARE: f64 = 0.15;

/// The limits that are left after some time.
fn less(limits: Limits, used: Duration) -> Limits {
    let rest = |time: Option<Duration>| time.map(|time| time.saturating_sub(used));
    Limits { soft_time: rest(limits.soft_time), hard_time: rest(limits.hard_time), ..limits }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.learn_result();
    }
}

/// What to do about a position that may be settled.
enum Plan {
    /// Nothing is left to gain.
    Pass,
    /// To search among these moves, or all if none are named.
    Search(Vec<Move>),
}

/// Reads a value within bounds.
fn within<T: FromStr + PartialOrd>(
    name: &str,
    text: &str,
    bounds: std::ops::RangeInclusive<T>,
) -> Result<T, ParameterError> {
    let value = text.parse().ok().filter(|value| bounds.contains(value));
    value.ok_or_else(|| ParameterError::Invalid(name.into()))
}

/// Whether an event is a pass.
pub(super) fn is_pass(event: &Event) -> bool {
    matches!(event, Event::Move(_, Move::Pass))
}
