//! One simulation: down the tree, a playout, and back up.

use std::sync::OnceLock;

use super::advice::{Adviser, Asked, Look, Recent};
use super::child::{Child, Prior};
use super::history::History;
use super::node::{Node, NodeId, Totals};
use super::params::SearchParams;
use super::prior::PriorSource;
use super::rave::FirstPlays;
use super::select::{Contest, Formula};
use super::tree::{NewChild, Tree};
use super::worth::Worth;
use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};
use crate::net::features::HISTORY;
use crate::playout::{Played, Rollout};
use crate::shared::hash::{Key, feature};
use crate::shared::rng::Rng;

/// The tree's number for a pass: a border point in every geometry.
pub(super) const PASS: u16 = 0;

/// Keys for the player to move and for a pass just made.
const WHITE_TO_MOVE: Key = feature(0x7365_6172, 0);
const AFTER_PASS: Key = feature(0x7365_6172, 1);

/// Results at the root that tell who is behind.
const TO_TELL_WHO_IS_BEHIND: u32 = 32;

/// Every how many simulations a playout's end is counted for ownership.
const OWNERSHIP_EVERY: u64 = 4;

/// The key of a position in the tree: stones, ko point, player to move, and
/// whether the last move was a pass.
pub(super) fn position_key<G: Geometry>(board: &Board<G>, to_move: Color, passes: u8) -> Key {
    let side = if to_move == Color::White { WHITE_TO_MOVE } else { 0 };
    let pass = if passes > 0 { AFTER_PASS } else { 0 };
    board.key() ^ board.ko_key() ^ side ^ pass
}

/// What all threads of a search share.
pub(super) struct Root<'a, G: Geometry> {
    pub tree: &'a Tree,
    pub node: NodeId,
    pub board: &'a Board<G>,
    pub to_move: Color,
    /// 1 if the last move was a pass.
    pub passes: u8,
    /// Positions of the game so far, the root included.
    pub history: History,
    /// The moves before the root.
    pub recent: Recent,
    pub komi: f64,
    /// Under territory scoring: stones that Black has placed so far, minus
    /// those that White has.
    pub placed: Option<i32>,
    pub formula: Formula,
    /// Visits that a position needs before its moves enter the tree.
    pub expand_visits: u32,
    pub params: SearchParams,
    /// What results are worth, once it is known who is behind.
    pub worth: OnceLock<Worth>,
    /// Moves that the root is restricted to, unless empty.
    pub allowed: Vec<u16>,
}

impl<G: Geometry> Root<'_, G> {
    /// The win rate that `totals` come to, the network's opinion counted, for
    /// the same player.
    pub fn win_rate(&self, totals: &Totals) -> f64 {
        let played_out = totals.wins / f64::from(totals.visits.max(1));
        let weight = self.advice_weight();
        totals.advice.map_or(played_out, |advice| played_out + weight * (f64::from(advice) - played_out))
    }

    /// The share of the network's win rate in a position's value. It counts on
    /// the boards where matches have shown that it gains.
    fn advice_weight(&self) -> f64 {
        let size = self.board.size();
        match [size.width(), size.height()] {
            [9, 9] => self.params.net_value_9x9,
            [19, 19] => self.params.net_value_19x19,
            _ => 0.0,
        }
    }

    /// What results are worth before it is known who is behind.
    fn usual_worth(&self) -> Worth {
        Worth::new(&self.params, self.board.size().longer_side().into())
    }

    /// What results are worth, if there are enough to tell who is behind.
    fn worth(&self) -> Option<Worth> {
        let totals = self.tree.node(self.node).totals();
        if totals.visits < TO_TELL_WHO_IS_BEHIND {
            return None;
        }
        let found = self.worth.get_or_init(|| {
            // The node's are the opponent's.
            let score = -totals.score / f64::from(totals.visits) * f64::from(self.to_move.sign());
            let side = self.board.size().longer_side().into();
            self.usual_worth().expecting(&self.params, side, self.to_move, score as f32)
        });
        Some(*found)
    }

    /// Whether the move numbered `mv`, legal but for repetition, may be played
    /// at the root.
    pub fn may_play(&self, mv: u16) -> bool {
        if !self.allowed.is_empty() && !self.allowed.contains(&mv) {
            return false;
        }
        if mv == PASS {
            return true;
        }
        let mut board = self.board.clone();
        board.play(Point::from_index(mv.into()), self.to_move);
        !self.history.contains(board.key())
    }
}

/// Sums over the simulations of one thread.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub simulations: u64,
    score: f64,
    score_squared: f64,
    counted: u32,
    /// Times that Black owned a point, minus times that White did.
    owned: Vec<i32>,
}

