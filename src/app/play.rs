//! `tengen play`: a game against the engine in the terminal, for a person.

mod chess;
mod chess_board;
mod go;
mod go_board;
mod input;
mod look;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::cli::EngineArgs;
use crate::shared::control::Limits;
use input::{Input, Lines};
use look::Look;

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Go.
    Go,
    /// Chess.
    Chess,
}

/// Which side the person takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// Black.
    Black,
    /// White.
    White,
    /// Both: the engine only gives hints.
    Both,
    /// Black or White by lot.
    Random,
}

/// Play against the engine in the terminal.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    tengen play                                         Go on 9x9, you are Black\n  \
    tengen play --size 19 --handicap 4 --time 5\n  \
    tengen play --playouts 50 --color white             a weak opponent\n  \
    tengen play chess --color black --time 1\n\n\
    Type a move as d4 (chess: e2e4, e4 or Nf3), or help. The end of the input (Ctrl-D) ends the game. \
    The variable NO_COLOR turns colours off.")]
pub struct Options {
    /// What to play
    #[arg(value_enum, value_name = "GAME", default_value_t = Kind::Go)]
    pub kind: Kind,
    /// Your side [default: the one that moves first]
    #[arg(long, value_enum, value_name = "SIDE")]
    pub color: Option<Side>,
    /// Go: side of the board
    #[arg(short, long, default_value_t = 9, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=25))]
    pub size: u8,
    /// Go: White's compensation [default: 7 on 9x9, else 7.5; 0.5 with handicap]
    #[arg(short, long, value_name = "POINTS", allow_negative_numbers = true, value_parser = komi)]
    pub komi: Option<f64>,
    /// Go: Black's handicap stones, on the customary points
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub handicap: usize,
    /// Chess: the position to begin with
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// How strong the engine plays: its playouts (chess: nodes) or time for a move, and more
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Komi that a game of any size can make sense with.
fn komi(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1000.0;
    let komi = text.parse().ok().filter(|komi: &f64| komi.abs() <= MOST);
    komi.ok_or_else(|| format!("expected points, at most {MOST}"))
}

/// How long the engine thinks about a move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    /// Simulations, or nodes in chess.
    Work(u64),
    /// Time.
    Time(Duration),
}

impl FromStr for Level {
    type Err = String;

    /// Reads `500` as work and `2.5s` as seconds.
    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || format!("{text:?} is no level: expected playouts as 500, or seconds as 2.5s");
        match text.strip_suffix('s') {
            Some(seconds) => {
                let seconds = seconds.parse().ok().filter(|seconds| (0.01..=3600.0).contains(seconds));
                Ok(Level::Time(Duration::from_secs_f64(seconds.ok_or_else(fail)?)))
            }
            None => text.parse().ok().filter(|&work| work > 0).map(Level::Work).ok_or_else(fail),
        }
    }
}

impl Level {
    fn limits(self) -> Limits {
        match self {
            Level::Work(nodes) => Limits::nodes(nodes),
            Level::Time(time) => Limits::time(time),
        }
    }
}

/// Which sides the person plays: the one that moves first, and the other.
type Seats = [bool; 2];

/// A game between a person and the engine. Texts are for the person; an error
/// says why nothing was done.
trait Sitting {
    /// The board.
    fn draw(&self, look: Look) -> String;
    /// Whose turn it is.
    fn prompt(&self) -> String;
    /// Whether the engine is to move.
    fn is_engines_turn(&self) -> bool;
    /// Lets the engine move.
    fn engine_moves(&mut self) -> String;
    /// Plays what the person typed.
    fn play(&mut self, text: &str) -> Result<(), String>;
    /// What the engine would play.
    fn hint(&mut self) -> Result<String, String>;
    /// Takes back moves until it is the person's turn again.
    fn undo(&mut self) -> Result<(), String>;
    /// How the game stands.
    fn estimate(&mut self, look: Look) -> String;
    /// What the game would come to if it ended now.
    fn score(&mut self, look: Look) -> String;
    /// The moves so far.
    fn moves(&self) -> String;
    /// The person gives up.
    fn resign(&mut self) -> Result<(), String>;
    /// How the game ended, if it has.
    fn result(&self) -> Option<String>;
    fn set_level(&mut self, level: Level);
    /// Person and engine change sides.
    fn switch(&mut self);
    /// Begins the game anew.
    fn restart(&mut self);
    /// The game as a record, and the extension of its file.
    fn record(&self) -> (String, &'static str);
}

/// Every command, what it takes, and what it does.
const COMMANDS: [(&str, &str); 15] = [
    ("d4, e2e4, Nf3", "play a move"),
    ("pass", "pass (Go)"),
    ("hint", "what the engine would play"),
    ("undo", "take back your last move and the answer"),
    ("estimate", "how the game stands"),
    ("score", "what it would come to if it ended now"),
    ("board", "show the board again"),
    ("moves", "the moves so far"),
    ("level N, level Ns", "let the engine think for N playouts or nodes, or N seconds, a move"),
    ("switch", "change sides with the engine"),
    ("save [FILE]", "write the game as SGF or PGN"),
    ("resign", "give up"),
    ("new", "begin a new game"),
    ("help", "this list"),
    ("quit", "leave; so does the end of the input"),
];

/// Plays until the person leaves.
///
/// # Errors
/// Options that make no game, or an output that cannot be written to.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut sitting: Box<dyn Sitting> = match options.kind {
        Kind::Go => Box::new(go::GoSitting::new(options)?),
        Kind::Chess => Box::new(chess::ChessSitting::new(options)?),
    };
    let look = Look::of_stdout();
    let mut out = anstream::stdout();
    let mut table = Table { sitting: &mut *sitting, look, saved: None, announced: false };
    Ok(table.converse(&mut *input::open(), &mut out)?)
}

