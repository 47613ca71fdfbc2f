//! What a finished game teaches: which moves to play again, and where to leave
//! the line that was lost.
//!
//! The winner's moves count until the game was clearly won: in full if we made
//! them, little if an opponent did, since what worked against us need not work
//! for us. Of the loser's, those count from the last one before which he still
//! stood well: a sound opening is not to blame for a later mistake. Moves before
//! that count less and less, so that where nothing later helps, the next game
//! leaves the line earlier. A draw counts as one for all of our moves.

use std::collections::BTreeMap;

use crate::shared::hash::Key;
use crate::shared::learn::Record;

use super::position::Position;
use super::score::is_mate;
use super::types::{Color, Move};

/// A score from here on wins, in hundredths of a pawn.
const CLEAR: i32 = 500;
/// So many scores in a row that agree on the winner tell a result.
const AGREEING: usize = 3;
/// Plies since the last search for which it still tells the result.
const FRESH: usize = 2;
/// Who stands no worse than this may still hold the game.
const FINE: i32 = -50;
/// Who stands so badly has lost: moves after that are not to blame.
const LOST: i32 = -300;
/// What a loser's move before the mistake counts, of the one after it.
const EARLIER: f32 = 0.3;
/// What an opponent's win counts.
const OF_OTHERS: f32 = 0.2;
/// A move that counts less than this is not learnt.
const LEAST: f32 = 0.05;
/// The plies of a game without scores that its result teaches.
const OPENING: usize = 40;
/// What a ply further from the end of the opening counts, of the one after it.
const FADING: f32 = 0.95;

/// What a search thought of a position of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thought {
    /// Moves played before it.
    pub ply: usize,
    /// Of the position.
    pub key: Key,
    /// In hundredths of a pawn, for White.
    pub white: i32,
}

/// The searches of a game, by ply, with White's score.
pub type Trace = Vec<(usize, i32)>;

/// The latest thought of each position that the game went through; thoughts of
/// others, pondered on or taken back, are left out.
#[must_use]
pub fn trace(start: &Position, moves: &[Move], thoughts: &[Thought]) -> Trace {
    let mut keys = vec![start.key()];
    let mut here = *start;
    for &mv in moves {
        here = here.after(mv);
        keys.push(here.key());
    }
    let on_the_way = thoughts.iter().filter(|thought| keys.get(thought.ply) == Some(&thought.key));
    let by_ply: BTreeMap<usize, i32> = on_the_way.map(|thought| (thought.ply, thought.white)).collect();
    by_ply.into_iter().collect()
}

/// White's result, 0 or 1, of a game of so many `plies` that was broken off, if
/// the last searches left no doubt.
#[must_use]
pub fn clear_result(trace: &[(usize, i32)], plies: usize) -> Option<f32> {
    let &(ply, score) = trace.last().filter(|&&(ply, _)| ply + FRESH >= plies)?;
    let agrees = |&(_, other): &(usize, i32)| other.abs() >= CLEAR && other.signum() == score.signum();
    let tail = &trace[trace.len().saturating_sub(AGREEING)..];
    let is_clear = is_mate(score) || tail.len() == AGREEING && tail.iter().all(agrees);
    (is_clear && ply <= plies).then_some(if score > 0 { 1.0 } else { 0.0 })
}

/// The side that thought before its moves, in a game that `starts` began; `None`
/// if neither did, or both.
#[must_use]
pub fn our_side(starts: Color, trace: &[(usize, i32)]) -> Option<Color> {
    let &(first, _) = trace.first()?;
    let alone = trace.iter().all(|&(ply, _)| ply % 2 == first % 2);
    alone.then_some(if first % 2 == 0 { starts } else { !starts })
}

/// The records that a game from `start` teaches; `white` is White's result,
/// from 0 to 1.
#[must_use]
pub fn of_game(start: &Position, moves: &[Move], white: f32, trace: &[(usize, i32)]) -> Vec<(Key, Record)> {
    let Some(&(first, _)) = trace.first() else { return of_opening(start, moves, white) };
    let ours = our_side(start.side(), trace);
    let judge = Judge::new(white, first, trace);
    let mut here = *start;
    let mut batch = Vec::new();
    for (ply, &mv) in moves.iter().enumerate() {
        let side = here.side();
        here = here.after(mv);
        let credit = if ours.is_none_or(|ours| ours == side) { 1.0 } else { OF_OTHERS };
        // A record's values are for the side to move, who did not make the move.
        let (wins, weight) = match &judge {
            None => (0.5, credit),
            Some(judge) if judge.winner != side => (1.0, judge.blame(ply)),
            Some(judge) => (0.0, if ply <= judge.settled { credit } else { 0.0 }),
        };
        if weight >= LEAST {
            batch.push((here.key(), Record::of_game(Record::NO_MOVE, wins, weight)));
        }
    }
    batch
}

/// Which moves of a game have won and lost it.
struct Judge {
    winner: Color,
    /// The ply from which the game was clearly won.
    settled: usize,
    /// The last ply at which the loser stood well, and the first after it at
    /// which all was lost.
    fatal: usize,
    lost: usize,
}

impl Judge {
    /// Of a game whose `first` search was at that ply; `None` for a draw.
    fn new(white: f32, first: usize, trace: &[(usize, i32)]) -> Option<Judge> {
        let winner = if white > 0.5 { Color::White } else { Color::Black };
        // For the loser.
        let of = |&(_, score): &(usize, i32)| if winner == Color::White { -score } else { score };
        let settled = trace.iter().rev().take_while(|&at| of(at) <= -CLEAR).last();
        let fatal = trace.iter().rfind(|&at| of(at) >= FINE).map_or(first, |&(ply, _)| ply);
        let lost = trace.iter().find(|&at| at.0 > fatal && of(at) <= LOST);
        let ply = |at: Option<&(usize, i32)>| at.map_or(usize::MAX, |&(ply, _)| ply);
        (white != 0.5).then(|| Judge { winner, settled: ply(settled), fatal, lost: ply(lost) })
    }

