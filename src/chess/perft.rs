//! Perft: how many sequences of legal moves there are, the usual test of a
//! move generator.

use crate::shared::control::StopFlag;

use super::movegen::Generator;
use super::position::Position;
use super::types::Move;

/// Counts the positions `depth` moves on. The last move is counted, not played.
#[must_use]
pub fn bulk(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => Generator::new(position).count() as u64,
        _ => played(position, |next| bulk(next, depth - 1)),
    }
}

/// Adds up what `count` finds behind each move.
#[inline]
fn played(position: &Position, count: impl Fn(&Position) -> u64) -> u64 {
    let mut total = 0;
    for &mv in Generator::new(position).all().iter() {
        let mut next = *position;
        next.play(mv);
        total += count(&next);
    }
    total
}

/// Counts the positions `depth` moves on, playing every move.
#[must_use]
pub fn full(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // What follows is not looked at, but must be there all the same.
        1 => played(position, |next| {
            std::hint::black_box(next);
            1
        }),
        _ => played(position, |next| full(next, depth - 1)),
    }
}

/// Below this depth a count is too quick to look whether it should stop.
const QUICK: u32 = 4;

/// As [`bulk`], but `None` as soon as `stop` is raised.
#[must_use]
pub fn until(position: &Position, depth: u32, stop: &StopFlag) -> Option<u64> {
    if stop.is_raised() {
        return None;
    }
    if depth < QUICK {
        return Some(bulk(position, depth));
    }
    Generator::new(position).all().iter().map(|&mv| until(&position.after(mv), depth - 1, stop)).sum()
}

/// The whole count, [`until`] it is stopped; `report` gets that behind each
/// move, in the order of generation.
pub fn divide(
    position: &Position,
    depth: u32,
    stop: &StopFlag,
    report: &mut dyn FnMut(Move, u64),
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let count = |&mv: &Move| {
        let nodes = until(&position.after(mv), depth - 1, stop)?;
        report(mv, nodes);
        Some(nodes)
    };
    position.legal_moves().iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_can_be_divided_and_stopped() {
        let (position, stop) = (Position::default(), StopFlag::new());
        let mut parts = Vec::new();
        let whole = divide(&position, 5, &stop, &mut |_, nodes| parts.push(nodes));
        assert_eq!(whole, Some(4_865_609));
        assert_eq!((parts.len(), parts.iter().sum::<u64>()), (20, 4_865_609));
        // Stopped after the first part: a depth that would take years ends.
        let mut seen = 0;
        let ended = divide(&position, 5, &stop, &mut |_, _| {
            seen += 1;
            stop.raise();
        });
        assert_eq!((ended, seen), (None, 1));
        assert_eq!(until(&position, 20, &stop), None);
    }
}
