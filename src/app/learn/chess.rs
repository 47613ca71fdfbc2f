//! Chess records: made from games, and found again.

use std::collections::HashMap;

use super::import::Lesson;
use super::show::Row;
use crate::chess::memory::schema;
use crate::chess::position::Position;
use crate::chess::score::mate_moves;
use crate::chess::types::{Color, Move};
use crate::formats::pgn;
use crate::shared::hash::Key;
use crate::shared::learn::{Record, Store};

/// The position after `moves`, in SAN or UCI notation, from `fen` or the start.
pub(super) fn position(fen: Option<&str>, moves: &str) -> anyhow::Result<Position> {
    let mut position = match fen {
        Some(fen) => Position::parse_fen(fen)?,
        None => Position::default(),
    };
    for word in moves.split([' ', ',']).filter(|word| !word.is_empty()) {
        let mv = position.parse_uci(word).or_else(|| position.parse_san(word));
        position.play_unchecked(mv.ok_or_else(|| anyhow::anyhow!("{word:?} is not a legal move"))?);
    }
    Ok(position)
}

/// What a game teaches in its first `plies` positions.
pub(super) fn lesson(game: &pgn::Game, plies: usize) -> Lesson {
    let white = match game.result.as_str() {
        "1-0" => 1.0,
        "0-1" => 0.0,
        _ => 0.5,
    };
    let mut position = position(game.tag("FEN"), "").map_err(|error| error.to_string())?;
    let mut positions = vec![(position.key(), position.side(), Record::NO_MOVE)];
    for san in game.main_line().take(plies) {
        let mv = position.parse_san(san).ok_or_else(|| format!("{san:?} is not a legal move"))?;
        if let Some(last) = positions.last_mut() {
            last.2 = mv.to_bits();
        }
        position.play_unchecked(mv);
        positions.push((position.key(), position.side(), Record::NO_MOVE));
    }
    if positions.len() < 2 {
        return Err("the game has no moves".into());
    }
    let record = |&(key, side, best): &(Key, Color, u16)| {
        let share = if side == Color::White { white } else { 1.0 - white };
        (key, Record::of_game(best, share, 1.0))
    };
    Ok((schema(), positions.iter().map(record).collect()))
}

/// The records of chess.
pub(super) struct Shelf(HashMap<Key, Record>);

impl Shelf {
    /// What `store` knows.
    pub(super) fn open(store: &Store) -> anyhow::Result<Shelf> {
        Ok(Shelf(store.load(&schema())?.into_iter().collect()))
    }

    /// The record of a position.
    pub(super) fn record(&self, position: &Position) -> Option<Record> {
        self.0.get(&position.key()).copied()
    }

    /// The known moves, those with the most games first, then the deepest.
    pub(super) fn moves(&self, position: &Position) -> Vec<(Move, Record)> {
        let known = |&mv: &Move| Some((mv, self.record(&position.after(mv))?));
        let mut moves: Vec<(Move, Record)> = position.legal_moves().iter().filter_map(known).collect();
        moves.sort_by(|(_, a), (_, b)| b.games().total_cmp(&a.games()).then(b.effort.cmp(&a.effort)));
        moves
    }

    /// The same as rows of a table.
    pub(super) fn rows(&self, position: &Position) -> Vec<Row> {
        let row = |(mv, record): &(Move, Record)| {
            let after = position.after(*mv);
            let reply = Move::from_bits(record.best);
            let is_legal = record.best != Record::NO_MOVE && after.legal_moves().contains(&reply);
            Row {
                name: position.san(*mv),
                games: record.games(),
                won: record.losses,
                effort: record.effort,
                score: searched_by_mover(record),
                reply: if is_legal { after.san(reply) } else { String::new() },
            }
        };
        self.moves(position).iter().map(row).collect()
    }
}

/// A searched score of the record of a position, for the side to move.
pub(super) fn searched(record: &Record) -> String {
    pawns(record.score.into(), record.effort)
}

/// The same for the side that moved there.
pub(super) fn searched_by_mover(record: &Record) -> String {
    pawns(-i32::from(record.score), record.effort)
}

fn pawns(score: i32, effort: u32) -> String {
    match mate_moves(score) {
        _ if effort == 0 => String::new(),
        Some(moves) => format!("mate {moves}"),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}