/// Who takes which seat. `first` is the side that moves first.
fn seats(side: Option<Side>, first: Side, seed: u64) -> Seats {
    match side {
        None => [true, false],
        Some(Side::Both) => [true, true],
        Some(Side::Random) => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let lot = crate::shared::hash::mix(seed ^ now.map_or(0, |time| time.as_nanos() as u64)) & 1;
            [lot == 0, lot == 1]
        }
        Some(side) => [side == first, side != first],
    }
}

/// The conversation around a game.
struct Table<'a> {
    sitting: &'a mut dyn Sitting,
    look: Look,
    /// The file that this game was saved to.
    saved: Option<PathBuf>,
    /// Whether the end of the game was told.
    announced: bool,
}

/// Whether the conversation goes on.
#[derive(PartialEq)]
enum Next {
    Redraw,
    GoOn,
    Leave,
}

impl Table<'_> {
    fn converse(&mut self, input: &mut dyn Lines, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.sitting.draw(self.look))?;
        if self.look.is_terminal {
            writeln!(out, "Type a move, or help.")?;
        }
        loop {
            self.let_engine_move(out)?;
            match input.next(&format!("{}> ", self.sitting.prompt()))? {
                Input::End => return Ok(()),
                Input::Interrupted => writeln!(out, "Type quit to leave.")?,
                Input::Line(line) => match self.obey(line.trim(), out)? {
                    Next::Leave => return Ok(()),
                    Next::Redraw => writeln!(out, "{}", self.sitting.draw(self.look))?,
                    Next::GoOn => {}
                },
            }
        }
    }

    /// Lets the engine answer, and tells how the game ended if it has.
    fn let_engine_move(&mut self, out: &mut dyn Write) -> io::Result<()> {
        while self.sitting.is_engines_turn() {
            if self.look.is_terminal {
                writeln!(out, "Tengen is thinking ...")?;
                out.flush()?;
            }
            let told = self.sitting.engine_moves();
            writeln!(out, "{told}\n{}", self.sitting.draw(self.look))?;
        }
        match self.sitting.result() {
            Some(result) if !self.announced => {
                writeln!(out, "The game is over: {result}. (save, undo, new or quit)")?;
                self.announced = true;
            }
            Some(_) => {}
            None => self.announced = false,
        }
        out.flush()
    }

    /// Does what the person typed.
    fn obey(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let (look, sitting) = (self.look, &mut *self.sitting);
        let done = match word.to_lowercase().as_str() {
            "" => return Ok(Next::GoOn),
            "quit" | "exit" => return Ok(Next::Leave),
            "help" | "?" => Ok(help()),
            "board" => return Ok(Next::Redraw),
            "hint" => sitting.hint(),
            "estimate" => Ok(sitting.estimate(look)),
            "score" => Ok(sitting.score(look)),
            "moves" => Ok(sitting.moves()),
            "save" => self.save(rest),
            "level" => rest.parse().map(|level| {
                sitting.set_level(level);
                String::from("As you like.")
            }),
            "undo" => return redraw_if(sitting.undo(), out),
            "resign" => return redraw_if(sitting.resign(), out),
            "new" => {
                sitting.restart();
                self.saved = None;
                return Ok(Next::Redraw);
            }
            "switch" => {
                sitting.switch();
                return Ok(Next::Redraw);
            }
            _ => return redraw_if(sitting.play(line), out),
        };
        let (Ok(text) | Err(text)) = done;
        writeln!(out, "{text}")?;
        Ok(Next::GoOn)
    }

    /// Writes the record to a file that is new, or this game's own.
    fn save(&mut self, name: &str) -> Result<String, String> {
        let (record, extension) = self.sitting.record();
        let path = match (name, &self.saved) {
            ("", Some(path)) => path.clone(),
            ("", None) => free_name(extension),
            (name, _) => PathBuf::from(name),
        };
        let named = path.extension().map(|named| named.to_ascii_lowercase());
        if let Some(named) = named.filter(|named| (named == "sgf" || named == "pgn") && named != extension) {
            let named = named.display();
            return Err(format!("this game is saved as {extension}, not {named}; name another file"));
        }
        if path.exists() && self.saved.as_ref() != Some(&path) {
            return Err(format!("{} exists already; name another file", path.display()));
        }
        std::fs::write(&path, record).map_err(|error| format!("{}: {error}", path.display()))?;
        let told = format!("Saved as {}.", path.display());
        self.saved = Some(path);
        Ok(told)
    }
}

fn redraw_if(done: Result<(), String>, out: &mut dyn Write) -> io::Result<Next> {
    match done {
        Ok(()) => Ok(Next::Redraw),
        Err(why) => {
            writeln!(out, "{why}")?;
            Ok(Next::GoOn)
        }
    }
}

fn help() -> String {
    let lines: Vec<String> = COMMANDS.iter().map(|(name, what)| format!("  {name:<18}  {what}")).collect();
    lines.join("\n")
}

/// `game.sgf`, or with a number where that exists.
fn free_name(extension: &str) -> PathBuf {
    let numbered = (2..).map(|number| format!("game-{number}.{extension}"));
    let mut names = std::iter::once(format!("game.{extension}")).chain(numbered).map(PathBuf::from);
    names.find(|path| !Path::exists(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
