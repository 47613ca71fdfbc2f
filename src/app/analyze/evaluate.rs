//! Searching the positions of a game, with a journal of what is done.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::Options;
use crate::formats::sgf::{Action, GameTree, NodeId, StopAt};
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::game::Game;
use crate::go::rules::Rules;
use crate::shared::control::{Limits, StopFlag};
use crate::uct::engine::{Engine, Question, Settings};
use crate::uct::report::Report;

/// Points of ownership have this many steps from -1 to 1, twice.
const OWNERSHIP_STEPS: f32 = 100.0;

/// What the search found in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Evaluation {
    /// Moves played before it.
    pub(super) after: u32,
    /// Win rate of Black, 0 to 1.
    pub(super) black_wins: f64,
    /// Mean score, Black minus White, komi counted.
    pub(super) score: f64,
    /// The move to play and what is expected to follow it.
    pub(super) line: Vec<String>,
    /// Simulations of the search.
    pub(super) visits: u64,
    /// Ownership of each point in the order of the board, from -100 (White) to
    /// 100 (Black).
    pub(super) ownership: Vec<i8>,
}

/// A move of the game with the positions around it.
#[derive(Clone)]
pub(super) struct Evaluated {
    pub(super) node: NodeId,
    pub(super) number: u32,
    pub(super) color: Color,
    pub(super) mv: Move,
    pub(super) before: Evaluation,
    pub(super) after: Evaluation,
    /// The game before the move.
    pub(super) game: Game,
}

impl Evaluated {
    /// Win rate that the move lost, 0 to 1, for the player who made it;
    /// negative if the search thinks better of the game after it.
    pub(super) fn loss(&self) -> f64 {
        f64::from(self.color.sign()) * (self.before.black_wins - self.after.black_wins)
    }

    /// The better line, unless the move was the search's own.
    pub(super) fn better_line(&self) -> Vec<Move> {
        let moves: Vec<Move> = self.before.line.iter().map_while(|text| Move::from_str(text).ok()).collect();
        if moves.first() == Some(&self.mv) { Vec::new() } else { moves }
    }
}

/// The evaluated game.
pub(super) struct Analysis {
    pub(super) moves: Vec<Evaluated>,
}

/// Number of positions that will be searched.
pub(super) fn positions(tree: &GameTree<'_>) -> usize {
    let is_move = |step: &crate::formats::sgf::Step| matches!(step.action, Action::Play(..));
    tree.main_line().flatten().filter(is_move).count() + 1
}

/// What a journal must agree in to be of use: the record, and how it is searched.
pub(super) fn key(bytes: &[u8], options: &Options, settings: &Settings) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{settings:?} {}", options.komi).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Evaluations on disk, one a line, so that a stopped analysis can go on.
pub(super) struct Journal {
    file: fs::File,
    done: Vec<Evaluation>,
}

impl Journal {
    /// Opens the journal at `path`, or begins one if there is none with `key`.
    pub(super) fn open(path: &Path, key: &str) -> io::Result<Self> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let done: Vec<Evaluation> = if lines.next() == Some(key) {
            lines.map_while(|line| serde_json::from_str(line).ok()).collect()
        } else {
            Vec::new()
        };
        // Written anew, so that a line that was cut off is gone.
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(path)?;
        writeln!(file, "{key}")?;
        let mut journal = Journal { file, done: Vec::new() };
        done.into_iter().try_for_each(|evaluation| journal.add(evaluation))?;
        Ok(journal)
    }

    fn find(&self, after: u32) -> Option<&Evaluation> {
        self.done.iter().find(|evaluation| evaluation.after == after)
    }

    fn add(&mut self, evaluation: Evaluation) -> io::Result<()> {
        let line = serde_json::to_string(&evaluation)?;
        writeln!(self.file, "{line}")?;
        self.done.push(evaluation);
        Ok(())
    }
}

