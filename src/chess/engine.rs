//! The engine that both front ends drive: a game's position, settings, and a
//! search that runs beside whatever else is asked.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::shared::control::{Limits, StopFlag};
use crate::shared::hash::Key;

use super::eval::Evaluator;
use super::memory::ChessMemory;
use super::perft;
use super::position::Position;
use super::score::is_mate;
use super::search::root;
use super::search::{Line, Link, Outcome, Request, Status, Worker};
use super::table::ChessTable;
use super::types::{Color, Move};

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
/// A search that has gone on for so long is learnt from before it ends.
const LONG: Duration = Duration::from_secs(1);
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
    /// Where the game began, and its moves.
    start: Position,
    moves: Vec<Move>,
    position: Position,
    history: Vec<Key>,
    memory: Option<ChessMemory>,
    /// The game whose result was learnt last, by its final key and length.
    learnt: Option<(Key, usize)>,
    hash_mib: usize,
    threads: usize,
    stop: StopFlag,
    link: Arc<Link>,
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
            start: Position::default(),
            moves: Vec::new(),
            position: Position::default(),
            history: Vec::new(),
            memory: None,
            learnt: None,
            hash_mib: 1,
            threads: 0,
            stop: StopFlag::new(),
            link: Arc::default(),
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
        (self.start, self.position) = (position, position);
        self.history.clear();
        self.moves.clear();
    }

    /// Plays a legal move on the engine's board.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.position.key());
        self.moves.push(mv);
        self.position.play_unchecked(mv);
    }

    /// Learns from now on, and uses what `memory` knows.
    pub fn learn_with(&mut self, memory: ChessMemory) {
        self.memory = Some(memory);
    }

    /// Learns how the present game has ended, once: White's result from 0 to 1.
    pub fn learn_result(&mut self, white: f32) {
        let game = (self.position.key(), self.moves.len());
        let Some(memory) = self.memory.as_ref().filter(|_| !self.moves.is_empty()) else { return };
        if self.learnt != Some(game) {
            memory.learn_result(&self.start, &self.moves, white);
            self.learnt = Some(game);
        }
    }

    /// White's result, from 0 to 1, if the rules have ended the game: mate,
    /// stalemate, or a draw by repetition, fifty moves or want of material.
    #[must_use]
    pub fn result(&self) -> Option<f32> {
        let position = &self.position;
        if position.legal_moves().is_empty() {
            return Some(match (position.checkers().any(), position.side()) {
                (false, _) => 0.5,
                (true, Color::White) => 0.0,
                (true, Color::Black) => 1.0,
            });
        }
        let repeated = self.history.iter().filter(|&&key| key == position.key()).count() >= 2;
        (repeated || position.halfmoves() >= 100 || position.is_insufficient()).then_some(0.5)
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
        let memory = self.memory.as_ref();
        // Analysis is not swayed by how games ended.
        let playing = memory.filter(|_| !order.infinite);
        Request {
            history: self.history.clone(),
            limits: order.limits,
            depth: order.depth,
            mate: order.mate,
            moves: order.moves.clone(),
            lines: order.lines,
            recall: memory.and_then(|memory| memory.recall(&self.position, &self.history)),
            biases: playing.map(|memory| memory.biases(&self.position)).unwrap_or_default(),
            ..Request::new(self.position)
        }
    }

    /// Searches here and now.
    pub fn think(&mut self, order: &Order, mut report: impl FnMut(&Line)) -> Outcome {
        self.finish();
        let mut brain = self.brain.lock();
        let Brain { table, workers } = &mut *brain;
        let link = Link::new(self.stop.clone(), false);
        search(self.memory.as_ref(), &self.request(order), workers, table, &link, &mut report)
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
        self.link = Arc::new(Link::new(self.stop.clone(), order.ponder));
        let request = self.request(&order);
        let (brain, link, memory) = (self.brain.clone(), self.link.clone(), self.memory.clone());
        self.run(move || {
            let mut brain = brain.lock();
            let Brain { table, workers } = &mut *brain;
            let outcome = search(memory.as_ref(), &request, workers, table, &link, &mut report);
            while !link.stop.is_raised() && (order.infinite || link.is_waiting()) {
                std::thread::sleep(WAIT);
            }
            drop(brain);
            done(outcome);
        })
    }

    /// Counts the positions `depth` moves on beside the caller, as a search
    /// runs: `report` gets the count behind each move, `done` the whole, or
    /// `None` if it was stopped.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start_perft(
        &mut self,
        depth: u32,
        mut report: impl FnMut(Move, u64) + Send + 'static,
        done: impl FnOnce(Option<u64>) + Send + 'static,
    ) -> std::io::Result<()> {
        self.finish();
        let (position, stop) = (self.position, self.stop.clone());
        self.run(move || done(perft::divide(&position, depth, &stop, &mut report)))
    }

    fn run(&mut self, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        self.running = Some(std::thread::Builder::new().name("search".into()).stack_size(STACK).spawn(work)?);
        Ok(())
    }

    /// How far the latest search is, or was.
    #[must_use]
    pub fn status(&self) -> Status {
        self.link.status()
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
        self.link.hit();
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
    }

    /// Waits at most `patience` for a running search to end by itself.
    pub fn wait(&self, patience: Duration) {
        let watch = crate::shared::control::Stopwatch::start();
        while self.is_searching() && watch.elapsed() < patience {
            std::thread::sleep(WAIT);
        }
    }
}

/// Searches with what is known, and learns what was found; a long search, each
/// iteration.
fn search(
    memory: Option<&ChessMemory>,
    request: &Request,
    workers: &mut [Worker],
    table: &ChessTable,
    link: &Link,
    report: &mut dyn FnMut(&Line),
) -> Outcome {
    let Some(memory) = memory else { return root::search(request, workers, table, link, report) };
    memory.seed(&request.position, table);
    // Only a search of all moves finds the best one.
    let whole = request.moves.is_empty();
    let learn = |score: i32, depth: u32, moves: &[Move]| {
        let bias =
            request.biases.iter().find(|(mv, _)| moves.first() == Some(mv)).map_or(0, |&(_, bias)| bias);
        let plain = if is_mate(score) { score } else { score - bias };
        memory.learn_search(&request.position, plain, depth, moves);
    };
    let outcome = root::search(request, workers, table, link, &mut |line| {
        report(line);
        if whole && line.rank == 1 && line.time >= LONG {
            learn(line.score, line.depth, &line.moves);
        }
    });
    if whole {
        learn(outcome.score, outcome.depth, &outcome.line);
    }
    outcome
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wins_does_not_go_back_to_a_position_of_the_game() {
        let mut engine = Engine::default();
        engine.set_position(Position::parse_fen("8/4kpp1/4p3/3p4/p1r5/8/1K6/8 b - - 0 1").expect("valid"));
        for uci in ["c4d4", "b2a3", "d4c4", "a3b2"] {
            let mv = engine.position().parse_uci(uci).expect("legal");
            engine.play(mv);
        }
        let back = engine.position().parse_uci("c4d4").expect("legal");
        let mut think =
            |moves| engine.think(&Order { depth: Some(4), moves, lines: 1, ..Order::default() }, |_| ());
        assert!(think(vec![back]).score.abs() <= 1, "the second time is as good as a draw");
        let outcome = think(Vec::new());
        assert!(outcome.score > 500 && outcome.best != Some(back), "{outcome:?}");
    }
}
