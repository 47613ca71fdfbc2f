//! Storage that grows in chunks under a shared limit, from which several
//! threads allocate without a lock.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicUsize};

/// Elements in a chunk. No run is longer than this, and none crosses from one
/// chunk into the next.
pub const CHUNK: u32 = 4096;

/// Bytes that several arenas may use together.
pub struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    /// At most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Budget { limit, used: AtomicUsize::new(0) }
    }

    /// Takes `bytes` of what is left, if there is enough.
    fn take(&self, bytes: usize) -> bool {
        let grown = |used: usize| used.checked_add(bytes).filter(|&used| used <= self.limit);
        self.used.fetch_update(Relaxed, Relaxed, grown).is_ok()
    }

    /// Bytes taken.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// The share that is taken, 0 to 1.
    pub fn fraction(&self) -> f32 {
        self.used() as f32 / self.limit.max(1) as f32
    }
}

/// An array that only grows. Index 0 is never handed out.
pub struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    next: AtomicU32,
}

impl<T: Default> Arena<T> {
    /// An empty arena that could use all of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let bytes = size_of::<T>() * CHUNK as usize;
        let count = (limit / bytes + 1).min((u32::MAX / CHUNK) as usize);
        Arena { chunks: (0..count).map(|_| OnceLock::new()).collect(), next: AtomicU32::new(1) }
    }

    /// Elements handed out, gaps at ends of chunks included.
    pub fn len(&self) -> u32 {
        self.next.load(Relaxed) - 1
    }

    /// A fresh run of `count` elements, or nothing when the budget is spent.
    pub fn allocate(&self, count: u32, budget: &Budget) -> Option<u32> {
        debug_assert!(count <= CHUNK);
        let place = |next: u32| {
            let fits = next % CHUNK + count <= CHUNK;
            if fits { next } else { next.next_multiple_of(CHUNK) }
        };
        let grown = |next: u32| {
            let end = place(next).checked_add(count)?;
            let chunk = (place(next) / CHUNK) as usize;
            (chunk < self.chunks.len() && self.open(chunk, budget)).then_some(end)
        };
        self.next.fetch_update(Relaxed, Relaxed, grown).ok().map(place)
    }

    /// Makes sure that a chunk exists.
    fn open(&self, chunk: usize, budget: &Budget) -> bool {
        if self.chunks[chunk].get().is_some() {
            return true;
        }
        // Two threads may both pay for the same chunk here, and one of them
        // for nothing: the limit is kept all the same.
        budget.take(size_of::<T>() * CHUNK as usize) && {
            self.chunks[chunk].get_or_init(|| (0..CHUNK).map(|_| T::default()).collect());
            true
        }
    }

    /// The element at `index`, which must have been handed out.
    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.run(index, 1)[0]
    }

    /// A run that was handed out.
    #[inline]
    pub fn run(&self, start: u32, count: u16) -> &[T] {
        let chunk = self.chunks[(start / CHUNK) as usize].get().map_or(&[][..], |chunk| chunk);
        let first = (start % CHUNK) as usize;
        &chunk[first..first + usize::from(count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_do_not_cross_chunks_and_the_limit_holds() {
        let limit = 8 * CHUNK as usize * 3;
        let (arena, budget) = (Arena::<u64>::new(limit), Budget::new(limit));
        let mut last = 0;
        while let Some(start) = arena.allocate(700, &budget) {
            assert!(start > last && start / CHUNK == (start + 699) / CHUNK);
            assert_eq!(arena.run(start, 700).len(), 700);
            last = start;
        }
        assert_eq!(budget.used(), limit);
        assert_eq!(arena.len() / CHUNK, 2);
    }

    #[test]
    fn threads_get_separate_runs() {
        let limit = 8 << 20;
        let (arena, budget) = (Arena::<AtomicU32>::new(limit), Budget::new(limit));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let start = arena.allocate(30, &budget).expect("room");
                        for element in arena.run(start, 30) {
                            assert_eq!(element.fetch_add(1, Relaxed), 0);
                        }
                    }
                });
            }
        });
    }
}
