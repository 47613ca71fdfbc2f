//! One interior node of the search.

use super::Common;
use super::worker::{Frame, Worker};
use crate::chess::movegen::Generator;
use crate::chess::order::{Context, Picker, PieceTo};
use crate::chess::position::Position;
use crate::chess::score::{DRAW, INFINITE, MATE, MATE_BOUND, MAX_PLY, is_mate, mated_in};
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
pub(super) struct Facts {
    pub known: Option<Known>,
    pub table_move: Move,
    pub in_check: bool,
    /// The evaluation before correction.
    pub raw: i32,
    /// The best guess at the score: evaluation or table.
    pub guess: i32,
    pub improving: bool,
    pub on_pv: bool,
}

/// What became of the moves tried so far.
pub(super) struct Progress {
    pub best: i32,
    pub best_move: Move,
    pub count: i32,
    pub tried: [Move; 48],
    pub tried_len: usize,
}

impl Default for Progress {
    fn default() -> Self {
        let (best, best_move, count) = (-INFINITE, Move::NONE, 0);
        Progress { best, best_move, count, tried: [Move::NONE; 48], tried_len: 0 }
    }
}

impl Progress {
    fn note(&mut self, mv: Move) {
        if self.tried_len < self.tried.len() {
            self.tried[self.tried_len] = mv;
            self.tried_len += 1;
        }
    }
}

