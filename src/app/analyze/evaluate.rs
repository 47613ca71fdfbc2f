//! Searching the positions of a game of Go.

use std::io;
use std::str::FromStr;

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::journal::{Entry, Journal, Place};
use crate::formats::sgf::{Action, GameTree, NodeId, StopAt};
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::game::Game;
use crate::go::rules::Rules;
use crate::shared::control::{Limits, StopFlag};
use crate::uct::advice::Opinion;
use crate::uct::engine::{Engine, Question};
use crate::uct::report::Report;

/// Points of ownership have this many steps from -1 to 1, twice.
const OWNERSHIP_STEPS: f32 = 100.0;

/// Probability from which on a move is noted.
const LIKELY: f32 = 0.01;

/// What the search found in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Evaluation {
    pub(super) place: Place,
    /// Win rate of Black, 0 to 1.
    pub(super) black_wins: f64,
    /// Mean score, Black minus White, komi counted.
    pub(super) score: f64,
    /// The move to play and what is expected to follow it.
    pub(super) line: Vec<String>,
    /// Simulations of the search.
    pub(super) visits: u64,
    /// Moves that the network thinks likely with their probabilities, the
    /// likeliest first.
    #[serde(default)]
    pub(super) expected: Vec<(String, f32)>,
    /// Ownership of each point in the order of the board, from -100 (White) to
    /// 100 (Black).
    pub(super) ownership: Vec<i8>,
}

impl Entry for Evaluation {
    fn place(&self) -> Place {
        self.place
    }
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

impl Analysis {
    /// Searches the position before each move of the main line, and the last.
    /// Where the record has a move that the rules forbid, the analysis ends
    /// before it, and the log says so.
    pub(super) fn run(
        number: usize,
        tree: &GameTree<'_>,
        engine: &mut Engine,
        komi: f64,
        journal: &mut Journal<Evaluation>,
        bar: &ProgressBar,
    ) -> io::Result<Analysis> {
        let rules = rules_of(tree, engine.settings().rules);
        let mut played = Vec::new();
        for step in tree.main_line() {
            match step.map(|step| (step.node, step.number, step.action)) {
                Ok((node, at, Action::Play(color, mv))) => played.push((node, at, color, mv)),
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
            let place = Place { game: number, after: after as usize };
            let evaluation = journal.get(place, || evaluate(engine, &game, to_move, place))?;
            positions.push((evaluation, game));
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
    tree.rules().unwrap_or(default)
}

fn evaluate(engine: &mut Engine, game: &Game, to_move: Color, place: Place) -> Evaluation {
    engine.set_game(game.clone());
    let settings = engine.settings();
    let limits = settings.playouts.map_or_else(|| Limits::time(settings.time), Limits::nodes);
    let question = Question { color: to_move, limits, allowed: &[] };
    let report = engine.search(&question, &StopFlag::new(), None);
    let likely = |opinion: Opinion| {
        let ranked = opinion.ranked(game.size()).into_iter();
        ranked.take_while(|&(_, p)| p >= LIKELY).map(|(mv, p)| (mv.to_string(), p)).collect()
    };
    let expected = engine.opinion(to_move).map_or_else(Vec::new, likely);
    Evaluation { expected, ..summarize(&report, place) }
}

fn summarize(report: &Report, place: Place) -> Evaluation {
    let best = report.moves.iter().find(|mv| mv.mv == report.best);
    let line = best.map_or_else(|| vec![report.best], |best| best.pv.clone());
    let in_steps = |owner: &f32| (owner.clamp(-1.0, 1.0) * OWNERSHIP_STEPS).round() as i8;
    Evaluation {
        place,
        black_wins: report.win_rate_of(Color::Black),
        score: report.score_of(Color::Black),
        line: line.iter().map(Move::to_string).collect(),
        visits: report.root_visits,
        expected: Vec::new(),
        ownership: report.ownership.iter().map(in_steps).collect(),
    }
}
