//! The tree: positions, joined over move orders, and the moves between them.
//!
//! # One node for one position
//!
//! A node's key covers the stones, the player to move, the ko point and
//! whether the last move was a pass: everything that decides which moves are
//! legal and what the game is worth, except the positions that superko
//! forbids. Those depend on the path, so they are not in the tree at all:
//! each descent keeps its own path and skips moves that repeat a position on
//! it or in the game before (see [`super::search`]). That also keeps the
//! graph of nodes free of endless descents.
//!
//! # How values are backed up
//!
//! This is "UCT2" of Childs, Brodeur and Kocsis (2008, "Transpositions and
//! Move Groups in Monte Carlo Tree Search"). A simulation adds its result once
//! to each node on its path, whichever parents those nodes have: a node's mean
//! is the mean of all simulations through it. A move's *value* is the mean of
//! the node that it leads to, so what was learnt by another move order counts
//! at once; a move's *visits* are those from its own parent, so the
//! exploration of a parent stays its own. A parent's mean is the mean of the
//! simulations through the parent, and no result is counted twice.
//!
//! # When memory runs out
//!
//! The arenas draw on one budget. As it is used up, nodes need more and more
//! visits before they are expanded ([`Tree::expansion_threshold`]); at its end
//! the tree stops growing, and simulations still run and count. Between
//! searches [`Tree::collect`] copies what the new root can reach and drops
//! everything else.

use std::collections::HashMap;

use super::arena::{Arena, Budget};
use super::child::{Child, Prior};
use super::node::{Block, Node, NodeId};
use crate::shared::cpu;
use crate::shared::hash::Key;
use crate::shared::table::{Entry, Table};

/// A tree with its transposition table.
pub struct Tree {
    nodes: Arena<Node>,
    children: Arena<Child>,
    table: Table<Link>,
    budget: Budget,
    memory_mib: usize,
}

/// What the transposition table keeps: a node's index.
#[derive(Clone, Copy)]
struct Link(NodeId);

impl Entry for Link {
    fn to_bits(self) -> u64 {
        u64::from(self.0.0)
    }
    fn from_bits(bits: u64) -> Self {
        Link(NodeId(bits as u32))
    }
    fn worth(self) -> i32 {
        // Older nodes are nearer to the root, and have more to share.
        -((self.0.0 >> 1) as i32)
    }
}

/// A move that a new node will have.
#[derive(Clone, Copy, Debug)]
pub struct NewChild {
    /// The move, as the tree numbers moves.
    pub mv: u16,
    /// What is thought of it beforehand.
    pub prior: Prior,
}

/// The share of the memory that the transposition table has.
const TABLE_SHARE: usize = 16;
/// From this share of the budget on, expansion gets more reluctant.
const SCARCE: f32 = 0.5;

impl Tree {
    /// An empty tree that may use about `memory_mib` MiB, at least 2.
    #[must_use]
    pub fn new(memory_mib: usize) -> Self {
        let memory_mib = memory_mib.max(2);
        let table_mib = (memory_mib / TABLE_SHARE).max(1);
        let table = Table::new(table_mib);
        Self::with_table(memory_mib, table)
    }

    fn with_table(memory_mib: usize, table: Table<Link>) -> Self {
        let limit = (memory_mib << 20) - (memory_mib / TABLE_SHARE).max(1).min(memory_mib / 2) * (1 << 20);
        Tree {
            nodes: Arena::new(limit),
            children: Arena::new(limit),
            table,
            budget: Budget::new(limit),
            memory_mib,
        }
    }

    /// The limit that the tree was made with, in MiB.
    #[must_use]
    pub fn memory_mib(&self) -> usize {
        self.memory_mib
    }

