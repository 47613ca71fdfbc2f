//! Quiescence: captures until nothing hangs, all moves out of check.

use super::Common;
use super::worker::Worker;
use crate::chess::movegen::Generator;
use crate::chess::order::Picker;
use crate::chess::position::Position;
use crate::chess::score::{INFINITE, MATE_BOUND, MAX_PLY, mated_in};
use crate::chess::see;
use crate::chess::table::{Bound, Known, NO_EVAL, score_to_keep};
use crate::chess::types::Move;

/// A capture that gains less than this above the evaluation cannot raise alpha.
const MARGIN: i32 = 160;

/// A node of quiescence: its place, and what is known before moves are tried.
#[derive(Clone, Copy)]
struct Leaf {
    ply: usize,
    in_check: bool,
    /// The score without a move; minus infinity in check.
    floor: i32,
    alpha: i32,
    beta: i32,
}

impl Worker {
    /// The score of `position` once the captures are over, within the window.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        common: &Common,
        position: &Position,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        self.enter(common, ply);
        if PV {
            self.lines[ply].clear();
        }
        let generator = Generator::new(position);
        let in_check = generator.checkers().any();
        if self.stopped || self.is_draw(position, ply, in_check) {
            return self.draw_score();
        }
        let known = common.table.probe(position.key());
        if !PV
            && let Some(known) = known
            && known.settles(known.score_at(ply), alpha, beta)
        {
            return known.score_at(ply);
        }
        let raw = if in_check { i32::from(NO_EVAL) } else { self.raw_eval(position, known) };
        let floor = if in_check { -INFINITE } else { self.stand_pat(position, ply, raw, known) };
        if ply >= MAX_PLY {
            return if in_check { self.draw_score() } else { floor };
        }
        if floor >= beta {
            if known.is_none() {
                let known = self.remember(Move::NONE, floor, raw, Bound::Lower, ply);
                common.table.store(position.key(), known);
            }
            return floor;
        }
        let table_move = known.map_or(Move::NONE, |known| known.best);
        let picker = if in_check {
            Picker::new(
                position,
                &generator,
                table_move,
                [Move::NONE; 2],
                self.context(ply, generator.danger()),
            )
        } else {
            Picker::noisy_only(position, &generator, table_move)
        };
        let leaf = Leaf { ply, in_check, floor, alpha: alpha.max(floor), beta };
        let Some((best, best_move)) = self.settle::<PV>(common, position, &leaf, picker) else { return 0 };
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        common.table.store(position.key(), self.remember(best_move, best, raw, bound, ply));
        best
    }

    /// The best score of the moves that matter, and the move if it raises
    /// alpha; `None` once stopped.
    fn settle<const PV: bool>(
        &mut self,
        common: &Common,
        position: &Position,
        leaf: &Leaf,
        mut picker: Picker,
    ) -> Option<(i32, Move)> {
        let Leaf { ply, in_check, floor, mut alpha, beta } = *leaf;
        let (mut best, mut best_move, mut count) = (floor, Move::NONE, 0);
        while let Some(mv) = picker.next(&self.histories) {
            count += 1;
            if best > -MATE_BOUND {
                if in_check {
                    picker.skip_quiets();
                } else if picker.is_at_bad_captures() {
                    break;
                } else if floor + MARGIN <= alpha && !gains(position, mv, alpha - floor - MARGIN) {
                    best = best.max(floor + MARGIN).min(alpha);
                    continue;
                }
            }
            let next = self.make_move(common, position, mv, ply);
            let score = -self.quiescence::<PV>(common, &next, ply + 1, -beta, -alpha);
            self.keys.pop();
            if self.stopped {
                return None;
            }
            if score <= best {
                continue;
            }
            best = score;
            if score > alpha {
                (alpha, best_move) = (score, mv);
                if PV {
                    self.extend_line(ply, mv);
                }
                if score >= beta {
                    break;
                }
            }
        }
        Some(if in_check && count == 0 { (mated_in(ply), Move::NONE) } else { (best, best_move) })
    }

    #[inline]
    fn raw_eval(&mut self, position: &Position, known: Option<Known>) -> i32 {
        match known {
            Some(known) if known.eval != NO_EVAL => i32::from(known.eval),
            _ => self.evaluate(position),
        }
    }

    /// The score of doing nothing, bettered by what the table knows.
    #[inline]
    fn stand_pat(&self, position: &Position, ply: usize, raw: i32, known: Option<Known>) -> i32 {
        let eval = self.corrected(position, raw);
        match known {
            Some(known) => {
                let score = known.score_at(ply);
                if known.settles(score, eval, eval) { score } else { eval }
            }
            None => eval,
        }
    }

    #[inline]
    fn remember(&self, best: Move, score: i32, raw: i32, bound: Bound, ply: usize) -> Known {
        Known { best, score: score_to_keep(score, ply), eval: raw as i16, depth: 0, bound, on_pv: false }
    }
}

/// Whether a capture can win more than `needed`.
#[inline]
fn gains(position: &Position, mv: Move, needed: i32) -> bool {
    let victim = position.captured(mv).map_or(0, |kind| see::VALUES[kind.index()]);
    let promoted = mv.promoted().map_or(0, |kind| see::VALUES[kind.index()]);
    victim + promoted > needed
}
