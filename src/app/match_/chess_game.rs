//! A game of chess between two engines.

use std::time::{Duration, Instant};

use super::chess_player::{ChessPlayer, Thought, Wish};
use super::clock::{Clocks, Usage};
use super::openings::ChessOpening;
use super::{EngineSpec, Limits, Outcome};
use crate::app::engine_process::EngineError;
use crate::chess::position::Position;
use crate::chess::types::Move;
use crate::formats::pgn::{Element, Game};
use crate::shared::hash::Key;

struct ChessGame<'a> {
    limits: &'a Limits,
    specs: [&'a EngineSpec; 2],
    players: [ChessPlayer; 2],
    opening: &'a ChessOpening,
    clocks: Clocks,
    usage: [Usage; 2],
    position: Position,
    /// Keys of all positions, the present one last.
    past: Vec<Key>,
    moves: Vec<String>,
    san: Vec<String>,
    verdicts: Adjudicator,
}

/// How a game ended: the winner, if there is one, and why.
type End = (Option<usize>, String);

/// Plays one game; `specs` are White and Black.
///
/// # Errors
/// An engine that cannot be started, or an opening that makes no sense.
pub(super) fn play(
    limits: &Limits,
    specs: [&EngineSpec; 2],
    opening: &ChessOpening,
) -> Result<Outcome, EngineError> {
    let start = |spec| ChessPlayer::start(spec, limits, opening);
    let players = [start(specs[0])?, start(specs[1])?];
    let nonsense = |text| EngineError::Nonsense("opening".into(), text);
    let first = ChessOpening { fen: opening.fen.clone(), moves: Vec::new() };
    let position = first.position().map_err(nonsense)?;
    let mut game = ChessGame {
        limits,
        specs,
        players,
        opening,
        clocks: Clocks::new(limits.time, limits.margin_s),
        usage: [Usage::default(); 2],
        past: vec![position.key()],
        position,
        moves: Vec::new(),
        san: Vec::new(),
        verdicts: Adjudicator::default(),
    };
    for text in &opening.moves {
        let mv = game.position.parse_uci(text).ok_or_else(|| nonsense(text.clone()))?;
        game.make(mv);
    }
    let (winner, reason) = game.run();
    let result = ["1-0", "0-1", "1/2-1/2"][winner.unwrap_or(2)].to_owned();
    let record = game.record(&result, &reason);
    game.players.into_iter().for_each(ChessPlayer::quit);
    Ok(Outcome { winner, result, reason, moves: game.moves, usage: game.usage, record })
}

impl ChessGame<'_> {
    fn run(&mut self) -> End {
        loop {
            if let Some(end) = self.natural_end() {
                return end;
            }
            let player = self.position.side().index();
            if let Some(end) = self.turn(player) {
                return end;
            }
        }
    }

    fn make(&mut self, mv: Move) {
        self.san.push(self.position.san(mv));
        self.moves.push(mv.uci(false));
        self.position.play_unchecked(mv);
        self.past.push(self.position.key());
    }

    /// Mate and the kinds of draw; threefold repetition and fifty moves count
    /// without a claim.
    fn natural_end(&self) -> Option<End> {
        let player = self.position.side().index();
        if self.position.legal_moves().is_empty() {
            let is_mate = self.position.checkers().any();
            return Some(if is_mate { (Some(1 - player), "mate".into()) } else { draw("stalemate") });
        }
        let repeated = self.past.iter().filter(|&&key| key == self.position.key()).count();
        if repeated >= 3 {
            Some(draw("repetition"))
        } else if self.position.halfmoves() >= 100 {
            Some(draw("fifty moves"))
        } else if self.position.is_insufficient() {
            Some(draw("insufficient material"))
        } else if self.moves.len() >= self.limits.max_moves {
            Some(draw("move limit"))
        } else {
            None
        }
    }

    fn turn(&mut self, player: usize) -> Option<End> {
        let name = &self.specs[player].name;
        let loss = |how: String| Some((Some(1 - player), format!("{name}: {how}")));
        let thought = match self.think(player) {
            Ok((thought, true)) => thought,
            Ok((_, false)) => return loss("out of time".into()),
            Err(error) => return loss(error.to_string()),
        };
        let text = match thought.wish {
            Wish::Resign => return Some((Some(1 - player), "resignation".into())),
            Wish::Claim(claim) => return loss(format!("claimed {claim:?}")),
            Wish::Move(text) => text,
        };
        let parsed = self.position.parse_uci(&text.to_lowercase()).or_else(|| self.position.parse_san(&text));
        let Some(mv) = parsed else {
            return loss(format!("illegal move {text} in {}", self.position.fen()));
        };
        self.make(mv);
        self.verdicts.note(player, thought.score, self.limits, self.moves.len())
    }

    /// A player's answer, and whether it came in time.
    fn think(&mut self, player: usize) -> Result<(Thought, bool), EngineError> {
        let engine = &mut self.players[player];
        let (cpu_before, start) = (engine.cpu_time(), Instant::now());
        let thought = engine.think(self.opening, &self.moves, player, &self.clocks, self.limits)?;
        let wall = start.elapsed();
        let cpu = engine.cpu_time().zip(cpu_before).map_or(Duration::ZERO, |(a, b)| a.saturating_sub(b));
        self.usage[player].add(wall, cpu);
        let used = if self.limits.cpu_clock { cpu } else { wall };
        Ok((thought, self.clocks.charge(player, used.as_secs_f64())))
    }

    fn record(&self, result: &str, reason: &str) -> String {
        let mut game = Game { result: result.to_owned(), ..Game::default() };
        let [white, black] = self.specs.map(|spec| spec.name.as_str());
        for (name, value) in
            [("Event", "tengen match"), ("White", white), ("Black", black), ("Result", result)]
        {
            game.set_tag(name, value);
        }
        if let Some(fen) = &self.opening.fen {
            game.set_tag("SetUp", "1");
            game.set_tag("FEN", fen);
        }
        game.set_tag("Termination", reason);
        game.elements = self.san.iter().cloned().map(Element::Move).collect();
        game.to_string()
    }
}

