//! The search: simulations from the root, and what they say in the end.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::advice::{Adviser, recent_moves};
use super::child::Child;
use super::history::History;
use super::memory::Hints;
use super::memory::remind::{self, Reminded};
use super::node::NodeId;
use super::parallel::{Referee, Standing};
use super::params::SearchParams;
use super::prior::{EvenPriors, PriorSource, TacticalPriors};
use super::report::{MoveReport, Report};
use super::select::Formula;
use super::simulate::{PASS, Root, Tally, Worker, position_key};
use super::tree::Tree;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::{Event, Game};
use crate::go::geometry::{G9, G13, G19, G25, Geometry, Point};
use crate::go::rules::Scoring;
use crate::net::network::Network;
use crate::playout::{Policy, Rollout};
use crate::shared::control::{Limits, StopFlag};
use crate::shared::hash::Key;
use crate::shared::rng::Rng;

/// How a search is set up, apart from the position.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads on the tree.
    pub threads: usize,
    /// Memory for the tree, in MiB.
    pub memory_mib: usize,
    /// Seed of the playouts. One thread, one seed and a limit on simulations
    /// give the same search every time.
    pub seed: u64,
    /// Which playouts.
    pub policy: Policy,
    /// Numbers that shape the search.
    pub params: SearchParams,
    /// What earlier games taught of positions near the root.
    pub hints: Arc<Hints>,
    /// The network, if one gives advice.
    pub net: Option<Arc<Network>>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            threads: 1,
            memory_mib: 512,
            seed: 1,
            policy: Policy::Heavy,
            params: SearchParams::default(),
            hints: Arc::default(),
            net: None,
        }
    }
}

/// One question to a search.
pub struct Request<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// The player to move.
    pub to_move: Color,
    /// When to end.
    pub limits: Limits,
    /// Ends the search from outside.
    pub stop: &'a StopFlag,
    /// How often to report on the way, if at all.
    pub report_every: Option<Duration>,
    /// How the search is set up.
    pub settings: &'a Settings,
    /// Restricts the root to these moves, unless empty.
    pub allowed: &'a [Move],
}

/// A search that keeps its tree from one question to the next. Boards of any
/// size are searched behind this one interface.
pub trait Search: Send {
    /// Searches, calling `observer` on the way as often as the request says.
    fn search(&mut self, request: &Request<'_>, observer: &mut dyn FnMut(&Report)) -> Report;
    /// Forgets the tree.
    fn clear(&mut self);
}

/// A search for boards of `size`.
#[must_use]
pub fn new_search(size: Size) -> Box<dyn Search> {
    match size.longer_side() {
        ..=9 => Box::new(Searcher::<G9>::new()),
        10..=13 => Box::new(Searcher::<G13>::new()),
        14..=19 => Box::new(Searcher::<G19>::new()),
        _ => Box::new(Searcher::<G25>::new()),
    }
}

/// What a tree's values depend on besides the position: a tree made for other
/// terms is of no use.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Terms {
    komi: f64,
    scoring: Scoring,
    size: Size,
    policy: Policy,
    params: SearchParams,
    /// The network's fingerprint.
    net: Option<u64>,
}

/// A search for boards of one geometry.
pub struct Searcher<G: Geometry> {
    tree: Option<Tree>,
    terms: Option<Terms>,
    geometry: std::marker::PhantomData<G>,
}

impl<G: Geometry> Default for Searcher<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Geometry> Searcher<G> {
    /// A search without a tree yet.
    #[must_use]
    pub fn new() -> Self {
        Searcher { tree: None, terms: None, geometry: std::marker::PhantomData }
    }

