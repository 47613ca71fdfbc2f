//! What the engine does when it is its turn: how long to think, which move to
//! play, and whether to resign.

use std::time::Duration;

use super::passing::{Instead, Plan, STATUS_SHARE};
use super::{Decision, Engine, Manner, Observer, Question};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move};
use crate::shared::control::{Limits, StopFlag, Stopwatch};
use crate::uct::report::Report;

/// Fewer visits than this are no ground to resign on.
const RESIGN_VISITS: u64 = 100;
/// A look at the status of stones takes this long, even when the search has
/// left no time: less than what is kept back for the lag.
const LEAST_TO_CONCLUDE: Duration = Duration::from_millis(20);

/// The limits that are left after some time.
fn less(limits: Limits, used: Duration) -> Limits {
    let rest = |time: Option<Duration>| time.map(|time| time.saturating_sub(used));
    Limits { soft_time: rest(limits.soft_time), hard_time: rest(limits.hard_time), ..limits }
}

/// The limits for the status that decides on a pass after a search that took
/// `spent`: its share of them fits into the time that is left.
fn to_conclude(limits: Limits, spent: Duration) -> Limits {
    let left = limits.hard_time.map(|hard| hard.saturating_sub(spent).max(LEAST_TO_CONCLUDE));
    let whole = left.map(|left| left.div_f64(STATUS_SHARE));
    Limits { soft_time: limits.soft_time.map(|soft| whole.map_or(soft, |whole| soft.min(whole))), ..limits }
}

impl Engine {
    /// Decides on the next move of `color`, among `allowed` unless that is
    /// empty. It is not played.
    pub fn decide(
        &mut self,
        color: Color,
        manner: Manner,
        allowed: &[Move],
        stop: &StopFlag,
        observer: Option<Observer<'_>>,
    ) -> Decision {
        let watch = Stopwatch::start();
        let limits = self.limits(color);
        let plan = if allowed.is_empty() {
            self.plan(color, manner, stop, &limits)
        } else {
            Plan::Search(allowed.to_vec())
        };
        let decision = match plan {
            Plan::Pass => Decision::Move(Move::Pass),
            Plan::Search(mut allowed) => {
                if allowed.is_empty()
                    && let Some(memory) = &mut self.memory
                {
                    allowed = memory.book(&self.game, color);
                }
                let limits = less(limits, watch.elapsed());
                let question = Question { color, limits, allowed: &allowed };
                let searching = Stopwatch::start();
                let report = self.search(&question, stop, observer);
                let rest = to_conclude(limits, searching.elapsed());
                self.conclude(&report, &allowed, manner, (stop, &rest))
            }
        };
        self.learn_decision(color, decision, manner);
        if manner != Manner::Suggest {
            self.clocks[color.index()].spend(watch.elapsed());
        }
        decision
    }

    /// What a move of `color` may take now.
    fn limits(&self, color: Color) -> Limits {
        let nodes = self.settings.playouts;
        if let Some(limits) = self.clocks[color.index()].limits(self.moves_left(), self.settings.lag) {
            return Limits { nodes, ..limits };
        }
        match nodes {
            Some(nodes) => Limits::nodes(nodes),
            None => Limits::time(self.settings.time),
        }
    }

    /// A guess of how many moves each player still makes before the game is
    /// decided: games last about 0.8 moves a point, and the early ones matter
    /// most.
    fn moves_left(&self) -> f64 {
        let points = self.game.size().points() as f64;
        let played = self.game.moves().count() as f64;
        ((points * 0.7 - played) / 2.0).max(points * 0.06).max(6.0)
    }

    /// The decision after a search.
    fn conclude(
        &mut self,
        report: &Report,
        allowed: &[Move],
        manner: Manner,
        (stop, limits): (&StopFlag, &Limits),
    ) -> Decision {
        let color = report.to_move;
        if manner != Manner::CleanUp && self.is_lost(report) {
            return Decision::Resign;
        }
        let idle = self.idle_moves(color);
        let ranked = std::iter::once(report.best).filter(|_| !report.moves.is_empty());
        let ranked = ranked.chain(report.moves.iter().map(|found| found.mv));
        let candidates: Vec<Move> =
            ranked.filter(|mv| !idle.contains(mv)).chain(allowed.iter().copied()).collect();
        let first_legal = |engine: &Engine, may_pass: bool| {
            let fits = |mv: &Move| (may_pass || *mv != Move::Pass) && engine.game.check(color, *mv).is_ok();
            candidates.iter().copied().find(fits)
        };
        let chosen = match first_legal(self, true) {
            Some(Move::Pass) if allowed.is_empty() => match self.instead_of_pass(report, stop, limits) {
                Instead::Nothing => Some(Move::Pass),
                Instead::This(mv) => Some(mv),
                Instead::Anything => first_legal(self, false),
            },
            chosen => chosen,
        };
        Decision::Move(chosen.unwrap_or_else(|| self.any_move(color)))
    }

    /// A move without any search: near the middle, and filling no eye.
    fn any_move(&self, color: Color) -> Move {
        let size = self.game.size();
        let off_center = |c: &Coord| {
            (2 * i32::from(c.x) + 1 - i32::from(size.width())).abs()
                + (2 * i32::from(c.y) + 1 - i32::from(size.height())).abs()
        };
        self.sensible_moves(color).min_by_key(off_center).map_or(Move::Pass, Move::Play)
    }

    /// Whether the game should be resigned: the search gives no hope, it is not
    /// early, and the board as it stands is not won.
    fn is_lost(&self, report: &Report) -> bool {
        let points = self.game.size().points();
        let played = self.game.moves().count();
        // With handicap stones White starts far behind, and waits for mistakes.
        let early = if self.game.handicap().is_empty() { points / 6 } else { points / 2 };
        let standing = self.game.area_result() * f64::from(report.to_move.sign());
        let best = report.moves.first().map_or(report.win_rate, |best| best.win_rate);
        self.settings.resign > 0.0
            && best.max(report.win_rate) < self.settings.resign
            && report.root_visits >= RESIGN_VISITS
            && played >= early
            && (played < points / 2 || standing <= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_decided_on_in_the_time_that_is_left() {
        let seconds = Duration::from_secs_f64;
        let status_time = |limits, spent| {
            to_conclude(limits, spent).soft_time.map(|time| time.mul_f64(STATUS_SHARE).as_secs_f64())
        };
        let whole = Limits::time(seconds(0.9));
        let near = |time: Option<f64>, wanted: f64| time.is_some_and(|time| (time - wanted).abs() < 1e-6);
        assert!(near(status_time(whole, seconds(0.9)), 0.02), "nothing is left of the period");
        assert!(near(status_time(whole, seconds(0.1)), 0.9 * STATUS_SHARE), "the usual share");
        let stretched = Limits { hard_time: Some(seconds(0.95)), ..whole };
        assert!(near(status_time(stretched, seconds(0.9)), 0.05));
        assert_eq!(status_time(Limits::nodes(100), seconds(5.0)), None, "without a clock there is no hurry");
    }
}
