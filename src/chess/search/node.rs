//! One interior node of the search.

use super::Common;
use super::worker::Worker;
use crate::chess::movegen::Generator;
use crate::chess::order::{Picker, PieceTo};
use crate::chess::position::Position;
use crate::chess::score::{DRAW, INFINITE, MATE, MATE_BOUND, MAX_PLY, is_mate, mated_in};
use crate::chess::see;
use crate::chess::table::{Bound, Known, NO_EVAL, score_to_keep};
use crate::chess::types::Move;

/// The window and place of a node.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Plies left.
    pub depth: i32,
    /// Plies from the root.
    pub ply: usize,
    /// Scores up to here are of no interest.
    pub alpha: i32,
    /// Scores from here on refute.
    pub beta: i32,
    /// Whether a refutation is expected.
    pub cut: bool,
}

/// What a node knows before it tries moves.
struct Facts {
    known: Option<Known>,
    table_move: Move,
    in_check: bool,
    /// The evaluation before correction.
    raw: i32,
    /// The best guess at the score: evaluation or table.
    guess: i32,
    improving: bool,
    on_pv: bool,
}

/// What became of the moves tried so far.
struct Progress {
    best: i32,
    best_move: Move,
    count: i32,
    tried: [Move; 48],
    tried_len: usize,
}

impl Progress {
    fn note(&mut self, mv: Move) {
        if self.tried_len < self.tried.len() {
            self.tried[self.tried_len] = mv;
            self.tried_len += 1;
        }
    }
}

/// Plies to take off a quiet move's depth: 0.8 + ln(depth) ln(count) / 2.2, in
/// hundredths, by whole numbers.
fn base_reduction(depth: i32, count: i32) -> i32 {
    80 + log100(depth) * log100(count) / 220
}

/// A hundred times the natural logarithm, from a table of halves of powers of two.
fn log100(n: i32) -> i32 {
    const LOGS: [u16; 64] = logs();
    i32::from(LOGS[n.clamp(1, 63) as usize])
}

/// 100 ln n for n below 64, by summing 100 ln(1 + 1/k) as 200/(2k+1) (1 + 1/(3(2k+1)²)).
const fn logs() -> [u16; 64] {
    let mut table = [0; 64];
    let (mut n, mut sum) = (1u64, 0u64);
    while n < 64 {
        table[n as usize] = ((sum + 500_000) / 1_000_000) as u16;
        let odd = 2 * n + 1;
        sum += 200_000_000 / odd
            + 200_000_000 / (3 * odd * odd * odd)
            + 40_000_000 / (odd * odd * odd * odd * odd);
        n += 1;
    }
    table
}

impl Worker {
    /// The score of `position` within the node's window, from the view of the
    /// side to move; without meaning once the search is stopped.
    pub(super) fn search<const PV: bool>(
        &mut self,
        common: &Common,
        position: &Position,
        mut node: Node,
    ) -> i32 {
        let Node { ply, .. } = node;
        if node.depth <= 0 || ply >= MAX_PLY - 1 {
            return self.quiescence::<PV>(common, position, ply, node.alpha, node.beta);
        }
        self.enter(common, ply);
        if PV {
            self.lines[ply].clear();
        }
        let generator = Generator::new(position);
        let in_check = generator.checkers().any();
        let excluded = self.frame(ply).excluded;
        if self.stopped {
            return DRAW;
        }
        if ply > 0 {
            if self.is_draw(position, ply, in_check) {
                return self.draw_score();
            }
            node.alpha = node.alpha.max(mated_in(ply));
            node.beta = node.beta.min(MATE - ply as i32 - 1);
            if node.alpha >= node.beta {
                return node.alpha;
            }
        }
        let known = if excluded.is_some() { None } else { common.table.probe(position.key()) };
        if !PV
            && let Some(known) = known
            && i32::from(known.depth) >= node.depth
            && position.halfmoves() < 90
        {
            let score = known.score_at(ply);
            if known.settles(score, node.alpha, node.beta) {
                return score;
            }
        }
        let facts = self.facts::<PV>(position, &node, known, in_check);
        if !PV
            && !in_check
            && !excluded.is_some()
            && let Some(score) = self.prune(common, position, &node, &facts)
        {
            return score;
        }
        if node.depth >= 4 && !facts.table_move.is_some() && (PV || node.cut) && !excluded.is_some() {
            node.depth -= 1;
        }
        if in_check && (ply as i32) < 2 * self.root_depth {
            node.depth += 1;
        }
        self.frame(ply + 1).killers = [Move::NONE; 2];
        self.try_moves::<PV>(common, position, &generator, node, &facts)
    }

