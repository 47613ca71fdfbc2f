//! UCI, the Universal Chess Interface (Huber and Meyer-Kahlen 2000).
//!
//! The session reads one line at a time while the engine searches beside it;
//! both write through one [`Writer`], a line at a time.

use std::io::{self, Write};
use std::str::SplitAsciiWhitespace;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::chess::bench;
use crate::chess::engine::{DEFAULT_HASH_MIB, Engine, MAX_HASH_MIB, MAX_THREADS, Order};
use crate::chess::position::Position;
use crate::chess::score::{mate_moves, win_draw_loss};
use crate::chess::search::{Line, Outcome};
use crate::chess::time::{self, ChessClock};
use crate::chess::types::{Color, Move};
use crate::shared::control::{Limits, Stopwatch};

use super::line::{GRACE, Inbox};

/// The most lines that MultiPV asks for.
const MAX_LINES: usize = 256;
/// The most plies that `go perft` takes.
const MAX_PERFT: u32 = 20;
/// A client that leaves out so many of the last moves takes them back.
const TAKEN_BACK: usize = 4;
/// The depth of `bench` when it names none.
const BENCH_DEPTH: u32 = 12;

/// Output that session and search share, written a line at a time.
#[derive(Clone)]
pub struct Writer(Arc<Mutex<Box<dyn Write + Send>>>);

impl Writer {
    /// Writes to `output`.
    #[must_use]
    pub fn new(output: Box<dyn Write + Send>) -> Writer {
        Writer(Arc::new(Mutex::new(output)))
    }

    /// Writes a line (or several) and flushes it.
    ///
    /// # Errors
    /// Those of the output.
    pub fn line(&self, text: &str) -> io::Result<()> {
        let mut output = self.0.lock();
        output.write_all(text.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()
    }
}

/// Cleans a line of input: control characters and a byte order mark, with
/// which some clients begin, become blanks.
#[must_use]
pub fn receive(bytes: &[u8], _: &Inbox) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    Some(text.chars().map(|c| if c.is_control() || c == '\u{feff}' { ' ' } else { c }).collect())
}

#[derive(Clone, Copy)]
struct Settings {
    lines: usize,
    chess960: bool,
    show_chances: bool,
    /// The client looks at positions; what it shows is no game.
    analyses: bool,
    overhead: Duration,
}

/// A conversation with a UCI client.
pub struct Session {
    engine: Engine,
    settings: Settings,
    inbox: Inbox,
    writer: Writer,
    /// The move that the engine answered with to the latest position of a game.
    answered: Arc<Mutex<Option<Move>>>,
    /// Whether the last move of the position is only expected.
    ponders: bool,
}

type Words<'a> = SplitAsciiWhitespace<'a>;
type Handler = fn(&mut Session, Words) -> io::Result<()>;

/// What the client may say, apart from `quit`.
const COMMANDS: &[(&str, Handler)] = &[
    ("uci", Session::introduce),
    ("isready", |session, _| session.writer.line("readyok")),
    ("setoption", |session, words| session.set_option(words)),
    ("ucinewgame", |session, _| {
        session.end_game();
        session.engine.set_position(Position::default());
        session.engine.forget();
        Ok(())
    }),
    ("position", |session, words| session.set_position(words)),
    ("go", |session, words| session.go(words)),
    ("stop", |session, _| {
        session.engine.stop();
        Ok(())
    }),
    ("ponderhit", |session, _| {
        session.ponders = false;
        session.engine.ponder_hit();
        Ok(())
    }),
    ("d", |session, _| session.writer.line(&session.engine.position().to_string())),
    ("eval", Session::show_evaluation),
    ("bench", |session, words| session.bench(words)),
];

impl Session {
    /// A conversation at the start position.
    #[must_use]
    pub fn new(engine: Engine, inbox: Inbox, writer: Writer) -> Session {
        let settings = Settings {
            lines: 1,
            chess960: false,
            show_chances: false,
            analyses: false,
            overhead: Duration::from_millis(10),
        };
        Session { engine, settings, inbox, writer, answered: Arc::default(), ponders: false }
    }

