//! What is learnt from searches and games.

use super::place::{Place, Probe};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::go::game::Game;
use crate::go::geometry::Geometry;
use crate::shared::hash::Key;
use crate::shared::learn::{Bound, Record};
use crate::uct::report::Report;

/// A win rate of 1 as a record keeps it.
pub const UNIT: f64 = 10_000.0;
/// A root with fewer visits is not learnt, nor a position of the main line.
const ENOUGH_VISITS: u64 = 200;
/// A move from the root with fewer visits is not learnt.
const ENOUGH_FOR_A_MOVE: u64 = 40;
/// Positions of the main line that are learnt.
const LINE: usize = 6;
/// Visits of all searches of a position together are not counted further.
const MOST_EFFORT: u64 = 1 << 20;

/// The records that a search from `board` teaches: the root, its moves with
/// enough visits, and the main line. What `probe` knows of them is counted in,
/// visit by visit.
pub fn of_search<G: Geometry>(probe: &Probe<'_>, board: &Board<G>, report: &Report) -> Vec<(Key, Record)> {
    if report.root_visits < ENOUGH_VISITS || report.moves.is_empty() {
        return Vec::new();
    }
    let mut batch = Vec::new();
    let mut learn = |board: &Board<G>, color: Color, best: Option<Move>, win_rate: f64, visits: u64| {
        let Some(place) = Place::of(board, color) else { return };
        let best = best.map_or(Record::NO_MOVE, |mv| place.number(mv));
        let fresh = Record::of_search(best, (win_rate * UNIT) as i16, visits as u32, Bound::Exact);
        batch.push((place.key, pooled(probe(place.key), fresh)));
    };
    learn(board, report.to_move, Some(report.best), report.win_rate, report.root_visits);
    for (rank, found) in report.moves.iter().enumerate() {
        let Move::Play(coord) = found.mv else { continue };
        let mut after = board.clone();
        if found.visits < ENOUGH_FOR_A_MOVE || !after.is_legal(after.point(coord), report.to_move, true) {
            continue;
        }
        after.play(after.point(coord), report.to_move);
        let mut color = report.to_move.opponent();
        let mut win_rate = 1.0 - found.win_rate;
        let mut visits = found.visits;
        learn(&after, color, found.pv.get(1).copied(), win_rate, visits);
        if rank > 0 {
            continue;
        }
        for pair in found.pv[1..].windows(2).take(LINE) {
            let Move::Play(coord) = pair[0] else { break };
            // Visits of later positions are not reported: about half go on.
            visits /= 2;
            if visits < ENOUGH_VISITS || !after.is_legal(after.point(coord), color, true) {
                break;
            }
            after.play(after.point(coord), color);
            color = color.opponent();
            win_rate = 1.0 - win_rate;
            learn(&after, color, Some(pair[1]), win_rate, visits);
        }
    }
    batch
}

/// A search's finding and those of earlier searches together, by visits. The
/// results of games are not in it: the store adds those up itself.
fn pooled(known: Option<Record>, fresh: Record) -> Record {
    let Some(known) = known.filter(|known| known.effort > 0) else { return fresh };
    let [old, new] = [known.effort, fresh.effort].map(f64::from);
    let score = (f64::from(known.score) * old + f64::from(fresh.score) * new) / (old + new);
    let effort = (u64::from(known.effort) + u64::from(fresh.effort)).min(MOST_EFFORT);
    let best = if fresh.best == Record::NO_MOVE { known.best } else { fresh.best };
    Record::of_search(best, score.round() as i16, effort as u32, Bound::Exact)
}

/// How much of a game counts.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Its first positions, and the one after them.
    pub positions: usize,
    /// Moves to the end of the game after which a position counts half as
    /// much; infinite if all count in full.
    pub half_life: f32,
}

impl Share {
    /// All positions of a game of our own, counting half as much for every
    /// half board of moves that were still to come: so much may have gone
    /// wrong after them.
    #[must_use]
    pub fn fading(size: Size) -> Self {
        Share { positions: usize::MAX, half_life: size.points() as f32 / 2.0 }
    }

    /// The opening of a game of others, who knew what they did.
    #[must_use]
    pub fn opening(positions: usize) -> Self {
        Share { positions, half_life: f32::INFINITY }
    }
}

/// The records that a finished game teaches: Black's share of the win, from 0
/// to 1, goes to each player's positions. None if stones were set up on the
/// way.
#[must_use]
pub fn of_game(game: &Game, black: f32, share: &Share) -> Vec<(Key, Record)> {
    let moves: Vec<(Color, Move)> = game.moves().collect();
    if moves.len() != game.events().len() {
        return Vec::new();
    }
    let mut board = game.start().clone();
    let mut batch = Vec::new();
    let mut to_move = moves.first().map_or(Color::Black, |&(color, _)| color);
    for index in 0..=moves.len().min(share.positions) {
        let next = moves.get(index).copied();
        to_move = next.map_or(to_move, |(color, _)| color);
        if let Some(place) = Place::of(&board, to_move) {
            let weight = (-((moves.len() - index) as f32) / share.half_life).exp2();
            let won = if to_move == Color::Black { black } else { 1.0 - black };
            let number = next.map_or(Record::NO_MOVE, |(_, mv)| place.number(mv));
            batch.push((place.key, Record::of_game(number, won, weight)));
        }
        match next {
            Some((color, Move::Play(coord))) => board.play(board.point(coord), color),
            Some((color, Move::Pass)) => board.pass(color),
            None => break,
        }
        to_move = to_move.opponent();
    }
    batch
}
