//! Sends the commands of a suite and judges the answers.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::tracker::{Tracker, loading_commands, stop_at};
use super::{LoadBy, MOVE_COMMANDS, Mode, Options, TestResult, Verdict, read_record};
use crate::app::engine_process::EngineError;
use crate::app::gtp_client::{GtpClient, Reply};
use crate::formats::tst::{Expectation, Item, Suite};
use regex::Regex;

/// Commands that change the position, and so belong to it.
const CHANGING: [&str; 10] = [
    "play",
    "black",
    "white",
    "boardsize",
    "clear_board",
    "komi",
    "fixed_handicap",
    "set_free_handicap",
    "undo",
    "rectangular_boardsize",
];

/// An engine and the suite it is tested with.
pub(super) struct Runner<'a> {
    options: &'a Options,
    folder: PathBuf,
    engine: GtpClient,
    tracker: Tracker,
    only: Option<Regex>,
    results: Vec<TestResult>,
}

/// How to reach the position of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Position {
    load: Option<String>,
    /// Commands after that.
    changes: Vec<String>,
}

/// What an engine said, or why there is nothing to judge.
enum Answer {
    Reply(Reply),
    /// The engine had to be started again.
    Lost(String),
}

impl Answer {
    /// Says so if a command that sets up positions was not obeyed: the tests
    /// after it may be about others.
    fn warn_of_failure(&self, item: &Item) {
        let why = match self {
            Answer::Reply(Reply { ok: true, .. }) => return,
            Answer::Reply(Reply { text, .. }) => text,
            Answer::Lost(error) => error,
        };
        tracing::warn!("line {}: {}: {why}", item.line, item.command);
    }
}

impl<'a> Runner<'a> {
    pub(super) fn start(options: &'a Options, folder: PathBuf) -> Result<Self, EngineError> {
        let only = match (&options.only, options.mode) {
            (Some(only), _) => Some(only.clone()),
            (None, Mode::Positions) => Regex::new(MOVE_COMMANDS).ok(),
            (None, Mode::Sequence) => None,
        };
        let engine = GtpClient::start(&options.engine, Some(&folder), &[])?;
        let tracker = Tracker::new(&folder);
        let mut runner = Runner { options, folder, engine, tracker, only, results: Vec::new() };
        runner.initialize()?;
        Ok(runner)
    }

    fn timeout(&self) -> Duration {
        self.options.timeout
    }

    fn initialize(&mut self) -> Result<(), EngineError> {
        for command in &self.options.init {
            self.engine.ask(command, self.timeout())?;
        }
        Ok(())
    }

    pub(super) fn run(
        mut self,
        suite: &Suite,
        out: &mut dyn Write,
    ) -> Result<Vec<TestResult>, super::RegressError> {
        match self.options.mode {
            Mode::Sequence => self.run_sequence(suite, out)?,
            Mode::Positions => self.run_positions(suite, out)?,
        }
        self.engine.quit();
        Ok(self.results)
    }

