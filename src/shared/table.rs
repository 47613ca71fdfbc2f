//! The transposition table, for both games.
//!
//! A fixed number of 16-byte slots in 64-byte buckets, shared by threads
//! without a lock. A slot is two relaxed atomic words: the entry, and the
//! entry XORed with the key (Hyatt and Mann 2002, "A Lock-less Transposition
//! Table Implementation for Parallel Search Chess Engines"). A read torn by a
//! writer gives a key that does not match, and so counts as a miss.
//!
//! What the entries mean is their own affair: an entry packs itself into 64
//! bits and says what it is worth. A bucket drops its least valuable entry;
//! each generation that an entry is behind costs it [`AGE_COST`].

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use super::cpu;
use super::hash::Key;
use super::memory;

/// What a [`Table`] keeps for a key.
pub trait Entry: Copy {
    /// Packs the entry into the low 58 bits; the table keeps the generation in
    /// the others.
    fn to_bits(self) -> u64;
    /// The entry that was packed.
    fn from_bits(bits: u64) -> Self;
    /// How much it would cost to lose the entry: the depth of the search
    /// behind it, or its visits.
    fn worth(self) -> i32;
}

/// Bits of an entry's word that hold the entry itself.
pub const PAYLOAD_BITS: u32 = 58;
const PAYLOAD: u64 = (1 << PAYLOAD_BITS) - 1;
const GENERATIONS: u8 = 1 << (64 - PAYLOAD_BITS);
/// What one generation of age takes from an entry's worth.
pub const AGE_COST: i32 = 4;

const BUCKET: usize = 4;

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

const _: () = assert!(size_of::<Slot>() == 16 && size_of::<Bucket>() == 64);

/// A transposition table with entries of type `E`.
pub struct Table<E> {
    buckets: Box<[Bucket]>,
    generation: AtomicU8,
    entry: std::marker::PhantomData<fn() -> E>,
}

impl<E: Entry> Table<E> {
    /// A table of at most `mebibytes` (at least one bucket); of less where the
    /// system does not give so much.
    #[must_use]
    pub fn new(mebibytes: usize) -> Self {
        let count = (mebibytes.saturating_mul(1 << 20) / size_of::<Bucket>()).max(1);
        Table { buckets: Self::room(count), generation: AtomicU8::new(0), entry: std::marker::PhantomData }
    }

    fn room(mut count: usize) -> Box<[Bucket]> {
        let mut buckets = Vec::new();
        while buckets.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
            tracing::warn!("no memory for the table: {} MiB are tried", (count * size_of::<Bucket>()) >> 20);
        }
        memory::prefer_large_pages(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        buckets.into()
    }

    /// How many entries fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.buckets.len() * BUCKET
    }

    /// Starts a new generation: entries of earlier ones are the first to go.
    pub fn age(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.check.store(0, Relaxed);
            slot.data.store(0, Relaxed);
        }
        self.generation.store(0, Relaxed);
    }

    #[inline]
    fn bucket(&self, key: Key) -> &Bucket {
        // Multiply-high maps the key onto any number of buckets, evenly.
        &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize]
    }

    /// Asks the processor to load what [`Table::probe`] will read for `key`.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        cpu::prefetch(self.bucket(key));
    }

    /// A copy of the entry stored under `key`.
    #[inline]
    #[must_use]
    pub fn probe(&self, key: Key) -> Option<E> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == key && data != 0).then(|| E::from_bits(data & PAYLOAD))
        })
    }

    /// Stores `entry` under `key`, in place of an older entry for the same key
    /// or else of the least valuable one in its bucket.
    #[inline]
    pub fn store(&self, key: Key, entry: E) {
        let generation = self.generation.load(Relaxed);
        let mut victim = &self.bucket(key).0[0];
        let mut least = i32::MAX;
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if data == 0 || slot.check.load(Relaxed) ^ data == key {
                victim = slot;
                break;
            }
            let age = generation.wrapping_sub((data >> PAYLOAD_BITS) as u8) % GENERATIONS;
            let worth = E::from_bits(data & PAYLOAD).worth() - AGE_COST * i32::from(age);
            if worth < least {
                least = worth;
                victim = slot;
            }
        }
        let bits = entry.to_bits();
        debug_assert!(bits <= PAYLOAD, "an entry leaves the generation's bits alone");
        let data = bits | u64::from(generation) << PAYLOAD_BITS;
        victim.data.store(data, Relaxed);
        victim.check.store(data ^ key, Relaxed);
    }

    /// Entries of the current generation among the first thousand slots, in
    /// thousandths: how full the table is, as UCI's `hashfull` counts it.
    #[must_use]
    pub fn permille_used(&self) -> usize {
        let generation = self.generation.load(Relaxed);
        let sample = self.buckets.len().min(250);
        let used = self.buckets[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| {
                let data = slot.data.load(Relaxed);
                data != 0 && (data >> PAYLOAD_BITS) as u8 == generation
            })
            .count();
        used * 1000 / (sample * BUCKET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::hash::mix;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Depth(u16, u8);

    impl Entry for Depth {
        fn to_bits(self) -> u64 {
            u64::from(self.0) | u64::from(self.1) << 16 | 1 << 24
        }
        fn from_bits(bits: u64) -> Self {
            Depth(bits as u16, (bits >> 16) as u8)
        }
        fn worth(self) -> i32 {
            i32::from(self.1)
        }
    }

    #[test]
    fn finds_what_was_stored() {
        let table = Table::new(1);
        for i in 0..1000u16 {
            table.store(mix(i.into()), Depth(i, 3));
        }
        let found = (0..1000u16).filter(|&i| table.probe(mix(i.into())) == Some(Depth(i, 3))).count();
        assert!(found >= 995, "{found} of 1000 found in a nearly empty table");
        assert_eq!(table.probe(mix(5000)), None);
        table.clear();
        assert_eq!(table.probe(mix(1)), None);
    }

    #[test]
    fn keeps_the_deeper_and_the_younger() {
        let table = Table {
            buckets: [Bucket::default()].into(),
            generation: AtomicU8::new(0),
            entry: std::marker::PhantomData,
        };
        for i in 0..4u8 {
            table.store(u64::from(i) + 1, Depth(i.into(), 10 + i));
        }
        table.store(9, Depth(9, 30));
        assert_eq!(table.probe(1), None, "the shallowest went");
        assert_eq!(table.probe(9), Some(Depth(9, 30)));
        for _ in 0..6 {
            table.age();
        }
        for i in 0..4u8 {
            table.store(u64::from(i) + 100, Depth(i.into(), 8));
        }
        assert_eq!(table.probe(9), None, "six generations outweigh 22 plies");
    }

    #[test]
    fn same_key_is_updated_in_place() {
        let table = Table::new(1);
        table.store(42, Depth(1, 9));
        table.store(42, Depth(2, 1));
        assert_eq!(table.probe(42), Some(Depth(2, 1)));
    }

    #[test]
    fn racing_threads_never_see_a_torn_entry() {
        let table = Table {
            buckets: [Bucket::default()].into(),
            generation: AtomicU8::new(0),
            entry: std::marker::PhantomData,
        };
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..50_000u64 {
                        let n = (mix(i ^ thread << 32) % 64) as u16;
                        if let Some(Depth(found, depth)) = table.probe(mix(n.into())) {
                            assert_eq!((found, depth), (n, (n % 7) as u8));
                        }
                        table.store(mix(n.into()), Depth(n, (n % 7) as u8));
                    }
                });
            }
        });
    }
}
