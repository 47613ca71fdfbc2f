//! Go against the engine.

use anyhow::Context;

use super::{Level, Look, Options, Seats, Side, Sitting, go_board, seats};
use crate::formats::sgf::{GameResult, Margin, Record};
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::go::game::Game;
use crate::go::handicap;
use crate::shared::control::StopFlag;
use crate::uct::engine::{Decision, Engine, Manner};
use crate::uct::report::Report;
use crate::uct::status::Status;

/// Moves that a hint names.
const HINTS: usize = 3;
/// Moves of a line that are shown.
const LINE: usize = 6;

/// A game of Go.
pub(super) struct GoSitting {
    engine: Engine,
    /// The game to begin with.
    start: Game,
    seats: Seats,
    result: Option<GameResult>,
}

impl GoSitting {
    pub(super) fn new(options: &Options) -> anyhow::Result<Self> {
        let size = Size::square(options.size).context("no such board")?;
        let mut settings = options.engine.settings()?;
        settings.ponder = false;
        let komi = options.komi.unwrap_or(match (options.handicap, options.size) {
            (2.., _) => 0.5,
            (_, 9) => 7.0,
            _ => 7.5,
        });
        let mut start = Game::new(size, settings.rules, komi);
        if options.handicap > 0 {
            let count = options.handicap;
            let stones = handicap::fixed(size, count).or_else(|| handicap::free(size, count));
            let stones = stones.with_context(|| format!("{count} handicap stones do not go on {size}"))?;
            start.place_handicap(&stones)?;
        }
        let seats = seats(options.color, Side::Black, settings.search.seed);
        let mut engine = Engine::new(settings, size);
        engine.set_game(start.clone());
        Ok(GoSitting { engine, start, seats, result: None })
    }

    fn game(&self) -> &Game {
        self.engine.game()
    }

    fn status(&mut self) -> Status {
        self.engine.status(&StopFlag::new())
    }

    /// Counts the game if both have passed.
    fn notice_end(&mut self) {
        if self.game().passes_in_a_row() >= 2 {
            let score = self.status().score(self.game());
            self.result = Some(GameResult::by_score(score));
        }
    }

    fn name(&self, color: Color) -> &'static str {
        if self.seats[color.index()] { "You" } else { "Tengen" }
    }
}

impl Sitting for GoSitting {
    fn draw(&self, look: Look) -> String {
        let game = self.game();
        let [black, white] = Color::BOTH.map(|color| game.board().captured(color));
        let last = game.last_move().map_or(String::new(), |(color, mv)| format!(", last move {color} {mv}"));
        format!(
            "{}\nKomi {}, prisoners of Black {black}, of White {white}{last}",
            go_board::draw(game, None, look),
            game.komi()
        )
    }

    fn prompt(&self) -> String {
        match &self.result {
            Some(_) => "over".into(),
            None => format!("{} {}", self.game().to_move(), self.game().moves().count() + 1),
        }
    }

    fn is_engines_turn(&self) -> bool {
        self.result.is_none() && !self.seats[self.game().to_move().index()]
    }

    fn engine_moves(&mut self) -> String {
        let color = self.game().to_move();
        let before = self.game().events().len();
        let decision = self.engine.decide(color, Manner::Play, &[], &StopFlag::new(), None);
        let told = match decision {
            Decision::Resign => {
                self.result = Some(GameResult::Win(color.opponent(), Margin::Resignation));
                "Tengen resigns.".to_owned()
            }
            Decision::Move(mv) => {
                let is_fresh = self.engine.searched_game().events().len() == before;
                let report = self.engine.last_report().filter(|_| is_fresh);
                let report = report.map_or(String::new(), |report| format!("  ({})", standing(report)));
                format!("Tengen plays {mv}.{report}")
            }
        };
        if self.engine.carry_out(color, decision).is_err() {
            tracing::error!("the engine chose an illegal move: {decision}");
            self.result = Some(GameResult::Win(color.opponent(), Margin::Forfeit));
        }
        if self.result.is_none() {
            self.notice_end();
        }
        told
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        if self.result.is_some() {
            return Err("The game is over: undo, new or quit.".into());
        }
        let size = self.game().size();
        let mv: Move = text.parse().map_err(|_| {
            format!("{text:?} is neither a move such as d4 or pass, nor a command; try help.")
        })?;
        if mv.coord().is_some_and(|coord| !size.contains(coord)) {
            return Err(format!("{mv} is not on a board of {size}."));
        }
        let color = self.game().to_move();
        self.engine.play(color, mv).map_err(|illegal| format!("{mv} is not allowed: {illegal}."))?;
        self.notice_end();
        Ok(())
    }

