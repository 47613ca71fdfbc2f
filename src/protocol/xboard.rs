//! The Chess Engine Communication Protocol of xboard, version 2 (T. Mann and
//! H. G. Muller).
//!
//! The session reads one line at a time while the engine searches beside it.
//! A search that ends puts its move into the same inbox, on a line that no
//! client can write, so that moves and commands are handled in one order.

use std::io;
use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use crate::chess::engine::{Engine, MAX_THREADS, Order};
use crate::chess::position::Position;
use crate::chess::score::mate_moves;
use crate::chess::search::{Line, Outcome};
use crate::chess::time::{self, ChessClock};
use crate::chess::types::{Color, Move};
use crate::shared::control::Limits;

use super::line::{GRACE, Inbox};
use super::uci::Writer;

/// Begins the line on which a search tells its move; clients' control
/// characters never get this far.
const FROM_SEARCH: char = '\u{1}';
/// Lost between the engine and the clock with each move.
const OVERHEAD: Duration = Duration::from_millis(20);
/// A mate in n moves is told as this plus n.
const MATE_SCORE: i32 = 100_000;

const FEATURES: &str = concat!(
    "feature done=0\n",
    "feature ping=1 setboard=1 usermove=1 san=0 sigint=0 sigterm=0 reuse=1 time=1 draw=1 analyze=1\n",
    "feature playother=1 colors=0 memory=1 smp=1 nps=1 exclude=1 variants=\"normal,fischerandom\"\n",
    "feature option=\"Clear Hash -button\"\n",
    "feature myname=\"Tengen ",
    env!("CARGO_PKG_VERSION"),
    "\" done=1"
);

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

/// The limits that the client has set.
#[derive(Clone, Copy, Default)]
struct Pace {
    /// Moves between two time controls, 0 for the whole game.
    session: u32,
    clock: Option<Duration>,
    increment: Duration,
    exact: Option<Duration>,
    depth: Option<u32>,
    rate: Option<u64>,
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
}

type Words<'a> = SplitAsciiWhitespace<'a>;
type Handler = fn(&mut Session, Words) -> io::Result<()>;

fn ignore(_: &mut Session, _: Words) -> io::Result<()> {
    Ok(())
}

