//! Which move a simulation tries next.

use super::node::{Child, Sample};

/// The numbers of the selection formula.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// One over the number of visits at which AMAF values and real ones weigh
    /// the same once there are many AMAF samples.
    pub inverse_equivalence: f32,
    /// Factor of the upper confidence term.
    pub exploration: f32,
    /// Factor of the network's term (PUCT, Rosin 2011, as Silver and others
    /// 2017 use it): its probability times the root of the node's visits, over
    /// the move's own visits plus one.
    pub policy: f32,
    /// Value of a move of which nothing is known (first-play urgency, Wang and
    /// Gelly 2007).
    pub first_play_urgency: f32,
}

impl Formula {
    /// What a move is worth to selection, exploration apart: its mean and its
    /// prior, mixed with its AMAF mean by the schedule of Gelly and Silver
    /// (2011): the AMAF mean has weight
    /// `m / (n + m + n m / equivalence)` for `m` AMAF samples and `n` visits.
    #[inline(always)]
    pub fn value(&self, s: &Sample) -> f32 {
        let n = s.visits + s.prior_weight;
        let sum = s.visits * s.value + s.prior_weight * s.prior_value;
        let trust = 1.0 + s.amaf_weight * self.inverse_equivalence;
        let weight = n * trust + s.amaf_weight;
        if weight > 0.0 { (sum * trust + s.amaf_sum) / weight } else { self.first_play_urgency }
    }

    /// The index of the best child that `allowed` accepts, for a node with
    /// `visits`.
    #[inline]
    pub fn best(
        &self,
        children: &[Child],
        visits: u32,
        mut allowed: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let log = if self.exploration > 0.0 { (visits.max(1) as f32).ln() } else { 0.0 };
        let policy = self.policy * (visits.max(1) as f32).sqrt();
        let mut best = None;
        let mut most = f32::NEG_INFINITY;
        for (index, child) in children.iter().enumerate() {
            let sample = child.sample();
            let mut value = self.value(&sample);
            if self.exploration > 0.0 {
                value += self.exploration * (log / (sample.visits + 1.0)).sqrt();
            }
            if policy > 0.0 {
                value += policy * sample.policy / (sample.visits + 1.0);
            }
            if value > most && allowed(index) {
                most = value;
                best = Some(index);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::node::{AMAF_ONE, Prior, weighted_amaf};

    const FORMULA: Formula =
        Formula { inverse_equivalence: 1.0 / 1000.0, exploration: 0.0, policy: 0.0, first_play_urgency: 1.1 };

    fn child(visits: u32, value: f32, prior: Prior, amaf: u32, amaf_value: f32) -> Child {
        let child = Child::default();
        child.init(1, prior, 0.0);
        (0..visits).for_each(|_| child.visit());
        child.set_value(value);
        (0..amaf).for_each(|_| child.add_amaf(AMAF_ONE, weighted_amaf(AMAF_ONE, amaf_value)));
        child
    }

    const NO_PRIOR: Prior = Prior { value: 0.0, weight: 0.0 };

    #[test]
    fn unknown_moves_come_first() {
        let children = [child(10, 0.9, NO_PRIOR, 0, 0.0), child(0, 0.0, NO_PRIOR, 0, 0.0)];
        assert_eq!(FORMULA.best(&children, 10, |_| true), Some(1));
        assert_eq!(FORMULA.best(&children, 10, |index| index != 1), Some(0));
        assert_eq!(FORMULA.best(&children, 10, |_| false), None);
    }

    #[test]
    fn likely_moves_get_their_visits() {
        let formula = Formula { policy: 0.5, ..FORMULA };
        let even = Prior { value: 0.5, weight: 1.0 };
        let likely = |visits| {
            let child = child(visits, 0.5, even, 0, 0.0);
            child.advise(0.6, Prior { value: 0.5, weight: 0.0 }, 0.0);
            child
        };
        let best =
            |visits| formula.best(&[child(0, 0.0, even, 0, 0.0), likely(visits)], visits + 1, |_| true);
        assert_eq!(best(3), Some(1));
        let unlikely = child(0, 0.0, Prior { value: 0.7, weight: 1.0 }, 0, 0.0);
        assert_eq!(formula.best(&[unlikely, likely(90)], 91, |_| true), Some(0));
    }

    #[test]
    fn the_schedule_moves_from_amaf_to_visits() {
        let value = |visits, amaf| FORMULA.value(&child(visits, 1.0, NO_PRIOR, amaf, 0.0).sample());
        assert!(value(1, 100) < 0.05);
        assert!(value(100_000, 100_000) > 0.98);
        let even = value(1000, 1_000_000);
        assert!((even - 0.5).abs() < 0.01, "{even} at the equivalence");
    }

    #[test]
    fn priors_count_as_visits() {
        let prior = Prior { value: 1.0, weight: 10.0 };
        let value = FORMULA.value(&child(10, 0.0, prior, 0, 0.0).sample());
        assert!((value - 0.5).abs() < 1e-3);
    }
}