    /// Finds the root's node in the tree of the last search, or starts anew.
    fn take_root(&mut self, settings: &Settings, terms: Terms, key: Key, referee: &Referee<'_>) -> NodeId {
        let memory = settings.memory_mib;
        if self.tree.as_ref().is_none_or(|tree| tree.memory_mib() != memory.max(2)) {
            self.tree = Some(Tree::new(memory));
        }
        let Some(tree) = &mut self.tree else { return NodeId::NONE };
        if self.terms != Some(terms) {
            tree.clear();
            self.terms = Some(terms);
        }
        match tree.find(key) {
            Some(id) => tree.collect(id, &|| referee.is_late()),
            None => {
                tree.clear();
                tree.find_or_make(key).unwrap_or(NodeId::NONE)
            }
        }
    }
}

impl<G: Geometry> Search for Searcher<G> {
    fn search(&mut self, request: &Request<'_>, observer: &mut dyn FnMut(&Report)) -> Report {
        // What is done before the first simulation takes time as well.
        let referee = Referee::new(request.limits, request.stop);
        let settings = request.settings;
        let (board, past) = replay::<G>(request.game);
        let passes = request.game.passes_in_a_row().min(1) as u8;
        let komi = request.game.total_komi();
        let terms = Terms {
            komi,
            scoring: request.game.rules().scoring,
            size: board.size(),
            policy: settings.policy,
            params: settings.params,
            net: settings.net.as_ref().map(|net| net.fingerprint()),
        };
        let key = position_key(&board, request.to_move, passes);
        let node = self.take_root(settings, terms, key, &referee);
        let Some(tree) = &self.tree else { unreachable!("take_root makes a tree") };
        if !settings.hints.is_empty() {
            let root = (node, &board, request.to_move);
            let amaf_weight = settings.params.prior_amaf as f32;
            remind::tell(tree, root, &settings.hints, &mut *priors(settings), amaf_weight);
        }
        let root = Root {
            tree,
            node,
            board: &board,
            to_move: request.to_move,
            passes,
            history: History::new(past),
            recent: recent_moves(&board, request.game, request.to_move),
            komi,
            placed: request.game.placed_balance(),
            formula: formula(&settings.params),
            expand_visits: match settings.policy {
                Policy::Light => settings.params.light_expand_visits as u32,
                Policy::Heavy => settings.params.expand_visits as u32,
            },
            params: settings.params,
            worth: OnceLock::new(),
            allowed: request.allowed.iter().map(|&mv| number(&board, mv)).collect(),
        };
        Run { root: &root, referee: &referee, request }.all_threads(observer)
    }

    fn clear(&mut self) {
        self.terms = None;
        if let Some(tree) = &mut self.tree {
            tree.clear();
        }
    }
}

fn formula(params: &SearchParams) -> Formula {
    Formula {
        inverse_equivalence: 1.0 / params.rave_equivalence as f32,
        exploration: params.exploration as f32,
        policy: params.net_exploration as f32,
        first_play_urgency: params.first_play_urgency as f32,
    }
}

/// The game's last position on a board of geometry `G`, and the keys of all
/// positions before it.
fn replay<G: Geometry>(game: &Game) -> (Board<G>, Vec<Key>) {
    let mut board = Board::<G>::new(game.size());
    let start = game.start();
    for coord in game.size().coords() {
        if let Some(color) = start.color_at(start.point(coord)) {
            board.set_stone(board.point(coord), Some(color));
        }
    }
    let mut past = Vec::with_capacity(game.events().len() + 1);
    for event in game.events() {
        past.push(board.key());
        match event {
            Event::Move(color, Move::Pass) => board.pass(*color),
            Event::Move(color, Move::Play(coord)) => board.play(board.point(*coord), *color),
            Event::Setup(stones) => {
                stones.iter().for_each(|&(coord, stone)| board.set_stone(board.point(coord), stone));
                board.remove_breathless();
            }
        }
    }
    past.push(board.key());
    (board, past)
}

/// The number that the tree gives to a move.
fn number<G: Geometry>(board: &Board<G>, mv: Move) -> u16 {
    mv.coord().map_or(PASS, |coord: Coord| board.point(coord).index() as u16)
}