impl Tally {
    fn new(area: usize) -> Self {
        Tally { simulations: 0, score: 0.0, score_squared: 0.0, counted: 0, owned: vec![0; area] }
    }

    /// Adds another thread's sums.
    pub fn merge(&mut self, other: &Tally) {
        self.simulations += other.simulations;
        self.score += other.score;
        self.score_squared += other.score_squared;
        self.counted += other.counted;
        self.owned.iter_mut().zip(&other.owned).for_each(|(sum, more)| *sum += more);
    }

    /// Standard deviation of the score.
    pub fn score_stdev(&self) -> f64 {
        let n = self.simulations.max(1) as f64;
        (self.score_squared / n - (self.score / n).powi(2)).max(0.0).sqrt()
    }

    /// Mean owner of each point, Black positive.
    pub fn ownership<G: Geometry>(&self, board: &Board<G>) -> Vec<f32> {
        let n = self.counted.max(1) as f32;
        board.size().coords().map(|coord| self.owned[board.point(coord).index()] as f32 / n).collect()
    }

    fn count_owners<G: Geometry>(&mut self, end: &Board<G>) {
        self.counted += 1;
        let stones = Color::BOTH.map(|color| end.stones(color));
        for color in Color::BOTH {
            let own = stones[color.index()];
            for point in own.iter() {
                self.owned[point.index()] += color.sign();
            }
        }
        for point in end.empty_points().iter() {
            let near = G::neighbor_mask(point);
            let by = [0, 1].map(|index: usize| near.intersects(stones[index]));
            self.owned[point.index()] += i32::from(by[0]) - i32::from(by[1]);
        }
    }
}

/// A move made on the way down.
struct Step<'a> {
    parent: &'a Node,
    siblings: &'a [Child],
    child: &'a Child,
    /// The node that the move leads to, unless memory is used up.
    node: Option<&'a Node>,
}

/// One thread of a search.
pub(super) struct Worker<'a, G: Geometry> {
    root: &'a Root<'a, G>,
    board: Board<G>,
    rng: Rng,
    rollout: Box<dyn Rollout<G>>,
    priors: Box<dyn PriorSource<G>>,
    adviser: Option<Adviser<G>>,
    advice_weight: f32,
    worth: Worth,
    /// Whether `worth` is what it is to the end of the search.
    is_weighed: bool,
    contest: Box<Contest>,
    path: Vec<Step<'a>>,
    /// Positions on the path, by the keys of their stones.
    keys: Vec<Key>,
    /// Moves of the playout.
    playout: Vec<Played>,
    first: FirstPlays,
    fresh: Vec<NewChild>,
    pub tally: Tally,
}

impl<'a, G: Geometry> Worker<'a, G> {
    pub fn new(
        root: &'a Root<'a, G>,
        rng: Rng,
        rollout: Box<dyn Rollout<G>>,
        priors: Box<dyn PriorSource<G>>,
        adviser: Option<Adviser<G>>,
    ) -> Self {
        Worker {
            root,
            board: root.board.clone(),
            rng,
            rollout,
            priors,
            adviser,
            advice_weight: root.advice_weight() as f32,
            worth: root.usual_worth(),
            is_weighed: false,
            contest: Box::default(),
            path: Vec::new(),
            keys: Vec::new(),
            playout: Vec::new(),
            first: FirstPlays::new(G::AREA),
            fresh: Vec::new(),
            tally: Tally::new(G::AREA),
        }
    }

    /// Runs one simulation and adds its result to the tree.
    pub fn simulate(&mut self) {
        if !self.is_weighed
            && let Some(worth) = self.root.worth()
        {
            if worth != self.worth {
                // The network's win rate says nothing of points.
                self.advice_weight = 0.0;
            }
            (self.worth, self.is_weighed) = (worth, true);
        }
        self.board.copy_from(self.root.board);
        self.path.clear();
        self.keys.clear();
        self.playout.clear();
        let (to_move, passes) = self.descend();
        // Under territory scoring dead stones need not be taken: the playout
        // finds them after two passes, too.
        let area = if passes < 2 || self.root.placed.is_some() {
            self.rollout.play_out(&mut self.board, to_move, &mut self.rng, &mut self.playout).score
        } else {
            self.board.area_score()
        };
        self.back_up(f64::from(area) - self.placed(to_move, passes), to_move);
        if self.tally.simulations.is_multiple_of(OWNERSHIP_EVERY) {
            self.tally.count_owners(&self.board);
        }
        self.tally.simulations += 1;
    }

