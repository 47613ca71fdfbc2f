//! What a running engine sees of the store.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use parking_lot::RwLock;

use super::record::Record;
use super::schema::Schema;
use super::store::Store;

type Records = HashMap<u64, Record>;

/// How far this process and the file agree.
#[derive(Default)]
struct Progress {
    /// Batches that are not in the file yet.
    pending: AtomicUsize,
    /// The file's generation when we last read or wrote it.
    generation: AtomicU32,
    /// Whether another process has written since we read the file.
    is_stale: AtomicBool,
}

/// The records of one schema, and a thread that writes new ones.
///
/// A look takes a read lock that is held for one map operation at a time, never
/// while a file is touched. Batches are written in order; dropping the memory
/// waits for them.
pub struct Memory {
    store: Store,
    progress: Arc<Progress>,
    records: Arc<RwLock<Records>>,
    sender: Option<Sender<Vec<(u64, Record)>>>,
    writer: Option<JoinHandle<()>>,
    schema: Schema,
}

impl Memory {
    /// Reads what `store` knows under `schema`. Trouble with the file is logged
    /// once, and what cannot be read counts as unknown.
    #[must_use]
    pub fn open(store: Store, schema: Schema) -> Self {
        let progress = Progress::default();
        // The generation first: what is written in between is then read twice
        // rather than never.
        let read = store.generation().and_then(|generation| Ok((generation, store.load(&schema)?)));
        let (known, usable) = match read {
            Ok((generation, records)) => {
                progress.generation.store(generation, Ordering::Relaxed);
                (records.into_iter().collect(), true)
            }
            Err(error) => {
                tracing::warn!("{error}; playing on without it");
                (Records::new(), false)
            }
        };
        let mut memory = Memory {
            store: store.clone(),
            progress: Arc::new(progress),
            records: Arc::new(RwLock::new(known)),
            sender: None,
            writer: None,
            schema: schema.clone(),
        };
        if usable {
            memory.start_writer(store, schema);
        }
        memory
    }

    fn start_writer(&mut self, store: Store, schema: Schema) {
        let (sender, receiver) = channel();
        let progress = self.progress.clone();
        let work = move || write_batches(&store, &schema, &receiver, &progress);
        match std::thread::Builder::new().name("learn".into()).spawn(work) {
            Ok(writer) => (self.sender, self.writer) = (Some(sender), Some(writer)),
            Err(error) => tracing::warn!("nothing new is learnt: {error}"),
        }
    }

    /// The terms of these records.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How many positions are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.read().len()
    }

    /// Whether no position is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known of a position.
    #[must_use]
    pub fn probe(&self, key: u64) -> Option<Record> {
        self.records.read().get(&key).copied()
    }

    /// Adds to what is known, at once for this process and in the background
    /// for the file.
    pub fn store(&self, batch: Vec<(u64, Record)>) {
        for &(key, record) in &batch {
            let mut records = self.records.write();
            let known = records.entry(key).or_insert(Record::EMPTY);
            *known = known.merged(record);
        }
        if let Some(sender) = &self.sender
            && !batch.is_empty()
        {
            self.progress.pending.fetch_add(1, Ordering::Relaxed);
            // A writer that gave up has said so.
            let _ = sender.send(batch);
        }
    }

    /// Reads what other processes have written, if they have, and if what we
    /// know ourselves is written.
    pub fn refresh(&self) {
        let Progress { pending, generation, is_stale } = &*self.progress;
        if self.sender.is_none() || pending.load(Ordering::Acquire) > 0 {
            return;
        }
        let Ok(now) = self.store.generation() else { return };
        if now == generation.load(Ordering::Relaxed) && !is_stale.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(records) = self.store.load(&self.schema) {
            *self.records.write() = records.into_iter().collect();
            generation.store(now, Ordering::Relaxed);
            is_stale.store(false, Ordering::Relaxed);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Writes batches until the memory is dropped, several at once if they have
/// come in meanwhile. Gives up at the first that cannot be written.
fn write_batches(
    store: &Store,
    schema: &Schema,
    receiver: &Receiver<Vec<(u64, Record)>>,
    progress: &Progress,
) {
    while let Ok(mut batch) = receiver.recv() {
        let mut count = 1;
        while let Ok(more) = receiver.try_recv() {
            batch.extend(more);
            count += 1;
        }
        match store.merge(schema, &batch) {
            Ok(generation) => {
                let before = progress.generation.swap(generation, Ordering::Relaxed);
                if generation != before.wrapping_add(1) {
                    progress.is_stale.store(true, Ordering::Relaxed);
                }
                progress.pending.fetch_sub(count, Ordering::Release);
            }
            Err(error) => {
                tracing::warn!("{error}; playing on");
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::learn::Bound;

    #[test]
    fn what_was_learnt_is_there_after_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("l"), 100);
        let schema = Schema::new("test", "", 1);
        let record = Record::of_search(3, 14, 15, Bound::Exact);
        let memory = Memory::open(store.clone(), schema.clone());
        memory.store(vec![(9, record)]);
        assert_eq!(memory.probe(9).map(|r| r.score), Some(14));
        drop(memory);
        assert_eq!(Memory::open(store.clone(), schema).probe(9).map(|r| r.score), Some(14));
        assert!(Memory::open(store, Schema::new("test", "", 2)).is_empty());
    }

    #[test]
    fn a_damaged_file_does_not_stop_the_play() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l");
        std::fs::write(&path, vec![0x5a; 10_000]).unwrap();
        let memory = Memory::open(Store::new(&path, 100), Schema::new("test", "", 1));
        memory.store(vec![(1, Record::of_search(0, 0, 1, Bound::Exact))]);
        assert!(memory.probe(1).is_some());
        drop(memory);
        assert_eq!(std::fs::read(&path).unwrap(), vec![0x5a; 10_000]);
    }
}
