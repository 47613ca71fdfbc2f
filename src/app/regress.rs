//! `tengen regress`: regression suites against any GTP engine.

mod junit;
mod page;
mod runner;
mod tracker;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use regex::Regex;

use super::engine_process::EngineError;
use crate::formats::sgf::Collection;
use crate::formats::tst::Suite;
use crate::go::game::Game;
use runner::Runner;

/// Commands whose tests count when positions are tested one by one.
const MOVE_COMMANDS: &str = r"^(reg_genmove|genmove|gg_genmove)\b";

/// Which commands of a suite are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Every line, in order, as the file has them.
    Sequence,
    /// Only the tests, each in its own position, which is set up anew after a
    /// move or a crash.
    Positions,
}

/// Who reads game records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LoadBy {
    /// The engine, by its own `loadsgf`.
    Engine,
    /// This program, which sends the moves.
    Us,
}

/// Run .tst regression suites against a GTP engine.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  tengen regress -e 'gnugo --mode gtp' gtp-tests/*.tst\n  \
    tengen regress -e 'tengen gtp --playouts 1000' --mode positions --html report.html ko.tst\n\n\
    Exit status: 0 if every test went as expected (known failures may fail), 1 if not, \
    2 if a file or the engine could not be used.")]
pub struct Options {
    /// Suites.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Command line of the engine.
    #[arg(short, long, value_name = "COMMAND")]
    pub engine: String,
    /// What is sent.
    #[arg(long, value_enum, default_value_t = Mode::Sequence)]
    pub mode: Mode,
    /// Who reads game records.
    #[arg(long, value_enum, default_value_t = LoadBy::Engine)]
    pub load: LoadBy,
    /// GTP command sent once at the start; may be repeated.
    #[arg(long, value_name = "COMMAND")]
    pub init: Vec<String>,
    /// GTP command sent after every position is set up; may be repeated.
    #[arg(long, value_name = "COMMAND")]
    pub pre: Vec<String>,
    /// Count only tests whose command matches this regular expression; in
    /// positions mode, without it, those that generate moves.
    #[arg(long, value_name = "REGEX")]
    pub only: Option<Regex>,
    /// In positions mode, only records on boards of these sizes.
    #[arg(long, value_delimiter = ',', value_name = "SIZES")]
    pub sizes: Vec<u8>,
    /// In positions mode, at most this many tests of a file, spread evenly.
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Seconds for one answer.
    #[arg(long, default_value = "120", value_name = "SECONDS", value_parser = super::cli::seconds)]
    pub timeout: Duration,
    /// Folder of the game records, instead of each suite's own.
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<PathBuf>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a page with a picture of every failure.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print every test, not only surprises.
    #[arg(short, long)]
    pub verbose: bool,
}

/// Why a run did not come about.
#[derive(Debug, thiserror::Error)]
pub enum RegressError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The engine does not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Results cannot be printed.
    #[error("cannot print: {0}")]
    Output(#[from] io::Error),
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer is as expected.
    Pass,
    /// It is not.
    Fail,
    /// There was no answer to judge.
    Error,
}

/// The outcome of a test.
#[derive(Clone)]
pub struct TestResult {
    /// Line of the command in its suite.
    pub line: usize,
    /// Number of the test.
    pub id: String,
    /// The command.
    pub command: String,
    /// The expected answer, as written.
    pub expected: String,
    /// The answer, or what happened instead.
    pub answer: String,
    /// How it ended.
    pub verdict: Verdict,
    /// Whether the suite marks it as a known failure.
    pub is_known_failure: bool,
    /// The position, where it is known.
    pub position: Option<Game>,
    /// How long the answer took.
    pub time: Duration,
}

impl TestResult {
    /// Whether the result is other than the suite foretells.
    #[must_use]
    pub fn is_surprise(&self) -> bool {
        match self.verdict {
            Verdict::Pass => self.is_known_failure,
            Verdict::Fail => !self.is_known_failure,
            Verdict::Error => true,
        }
    }

