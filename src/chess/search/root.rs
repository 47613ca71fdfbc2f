//! Iterative deepening from the root, with aspiration windows, on one or more
//! threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::node::Node;
use super::{Common, Line, Link, Outcome, Recall, Request, Worker};
use crate::chess::score::{INFINITE, MATE, MAX_PLY};
use crate::chess::table::{Bound, ChessTable};
use crate::chess::types::Move;
use crate::shared::control::Stopwatch;

/// Room for the deepest line.
const STACK: usize = 16 << 20;

/// Searches with one thread for each of `workers`; the first reports each line
/// it completes. Returns at once without legal moves, and never blocks: a
/// search without limits ends when it has reached the greatest depth.
pub fn search(
    request: &Request,
    workers: &mut [Worker],
    table: &ChessTable,
    link: &Link,
    report: &mut dyn FnMut(&Line),
) -> Outcome {
    let legal = request.position.legal_moves();
    let mut moves: Vec<Move> = legal.iter().copied().filter(|mv| request.moves.contains(mv)).collect();
    if moves.is_empty() {
        moves = legal.to_vec();
    }
    let Some(&first) = moves.first() else { return Outcome::default() };
    table.age();
    let common = Common {
        table,
        link,
        done: AtomicBool::new(false),
        nodes: workers.iter().map(|_| AtomicU64::new(0)).collect(),
        watch: Stopwatch::start(),
    };
    for (number, worker) in workers.iter_mut().enumerate() {
        worker.prepare(number, request, &moves);
    }
    let Some((main, helpers)) = workers.split_first_mut() else { return Outcome::default() };
    let recalled = request.recall.as_ref().and_then(|recall| recall.moves.first());
    let best = recalled.copied().filter(|mv| moves.contains(mv)).or(Some(first));
    let mut outcome = Outcome { best, ..Outcome::default() };
    std::thread::scope(|scope| {
        for helper in helpers {
            let common = &common;
            let work = move || helper.deepen(common, request, &mut Outcome::default(), &mut |_| ());
            let thread = std::thread::Builder::new().name("chess helper".into()).stack_size(STACK);
            if let Err(error) = thread.spawn_scoped(scope, work) {
                tracing::warn!("searching with fewer threads: {error}");
            }
        }
        main.deepen(&common, request, &mut outcome, report);
        common.done.store(true, Relaxed);
    });
    outcome.nodes = common.total_nodes();
    outcome
}

impl Outcome {
    /// That of an iteration with this line; `before` was the best move until now.
    fn from(line: &Line, before: Option<Move>) -> Outcome {
        Outcome {
            best: line.moves.first().copied().or(before),
            ponder: line.moves.get(1).copied(),
            score: line.score,
            depth: line.depth,
            nodes: 0,
            line: line.moves.clone(),
        }
    }
}

/// How a best move has fared from depth to depth, for the clock.
#[derive(Default)]
struct Stability {
    best: Option<Move>,
    depths: u32,
    score: i32,
}

impl Worker {
    fn deepen(
        &mut self,
        common: &Common,
        request: &Request,
        outcome: &mut Outcome,
        report: &mut dyn FnMut(&Line),
    ) {
        let limit = request.depth.unwrap_or(MAX_PLY as u32 - 1).clamp(1, MAX_PLY as u32 - 1);
        let all = self.root_moves.clone();
        let mut scores = vec![0; request.lines.clamp(1, all.len())];
        let mut stability = Stability::default();
        // A deeper search of the root answers for the iterations before its own
        // depth, and for a search that is to end there, if it may play its move
        // and one line is asked for.
        let recall = request
            .recall
            .as_ref()
            .filter(|recall| scores.len() == 1 && recall.moves.first().is_some_and(|mv| all.contains(mv)));
        let answers = |depth| recall.filter(|recall| depth < recall.depth || limit <= recall.depth);
        for depth in 1..=limit {
            self.root_depth = depth as i32;
            let mut found: Vec<Move> = Vec::new();
            for (index, score) in scores.iter_mut().enumerate() {
                self.root_moves = all.iter().copied().filter(|mv| !found.contains(mv)).collect();
                self.root_nodes = vec![0; self.root_moves.len()];
                self.selective = 0;
                let before = self.nodes;
                // What is known already is searched again only to get ready for
                // what lies beyond it.
                if answers(limit).is_none() {
                    let Some(value) = self.aspire(common, request, *score, depth) else {
                        if index == 0 && answers(depth).is_none() {
                            self.salvage(outcome);
                        }
                        break;
                    };
                    *score = value;
                }
                let mut line = self.line(common, index + 1, *score, depth);
                if let Some(Recall { score, moves, .. }) = answers(depth) {
                    line = Line { score: *score, moves: moves.clone(), ..line };
                }
                found.extend(line.moves.first());
                if index == 0 {
                    *outcome = Outcome::from(&line, outcome.best);
                    stability.update(outcome);
                    self.note_effort(outcome, (self.nodes - before).max(1), &mut stability);
                }
                report(&line);
            }
            common.nodes[self.number].store(self.nodes, Relaxed);
            if self.stopped || self.number == 0 && self.is_enough(common, request, outcome, &stability) {
                break;
            }
        }
        common.nodes[self.number].store(self.nodes, Relaxed);
        self.root_moves = all;
    }

