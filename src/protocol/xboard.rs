//! The Chess Engine Communication Protocol of xboard, version 2 (T. Mann and
//! H. G. Muller).
//!
//! The session reads one line at a time while the engine searches beside it.
//! A search that ends puts its move into the same inbox, on a line that no
//! client can write, so that moves and commands are handled in one order.

mod commands;
mod pace;
mod text;

use std::io;

use crate::chess::engine::{Engine, Order};
use crate::chess::position::Position;
use crate::chess::search::{Line, Outcome};
use crate::chess::types::{Color, Move};
use crate::shared::control::Limits;

use super::line::{GRACE, Inbox};
use super::uci::Writer;
use commands::Words;
use pace::Pace;

/// Begins the line on which a search tells its move; clients' control
/// characters never get this far.
const FROM_SEARCH: char = '\u{1}';
/// A draw offer is accepted by whoever stands so badly, in hundredths of a pawn.
const BAD: i32 = -80;
/// After so many plies it is accepted by whoever does not stand better.
const LATE: usize = 60;

/// What the engine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    /// Waiting.
    Idle,
    /// Looking for its own move.
    Thinking,
    /// Searching beyond a move that the opponent may make.
    Pondering(Move),
    /// Searching until told otherwise.
    Analyzing,
}

/// A conversation with an xboard client.
pub struct Session {
    engine: Engine,
    inbox: Inbox,
    writer: Writer,
    start: Position,
    moves: Vec<Move>,
    /// The side the engine plays; none in force mode.
    plays: Option<Color>,
    activity: Activity,
    /// Counts searches, to tell a late answer from the present one.
    searches: u64,
    pace: Pace,
    excluded: Vec<Move>,
    pongs: Vec<String>,
    chess960: bool,
    ponders: bool,
    posts: bool,
    /// What the engine thought of its own last move, in hundredths of a pawn.
    last_score: Option<i32>,
    /// Whether the opponent has offered a draw that was not answered.
    offered: bool,
}

impl Session {
    /// A conversation at the start position, in which the engine plays Black.
    #[must_use]
    pub fn new(engine: Engine, inbox: Inbox, writer: Writer) -> Session {
        Session {
            engine,
            inbox,
            writer,
            start: Position::default(),
            moves: Vec::new(),
            plays: Some(Color::Black),
            activity: Activity::Idle,
            searches: 0,
            pace: Pace::default(),
            excluded: Vec::new(),
            pongs: Vec::new(),
            chess960: false,
            ponders: false,
            posts: false,
            last_score: None,
            offered: false,
        }
    }

    /// Answers until `quit`, or until the input has ended; then a search may
    /// go on for [`GRACE`].
    ///
    /// # Errors
    /// Those of the output.
    pub fn run(&mut self) -> io::Result<()> {
        loop {
            while let Some(line) = self.inbox.take() {
                if line.trim() == "quit" {
                    self.engine.finish();
                    return Ok(());
                }
                self.handle(&line)?;
            }
            let last = self.activity != Activity::Thinking;
            self.engine.wait(GRACE);
            self.engine.finish();
            if last {
                return Ok(());
            }
            self.ponders = false;
        }
    }

    fn handle(&mut self, line: &str) -> io::Result<()> {
        if let Some(message) = line.strip_prefix(FROM_SEARCH) {
            return self.search_ended(message);
        }
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { return Ok(()) };
        match commands::find(name) {
            Some(handler) => handler(self, words),
            None if self.find_move(name).is_some() => self.user_move(name),
            None => self.writer.line(&format!("Error (unknown command): {name}")),
        }
    }

    /// Ends whatever search there is; its answer counts no more.
    fn halt(&mut self) -> io::Result<()> {
        self.engine.finish();
        self.searches += 1;
        self.activity = Activity::Idle;
        self.send_pongs()
    }

    fn leave_game(&mut self) -> io::Result<()> {
        self.plays = None;
        self.halt()
    }

    /// Gives the engine the game as it stands.
    fn synchronize(&mut self) {
        self.engine.set_position(self.start);
        for &mv in &self.moves {
            self.engine.play(mv);
        }
        self.excluded.clear();
    }

    fn new_game(&mut self, _: Words) -> io::Result<()> {
        self.halt()?;
        self.engine.forget();
        self.start = Position::default();
        self.moves.clear();
        self.plays = Some(Color::Black);
        self.chess960 = false;
        self.pace.depth = None;
        (self.last_score, self.offered) = (None, false);
        self.synchronize();
        Ok(())
    }