impl Worker {
    /// Makes a move at `ply`: the position after it, with what will be read of
    /// it under way. The caller takes the key off `keys` again.
    #[inline(always)]
    pub(super) fn make_move(
        &mut self,
        common: &Common,
        position: &Position,
        mv: Move,
        ply: usize,
    ) -> Position {
        self.frame(ply).played = PieceTo::of(position, mv);
        common.table.prefetch(position.key_after(mv));
        let mut next = *position;
        next.play_unchecked(mv);
        self.corrections.prefetch(&next);
        self.keys.push(position.key());
        next
    }

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
        if self.stopped {
            return DRAW;
        }
        if let Some(score) = self.settled_by_rule(position, &mut node, in_check) {
            return score;
        }
        let is_whole = !self.frame(ply).excluded.is_some();
        let known = if is_whole { common.table.probe(position.key()) } else { None };
        if !PV
            && let Some(known) = known
            && let Some(score) = self.cut(known, position, &generator, &node)
        {
            return score;
        }
        let facts = self.facts::<PV>(position, &node, known, in_check);
        if !PV
            && !in_check
            && is_whole
            && let Some(score) = self.prune(common, position, &generator, &node, &facts)
        {
            return score;
        }
        if node.depth >= 4 && !facts.table_move.is_some() && (PV || node.cut) && is_whole {
            node.depth -= 1;
        }
        if in_check && (ply as i32) < 2 * self.root_depth {
            node.depth += 1;
        }
        self.frame(ply + 1).killers = [Move::NONE; 2];
        self.try_moves::<PV>(common, position, &generator, node, &facts)
    }

    /// The score of an entry of the table that answers the node; a quiet move
    /// that refutes it there is learnt from as if it had been searched.
    #[inline]
    fn cut(&mut self, known: Known, position: &Position, generator: &Generator, node: &Node) -> Option<i32> {
        let (score, mv) = (known.score_at(node.ply), known.best);
        let deep = i32::from(known.depth) >= node.depth && position.halfmoves() < 90;
        if !deep || !known.settles(score, node.alpha, node.beta) {
            return None;
        }
        if score >= node.beta && mv.is_some() && generator.is_legal(mv) && !position.is_noisy(mv) {
            let context = self.context(node.ply, generator.danger());
            let bonus = (120 * node.depth - 60).clamp(0, 1000);
            self.histories.reward_quiet(position, context, mv, bonus);
        }
        Some(score)
    }

    /// The score of a draw, or one that no mate from here can better; narrows
    /// the window to what mates allow.
    #[inline]
    fn settled_by_rule(&self, position: &Position, node: &mut Node, in_check: bool) -> Option<i32> {
        let ply = node.ply;
        if ply == 0 {
            return None;
        }
        if self.is_draw(position, ply, in_check) {
            return Some(self.draw_score());
        }
        node.alpha = node.alpha.max(mated_in(ply));
        node.beta = node.beta.min(MATE - ply as i32 - 1);
        (node.alpha >= node.beta).then_some(node.alpha)
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

    fn try_moves<const PV: bool>(
        &mut self,
        common: &Common,
        position: &Position,
        generator: &Generator,
        mut node: Node,
        facts: &Facts,
    ) -> i32 {
        let (ply, start) = (node.ply, node.alpha);
        let Frame { excluded, killers, .. } = *self.frame(ply);
        let context = self.context(ply, generator.danger());
        let mut picker = Picker::new(position, generator, facts.table_move, killers, context);
        let mut progress = Progress::default();
        while let Some(mv) = picker.next(&self.histories) {
            if mv == excluded || ply == 0 && !self.begin_root_move(common, mv, progress.count) {
                continue;
            }
            progress.count += 1;
            let history = self.histories.of(position, context, mv);
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
            let bias = self.bias(ply, mv);
            let window = Node { alpha: node.alpha - bias, beta: node.beta - bias, ..node };
            let score =
                self.try_move::<PV>(common, position, &window, facts, mv, &progress, extension, history);
            let mut score = if is_mate(score) { score } else { score + bias };
            // Who is winning does not go back, where a distant mate that is
            // seen from every position would do for shuffling.
            if ply == 0 && score > DRAW && self.goes_back(position, mv) {
                score = DRAW;
            }
            if self.stopped {
                return DRAW;
            }
            if ply == 0 {
                self.end_root_move(mv, self.nodes - nodes_before);
            }
            progress.note(mv);
            if self.took_over::<PV>(position, &mut node, &mut progress, context, mv, score) {
                break;
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

    /// Takes in the score of a move; whether it refutes the node.
    #[inline]
    fn took_over<const PV: bool>(
        &mut self,
        position: &Position,
        node: &mut Node,
        progress: &mut Progress,
        context: Context,
        mv: Move,
        score: i32,
    ) -> bool {
        if score <= progress.best {
            return false;
        }
        progress.best = score;
        if score <= node.alpha {
            return false;
        }
        progress.best_move = mv;
        if PV {
            self.extend_line(node.ply, mv);
        }
        if score >= node.beta {
            self.refuted(position, node, progress, context);
            return true;
        }
        node.alpha = score;
        false
    }

    /// Whether `mv` is to be searched at the root, after `count` others.
    fn begin_root_move(&self, common: &Common, mv: Move, count: i32) -> bool {
        let total = self.root_moves.len();
        if self.number == 0 {
            let left = total.saturating_sub(count as usize + 1);
            common.link.note_place(self.root_depth as u32, left, total, mv);
        }
        self.root_moves.contains(&mv)
    }

    fn end_root_move(&mut self, mv: Move, nodes: u64) {
        if let Some(index) = self.root_moves.iter().position(|&known| known == mv) {
            self.root_nodes[index] += nodes;
        }
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
        let next = self.make_move(common, position, mv, ply);
        let depth = node.depth - 1 + extension;
        let below = Node { depth, ply: ply + 1, alpha: -alpha - 1, beta: -alpha, cut: true };
        let mut score = alpha + 1;
        let mut full = progress.count > 1 || !PV;
        let mut deeper = 0;
        if node.depth >= 2 && progress.count > 1 + i32::from(PV) {
            let gives_check = next.checkers().any();
            let reduction = self.reduction::<PV>(node, facts, progress, mv, noisy, history, gives_check);
            let reduced = (depth - reduction).clamp(1.min(depth), depth);
            score = -self.search::<false>(common, &next, Node { depth: reduced, ..below });
            full = score > alpha && reduced < depth;
            if full {
                // Far better than expected, or hardly better: a ply more, or less.
                deeper =
                    i32::from(score > progress.best + 50 + 2 * depth) - i32::from(score < progress.best + 8);
                full = reduced < depth + deeper;
            }
        }
        if full && !self.stopped {
            let window = Node { depth: depth + deeper, cut: !node.cut, ..below };
            score = -self.search::<false>(common, &next, window);
        }
        if PV && !self.stopped && (progress.count == 1 || score > alpha) {
            let window = Node { alpha: -beta, beta: -alpha, cut: false, ..below };
            score = -self.search::<true>(common, &next, window);
        }
        self.keys.pop();
        score
    }

    fn refuted(&mut self, position: &Position, node: &Node, progress: &Progress, context: Context) {
        let (ply, mv) = (node.ply, progress.best_move);
        if !position.is_noisy(mv) {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
        }
        let tried = &progress.tried[..progress.tried_len];
        self.histories.learn(position, context, mv, tried, node.depth);
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
        // Others read the entry: what a root move gains for its choice is left out.
        let shift = if is_mate(progress.best) { 0 } else { self.bias(node.ply, progress.best_move) };
        let best = progress.best - shift;
        let bound = if progress.best >= node.beta {
            Bound::Lower
        } else if progress.best > start {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if bound == Bound::Upper
            && node.ply > 0
            && let last = self.earlier(node.ply, 1).played
            && last != PieceTo::NONE
        {
            // Whatever was tried, the move before was good.
            let before = [2, 3].map(|back| self.earlier(node.ply, back).played);
            self.histories.reward_reply(before, last, (100 * node.depth).min(1200));
        }
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