    /// Answers until `quit`, or until the input has ended; then a search may
    /// go on for [`GRACE`].
    ///
    /// # Errors
    /// Those of the output.
    pub fn run(&mut self) -> io::Result<()> {
        while let Some(line) = self.inbox.take() {
            let mut words = line.split_ascii_whitespace();
            // Words that mean nothing are skipped, as the protocol says.
            let Some((name, handler)) = words.by_ref().find_map(Self::command) else { continue };
            if name == "quit" {
                self.end_game();
                return Ok(());
            }
            handler(self, words)?;
        }
        self.engine.wait(GRACE);
        self.end_game();
        Ok(())
    }

    fn command(word: &str) -> Option<(&'static str, Handler)> {
        if word == "quit" {
            return Some(("quit", |_, _| Ok(())));
        }
        COMMANDS.iter().find(|(name, _)| *name == word).copied()
    }

    fn introduce(&mut self, _: Words) -> io::Result<()> {
        let name = concat!("id name Tengen ", env!("CARGO_PKG_VERSION"));
        self.writer.line(&format!(
            "{name}\n\
             id author the Tengen developers\n\
             option name Hash type spin default {DEFAULT_HASH_MIB} min 1 max {MAX_HASH_MIB}\n\
             option name Clear Hash type button\n\
             option name Threads type spin default 1 min 1 max {MAX_THREADS}\n\
             option name MultiPV type spin default 1 min 1 max {MAX_LINES}\n\
             option name Ponder type check default false\n\
             option name UCI_Chess960 type check default false\n\
             option name UCI_AnalyseMode type check default false\n\
             option name UCI_ShowWDL type check default false\n\
             option name Move Overhead type spin default 10 min 0 max 5000\n\
             uciok"
        ))
    }

    fn say(&self, text: &str) -> io::Result<()> {
        self.writer.line(&format!("info string {text}"))
    }

    fn set_option(&mut self, words: Words) -> io::Result<()> {
        let words: Vec<&str> = words.skip_while(|&word| word != "name").skip(1).collect();
        let split = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = words[..split].join(" ").to_ascii_lowercase();
        let value = words.get(split + 1..).unwrap_or_default().join(" ");
        let number: Option<usize> = value.parse().ok();
        let flag = value.eq_ignore_ascii_case("true");
        match (name.as_str(), number) {
            ("hash", Some(mib)) => self.engine.set_hash(mib),
            ("clear hash", _) => self.engine.forget(),
            ("threads", Some(threads)) => self.engine.set_threads(threads),
            ("multipv", Some(lines)) => self.settings.lines = lines.clamp(1, MAX_LINES),
            ("uci_chess960", _) => self.settings.chess960 = flag,
            ("uci_showwdl", _) => self.settings.show_chances = flag,
            ("move overhead", Some(ms)) => {
                self.settings.overhead = Duration::from_millis(ms.min(5000) as u64);
            }
            ("uci_analysemode", _) => self.settings.analyses = flag,
            ("ponder", _) => {}
            ("hash" | "threads" | "multipv" | "move overhead", None) => {
                return self.say(&format!("option {name} needs a number, not '{value}'"));
            }
            _ => return self.say(&format!("no such option: {name}")),
        }
        Ok(())
    }

    /// The game is over, though nobody has said so: what its last position or
    /// the last searches tell of its result is learnt.
    fn end_game(&mut self) {
        self.engine.finish();
        let answered = self.answered.lock().take().filter(|_| !self.ponders);
        if let Some(mv) = answered.filter(|mv| self.engine.position().legal_moves().contains(mv)) {
            self.engine.play(mv);
        }
        let engine = &self.engine;
        let by_rule = || engine.result().or_else(|| engine.is_drawable().then_some(0.5));
        let result = if self.ponders { None } else { by_rule() };
        if let Some(white) = result.or_else(|| self.engine.clear_result())
            && !self.settings.analyses
        {
            self.engine.learn_result(white);
        }
        self.ponders = false;
    }

    /// Whether the client goes on with the present game, or takes moves back.
    fn goes_on(&self, start: &Position, moves: &[Move]) -> bool {
        let (old_start, old) = self.engine.game();
        let common = old.iter().zip(moves).take_while(|(one, other)| one == other).count();
        let left_out = old.len() - common;
        let is_close = left_out == 0 || common > 0 && left_out <= TAKEN_BACK;
        old_start.key() == start.key() && is_close
    }

