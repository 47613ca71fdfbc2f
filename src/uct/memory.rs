//! What the Go engine remembers of earlier games.
//!
//! Before a search, the positions near the root that are known become priors
//! with a capped weight, so that a wrong memory is overcome by simulations.
//! After it, the root and the main line are learnt. A position is kept under
//! the smallest of its mirror images' keys, so that one corner teaches all.

use std::collections::HashMap;
use std::sync::Arc;

use super::node::Prior;
use super::prior::PriorSource;
use super::report::Report;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Game;
use crate::go::geometry::{Geometry, Point};
use crate::go::symmetry::SymmetricKeys;
use crate::go::zobrist::{fingerprint, side_key};
use crate::shared::hash::Key;
use crate::shared::learn::{Bound, Memory, Record, Schema, Store};

/// A root with fewer visits is not learnt.
const ENOUGH_VISITS: u64 = 200;
/// Plies from the root within which known positions are looked up.
const REACH: usize = 4;
/// Positions whose moves are looked up for one search at most.
const MOST_POSITIONS: usize = 48;
/// Moves of the main line that are learnt.
const LINE: usize = 6;
/// A win rate of 1 as a record keeps it.
const UNIT: f64 = 10_000.0;
/// The weight of a game's result a move before the end, and how it fades with
/// each move further back.
const FADING: f32 = 0.98;
/// Simulations that a game through a position counts for in a prior.
const GAME_WEIGHT: f32 = 8.0;
/// The most simulations that a memory counts for.
const MOST_WEIGHT: f32 = 60.0;

/// What is expected of moves in positions near the root, for their player.
pub type Hints = HashMap<(Key, Coord), Prior>;

/// The knowledge of earlier games that an engine was given.
pub struct GoMemory {
    store: Store,
    open: Option<Memory>,
    learnt_events: usize,
}

/// The terms that Go records depend on.
#[must_use]
pub fn schema(game: &Game) -> Schema {
    let terms = format!("{} {:?} komi={}", game.size(), game.rules(), game.total_komi());
    Schema::new("go", &terms, fingerprint())
}

impl GoMemory {
    /// What `store` holds; it is opened when it is first needed.
    #[must_use]
    pub fn new(store: Store) -> Self {
        GoMemory { store, open: None, learnt_events: 0 }
    }

    /// The records for games like `game`.
    fn memory(&mut self, game: &Game) -> &Memory {
        let wanted = schema(game);
        if self.open.as_ref().is_some_and(|memory| *memory.schema() != wanted) {
            self.open = None;
        }
        self.open.get_or_insert_with(|| Memory::open(self.store.clone(), wanted))
    }

    /// What is known of the moves of `color` and of those after them.
    pub fn hints(&mut self, game: &Game, color: Color) -> Hints {
        let memory = self.memory(game);
        let mut hints = Hints::new();
        let mut queue = vec![(game.board().clone(), color, 0)];
        let mut next = 0;
        while let Some((board, color, ply)) = queue.get(next).cloned() {
            next += 1;
            for (coord, after, record) in known_moves(memory, &board, color) {
                hints.insert((board.key() ^ side_key(color), coord), prior(&record));
                if ply + 1 < REACH && queue.len() < MOST_POSITIONS {
                    queue.push((after, color.opponent(), ply + 1));
                }
            }
        }
        hints
    }

    /// Learns what a search of `game` found.
    pub fn learn_search(&mut self, game: &Game, report: &Report) {
        if report.root_visits < ENOUGH_VISITS || report.moves.is_empty() {
            return;
        }
        let mut batch = Vec::new();
        let mut board = game.board().clone();
        let mut color = report.to_move;
        let mut win_rate = report.win_rate;
        let mut visits = report.root_visits;
        let best = &report.moves[0];
        for (ply, &mv) in best.pv.iter().take(LINE).enumerate() {
            if let Some((key, number)) = keyed(&board, color, mv) {
                let score = (win_rate * UNIT) as i16;
                batch.push((key, Record::of_search(number, score, visits as u32, Bound::Exact)));
            }
            let Move::Play(coord) = mv else { break };
            let point = board.point(coord);
            if !board.is_legal(point, color, true) {
                break;
            }
            board.play(point, color);
            color = color.opponent();
            win_rate = if ply == 0 { 1.0 - best.win_rate } else { 1.0 - win_rate };
            // Visits of later positions are not reported: about half go on.
            visits = if ply == 0 { best.visits } else { visits / 2 };
            if visits < ENOUGH_VISITS {
                break;
            }
        }
        self.memory(game).store(batch);
    }