    /// What territory scoring takes off the area, for Black: the stones that he
    /// placed more than White. Unless the game has ended, it is not known who
    /// makes the last move, and the next one counts for half; fillings of the
    /// playout are no moves of the game.
    fn placed(&self, to_move: Color, passes: u8) -> f64 {
        let Some(before) = self.root.placed else { return 0.0 };
        let mut mover = self.root.to_move;
        let mut placed = before;
        for step in &self.path {
            placed += if step.child.mv() == PASS { 0 } else { mover.sign() };
            mover = mover.opponent();
        }
        let next = if passes < 2 { 0.5 * f64::from(to_move.sign()) } else { 0.0 };
        f64::from(placed) + next
    }

    /// Follows the tree to its edge. Returns the player to move there and the
    /// number of passes in a row.
    fn descend(&mut self) -> (Color, u8) {
        let root = self.root;
        let (mut to_move, mut passes) = (root.to_move, root.passes);
        let mut node = root.tree.node(root.node);
        node.visit();
        let deepest = 2 * root.board.size().points();
        while passes < 2 && self.path.len() < deepest {
            let Some(siblings) = self.children_of(node, to_move, passes) else { break };
            self.seek_advice(node, siblings, to_move);
            let Some(child) = self.play_best(node, siblings, to_move) else { break };
            passes = if child.mv() == PASS { passes + 1 } else { 0 };
            to_move = to_move.opponent();
            child.visit();
            let id = self.follow(child, to_move, passes);
            let next = (id != NodeId::NONE).then(|| root.tree.node(id));
            self.path.push(Step { parent: node, siblings, child, node: next });
            let Some(next) = next else { break };
            root.tree.prefetch_children(next);
            next.visit();
            child.set_value(self.value_of(next, to_move.opponent()));
            node = next;
        }
        (to_move, passes)
    }