    /// What the loser's move at `ply` counts.
    fn blame(&self, ply: usize) -> f32 {
        if ply >= self.lost {
            return 0.0;
        }
        EARLIER.powi(self.fatal.saturating_sub(ply).div_ceil(2).min(100) as i32)
    }
}

/// A game of which no more is known than its moves and its result: all of its
/// opening counts, the earlier moves less.
fn of_opening(start: &Position, moves: &[Move], white: f32) -> Vec<(Key, Record)> {
    let mut here = *start;
    let mut batch = Vec::new();
    let taught = moves.len().min(OPENING);
    for (ply, &mv) in moves[..taught].iter().enumerate() {
        let wins = if here.side() == Color::White { white } else { 1.0 - white };
        let weight = FADING.powi((taught - 1 - ply) as i32);
        batch.push((here.key(), Record::of_game(mv.to_bits(), wins, weight)));
        here = here.after(mv);
    }
    // The position behind the last move carries the result of that move.
    let wins = if here.side() == Color::White { white } else { 1.0 - white };
    batch.push((here.key(), Record::of_game(Record::NO_MOVE, wins, 1.0)));
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::score::MATE;

    fn game(text: &str) -> (Position, Vec<Move>, Vec<Key>) {
        let start = Position::default();
        let mut here = start;
        let mut keys = vec![start.key()];
        let mut moves = Vec::new();
        for word in text.split(' ') {
            let mv = here.parse_uci(word).expect("legal");
            moves.push(mv);
            here = here.after(mv);
            keys.push(here.key());
        }
        (start, moves, keys)
    }

    #[test]
    fn only_thoughts_of_the_game_count_and_the_latest_of_each() {
        let (start, moves, keys) = game("e2e4 e7e5 g1f3 b8c6");
        let thought = |ply: usize, key: Key, white| Thought { ply, key, white };
        let thoughts = [
            thought(0, keys[0], 10),
            thought(2, keys[1], 900),
            thought(2, keys[2], 20),
            thought(0, keys[0], 30),
            thought(9, keys[2], 800),
        ];
        assert_eq!(trace(&start, &moves, &thoughts), [(0, 30), (2, 20)]);
    }

    #[test]
    fn only_clear_and_fresh_scores_tell_a_result() {
        let clear = [(10, 20), (12, 700), (14, 800), (16, 600)];
        assert_eq!(clear_result(&clear, 17), Some(1.0));
        assert_eq!(clear_result(&clear, 19), None, "moves were made since");
        assert_eq!(clear_result(&clear[..3], 15), None, "two are not enough");
        assert_eq!(clear_result(&[(10, 700), (12, 450), (14, 800)], 15), None);
        assert_eq!(clear_result(&[(10, 0), (12, 5 - MATE)], 14), Some(0.0), "a mate is");
        assert_eq!(clear_result(&[], 0), None);
    }

    #[test]
    fn a_loss_is_blamed_on_the_moves_around_the_mistake() {
        let (start, moves, keys) = game("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f8e7 d2d3 d7d6 c2c3 e8g8");
        // Black stood well until the sixth ply, and had lost at the tenth.
        let scores = [(1, 10), (3, 0), (5, 40), (7, 120), (9, 350), (11, 600)];
        let records = of_game(&start, &moves, 1.0, &scores);
        let after =
            |ply: usize| records.iter().find(|(key, _)| *key == keys[ply + 1]).map(|&(_, known)| known);
        let blame = |ply| after(ply).map(|known| known.wins);
        assert_eq!(
            [1, 3, 5, 7, 9, 11].map(blame),
            [Some(0.3 * 0.3), Some(0.3), Some(1.0), Some(1.0), None, None]
        );
        assert!(
            [0, 2, 4, 6, 8, 10].iter().all(|&ply| after(ply).is_some_and(|known| known.losses == OF_OTHERS))
        );
    }

    #[test]
    fn our_moves_of_a_won_game_count_until_it_was_clear() {
        let (start, moves, keys) = game("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f8e7 d2d3 d7d6");
        let scores = [(0, 10), (2, -80), (4, 300), (6, 600), (8, 700)];
        let records = of_game(&start, &moves, 1.0, &scores);
        let won: Vec<Key> =
            records.iter().filter(|(_, known)| known.losses == 1.0).map(|known| known.0).collect();
        assert_eq!(won, [keys[1], keys[3], keys[5], keys[7]]);
    }

    #[test]
    fn a_draw_is_one_for_our_moves_and_a_game_without_scores_teaches_its_opening() {
        let (start, moves, keys) = game("e2e4 e7e5 g1f3");
        let records = of_game(&start, &moves, 0.5, &[(0, 20)]);
        assert_eq!(records[0], (keys[1], Record::of_game(Record::NO_MOVE, 0.5, 1.0)));
        assert_eq!(records[1].1.games(), OF_OTHERS);
        let records = of_game(&start, &moves, 1.0, &[]);
        assert_eq!(records.len(), 4);
        assert!(records.iter().all(|(_, record)| record.games() > 0.8));
        assert_eq!(our_side(Color::Black, &[(1, 0), (3, 0)]), Some(Color::White));
        assert_eq!(our_side(Color::White, &[(1, 0), (2, 0)]), None, "both are ours");
    }
}
