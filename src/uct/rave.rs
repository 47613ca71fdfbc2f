//! All moves as first (AMAF): what a simulation says about moves that were
//! played later in it (Gelly and Silver 2011, "Monte-Carlo tree search and
//! rapid action value estimation in computer Go").

use super::child::{AMAF_ONE, AmafResult, Child};
use crate::go::color::Color;

/// Points of the largest geometry, padding included.
const MAX_AREA: usize = 1024;
/// Nobody has played there: later than any horizon.
const NEVER: u16 = u16::MAX;

/// Who was first to play on each point in the rest of a simulation, and when.
///
/// Filled backwards, from the simulation's last move to its first: whoever
/// writes last was the first to play.
pub struct FirstPlays {
    /// For each player the time of the first play, if it was theirs.
    seen: Box<[[u16; MAX_AREA]; 2]>,
    area: usize,
}

impl FirstPlays {
    /// For points numbered below `area`.
    #[must_use]
    pub fn new(area: usize) -> Self {
        FirstPlays { seen: Box::new([[NEVER; MAX_AREA]; 2]), area: area.min(MAX_AREA) }
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.seen.iter_mut().for_each(|times| times[..self.area].fill(NEVER));
    }

    /// `color` played on point `index` at `time`, before all that was recorded
    /// so far.
    #[inline(always)]
    pub fn record(&mut self, index: usize, color: Color, time: usize) {
        let index = index & (MAX_AREA - 1);
        self.seen[color.index()][index] = time as u16;
        self.seen[color.opponent().index()][index] = NEVER;
    }

    /// Adds the result to every child whose move `color` was first to make
    /// from `now` on. A sample counts less the later its move came: its weight
    /// falls in a straight line to zero at `horizon` moves from now.
    ///
    /// `result` is for `color`, 0 to 1.
    #[inline]
    pub fn update(&self, children: &[Child], color: Color, result: f32, now: usize, horizon: usize) {
        let horizon = (horizon as u32).clamp(1, u32::from(NEVER) - 1);
        let slope = (AMAF_ONE << 16) / horizon;
        let end = (now as u32 + horizon).min(u32::from(NEVER));
        let result = AmafResult::new(result);
        let times = &self.seen[color.index()];
        for child in children {
            let time = u32::from(times[usize::from(child.mv()) & (MAX_AREA - 1)]);
            let weight = (end.saturating_sub(time) * slope) >> 16;
            child.add_amaf(result.weighing(weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::child::Prior;

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
