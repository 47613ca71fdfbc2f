//! Quick games of the engine against itself, and the quiet positions in them.

use std::fmt;

use crate::chess::position::Position;
use crate::chess::score::is_mate;
use crate::chess::search::{Link, Outcome, Request, Worker, root};
use crate::chess::table::ChessTable;
use crate::chess::types::Color;
use crate::shared::control::Limits;
use crate::shared::rng::Rng;

/// Random moves at the start of each game.
const RANDOM_PLIES: usize = 8;
/// A game that starts more uneven than this is not played, in hundredths of a pawn.
const UNEVEN: i32 = 300;
/// A game is won when a score beyond this has stood for [`CLEAR_PLIES`].
const CLEAR: i32 = 1200;
const CLEAR_PLIES: usize = 6;
const LONGEST: usize = 300;

/// A quiet position and how its game went on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// White's result in halves: 0, 1 or 2.
    pub result: u8,
    /// What the search said, for White, in hundredths of a pawn.
    pub score: i32,
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.fen() == other.fen()
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{};{}", self.position.fen(), self.result, self.score)
    }
}

impl Sample {
    /// Reads what `Display` writes.
    #[must_use]
    pub fn parse(line: &str) -> Option<Sample> {
        let mut parts = line.split(';');
        let position = Position::parse_fen(parts.next()?).ok()?;
        let result = parts.next()?.trim().parse().ok().filter(|&result| result <= 2)?;
        let score = parts.next()?.trim().parse().ok()?;
        Some(Sample { position, result, score })
    }
}

/// One player that plays both sides.
pub struct Player {
    table: ChessTable,
    workers: [Worker; 1],
    nodes: u64,
    rng: Rng,
}

impl Player {
    /// A player who searches `nodes` for each move.
    #[must_use]
    pub fn new(nodes: u64, seed: u64) -> Player {
        Player { table: ChessTable::new(1), workers: [Worker::default()], nodes, rng: Rng::new(seed, 0) }
    }

    fn think(&mut self, position: &Position, history: &[u64]) -> Outcome {
        let request = Request {
            history: history.to_vec(),
            limits: Limits::nodes(self.nodes),
            ..Request::new(*position)
        };
        root::search(&request, &mut self.workers, &self.table, &Link::default(), &mut |_| ())
    }

    /// A position a few random moves from the start.
    fn opening(&mut self) -> Position {
        loop {
            let mut position = Position::default();
            let plies = RANDOM_PLIES + self.rng.below(2);
            for _ in 0..plies {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[self.rng.below(moves.len())]);
            }
            let outcome = self.think(&position, &[]);
            if outcome.best.is_some() && outcome.score.abs() <= UNEVEN {
                return position;
            }
        }
    }

    /// Plays a game and returns its quiet positions.
    pub fn play(&mut self) -> Vec<Sample> {
        self.table.clear();
        let mut position = self.opening();
        let mut history = Vec::new();
        let mut samples: Vec<Sample> = Vec::new();
        let mut clear = 0;
        let result = loop {
            let in_check = position.checkers().any();
            if position.legal_moves().is_empty() {
                break if in_check { loss_of(position.side()) } else { 1 };
            }
            let repeated = history.iter().filter(|&&key| key == position.key()).count() >= 2;
            if repeated
                || position.halfmoves() >= 100
                || position.is_insufficient()
                || history.len() >= LONGEST
            {
                break 1;
            }
            let outcome = self.think(&position, &history);
            let Some(best) = outcome.best else { break 1 };
            let white = if position.side() == Color::White { outcome.score } else { -outcome.score };
            clear = if white.abs() >= CLEAR { clear + 1 } else { 0 };
            if clear >= CLEAR_PLIES {
                break if white > 0 { 2 } else { 0 };
            }
            if !in_check && !position.is_noisy(best) && !is_mate(white) && position.halfmoves() < 60 {
                samples.push(Sample { position, result: 1, score: white });
            }
            history.push(position.key());
            position.play_unchecked(best);
        };
        samples.iter_mut().for_each(|sample| sample.result = result);
        samples
    }
}

/// White's result when `color` is mated.
fn loss_of(color: Color) -> u8 {
    if color == Color::White { 0 } else { 2 }
}
