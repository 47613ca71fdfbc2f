//! A move in the tree: what is known of it from visits, from AMAF samples and
//! beforehand. See [`super::node`] on which races are tolerated.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64};

use super::node::NodeId;

/// One simulation's weight in AMAF counts: weights are in sixteenths.
pub const AMAF_ONE: u32 = 16;
/// AMAF sums are in units of 1/256 of a win.
const AMAF_SUM_UNIT: f32 = 256.0;
/// Above this count both halves of an AMAF word are halved, long before they
/// could overflow.
const AMAF_CEILING: u64 = 1 << 26;

/// A move from a node, with what is known of it. Values are for the player
/// who makes the move.
#[derive(Default)]
pub struct Child {
    /// AMAF sum in the low half, AMAF count in the high half.
    amaf: AtomicU64,
    visits: AtomicU32,
    node: AtomicU32,
    /// The mean of the node that the move leads to, in units of [`FRACTION`].
    value: AtomicU16,
    /// The network's probability of the move, likewise.
    policy: AtomicU16,
    mv: AtomicU16,
    /// Prior value in 255ths in the low byte, its weight in simulations in
    /// the high byte.
    prior: AtomicU16,
}

const _: () = assert!(size_of::<Child>() == 24);

/// One over what stands for 1 in a child's fractions.
const FRACTION: f32 = 1.0 / 65535.0;

/// A number from 0 to 1 as a child keeps it.
#[inline(always)]
fn to_fraction(value: f32) -> u16 {
    (value * (1.0 / FRACTION) + 0.5) as u16
}

/// What was thought of a move before any simulation: a value, worth so many
/// simulations ("equivalent experience", Gelly and Silver 2011).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Expected result for the mover, 0 to 1.
    pub value: f32,
    /// Its weight in simulations, 0 to 255.
    pub weight: f32,
}

/// Everything that selection reads of a child.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Simulations that chose this move here.
    pub visits: f32,
    /// Mean result of the node it leads to.
    pub value: f32,
    /// The prior's weight.
    pub prior_weight: f32,
    /// The prior's value.
    pub prior_value: f32,
    /// Weight of AMAF samples.
    pub amaf_weight: f32,
    /// Sum of AMAF results, so weighted.
    pub amaf_sum: f32,
    /// The network's probability.
    pub policy: f32,
}

/// A simulation's result, as AMAF samples want it.
#[derive(Clone, Copy)]
pub struct AmafResult(u32);

impl AmafResult {
    /// `result` is 0 to 1.
    #[inline(always)]
    pub fn new(result: f32) -> Self {
        AmafResult((result * (AMAF_SUM_UNIT / AMAF_ONE as f32) * 65536.0) as u32)
    }

    /// A sample that weighs so many sixteenths, at most 2^12.
    #[inline(always)]
    pub fn weighing(self, weight: u32) -> AmafSample {
        AmafSample(u64::from(weight) << 32 | u64::from((weight * self.0) >> 16))
    }
}

/// What a simulation says of a move made later in it, as a child adds it up.
#[derive(Clone, Copy)]
pub struct AmafSample(u64);

/// The words of a child that selection reads, as the child keeps them.
#[derive(Clone, Copy)]
pub struct Words {
    /// AMAF samples, by weight.
    pub amaf_count: u32,
    /// AMAF results, so weighted.
    pub amaf_sum: u32,
    /// Simulations that chose this move.
    pub visits: u32,
    /// Mean result.
    pub value: u16,
    /// The network's probability.
    pub policy: u16,
    /// The prior.
    pub prior: u16,
}

impl From<Words> for Sample {
    #[inline(always)]
    fn from(words: Words) -> Self {
        Sample {
            visits: words.visits as i32 as f32,
            value: f32::from(words.value) * FRACTION,
            prior_weight: f32::from(words.prior >> 8),
            prior_value: f32::from(words.prior & 255) * (1.0 / 255.0),
            amaf_weight: words.amaf_count as i32 as f32 * (1.0 / AMAF_ONE as f32),
            amaf_sum: words.amaf_sum as i32 as f32 * (1.0 / AMAF_SUM_UNIT),
            policy: f32::from(words.policy) * FRACTION,
        }
    }
}

impl Child {
    /// Sets up a fresh child for move `mv`, its prior counted among the AMAF
    /// samples too, `amaf_weight` of them.
    pub fn init(&self, mv: u16, prior: Prior, amaf_weight: f32) {
        self.mv.store(mv, Relaxed);
        self.set_prior(prior);
        let count = (amaf_weight * AMAF_ONE as f32) as u64;
        let sum = (amaf_weight * prior.value.clamp(0.0, 1.0) * AMAF_SUM_UNIT) as u64;
        self.amaf.store(count << 32 | sum, Relaxed);
    }

