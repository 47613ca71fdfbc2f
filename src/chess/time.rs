//! How much of a chess clock a move may take.

use std::time::Duration;

use crate::shared::control::Limits;

/// What a side has on its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChessClock {
    /// Time left.
    pub left: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time is added, if that is so.
    pub moves_to_go: Option<u32>,
}

/// Moves for which the time left is meant to last, without other word.
const HORIZON: u32 = 24;

/// The limits for one move. `overhead` is lost between the engine and the
/// clock with each move.
#[must_use]
pub fn for_clock(clock: ChessClock, overhead: Duration) -> Limits {
    let moves = clock.moves_to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
    let reserve = overhead * moves.min(4);
    let usable = clock.left.saturating_sub(reserve).max(Duration::from_millis(1));
    let most = clock.left.saturating_sub(overhead * 2).max(Duration::from_millis(1)) * 3 / 4;
    let share = usable / moves + clock.increment * 3 / 4;
    let soft = (share * 4 / 5).min(most);
    let hard = if moves == 1 { most } else { (share * 4).min(most / 2).max(soft) };
    Limits { nodes: None, soft_time: Some(soft), hard_time: Some(hard) }
}

/// The limits for a move of exactly this long.
#[must_use]
pub fn for_move(time: Duration, overhead: Duration) -> Limits {
    Limits::time(time.saturating_sub(overhead.min(time / 20)).max(Duration::from_millis(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_clock_is_overdrawn() {
        for left_ms in [1, 5, 20, 100, 1000, 60_000, 7_200_000] {
            for increment_ms in [0, 10, 1000, 30_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40)] {
                    let clock = ChessClock {
                        left: Duration::from_millis(left_ms),
                        increment: Duration::from_millis(increment_ms),
                        moves_to_go,
                    };
                    let limits = for_clock(clock, Duration::from_millis(10));
                    let (soft, hard) = (limits.soft_time.expect("set"), limits.hard_time.expect("set"));
                    assert!(soft <= hard, "{clock:?}: {limits:?}");
                    assert!(hard <= clock.left.max(Duration::from_millis(1)), "{clock:?}: {limits:?}");
                }
            }
        }
    }
}
