//! What goes back and forth between a running search and whoever started it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::chess::types::Move;
use crate::shared::control::{StopFlag, Stopwatch};

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Since the search began.
    pub time: Duration,
    /// Nodes of all threads, a little behind.
    pub nodes: u64,
    /// The iteration under way, in plies.
    pub depth: u32,
    /// Root moves not yet begun in this iteration.
    pub left: u32,
    /// Root moves in all.
    pub total: u32,
    /// The root move being searched.
    pub current: Option<Move>,
}

/// The link of one search: how it is told to end or that its clock runs, and
/// where it says how far it is.
#[derive(Debug)]
pub struct Link {
    /// Ends the search.
    pub stop: StopFlag,
    ponders: bool,
    hit: OnceLock<Stopwatch>,
    watch: Stopwatch,
    nodes: AtomicU64,
    /// Depth, moves left, moves in all, and the move, 16 bits each.
    place: AtomicU64,
}

impl Default for Link {
    fn default() -> Self {
        Link::new(StopFlag::new(), false)
    }
}

impl Link {
    /// The link of a search that begins now. While one that `ponders` waits for
    /// [`Link::hit`], no time counts.
    #[must_use]
    pub fn new(stop: StopFlag, ponders: bool) -> Link {
        Link {
            stop,
            ponders,
            hit: OnceLock::new(),
            watch: Stopwatch::start(),
            nodes: AtomicU64::new(0),
            place: AtomicU64::new(0),
        }
    }

    /// The move pondered on was played: time counts from now on.
    pub fn hit(&self) {
        self.hit.get_or_init(Stopwatch::start);
    }

    /// Whether the search waits for a move that it ponders on.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.ponders && self.hit.get().is_none()
    }

    /// Time that counts against the clock.
    #[must_use]
    pub fn charged(&self) -> Duration {
        match (self.ponders, self.hit.get()) {
            (false, _) => self.watch.elapsed(),
            (true, None) => Duration::ZERO,
            (true, Some(watch)) => watch.elapsed(),
        }
    }

    /// Time since the search began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    pub(super) fn note_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    pub(super) fn note_place(&self, depth: u32, left: usize, total: usize, current: Move) {
        let [depth, left, total] = [u64::from(depth), left as u64, total as u64].map(|part| part & 0xffff);
        self.place.store(depth << 48 | left << 32 | total << 16 | u64::from(current.to_bits()), Relaxed);
    }

    /// How far the search is.
    #[must_use]
    pub fn status(&self) -> Status {
        let place = self.place.load(Relaxed);
        let part = |shift: u32| (place >> shift & 0xffff) as u32;
        Status {
            time: self.elapsed(),
            nodes: self.nodes.load(Relaxed),
            depth: part(48),
            left: part(32),
            total: part(16),
            current: Some(Move::from_bits(place as u16)).filter(|mv| mv.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_from_the_hit() {
        let link = Link::new(StopFlag::new(), true);
        assert!(link.is_waiting());
        assert_eq!(link.charged(), Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        let before = link.elapsed();
        link.hit();
        assert!(!link.is_waiting());
        assert!(link.charged() + before <= link.elapsed(), "what was pondered is not charged");
        assert!(!Link::default().is_waiting());
    }

    #[test]
    fn a_status_is_what_was_noted() {
        let link = Link::default();
        assert_eq!(link.status().current, None);
        let mv = Move::from_bits(0x0c5c);
        link.note_place(17, 3, 31, mv);
        link.note_nodes(12_345_678_901);
        let status = link.status();
        assert_eq!((status.depth, status.left, status.total, status.current), (17, 3, 31, Some(mv)));
        assert_eq!(status.nodes, 12_345_678_901);
    }
}