    fn set_position(&mut self, mut words: Words) -> io::Result<()> {
        let start = match words.next() {
            Some("startpos") => Position::default(),
            Some("fen") => {
                let fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").take(6).collect();
                match Position::parse_fen(&fen.join(" ")) {
                    Ok(position) => position,
                    Err(error) => return self.say(&format!("error: {error}; the position is kept")),
                }
            }
            _ => return self.say("error: position needs startpos or fen; the position is kept"),
        };
        let (mut position, mut moves, mut wrong) = (start, Vec::new(), None);
        for word in words.skip_while(|&word| word == "moves") {
            let Some(mv) = position.parse_uci(word) else {
                wrong = Some(word);
                break;
            };
            position.play_unchecked(mv);
            moves.push(mv);
        }
        if !self.goes_on(&start, &moves) {
            self.end_game();
        }
        (*self.answered.lock(), self.ponders) = (None, false);
        self.engine.set_position(start);
        moves.into_iter().for_each(|mv| self.engine.play(mv));
        match wrong {
            Some(word) => self.say(&format!("error: {word} is not legal; the position before it is kept")),
            None => Ok(()),
        }
    }

    fn show_evaluation(&mut self, _: Words) -> io::Result<()> {
        let value = self.engine.evaluate();
        let white = if self.engine.position().side() == Color::White { value } else { -value };
        self.writer.line(&format!("Evaluation: {:+.2} (white side)", f64::from(white) / 100.0))
    }

    fn bench(&mut self, mut words: Words) -> io::Result<()> {
        let depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(BENCH_DEPTH);
        let watch = Stopwatch::start();
        let nodes = bench::run(depth).nodes;
        let ms = watch.elapsed().as_millis().max(1);
        let speed = u128::from(nodes) * 1000 / ms;
        self.writer.line(&format!("Nodes searched: {nodes}\nNodes/second: {speed}"))
    }

    fn go(&mut self, words: Words) -> io::Result<()> {
        let wishes = Wishes::parse(words, self.engine.position());
        if let Some(depth) = wishes.perft {
            return self.perft(depth.min(MAX_PERFT));
        }
        self.engine.finish();
        let order = wishes.order(&self.settings);
        self.ponders = order.ponder;
        let position = *self.engine.position();
        let chess960 = self.settings.chess960;
        let (settings, lines, last) = (self.settings, self.writer.clone(), self.writer.clone());
        let report = move |line: &Line| {
            // A client that went away is noticed by the end of its input.
            let _ = lines.line(&info(line, &settings));
        };
        let (answered, plays) = (self.answered.clone(), !order.infinite && !order.analyzes);
        let done = move |outcome: Outcome| {
            *answered.lock() = outcome.best.filter(|_| plays);
            let _ = last.line(&best_move(&outcome, &position, chess960));
        };
        self.engine.start(order, report, done)
    }

    fn perft(&mut self, depth: u32) -> io::Result<()> {
        let chess960 = self.settings.chess960;
        let (parts, whole) = (self.writer.clone(), self.writer.clone());
        // A client that went away is noticed by the end of its input.
        let report = move |mv: Move, nodes| drop(parts.line(&format!("{}: {nodes}", mv.uci(chess960))));
        let done = move |total: Option<u64>| {
            let _ = match total {
                Some(total) => whole.line(&format!("\nNodes searched: {total}")),
                None => whole.line("info string perft stopped"),
            };
        };
        self.engine.start_perft(depth, report, done)
    }
}

/// The arguments of `go`.
#[derive(Default)]
struct Wishes {
    clocks: [Option<Duration>; 2],
    increments: [Duration; 2],
    moves_to_go: Option<u32>,
    move_time: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    mate: Option<u32>,
    perft: Option<u32>,
    infinite: bool,
    ponder: bool,
    moves: Vec<Move>,
    side: usize,
}