    /// Bytes used by nodes and children.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.budget.used()
    }

    /// Nodes in the tree.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        self.nodes.len()
    }

    /// The node `id`, which must be one of this tree.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0)
    }

    /// The children of a node, when it has been expanded.
    #[inline]
    pub fn children(&self, node: &Node) -> Option<&[Child]> {
        node.block().map(|block| self.children.run(block.start, block.count))
    }

    /// Asks the processor to load a node's children, which will be read soon.
    #[inline]
    pub fn prefetch_children(&self, node: &Node) {
        const LINE: usize = 64;
        if let Some(children) = self.children(node) {
            children.iter().step_by(LINE / size_of::<Child>()).for_each(cpu::prefetch);
        }
    }

    /// The node for the position `key`, if the table still knows it.
    pub fn find(&self, key: Key) -> Option<NodeId> {
        let Link(id) = self.table.probe(key)?;
        (self.node(id).key() == key).then_some(id)
    }

    /// The node for the position `key`, made if there is none. Nothing when
    /// memory is used up. Two threads that make the same node at once get one
    /// each: such twins are rare, and only share less.
    pub fn find_or_make(&self, key: Key) -> Option<NodeId> {
        if let Some(id) = self.find(key) {
            return Some(id);
        }
        let id = NodeId(self.nodes.allocate(1, &self.budget)?);
        self.node(id).set_key(key);
        self.table.store(key, Link(id));
        Some(id)
    }

    /// How many visits a node needs before it gets children, where `base` is
    /// the number while memory is plentiful.
    #[inline]
    pub fn expansion_threshold(&self, base: u32) -> u32 {
        let used = self.budget.fraction();
        if used < SCARCE {
            return base;
        }
        base + (base as f32 * 15.0 * (used - SCARCE) / (1.0 - SCARCE)) as u32
    }

    /// Gives a claimed node its children. `amaf_weight` is what a prior of
    /// weight 1 counts among AMAF samples. Without room the claim is given
    /// back.
    pub fn expand(&self, node: &Node, moves: &[NewChild], amaf_weight: f32) -> bool {
        let count = moves.len() as u16;
        let Some(start) = self.children.allocate(u32::from(count), &self.budget) else {
            node.release();
            return false;
        };
        for (child, new) in self.children.run(start, count).iter().zip(moves) {
            child.init(new.mv, new.prior, amaf_weight * new.prior.weight);
        }
        node.publish(Block { start, count });
        true
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        if self.nodes.len() == 0 {
            return;
        }
        self.table.clear();
        let table = std::mem::replace(&mut self.table, Table::new(0));
        *self = Self::with_table(self.memory_mib, table);
    }

    /// Drops what `root` does not reach, once a third of the memory is used.
    /// Returns the root's new index. What is kept fills at most a third, and
    /// is what was copied before `is_late` said so: what is far from the root
    /// goes first.
    pub fn collect(&mut self, root: NodeId, is_late: &dyn Fn() -> bool) -> NodeId {
        if self.budget.fraction() < 1.0 / 3.0 {
            return root;
        }
        let table = std::mem::replace(&mut self.table, Table::new(0));
        table.clear();
        let old = std::mem::replace(self, Self::with_table(self.memory_mib, table));
        Collector { old: &old, new: self, moved: HashMap::new() }.run(root, is_late)
    }
}

/// Copies one tree into an empty one.
struct Collector<'a> {
    old: &'a Tree,
    new: &'a Tree,
    moved: HashMap<NodeId, NodeId>,
}