    /// The test that `item` is, if it counts.
    fn test<'i>(&self, item: &'i Item) -> Option<&'i Expectation> {
        let counts = self.only.as_ref().is_none_or(|only| only.is_match(&item.command));
        item.expected.as_ref().filter(|expected| counts && !expected.is_ignored)
    }

    /// Sends one command; a lost engine is started again.
    fn ask(&mut self, command: &str) -> Result<Answer, EngineError> {
        match self.engine.ask(command, self.timeout()) {
            Ok(reply) => {
                if reply.ok {
                    self.tracker.note(command, &reply.text);
                }
                Ok(Answer::Reply(reply))
            }
            Err(error) => {
                self.engine = GtpClient::start(&self.options.engine, Some(&self.folder), &[])?;
                self.tracker = Tracker::new(&self.folder);
                self.initialize()?;
                Ok(Answer::Lost(error.to_string()))
            }
        }
    }

    fn run_sequence(&mut self, suite: &Suite, out: &mut dyn Write) -> Result<(), super::RegressError> {
        for item in &suite.items {
            let position = self.tracker.game.clone();
            let start = Instant::now();
            let answer = if item.is_load() && self.options.load == LoadBy::Us {
                self.load(&item.command)?
            } else {
                self.ask(&item.command)?
            };
            let Some(expected) = self.test(item) else {
                if item.expected.is_none() {
                    answer.warn_of_failure(item);
                }
                continue;
            };
            let (text, verdict) = match answer {
                Answer::Reply(Reply { ok, text }) => {
                    let text = if ok { text } else { format!("? {text}") };
                    let verdict = if expected.accepts(&text) { Verdict::Pass } else { Verdict::Fail };
                    (text, verdict)
                }
                Answer::Lost(error) => (error, Verdict::Error),
            };
            self.record(item, expected, text, verdict, position, start, out)?;
        }
        Ok(())
    }

    fn run_positions(&mut self, suite: &Suite, out: &mut dyn Write) -> Result<(), super::RegressError> {
        let wanted = self.wanted(suite);
        let mut position = Position::default();
        let mut reached: Option<Position> = None;
        for (index, item) in suite.items.iter().enumerate() {
            if item.is_load() {
                position = Position { load: Some(item.command.clone()), changes: Vec::new() };
                continue;
            }
            let Some(expected) = self.test(item).filter(|_| wanted.contains(&index)) else {
                if CHANGING.contains(&item.name()) {
                    position.changes.push(as_play(&item.command));
                }
                continue;
            };
            if !self.is_of_wanted_size(&position) {
                continue;
            }
            let start = Instant::now();
            let outcome = self.test_position(&position, &mut reached, &item.command)?;
            let (answer, verdict, board) = match outcome {
                Ok((text, board)) => {
                    let verdict = if expected.accepts(&text) { Verdict::Pass } else { Verdict::Fail };
                    (text, verdict, board)
                }
                Err(error) => {
                    reached = None;
                    (error, Verdict::Error, None)
                }
            };
            if item.name() == "genmove" {
                reached = None;
            }
            self.record(item, expected, answer, verdict, board, start, out)?;
        }
        Ok(())
    }

    /// Sets up `position`, unless it was `reached`, and sends `command`. Gives
    /// the answer and the board that it was about, or why there is none.
    #[allow(clippy::type_complexity)]
    fn test_position(
        &mut self,
        position: &Position,
        reached: &mut Option<Position>,
        command: &str,
    ) -> Result<Result<(String, Option<crate::go::game::Game>), String>, EngineError> {
        if reached.as_ref() != Some(position) {
            if let Err(error) = self.set_up(position)? {
                return Ok(Err(error));
            }
            *reached = Some(position.clone());
        }
        let board = self.tracker.game.clone();
        let answer = if self.options.load == LoadBy::Us && command.starts_with("reg_genmove") {
            self.generate_and_undo(command)?
        } else {
            self.ask(command)?
        };
        Ok(match answer {
            Answer::Reply(Reply { ok: true, text }) => Ok((text, board)),
            Answer::Reply(Reply { text, .. }) => Err(format!("? {text}")),
            Answer::Lost(error) => Err(error),
        })
    }

    /// For engines without `reg_genmove`.
    fn generate_and_undo(&mut self, command: &str) -> Result<Answer, EngineError> {
        let answer = self.ask(&command.replacen("reg_genmove", "genmove", 1))?;
        if let Answer::Reply(Reply { ok: true, text }) = &answer
            && !text.eq_ignore_ascii_case("resign")
        {
            self.ask("undo")?;
        }
        Ok(answer)
    }

    fn set_up(&mut self, position: &Position) -> Result<Result<(), String>, EngineError> {
        match &position.load {
            None => {
                self.ask("clear_board")?;
            }
            Some(load) => {
                let answer = if self.options.load == LoadBy::Us { self.load(load)? } else { self.ask(load)? };
                match answer {
                    Answer::Reply(Reply { ok: true, .. }) => {}
                    Answer::Reply(Reply { text, .. }) => return Ok(Err(format!("loadsgf: {text}"))),
                    Answer::Lost(error) => return Ok(Err(error)),
                }
            }
        }
        for command in position.changes.iter().chain(&self.options.pre) {
            if let Answer::Lost(error) = self.ask(command)? {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// Does what `loadsgf` would, with plain moves.
    fn load(&mut self, command: &str) -> Result<Answer, EngineError> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let file = words.get(1).copied().unwrap_or_default();
        let commands = read_record(&self.folder.join(file)).and_then(|collection| {
            let tree = collection.first_game().map_err(|error| error.to_string())?;
            loading_commands(&tree, stop_at(words.get(2).copied()))
        });
        let commands = match commands {
            Ok(commands) => commands,
            Err(text) => return Ok(Answer::Reply(Reply { ok: false, text })),
        };
        for command in commands {
            match self.ask(&command)? {
                Answer::Reply(Reply { ok: true, .. }) => {}
                Answer::Reply(Reply { text, .. }) => {
                    let text = format!("{command}: {text}");
                    return Ok(Answer::Reply(Reply { ok: false, text }));
                }
                lost @ Answer::Lost(_) => return Ok(lost),
            }
        }
        Ok(Answer::Reply(Reply { ok: true, text: String::new() }))
    }

    /// The places in the suite of the tests to run.
    fn wanted(&self, suite: &Suite) -> Vec<usize> {
        let tests: Vec<usize> =
            (0..suite.items.len()).filter(|&i| self.test(&suite.items[i]).is_some()).collect();
        match self.options.sample {
            Some(sample) if sample > 0 && sample < tests.len() => {
                (0..sample).map(|k| tests[k * tests.len() / sample]).collect()
            }
            _ => tests,
        }
    }

    fn is_of_wanted_size(&self, position: &Position) -> bool {
        let Some(load) = position.load.as_ref().filter(|_| !self.options.sizes.is_empty()) else {
            return true;
        };
        let file = load.split_whitespace().nth(1).unwrap_or_default();
        read_record(&self.folder.join(file)).is_ok_and(|collection| {
            collection.first_game().is_ok_and(|tree| self.options.sizes.contains(&tree.size().width()))
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn record(
        &mut self,
        item: &Item,
        expected: &Expectation,
        answer: String,
        verdict: Verdict,
        position: Option<crate::go::game::Game>,
        start: Instant,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let result = TestResult {
            line: item.line,
            id: item.id.clone().unwrap_or_else(|| "-".into()),
            command: item.command.clone(),
            expected: expected.pattern.clone(),
            answer,
            verdict,
            is_known_failure: expected.is_known_failure,
            position,
            time: start.elapsed(),
        };
        if self.options.verbose || result.is_surprise() {
            let answer = result.answer.replace('\n', "|");
            let (word, id, command) = (result.word(), &result.id, &result.command);
            writeln!(out, "{word:5} {id} {command}  expected [{}]  got {answer}", result.expected)?;
        }
        self.results.push(result);
        Ok(())
    }
}

/// `black D4` in older suites is `play b D4`.
fn as_play(command: &str) -> String {
    match command.split_once(' ') {
        Some(("black", vertex)) => format!("play b {vertex}"),
        Some(("white", vertex)) => format!("play w {vertex}"),
        _ => command.to_owned(),
    }
}