    fn variant(&mut self, mut words: Words) -> io::Result<()> {
        match words.next() {
            Some("fischerandom") => self.chess960 = true,
            Some("normal") => self.chess960 = false,
            other => {
                let name = other.unwrap_or_default();
                return self.writer.line(&format!("Error (unsupported variant): {name}"));
            }
        }
        Ok(())
    }

    fn set_board(&mut self, words: Words) -> io::Result<()> {
        let fen = words.collect::<Vec<_>>().join(" ");
        match Position::parse_fen(&fen) {
            Ok(position) => {
                let analyzing = self.activity == Activity::Analyzing;
                self.halt()?;
                self.start = position;
                self.moves.clear();
                self.synchronize();
                if analyzing { self.analyze() } else { Ok(()) }
            }
            Err(_) => self.writer.line("tellusererror Illegal position"),
        }
    }

    fn take_back(&mut self, count: usize) -> io::Result<()> {
        if self.moves.len() < count {
            let command = if count == 1 { "undo" } else { "remove" };
            return self.writer.line(&format!("Error (no move to take back): {command}"));
        }
        let analyzing = self.activity == Activity::Analyzing;
        self.halt()?;
        self.moves.truncate(self.moves.len() - count);
        self.synchronize();
        if analyzing { self.analyze() } else { Ok(()) }
    }

    fn ping(&mut self, mut words: Words) -> io::Result<()> {
        let number: String = words.next().unwrap_or_default().to_string();
        self.pongs.push(number);
        if self.activity == Activity::Thinking { Ok(()) } else { self.send_pongs() }
    }

    fn send_pongs(&mut self) -> io::Result<()> {
        let pongs = std::mem::take(&mut self.pongs);
        pongs.iter().try_for_each(|number| self.writer.line(&format!("pong {number}")))
    }

    fn find_move(&self, text: &str) -> Option<Move> {
        let position = self.engine.position();
        position.parse_uci(text).or_else(|| position.parse_san(text))
    }

    fn user_move(&mut self, text: &str) -> io::Result<()> {
        if let Activity::Pondering(expected) = self.activity {
            if self.find_move(text) == Some(expected) {
                self.moves.push(expected);
                self.engine.play(expected);
                self.activity = Activity::Thinking;
                self.engine.ponder_hit();
                return Ok(());
            }
            self.halt()?;
        }
        let Some(mv) = self.find_move(text) else {
            return self.writer.line(&format!("Illegal move: {text}"));
        };
        let analyzing = self.activity == Activity::Analyzing;
        self.halt()?;
        self.moves.push(mv);
        self.engine.play(mv);
        self.excluded.clear();
        if analyzing {
            return self.analyze();
        }
        self.think_if_asked()
    }

    fn go(&mut self, _: Words) -> io::Result<()> {
        self.halt()?;
        self.plays = Some(self.engine.position().side());
        self.think_if_asked()
    }

    fn play_other(&mut self, _: Words) -> io::Result<()> {
        self.halt()?;
        self.plays = Some(!self.engine.position().side());
        Ok(())
    }

    fn think_if_asked(&mut self) -> io::Result<()> {
        if self.plays != Some(self.engine.position().side()) {
            return Ok(());
        }
        if let Some(result) = self.result() {
            return self.writer.line(result);
        }
        // Who stands better need not claim the draw that the rules offer.
        if let Some(draw) = self.draw_by_rule().filter(|_| self.last_score.is_none_or(|score| score <= 0)) {
            self.writer.line(draw)?;
        }
        self.activity = Activity::Thinking;
        self.search(Order { limits: self.limits(), depth: self.pace.depth, ..Order::default() })
    }

    fn analyze(&mut self) -> io::Result<()> {
        self.halt()?;
        if self.engine.position().legal_moves().is_empty() {
            return Ok(());
        }
        self.activity = Activity::Analyzing;
        self.search(Order { infinite: true, ..Order::default() })
    }

    fn limits(&self) -> Limits {
        self.pace.limits(self.moves.len() as u32 / 2)
    }

    fn search(&mut self, mut order: Order) -> io::Result<()> {
        order.lines = 1;
        if !self.excluded.is_empty() {
            let legal = self.engine.position().legal_moves();
            order.moves = legal.iter().copied().filter(|mv| !self.excluded.contains(mv)).collect();
        }
        self.searches += 1;
        let (number, inbox) = (self.searches, self.inbox.clone());
        let (writer, posts, chess960) = (self.writer.clone(), self.posts, self.chess960);
        let always = order.infinite;
        let report = move |line: &Line| {
            if posts || always {
                // A client that went away is noticed by the end of its input.
                let _ = writer.line(&text::thought(line, chess960));
            }
        };
        let done = move |outcome: Outcome| {
            let bits = |mv: Option<Move>| mv.map_or(0, Move::to_bits);
            let (best, expected) = (bits(outcome.best), bits(outcome.ponder));
            inbox.push(format!("{FROM_SEARCH}{number} {best} {expected} {}", outcome.score));
        };
        self.engine.start(order, report, done)
    }

