//! What the chess engine learns from its searches and games, and how it uses it.
//!
//! After a search the positions of the main line are kept with score, depth,
//! bound and move; before one, what is known around the root goes into the
//! transposition table, where the table's own rule applies: a record of enough
//! depth cuts, a shallower one orders the moves. The root's own record answers
//! every iteration that is no deeper than itself. The results of finished games
//! go back along the opening moves, and shift the choice at the root a little.

use std::sync::Arc;

use crate::shared::hash::Key;
use crate::shared::learn::{self, Memory, Record, Schema, Store};

use super::movegen::Generator;
use super::position::Position;
use super::score::{MATE_BOUND, is_mate};
use super::search::Recall;
use super::table::{Bound, ChessTable, Known, NO_EVAL};
use super::types::{Color, Move};
use super::zobrist;

/// A search that is not this deep is not kept.
const ENOUGH_DEPTH: u32 = 6;
/// Positions whose moves are looked up before one search, at most.
const MOST_POSITIONS: usize = 64;
/// The plies of a game that its result teaches.
const OPENING: usize = 40;
/// What a ply further from the end of the opening counts, of the one after it.
const FADING: f32 = 0.95;
/// The most that results of games add to a root move, in hundredths of a pawn.
const MOST_BIAS: f32 = 40.0;

/// The terms that chess records depend on.
#[must_use]
pub fn schema() -> Schema {
    Schema::new("chess", "", zobrist::fingerprint())
}

/// The knowledge of earlier searches and games. Clones share it.
#[derive(Clone)]
pub struct ChessMemory(Arc<Memory>);

impl ChessMemory {
    /// What `store` holds.
    #[must_use]
    pub fn open(store: Store) -> ChessMemory {
        ChessMemory(Arc::new(Memory::open(store, schema())))
    }

    /// The record of a position, if its move is legal there.
    fn known(&self, position: &Position) -> Option<Record> {
        let record = self.0.probe(position.key())?;
        let mv = Move::from_bits(record.best);
        (record.best == Record::NO_MOVE || Generator::new(position).is_legal(mv)).then_some(record)
    }

    /// Puts what is known of `position` and of those that follow it into `table`.
    pub fn seed(&self, position: &Position, table: &ChessTable) {
        if self.0.is_empty() {
            return;
        }
        let mut queue: Vec<Position> = vec![*position];
        let mut seen: Vec<Key> = vec![position.key()];
        let mut next = 0;
        while let Some(&here) = queue.get(next) {
            next += 1;
            if let Some(known) = self.known(&here).and_then(entry) {
                table.store(here.key(), known);
            }
            for &mv in here.legal_moves().iter() {
                let after = here.after(mv);
                let room = queue.len() < MOST_POSITIONS && !seen.contains(&after.key());
                if room && self.0.probe(after.key()).is_some() {
                    seen.push(after.key());
                    queue.push(after);
                }
            }
        }
    }

    /// What an earlier search of the root found, with its line as far as it is
    /// known. `history` holds the keys of the game so far: a move that repeats
    /// one of them is worth something else now.
    #[must_use]
    pub fn recall(&self, position: &Position, history: &[Key]) -> Option<Recall> {
        let record = self.known(position)?;
        let sure = record.effort > 0 && record.bound == learn::Bound::Exact;
        if !sure || record.best == Record::NO_MOVE {
            return None;
        }
        let mut line = Vec::new();
        let mut here = *position;
        while let Some(record) = self.known(&here).filter(|record| record.best != Record::NO_MOVE) {
            let mv = Move::from_bits(record.best);
            line.push(mv);
            here = here.after(mv);
            if line.len() >= record.effort.max(1) as usize || line.len() >= OPENING {
                break;
            }
        }
        let first = position.after(*line.first()?);
        let repeats = history.contains(&first.key()) || position.halfmoves() >= 80;
        (!repeats).then(|| Recall { score: record.score.into(), depth: record.effort.min(120), moves: line })
    }

    /// What earlier games add to the moves of `position`, in hundredths of a
    /// pawn for the side to move.
    #[must_use]
    pub fn biases(&self, position: &Position) -> Vec<(Move, i32)> {
        let bias = |&mv: &Move| {
            let record = self.0.probe(position.after(mv).key()).filter(|record| record.games() > 0.0)?;
            let balance = (record.losses - record.wins) / (record.games() + 1.0);
            Some((mv, (MOST_BIAS * balance) as i32)).filter(|&(_, bias)| bias != 0)
        };
        position.legal_moves().iter().filter_map(bias).collect()
    }