/// The move that the tree numbers `mv`.
fn named<G: Geometry>(board: &Board<G>, mv: u16) -> Move {
    if mv == PASS { Move::Pass } else { Move::Play(board.coord(Point::from_index(mv.into()))) }
}

fn rollout<G: Geometry>(settings: &Settings) -> Box<dyn Rollout<G>> {
    settings.policy.rollout()
}

fn priors<G: Geometry>(settings: &Settings) -> Box<dyn PriorSource<G>> {
    let general: Box<dyn PriorSource<G>> = match settings.policy {
        Policy::Light => Box::new(EvenPriors::new(&settings.params)),
        Policy::Heavy => Box::new(TacticalPriors::new(&settings.params)),
    };
    if settings.hints.is_empty() { general } else { Box::new(Reminded::new(settings.hints.clone(), general)) }
}

/// One search under way.
struct Run<'a, G: Geometry> {
    root: &'a Root<'a, G>,
    referee: &'a Referee<'a>,
    request: &'a Request<'a>,
}

impl<G: Geometry> Run<'_, G> {
    fn worker(&self, stream: u64) -> Worker<'_, G> {
        let settings = self.request.settings;
        // Each move of a game gets playouts of its own.
        let moves = self.request.game.events().len() as u64;
        let rng = Rng::new(settings.seed, stream << 32 | moves);
        let size = self.root.board.size();
        // The network counts area, which differs by the stones placed.
        let komi = self.root.komi + f64::from(self.root.placed.unwrap_or(0));
        let adviser = settings.net.clone().map(|net| Adviser::new(net, size, komi, &settings.params));
        Worker::new(self.root, rng, rollout(settings), priors(settings), adviser)
    }

    fn all_threads(&self, observer: &mut dyn FnMut(&Report)) -> Report {
        let threads = self.request.settings.threads.max(1) as u64;
        let tally = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|stream| scope.spawn(move || self.work(self.worker(stream), &mut |_| {})))
                .collect();
            let mut tally = self.work(self.worker(0), &mut |tally| observer(&self.report(tally)));
            for other in others {
                if let Ok(more) = other.join() {
                    tally.merge(&more);
                }
            }
            tally
        });
        self.report(&tally)
    }

    /// Runs simulations until the search is over.
    fn work(&self, mut worker: Worker<'_, G>, observer: &mut dyn FnMut(&Tally)) -> Tally {
        let every = self.root.params.check_every as u64;
        let mut next_report = self.request.report_every;
        while self.referee.begin() {
            worker.simulate();
            if !worker.tally.simulations.is_multiple_of(every) {
                continue;
            }
            if self.referee.must_end() || self.referee.may_end(self.standing()) {
                self.referee.end();
            }
            if let (Some(at), Some(every)) = (next_report, self.request.report_every)
                && self.referee.elapsed() >= at
            {
                observer(&worker.tally);
                next_report = Some(self.referee.elapsed() + every);
            }
        }
        self.referee.end();
        worker.tally
    }

    fn standing(&self) -> Standing {
        if !self.referee.is_timed() {
            return Standing::default();
        }
        let root = self.root;
        let Some(children) = root.tree.children(root.tree.node(root.node)) else {
            return Standing::default();
        };
        let (mut most, mut second, mut value, mut best_value) = (0, 0, 0.0, f32::MIN);
        for child in children {
            let visits = child.visits();
            if visits > most {
                (most, second, value) = (visits, most, child.value());
            } else {
                second = second.max(visits);
            }
            if visits * 8 > most {
                best_value = best_value.max(child.value());
            }
        }
        Standing { most, second, disputed: best_value > value + 0.01 }
    }

    fn report(&self, tally: &Tally) -> Report {
        let root = self.root;
        let node = root.tree.node(root.node);
        let mut children: Vec<&Child> = root
            .tree
            .children(node)
            .unwrap_or(&[])
            .iter()
            .filter(|child| root.may_play(child.mv()))
            .collect();
        children.sort_by(|a, b| b.visits().cmp(&a.visits()).then(b.value().total_cmp(&a.value())));
        let ownership = tally.ownership(root.board);
        let best = self.choose(&children, &ownership);
        children.sort_by_key(|child| named(root.board, child.mv()) != best);
        // Results in a node are for the player who moved into it.
        let totals = node.totals();
        let visits = f64::from(totals.visits.max(1));
        let asked = node.looked_at().is_some();
        Report {
            to_move: root.to_move,
            best,
            win_rate: 1.0 - root.win_rate(&totals),
            score_mean: -totals.score / visits,
            score_stdev: tally.score_stdev(),
            moves: children.iter().map(|child| self.move_report(child, asked)).collect(),
            root_visits: totals.visits.into(),
            simulations: tally.simulations,
            ownership,
            tree_nodes: root.tree.node_count().into(),
            tree_bytes: root.tree.bytes() as u64,
            elapsed: self.referee.elapsed(),
        }
    }

    /// The move to play among `children`, most visited first.
    ///
    /// A pass after a pass ends the game: it is played at once if it wins,
    /// with every stone on the board taken as alive and also with points given
    /// to their likely owners. A pass that would lose if the game ended here
    /// is played only when there is nothing else; under territory scoring, where
    /// moves cost points, the search has weighed it like any other move.
    fn choose(&self, children: &[&Child], ownership: &[f32]) -> Move {
        let root = self.root;
        let sign = f64::from(root.to_move.sign());
        let as_it_stands = sign * (f64::from(root.board.area_score()) - root.komi);
        let settled = ownership.iter().map(|owner| f64::from(owner.signum())).sum::<f64>();
        let margin = match root.placed {
            Some(placed) => sign * (settled - f64::from(placed) - root.komi),
            None => as_it_stands.min(sign * (settled - root.komi)),
        };
        let may_pass = children.iter().any(|child| child.mv() == PASS);
        if root.passes > 0 && margin > 0.0 && may_pass {
            return Move::Pass;
        }
        let wanted = |child: &&&Child| child.mv() != PASS || margin >= 0.0 || root.placed.is_some();
        let best = children.iter().find(wanted);
        best.map_or(Move::Pass, |child| named(root.board, child.mv()))
    }

    /// What is known of a move; its prior is the network's probability where the
    /// network was asked.
    fn move_report(&self, child: &Child, asked: bool) -> MoveReport {
        let root = self.root;
        let visits = u64::from(child.visits());
        let (win_rate, score_mean) = match child.node() {
            NodeId::NONE => (f64::from(child.value()), 0.0),
            id => {
                let totals = root.tree.node(id).totals();
                let count = f64::from(totals.visits.max(1));
                (root.win_rate(&totals), totals.score / count)
            }
        };
        let n = visits.max(1) as f64;
        // Wilson's interval, which stays within 0 and 1.
        let z = 1.96;
        let center = win_rate + z * z / (2.0 * n);
        let spread = z * (win_rate * (1.0 - win_rate) / n + z * z / (4.0 * n * n)).sqrt();
        let lcb = if visits == 0 { 0.0 } else { (center - spread) / (1.0 + z * z / n) };
        MoveReport {
            mv: named(root.board, child.mv()),
            visits,
            win_rate,
            prior: if asked { child.policy() } else { child.prior().value }.into(),
            lcb,
            score_mean,
            pv: self.principal_variation(child),
        }
    }

    /// `child`'s move and the most visited moves after it.
    fn principal_variation(&self, child: &Child) -> Vec<Move> {
        const LONGEST: usize = 20;
        let root = self.root;
        let mut line = vec![named(root.board, child.mv())];
        let mut id = child.node();
        while line.len() < LONGEST && id != NodeId::NONE {
            let children = root.tree.children(root.tree.node(id)).unwrap_or(&[]);
            let Some(next) = children.iter().max_by_key(|child| child.visits()) else { break };
            if next.visits() == 0 {
                break;
            }
            line.push(named(root.board, next.mv()));
            id = next.node();
        }
        line
    }
}
