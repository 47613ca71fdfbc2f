//! What a node leaves out, cuts short or looks at more closely.

use super::Common;
use super::node::{Facts, Node, Progress};
use super::worker::Worker;
use crate::chess::movegen::Generator;
use crate::chess::order::{Picker, PieceTo};
use crate::chess::position::Position;
use crate::chess::score::{MATE_BOUND, is_mate};
use crate::chess::see;
use crate::chess::table::{Bound, Known, score_to_keep};
use crate::chess::types::Move;

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
    /// Tries to do without searching moves: reverse futility, razoring, null
    /// move (Donninger 1993), all against the evaluation.
    pub(super) fn prune(
        &mut self,
        common: &Common,
        position: &Position,
        generator: &Generator,
        node: &Node,
        facts: &Facts,
    ) -> Option<i32> {
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
        if may_pass && let Some(score) = self.try_pass(common, position, node, guess) {
            return Some(score);
        }
        self.try_captures(common, position, generator, node, facts)
    }

    /// ProbCut (Buro 1995): a capture that a shallow search finds far above
    /// beta refutes the node.
    fn try_captures(
        &mut self,
        common: &Common,
        position: &Position,
        generator: &Generator,
        node: &Node,
        facts: &Facts,
    ) -> Option<i32> {
        let Node { depth, ply, beta, .. } = *node;
        let raised = beta + 170 - 50 * i32::from(facts.improving);
        let known_too_low = facts
            .known
            .is_some_and(|known| i32::from(known.depth) >= depth - 3 && known.score_at(ply) < raised);
        if depth < 5 || is_mate(beta) || known_too_low {
            return None;
        }
        let mut picker = Picker::noisy_only(position, generator, facts.table_move);
        let needed = raised - self.frame(ply).eval;
        while let Some(mv) = picker.next(&self.histories) {
            if picker.is_at_bad_captures() {
                break;
            }
            if !see::wins_at_least(position, mv, needed) {
                continue;
            }
            let next = self.make_move(common, position, mv, ply);
            let mut score = -self.quiescence::<false>(common, &next, ply + 1, -raised, 1 - raised);
            if score >= raised && !self.stopped {
                let window =
                    Node { depth: depth - 4, ply: ply + 1, alpha: -raised, beta: 1 - raised, cut: !node.cut };
                score = -self.search::<false>(common, &next, window);
            }
            self.keys.pop();
            if self.stopped {
                return Some(0);
            }
            if score >= raised {
                let known = Known {
                    best: mv,
                    score: score_to_keep(score, ply),
                    eval: facts.raw as i16,
                    depth: (depth - 3) as u8,
                    bound: Bound::Lower,
                    on_pv: facts.on_pv,
                };
                common.table.store(position.key(), known);
                return Some(if is_mate(score) { score } else { score - (raised - beta) });
            }
        }
        None
    }

    fn try_pass(&mut self, common: &Common, position: &Position, node: &Node, guess: i32) -> Option<i32> {
        let Node { depth, ply, beta, .. } = *node;
        let reduction = 4 + depth / 4 + ((guess - beta) / 180).min(3);
        let mut next = *position;
        next.pass();
        common.table.prefetch(next.key());
        let frame = self.frame(ply);
        (frame.played, frame.passed) = (PieceTo::NONE, true);
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

    /// Whether a late move need not be searched: late move pruning, futility,
    /// bad history, lost exchanges.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn is_hopeless(
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
    pub(super) fn extension(
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

    /// Late move reduction, in plies.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn reduction<const PV: bool>(
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
