//! The engine: a game, its clocks and a search, and answers to everything a
//! protocol may ask, as typed values.

mod decide;
mod lessons;
mod parameters;
mod passing;

use std::sync::Arc;
use std::time::Duration;

pub use self::parameters::{Parameter, ParameterError};
use super::memory::GoMemory;
use super::report::Report;
use super::search::{self, Request, Search, new_search};
use super::status::{Effort, Judge, Status};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::{Event, Game, Illegal};
use crate::go::rules::Rules;
use crate::shared::clock::{Clock, Left, TimeControl};
use crate::shared::control::{Limits, StopFlag};
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
    /// What the engine calls itself.
    pub name: String,
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
            name: "Tengen".into(),
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

const DEFAULT_KOMI: f64 = 7.5;
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
        if let Some(memory) = &mut self.memory {
            memory.begin_game();
        }
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
            self.settings.search.hints =
                Arc::new(memory.hints(&self.game, question.color, &self.settings.search.params));
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
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.learn_result();
    }
}

/// Whether an event is a pass.
pub(super) fn is_pass(event: &Event) -> bool {
    matches!(event, Event::Move(_, Move::Pass))
}
