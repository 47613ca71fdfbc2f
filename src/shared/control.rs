//! Starting, limiting and stopping a search from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that tells a running search to end. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells the search to end as soon as it looks.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Takes the flag down, before the next search.
    pub fn lower(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether the search should end.
    #[inline]
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When a search ends by itself: at whichever limit comes first. Without any
/// it runs until its [`StopFlag`] is raised.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// At most this many simulations (Go) or nodes (chess).
    pub nodes: Option<u64>,
    /// At most this long after the start, in any case.
    pub hard_time: Option<Duration>,
    /// At about this time after the start, earlier when one move is clear and
    /// later (up to `hard_time`) when the best move is disputed.
    pub soft_time: Option<Duration>,
}

impl Limits {
    /// A limit on nodes or simulations alone.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Limits { nodes: Some(nodes), ..Self::default() }
    }

    /// Exactly this long.
    #[must_use]
    pub fn time(time: Duration) -> Self {
        Limits { hard_time: Some(time), soft_time: Some(time), ..Self::default() }
    }
}

/// Time since a search began. The search looks at it itself, from the thread
/// that works, so that no timer thread is needed.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
