//! One thread's own state: its tables, its line, its counts.

use std::sync::atomic::Ordering::Relaxed;

use super::correction::Corrections;
use super::{Common, Request};
use crate::chess::bitboard::Bitboard;
use crate::chess::eval::Evaluator;
use crate::chess::order::{Context, Histories, PieceTo};
use crate::chess::position::Position;
use crate::chess::score::{DRAW, MATE_BOUND, MAX_PLY};
use crate::chess::types::Move;
use crate::shared::control::Limits;
use crate::shared::hash::Key;

/// What is kept of each ply of the line being searched.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    /// The static evaluation; without meaning in check.
    pub eval: i32,
    /// Whether the side to move is in check.
    pub in_check: bool,
    /// The move that led on from here.
    pub played: PieceTo,
    /// Whether a null move was played here.
    pub passed: bool,
    /// Quiet moves that refuted siblings.
    pub killers: [Move; 2],
    /// A move left out, to see whether it is the only good one.
    pub excluded: Move,
}

impl Default for Move {
    fn default() -> Self {
        Move::NONE
    }
}

/// Frames before the root, so that earlier plies can be asked for.
const BELOW: usize = 4;

/// A search thread. It may be used for one search after another, and keeps
/// what it has learnt about moves.
#[derive(Default)]
pub struct Worker {
    pub(super) evaluator: Evaluator,
    pub(super) histories: Histories,
    pub(super) corrections: Corrections,
    pub(super) frames: Vec<Frame>,
    /// Keys of the game and of the line, for repetitions.
    pub(super) keys: Vec<Key>,
    /// The principal variation of each ply.
    pub(super) lines: Vec<Vec<Move>>,
    /// A line that turned out better than the window it was searched with.
    pub(super) promising: Vec<Move>,
    /// Root moves to search.
    pub(super) root_moves: Vec<Move>,
    /// Added to the scores of root moves.
    pub(super) biases: Vec<(Move, i32)>,
    /// Nodes behind each root move.
    pub(super) root_nodes: Vec<u64>,
    pub(super) nodes: u64,
    pub(super) selective: usize,
    pub(super) root_depth: i32,
    /// The ply below which null moves are not tried, while one is verified.
    pub(super) verify_until: usize,
    pub(super) limits: Limits,
    pub(super) number: usize,
    pub(super) stopped: bool,
}

impl Worker {
    /// Makes ready for a search as thread `number`.
    pub(super) fn prepare(&mut self, number: usize, request: &Request, moves: &[Move]) {
        self.frames.clear();
        self.frames.resize(MAX_PLY + 2 * BELOW, Frame::default());
        self.lines.resize_with(MAX_PLY + 2, Vec::new);
        self.keys.clone_from(&request.history);
        self.biases.clone_from(&request.biases);
        self.root_moves = moves.to_vec();
        self.root_nodes = vec![0; moves.len()];
        (self.nodes, self.selective, self.root_depth) = (0, 0, 0);
        self.verify_until = 0;
        (self.number, self.limits, self.stopped) = (number, request.limits, false);
        self.histories.fade();
    }

    /// What is added to the score of `mv` at `ply`: nothing but at the root.
    #[inline]
    pub(super) fn bias(&self, ply: usize, mv: Move) -> i32 {
        if ply > 0 {
            return 0;
        }
        self.biases.iter().find(|&&(known, _)| known == mv).map_or(0, |&(_, bias)| bias)
    }

    #[inline]
    pub(super) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BELOW]
    }

    /// The frame `back` plies before `ply`, at most four.
    #[inline]
    pub(super) fn earlier(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + BELOW - back]
    }

    /// What the worth of quiet moves at `ply` depends on; the opponent attacks
    /// `threats`.
    #[inline]
    pub(super) fn context(&self, ply: usize, threats: Bitboard) -> Context {
        Context { before: [1, 2, 4].map(|back| self.earlier(ply, back).played), threats }
    }

    /// Counts a node and looks, now and then, whether to stop.
    #[inline]
    pub(super) fn enter(&mut self, common: &Common, ply: usize) {
        self.nodes += 1;
        self.selective = self.selective.max(ply);
        if self.nodes.is_multiple_of(1024) {
            self.look_around(common);
        }
        if self.number == 0 && self.limits.nodes.is_some_and(|limit| self.nodes >= limit) {
            self.stopped = true;
        }
    }

    #[cold]
    fn look_around(&mut self, common: &Common) {
        common.nodes[self.number].store(self.nodes, Relaxed);
        if common.link.stop.is_raised() || common.done.load(Relaxed) {
            self.stopped = true;
        }
        if self.number == 0 {
            let nodes = common.total_nodes();
            common.link.note_nodes(nodes);
            let timed_out = self.limits.hard_time.is_some_and(|limit| common.link.charged() >= limit);
            if timed_out && !common.link.is_waiting() {
                self.stopped = true;
            }
            if self.limits.nodes.is_some_and(|limit| nodes >= limit) {
                self.stopped = true;
            }
        }
    }

    /// Whether the position, `ply` plies from the root, is a draw by
    /// repetition, by fifty moves, or for want of material. One repetition
    /// within the search counts; of the game's positions, two.
    pub(super) fn is_draw(&self, position: &Position, ply: usize, in_check: bool) -> bool {
        if position.halfmoves() >= 100 && (!in_check || !position.legal_moves().is_empty()) {
            return true;
        }
        position.is_insufficient() || self.is_repeated(position, ply)
    }

    fn is_repeated(&self, position: &Position, ply: usize) -> bool {
        // The last of `keys` is the position before this one.
        let reach = usize::from(position.halfmoves()).min(self.keys.len());
        let mut seen = 0;
        for back in (4..=reach).step_by(2) {
            if self.keys[self.keys.len() - back] == position.key() {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a move at the root leads back to a position of the game.
    pub(super) fn goes_back(&self, position: &Position, mv: Move) -> bool {
        let next = position.after(mv);
        let reach = usize::from(next.halfmoves());
        self.keys.iter().rev().take(reach).any(|&key| key == next.key())
    }

    /// The static evaluation, corrected by what search has found.
    #[inline]
    pub(super) fn corrected(&self, position: &Position, raw: i32) -> i32 {
        (raw + self.corrections.of(position)).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluator.evaluate(position).clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    /// A draw, one way or the other by a hair, so that repetitions do not blind
    /// the search; the same for the same count of nodes.
    #[inline]
    pub(super) fn draw_score(&self) -> i32 {
        DRAW - 1 + (self.nodes & 2) as i32
    }

    /// Makes the line of `ply` the move and the line behind it.
    pub(super) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (front, back) = self.lines.split_at_mut(ply + 1);
        front[ply].clear();
        front[ply].push(mv);
        front[ply].extend_from_slice(&back[0]);
    }
}