    /// Takes over the best move of an iteration that was stopped: it is the
    /// last iteration's, or one that has proved better.
    fn salvage(&self, outcome: &mut Outcome) {
        if let Some(&best) = self.lines[0].first().or(self.promising.first())
            && outcome.best != Some(best)
        {
            outcome.best = Some(best);
            outcome.ponder = self.lines[0].get(1).copied();
        }
    }

    /// Searches with a narrow window around the last score, wider where that
    /// fails. `None` once stopped.
    fn aspire(&mut self, common: &Common, request: &Request, last: i32, depth: u32) -> Option<i32> {
        let mut width = 18;
        let (mut alpha, mut beta) =
            if depth >= 5 { (last - width, last + width) } else { (-INFINITE, INFINITE) };
        let mut reduced = 0;
        self.promising.clear();
        loop {
            let window = Node {
                depth: (depth as i32 - reduced).max(1),
                ply: 0,
                alpha: alpha.max(-INFINITE),
                beta: beta.min(INFINITE),
                cut: false,
            };
            let score = self.search::<true>(common, &request.position, window);
            if self.stopped {
                return None;
            }
            width += width / 2 + 5;
            if score <= alpha && alpha > -INFINITE {
                self.promising.clear();
                beta = (alpha + beta) / 2;
                alpha = score - width;
                reduced = 0;
            } else if score >= beta && beta < INFINITE {
                self.promising.clone_from(&self.lines[0]);
                beta = score + width;
                reduced = (reduced + 1).min(2);
            } else {
                return Some(score);
            }
            if width > 600 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    fn line(&self, common: &Common, rank: usize, score: i32, depth: u32) -> Line {
        common.nodes[self.number].store(self.nodes, Relaxed);
        Line {
            depth,
            selective: self.selective as u32 + 1,
            rank,
            score,
            bound: Bound::Exact,
            nodes: common.total_nodes(),
            time: common.watch.elapsed(),
            hashfull: common.table.permille_used(),
            moves: self.lines[0].clone(),
        }
    }

    /// Remembers what share of the nodes went into the best move.
    fn note_effort(&self, outcome: &Outcome, spent: u64, stability: &mut Stability) {
        let index = self.root_moves.iter().position(|&mv| Some(mv) == outcome.best);
        let nodes = index.map_or(0, |index| self.root_nodes[index]);
        if nodes * 10 < spent * 6 {
            stability.depths = stability.depths.saturating_sub(1);
        }
    }

    /// Whether another iteration is not worth its time, or not asked for.
    fn is_enough(
        &self,
        common: &Common,
        request: &Request,
        outcome: &Outcome,
        stability: &Stability,
    ) -> bool {
        let found_mate = request.mate.is_some_and(|moves| outcome.score >= MATE - 2 * moves as i32);
        if common.link.is_waiting() {
            return false;
        }
        let Some(soft) = self.limits.soft_time else { return found_mate };
        let hard = self.limits.hard_time.unwrap_or(soft);
        let exact = hard == soft;
        let only_move = request.lines == 1 && self.root_moves.len() == 1 && !exact;
        let percent = if exact { 100 } else { stability.percent() };
        found_mate || only_move || common.link.charged() * 100 >= soft * percent
    }
}

impl Stability {
    fn update(&mut self, outcome: &Outcome) {
        if self.best == outcome.best {
            self.depths += 1;
        } else {
            self.depths = 0;
            self.best = outcome.best;
        }
        if outcome.score < self.score - 30 {
            self.depths = self.depths.saturating_sub(2);
        }
        self.score = outcome.score;
    }

    /// How much of the soft limit to use, in hundredths.
    fn percent(&self) -> u32 {
        [220, 160, 125, 105, 90, 80, 72][self.depths.min(6) as usize]
    }
}
