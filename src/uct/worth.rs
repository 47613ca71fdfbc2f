//! What a result is worth to the search: the win, and a little of the score.
//!
//! Who is far behind loses whatever he plays, and playouts no longer tell his
//! moves apart. Then the score gets a larger share, counted from what is
//! expected: he plays for points and waits for mistakes, as White has to in a
//! handicap game. The end is that of dynamic komi (P. Baudiš, "Balancing MCTS by
//! dynamically adjusting the komi value", ICGA Journal 34, 2011), but wins
//! and scores in the tree keep their meaning.

use super::params::SearchParams;
use crate::go::color::Color;

/// How wins and scores make one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    /// Of the score; the rest is for the win.
    share: f32,
    /// Points from `center` that are worth half of what the score can be.
    scale: f32,
    /// Black's score, komi counted, that is worth as much to both.
    center: f32,
}

impl Worth {
    /// For boards with a longer side of `side`.
    pub fn new(params: &SearchParams, side: f32) -> Self {
        Worth { share: params.score_share as f32, scale: params.score_scale as f32 * side, center: 0.0 }
    }

    /// The same when `color` is to move with an expected score of `score`
    /// for Black.
    pub fn expecting(self, params: &SearchParams, side: f32, color: Color, score: f32) -> Self {
        let own = score * color.sign() as f32;
        if own >= -params.behind_from as f32 * side {
            return self;
        }
        Worth { share: self.share.max(params.behind_share as f32), center: score, ..self }
    }

    /// The value, 0 to 1, of a win rate and a score of `color`.
    #[inline(always)]
    pub fn of(&self, color: Color, win: f32, score: f32) -> f32 {
        let score = score - self.center * color.sign() as f32;
        let points = 0.5 + 0.5 * score / (score.abs() + self.scale);
        win + self.share * (points - win)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_s_value_is_high_and_rises_with_the_score() {
        let worth = Worth::new(&SearchParams::default(), 9.0);
        for color in Color::BOTH {
            assert!((worth.of(color, 0.5, 0.0) - 0.5).abs() < 1e-6);
            assert!(worth.of(color, 1.0, 0.5) > worth.of(color, 0.0, 40.0));
            assert!(worth.of(color, 1.0, 5.0) > worth.of(color, 1.0, 0.5));
        }
    }

    #[test]
    fn who_is_far_behind_sees_points() {
        let params = SearchParams::default();
        let even = Worth::new(&params, 19.0);
        assert_eq!(even.expecting(&params, 19.0, Color::White, 20.0), even);
        assert_eq!(even.expecting(&params, 19.0, Color::Black, 60.0), even, "the other is behind");
        let behind = even.expecting(&params, 19.0, Color::White, 60.0);
        let gain = |worth: &Worth| worth.of(Color::White, 0.02, -50.0) - worth.of(Color::White, 0.02, -60.0);
        assert!(gain(&behind) > 0.03 && gain(&even) < 0.002, "{} {}", gain(&behind), gain(&even));
        // Both see the same game.
        let (black, white) = (behind.of(Color::Black, 0.7, 42.0), behind.of(Color::White, 0.3, -42.0));
        assert!((black + white - 1.0).abs() < 1e-6);
    }
}
