//! From a record to a game in progress.

use super::error::SgfError;
use super::game::{Action, GameTree, Step, StopAt};
use crate::go::color::Color;
use crate::go::coord::Coord;
use crate::go::game::Game;
use crate::go::handicap;
use crate::go::rules::Rules;

impl GameTree<'_> {
    /// Plays the main line before `stop`, under `rules`, with the komi of the
    /// record or else `default_komi`. The stones of a handicap game become
    /// its handicap; where HA names some but none are set up and White moves
    /// first, they go to the customary points.
    ///
    /// # Errors
    /// A point off the board, or a move that `rules` forbid.
    pub fn replay(&self, stop: StopAt, rules: Rules, default_komi: f64) -> Result<Game, SgfError> {
        let mut game = Game::new(self.size(), rules, self.komi().unwrap_or(default_komi));
        let steps = self.main_line_until(stop).collect::<Result<Vec<Step>, _>>()?;
        for step in self.without_handicap(&steps, &mut game) {
            match &step.action {
                Action::SetUp { black, white, empty } => set_up(&mut game, black, white, empty),
                Action::ToMove(color) => game.set_to_move(*color),
                Action::Play(color, mv) => {
                    game.play(*color, *mv).map_err(|_| self.illegal(step))?;
                }
            }
        }
        Ok(game)
    }

    /// Places the handicap stones, and gives the steps that remain.
    fn without_handicap<'s>(&self, steps: &'s [Step], game: &mut Game) -> &'s [Step] {
        let count = self.handicap();
        if let Some((Step { action: Action::SetUp { black, white, empty }, .. }, rest)) = steps.split_first()
        {
            let mut stones = black.clone();
            stones.sort();
            stones.dedup();
            let is_handicap = count > 0 && count == black.len() && white.is_empty() && empty.is_empty();
            if is_handicap && game.place_handicap(&stones).is_ok() {
                return rest;
            }
        } else if count == 0 && first_player(steps) == Some(Color::White) {
            let stones = handicap::fixed(self.size(), self.declared_handicap());
            // The customary points of an empty board are free.
            let _ = stones.map(|stones| game.place_handicap(&stones));
        }
        steps
    }
}

fn first_player(steps: &[Step]) -> Option<Color> {
    steps.iter().find_map(|step| match step.action {
        Action::Play(color, _) => Some(color),
        _ => None,
    })
}

fn set_up(game: &mut Game, black: &[Coord], white: &[Coord], empty: &[Coord]) {
    let stones =
        |points: &[Coord], color| points.iter().map(move |&point| (point, color)).collect::<Vec<_>>();
    let mut all = stones(black, Some(Color::Black));
    all.extend(stones(white, Some(Color::White)));
    all.extend(stones(empty, None));
    // Reading the record has checked that the points are on the board.
    let _ = game.set_up(all);
}
