//! When the engine learns how a game ended, and from what.

use std::time::Duration;

use super::{Decision, Engine, Manner};
use crate::go::color::Color;
use crate::shared::control::StopFlag;
use crate::uct::status::Effort;

/// How far from even a win rate leaves no doubt about a result.
const CLEAR_MARGIN: f64 = 0.35;
/// Moves after the last search for which its win rate still tells the result.
const FRESH: usize = 4;
/// Time to find out which stones live where both have passed.
const COUNTING: Duration = Duration::from_secs(1);

/// What a score says of the winner: Black's share of the win.
fn share(score: f64) -> f32 {
    if score > 0.0 {
        1.0
    } else if score < 0.0 {
        0.0
    } else {
        0.5
    }
}

impl Engine {
    /// The game is over: nothing more to think about. `score` is Black's minus
    /// White's where a server tells it, or anything of the winner's sign.
    pub fn end_game(&mut self, score: Option<f64>) {
        match (score, &mut self.memory) {
            (Some(score), Some(memory)) => memory.learn_result(&self.game, share(score)),
            _ => self.learn_result(),
        }
        self.may_ponder = false;
    }

    /// Learns from the score that was counted, if both players have passed.
    pub fn agree(&mut self, score: f64) {
        if self.game.passes_in_a_row() >= 2
            && let Some(memory) = &mut self.memory
        {
            memory.learn_result(&self.game, share(score));
        }
    }

    /// Learns from a decision that ends the game.
    pub(super) fn learn_decision(&mut self, color: Color, decision: Decision, manner: Manner) {
        if decision == Decision::Resign
            && manner != Manner::Suggest
            && let Some(memory) = &mut self.memory
        {
            memory.learn_result(&self.game, share(-f64::from(color.sign())));
        }
    }

    /// Learns from a game that we had a part in and that nobody has told the
    /// result of: by counting if both have passed, or if our last search left
    /// no doubt.
    pub(super) fn learn_result(&mut self) {
        let (Some(memory), Some(last)) = (&mut self.memory, &self.last) else { return };
        if memory.is_judged() {
            return;
        }
        if self.game.passes_in_a_row() >= 2 {
            let settings = &self.settings.search;
            let effort = Effort::Within(Some(COUNTING));
            let status = self.judge.status(&self.game, settings, &StopFlag::new(), effort);
            memory.learn_result(&self.game, share(status.score(&self.game)));
            return;
        }
        let black = last.report.win_rate_of(Color::Black);
        if last.events + FRESH >= self.game.events().len() && (black - 0.5).abs() > CLEAR_MARGIN {
            memory.learn_result(&self.game, share(black - 0.5));
        }
    }
}
