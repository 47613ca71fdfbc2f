//! What the tree keeps of a position and of a move: atomics that several
//! threads read and write without locks.
//!
//! # Two halves of the statistics
//!
//! A [`Node`] is a position, joined over all move orders that lead to it. A
//! [`Child`] is a move from one node; children of a node lie side by side, so
//! that selection and the update of AMAF values walk over contiguous memory. A
//! child counts its own visits, and keeps a copy of the mean of the node it
//! leads to (see [`super::tree`] on how values are backed up).
//!
//! # Orderings, and which races are tolerated
//!
//! 1. **Descent** adds one visit to the child and to the node it leads to
//!    (read-modify-write, relaxed: never lost). The result is missing until
//!    the simulation ends, so the visit counts as a loss meanwhile: this is
//!    the virtual loss (Chaslot and others 2008, "Parallel Monte-Carlo Tree
//!    Search") that sends other threads elsewhere.
//! 2. **Backup** adds the result to the node (read-modify-write, relaxed), and
//!    then writes the node's mean into the child with a plain store. Two
//!    threads may write in either order; the older mean is replaced at the
//!    next visit.
//! 3. **AMAF values** are read, added to and stored without a
//!    read-modify-write. An update that is lost between the two is one sample
//!    of thousands; count and sum share a word, so they cannot disagree.
//! 4. **Expansion** is the one place where order matters. A thread claims the
//!    node (compare-exchange from `LEAF` to `CLAIMED`), fills the
//!    children, and publishes them with a Release store of
//!    [`Node::publish`]. Readers use an Acquire load, so they see children
//!    filled. Meanwhile others treat the node as a leaf.
//! 5. **Advice** of the network is asked for by whoever sets a bit in the block
//!    word first ([`Node::ask`]). That thread alone changes the priors of the
//!    children, with plain stores, while others go on with the old ones; the
//!    network's value is added as results are, and never lost.
//! 6. **Links** from child to node are published by a Release
//!    compare-exchange after the node's key is written, and read with Acquire.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64};

use crate::shared::hash::Key;

/// The index of a node in its arena. 0 is no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// No node.
    pub const NONE: NodeId = NodeId(0);
}

/// A run of children in their arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Index of the first child.
    pub start: u32,
    /// How many there are.
    pub count: u16,
}

/// A node's block word before anybody expands it.
const LEAF: u64 = 0;
/// A node's block word while a thread fills its children.
const CLAIMED: u64 = 1 << 63;
/// Marks a block word that names children.
const READY: u64 = 1 << 62;
/// Marks the block word of a node that the network was asked about.
const ASKED: u64 = 1 << 61;

/// A network's value of 1, as sums in a node have it.
const ADVICE_UNIT: f32 = 65536.0;
/// The bit from which on a node counts the values that were added up.
const ADVICE_COUNT: u32 = 40;

/// One simulation's weight in AMAF counts: weights are in sixteenths.
pub const AMAF_ONE: u32 = 16;
/// AMAF sums are in units of 1/256 of a win.
const AMAF_SUM_UNIT: f32 = 256.0;
/// Above this count both halves of an AMAF word are halved, long before they
/// could overflow.
const AMAF_CEILING: u64 = 1 << 27;

/// A position in the tree.
///
/// Results are from the point of view of the player who moved *into* the
/// node, so that a visit whose result is missing is a loss for that player.
#[derive(Default)]
pub struct Node {
    key: AtomicU64,
    /// Half points, for the player who moved into the node.
    score: AtomicI64,
    block: AtomicU64,
    /// Visits in the low half, wins (in halves) in the high half.
    results: AtomicU64,
    /// The network's values here and further down, added up, and their number
    /// from [`ADVICE_COUNT`] on.
    advice: AtomicU64,
}

/// A node's totals at one moment, for the player who moved into it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Simulations through the node, those under way included.
    pub visits: u32,
    /// Wins; a draw counts one half.
    pub wins: f64,
    /// Sum of the scores, in points.
    pub score: f64,
    /// Mean of the network's values of the position and of those looked at
    /// further down, if there are any: the probability that the player wins.
    pub advice: Option<f32>,
}

