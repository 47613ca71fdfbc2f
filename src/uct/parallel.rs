//! Several threads on one tree, and when they stop.
//!
//! Each thread looks at the clock and at the stop flag itself, every few
//! simulations: there is no timer thread. The first thread alone judges
//! whether the search may end early, and reports.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use crate::shared::control::{Limits, StopFlag, Stopwatch};

/// How the search stands at its root, as far as ending it goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Visits of the most visited move.
    pub most: u32,
    /// Visits of the move that comes second.
    pub second: u32,
    /// Whether another move than the most visited one has the best value.
    pub disputed: bool,
}

/// What the threads of one search share about its end.
pub struct Referee<'a> {
    limits: Limits,
    stop: &'a StopFlag,
    watch: Stopwatch,
    begun: AtomicU64,
    over: AtomicBool,
}

/// So long somebody who has stopped a search waits for it to get ready.
const PATIENCE: Duration = Duration::from_millis(20);

/// One part in so many of the time is for getting ready: for dropping what the
/// last moves have made useless of the tree.
const GET_READY: u32 = 4;

/// How much longer than the soft limit a disputed move may take.
const DISPUTE: f64 = 1.6;

impl<'a> Referee<'a> {
    /// Starts the clock.
    pub fn new(limits: Limits, stop: &'a StopFlag) -> Self {
        Referee {
            limits,
            stop,
            watch: Stopwatch::start(),
            begun: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    /// Whether there is a limit on time.
    pub fn is_timed(&self) -> bool {
        self.limits.hard_time.is_some() || self.limits.soft_time.is_some()
    }

    /// Takes the right to one more simulation.
    #[inline]
    pub fn begin(&self) -> bool {
        let begun = self.begun.fetch_add(1, Relaxed);
        !self.over.load(Relaxed) && self.limits.nodes.is_none_or(|limit| begun < limit)
    }

    /// Whether the search must end, by the flag or the hard limit.
    pub fn must_end(&self) -> bool {
        self.stop.is_raised() || self.limits.hard_time.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether getting ready has taken its share of the time, or somebody waits
    /// for the search to stop, and it should not go on.
    pub fn is_late(&self) -> bool {
        self.stop.is_raised() && self.elapsed() >= PATIENCE
            || self.limits.hard_time.is_some_and(|hard| self.elapsed() >= hard / GET_READY)
    }

    /// Whether the search may end: at the soft limit, before it when the best
    /// move cannot be overtaken, after it when the best move is disputed.
    pub fn may_end(&self, standing: Standing) -> bool {
        let Some(soft) = self.limits.soft_time else { return false };
        if self.limits.hard_time == Some(soft) {
            return false;
        }
        let elapsed = self.elapsed();
        if elapsed >= soft {
            return !standing.disputed || elapsed >= soft.mul_f64(DISPUTE);
        }
        if elapsed < soft / 8 {
            return false;
        }
        let rate = self.begun.load(Relaxed) as f64 / elapsed.as_secs_f64().max(1e-9);
        let to_come = rate * (soft - elapsed).as_secs_f64();
        f64::from(standing.most) - f64::from(standing.second) > to_come
    }

    /// Ends the search for all threads.
    pub fn end(&self) {
        self.over.store(true, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn simulations_are_counted_exactly() {
        let stop = StopFlag::new();
        let referee = Referee::new(Limits::nodes(1000), &stop);
        let counts: Vec<u32> = std::thread::scope(|scope| {
            let count = || (0..).take_while(|_| referee.begin()).count() as u32;
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(counts.iter().sum::<u32>(), 1000);
    }

    #[test]
    fn the_flag_and_the_hard_limit_end_a_search() {
        let stop = StopFlag::new();
        let referee = Referee::new(Limits::time(Duration::ZERO), &stop);
        assert!(referee.must_end() && referee.begin());
        let referee = Referee::new(Limits::default(), &stop);
        assert!(!referee.must_end());
        stop.raise();
        assert!(referee.must_end());
    }

    #[test]
    fn getting_ready_has_a_share_of_the_time() {
        let stop = StopFlag::new();
        assert!(Referee::new(Limits::time(Duration::ZERO), &stop).is_late());
        assert!(!Referee::new(Limits::time(LONG), &stop).is_late());
        let unlimited = Referee::new(Limits::default(), &stop);
        assert!(!unlimited.is_late());
        stop.raise();
        while unlimited.elapsed() < PATIENCE {
            std::hint::spin_loop();
        }
        assert!(unlimited.is_late());
    }

    #[test]
    fn a_disputed_move_gets_more_time() {
        let stop = StopFlag::new();
        let limits =
            Limits { soft_time: Some(Duration::from_nanos(1)), hard_time: Some(LONG), ..Limits::default() };
        let referee = Referee { limits, ..Referee::new(limits, &stop) };
        let clear = Standing { most: 10, second: 1, disputed: false };
        assert!(referee.may_end(clear));
        let long = Limits { soft_time: Some(LONG), hard_time: Some(LONG * 2), ..Limits::default() };
        assert!(!Referee::new(long, &stop).may_end(clear));
        assert!(!Referee::new(Limits::time(Duration::ZERO), &stop).may_end(clear), "exact times are kept");
    }
}
