//! What the Go engine remembers of earlier games.
//!
//! Before a search, the known positions near the root become priors with a
//! capped weight ([`hints`]), so that a wrong memory is overcome by
//! simulations; on larger boards, the moves of an opening that was played often
//! are the only ones to be searched. After it, the root, its moves and the main
//! line are learnt; after a game, its result, back along the moves ([`lesson`]).
//! A position is kept under the smallest of its mirror images' keys ([`place`]),
//! so that one corner teaches all.

mod book;
pub mod hints;
pub mod lesson;
pub mod place;
pub(super) mod remind;
#[cfg(test)]
mod tests;

use super::params::SearchParams;
use super::report::Report;
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::game::Game;
use crate::shared::learn::{Memory, Store};
pub use hints::{Hints, Weights};

/// The knowledge of earlier games that an engine was given.
pub struct GoMemory {
    store: Store,
    open: Option<Memory>,
    /// Whether the present game's result is learnt.
    is_judged: bool,
}

impl GoMemory {
    /// What `store` holds; it is opened when it is first needed.
    #[must_use]
    pub fn new(store: Store) -> Self {
        GoMemory { store, open: None, is_judged: false }
    }

    /// The records for games like `game`.
    fn memory(&mut self, game: &Game) -> &Memory {
        let wanted = place::schema(game);
        if self.open.as_ref().is_some_and(|memory| *memory.schema() != wanted) {
            self.open = None;
        }
        self.open.get_or_insert_with(|| Memory::open(self.store.clone(), wanted))
    }

    /// What is known of the moves of `color` and of those after them.
    pub fn hints(&mut self, game: &Game, color: Color, params: &SearchParams) -> Hints {
        let memory = self.memory(game);
        if memory.is_empty() {
            return Hints::new();
        }
        hints::find(&|key| memory.probe(key), game.board(), color, Weights::new(params, game.size()))
    }

    /// The moves of `color` that are worth a search in an opening that is known;
    /// none where it is not.
    pub fn book(&mut self, game: &Game, color: Color) -> Vec<Move> {
        let memory = self.memory(game);
        if memory.is_empty() {
            return Vec::new();
        }
        book::moves(&|key| memory.probe(key), game.board(), color)
    }

    /// Learns what a search of `game` found.
    pub fn learn_search(&mut self, game: &Game, report: &Report) {
        let memory = self.memory(game);
        memory.store(lesson::of_search(&|key| memory.probe(key), game.board(), report));
    }

    /// Whether the result of the present game has been learnt.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.is_judged
    }

    /// Learns the result of the present game, once: Black's share of the win,
    /// from 0 to 1.
    pub fn learn_result(&mut self, game: &Game, black: f32) {
        if self.is_judged || game.events().is_empty() {
            return;
        }
        self.is_judged = true;
        self.memory(game).store(lesson::of_game(game, black, &lesson::Share::fading(game.size())));
    }

    /// Another game begins. What other programs have written meanwhile is read.
    pub fn begin_game(&mut self) {
        self.is_judged = false;
        if let Some(memory) = &self.open {
            memory.refresh();
        }
    }
}
