//! The engine that both front ends drive: a game's position, settings, and a
//! search that runs beside whatever else is asked.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::shared::control::{Limits, StopFlag};
use crate::shared::hash::Key;

use super::eval::Evaluator;
use super::lesson::{self, Thought};
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
    /// The position is looked at, not played: how games ended sways nothing.
    pub analyzes: bool,
}

impl Order {
    /// Whether the best move is what is asked for, to be played.
    fn plays(&self) -> bool {
        !self.infinite && !self.analyzes && self.lines <= 1
    }
}

/// What an engine that learns has beside its brain.
#[derive(Clone)]
struct Learning {
    memory: ChessMemory,
    /// What it thought in the present game.
    diary: Arc<Mutex<Vec<Thought>>>,
}

/// A chess engine.
pub struct Engine {
    brain: Arc<Mutex<Brain>>,
    /// Where the game began, and its moves.
    start: Position,
    moves: Vec<Move>,
    position: Position,
    history: Vec<Key>,
    learning: Option<Learning>,
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
            learning: None,
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
        self.learning = Some(Learning { memory, diary: Arc::default() });
    }

    /// Where the present game began, and its moves.
    #[must_use]
    pub fn game(&self) -> (&Position, &[Move]) {
        (&self.start, &self.moves)
    }

    /// Learns how the present game has ended, once: White's result from 0 to 1.
    pub fn learn_result(&mut self, white: f32) {
        let game = (self.position.key(), self.moves.len());
        let Some(learning) = self.learning.as_ref().filter(|_| !self.moves.is_empty()) else { return };
        if self.learnt != Some(game) {
            learning.memory.learn_result(&self.start, &self.moves, white, &self.trace());
            self.learnt = Some(game);
        }
    }

    /// The searches of the present game, by ply, with White's score.
    fn trace(&self) -> lesson::Trace {
        let Some(learning) = &self.learning else { return lesson::Trace::new() };
        lesson::trace(&self.start, &self.moves, &learning.diary.lock())
    }

    /// White's result, 0 or 1, if the last searches of the present game left no
    /// doubt; an engine that does not learn does not know.
    #[must_use]
    pub fn clear_result(&self) -> Option<f32> {
        lesson::clear_result(&self.trace(), self.moves.len())
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

    /// Whether the side to move may claim a draw by announcing a move.
    #[must_use]
    pub fn is_drawable(&self) -> bool {
        let position = &self.position;
        let comes_again = |mv: &Move| {
            let key = position.key_after(*mv);
            self.history.iter().chain([&position.key()]).filter(|&&earlier| earlier == key).count() >= 2
        };
        position.halfmoves() >= 99 || position.legal_moves().iter().any(comes_again)
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

    /// Ends a running search and forgets what earlier ones have learnt, but not
    /// what is in the learning file.
    pub fn forget(&mut self) {
        self.finish();
        self.learnt = None;
        if let Some(learning) = &self.learning {
            learning.diary.lock().clear();
        }
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
        let memory = self.learning.as_ref().map(|learning| &learning.memory);
        // Analysis is not swayed by how games ended.
        let playing = memory.filter(|_| order.plays());
        let biases = playing.map(|memory| memory.biases(&self.position)).unwrap_or_default();
        let shift = |mv| biases.iter().find(|&&(known, _)| known == mv).map_or(0, |&(_, bias)| bias);
        let most = biases.iter().fold(0, |most, &(_, bias)| most.max(bias));
        let recall = memory.and_then(|memory| memory.recall(&self.position, &self.history));
        Request {
            history: self.history.clone(),
            limits: order.limits,
            depth: order.depth,
            mate: order.mate,
            moves: order.moves.clone(),
            lines: order.lines,
            // The recalled move was chosen before the games were known.
            recall: recall.filter(|recall| recall.moves.first().is_some_and(|&mv| shift(mv) == most)),
            biases,
            ..Request::new(self.position)
        }
    }

    /// What a search takes with it, and the ply at which it plays a move.
    fn lesson(&self, order: &Order) -> Option<(Learning, Option<usize>)> {
        let learning = self.learning.clone()?;
        Some((learning, order.plays().then_some(self.moves.len())))
    }

    /// Searches here and now.
    pub fn think(&mut self, order: &Order, mut report: impl FnMut(&Line)) -> Outcome {
        self.finish();
        let mut brain = self.brain.lock();
        let Brain { table, workers } = &mut *brain;
        let link = Link::new(self.stop.clone(), false);
        search(self.lesson(order), &self.request(order), workers, table, &link, &mut report)
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
        let (brain, link, lesson) = (self.brain.clone(), self.link.clone(), self.lesson(&order));
        self.run(move || {
            let mut brain = brain.lock();
            let Brain { table, workers } = &mut *brain;
            let outcome = search(lesson, &request, workers, table, &link, &mut report);
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
/// iteration. Scores are told without what games add to them.
fn search(
    lesson: Option<(Learning, Option<usize>)>,
    request: &Request,
    workers: &mut [Worker],
    table: &ChessTable,
    link: &Link,
    report: &mut dyn FnMut(&Line),
) -> Outcome {
    let Some((Learning { memory, diary }, ply)) = lesson else {
        return root::search(request, workers, table, link, report);
    };
    memory.seed(&request.position, table);
    // Only a search of all moves finds the best one.
    let whole = request.moves.is_empty();
    let plain = |score: i32, moves: &[Move]| {
        let known = request.biases.iter().find(|(mv, _)| moves.first() == Some(mv));
        if is_mate(score) { score } else { score - known.map_or(0, |&(_, bias)| bias) }
    };
    let mut outcome = root::search(request, workers, table, link, &mut |line| {
        let line = Line { score: plain(line.score, &line.moves), ..line.clone() };
        report(&line);
        if whole && line.rank == 1 && line.time >= LONG {
            memory.learn_search(&request.position, line.score, line.depth, &line.moves);
        }
    });
    outcome.score = plain(outcome.score, &outcome.line);
    if whole {
        memory.learn_search(&request.position, outcome.score, outcome.depth, &outcome.line);
    }
    if let Some(ply) = ply.filter(|_| outcome.depth > 0) {
        let white = if request.position.side() == Color::White { outcome.score } else { -outcome.score };
        diary.lock().push(Thought { ply, key: request.position.key(), white });
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

    /// An engine that learns in `folder`.
    fn pupil(folder: &std::path::Path) -> Engine {
        let mut engine = Engine::default();
        let store = crate::shared::learn::Store::new(folder.join("l"), 1000);
        engine.learn_with(ChessMemory::open(store));
        engine
    }

    fn best_after(engine: &mut Engine, moves: &str, order: &Order) -> Move {
        engine.set_position(Position::default());
        for word in moves.split_ascii_whitespace() {
            let mv = engine.position().parse_uci(word).expect("legal");
            engine.play(mv);
        }
        engine.think(order, |_| ()).best.expect("a move")
    }

    /// Learns White's result of a game that began with `moves`, White thinking
    /// before each.
    fn learn_game(engine: &mut Engine, moves: &str, white: f32) {
        let words: Vec<&str> = moves.split(' ').collect();
        for count in (0..words.len()).step_by(2) {
            best_after(engine, &words[..count].join(" "), &PLAY);
        }
        for word in &words[(words.len() - 1) / 2 * 2..] {
            let mv = engine.position().parse_uci(word).expect("legal");
            engine.play(mv);
        }
        engine.learn_result(white);
        engine.forget();
    }

    const PLAY: Order = Order {
        limits: Limits { nodes: None, soft_time: None, hard_time: None },
        depth: Some(5),
        mate: None,
        moves: Vec::new(),
        lines: 1,
        infinite: false,
        ponder: false,
        analyzes: false,
    };

    #[test]
    fn what_has_won_is_played_again_unless_it_loses() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut engine = pupil(folder.path());
        let [infinite, analyzes] =
            [(true, false), (false, true)].map(|(infinite, analyzes)| Order { infinite, analyzes, ..PLAY });
        let first = best_after(&mut engine, "", &infinite);
        let (fair, foul) = ("a2a3 e7e5 h2h3 d7d5", "e2e4 e7e5 d1h5 b8c6 h5f7 e8f7");
        learn_game(&mut engine, fair, 1.0);
        learn_game(&mut engine, foul, 1.0);
        let mut best = |moves: &str, order: &Order| best_after(&mut engine, moves, order).uci(false);
        let (fair_first, again) = (best("", &PLAY), best("a2a3 e7e5", &PLAY));
        assert!(["a2a3", "e2e4"].contains(&fair_first.as_str()), "{fair_first}");
        assert_eq!(again, "h2h3");
        assert_ne!(best("e2e4 e7e5 d1h5 b8c6", &PLAY), "h5f7", "the queen is lost there");
        for order in [&infinite, &analyzes] {
            assert_eq!(best("", order), first.uci(false), "analysis is not swayed");
            assert_ne!(best("a2a3 e7e5", order), "h2h3");
        }
    }

    #[test]
    fn a_loss_changes_a_move_near_the_mistake_and_not_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut engine = pupil(folder.path());
        let mut line = Vec::new();
        for reply in ["a7a6", "b7b6", "h7h6"] {
            let mv = best_after(&mut engine, &line.join(" "), &PLAY);
            line.extend([mv.uci(false), reply.to_string()]);
        }
        let last = best_after(&mut engine, &line.join(" "), &PLAY);
        let memory = engine.learning.as_ref().expect("it learns").memory.clone();
        engine.play(last);
        memory.learn_result(&Position::default(), &engine.moves, 0.0, &[(0, 20), (4, 30), (6, 10)]);
        engine.forget();
        assert_eq!(best_after(&mut engine, "", &PLAY).uci(false), line[0]);
        assert_ne!(best_after(&mut engine, &line.join(" "), &PLAY), last);
    }

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
