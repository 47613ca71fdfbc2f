//! How much time the client grants.

use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use crate::chess::time::{self, ChessClock};
use crate::shared::control::Limits;

/// Lost between the engine and the clock with each move.
const OVERHEAD: Duration = Duration::from_millis(20);
/// For a move, while the client has not said how fast to play.
const UNTIMED: Duration = Duration::from_secs(5);

/// The limits that the client has set.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// Moves between two time controls, 0 for the whole game.
    session: u32,
    clock: Option<Duration>,
    increment: Duration,
    exact: Option<Duration>,
    /// At most this many plies.
    pub depth: Option<u32>,
    rate: Option<u64>,
}

type Words<'a> = SplitAsciiWhitespace<'a>;

impl Pace {
    /// `level MOVES BASE INCREMENT`; `None` changes nothing.
    pub fn level(&mut self, mut words: Words) -> Option<()> {
        let session = words.next()?.parse().ok()?;
        let base = minutes(words.next()?)?;
        let increment = seconds(words.next()?)?;
        self.session = session;
        (self.clock, self.increment, self.exact) = (Some(base), increment, None);
        Some(())
    }

    /// `st SECONDS`
    pub fn exactly(&mut self, mut words: Words) {
        self.exact = words.next().and_then(seconds);
    }

    /// `sd PLIES`
    pub fn depth(&mut self, mut words: Words) {
        self.depth = words.next().and_then(|word| word.parse().ok()).filter(|&depth| depth > 0);
    }

    /// `nps NODES`: time is counted in nodes at this rate.
    pub fn rate(&mut self, mut words: Words) {
        self.rate = words.next().and_then(|word| word.parse().ok()).filter(|&rate| rate > 0);
    }

    /// `time CENTISECONDS`
    pub fn time_left(&mut self, mut words: Words) {
        let centiseconds: Option<i64> = words.next().and_then(|word| word.parse().ok());
        self.clock = centiseconds.map(|time| Duration::from_millis(time.clamp(0, 1 << 40) as u64 * 10));
    }

    /// The limits of a move after `made` moves of each side.
    pub fn limits(&self, made: u32) -> Limits {
        let limits = if let Some(exact) = self.exact {
            time::for_move(exact, OVERHEAD)
        } else if let Some(left) = self.clock {
            let moves_to_go = (self.session > 0).then(|| self.session - made % self.session);
            time::for_clock(ChessClock { left, increment: self.increment, moves_to_go }, OVERHEAD)
        } else if self.depth.is_some() {
            Limits::default()
        } else {
            Limits::time(UNTIMED)
        };
        match (self.rate, limits.soft_time) {
            (Some(rate), Some(time)) => Limits::nodes((rate as f64 * time.as_secs_f64()).max(1.0) as u64),
            _ => limits,
        }
    }
}

/// Whole or fractional seconds, at most a year or so.
fn seconds(text: &str) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    (0.0..4e7).contains(&value).then(|| Duration::from_secs_f64(value))
}

/// Minutes, or minutes and seconds with a colon.
fn minutes(text: &str) -> Option<Duration> {
    let (minutes, rest) = text.split_once(':').unwrap_or((text, "0"));
    let minutes: u32 = minutes.parse().ok().filter(|&minutes| minutes < 1_000_000)?;
    Some(Duration::from_secs(u64::from(minutes) * 60) + seconds(rest)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_read_or_changes_nothing() {
        let mut pace = Pace::default();
        assert_eq!(pace.limits(0).hard_time, Some(UNTIMED));
        assert!(pace.level("40 0:30 0.5".split_ascii_whitespace()).is_some());
        assert_eq!((pace.session, pace.clock), (40, Some(Duration::from_secs(30))));
        let before = pace.limits(39);
        for bad in ["", "40", "40 x 0", "40 5 -1", "-1 5 0", "40 5:99x 0", "40 5 1e300"] {
            assert!(pace.level(bad.split_ascii_whitespace()).is_none(), "{bad}");
        }
        assert_eq!(pace.limits(39), before);
        pace.time_left("100".split_ascii_whitespace());
        assert!(pace.limits(0).hard_time.is_some_and(|time| time <= Duration::from_secs(1)));
    }
}