    /// Learns the result of a finished game, once: `winner`'s moves were good,
    /// the less surely the longer before the end.
    pub fn learn_result(&mut self, game: &Game, winner: Color) {
        let moves: Vec<_> = game.moves().collect();
        if moves.len() == self.learnt_events || moves.len() != game.events().len() {
            return;
        }
        self.learnt_events = moves.len();
        let mut board = game.start().clone();
        let mut batch = Vec::new();
        for (index, &(color, mv)) in moves.iter().enumerate() {
            if let Some((key, number)) = keyed(&board, color, mv) {
                let weight = FADING.powi((moves.len() - 1 - index) as i32);
                batch.push((key, Record::of_game(number, f32::from(u8::from(color == winner)), weight)));
            }
            match mv {
                Move::Play(coord) => board.play(board.point(coord), color),
                Move::Pass => board.pass(color),
            }
        }
        self.memory(game).store(batch);
    }
}

/// The key of a position and the number of `mv` in it, both of the mirror
/// image that it is kept as; `None` where a ko makes the stones not tell all.
fn keyed<G: Geometry>(board: &Board<G>, color: Color, mv: Move) -> Option<(Key, u16)> {
    let (key, symmetry) = keys(board, color)?.smallest();
    let size = board.size();
    let number = match mv {
        // The image of a rectangle is the same rectangle: sizes agree.
        Move::Play(coord) => size.index(symmetry.apply(size, coord)) as u16,
        Move::Pass => size.points() as u16,
    };
    Some((key, number))
}

fn keys<G: Geometry>(board: &Board<G>, color: Color) -> Option<SymmetricKeys> {
    board.ko_point().is_none().then(|| SymmetricKeys::new(board.size(), stones(board), color))
}

fn stones<G: Geometry>(board: &Board<G>) -> impl Iterator<Item = (Coord, Color)> + '_ {
    let size: Size = board.size();
    size.coords().filter_map(|coord| board.color_at(board.point(coord)).map(|color| (coord, color)))
}

/// Moves that lead to known positions, with the position and what is known.
fn known_moves<G: Geometry>(
    memory: &Memory,
    board: &Board<G>,
    color: Color,
) -> Vec<(Coord, Board<G>, Record)> {
    let Some(here) = keys(board, color) else { return Vec::new() };
    let mut found = Vec::new();
    for coord in board.size().coords() {
        let point = board.point(coord);
        if !board.is_legal(point, color, false) {
            continue;
        }
        let mut there = here;
        there.toggle_stone(coord, color);
        there.toggle_turn();
        // A capture changes more: its key is not found, or found by its own.
        if let Some(record) = memory.probe(there.smallest().0) {
            let mut after = board.clone();
            after.play(point, color);
            found.push((coord, after, record));
        }
    }
    found
}

/// What a record of the position after a move says of the move.
fn prior(record: &Record) -> Prior {
    let visits = (record.effort as f32).sqrt();
    let games = record.games() * GAME_WEIGHT;
    let search_value = 1.0 - f32::from(record.score) / UNIT as f32;
    let won = record.losses * GAME_WEIGHT;
    let weight = visits + games;
    let value = if weight > 0.0 { (search_value * visits + won) / weight } else { 0.5 };
    Prior { value, weight: weight.min(MOST_WEIGHT) }
}

/// Priors from hints where there are any, and from another source.
pub struct Reminded<G: Geometry> {
    hints: Arc<Hints>,
    otherwise: Box<dyn PriorSource<G>>,
}

impl<G: Geometry> Reminded<G> {
    /// Adds `hints` to what `otherwise` thinks.
    #[must_use]
    pub fn new(hints: Arc<Hints>, otherwise: Box<dyn PriorSource<G>>) -> Self {
        Reminded { hints, otherwise }
    }
}

impl<G: Geometry> PriorSource<G> for Reminded<G> {
    fn rate(&mut self, board: &Board<G>, color: Color, point: Point) -> Prior {
        let general = self.otherwise.rate(board, color, point);
        let key = (board.key() ^ side_key(color), board.coord(point));
        let Some(hint) = self.hints.get(&key) else { return general };
        let weight = general.weight + hint.weight;
        let value =
            (general.value * general.weight + hint.value * hint.weight) / weight.max(f32::MIN_POSITIVE);
        Prior { value, weight }
    }
}
