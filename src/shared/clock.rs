//! Game clocks: what time control a game has, what is left, and how much of
//! it a move may take.

use std::time::Duration;

use super::control::Limits;

/// How a game's time is counted. Every duration is for one player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// No limit.
    None,
    /// All moves within `main`.
    Absolute {
        /// For the whole game.
        main: Duration,
    },
    /// After `main`, each `period` is for `stones` moves.
    Canadian {
        /// Before the periods begin.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Moves to be made in a period.
        stones: u32,
    },
    /// After `main`, `periods` of a length; one is lost when a move takes longer.
    ByoYomi {
        /// Before the periods begin.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// How many there are.
        periods: u32,
    },
    /// `main`, and `increment` after every move, up to `cap` in all.
    Fischer {
        /// At the start.
        main: Duration,
        /// Added after every move.
        increment: Duration,
        /// The most that may be saved up.
        cap: Option<Duration>,
        /// The longest that a single move may take.
        longest: Option<Duration>,
    },
}

/// What one player has left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Left {
    /// Main time.
    Main(Duration),
    /// The time in the present period, and the stones (Canadian) or periods
    /// (byo-yomi) that are left with it.
    Overtime(Duration, u32),
}

impl Left {
    /// Reads GTP's `time_left`: `count` is 0 in main time.
    #[must_use]
    pub fn from_gtp(time: Duration, count: u32) -> Self {
        if count == 0 { Left::Main(time) } else { Left::Overtime(time, count) }
    }
}

/// One player's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    control: TimeControl,
    left: Left,
}

/// The share of the time left that a single move may take at most.
const LARGEST_SHARE: f64 = 0.25;
/// How much longer than planned a disputed move may take.
const STRETCH: f64 = 2.5;
/// A move never gets less than this, whatever the clock says.
const LEAST: Duration = Duration::from_millis(1);
/// The share of a period that is kept back, apart from the lag, when several
/// moves are made in it.
const RESERVE: f64 = 0.05;

impl Clock {
    /// A clock before the first move.
    #[must_use]
    pub fn new(control: TimeControl) -> Self {
        let left = match control {
            TimeControl::None => Left::Main(Duration::ZERO),
            TimeControl::Absolute { main } | TimeControl::Fischer { main, .. } => Left::Main(main),
            TimeControl::Canadian { main, period, stones } => start(main, period, stones),
            TimeControl::ByoYomi { main, period, periods } => start(main, period, periods),
        };
        Clock { control, left }
    }

    /// The time control.
    #[must_use]
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// What is left.
    #[must_use]
    pub fn left(&self) -> Left {
        self.left
    }

    /// Takes over what a server says is left.
    pub fn set_left(&mut self, left: Left) {
        self.left = match (self.control, left) {
            // Main time that ran out is overtime about to begin.
            (TimeControl::Canadian { period, stones, .. }, Left::Main(time)) if time.is_zero() => {
                Left::Overtime(period, stones)
            }
            (TimeControl::ByoYomi { period, periods, .. }, Left::Main(time)) if time.is_zero() => {
                Left::Overtime(period, periods)
            }
            // A period cannot hold more than its length: this is main time.
            (
                TimeControl::Canadian { period, .. } | TimeControl::ByoYomi { period, .. },
                Left::Overtime(time, _),
            ) if time > period => Left::Main(time),
            (_, left) => left,
        };
    }

    /// Takes off what a move took: for clients that never say what is left.
    pub fn spend(&mut self, used: Duration) {
        match self.control {
            TimeControl::None => {}
            TimeControl::Absolute { .. } => self.left = Left::Main(self.time().saturating_sub(used)),
            TimeControl::Fischer { increment, cap, .. } => {
                let saved = self.time().saturating_sub(used) + increment;
                self.left = Left::Main(cap.map_or(saved, |cap| saved.min(cap)));
            }
            TimeControl::Canadian { period, stones, .. } => self.spend_canadian(used, period, stones),
            TimeControl::ByoYomi { period, periods, .. } => self.spend_byo_yomi(used, period, periods),
        }
    }

    fn spend_canadian(&mut self, used: Duration, period: Duration, stones: u32) {
        let (time, count) = match self.left {
            Left::Main(time) if used < time => {
                self.left = Left::Main(time - used);
                return;
            }
            Left::Main(time) => (period.saturating_sub(used.saturating_sub(time)), stones),
            Left::Overtime(time, count) => (time.saturating_sub(used), count),
        };
        self.left = if count <= 1 { Left::Overtime(period, stones) } else { Left::Overtime(time, count - 1) };
    }