impl Collector<'_> {
    fn run(mut self, root: NodeId, is_late: &dyn Fn() -> bool) -> NodeId {
        let new_root = self.copy_node(root).unwrap_or(NodeId::NONE);
        // Breadth first, so that what is near the root is kept when room is
        // short.
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(id) = queue.pop_front()
            && !is_late()
        {
            self.copy_children(id, &mut queue);
        }
        new_root
    }

    /// The copy of node `id`, without children; made if there is none yet.
    fn copy_node(&mut self, id: NodeId) -> Option<NodeId> {
        if let Some(&new) = self.moved.get(&id) {
            return Some(new);
        }
        let old = self.old.node(id);
        let new = NodeId(self.new.nodes.allocate(1, &self.new.budget)?);
        self.new.node(new).copy_totals(old);
        self.new.table.store(old.key(), Link(new));
        self.moved.insert(id, new);
        Some(new)
    }

    fn copy_children(&mut self, id: NodeId, queue: &mut std::collections::VecDeque<NodeId>) {
        let old = self.old.node(id);
        let Some(children) = self.old.children(old) else { return };
        if self.new.budget.fraction() > 1.0 / 3.0 {
            return;
        }
        let Some(start) = self.new.children.allocate(children.len() as u32, &self.new.budget) else { return };
        let count = children.len() as u16;
        for (from, to) in children.iter().zip(self.new.children.run(start, count)) {
            let mut link = NodeId::NONE;
            if from.node() != NodeId::NONE {
                let fresh = !self.moved.contains_key(&from.node());
                link = self.copy_node(from.node()).unwrap_or(NodeId::NONE);
                if fresh && link != NodeId::NONE {
                    queue.push_back(from.node());
                }
            }
            to.copy_from(from, link);
        }
        if let Some(new) = self.moved.get(&id) {
            let new = self.new.node(*new);
            new.publish(Block { start, count });
            if let Some(look) = old.looked_at() {
                new.ask(look);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::hash::mix;
    use crate::uct::advice::Look;

    fn moves(count: u16) -> Vec<NewChild> {
        (0..count).map(|mv| NewChild { mv, prior: Prior { value: 0.5, weight: 4.0 } }).collect()
    }

    /// Expands the root and each of its children.
    fn grow(tree: &Tree, count: u16) -> NodeId {
        let root = tree.find_or_make(1).unwrap();
        assert!(tree.node(root).claim() && tree.expand(tree.node(root), &moves(count), 1.0));
        for child in tree.children(tree.node(root)).unwrap() {
            let Some(id) = tree.find_or_make(mix(child.mv().into())) else { break };
            let id = child.link(id);
            if !(tree.node(id).claim() && tree.expand(tree.node(id), &moves(count), 1.0)) {
                break;
            }
        }
        root
    }

    #[test]
    fn positions_are_joined() {
        let tree = Tree::new(4);
        let first = tree.find_or_make(77).unwrap();
        assert_eq!(tree.find_or_make(77), Some(first));
        assert_ne!(tree.find_or_make(78), Some(first));
        assert_eq!(tree.find(79), None);
    }

    #[test]
    fn a_full_tree_stops_growing() {
        let tree = Tree::new(2);
        grow(&tree, 600);
        assert!(tree.bytes() <= 1 << 20);
        assert!(tree.expansion_threshold(4) > 4);
        assert!((0..200_000).any(|key| tree.find_or_make(mix(key)).is_none()));
    }

    #[test]
    fn collecting_keeps_what_the_root_reaches() {
        let mut tree = Tree::new(4);
        let root = grow(&tree, 200);
        tree.node(root).visit();
        assert!(tree.budget.fraction() > 1.0 / 3.0);
        let child = tree.children(tree.node(root)).unwrap()[7].node();
        for _ in 0..5 {
            tree.node(child).visit();
        }
        assert_eq!(tree.node(child).ask(Look::AllWays), Some(true));
        tree.node(child).advise(0.5);
        let new_root = tree.collect(child, &|| false);
        assert_eq!(tree.node(new_root).visits(), 5);
        assert_eq!(tree.node(new_root).advice(), Some(0.5));
        assert_eq!(tree.node(new_root).ask(Look::AllWays), None, "what the network said is kept");
        assert_eq!(tree.children(tree.node(new_root)).unwrap().len(), 200);
        assert_eq!(tree.find(mix(7)), Some(new_root));
        assert_eq!(tree.find(1), None, "the old root is gone");
        assert!(tree.node_count() < 3);
    }

    #[test]
    fn collecting_stops_when_time_is_short() {
        let mut tree = Tree::new(4);
        let root = grow(&tree, 200);
        for _ in 0..7 {
            tree.node(root).visit();
        }
        let root = tree.collect(root, &|| true);
        assert_eq!(tree.node(root).visits(), 7);
        assert!(tree.children(tree.node(root)).is_none());
        assert_eq!(tree.node_count(), 1);
    }
}