    /// Takes in what a search has found: its number, best and expected move,
    /// and the score.
    fn search_ended(&mut self, message: &str) -> io::Result<()> {
        let numbers: Vec<i64> = message.split(' ').filter_map(|word| word.parse().ok()).collect();
        let &[number, best, expected, score] = numbers.as_slice() else { return Ok(()) };
        if number as u64 != self.searches || self.activity != Activity::Thinking {
            return Ok(());
        }
        self.activity = Activity::Idle;
        let best = Move::from_bits(best as u16);
        if !self.engine.position().legal_moves().contains(&best) {
            return self.send_pongs();
        }
        self.last_score = Some(score as i32);
        self.answer_offer()?;
        self.moves.push(best);
        self.engine.play(best);
        self.excluded.clear();
        self.writer.line(&format!("move {}", text::move_text(best, self.chess960)))?;
        if let Some(result) = self.result().or_else(|| self.draw_by_rule()) {
            self.writer.line(result)?;
        }
        self.send_pongs()?;
        let expected = Move::from_bits(expected as u16);
        if self.ponders && self.engine.position().legal_moves().contains(&expected) {
            return self.ponder(expected);
        }
        Ok(())
    }

    fn ponder(&mut self, expected: Move) -> io::Result<()> {
        self.engine.play(expected);
        let order = Order { limits: self.limits(), depth: self.pace.depth, ponder: true, ..Order::default() };
        let dead_end = self.engine.position().legal_moves().is_empty();
        if !dead_end {
            self.activity = Activity::Pondering(expected);
            self.search(order)?;
        }
        self.synchronize();
        Ok(())
    }

    fn exclude(&mut self, text: &str, out: bool) -> io::Result<()> {
        let analyzing = self.activity == Activity::Analyzing;
        if text == "all" {
            self.excluded.clear();
            if out {
                self.excluded = self.engine.position().legal_moves().to_vec();
            }
        } else {
            let Some(mv) = self.find_move(text) else {
                return self.writer.line(&format!("Error (no such move): {text}"));
            };
            self.excluded.retain(|&other| other != mv);
            if out {
                self.excluded.push(mv);
            }
        }
        if analyzing { self.analyze() } else { Ok(()) }
    }

    /// `result 1-0 {comment}`: the game is over, and its result is learnt.
    fn game_over(&mut self, mut words: Words) -> io::Result<()> {
        self.leave_game()?;
        match words.next() {
            Some("1-0") => self.engine.learn_result(1.0),
            Some("0-1") => self.engine.learn_result(0.0),
            Some("1/2-1/2") => self.engine.learn_result(0.5),
            _ => {}
        }
        Ok(())
    }

    /// The opponent offers a draw: answered at once, or with the move that is
    /// being thought about.
    fn draw_offered(&mut self) -> io::Result<()> {
        self.offered = true;
        if self.activity == Activity::Thinking { Ok(()) } else { self.answer_offer() }
    }

    /// An offer that is not accepted is passed over, as the protocol has it.
    fn answer_offer(&mut self) -> io::Result<()> {
        let offered = std::mem::take(&mut self.offered);
        let limit = if self.moves.len() >= LATE { 0 } else { BAD };
        if offered && self.last_score.is_some_and(|score| score <= limit) {
            return self.writer.line("offer draw");
        }
        Ok(())
    }

    /// How the game has ended, if no move is possible.
    fn result(&self) -> Option<&'static str> {
        let position = self.engine.position();
        if !position.legal_moves().is_empty() {
            return None;
        }
        Some(match (position.checkers().any(), position.side()) {
            (false, _) => "1/2-1/2 {Stalemate}",
            (true, Color::White) => "0-1 {Black mates}",
            (true, Color::Black) => "1-0 {White mates}",
        })
    }

    /// The claim of a draw that the rules allow.
    fn draw_by_rule(&self) -> Option<&'static str> {
        let position = self.engine.position();
        let earlier = self.engine.history().iter().filter(|&&key| key == position.key()).count();
        if position.is_insufficient() {
            Some("1/2-1/2 {Insufficient material}")
        } else if earlier >= 2 {
            Some("1/2-1/2 {Draw by repetition}")
        } else if position.halfmoves() >= 100 {
            Some("1/2-1/2 {Draw by fifty-move rule}")
        } else {
            None
        }
    }
}