    /// The children of `node`, the board's position, expanding it if it is
    /// time to.
    fn children_of(&mut self, node: &Node, to_move: Color, passes: u8) -> Option<&'a [Child]> {
        let tree = self.root.tree;
        if let Some(children) = tree.children(node) {
            return Some(children);
        }
        let threshold = tree.expansion_threshold(self.root.expand_visits);
        let ripe = node.visits() >= threshold || self.is_at_top();
        if !ripe || !node.claim() {
            return None;
        }
        self.list_moves(to_move, passes);
        if !tree.expand(node, &self.fresh, self.root.params.prior_amaf as f32) {
            return None;
        }
        tree.children(node)
    }

    /// Whether the path has led to a position that gets its moves, and the
    /// network's advice, at its first visit.
    fn is_at_top(&self) -> bool {
        self.path.len() <= usize::from(self.adviser.is_some())
    }

    /// Asks the network about `node`, the board's position, if it is time to
    /// and nobody has done so as thoroughly.
    fn seek_advice(&mut self, node: &Node, children: &[Child], to_move: Color) {
        let look = if self.path.is_empty() { Look::AllWays } else { Look::Once };
        if !self.is_at_top() && f64::from(node.visits()) < self.root.params.net_visits {
            return;
        }
        let Some(adviser) = &mut self.adviser else { return };
        let Some(is_first) = node.ask(look) else { return };
        let made = self.path.iter().rev().map(|step| match step.child.mv() {
            PASS => None,
            mv => Some(Point::from_index(mv.into())),
        });
        let last: Vec<_> = made.chain(self.root.recent.iter().copied()).take(HISTORY).collect();
        let at = Asked { board: &self.board, to_move, last: &last };
        if !is_first {
            return adviser.revise(at, children);
        }
        let win = adviser.advise(at, look, children);
        // Nodes on the path alternate between the players.
        let mut value = 1.0 - win;
        for step in self.path.iter().rev() {
            step.node.inspect(|node| node.advise(value));
            value = 1.0 - value;
        }
        self.root.tree.node(self.root.node).advise(value);
    }

    /// Lists the moves that a new node gets: all legal ones that do not fill
    /// an own single-point eye, and a pass.
    fn list_moves(&mut self, to_move: Color, passes: u8) {
        self.fresh.clear();
        for point in self.board.empty_points().iter() {
            if self.board.is_legal(point, to_move, false) && !self.board.is_eye(point, to_move) {
                let prior = self.priors.rate(&self.board, to_move, point);
                self.fresh.push(NewChild { mv: point.index() as u16, prior });
            }
        }
        // A pass is rarely right, unless it ends the game.
        let weight = self.root.params.prior_even as f32;
        let value = if passes > 0 { 0.5 } else { 0.1 };
        self.fresh.push(NewChild { mv: PASS, prior: Prior { value, weight } });
    }

    /// Chooses a child and plays its move, passing over moves that repeat a
    /// position of the path or of the game.
    fn play_best(&mut self, node: &Node, siblings: &'a [Child], to_move: Color) -> Option<&'a Child> {
        let root = self.root;
        let mut refused: Vec<usize> = Vec::new();
        let restricted = self.path.is_empty() && !root.allowed.is_empty();
        loop {
            let index = if restricted || !refused.is_empty() {
                let allowed = |index: usize| {
                    let permitted = !restricted || root.allowed.contains(&siblings[index].mv());
                    permitted && !refused.contains(&index)
                };
                root.formula.best_allowed(siblings, node.visits(), allowed)?
            } else {
                self.contest.best(&root.formula, siblings, node.visits())?
            };
            let child = &siblings[index];
            if child.mv() == PASS {
                self.board.pass(to_move);
                return Some(child);
            }
            self.board.play(Point::from_index(child.mv().into()), to_move);
            let key = self.board.key();
            if !self.keys.contains(&key) && !root.history.contains(key) {
                self.keys.push(key);
                return Some(child);
            }
            refused.push(index);
            self.restore();
        }
    }

    /// Puts the board back to the end of the path.
    fn restore(&mut self) {
        self.board.copy_from(self.root.board);
        let mut color = self.root.to_move;
        for step in &self.path {
            match step.child.mv() {
                PASS => self.board.pass(color),
                mv => self.board.play(Point::from_index(mv.into()), color),
            }
            color = color.opponent();
        }
    }

    /// The node that `child` leads to, which is the board's position.
    fn follow(&self, child: &Child, to_move: Color, passes: u8) -> NodeId {
        let linked = child.node();
        if linked != NodeId::NONE {
            return linked;
        }
        let key = position_key(&self.board, to_move, passes.min(1)) ^ u64::from(passes >> 1);
        self.root.tree.find_or_make(key).map_or(NodeId::NONE, |id| child.link(id))
    }

    /// What `node` is worth to `mover`, who moved into it.
    #[inline]
    fn value_of(&self, node: &Node, mover: Color) -> f32 {
        let (win, score) = node.means();
        let played_out = self.worth.of(mover, win, score);
        match node.advice() {
            Some(advice) => played_out + self.advice_weight * (advice - played_out),
            None => played_out,
        }
    }

    /// Adds the result to the path's nodes, and the AMAF samples to the
    /// children along it. `points` are Black's minus White's without komi;
    /// `leaf` is the player to move at the end of the path.
    fn back_up(&mut self, points: f64, leaf: Color) {
        let score = points - self.root.komi;
        self.tally.score += score;
        self.tally.score_squared += score * score;
        let half_points = (2.0 * score).round() as i32;
        // In halves, for Black.
        let half_wins = if score > 0.0 { 2 } else { u32::from(score == 0.0) };
        let black = self.worth.of(Color::Black, half_wins as f32 * 0.5, score as f32);
        let for_player = |color: Color| if color == Color::Black { black } else { 1.0 - black };

        let depth = self.path.len();
        self.record_playout(depth);
        let horizon = self.root.params.rave_horizon * self.root.board.size().points() as f64;
        let mut mover = leaf;
        for (time, step) in self.path.iter().enumerate().rev() {
            mover = mover.opponent();
            self.first.record(step.child.mv().into(), mover, time);
            self.first.update(step.siblings, mover, for_player(mover), time, horizon as usize);
            match step.node {
                Some(node) => {
                    let (wins, points) = for_side(mover, half_wins, half_points);
                    node.add(wins, points);
                    step.child.set_value(self.value_of(node, mover));
                }
                None => step.child.add_own(for_player(mover)),
            }
        }
        let (wins, points) = for_side(self.root.to_move.opponent(), half_wins, half_points);
        let root = self.path.first().map_or_else(|| self.root.tree.node(self.root.node), |step| step.parent);
        root.add(wins, points);
    }

    /// Records who was first to play where in the playout, which began after
    /// `depth` moves in the tree.
    fn record_playout(&mut self, depth: usize) {
        self.first.clear();
        for (index, played) in self.playout.iter().enumerate().rev() {
            self.first.record(played.point.index(), played.color, depth + index);
        }
    }
}

/// A result for Black, in halves, as `color` sees it.
fn for_side(color: Color, half_wins: u32, half_points: i32) -> (u32, i32) {
    match color {
        Color::Black => (half_wins, half_points),
        Color::White => (2 - half_wins, -half_points),
    }
}