    /// Learns what a search of `position` to `depth` plies found: its score and
    /// its main line.
    pub fn learn_search(&self, position: &Position, mut score: i32, mut depth: u32, line: &[Move]) {
        let mut batch = Vec::new();
        let mut here = *position;
        for &mv in line {
            if depth < ENOUGH_DEPTH || !Generator::new(&here).is_legal(mv) {
                break;
            }
            let record = Record::of_search(mv.to_bits(), score as i16, depth, learn::Bound::Exact);
            batch.push((here.key(), record));
            here = here.after(mv);
            // A mate is counted from the position itself, one ply nearer each time.
            let nearer = if is_mate(score) { score + score.signum() } else { score };
            (score, depth) = (-nearer, depth - 1);
        }
        self.0.store(batch);
    }

    /// Learns a game from `start`: `white` is White's result, from 0 to 1.
    pub fn learn_result(&self, start: &Position, moves: &[Move], white: f32) {
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
        self.0.store(batch);
    }
}

/// A record as the table holds it, if a search made it.
fn entry(record: Record) -> Option<Known> {
    let best = Some(record.best).filter(|&best| best != Record::NO_MOVE).map_or(Move::NONE, Move::from_bits);
    if record.effort == 0 && !best.is_some() {
        return None;
    }
    // A move known from games alone orders, with a bound that cuts nothing.
    let bound = match record.bound {
        _ if record.effort == 0 => Bound::Lower,
        learn::Bound::Exact => Bound::Exact,
        learn::Bound::Lower => Bound::Lower,
        learn::Bound::Upper => Bound::Upper,
    };
    let score = if record.effort == 0 { 1 - MATE_BOUND as i16 } else { record.score };
    let depth = record.effort.min(120) as u8;
    Some(Known { best, score, eval: NO_EVAL, depth, bound, on_pv: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(folder: &std::path::Path) -> ChessMemory {
        ChessMemory::open(Store::new(folder.join("l"), 1000))
    }

    fn line(position: &Position, text: &str) -> Vec<Move> {
        let mut here = *position;
        let play = |word| {
            let mv = here.parse_uci(word).expect("legal");
            here.play_unchecked(mv);
            mv
        };
        text.split(' ').map(play).collect()
    }

    #[test]
    fn a_search_is_recalled_after_reopening() {
        let folder = tempfile::tempdir().expect("a folder");
        let start = Position::default();
        let moves = line(&start, "e2e4 e7e5 g1f3");
        memory(folder.path()).learn_search(&start, 31, 9, &moves);
        let again = memory(folder.path());
        let recall = again.recall(&start, &[]).expect("known");
        assert_eq!((recall.score, recall.depth, recall.moves), (31, 9, moves.clone()));
        let after = start.after(moves[0]);
        assert_eq!(again.recall(&after, &[]).expect("known").score, -31);
        assert!(again.recall(&start, &[after.key()]).is_none(), "a repetition is judged anew");
        let table = ChessTable::new(1);
        again.seed(&start, &table);
        let deep = table.probe(after.after(moves[1]).key()).expect("seeded");
        assert_eq!((deep.best, deep.depth, deep.score, deep.bound), (moves[2], 7, 31, Bound::Exact));
    }

    #[test]
    fn results_shift_the_choice_within_limits() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = memory(folder.path());
        let start = Position::default();
        let (lost, won) = (line(&start, "f2f3 e7e5 g2g4"), line(&start, "e2e4 e7e5 g1f3"));
        for _ in 0..50 {
            memory.learn_result(&start, &lost, 0.0);
            memory.learn_result(&start, &won, 1.0);
        }
        let biases = memory.biases(&start);
        let of = |mv| biases.iter().find(|&&(known, _)| known == mv).map(|&(_, bias)| bias);
        assert!(of(lost[0]).is_some_and(|bias| (-40..-30).contains(&bias)), "{biases:?}");
        assert!(of(won[0]).is_some_and(|bias| (31..=40).contains(&bias)), "{biases:?}");
        assert_eq!(biases.len(), 2);
        assert!(memory.recall(&start, &[]).is_none(), "games alone give no score");
    }
}