impl Node {
    /// Gives a fresh node its key.
    pub fn set_key(&self, key: Key) {
        self.key.store(key, Relaxed);
    }

    /// The position's key.
    #[inline]
    pub fn key(&self) -> Key {
        self.key.load(Relaxed)
    }

    /// Counts a simulation that passes through.
    #[inline]
    pub fn visit(&self) {
        self.results.fetch_add(1, Relaxed);
    }

    /// Simulations so far.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.results.load(Relaxed) as u32
    }

    /// Adds the result of a simulation that was counted by [`Node::visit`],
    /// for the player who moved into the node: wins and score in halves.
    #[inline]
    pub fn add(&self, half_wins: u32, half_points: i32) {
        self.results.fetch_add(u64::from(half_wins) << 32, Relaxed);
        self.score.fetch_add(half_points.into(), Relaxed);
    }

    /// Win rate and mean score (points) for the player who moved in, with
    /// visits under way counted as losses. (0, 0) before the first visit.
    #[inline]
    pub fn means(&self) -> (f32, f32) {
        let results = self.results.load(Relaxed);
        let visits = results as u32;
        if visits == 0 {
            return (0.0, 0.0);
        }
        let inverse = 0.5 / visits as f32;
        ((results >> 32) as f32 * inverse, self.score.load(Relaxed) as f32 * inverse)
    }

    /// What has been added up so far.
    pub fn totals(&self) -> Totals {
        let results = self.results.load(Relaxed);
        Totals {
            visits: results as u32,
            wins: (results >> 32) as f64 * 0.5,
            score: self.score.load(Relaxed) as f64 * 0.5,
            advice: self.advice(),
        }
    }

    /// Adds the network's value, 0 to 1, of this position or of one further
    /// down, for the player who moved into the node.
    pub fn advise(&self, value: f32) {
        let value = (value.clamp(0.0, 1.0) * ADVICE_UNIT) as u64;
        self.advice.fetch_add(1 << ADVICE_COUNT | value, Relaxed);
    }

    /// The mean of the network's values, if there are any.
    #[inline]
    pub fn advice(&self) -> Option<f32> {
        let advice = self.advice.load(Relaxed);
        let count = advice >> ADVICE_COUNT;
        let sum = advice & ((1 << ADVICE_COUNT) - 1);
        (count > 0).then(|| sum as f32 / (count as f32 * ADVICE_UNIT))
    }

    /// Claims the right to ask the network about the node, which must have
    /// children. At most one thread gets it.
    #[inline]
    pub fn ask(&self) -> bool {
        !self.was_asked_about() && self.block.fetch_or(ASKED, Relaxed) & ASKED == 0
    }

    /// Whether somebody asked the network about the node.
    #[inline]
    pub fn was_asked_about(&self) -> bool {
        self.block.load(Relaxed) & ASKED != 0
    }

    /// The node's children, once there are any.
    #[inline]
    pub fn block(&self) -> Option<Block> {
        let word = self.block.load(Acquire);
        (word & READY != 0).then_some(Block { start: word as u32, count: (word >> 32) as u16 })
    }

    /// Claims the right to expand the node. At most one thread gets it.
    pub fn claim(&self) -> bool {
        self.block.compare_exchange(LEAF, CLAIMED, Relaxed, Relaxed).is_ok()
    }

    /// Gives a claim back, when there was no room for children.
    pub fn release(&self) {
        self.block.store(LEAF, Relaxed);
    }

    /// Shows the children, which must be filled, to the other threads.
    pub fn publish(&self, block: Block) {
        self.block.store(READY | u64::from(block.count) << 32 | u64::from(block.start), Release);
    }

    /// Takes over everything but the children from `other`.
    pub fn copy_totals(&self, other: &Node) {
        self.key.store(other.key.load(Relaxed), Relaxed);
        self.score.store(other.score.load(Relaxed), Relaxed);
        self.results.store(other.results.load(Relaxed), Relaxed);
        self.advice.store(other.advice.load(Relaxed), Relaxed);
    }
}

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

