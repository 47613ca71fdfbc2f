//! From a record to a game in progress.

use super::error::SgfError;
use super::game::{Action, GameTree, StopAt};
use crate::go::color::Color;
use crate::go::coord::Coord;
use crate::go::game::Game;
use crate::go::rules::Rules;

impl GameTree<'_> {
    /// Plays the main line before `stop`, under `rules`, with the komi of the
    /// record or else `default_komi`. Stones that stand before the first move
    /// are the handicap, if they are all black and the record is one of a
    /// handicap game.
    ///
    /// # Errors
    /// A point off the board, or a move that `rules` forbid.
    pub fn replay(&self, stop: StopAt, rules: Rules, default_komi: f64) -> Result<Game, SgfError> {
        let mut game = Game::new(self.size(), rules, self.komi().unwrap_or(default_komi));
        let is_handicap = self.handicap() > 0;
        for step in self.main_line_until(stop) {
            let step = step?;
            match &step.action {
                Action::SetUp { black, white, empty } => {
                    let as_handicap = is_handicap && white.is_empty() && empty.is_empty();
                    if !(as_handicap && game.place_handicap(black).is_ok()) {
                        set_up(&mut game, black, white, empty);
                    }
                }
                Action::ToMove(color) => game.set_to_move(*color),
                Action::Play(color, mv) => {
                    if game.play(*color, *mv).is_err() {
                        return Err(self.illegal(&step));
                    }
                }
            }
        }
        Ok(game)
    }
}

/// The points are on the board, as reading them has checked.
fn set_up(game: &mut Game, black: &[Coord], white: &[Coord], empty: &[Coord]) {
    let stones =
        |points: &[Coord], color| points.iter().map(move |&point| (point, color)).collect::<Vec<_>>();
    let mut all = stones(black, Some(Color::Black));
    all.extend(stones(white, Some(Color::White)));
    all.extend(stones(empty, None));
    let _ = game.set_up(all);
}
