//! Which move a simulation tries next.

use super::child::{Child, Sample, Words};

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
        // Divided in any case, as this runs on several children at once.
        let value = (sum * trust + s.amaf_sum) / weight;
        if weight > 0.0 { value } else { self.first_play_urgency }
    }

    /// As [`Contest::best`], of the children that `allowed` accepts.
    #[cold]
    pub fn best_allowed(
        &self,
        children: &[Child],
        visits: u32,
        mut allowed: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let at = Parent::new(self, visits);
        let mut best = None;
        let mut most = f32::NEG_INFINITY;
        for (index, child) in children.iter().enumerate() {
            let worth = self.worth::<true>(&child.sample(), at);
            if worth > most && allowed(index) {
                most = worth;
                best = Some(index);
            }
        }
        best
    }

    /// What a child is worth to selection. Without `EXPLORES` the formula's
    /// terms for exploration and policy are known to be 0.
    #[inline(always)]
    fn worth<const EXPLORES: bool>(&self, sample: &Sample, at: Parent) -> f32 {
        let value = self.value(sample);
        if !EXPLORES {
            return value;
        }
        let inverse = 1.0 / (sample.visits + 1.0);
        value + at.exploration * inverse.sqrt() + at.policy * sample.policy * inverse
    }
}

/// What the formula takes from the node whose children compete.
#[derive(Clone, Copy)]
struct Parent {
    /// The exploration factor times the root of the logarithm of its visits.
    exploration: f32,
    /// The network's factor times the root of its visits.
    policy: f32,
}

impl Parent {
    #[inline(always)]
    fn new(formula: &Formula, visits: u32) -> Self {
        let visits = visits.max(1) as f32;
        let exploration =
            if formula.exploration > 0.0 { formula.exploration * visits.ln().sqrt() } else { 0.0 };
        Parent { exploration, policy: formula.policy * visits.sqrt() }
    }

    #[inline(always)]
    fn explores(self) -> bool {
        self.exploration > 0.0 || self.policy > 0.0
    }
}

/// Children that compete at a time.
const LANES: usize = 128;
/// A multiple of the numbers in a vector register.
const VECTOR: usize = 16;

/// Finds the best of many children. Their words are first copied side by side,
/// one load each as atomics need, so that the formula is then worked out on
/// vectors of them.
pub struct Contest {
    amaf_count: [u32; LANES],
    amaf_sum: [u32; LANES],
    visits: [u32; LANES],
    value: [u16; LANES],
    policy: [u16; LANES],
    prior: [u16; LANES],
    /// What the children are worth, as bits: worths are never negative, and
    /// such numbers are ordered as their bits are.
    worth: [u32; LANES],
}

impl Default for Contest {
    fn default() -> Self {
        Contest {
            amaf_count: [0; LANES],
            amaf_sum: [0; LANES],
            visits: [0; LANES],
            value: [0; LANES],
            policy: [0; LANES],
            prior: [0; LANES],
            worth: [0; LANES],
        }
    }
}

impl Contest {
    /// The index of the best child, the first of equals, for a node with
    /// `visits`.
    #[inline]
    pub fn best(&mut self, formula: &Formula, children: &[Child], visits: u32) -> Option<usize> {
        let at = Parent::new(formula, visits);
        let mut best = None;
        let mut most = 0;
        for (number, chunk) in children.chunks(LANES).enumerate() {
            self.read(chunk);
            let (index, worth) = if at.explores() {
                self.judge::<true>(formula, at, chunk.len())
            } else {
                self.judge::<false>(formula, at, chunk.len())
            };
            if best.is_none() || worth > most {
                (best, most) = (Some(number * LANES + index), worth);
            }
        }
        best
    }

    #[inline]
    fn read(&mut self, children: &[Child]) {
        for (i, child) in children.iter().enumerate() {
            let (i, words) = (i % LANES, child.words());
            self.amaf_count[i] = words.amaf_count;
            self.amaf_sum[i] = words.amaf_sum;
            self.visits[i] = words.visits;
            self.value[i] = words.value;
            self.policy[i] = words.policy;
            self.prior[i] = words.prior;
        }
    }

    /// The best of the first `n` that were read, and its worth.
    #[inline]
    fn judge<const EXPLORES: bool>(&mut self, formula: &Formula, at: Parent, n: usize) -> (usize, u32) {
        // Whole vectors: what an earlier contest left in the rest is harmless.
        let whole = n.next_multiple_of(VECTOR).min(LANES);
        let (amaf_count, amaf_sum) = (&self.amaf_count[..whole], &self.amaf_sum[..whole]);
        let (visits, value) = (&self.visits[..whole], &self.value[..whole]);
        let (policy, prior) = (&self.policy[..whole], &self.prior[..whole]);
        let worth = &mut self.worth[..whole];
        for i in 0..whole {
            let words = Words {
                amaf_count: amaf_count[i],
                amaf_sum: amaf_sum[i],
                visits: visits[i],
                value: value[i],
                policy: policy[i],
                prior: prior[i],
            };
            worth[i] = formula.worth::<EXPLORES>(&words.into(), at).to_bits();
        }
        worth[n..].fill(0);
        let most = worth.iter().fold(0, |most, &worth| most.max(worth));
        (worth.iter().position(|&worth| worth == most).unwrap_or(0), most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uct::child::{AMAF_ONE, AmafResult, Prior};

    const FORMULA: Formula =
        Formula { inverse_equivalence: 1.0 / 1000.0, exploration: 0.0, policy: 0.0, first_play_urgency: 1.1 };

    fn child(visits: u32, value: f32, prior: Prior, amaf: u32, amaf_value: f32) -> Child {
        let child = Child::default();
        child.init(1, prior, 0.0);
        (0..visits).for_each(|_| child.visit());
        child.set_value(value);
        (0..amaf).for_each(|_| child.add_amaf(AmafResult::new(amaf_value).weighing(AMAF_ONE)));
        child
    }

    const NO_PRIOR: Prior = Prior { value: 0.0, weight: 0.0 };

    #[test]
    fn unknown_moves_come_first() {
        let children = [child(10, 0.9, NO_PRIOR, 0, 0.0), child(0, 0.0, NO_PRIOR, 0, 0.0)];
        assert_eq!(Contest::default().best(&FORMULA, &children, 10), Some(1));
        assert_eq!(FORMULA.best_allowed(&children, 10, |index| index != 1), Some(0));
        assert_eq!(FORMULA.best_allowed(&children, 10, |_| false), None);
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
        let best = |visits| {
            Contest::default().best(&formula, &[child(0, 0.0, even, 0, 0.0), likely(visits)], visits + 1)
        };
        assert_eq!(best(3), Some(1));
        let unlikely = child(0, 0.0, Prior { value: 0.7, weight: 1.0 }, 0, 0.0);
        assert_eq!(Contest::default().best(&formula, &[unlikely, likely(90)], 91), Some(0));
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