    fn spend_byo_yomi(&mut self, used: Duration, period: Duration, periods: u32) {
        let (mut over, mut count) = match self.left {
            Left::Main(time) if used < time => {
                self.left = Left::Main(time - used);
                return;
            }
            Left::Main(time) => (used - time, periods),
            Left::Overtime(_, count) => (used, count),
        };
        while over > period && count > 1 && !period.is_zero() {
            over -= period;
            count -= 1;
        }
        self.left = Left::Overtime(period, count);
    }

    fn time(&self) -> Duration {
        match self.left {
            Left::Main(time) | Left::Overtime(time, _) => time,
        }
    }

    /// Whether there is a limit on time at all.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.control != TimeControl::None
    }

    /// How long the next move may take. `moves_left` is a guess of how many
    /// moves this player still makes in the game; `lag` is lost on the way to
    /// the server for every move. `None` without a time control.
    #[must_use]
    pub fn limits(&self, moves_left: f64, lag: Duration) -> Option<Limits> {
        let (soft, hard) = match (self.control, self.left) {
            (TimeControl::None, _) => return None,
            (TimeControl::Fischer { increment, longest, .. }, _) => {
                fischer(self.time(), increment, longest, moves_left, lag)
            }
            (TimeControl::ByoYomi { .. }, Left::Overtime(period, _)) => whole_period(period, lag),
            (_, Left::Overtime(time, stones)) => shared_period(time, stones, lag),
            (TimeControl::Absolute { .. }, Left::Main(time)) => sudden_death(time, moves_left, lag),
            (TimeControl::Canadian { period, stones, .. }, Left::Main(time)) => {
                before_overtime(time, period / stones.max(1), moves_left, lag)
            }
            (TimeControl::ByoYomi { period, .. }, Left::Main(time)) => {
                before_overtime(time, period, moves_left, lag)
            }
        };
        let hard = hard.max(LEAST);
        Some(Limits { nodes: None, soft_time: Some(soft.min(hard)), hard_time: Some(hard) })
    }
}

/// The first thing on a clock: main time if there is any.
fn start(main: Duration, period: Duration, count: u32) -> Left {
    if main.is_zero() { Left::Overtime(period, count.max(1)) } else { Left::Main(main) }
}

/// Soft and hard time when nothing comes after `time`.
fn sudden_death(time: Duration, moves_left: f64, lag: Duration) -> (Duration, Duration) {
    let moves = moves_left.max(5.0);
    let usable = time.saturating_sub(lag.mul_f64(moves.min(40.0))).max(time.mul_f64(0.1));
    let soft = usable.div_f64(moves);
    (soft, soft.mul_f64(STRETCH).min(usable.mul_f64(LARGEST_SHARE)).min(time.saturating_sub(lag)))
}

/// Soft and hard time with an increment after each move.
fn fischer(
    time: Duration,
    increment: Duration,
    longest: Option<Duration>,
    moves_left: f64,
    lag: Duration,
) -> (Duration, Duration) {
    let (soft, hard) = sudden_death(time, moves_left, lag);
    let gain = increment.saturating_sub(lag).mul_f64(0.9);
    let most = time.saturating_sub(lag).mul_f64(0.8);
    let most = longest.map_or(most, |longest| most.min(longest.saturating_sub(lag)));
    ((soft + gain).min(most), (hard + gain).min(most))
}

/// Soft and hard time when `stones` moves share `time`.
fn shared_period(time: Duration, stones: u32, lag: Duration) -> (Duration, Duration) {
    if stones <= 1 {
        return whole_period(time, lag);
    }
    let usable = time.saturating_sub(lag * stones.min(20)).mul_f64(1.0 - RESERVE);
    let share = usable / stones;
    (share, share.mul_f64(STRETCH).min(usable / 2))
}

/// Soft and hard time when the move has a period of its own. Nothing is gained
/// by moving early, and a period lost does not come back.
fn whole_period(period: Duration, lag: Duration) -> (Duration, Duration) {
    let usable = period.saturating_sub(lag).max(period / 4);
    (usable, usable)
}