    fn facts<const PV: bool>(
        &mut self,
        position: &Position,
        node: &Node,
        known: Option<Known>,
        in_check: bool,
    ) -> Facts {
        let ply = node.ply;
        let excluded = self.frame(ply).excluded.is_some();
        let raw = match known {
            _ if in_check => i32::from(NO_EVAL),
            Some(known) if known.eval != NO_EVAL => i32::from(known.eval),
            _ => self.evaluate(position),
        };
        let eval = match in_check {
            true => -INFINITE,
            false if excluded => self.frame(ply).eval,
            false => self.corrected(position, raw),
        };
        let frame = self.frame(ply);
        (frame.eval, frame.in_check) = (eval, in_check);
        let mut guess = eval;
        if let Some(known) = known.filter(|_| !in_check) {
            let score = known.score_at(ply);
            if known.settles(score, eval, eval) && !is_mate(score) {
                guess = score;
            }
        }
        let two_back = *self.earlier(ply, 2);
        let reference = if two_back.in_check { *self.earlier(ply, 4) } else { two_back };
        Facts {
            known,
            table_move: known.map_or(Move::NONE, |known| known.best),
            in_check,
            raw,
            guess,
            improving: !in_check && !reference.in_check && eval > reference.eval,
            on_pv: PV || known.is_some_and(|known| known.on_pv),
        }
    }

    /// Tries to do without searching moves: reverse futility, razoring, null
    /// move (Donninger 1993), all against the evaluation.
    fn prune(&mut self, common: &Common, position: &Position, node: &Node, facts: &Facts) -> Option<i32> {
        let Node { depth, ply, alpha, beta, .. } = *node;
        let guess = facts.guess;
        let margin = 80 * (depth - i32::from(facts.improving)).max(0);
        if depth <= 8 && guess - margin >= beta && !is_mate(beta) && guess < MATE_BOUND {
            return Some((guess + beta) / 2);
        }
        if depth <= 3 && guess + 220 * depth <= alpha {
            let score = self.quiescence::<false>(common, position, ply, alpha, alpha + 1);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }
        let may_pass = depth >= 3
            && guess >= beta
            && self.frame(ply).eval >= beta + 120 - 20 * depth
            && !self.earlier(ply, 1).passed
            && ply >= self.verify_until
            && position.has_pieces(position.side())
            && beta > -MATE_BOUND;
        if may_pass { self.try_pass(common, position, node, guess) } else { None }
    }

    fn try_pass(&mut self, common: &Common, position: &Position, node: &Node, guess: i32) -> Option<i32> {
        let Node { depth, ply, beta, .. } = *node;
        let reduction = 4 + depth / 4 + ((guess - beta) / 180).min(3);
        let mut next = position.clone();
        next.pass();
        common.table.prefetch(next.key());
        let frame = self.frame(ply);
        (frame.played, frame.passed) = (None, true);
        self.keys.push(position.key());
        let below =
            Node { depth: depth - reduction, ply: ply + 1, alpha: -beta, beta: 1 - beta, cut: !node.cut };
        let score = -self.search::<false>(common, &next, below);
        self.keys.pop();
        self.frame(ply).passed = false;
        if self.stopped || score < beta {
            return None;
        }
        let score = if is_mate(score) { beta } else { score };
        if depth < 14 || self.verify_until > 0 {
            return Some(score);
        }
        self.verify_until = ply + (depth - reduction).max(1) as usize * 3 / 4;
        let check = Node { depth: depth - reduction, ply, alpha: beta - 1, beta, cut: false };
        let verified = self.search::<false>(common, position, check);
        self.verify_until = 0;
        (verified >= beta).then_some(score)
    }