    /// Replaces the prior, and what it counts among the AMAF samples:
    /// `amaf_weight` for each simulation that it is worth. Only between
    /// searches.
    pub fn revise(&self, prior: Prior, amaf_weight: f32) {
        let old = self.prior();
        let amaf = self.amaf.load(Relaxed);
        self.set_prior(prior);
        let new = self.prior();
        let shift = |word: u32, before: f32, after: f32, unit: f32| {
            (f64::from(word) + f64::from((after - before) * amaf_weight * unit)).max(0.0) as u64
        };
        let count = shift((amaf >> 32) as u32, old.weight, new.weight, AMAF_ONE as f32);
        let sum = shift(amaf as u32, old.weight * old.value, new.weight * new.value, AMAF_SUM_UNIT);
        self.amaf.store(count << 32 | sum, Relaxed);
    }

    /// The move, as the tree numbers moves.
    #[inline]
    pub fn mv(&self) -> u16 {
        self.mv.load(Relaxed)
    }

    /// Simulations that chose this move.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Mean result for the mover, as of the last visit.
    #[inline]
    pub fn value(&self) -> f32 {
        f32::from(self.value.load(Relaxed)) * FRACTION
    }

    /// The network's probability of the move, once it was asked; 0 before.
    #[inline]
    pub fn policy(&self) -> f32 {
        f32::from(self.policy.load(Relaxed)) * FRACTION
    }

    /// The prior that the child began with.
    pub fn prior(&self) -> Prior {
        let prior = self.prior.load(Relaxed);
        Prior { value: f32::from(prior & 255) / 255.0, weight: f32::from(prior >> 8) }
    }

    /// Reads everything for selection.
    #[inline(always)]
    pub fn words(&self) -> Words {
        let amaf = self.amaf.load(Relaxed);
        Words {
            amaf_count: (amaf >> 32) as u32,
            amaf_sum: amaf as u32,
            visits: self.visits.load(Relaxed),
            value: self.value.load(Relaxed),
            policy: self.policy.load(Relaxed),
            prior: self.prior.load(Relaxed),
        }
    }

    /// The same, in numbers.
    #[inline(always)]
    pub fn sample(&self) -> Sample {
        self.words().into()
    }

    /// Takes in the network's probability, and what follows from it for the
    /// prior; `amaf_weight` as for [`Child::init`].
    pub fn advise(&self, policy: f32, opinion: Prior, amaf_weight: f32) {
        self.policy.store(to_fraction(policy), Relaxed);
        let before = self.prior();
        let weight = before.weight + opinion.weight;
        if opinion.weight > 0.0 && weight > 0.0 {
            let sum = before.value * before.weight + opinion.value * opinion.weight;
            self.set_prior(Prior { value: sum / weight, weight });
            let samples = (amaf_weight * AMAF_ONE as f32) as u32;
            self.add_amaf(AmafResult::new(opinion.value).weighing(samples));
        }
    }

    /// Puts the network's better opinion of the move, probability `policy`, in
    /// the place of the one it gave before. A probability of one is worth
    /// `weight` simulations won; AMAF samples, `amaf` for each, can only be
    /// added.
    pub fn advise_anew(&self, policy: f32, weight: f32, amaf: f32) {
        let before = self.prior();
        let more = weight * (policy.sqrt() - self.policy().sqrt());
        self.policy.store(to_fraction(policy), Relaxed);
        let after = before.weight + more;
        if after > 0.0 {
            let value = ((before.value * before.weight + more) / after).max(0.0);
            self.set_prior(Prior { value, weight: after });
        }
        let samples = (amaf * more * AMAF_ONE as f32) as u32;
        if samples > 0 {
            self.add_amaf(AmafResult::new(1.0).weighing(samples));
        }
    }

    fn set_prior(&self, prior: Prior) {
        let value = (prior.value.clamp(0.0, 1.0) * 255.0).round();
        let weight = prior.weight.clamp(0.0, 255.0).round();
        self.prior.store(value as u16 | (weight as u16) << 8, Relaxed);
    }

    /// Counts a simulation that chooses this move.
    #[inline]
    pub fn visit(&self) {
        self.visits.fetch_add(1, Relaxed);
    }

    /// Replaces the mean.
    #[inline]
    pub fn set_value(&self, value: f32) {
        self.value.store(to_fraction(value), Relaxed);
    }

