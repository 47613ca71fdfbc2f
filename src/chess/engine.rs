//! The engine that both front ends drive: a game's position, settings, and a
//! search that runs beside whatever else is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::shared::control::{Limits, StopFlag};
use crate::shared::hash::Key;

use super::eval::Evaluator;
use super::position::Position;
use super::search::root;
use super::search::{Line, Outcome, Request, Worker};
use super::table::ChessTable;
use super::types::Move;

/// Megabytes of the transposition table to begin with.
pub const DEFAULT_HASH_MIB: usize = 16;
/// The largest table, in MiB, on a machine that has the memory.
pub const MAX_HASH_MIB: usize = 1 << 20;
/// The largest table where the machine's memory is unknown, in MiB.
const CAUTIOUS_HASH_MIB: usize = 4096;
/// The most threads.
pub const MAX_THREADS: usize = 256;
/// How often a search that must wait for word from outside looks for it.
const WAIT: Duration = Duration::from_millis(1);
const STACK: usize = 16 << 20;

/// Half of the machine's memory, in MiB, so that no size asked for ends the
/// process.
fn affordable_mib() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_ascii_whitespace().next()?.parse::<usize>().ok());
    kib.map_or(CAUTIOUS_HASH_MIB, |kib| kib / 2048)
}

/// What only a search uses.
struct Brain {
    table: ChessTable,
    workers: Vec<Worker>,
}

/// A search as a front end wants it.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Nodes and time.
    pub limits: Limits,
    /// At most this many plies.
    pub depth: Option<u32>,
    /// Stop at a mate in this many moves.
    pub mate: Option<u32>,
    /// Only these moves at the root; empty for all.
    pub moves: Vec<Move>,
    /// How many best lines to find, at least 1.
    pub lines: usize,
    /// Do not finish before [`Engine::stop`].
    pub infinite: bool,
    /// Do not finish before [`Engine::stop`] or [`Engine::ponder_hit`].
    pub ponder: bool,
}

/// A chess engine.
pub struct Engine {
    brain: Arc<Mutex<Brain>>,
    position: Position,
    history: Vec<Key>,
    hash_mib: usize,
    threads: usize,
    stop: StopFlag,
    pondering: Arc<AtomicBool>,
    running: Option<JoinHandle<()>>,
}

impl Default for Engine {
    fn default() -> Self {
        Engine::new(DEFAULT_HASH_MIB, 1)
    }
}

impl Engine {
    /// An engine at the start position.
    #[must_use]
    pub fn new(hash_mib: usize, threads: usize) -> Engine {
        let mut engine = Engine {
            brain: Arc::new(Mutex::new(Brain { table: ChessTable::new(1), workers: Vec::new() })),
            position: Position::default(),
            history: Vec::new(),
            hash_mib: 1,
            threads: 0,
            stop: StopFlag::new(),
            pondering: Arc::default(),
            running: None,
        };
        engine.set_hash(hash_mib);
        engine.set_threads(threads);
        engine
    }

    /// The present position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Takes up a position and the moves that follow it.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
        self.history.clear();
    }

    /// Plays a legal move on the engine's board.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.position.key());
        self.position.play_unchecked(mv);
    }

    /// Keys of the positions before the present one, the oldest first.
    #[must_use]
    pub fn history(&self) -> &[Key] {
        &self.history
    }

    /// Ends a running search and gives the table a new size.
    pub fn set_hash(&mut self, mib: usize) {
        self.finish();
        let mib = mib.min(affordable_mib()).clamp(1, MAX_HASH_MIB);
        if mib != self.hash_mib {
            let mut brain = self.brain.lock();
            brain.table = ChessTable::new(1);
            brain.table = ChessTable::new(mib);
        }
        self.hash_mib = mib;
    }

    /// Ends a running search and changes the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.finish();
        self.threads = threads.clamp(1, MAX_THREADS);
        self.brain.lock().workers.resize_with(self.threads, Worker::default);
    }

    /// Ends a running search and forgets what earlier ones have learnt.
    pub fn forget(&mut self) {
        self.finish();
        let mut brain = self.brain.lock();
        brain.table.clear();
        brain.workers.clear();
        brain.workers.resize_with(self.threads, Worker::default);
    }

    /// The static evaluation of the present position for the side to move.
    #[must_use]
    pub fn evaluate(&self) -> i32 {
        Evaluator::default().evaluate(&self.position)
    }

    fn request(&self, order: &Order) -> Request {
        Request {
            position: self.position.clone(),
            history: self.history.clone(),
            limits: order.limits,
            depth: order.depth,
            mate: order.mate,
            moves: order.moves.clone(),
            lines: order.lines,
        }
    }

    /// Searches here and now.
    pub fn think(&mut self, order: &Order, mut report: impl FnMut(&Line)) -> Outcome {
        self.finish();
        let mut brain = self.brain.lock();
        let Brain { table, workers } = &mut *brain;
        root::search(&self.request(order), workers, table, &self.stop, &self.pondering, &mut report)
    }

    /// Starts a search beside the caller, once the one before has ended.
    /// `report` gets its lines, `done` its outcome, once.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(
        &mut self,
        order: Order,
        mut report: impl FnMut(&Line) + Send + 'static,
        done: impl FnOnce(Outcome) + Send + 'static,
    ) -> std::io::Result<()> {
        self.finish();
        self.pondering.store(order.ponder, Ordering::Release);
        let request = self.request(&order);
        let (brain, stop, pondering) = (self.brain.clone(), self.stop.clone(), self.pondering.clone());
        let work = move || {
            let mut brain = brain.lock();
            let Brain { table, workers } = &mut *brain;
            let outcome = root::search(&request, workers, table, &stop, &pondering, &mut report);
            while !stop.is_raised() && (order.infinite || pondering.load(Ordering::Acquire)) {
                std::thread::sleep(WAIT);
            }
            drop(brain);
            done(outcome);
        };
        self.running = Some(std::thread::Builder::new().name("search".into()).stack_size(STACK).spawn(work)?);
        Ok(())
    }

    /// Whether a search has been started and has not ended.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Tells a running search to end; it reports its outcome as always.
    pub fn stop(&self) {
        self.stop.raise();
    }

    /// The move pondered on was played: the clock counts from now on.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Release);
    }

    /// Ends a running search and waits until it has reported its outcome.
    pub fn finish(&mut self) {
        if let Some(thread) = self.running.take() {
            self.stop.raise();
            if thread.join().is_err() {
                tracing::error!("the search panicked");
            }
        }
        self.stop.lower();
        self.pondering.store(false, Ordering::Release);
    }

    /// Waits at most `patience` for a running search to end by itself.
    pub fn wait(&self, patience: Duration) {
        let watch = crate::shared::control::Stopwatch::start();
        while self.is_searching() && watch.elapsed() < patience {
            std::thread::sleep(WAIT);
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.finish();
    }
}
