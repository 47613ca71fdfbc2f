//! Chess against the engine.

use super::{Level, Look, Options, Seats, Side, Sitting, chess_board, seats};
use crate::app::chess_line::{ChessLine, Ending};
use crate::chess::engine::{Engine, Order};
use crate::chess::position::Position;
use crate::chess::score::{mate_moves, win_draw_loss};
use crate::chess::search::Outcome;
use crate::chess::types::{Color, Move};

/// The largest table of positions, in MiB: more does not help moves of
/// seconds.
const MOST_HASH_MIB: usize = 128;
/// Plies of a line that are shown.
const LINE: usize = 8;

/// A game of chess.
pub(super) struct ChessSitting {
    engine: Engine,
    line: ChessLine,
    fen: Option<String>,
    seats: Seats,
    level: Level,
    /// The side that gave up.
    resigned: Option<Color>,
}

impl ChessSitting {
    pub(super) fn new(options: &Options) -> anyhow::Result<Self> {
        let settings = options.engine.settings()?;
        let line = ChessLine::new(options.fen.as_deref())?;
        let level = settings.playouts.map_or(Level::Time(settings.time), Level::Work);
        let hash = settings.search.memory_mib.min(MOST_HASH_MIB);
        Ok(ChessSitting {
            engine: Engine::new(hash, settings.search.threads),
            line,
            fen: options.fen.clone(),
            seats: seats(options.color, Side::White, settings.search.seed),
            level,
            resigned: None,
        })
    }

    fn position(&self) -> &Position {
        self.line.position()
    }

    /// Searches the present position. Gives the outcome and the best line.
    fn think(&mut self) -> (Outcome, Vec<String>) {
        self.engine.set_position(*self.line.start());
        self.line.moves().iter().for_each(|&mv| self.engine.play(mv));
        let order = Order { limits: self.level.limits(), lines: 1, ..Order::default() };
        let mut best = Vec::new();
        let outcome = self.engine.think(&order, |line| best.clone_from(&line.moves));
        let mut position = *self.position();
        let mut san = Vec::new();
        for mv in best.into_iter().take(LINE) {
            san.push(position.san(mv));
            position.play_unchecked(mv);
        }
        (outcome, san)
    }

    fn over(&self) -> Result<(), String> {
        match self.result() {
            Some(_) => Err("The game is over: undo, new or quit.".into()),
            None => Ok(()),
        }
    }

    /// `1-0` and the like, `*` before the end.
    fn points(&self) -> &'static str {
        let lost = |color: Color| if color == Color::White { "0-1" } else { "1-0" };
        match (self.resigned, self.line.ending()) {
            (Some(color), _) => lost(color),
            (None, Some(Ending::Mate)) => lost(self.position().side()),
            (None, Some(_)) => "1/2-1/2",
            (None, None) => "*",
        }
    }

    /// Why a move was not understood.
    fn complaint(&self, text: &str) -> String {
        let position = self.position();
        let target: String = text.trim_end_matches(['+', '#', '!', '?']).chars().rev().take(2).collect();
        let target: String = target.chars().rev().collect();
        let first = text.chars().next();
        let alike: Vec<String> = position
            .legal_moves()
            .iter()
            .map(|&mv| position.san(mv))
            .filter(|san| san.chars().next() == first && san.contains(&target))
            .collect();
        if alike.len() > 1 {
            return format!("{text:?} may mean {}.", alike.join(" or "));
        }
        let check = if position.checkers().any() { " The king is in check." } else { "" };
        format!("{text:?} is neither a legal move such as e2e4 or Nf3, nor a command; try help.{check}")
    }
}

impl Sitting for ChessSitting {
    fn draw(&self, look: Look) -> String {
        let view = if self.seats == [false, true] { Color::Black } else { Color::White };
        let last = self.line.san().last().map_or(String::new(), |san| format!("Last move {san}. "));
        let check = if self.position().checkers().any() { "Check." } else { "" };
        format!("{}\n{last}{check}", chess_board::draw(&self.line, view, look)).trim_end().to_owned()
    }

    fn prompt(&self) -> String {
        match self.result() {
            Some(_) => "over".into(),
            None => format!("{} {}", name(self.position().side()), self.position().move_number()),
        }
    }