    fn hint(&mut self) -> Result<String, String> {
        if self.result.is_some() {
            return Err("The game is over.".into());
        }
        let color = self.game().to_move();
        let before = self.game().events().len();
        self.engine.forget();
        Ok(match self.engine.decide(color, Manner::Suggest, &[], &StopFlag::new(), None) {
            Decision::Resign => "The engine would resign.".into(),
            Decision::Move(Move::Pass) => "The engine would pass.".into(),
            Decision::Move(mv) => match self.engine.last_report() {
                Some(report) if self.engine.searched_game().events().len() == before => hints(report),
                _ => format!("{mv}"),
            },
        })
    }

    fn undo(&mut self) -> Result<(), String> {
        if !self.engine.undo() {
            return Err("There is nothing to take back.".into());
        }
        self.result = None;
        while self.is_engines_turn() && self.engine.undo() {}
        Ok(())
    }

    fn estimate(&mut self, look: Look) -> String {
        let status = self.status();
        let game = self.game();
        let board = go_board::draw(game, Some(&status), look);
        let score = GameResult::by_score(status.score(game));
        let spread = status.uncertainty();
        format!("{board}\nAs things stand, about {score}, give or take {spread:.0} points.")
    }

    fn score(&mut self, look: Look) -> String {
        let status = self.status();
        let game = self.game();
        let dead: Vec<String> = game
            .size()
            .coords()
            .filter(|&coord| status.is_dead(coord))
            .map(|coord| coord.to_string())
            .collect();
        let dead = if dead.is_empty() { "none".into() } else { dead.join(" ") };
        let rules = game.rules().name().unwrap_or("other");
        format!(
            "{}\nIf the game ended now: {} ({rules} rules, komi {}). Dead stones: {dead}.",
            go_board::draw(game, Some(&status), look),
            GameResult::by_score(status.score(game)),
            game.komi()
        )
    }

    fn moves(&self) -> String {
        let moves: Vec<String> = self.game().moves().map(|(_, mv)| mv.to_string()).collect();
        if moves.is_empty() { "No moves yet.".into() } else { moves.join(" ") }
    }

    fn resign(&mut self) -> Result<(), String> {
        if self.result.is_some() {
            return Err("The game is over already.".into());
        }
        let winner = self.game().to_move().opponent();
        self.result = Some(GameResult::Win(winner, Margin::Resignation));
        Ok(())
    }

    fn result(&self) -> Option<String> {
        self.result.as_ref().map(|result| match result {
            GameResult::Win(color, _) => format!("{result}, {color} wins"),
            other => other.to_string(),
        })
    }

    fn set_level(&mut self, level: Level) {
        let (playouts, time) = match level {
            Level::Work(playouts) => (playouts, None),
            Level::Time(time) => (0, Some(time)),
        };
        let set = |engine: &mut Engine, name: &str, value: String| {
            if let Err(error) = engine.set_parameter(name, &value) {
                tracing::error!("{error}");
            }
        };
        set(&mut self.engine, "playouts", playouts.to_string());
        if let Some(time) = time {
            set(&mut self.engine, "time", time.as_secs_f64().to_string());
        }
    }

    fn switch(&mut self) {
        self.seats = self.seats.map(|is_person| !is_person);
    }

    fn restart(&mut self) {
        self.result = None;
        self.engine.set_game(self.start.clone());
    }

    fn record(&self) -> (String, &'static str) {
        let mut record = Record::of_game(self.game());
        for color in Color::BOTH {
            record.player(color, self.name(color));
        }
        if let Some(result) = &self.result {
            record.result(result);
        }
        (record.finish().to_string(), "sgf")
    }
}

/// `54% for Black, score B+2.1`.
fn standing(report: &Report) -> String {
    let color = report.to_move;
    let score = GameResult::by_score((report.score_of(Color::Black) * 10.0).round() / 10.0);
    format!("{:.0}% for {color}, score {score}", report.win_rate * 100.0)
}

/// The best moves and what follows them.
fn hints(report: &Report) -> String {
    let found = report.moves.iter().filter(|found| found.visits > 0).take(HINTS);
    let lines: Vec<String> = found
        .map(|found| {
            let line: Vec<String> = found.pv.iter().take(LINE).map(Move::to_string).collect();
            format!("  {:<4} {:3.0}%  {}", found.mv, found.win_rate * 100.0, line.join(" "))
        })
        .collect();
    format!("The engine would play {} ({}).\n{}", report.best, standing(report), lines.join("\n"))
}
