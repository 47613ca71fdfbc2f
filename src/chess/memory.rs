//! What the chess engine learns from its searches and games, and how it uses it.
//!
//! After a search the positions of the main line are kept with score, depth,
//! bound and move; before one, what is known around the root goes into the
//! transposition table, where the table's own rule applies: a record of enough
//! depth cuts, a shallower one orders the moves. The root's own record answers
//! every iteration that is less deep than itself. The results of finished games
//! go back along their moves ([`lesson`]) and shift the choice at the root: what
//! has won is played again, unless the search finds it much worse than another
//! move, and what has lost gives way to a move that is about as good.

use std::sync::Arc;

use crate::shared::hash::Key;
use crate::shared::learn::{self, Memory, Record, Schema, Store};

use super::lesson;
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
/// Moves of a line that is recalled, at most.
const LINE: usize = 40;
/// What a root move gains that has won every game, in hundredths of a pawn:
/// more than searches of the same position differ by.
const WON: f32 = 400.0;
/// What one gives up that has lost every game.
const LOST: f32 = 40.0;

/// So far above or below our usual result, a move's result counts in full.
const MUCH: f32 = 0.15;
/// Games, half of them won, that are added to our own for the usual result.
const UNSURE: f32 = 4.0;
/// No position's key: where our own games are counted.
const OWN_GAMES: Key = 0x6f77_6e20_6761_6d65;

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
            // What the table knows from this very game is at least as good.
            let has = table.probe(here.key()).map(|has| has.depth);
            let record = self.known(&here).and_then(entry);
            if let Some(known) = record.filter(|known| has.is_none_or(|depth| depth < known.depth)) {
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
            if line.len() >= record.effort.max(1) as usize || line.len() >= LINE {
                break;
            }
        }
        let first = position.after(*line.first()?);
        let repeats = history.contains(&first.key()) || position.halfmoves() >= 80;
        (!repeats).then(|| Recall { score: record.score.into(), depth: record.effort.min(120), moves: line })
    }

    /// What earlier games add to the moves of `position`, in hundredths of a
    /// pawn for the side to move. A move that did better than we usually do is
    /// one to play again, if only a draw.
    #[must_use]
    pub fn biases(&self, position: &Position) -> Vec<(Move, i32)> {
        let usual = self.usual_result();
        let bias = |&mv: &Move| {
            let record = self.0.probe(position.after(mv).key()).filter(|record| record.games() > 0.0)?;
            let share = ((record.losses / record.games() - usual) / MUCH).clamp(-1.0, 1.0);
            let most = if share > 0.0 { WON } else { LOST };
            Some((mv, (most * share * record.games().min(1.0)) as i32)).filter(|&(_, bias)| bias != 0)
        };
        position.legal_moves().iter().filter_map(bias).collect()
    }

    /// The mean of our own results, from 0 to 1.
    fn usual_result(&self) -> f32 {
        let own = self.0.probe(OWN_GAMES).unwrap_or(Record::EMPTY);
        (own.wins + UNSURE / 2.0) / (own.games() + UNSURE)
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

    /// Learns a game from `start`: `white` is White's result, from 0 to 1, and
    /// `trace` what was thought on the way.
    pub fn learn_result(&self, start: &Position, moves: &[Move], white: f32, trace: &[(usize, i32)]) {
        let mut batch = lesson::of_game(start, moves, white, trace);
        if let Some(ours) = lesson::our_side(start.side(), trace) {
            let result = if ours == Color::White { white } else { 1.0 - white };
            batch.push((OWN_GAMES, Record::of_game(Record::NO_MOVE, result, 1.0)));
        }
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
        let shift =
            |mv| memory.biases(&start).iter().find(|&&(known, _)| known == mv).map_or(0, |known| known.1);
        for _ in 0..50 {
            memory.learn_result(&start, &lost, 0.0, &[]);
            memory.learn_result(&start, &won, 1.0, &[]);
        }
        assert_eq!([lost[0], won[0]].map(shift), [-40, 400]);
        assert_eq!(memory.biases(&start).len(), 2);
        // A draw is worth as much as the games that we lose otherwise.
        let drawn = line(&start, "d2d4 d7d5");
        memory.learn_result(&start, &drawn, 0.5, &[(0, 0)]);
        assert_eq!(shift(drawn[0]), 0);
        for _ in 0..20 {
            memory.learn_result(&start, &lost, 0.0, &[(0, 0), (2, 0), (4, -900)]);
        }
        assert!(shift(drawn[0]) > 200, "{}", shift(drawn[0]));
        assert!(memory.recall(&start, &[]).is_none(), "games alone give no score");
    }
}