    fn try_moves<const PV: bool>(
        &mut self,
        common: &Common,
        position: &Position,
        generator: &Generator,
        mut node: Node,
        facts: &Facts,
    ) -> i32 {
        let (ply, start) = (node.ply, node.alpha);
        let excluded = self.frame(ply).excluded;
        let before = self.before(ply);
        let killers = self.frame(ply).killers;
        let mut picker = Picker::new(position, generator, facts.table_move, killers, before);
        let mut progress = Progress {
            best: -INFINITE,
            best_move: Move::NONE,
            count: 0,
            tried: [Move::NONE; 48],
            tried_len: 0,
        };
        while let Some(mv) = picker.next(&self.histories) {
            if mv == excluded || ply == 0 && !self.root_moves.contains(&mv) {
                continue;
            }
            progress.count += 1;
            let noisy = position.is_noisy(mv);
            let history = if noisy {
                self.histories.capture(position, mv)
            } else {
                self.histories.quiet(position, before, mv)
            };
            if ply > 0
                && progress.best > -MATE_BOUND
                && self.is_hopeless(position, &node, facts, mv, &progress, history, &mut picker)
            {
                continue;
            }
            let nodes_before = self.nodes;
            let extension = match self.extension(common, position, &node, facts, mv) {
                Ok(extension) => extension,
                Err(score) => return score,
            };
            let score =
                self.try_move::<PV>(common, position, &node, facts, mv, &progress, extension, history);
            if self.stopped {
                return DRAW;
            }
            if ply == 0
                && let Some(index) = self.root_moves.iter().position(|&known| known == mv)
            {
                self.root_nodes[index] += self.nodes - nodes_before;
            }
            progress.note(mv);
            if score > progress.best {
                progress.best = score;
                if score > node.alpha {
                    progress.best_move = mv;
                    if PV {
                        self.extend_line(ply, mv);
                    }
                    if score >= node.beta {
                        self.refuted(position, &node, &progress);
                        break;
                    }
                    node.alpha = score;
                }
            }
        }
        if progress.count == 0 {
            return match (excluded.is_some(), facts.in_check) {
                (true, _) => node.alpha,
                (false, true) => mated_in(ply),
                (false, false) => DRAW,
            };
        }
        if !excluded.is_some() {
            self.conclude(common, position, &node, facts, &progress, start);
        }
        progress.best
    }

    /// Whether a late move need not be searched: late move pruning, futility,
    /// bad history, lost exchanges.
    #[allow(clippy::too_many_arguments)]
    fn is_hopeless(
        &self,
        position: &Position,
        node: &Node,
        facts: &Facts,
        mv: Move,
        progress: &Progress,
        history: i32,
        picker: &mut Picker,
    ) -> bool {
        let Node { depth, alpha, .. } = *node;
        if !position.has_pieces(position.side()) {
            return false;
        }
        if position.is_noisy(mv) {
            return picker.is_at_bad_captures()
                && depth <= 7
                && !see::wins_at_least(position, mv, -90 * depth);
        }
        let limit = (3 + depth * depth) / (2 - i32::from(facts.improving));
        if progress.count > limit && depth <= 8 {
            picker.skip_quiets();
            return true;
        }
        let left = (depth - base_reduction(depth, progress.count) / 100).max(0);
        if !facts.in_check && left <= 7 && facts.guess + 90 + 85 * left <= alpha {
            picker.skip_quiets();
            return true;
        }
        if left <= 4 && history < -3500 * left.max(1) {
            return true;
        }
        depth <= 8 && !see::wins_at_least(position, mv, -22 * left * left)
    }

    /// Singular extension (Anantharaman, Campbell and Hsu 1988): plies to add
    /// for the table's move if all others fail below it; or a score that
    /// several moves reach, which refutes the node.
    fn extension(
        &mut self,
        common: &Common,
        position: &Position,
        node: &Node,
        facts: &Facts,
        mv: Move,
    ) -> Result<i32, i32> {
        let Node { depth, ply, beta, .. } = *node;
        let Some(known) = facts.known.filter(|_| mv == facts.table_move) else { return Ok(0) };
        let score = known.score_at(ply);
        let worth_it = ply > 0
            && depth >= 7
            && (ply as i32) < 2 * self.root_depth
            && i32::from(known.depth) >= depth - 3
            && known.bound != Bound::Upper
            && !is_mate(score);
        if !worth_it {
            return Ok(0);
        }
        let below = score - 2 * depth;
        self.frame(ply).excluded = mv;
        let window = Node { depth: (depth - 1) / 2, ply, alpha: below - 1, beta: below, cut: node.cut };
        let rest = self.search::<false>(common, position, window);
        self.frame(ply).excluded = Move::NONE;
        if self.stopped {
            return Ok(0);
        }
        if rest < below {
            let alone = node.alpha + 1 == beta && rest < below - 18;
            return Ok(if alone { 2 } else { 1 });
        }
        if rest >= beta && !is_mate(rest) {
            return Err(rest);
        }
        Ok(if score >= beta || node.cut { -1 } else { 0 })
    }

