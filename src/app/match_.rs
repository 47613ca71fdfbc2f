//! `tengen match`: two engines play each other.

mod chess_game;
mod chess_player;
mod clock;
mod go_game;
mod go_verdict;
mod ledger;
mod openings;
mod options;
mod plot;
mod schedule;
mod statistics;
mod table;
mod terms;

pub use ledger::{GameLine, LedgerError};
pub use openings::OpeningError;
pub use options::Options;
pub use statistics::{Decision, Sprt, Tally};

use std::io::{self, Write};

use super::engine_process::EngineError;
use chess_player::ChessPlayer;
use clock::{TimeControl, Usage};
use go_game::GoSettings;
use ledger::Ledger;
use openings::{ChessOpening, GoOpening};

/// The language that an engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Protocol {
    /// Go Text Protocol.
    Gtp,
    /// Universal Chess Interface.
    Uci,
    /// xboard, also called CECP.
    Xboard,
}

/// An engine of the match.
#[derive(Clone, Debug)]
struct EngineSpec {
    name: String,
    command: String,
    protocol: Protocol,
    /// Lines sent before each game.
    setup: Vec<String>,
}

/// What bounds thinking and games.
#[derive(Clone, Debug)]
struct Limits {
    time: TimeControl,
    /// Seconds for an answer when there is no clock.
    timeout_s: f64,
    /// Seconds that the clock may be exceeded by.
    margin_s: f64,
    /// Whether the clock counts processor time.
    cpu_clock: bool,
    nodes: Option<u64>,
    depth: Option<u32>,
    /// Moves of both players, after which a game is a draw.
    max_moves: usize,
    /// Centipawns, and moves of both players.
    resign: Option<(i32, usize)>,
    /// First move, centipawns, and moves of both players.
    draw: Option<(usize, i32, usize)>,
    /// Whether a game of chess is drawn as soon as the player to move could
    /// claim a draw with his move.
    claims: bool,
    environment: Vec<(String, String)>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: TimeControl::Unlimited,
            timeout_s: 120.0,
            margin_s: 0.25,
            cpu_clock: false,
            nodes: None,
            depth: None,
            max_moves: 1000,
            resign: None,
            draw: None,
            claims: false,
            environment: Vec::new(),
        }
    }
}

/// A finished game, as its players see it: index 0 moved first.
#[derive(Clone, Debug)]
struct Outcome {
    winner: Option<usize>,
    result: String,
    reason: String,
    moves: Vec<String>,
    usage: [Usage; 2],
    /// The game as SGF or PGN.
    record: String,
}

/// Is told how many moves a running game has.
type Watcher<'a> = &'a dyn Fn(usize);

/// What is played.
#[derive(Clone, Debug)]
enum Contest {
    Go(GoSettings, Vec<GoOpening>),
    Chess(Vec<ChessOpening>),
}

/// Why a match cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The options contradict each other.
    #[error("{0}")]
    Options(String),
    /// The openings cannot be used.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The files of the match cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// An engine does not start.
    #[error("{0}: {1}")]
    Engine(String, EngineError),
    /// Results cannot be printed or drawn.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// A match, ready to be played.
struct Match {
    specs: [EngineSpec; 2],
    contest: Contest,
    limits: Limits,
    games: usize,
    concurrency: usize,
    sprt: Option<Sprt>,
}

/// What came of a match.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Results, from the first engine's point of view.
    pub tally: Tally,
    /// What the sequential test says.
    pub decision: Option<Decision>,
}

/// Plays a match, or the rest of one, and prints its result to `out`.
///
/// # Errors
/// Options, files or engines that cannot be used.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Summary, MatchError> {
    let prepared = options.prepare()?;
    if let Contest::Go(settings, _) = &prepared.contest {
        settings.check_helpers()?;
    }
    let extension = match prepared.contest {
        Contest::Go(..) => "sgf",
        Contest::Chess(_) => "pgn",
    };
    let names = [prepared.specs[0].name.as_str(), prepared.specs[1].name.as_str()];
    let terms = prepared.terms();
    let open = |folder| Ledger::open(folder, names, extension, &terms);
    let mut ledger = options.out.as_deref().map(open).transpose()?;
    let finished = ledger.as_mut().map(|ledger| std::mem::take(&mut ledger.finished)).unwrap_or_default();
    if finished.is_empty() {
        prepared.check_engines()?;
    }
    let games = prepared.play(finished, ledger.as_mut())?;
    if let Some(folder) = &options.out {
        let title = format!("{} against {}", names[0], names[1]);
        std::fs::write(folder.join("result.svg"), plot::render(&games, &title))?;
    }
    prepared.report(&games, out)
}

impl Match {
    /// Starts both engines once: a command line that only ends with an error
    /// shall not become a match of lost games.
    fn check_engines(&self) -> Result<(), MatchError> {
        for spec in &self.specs {
            let begun = match &self.contest {
                Contest::Go(..) => go_game::try_engine(spec, &self.limits),
                Contest::Chess(openings) => {
                    ChessPlayer::start(spec, &self.limits, &openings[0]).map(ChessPlayer::quit)
                }
            };
            // What else is wrong may be so in one game only.
            if let Err(
                error @ (EngineError::Start { .. } | EngineError::CommandLine(_) | EngineError::Closed(_)),
            ) = begun
            {
                return Err(MatchError::Engine(spec.name.clone(), error));
            }
        }
        Ok(())
    }

    /// Prints the result.
    fn report(&self, games: &[GameLine], out: &mut dyn Write) -> Result<Summary, MatchError> {
        let mut tally = Tally::default();
        let mut usage = [Usage::default(); 2];
        for game in games {
            tally.add(game.game, game.first_won());
            usage.iter_mut().zip(&game.usage).for_each(|(sum, own)| sum.merge(own));
        }
        let [first, second] = &self.specs;
        writeln!(out, "{} against {}: {} games", first.name, second.name, tally.count())?;
        writeln!(out, "{}", schedule::describe(&tally))?;
        writeln!(out, "pairs with 0, 1/2, 1, 3/2, 2 points: {:?}", tally.pairs)?;
        let decision = self.sprt.and_then(|sprt| sprt.decision(&tally));
        if let Some(sprt) = &self.sprt {
            let [low, high] = sprt.bounds();
            let verdict = match decision {
                Some(Decision::Upper) => "the upper hypothesis is accepted",
                Some(Decision::Lower) => "the lower hypothesis is accepted",
                None => "undecided",
            };
            writeln!(out, "SPRT: LLR {:.2} [{low:.2}, {high:.2}], {verdict}", sprt.ratio(&tally))?;
        }
        for (spec, usage) in self.specs.iter().zip(&usage) {
            let per_move = |seconds: f64| seconds / f64::from(usage.moves.max(1));
            writeln!(
                out,
                "{}: {} moves, wall {:.3} s a move (longest {:.2} s), CPU {:.3} s a move",
                spec.name,
                usage.moves,
                per_move(usage.wall_s),
                usage.longest_s,
                per_move(usage.cpu_s)
            )?;
        }
        Ok(Summary { tally, decision })
    }
}
