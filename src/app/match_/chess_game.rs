//! A game of chess between two engines.

use std::time::{Duration, Instant};

use super::chess_player::{ChessPlayer, Thought, Wish};
use super::clock::{Clocks, Usage};
use super::openings::ChessOpening;
use super::{EngineSpec, Limits, Outcome, Watcher};
use crate::app::chess_line::{ChessLine, Ending};
use crate::app::engine_process::EngineError;
use crate::chess::types::Move;
use crate::formats::pgn::Game;

struct ChessGame<'a> {
    limits: &'a Limits,
    specs: [&'a EngineSpec; 2],
    players: [ChessPlayer; 2],
    opening: &'a ChessOpening,
    clocks: Clocks,
    usage: [Usage; 2],
    line: ChessLine,
    /// The moves in UCI notation.
    moves: Vec<String>,
    verdicts: Adjudicator,
    watcher: Watcher<'a>,
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
    watcher: Watcher<'_>,
) -> Result<Outcome, EngineError> {
    let mut started = Vec::new();
    for (player, &spec) in specs.iter().enumerate() {
        match ChessPlayer::start(spec, limits, opening) {
            Ok(engine) => started.push(engine),
            Err(error @ (EngineError::Start { .. } | EngineError::CommandLine(_))) => return Err(error),
            Err(error) => return Ok(not_begun(player, specs, &error)),
        }
    }
    let Ok(players) = <[ChessPlayer; 2]>::try_from(started) else { unreachable!("two players") };
    let nonsense = |text| EngineError::Nonsense("opening".into(), text);
    let line = ChessLine::new(opening.fen.as_deref()).map_err(|error| nonsense(error.to_string()))?;
    let mut game = ChessGame {
        limits,
        specs,
        players,
        opening,
        clocks: Clocks::new(limits.time, limits.margin_s),
        usage: [Usage::default(); 2],
        line,
        moves: Vec::new(),
        verdicts: Adjudicator::default(),
        watcher,
    };
    for text in &opening.moves {
        let mv = game.line.position().parse_uci(text).ok_or_else(|| nonsense(text.clone()))?;
        game.make(mv);
    }
    let (winner, reason) = game.run();
    let result = ["1-0", "0-1", "1/2-1/2"][winner.unwrap_or(2)].to_owned();
    let record = game.record(&result, &reason);
    game.players.into_iter().for_each(ChessPlayer::quit);
    Ok(Outcome { winner, result, reason, moves: game.moves, usage: game.usage, record })
}

/// A game that `player` lost because his engine did not get as far as a move.
fn not_begun(player: usize, specs: [&EngineSpec; 2], error: &EngineError) -> Outcome {
    let result = ["0-1", "1-0"][player];
    let reason = format!("{}: {error}", specs[player].name);
    let mut game = Game { result: result.to_owned(), ..Game::default() };
    for (name, value) in [
        ("Event", "tengen match"),
        ("White", specs[0].name.as_str()),
        ("Black", specs[1].name.as_str()),
        ("Result", result),
        ("Termination", reason.as_str()),
    ] {
        game.set_tag(name, value);
    }
    Outcome {
        winner: Some(1 - player),
        result: result.to_owned(),
        moves: Vec::new(),
        usage: [Usage::default(); 2],
        record: game.to_string(),
        reason,
    }
}

impl ChessGame<'_> {
    fn run(&mut self) -> End {
        loop {
            (self.watcher)(self.moves.len());
            let player = self.line.position().side().index();
            match self.line.ending() {
                Some(Ending::Mate) => return (Some(1 - player), Ending::Mate.to_string()),
                Some(ending) => return draw(&ending.to_string()),
                None if self.limits.claims && self.line.can_claim() => return draw("draw by claim"),
                None if self.moves.len() >= self.limits.max_moves => return draw("move limit"),
                None => {}
            }
            if let Some(end) = self.turn(player) {
                return end;
            }
        }
    }

    fn make(&mut self, mv: Move) {
        self.moves.push(mv.uci(false));
        self.line.play(mv);
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
        let Some(mv) = self.line.parse(&text) else {
            return loss(format!("illegal move {text} in {}", self.line.position().fen()));
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
        let players = self.specs.map(|spec| spec.name.as_str());
        let mut game = self.line.pgn("tengen match", players, result);
        game.set_tag("Termination", reason);
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
