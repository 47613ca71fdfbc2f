//! Time for a game: what each player has, and what a move used.

use std::str::FromStr;
use std::time::Duration;

/// How much time the players get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// As long as they like, up to a limit for a single answer.
    Unlimited,
    /// Seconds for the game, and seconds more after each move.
    Game {
        /// At the start.
        base: f64,
        /// Added after each move.
        increment: f64,
    },
    /// Seconds for each move.
    Move(f64),
}

/// A time control that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time control is SECONDS or SECONDS+INCREMENT")]
pub struct BadTimeControl;

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    /// Reads `60` or `60+0.5`.
    fn from_str(text: &str) -> Result<Self, BadTimeControl> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |text: &str| {
            let number = text.trim().parse::<f64>().ok();
            number.filter(|number| (0.0..1e7).contains(number)).ok_or(BadTimeControl)
        };
        let (base, increment) = (seconds(base)?, seconds(increment)?);
        if base + increment > 0.0 { Ok(TimeControl::Game { base, increment }) } else { Err(BadTimeControl) }
    }
}

/// The clocks of both players, the first mover's first.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    pub(super) control: TimeControl,
    /// Seconds that a player may exceed his time by, for the referee's own
    /// delays.
    margin: f64,
    left: [f64; 2],
}

impl Clocks {
    pub(super) fn new(control: TimeControl, margin: f64) -> Self {
        let start = match control {
            TimeControl::Unlimited => f64::INFINITY,
            TimeControl::Game { base, .. } => base,
            TimeControl::Move(seconds) => seconds,
        };
        Clocks { control, margin, left: [start; 2] }
    }

    /// Seconds that `player` has left.
    pub(super) fn left(&self, player: usize) -> f64 {
        self.left[player].max(0.0)
    }

    /// Takes the seconds that a move used off the clock. Gives whether the
    /// player is still in time.
    pub(super) fn charge(&mut self, player: usize, used: f64) -> bool {
        let in_time = self.left[player] - used >= -self.margin;
        if let TimeControl::Game { increment, .. } = self.control {
            self.left[player] += increment - used;
        }
        in_time
    }
}

/// What a player used in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Moves made.
    pub moves: u32,
    /// Seconds of wall time.
    pub wall_s: f64,
    /// Seconds of processor time.
    pub cpu_s: f64,
    /// Seconds of wall time of the longest move.
    pub longest_s: f64,
}

impl Usage {
    /// Adds a move.
    pub(super) fn add(&mut self, wall: Duration, cpu: Duration) {
        self.moves += 1;
        self.wall_s += wall.as_secs_f64();
        self.cpu_s += cpu.as_secs_f64();
        self.longest_s = self.longest_s.max(wall.as_secs_f64());
    }

    /// Adds another game.
    pub(super) fn merge(&mut self, other: &Usage) {
        self.moves += other.moves;
        self.wall_s += other.wall_s;
        self.cpu_s += other.cpu_s;
        self.longest_s = self.longest_s.max(other.longest_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_read() {
        assert_eq!("60+0.5".parse(), Ok(TimeControl::Game { base: 60.0, increment: 0.5 }));
        assert_eq!("10".parse(), Ok(TimeControl::Game { base: 10.0, increment: 0.0 }));
        for text in ["", "x", "0", "-1+2", "1+-1", "inf", "1+2+3"] {
            assert_eq!(text.parse::<TimeControl>(), Err(BadTimeControl), "{text}");
        }
    }

    #[test]
    fn time_runs_out() {
        let mut clocks = Clocks::new("10+1".parse().unwrap(), 0.1);
        assert!(clocks.charge(0, 8.0));
        assert_eq!((clocks.left(0), clocks.left(1)), (3.0, 10.0));
        assert!(clocks.charge(0, 3.05), "within the margin");
        assert!(!clocks.charge(0, 1.2));
        let mut each = Clocks::new(TimeControl::Move(1.0), 0.0);
        assert!(each.charge(0, 0.9) && each.charge(0, 0.9) && !each.charge(0, 1.1));
    }
}