    fn is_engines_turn(&self) -> bool {
        self.result().is_none() && !self.seats[self.position().side().index()]
    }

    fn engine_moves(&mut self) -> String {
        let (outcome, _) = self.think();
        let Some(mv) = outcome.best else {
            self.resigned = Some(self.position().side());
            return "Tengen found no move.".into();
        };
        let told = format!("Tengen plays {}.  ({})", self.position().san(mv), self.standing(&outcome));
        self.line.play(mv);
        told
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        self.over()?;
        let mv = self.read(text).ok_or_else(|| self.complaint(text))?;
        self.line.play(mv);
        Ok(())
    }

    fn hint(&mut self) -> Result<String, String> {
        self.over()?;
        let (outcome, line) = self.think();
        let best = outcome.best.map_or(String::new(), |mv| self.position().san(mv));
        Ok(format!(
            "The engine would play {best} ({}).\n  depth {}, {} nodes: {}",
            self.standing(&outcome),
            outcome.depth,
            outcome.nodes,
            line.join(" ")
        ))
    }

    fn undo(&mut self) -> Result<(), String> {
        let had_resigned = self.resigned.take().is_some();
        if self.line.undo().is_none() {
            return if had_resigned { Ok(()) } else { Err("There is nothing to take back.".into()) };
        }
        while self.is_engines_turn() && self.line.undo().is_some() {}
        Ok(())
    }

    fn estimate(&mut self, _: Look) -> String {
        if let Some(result) = self.result() {
            return result;
        }
        let (outcome, line) = self.think();
        let white = if self.position().side() == Color::White { outcome.score } else { -outcome.score };
        let [win, draw, loss] = win_draw_loss(white).map(|share| f64::from(share) / 10.0);
        format!(
            "{}. White wins {win:.0}%, draws {draw:.0}%, loses {loss:.0}%. Expected: {}",
            self.standing(&outcome),
            line.join(" ")
        )
    }

    fn score(&mut self, look: Look) -> String {
        self.estimate(look)
    }

    fn moves(&self) -> String {
        let text = self.line.pgn("", ["", ""], "*").to_string();
        let moves: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('[') && !line.is_empty()).collect();
        if self.line.moves().is_empty() { "No moves yet.".into() } else { moves.join("\n") }
    }

    fn resign(&mut self) -> Result<(), String> {
        self.over()?;
        self.resigned = Some(self.position().side());
        Ok(())
    }

    fn result(&self) -> Option<String> {
        let points = self.points();
        match (self.resigned, self.line.ending()) {
            (Some(color), _) => Some(format!("{points}, {} resigns", name(color))),
            (None, Some(ending)) => Some(format!("{points}, {ending}")),
            (None, None) => None,
        }
    }

    fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    fn switch(&mut self) {
        self.seats = self.seats.map(|is_person| !is_person);
    }

    fn restart(&mut self) {
        self.resigned = None;
        // The position was read once already.
        if let Ok(line) = ChessLine::new(self.fen.as_deref()) {
            self.line = line;
        }
    }

    fn record(&self) -> (String, &'static str) {
        let players = self.seats.map(|is_person| if is_person { "You" } else { "Tengen" });
        (self.line.pgn("Game against Tengen", players, self.points()).to_string(), "pgn")
    }
}

impl ChessSitting {
    /// The move that was typed; small letters may name pieces where that is
    /// clear.
    fn read(&self, text: &str) -> Option<Move> {
        let capital = || {
            let mut letters = text.chars();
            let first = letters.next()?.to_ascii_uppercase();
            self.line.parse(&format!("{first}{}", letters.as_str()))
        };
        self.line.parse(text).or_else(capital)
    }

    /// The score for White, in pawns, or the moves to mate.
    fn standing(&self, outcome: &Outcome) -> String {
        let sign = if self.position().side() == Color::White { 1 } else { -1 };
        let score = sign * outcome.score;
        match mate_moves(score) {
            Some(moves) if moves > 0 => format!("White mates in {moves}"),
            Some(moves) => format!("Black mates in {}", -moves),
            None => format!("score {:+.2} for White", f64::from(score) / 100.0),
        }
    }
}

fn name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}