    fn word(&self) -> &'static str {
        match (self.verdict, self.is_known_failure) {
            (Verdict::Pass, false) => "pass",
            (Verdict::Pass, true) => "PASS",
            (Verdict::Fail, false) => "FAIL",
            (Verdict::Fail, true) => "fail",
            (Verdict::Error, _) => "ERROR",
        }
    }
}

/// The outcome of a suite.
#[derive(Clone)]
pub struct SuiteResult {
    /// Its file.
    pub file: PathBuf,
    /// Its tests, those that ran.
    pub tests: Vec<TestResult>,
}

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub tests: usize,
    /// As expected.
    pub passed: usize,
    /// Not as expected.
    pub failed: usize,
    /// Without an answer.
    pub errors: usize,
    /// Passed though marked as known failures.
    pub unexpected_passes: usize,
    /// Failed though not marked.
    pub unexpected_failures: usize,
}

impl Counts {
    /// Counts `tests`.
    #[must_use]
    pub fn of<'a>(tests: impl IntoIterator<Item = &'a TestResult>) -> Self {
        let mut counts = Counts::default();
        for test in tests {
            counts.tests += 1;
            let surprise = usize::from(test.is_surprise());
            match test.verdict {
                Verdict::Pass => {
                    counts.passed += 1;
                    counts.unexpected_passes += surprise;
                }
                Verdict::Fail => {
                    counts.failed += 1;
                    counts.unexpected_failures += surprise;
                }
                Verdict::Error => counts.errors += 1,
            }
        }
        counts
    }

    /// Whether nothing failed that should not.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.unexpected_failures == 0 && self.errors == 0
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = 100.0 * self.passed as f64 / self.tests.max(1) as f64;
        write!(
            f,
            "tests {:4} pass {:4} fail {:4} err {:3} | unexpected pass {}, unexpected fail {} | {share:.1}%",
            self.tests,
            self.passed,
            self.failed,
            self.errors,
            self.unexpected_passes,
            self.unexpected_failures
        )
    }
}

/// Runs the suites, prints what happens to `out`, and writes the reports.
///
/// # Errors
/// A file that cannot be used, or an engine that does not start.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Counts, RegressError> {
    // Found out before the engine has worked for an hour.
    for path in options.junit.iter().chain(&options.html) {
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(path);
        opened.map_err(|source| RegressError::File { path: path.clone(), source })?;
    }
    let mut results = Vec::new();
    for file in &options.files {
        let bytes = read(file)?;
        let suite = Suite::parse(&String::from_utf8_lossy(&bytes));
        for line in &suite.unread {
            tracing::warn!("{}:{line}: no expectation: #? [pattern] after a command", file.display());
        }
        let folder = options.cwd.clone().unwrap_or_else(|| folder_of(file));
        let tests = Runner::start(options, folder)?.run(&suite, out)?;
        writeln!(out, "{:-34} {}", file.display(), Counts::of(&tests))?;
        results.push(SuiteResult { file: file.clone(), tests });
    }
    let total = Counts::of(results.iter().flat_map(|suite| &suite.tests));
    writeln!(out, "{:-34} {total}", "TOTAL")?;
    if let Some(path) = &options.junit {
        write(path, &junit::render(&results))?;
    }
    if let Some(path) = &options.html {
        write(path, &page::render(&options.engine, &results))?;
    }
    Ok(total)
}

fn read(path: &PathBuf) -> Result<Vec<u8>, RegressError> {
    std::fs::read(path).map_err(|source| RegressError::File { path: path.clone(), source })
}

fn write(path: &PathBuf, text: &str) -> Result<(), RegressError> {
    std::fs::write(path, text).map_err(|source| RegressError::File { path: path.clone(), source })
}

fn folder_of(file: &std::path::Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Reads a game record for one of the modules below.
fn read_record(path: &std::path::Path) -> Result<Collection, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Collection::parse(&bytes, &path.display().to_string()).map_err(|error| error.to_string())
}