impl Analysis {
    /// Searches the position before each move of the main line, and the last.
    /// Where the record has a move that the rules forbid, the analysis ends
    /// before it, and the log says so.
    pub(super) fn run(
        tree: &GameTree<'_>,
        engine: &mut Engine,
        komi: f64,
        journal: &mut Journal,
        bar: &ProgressBar,
    ) -> io::Result<Analysis> {
        let rules = rules_of(tree, engine.settings().rules);
        let mut played = Vec::new();
        for step in tree.main_line() {
            match step.map(|step| (step.node, step.number, step.action)) {
                Ok((node, number, Action::Play(color, mv))) => played.push((node, number, color, mv)),
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!("{error}");
                    break;
                }
            }
        }
        let mut positions: Vec<(Evaluation, Game)> = Vec::new();
        for after in 0..=played.len() as u32 {
            let game = match tree.replay(StopAt::BeforeMove(after + 1), rules, komi) {
                Ok(game) => game,
                Err(error) => {
                    tracing::warn!("{error}");
                    break;
                }
            };
            let to_move = played.get(after as usize).map_or(game.to_move(), |&(_, _, color, _)| color);
            positions.push((evaluate(engine, &game, to_move, after, journal)?, game));
            bar.inc(1);
        }
        let around = positions.windows(2);
        let moves = played.into_iter().zip(around).map(|((node, number, color, mv), around)| {
            let [(before, game), (after, _)] = around else { unreachable!("windows of two") };
            let (before, after, game) = (before.clone(), after.clone(), game.clone());
            Evaluated { node, number, color, mv, before, after, game }
        });
        Ok(Analysis { moves: moves.collect() })
    }
}

/// The rules that the record names, or else `default`.
fn rules_of(tree: &GameTree<'_>, default: Rules) -> Rules {
    tree.rules().and_then(|name| Rules::by_name(&name)).unwrap_or(default)
}

fn evaluate(
    engine: &mut Engine,
    game: &Game,
    to_move: Color,
    after: u32,
    journal: &mut Journal,
) -> io::Result<Evaluation> {
    if let Some(known) = journal.find(after) {
        return Ok(known.clone());
    }
    engine.set_game(game.clone());
    let settings = engine.settings();
    let limits = settings.playouts.map_or_else(|| Limits::time(settings.time), Limits::nodes);
    let question = Question { color: to_move, limits, allowed: &[] };
    let report = engine.search(&question, &StopFlag::new(), None);
    let evaluation = summarize(&report, after);
    journal.add(evaluation.clone())?;
    Ok(evaluation)
}

fn summarize(report: &Report, after: u32) -> Evaluation {
    let best = report.moves.iter().find(|mv| mv.mv == report.best);
    let line = best.map_or_else(|| vec![report.best], |best| best.pv.clone());
    let in_steps = |owner: &f32| (owner.clamp(-1.0, 1.0) * OWNERSHIP_STEPS).round() as i8;
    Evaluation {
        after,
        black_wins: report.win_rate_of(Color::Black),
        score: report.score_of(Color::Black),
        line: line.iter().map(Move::to_string).collect(),
        visits: report.root_visits,
        ownership: report.ownership.iter().map(in_steps).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(after: u32) -> Evaluation {
        Evaluation {
            after,
            black_wins: 0.5,
            score: -1.5,
            line: vec!["D4".into()],
            visits: 9,
            ownership: vec![-100, 7],
        }
    }

    #[test]
    fn a_journal_is_taken_up_again_only_for_the_same_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let mut journal = Journal::open(&path, "key").unwrap();
        journal.add(evaluation(0)).unwrap();
        journal.add(evaluation(1)).unwrap();
        let mut text = fs::read_to_string(&path).unwrap();
        text.truncate(text.len() - 5);
        fs::write(&path, text).unwrap();
        let journal = Journal::open(&path, "key").unwrap();
        assert_eq!(journal.find(0), Some(&evaluation(0)));
        assert_eq!(journal.find(1), None, "its line was cut off");
        assert!(Journal::open(&path, "other").unwrap().find(0).is_none());
    }
}