fn draw(reason: &str) -> End {
    (None, reason.to_owned())
}

/// Ends games whose outcome both engines' evaluations agree on.
#[derive(Clone, Debug, Default)]
struct Adjudicator {
    /// Last evaluations of both players, centipawns, for White.
    scores: [Option<i32>; 2],
    /// Plies in a row that the same side was lost, and that nothing happened.
    lost_plies: [usize; 2],
    drawn_plies: usize,
}

impl Adjudicator {
    /// Takes note of a player's evaluation of his move.
    fn note(&mut self, player: usize, score: Option<i32>, limits: &Limits, plies: usize) -> Option<End> {
        let sign = [1, -1][player];
        self.scores[player] = score.map(|score| sign * score);
        let both: Vec<i32> = self.scores.iter().flatten().copied().collect();
        let agree = |holds: &dyn Fn(i32) -> bool| both.len() == 2 && both.iter().all(|&score| holds(score));
        if let Some((threshold, moves)) = limits.resign {
            for (loser, sign) in [(0, -1), (1, 1)] {
                let is_lost = agree(&|score| score * sign >= threshold);
                self.lost_plies[loser] = if is_lost { self.lost_plies[loser] + 1 } else { 0 };
                if self.lost_plies[loser] >= 2 * moves {
                    return Some((Some(1 - loser), "adjudicated win".into()));
                }
            }
        }
        if let Some((from_move, threshold, moves)) = limits.draw {
            let is_drawn = plies >= 2 * from_move && agree(&|score| score.abs() <= threshold);
            self.drawn_plies = if is_drawn { self.drawn_plies + 1 } else { 0 };
            if self.drawn_plies >= 2 * moves {
                return Some(draw("adjudicated draw"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_must_agree_on_the_outcome() {
        let limits = Limits { resign: Some((500, 2)), draw: Some((1, 10, 2)), ..Limits::default() };
        let mut verdicts = Adjudicator::default();
        let mut ends = Vec::new();
        for ply in 0..6 {
            let score = if ply % 2 == 0 { 600 } else { -700 };
            ends.push(verdicts.note(ply % 2, Some(score), &limits, ply + 1));
        }
        assert_eq!(ends[3], None);
        assert_eq!(ends[4], Some((Some(0), "adjudicated win".into())));
        let mut verdicts = Adjudicator::default();
        let drawn = (0..6).find_map(|ply| verdicts.note(ply % 2, Some(5), &limits, ply + 1));
        assert_eq!(drawn, Some((None, "adjudicated draw".into())));
        let mut verdicts = Adjudicator::default();
        assert!((0..20).all(|ply| verdicts.note(ply % 2, Some(900), &limits, ply + 1).is_none()));
    }
}