    /// Adds one result to the child's own mean, for a move that has no node.
    /// After some ten thousand results the mean hardly moves any more.
    pub fn add_own(&self, value: f32) {
        let mean = self.value();
        self.set_value(mean + (value - mean) / self.visits().max(1) as f32);
    }

    /// Adds an AMAF sample.
    #[inline(always)]
    pub fn add_amaf(&self, sample: AmafSample) {
        let sum = self.amaf.load(Relaxed) + sample.0;
        self.amaf.store(sum, Relaxed);
        if sum >> 32 > AMAF_CEILING {
            self.amaf.store((sum >> 33) << 32 | (sum & 0xffff_ffff) >> 1, Relaxed);
        }
    }

    /// The node that the move leads to, or [`NodeId::NONE`].
    #[inline]
    pub fn node(&self) -> NodeId {
        NodeId(self.node.load(Acquire))
    }

    /// Links the child to `node` unless another thread was faster; returns
    /// the node that it is linked to.
    pub fn link(&self, node: NodeId) -> NodeId {
        match self.node.compare_exchange(0, node.0, AcqRel, Acquire) {
            Ok(_) => node,
            Err(other) => NodeId(other),
        }
    }

    /// Takes over everything from `other`, with another link.
    pub fn copy_from(&self, other: &Child, node: NodeId) {
        self.amaf.store(other.amaf.load(Relaxed), Relaxed);
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.policy.store(other.policy.load(Relaxed), Relaxed);
        self.mv.store(other.mv.load(Relaxed), Relaxed);
        self.prior.store(other.prior.load(Relaxed), Relaxed);
        self.node.store(node.0, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_joins_the_prior() {
        let child = Child::default();
        child.init(3, Prior { value: 0.5, weight: 10.0 }, 10.0);
        child.advise(0.125, Prior { value: 1.0, weight: 30.0 }, 30.0);
        assert!((child.policy() - 0.125).abs() < 1e-4);
        assert_eq!(child.prior().weight, 40.0);
        assert!((child.prior().value - 0.875).abs() < 0.01);
        let sample = child.sample();
        assert_eq!(sample.amaf_weight, 40.0);
        assert!((sample.amaf_sum - 35.0).abs() < 0.1);
    }

    #[test]
    fn a_better_opinion_takes_the_place_of_the_first() {
        let advised = |policy: f32| {
            let child = Child::default();
            child.init(3, Prior { value: 0.5, weight: 10.0 }, 10.0);
            child.advise(policy, Prior { value: 1.0, weight: 40.0 * policy.sqrt() }, 40.0 * policy.sqrt());
            child
        };
        for (first, better) in [(0.04, 0.49), (0.49, 0.04), (0.25, 0.25), (0.0, 1.0), (1.0, 0.0)] {
            let (child, wanted) = (advised(first), advised(better));
            let amaf = child.sample().amaf_weight;
            for _ in 0..3 {
                child.advise_anew(better, 40.0, 1.0);
            }
            assert!((child.policy() - better).abs() < 1e-4);
            assert!((child.prior().weight - wanted.prior().weight).abs() <= 1.0, "{first} {better}");
            assert!((child.prior().value - wanted.prior().value).abs() < 0.03, "{first} {better}");
            assert_eq!(child.sample().amaf_weight, amaf.max(wanted.sample().amaf_weight));
        }
    }

    #[test]
    fn a_prior_is_revised_among_the_amaf_samples_too() {
        let child = Child::default();
        child.init(3, Prior { value: 0.4, weight: 10.0 }, 10.0);
        child.add_amaf(AmafResult::new(1.0).weighing(AMAF_ONE));
        for _ in 0..2 {
            child.revise(Prior { value: 0.8, weight: 50.0 }, 1.0);
            let sample = child.sample();
            assert_eq!((child.mv(), sample.prior_weight, sample.amaf_weight), (3, 50.0, 51.0));
            assert!((sample.amaf_sum - 41.0).abs() < 0.3, "{sample:?}");
        }
    }

    #[test]
    fn amaf_sums_do_not_run_over() {
        let child = Child::default();
        child.init(3, Prior { value: 0.5, weight: 0.0 }, 0.0);
        for _ in 0..(1u32 << 25) {
            child.add_amaf(AmafResult::new(0.75).weighing(AMAF_ONE));
        }
        let sample = child.sample();
        assert!((sample.amaf_sum / sample.amaf_weight - 0.75).abs() < 1e-3);
    }
}