/// Soft and hard time in main time, when every move in overtime will have
/// `each` of its own: as much as that, and an even share of the main time.
fn before_overtime(time: Duration, each: Duration, moves_left: f64, lag: Duration) -> (Duration, Duration) {
    let each = each.saturating_sub(lag).mul_f64(1.0 - RESERVE);
    let share = time.div_f64(moves_left.max(5.0));
    let most = time.mul_f64(LARGEST_SHARE) + each;
    let soft = (each + share).min(most);
    (soft, soft.mul_f64(STRETCH).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAG: Duration = Duration::from_millis(60);

    fn secs(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn hard(clock: &Clock) -> f64 {
        clock.limits(30.0, LAG).unwrap().hard_time.unwrap().as_secs_f64()
    }

    fn soft(clock: &Clock) -> f64 {
        clock.limits(30.0, LAG).unwrap().soft_time.unwrap().as_secs_f64()
    }

    #[test]
    fn report_65_one_stone_in_canadian_main_time() {
        let mut clock =
            Clock::new(TimeControl::Canadian { main: secs(1780.0), period: secs(20.0), stones: 1 });
        clock.set_left(Left::from_gtp(secs(824.0), 1));
        assert!(soft(&clock) < 60.0, "{}", soft(&clock));
    }

    #[test]
    fn report_67_byo_yomi_uses_its_periods() {
        let mut clock =
            Clock::new(TimeControl::ByoYomi { main: secs(300.0), period: secs(30.0), periods: 5 });
        clock.set_left(Left::from_gtp(secs(30.0), 5));
        assert!((25.0..30.0).contains(&soft(&clock)));
        assert!(hard(&clock) < 30.0);
    }

    #[test]
    fn report_68_no_main_time_left_is_overtime() {
        let mut clock = Clock::new(TimeControl::Canadian { main: secs(60.0), period: secs(25.0), stones: 5 });
        clock.set_left(Left::from_gtp(secs(25.0), 5));
        assert!((3.0..5.0).contains(&soft(&clock)));
        clock.set_left(Left::from_gtp(Duration::ZERO, 0));
        assert!((3.0..5.0).contains(&soft(&clock)));
        clock.set_left(Left::from_gtp(Duration::ZERO, 5));
        assert!(hard(&clock) < 0.01);
    }

    #[test]
    fn report_71_a_flag_nearly_down() {
        let mut clock = Clock::new(TimeControl::Absolute { main: secs(30.0) });
        for left in [1.0, 0.1, 0.0] {
            clock.set_left(Left::from_gtp(secs(left), 0));
            assert!(hard(&clock) <= (left / 4.0).max(0.001), "{left}");
        }
    }

    #[test]
    fn no_sequence_of_moves_at_the_hard_limit_loses_on_time() {
        let controls = [
            TimeControl::Absolute { main: secs(10.0) },
            TimeControl::ByoYomi { main: secs(10.0), period: secs(1.0), periods: 3 },
            TimeControl::Canadian { main: secs(10.0), period: secs(10.0), stones: 5 },
            TimeControl::Fischer { main: secs(5.0), increment: secs(0.2), cap: None, longest: None },
        ];
        for control in controls {
            let mut clock = Clock::new(control);
            for mv in 0..100 {
                let left = 40.0 - f64::from(mv).min(35.0);
                let used = clock.limits(left, LAG).unwrap().hard_time.unwrap() + secs(0.002);
                let available = match (control, clock.left()) {
                    (TimeControl::ByoYomi { period, .. }, Left::Main(time)) => time + period,
                    (TimeControl::Canadian { period, .. }, Left::Main(time)) => time + period,
                    (_, Left::Main(time) | Left::Overtime(time, _)) => time,
                };
                assert!(used <= available + secs(0.002), "{control:?} move {mv}: {used:?} of {available:?}");
                clock.spend(used);
            }
            if let (TimeControl::ByoYomi { periods, .. }, Left::Overtime(_, count)) = (control, clock.left())
            {
                assert_eq!(count, periods, "no period is lost");
            }
        }
    }

    #[test]
    fn time_that_is_used_is_taken_off() {
        let mut clock = Clock::new(TimeControl::ByoYomi { main: secs(2.0), period: secs(5.0), periods: 3 });
        clock.spend(secs(1.5));
        assert_eq!(clock.left(), Left::Main(secs(0.5)));
        clock.spend(secs(6.0));
        assert_eq!(clock.left(), Left::Overtime(secs(5.0), 2));
        let mut clock = Clock::new(TimeControl::Canadian { main: secs(0.0), period: secs(5.0), stones: 2 });
        clock.spend(secs(1.0));
        assert_eq!(clock.left(), Left::Overtime(secs(4.0), 1));
        clock.spend(secs(1.0));
        assert_eq!(clock.left(), Left::Overtime(secs(5.0), 2));
    }
}
