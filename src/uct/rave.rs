//! All moves as first (AMAF): what a simulation says about moves that were
//! played later in it (Gelly and Silver 2011, "Monte-Carlo tree search and
//! rapid action value estimation in computer Go").

use super::node::{AMAF_ONE, Child, weighted_amaf};
use crate::go::color::Color;

/// Points of the largest geometry, padding included.
const MAX_AREA: usize = 1024;
/// Nobody has played there.
const NEVER: u16 = u16::MAX;

/// Who was first to play on each point in the rest of a simulation, and when.
///
/// Filled backwards, from the simulation's last move to its first: whoever
/// writes last was the first to play.
pub struct FirstPlays {
    /// Twice the time of the first play, plus the player; or [`NEVER`].
    seen: Box<[u16; MAX_AREA]>,
    area: usize,
}

impl FirstPlays {
    /// For points numbered below `area`.
    #[must_use]
    pub fn new(area: usize) -> Self {
        FirstPlays { seen: Box::new([NEVER; MAX_AREA]), area: area.min(MAX_AREA) }
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.seen[..self.area].fill(NEVER);
    }

    /// `color` played on point `index` at `time`, before all that was recorded
    /// so far.
    #[inline(always)]
    pub fn record(&mut self, index: usize, color: Color, time: usize) {
        self.seen[index & (MAX_AREA - 1)] = (time as u16) << 1 | color.index() as u16;
    }

    /// Adds the result to every child whose move `color` was first to make
    /// from `now` on. A sample counts less the later its move came: its weight
    /// falls in a straight line to zero at `horizon` moves from now.
    ///
    /// `result` is for `color`, 0 to 1.
    #[inline]
    pub fn update(&self, children: &[Child], color: Color, result: f32, now: usize, horizon: usize) {
        let horizon = horizon.max(1) as u32;
        let slope = (AMAF_ONE << 16) / horizon;
        for child in children {
            let seen = self.seen[usize::from(child.mv()) & (MAX_AREA - 1)];
            if seen == NEVER || usize::from(seen & 1) != color.index() {
                continue;
            }
            let delay = u32::from(seen >> 1).saturating_sub(now as u32);
            let weight = (horizon.saturating_sub(delay) * slope) >> 16;
            if weight > 0 {
                child.add_amaf(weight, weighted_amaf(weight, result));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::node::Prior;

    fn children() -> Vec<Child> {
        let children: Vec<Child> = (0..4).map(|_| Child::default()).collect();
        for (mv, child) in (10..).zip(&children) {
            child.init(mv, Prior { value: 0.5, weight: 0.0 }, 0.0);
        }
        children
    }

    #[test]
    fn only_the_first_player_on_a_point_counts() {
        let mut first = FirstPlays::new(100);
        first.clear();
        // In order of time: White 10, Black 11, Black 10.
        first.record(10, Color::Black, 2);
        first.record(11, Color::Black, 1);
        first.record(10, Color::White, 0);
        let children = children();
        first.update(&children, Color::Black, 1.0, 0, 1000);
        let weights: Vec<f32> = children.iter().map(|child| child.sample().amaf_weight).collect();
        assert_eq!(weights[0], 0.0);
        assert!(weights[1] > 0.9);
        first.update(&children, Color::White, 0.0, 0, 1000);
        assert!(children[0].sample().amaf_weight > 0.9);
        assert_eq!(children[0].sample().amaf_sum, 0.0);
    }

    #[test]
    fn later_moves_count_less() {
        let mut first = FirstPlays::new(100);
        first.clear();
        first.record(11, Color::Black, 90);
        first.record(10, Color::Black, 10);
        let children = children();
        first.update(&children, Color::Black, 1.0, 0, 100);
        let weight = |index: usize| children[index].sample().amaf_weight;
        assert!(weight(0) > 0.8 && weight(1) < 0.2 && weight(1) > 0.0 && weight(2) == 0.0);
    }
}
