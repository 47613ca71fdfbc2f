//! What the tree keeps of a position and of a move: atomics that several
//! threads read and write without locks.
//!
//! # Two halves of the statistics
//!
//! A [`Node`] is a position, joined over all move orders that lead to it. A
//! [`Child`](super::child::Child) is a move from one node; children of a node lie side by side, so
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

use super::advice::Look;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU64};

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
/// Marks the block word of a node that the network looked at all ways.
const ASKED_ALL_WAYS: u64 = 1 << 60;

/// A network's value of 1, as sums in a node have it.
const ADVICE_UNIT: f32 = 65536.0;
/// The bit from which on a node counts the values that were added up.
const ADVICE_COUNT: u32 = 40;

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

    /// Claims the right to have the network look at the node, which must have
    /// children. At most one thread gets it for each kind of look, and nobody
    /// for one look after one all ways. Says whether this is the first look.
    #[inline]
    pub fn ask(&self, look: Look) -> Option<bool> {
        let (marks, done) = match look {
            Look::Once => (ASKED, ASKED),
            Look::AllWays => (ASKED | ASKED_ALL_WAYS, ASKED_ALL_WAYS),
        };
        if self.block.load(Relaxed) & done != 0 {
            return None;
        }
        let before = self.block.fetch_or(marks, Relaxed);
        (before & done == 0).then_some(before & ASKED == 0)
    }

    /// How thoroughly the network was asked about the node, if it was.
    #[inline]
    pub fn looked_at(&self) -> Option<Look> {
        match self.block.load(Relaxed) & (ASKED | ASKED_ALL_WAYS) {
            0 => None,
            ASKED => Some(Look::Once),
            _ => Some(Look::AllWays),
        }
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

const _: () = assert!(size_of::<Node>() == 40);

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
        assert_eq!(node.looked_at(), None);
        assert_eq!((node.ask(Look::Once), node.ask(Look::Once)), (Some(true), None));
        assert_eq!(node.looked_at(), Some(Look::Once));
        assert_eq!((node.ask(Look::AllWays), node.ask(Look::AllWays)), (Some(false), None));
        assert_eq!((node.ask(Look::Once), node.looked_at()), (None, Some(Look::AllWays)));
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