const _: () = assert!(size_of::<Child>() == 24 && size_of::<Node>() == 40);

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
    pub fn sample(&self) -> Sample {
        let amaf = self.amaf.load(Relaxed);
        let prior = self.prior.load(Relaxed);
        Sample {
            visits: self.visits.load(Relaxed) as f32,
            value: self.value(),
            prior_weight: f32::from(prior >> 8),
            prior_value: f32::from(prior & 255) * (1.0 / 255.0),
            amaf_weight: (amaf >> 32) as u32 as f32 * (1.0 / AMAF_ONE as f32),
            amaf_sum: amaf as u32 as f32 * (1.0 / AMAF_SUM_UNIT),
            policy: self.policy(),
        }
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
            self.add_amaf(samples, weighted_amaf(samples, opinion.value));
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

    /// Adds an AMAF sample: `weight` in sixteenths, `result` (0 to 1) times
    /// that weight in units of 1/256.
    #[inline(always)]
    pub fn add_amaf(&self, weight: u32, weighted_result: u32) {
        let sum = self.amaf.load(Relaxed) + (u64::from(weight) << 32 | u64::from(weighted_result));
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

/// `weight` (sixteenths) times `result` (0 to 1), as [`Child::add_amaf`] takes
/// it.
#[inline(always)]
pub fn weighted_amaf(weight: u32, result: f32) -> u32 {
    (weight as f32 * result * (AMAF_SUM_UNIT / AMAF_ONE as f32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_without_result_is_a_loss() {
        let node = Node::default();
        node.visit();
        node.add(2, 10);
        assert_eq!(node.means(), (1.0, 5.0));
        node.visit();
        assert_eq!(node.means(), (0.5, 2.5));
        node.add(1, -4);
        assert_eq!(node.totals(), Totals { visits: 2, wins: 1.5, score: 3.0, advice: None });
    }

    #[test]
    fn one_thread_gets_the_claim() {
        let node = Node::default();
        assert!(node.claim());
        assert!(!node.claim());
        assert_eq!(node.block(), None);
        node.publish(Block { start: 7, count: 82 });
        assert_eq!(node.block(), Some(Block { start: 7, count: 82 }));
        assert!(!node.claim());
    }

    #[test]
    fn the_network_is_asked_once_and_its_values_are_averaged() {
        let node = Node::default();
        assert!(node.claim());
        node.publish(Block { start: 7, count: 82 });
        assert_eq!(node.advice(), None);
        assert!(node.ask() && !node.ask());
        assert_eq!(node.block(), Some(Block { start: 7, count: 82 }));
        for value in [0.25, 0.5, 1.0, 0.25] {
            node.advise(value);
        }
        assert_eq!(node.advice(), Some(0.5));
        let copy = Node::default();
        copy.copy_totals(&node);
        assert_eq!(copy.totals(), node.totals());
    }

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
    fn a_prior_is_revised_among_the_amaf_samples_too() {
        let child = Child::default();
        child.init(3, Prior { value: 0.4, weight: 10.0 }, 10.0);
        child.add_amaf(AMAF_ONE, weighted_amaf(AMAF_ONE, 1.0));
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
            child.add_amaf(AMAF_ONE, weighted_amaf(AMAF_ONE, 0.75));
        }
        let sample = child.sample();
        assert!((sample.amaf_sum / sample.amaf_weight - 0.75).abs() < 1e-3);
    }

    #[test]
    fn no_visit_is_lost_between_threads() {
        let node = Node::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        node.visit();
                        node.add(1, -1);
                    }
                });
            }
        });
        assert_eq!(node.totals(), Totals { visits: 40_000, wins: 20_000.0, score: -20_000.0, advice: None });
    }
}