/// What the client may say, apart from `quit` and bare moves.
const COMMANDS: &[(&str, Handler)] = &[
    ("xboard", ignore),
    ("accepted", ignore),
    ("rejected", ignore),
    ("random", ignore),
    ("computer", ignore),
    ("name", ignore),
    ("rating", ignore),
    ("ics", ignore),
    ("draw", ignore),
    ("hint", ignore),
    ("bk", ignore),
    ("otim", ignore),
    (".", ignore),
    ("protover", |session, _| session.writer.line(FEATURES)),
    ("new", Session::new_game),
    ("variant", Session::variant),
    ("force", |session, _| session.leave_game()),
    ("result", |session, _| session.leave_game()),
    ("go", Session::go),
    ("playother", Session::play_other),
    ("level", |session, words| session.level(words)),
    ("st", |session, mut words| {
        session.pace.exact = words.next().and_then(seconds);
        Ok(())
    }),
    ("sd", |session, mut words| {
        session.pace.depth = words.next().and_then(|word| word.parse().ok()).filter(|&depth| depth > 0);
        Ok(())
    }),
    ("nps", |session, mut words| {
        session.pace.rate = words.next().and_then(|word| word.parse().ok()).filter(|&rate| rate > 0);
        Ok(())
    }),
    ("time", |session, mut words| {
        let centiseconds: Option<i64> = words.next().and_then(|word| word.parse().ok());
        session.pace.clock =
            centiseconds.map(|time| Duration::from_millis(time.clamp(0, 1 << 40) as u64 * 10));
        Ok(())
    }),
    ("usermove", |session, mut words| session.user_move(words.next().unwrap_or_default())),
    ("?", |session, _| {
        if session.activity == Activity::Thinking {
            session.engine.stop();
        }
        Ok(())
    }),
    ("ping", Session::ping),
    ("setboard", |session, words| session.set_board(words)),
    ("undo", |session, _| session.take_back(1)),
    ("remove", |session, _| session.take_back(2)),
    ("hard", |session, _| {
        session.ponders = true;
        Ok(())
    }),
    ("easy", |session, _| {
        session.ponders = false;
        if matches!(session.activity, Activity::Pondering(_)) { session.halt() } else { Ok(()) }
    }),
    ("post", |session, _| {
        session.posts = true;
        Ok(())
    }),
    ("nopost", |session, _| {
        session.posts = false;
        Ok(())
    }),
    ("analyze", |session, _| {
        session.plays = None;
        session.analyze()
    }),
    ("exit", |session, _| session.leave_game()),
    ("memory", |session, mut words| {
        session.halt()?;
        if let Some(mib) = words.next().and_then(|word| word.parse().ok()) {
            session.engine.set_hash(mib);
        }
        Ok(())
    }),
    ("cores", |session, mut words| {
        session.halt()?;
        if let Some(threads) = words.next().and_then(|word| word.parse::<usize>().ok()) {
            session.engine.set_threads(threads.min(MAX_THREADS));
        }
        Ok(())
    }),
    ("option", |session, words| {
        if words.collect::<Vec<_>>().join(" ") == "Clear Hash" {
            session.halt()?;
            session.engine.forget();
        }
        Ok(())
    }),
    ("exclude", |session, mut words| session.exclude(words.next().unwrap_or_default(), true)),
    ("include", |session, mut words| session.exclude(words.next().unwrap_or_default(), false)),
];

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
        match COMMANDS.iter().find(|(known, _)| *known == name) {
            Some((_, handler)) => handler(self, words),
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
        self.engine.set_position(self.start.clone());
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
            return self.writer.line("Error (no move to take back): undo");
        }
        let analyzing = self.activity == Activity::Analyzing;
        self.halt()?;
        self.moves.truncate(self.moves.len() - count);
        self.synchronize();
        if analyzing { self.analyze() } else { Ok(()) }
    }

    fn level(&mut self, mut words: Words) -> io::Result<()> {
        let session = words.next().and_then(|word| word.parse().ok());
        let base = words.next().and_then(minutes);
        let increment = words.next().and_then(seconds);
        let (Some(session), Some(base), Some(increment)) = (session, base, increment) else {
            return self.writer.line("Error (malformed): level");
        };
        self.pace.session = session;
        (self.pace.clock, self.pace.increment, self.pace.exact) = (Some(base), increment, None);
        Ok(())
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
        let pace = &self.pace;
        let mut limits = if let Some(exact) = pace.exact {
            time::for_move(exact, OVERHEAD)
        } else if let Some(left) = pace.clock {
            let made = self.moves.len() as u32 / 2;
            let moves_to_go = (pace.session > 0).then(|| pace.session - made % pace.session);
            time::for_clock(ChessClock { left, increment: pace.increment, moves_to_go }, OVERHEAD)
        } else if pace.depth.is_some() {
            Limits::default()
        } else {
            Limits::time(Duration::from_secs(5))
        };
        if let (Some(rate), Some(time)) = (pace.rate, limits.soft_time) {
            limits = Limits::nodes((rate as f64 * time.as_secs_f64()).max(1.0) as u64);
        }
        limits
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
                let _ = writer.line(&thought(line, chess960));
            }
        };
        let done = move |outcome: Outcome| {
            let bits = |mv: Option<Move>| mv.map_or(0, Move::to_bits);
            inbox.push(format!("{FROM_SEARCH}{number} {} {}", bits(outcome.best), bits(outcome.ponder)));
        };
        self.engine.start(order, report, done)
    }

    /// Takes in what a search has found: its number, best and expected move.
    fn search_ended(&mut self, message: &str) -> io::Result<()> {
        let numbers: Vec<u64> = message.split(' ').filter_map(|word| word.parse().ok()).collect();
        let &[number, best, expected] = numbers.as_slice() else { return Ok(()) };
        if number != self.searches || self.activity != Activity::Thinking {
            return Ok(());
        }
        self.activity = Activity::Idle;
        let best = Move::from_bits(best as u16);
        if !self.engine.position().legal_moves().contains(&best) {
            return self.send_pongs();
        }
        self.moves.push(best);
        self.engine.play(best);
        self.excluded.clear();
        self.writer.line(&format!("move {}", castling_text(best, self.chess960)))?;
        if let Some(result) = self.result() {
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
}

/// A move as xboard has it: castling in Chess960 is `O-O` or `O-O-O`.
fn castling_text(mv: Move, chess960: bool) -> String {
    if chess960 && mv.tag() == crate::chess::types::MoveTag::Castling {
        return if mv.to() > mv.from() { "O-O".into() } else { "O-O-O".into() };
    }
    mv.uci(false)
}

/// A line of thinking: depth, score, centiseconds, nodes, moves.
fn thought(line: &Line, chess960: bool) -> String {
    let score = match mate_moves(line.score) {
        Some(moves) => MATE_SCORE * moves.signum() + moves,
        None => line.score,
    };
    let moves: Vec<String> = line.moves.iter().map(|&mv| castling_text(mv, chess960)).collect();
    let time = line.time.as_millis() / 10;
    format!("{} {score} {time} {} {}", line.depth, line.nodes, moves.join(" "))
}

/// Whole or fractional seconds, at most a year or so.
fn seconds(text: &str) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    (0.0..4e7).contains(&value).then(|| Duration::from_secs_f64(value))
}

/// Minutes, or minutes and seconds with a colon.
fn minutes(text: &str) -> Option<Duration> {
    let (minutes, rest) = text.split_once(':').unwrap_or((text, "0"));
    let minutes: u32 = minutes.parse().ok().filter(|&minutes| minutes < 1_000_000)?;
    Some(Duration::from_secs(u64::from(minutes) * 60) + seconds(rest)?)
}