    /// Plays one move and searches behind it, first with a null window and
    /// reduced depth unless it is the first.
    #[allow(clippy::too_many_arguments)]
    fn try_move<const PV: bool>(
        &mut self,
        common: &Common,
        position: &Position,
        node: &Node,
        facts: &Facts,
        mv: Move,
        progress: &Progress,
        extension: i32,
        history: i32,
    ) -> i32 {
        let Node { ply, alpha, beta, .. } = *node;
        let noisy = position.is_noisy(mv);
        self.frame(ply).played = Some(PieceTo::of(position, mv));
        let next = position.after(mv);
        common.table.prefetch(next.key());
        self.keys.push(position.key());
        let depth = node.depth - 1 + extension;
        let below = Node { depth, ply: ply + 1, alpha: -alpha - 1, beta: -alpha, cut: true };
        let mut score = alpha + 1;
        let mut full = progress.count > 1 || !PV;
        if node.depth >= 2 && progress.count > 1 + i32::from(PV) {
            let gives_check = next.checkers().any();
            let reduction = self.reduction::<PV>(node, facts, progress, mv, noisy, history, gives_check);
            let reduced = (depth - reduction).clamp(1.min(depth), depth);
            score = -self.search::<false>(common, &next, Node { depth: reduced, ..below });
            full = score > alpha && reduced < depth;
        }
        if full && !self.stopped {
            score = -self.search::<false>(common, &next, Node { cut: !node.cut, ..below });
        }
        if PV && !self.stopped && (progress.count == 1 || score > alpha) {
            let window = Node { alpha: -beta, beta: -alpha, cut: false, ..below };
            score = -self.search::<true>(common, &next, window);
        }
        self.keys.pop();
        score
    }

    /// Late move reduction, in plies.
    #[allow(clippy::too_many_arguments)]
    fn reduction<const PV: bool>(
        &mut self,
        node: &Node,
        facts: &Facts,
        progress: &Progress,
        mv: Move,
        noisy: bool,
        history: i32,
        gives_check: bool,
    ) -> i32 {
        let mut reduction = base_reduction(node.depth, progress.count);
        if noisy {
            reduction = reduction / 2 - history / 80;
        } else {
            reduction -= history / 110;
            if self.frame(node.ply).killers.contains(&mv) {
                reduction -= 100;
            }
        }
        reduction += 130 * i32::from(node.cut) + 60 * i32::from(!facts.improving);
        reduction -= 100 * i32::from(facts.on_pv) + 100 * i32::from(gives_check) + 40 * i32::from(PV);
        reduction / 100
    }

    fn refuted(&mut self, position: &Position, node: &Node, progress: &Progress) {
        let (ply, mv) = (node.ply, progress.best_move);
        if !position.is_noisy(mv) {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
        }
        let before = self.before(ply);
        let tried = &progress.tried[..progress.tried_len];
        self.histories.learn(position, before, mv, tried, node.depth);
    }

    /// Keeps what the node has found.
    fn conclude(
        &mut self,
        common: &Common,
        position: &Position,
        node: &Node,
        facts: &Facts,
        progress: &Progress,
        start: i32,
    ) {
        let best = progress.best;
        let bound = if best >= node.beta {
            Bound::Lower
        } else if best > start {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let quiet = !progress.best_move.is_some() || !position.is_noisy(progress.best_move);
        let eval = self.frame(node.ply).eval;
        let tells = match bound {
            Bound::Exact => true,
            Bound::Lower => best > eval,
            Bound::Upper => best < eval,
        };
        if !facts.in_check && quiet && tells && !is_mate(best) {
            self.corrections.learn(position, best - facts.raw, node.depth);
        }
        let mv = if progress.best_move.is_some() { progress.best_move } else { facts.table_move };
        let deeper = facts.known.is_some_and(|known| i32::from(known.depth) > node.depth + 4);
        if bound == Bound::Exact || !deeper {
            let known = Known {
                best: mv,
                score: score_to_keep(best, node.ply),
                eval: facts.raw as i16,
                depth: node.depth.clamp(0, 127) as u8,
                bound,
                on_pv: facts.on_pv,
            };
            common.table.store(position.key(), known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near() {
        for n in 1..64 {
            let exact = 100.0 * f64::from(n).ln();
            assert!((f64::from(log100(n)) - exact).abs() < 1.0, "{n}: {} {exact}", log100(n));
        }
    }
}