impl Wishes {
    /// Reads the arguments in any order; what is unknown is skipped.
    fn parse(words: Words, position: &Position) -> Wishes {
        let mut wishes = Wishes { side: position.side().index(), ..Wishes::default() };
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => wishes.infinite = true,
                "ponder" => wishes.ponder = true,
                "searchmoves" => {
                    while let Some(mv) = words.peek().and_then(|word| move_word(word)) {
                        words.next();
                        wishes.moves.extend(position.parse_uci(&mv));
                    }
                }
                name => {
                    if let Some(value) = words.peek().and_then(|word| word.parse::<i64>().ok())
                        && wishes.set(name, value)
                    {
                        words.next();
                    }
                }
            }
        }
        wishes
    }

    /// Takes in a named number; `false` if the name is unknown.
    fn set(&mut self, name: &str, value: i64) -> bool {
        let time = Duration::from_millis(value.max(0) as u64);
        let count = value.clamp(0, i64::from(u32::MAX)) as u32;
        match name {
            "wtime" => self.clocks[0] = Some(time),
            "btime" => self.clocks[1] = Some(time),
            "winc" => self.increments[0] = time,
            "binc" => self.increments[1] = time,
            "movestogo" => self.moves_to_go = Some(count).filter(|&moves| moves > 0),
            "movetime" => self.move_time = Some(time),
            "depth" => self.depth = Some(count.max(1)),
            "nodes" => self.nodes = Some(value.max(1) as u64),
            "mate" => self.mate = Some(count),
            "perft" => self.perft = Some(count),
            _ => return false,
        }
        true
    }

    fn order(&self, settings: &Settings) -> Order {
        // A client may name one clock only, and not the one that matters.
        let clock = self.clocks[self.side].or(self.clocks[1 - self.side]);
        let mut limits = match (self.move_time, clock) {
            (Some(time), _) => time::for_move(time, settings.overhead),
            (None, Some(left)) => {
                let clock =
                    ChessClock { left, increment: self.increments[self.side], moves_to_go: self.moves_to_go };
                time::for_clock(clock, settings.overhead)
            }
            (None, None) => Limits::default(),
        };
        limits.nodes = self.nodes;
        let limited =
            limits != Limits::default() || self.depth.is_some() || self.mate.is_some() || self.ponder;
        if self.infinite {
            limits = Limits { nodes: self.nodes, ..Limits::default() };
        }
        Order {
            limits,
            depth: self.depth,
            mate: self.mate,
            moves: self.moves.clone(),
            lines: settings.lines,
            infinite: self.infinite || !limited,
            ponder: self.ponder,
            analyzes: settings.analyses,
        }
    }
}

/// The word, if it is written like a move.
fn move_word(word: &str) -> Option<String> {
    let bytes = word.as_bytes();
    let square = |i: usize| (b'a'..=b'h').contains(&bytes[i]) && (b'1'..=b'8').contains(&bytes[i + 1]);
    (matches!(bytes.len(), 4 | 5) && square(0) && square(2)).then(|| word.to_string())
}

fn info(line: &Line, settings: &Settings) -> String {
    let score = match mate_moves(line.score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", line.score),
    };
    let chances = if settings.show_chances {
        let [win, draw, loss] = win_draw_loss(line.score);
        format!(" wdl {win} {draw} {loss}")
    } else {
        String::new()
    };
    let ms = line.time.as_millis();
    let speed = u128::from(line.nodes) * 1_000_000 / line.time.as_micros().max(1);
    let moves: Vec<String> = line.moves.iter().map(|mv| mv.uci(settings.chess960)).collect();
    format!(
        "info depth {} seldepth {} multipv {} score {score}{chances} nodes {} nps {speed} hashfull {} time {ms} pv {}",
        line.depth,
        line.selective,
        line.rank,
        line.nodes,
        line.hashfull,
        moves.join(" ")
    )
}

/// The reply to `go`; the move to ponder on only if it is legal then.
fn best_move(outcome: &Outcome, position: &Position, chess960: bool) -> String {
    let Some(best) = outcome.best else { return "bestmove 0000".into() };
    let next = position.after(best);
    let ponder = outcome.ponder.filter(|mv| next.legal_moves().contains(mv));
    let tail = ponder.map_or(String::new(), |mv| format!(" ponder {}", mv.uci(chess960)));
    format!("bestmove {}{tail}", best.uci(chess960))
}
