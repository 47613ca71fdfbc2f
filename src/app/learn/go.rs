//! Go records: made from games, and found again.

use std::collections::{HashMap, HashSet};

use super::GoTerms;
use super::import::Lesson;
use super::show::Row;
use crate::formats::game_line::GameLine;
use crate::formats::sgf::{GameResult, GameTree, StopAt};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::game::Game;
use crate::go::geometry::G25;
use crate::shared::hash::Key;
use crate::shared::learn::{Record, Schema, Store};
use crate::uct::memory::lesson::{Share, UNIT, of_game};
use crate::uct::memory::place::{KnownMove, Place, known_moves, schema};

/// The schema under which games like `game` are kept.
pub(super) fn schema_of(game: &Game) -> Schema {
    schema(game)
}

/// What a game teaches in its first `plies` positions.
pub(super) fn lesson(game: &Game, result: GameResult, plies: usize) -> Lesson {
    let black = match result {
        GameResult::Win(Color::Black, _) => 1.0,
        GameResult::Win(Color::White, _) => 0.0,
        // What is played is known even where the winner is not.
        GameResult::Draw | GameResult::Unknown => 0.5,
        GameResult::Void => return Err("the game is void".into()),
    };
    if game.moves().next().is_none() {
        return Err("the game has no moves".into());
    }
    let batch = of_game(game, black, &Share::opening(plies));
    if batch.is_empty() { Err("stones are set up during the game".into()) } else { Ok((schema(game), batch)) }
}

/// The same for a game of a collection, under its own rules if it names some
/// that we know.
pub(super) fn lesson_of_tree(tree: &GameTree<'_>, terms: &GoTerms, plies: usize) -> Lesson {
    let rules = tree.rules().unwrap_or(terms.rules);
    let game = tree.replay(StopAt::End, rules, terms.komi).map_err(|error| error.to_string())?;
    lesson(&game, tree.result(), plies)
}

/// The same for a game that has a line.
pub(super) fn lesson_of_line(line: &str, terms: &GoTerms, plies: usize) -> Lesson {
    let line = GameLine::parse(line).map_err(|error| error.to_string())?;
    let mut game = Game::new(line.size, terms.rules, line.komi.unwrap_or(terms.komi));
    if !line.handicap.is_empty() {
        game.place_handicap(&line.handicap).map_err(|error| error.to_string())?;
    }
    for (index, &(color, mv)) in line.moves.iter().enumerate() {
        game.play(color, mv).map_err(|error| format!("move {}: {error}", index + 1))?;
    }
    lesson(&game, line.result, plies)
}

/// The records of one schema.
pub(super) struct Shelf(HashMap<Key, Record>);

impl Shelf {
    /// What `store` knows of games like `game`.
    pub(super) fn open(store: &Store, game: &Game) -> anyhow::Result<Shelf> {
        Ok(Shelf(store.load(&schema(game))?.into_iter().collect()))
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The record of the position on `board`.
    pub(super) fn record(&self, board: &Board<G25>, to_move: Color) -> Option<(Place, Record)> {
        let place = Place::of(board, to_move)?;
        Some((place, *self.0.get(&place.key)?))
    }

    /// The known moves of `to_move`, those with the most games first, then
    /// with the most visits; of mirror images only one.
    pub(super) fn moves(&self, board: &Board<G25>, to_move: Color) -> Vec<KnownMove> {
        let mut moves = known_moves(&|key| self.0.get(&key).copied(), board, to_move);
        // The upper right comes first, where people begin.
        moves.reverse();
        let mut seen = HashSet::new();
        moves.retain(|known| seen.insert(known.place.key));
        moves.sort_by(|a, b| {
            let games = b.record.games().total_cmp(&a.record.games());
            games.then(b.record.effort.cmp(&a.record.effort))
        });
        moves
    }

    /// The same as rows of a table.
    pub(super) fn rows(&self, board: &Board<G25>, to_move: Color) -> Vec<Row> {
        let row = |known: &KnownMove| Row {
            name: known.coord.to_string(),
            games: known.record.games(),
            won: known.record.losses,
            effort: known.record.effort,
            score: searched_by_mover(&known.record),
            reply: known.place.named(known.record.best).map_or_else(String::new, |mv| mv.to_string()),
        };
        self.moves(board, to_move).iter().map(row).collect()
    }
}

/// A searched win rate of the record of a position, for the player to move.
pub(super) fn searched(record: &Record) -> String {
    win_rate(f64::from(record.score) / UNIT, record.effort)
}

/// The same for the player who moved there.
pub(super) fn searched_by_mover(record: &Record) -> String {
    win_rate(1.0 - f64::from(record.score) / UNIT, record.effort)
}

fn win_rate(rate: f64, effort: u32) -> String {
    if effort == 0 { String::new() } else { format!("{:.1}%", 100.0 * rate) }
}
