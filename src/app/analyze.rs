//! `tengen analyze`: game records in, the same records with an evaluation of
//! every move out, and a page that shows where the game was decided.

mod annotate;
mod chess;
mod evaluate;
mod journal;
mod page;

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::cli::EngineArgs;
use super::progress;
use crate::formats::pgn;
use crate::formats::sgf::{Collection, NodeId, SgfError};
use crate::go::coord::Size;
use crate::shared::control::Limits;
use crate::uct::engine::{Engine, Settings};
use evaluate::Analysis;
use journal::Journal;

/// Evaluate every move of game records.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  tengen analyze --playouts 2000 game.sgf\n  \
    tengen analyze --time 1 --html --ownership --out analyzed games/\n  \
    tengen analyze --time 0.2 --html chess.pgn\n\n\
    game.sgf becomes game-analyzed.sgf; its comments give win rate and score, and better moves stand \
    beside those that lost much. Games of chess in .pgn files likewise, with --playouts as nodes. \
    Every game of a file is analyzed. An analysis that was stopped goes on with the same command. \
    Exit status: 0 if all files were analyzed, 2 if not.")]
pub struct Options {
    /// Game records, or folders of them.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// How to search each position.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Komi of records that name none.
    #[arg(long, default_value_t = 6.5, value_name = "KOMI", allow_negative_numbers = true)]
    pub komi: f64,
    /// Percent of win rate that a move must lose to be called a mistake.
    #[arg(long, default_value_t = 10.0, value_name = "PERCENT")]
    pub mistake: f64,
    /// Mark who owns which points, in every position.
    #[arg(long)]
    pub ownership: bool,
    /// Also write a page with the course of the game and its biggest mistakes.
    #[arg(long)]
    pub html: bool,
    /// Folder for the results, instead of each record's own.
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Why a record was not analyzed.
#[derive(Debug, thiserror::Error)]
pub enum AnalyzeError {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// The record cannot be used.
    #[error(transparent)]
    Record(#[from] SgfError),
    /// The search cannot be set up.
    #[error("{0}")]
    Settings(String),
    /// Nothing to do.
    #[error("{0}: there are no game records")]
    NoRecords(PathBuf),
    /// A record of a game whose moves make no sense from the first.
    #[error("{0}: there are no moves that make sense")]
    NoMoves(PathBuf),
    /// Some of several records.
    #[error("{failed} of {all} records could not be analyzed")]
    Some {
        /// How many failed.
        failed: usize,
        /// Of how many.
        all: usize,
    },
}

/// Analyzes all records and names what was written on `out`. A record that
/// cannot be used is told in the log, and the others are analyzed.
///
/// # Errors
/// At least one record could not be analyzed.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<(), AnalyzeError> {
    let settings = options.engine.settings().map_err(|error| AnalyzeError::Settings(error.to_string()))?;
    let files = find_records(&options.files)?;
    if let Some(folder) = &options.out {
        fs::create_dir_all(folder).map_err(|error| AnalyzeError::File(folder.clone(), error))?;
    }
    let targets = Targets::of_all(&files, options);
    let mut done = Vec::new();
    for (file, targets) in files.iter().zip(&targets) {
        match analyze_file(file, targets, options, &settings) {
            Ok(()) => {
                for path in targets.results() {
                    let _ = writeln!(out, "{}", path.display());
                }
                done.push(&targets.journal);
            }
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => tracing::error!("{}: {error}", file.display()),
        }
    }
    // Not before: a run that is stopped leaves them, and the next passes over what is done.
    for journal in &done {
        fs::remove_file(journal).map_err(|error| AnalyzeError::File(journal.to_path_buf(), error))?;
    }
    let failed = files.len() - done.len();
    if failed == 0 { Ok(()) } else { Err(AnalyzeError::Some { failed, all: files.len() }) }
}

/// The records themselves, and those in folders, in the order of their names;
/// each once.
fn find_records(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AnalyzeError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let fail = |error| AnalyzeError::File(path.clone(), error);
        let entries = fs::read_dir(path).map_err(fail)?.collect::<Result<Vec<_>, _>>().map_err(fail)?;
        let mut found: Vec<PathBuf> =
            entries.iter().map(fs::DirEntry::path).filter(|p| is_record(p)).collect();
        if found.is_empty() {
            return Err(AnalyzeError::NoRecords(path.clone()));
        }
        found.sort();
        files.extend(found);
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

/// Whether a file in a folder is a record that is not a result of ours.
fn is_record(path: &Path) -> bool {
    let is_sgf = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("sgf")) || is_pgn(path);
    let is_result = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("-analyzed"));
    is_sgf && !is_result
}

fn is_pgn(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("pgn"))
}

/// Analyzes the games of one file, unless an earlier run has.
fn analyze_file(
    file: &Path,
    targets: &Targets,
    options: &Options,
    settings: &Settings,
) -> Result<(), AnalyzeError> {
    let bytes = fs::read(file).map_err(|error| AnalyzeError::File(file.to_path_buf(), error))?;
    let Options { komi, mistake, ownership, html, .. } = options;
    let key = journal::key(&bytes, &format!("{settings:?} {komi} {mistake} {ownership} {html}"));
    let journal = &targets.journal;
    if journal::is_finished(journal, &key) && targets.results().all(|path| path.exists()) {
        return Ok(());
    }
    let results = if is_pgn(file) {
        analyze_chess(file, &bytes, journal, options, settings)?
    } else {
        analyze_go(file, &bytes, journal, options, settings)?
    };
    if let Some(path) = &targets.page {
        let title = file.file_name().unwrap_or_default().to_string_lossy();
        write(path, page::document(&title, &results.sections).as_bytes())?;
    }
    write(&targets.record, results.record.as_bytes())?;
    journal::finish(journal, &key).map_err(|error| AnalyzeError::File(journal.clone(), error))
}

/// What came of a file.
struct Results {
    /// The file with what was found.
    record: String,
    /// Parts of the page.
    sections: Vec<String>,
}

fn analyze_go(
    file: &Path,
    bytes: &[u8],
    journal: &Path,
    options: &Options,
    settings: &Settings,
) -> Result<Results, AnalyzeError> {
    let mut collection = Collection::parse(bytes, &file.display().to_string())?;
    let games: Vec<(NodeId, Size)> = collection
        .games()
        .map(|game| game.map(|tree| (tree.root(), tree.size())))
        .collect::<Result<_, _>>()?;
    let positions = collection.games().flatten().map(|tree| evaluate::positions(&tree)).sum();
    let fail = |error| AnalyzeError::File(journal.to_path_buf(), error);
    let key = journal::key(bytes, &format!("{settings:?} {}", options.komi));
    let mut journal = Journal::open(journal, &key).map_err(fail)?;
    let bar = progress_bar(file, positions);
    let (mut analyses, mut sections) = (Vec::new(), Vec::new());
    for (number, tree) in collection.games().enumerate() {
        let tree = tree?;
        let mut engine = Engine::new(settings.clone(), tree.size());
        let analysis =
            Analysis::run(number, &tree, &mut engine, options.komi, &mut journal, &bar).map_err(fail)?;
        sections.push(page::section(&tree, &analysis, options.mistake / 100.0));
        analyses.push(analysis);
    }
    bar.finish_and_clear();
    for (&game, analysis) in games.iter().zip(&analyses) {
        collection = annotate::annotate(collection, game, analysis, options);
    }
    Ok(Results { record: collection.to_string(), sections })
}

fn analyze_chess(
    file: &Path,
    bytes: &[u8],
    journal: &Path,
    options: &Options,
    settings: &Settings,
) -> Result<Results, AnalyzeError> {
    let games = pgn::parse(&String::from_utf8_lossy(bytes));
    if !games.iter().any(chess::begins_well) {
        return Err(AnalyzeError::NoMoves(file.to_path_buf()));
    }
    let fail = |error| AnalyzeError::File(journal.to_path_buf(), error);
    let key = journal::key(bytes, &format!("chess {settings:?}"));
    let mut journal = Journal::open(journal, &key).map_err(fail)?;
    let bar = progress_bar(file, chess::positions(&games));
    let limits = settings.playouts.map_or_else(|| Limits::time(settings.time), Limits::nodes);
    let mut engine = chess::engine(settings);
    let mistake = options.mistake / 100.0;
    let mut results = Results { record: String::new(), sections: Vec::new() };
    for (number, game) in games.iter().enumerate() {
        let analysis =
            chess::Analysis::run(number, game, &mut engine, limits, &mut journal, &bar).map_err(fail)?;
        results.record += &analysis.annotate(game, mistake).to_string();
        results.sections.push(analysis.section(game, mistake));
    }
    bar.finish_and_clear();
    Ok(results)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), AnalyzeError> {
    fs::write(path, bytes).map_err(|error| AnalyzeError::File(path.to_path_buf(), error))
}

/// The files that become of a record.
struct Targets {
    record: PathBuf,
    page: Option<PathBuf>,
    journal: PathBuf,
}

impl Targets {
    /// Those of all `files`. Where two records have the same name, the later
    /// one's results are numbered.
    fn of_all(files: &[PathBuf], options: &Options) -> Vec<Targets> {
        let mut taken = HashSet::new();
        let free = |file: &PathBuf| {
            let mut number = 1;
            loop {
                let targets = Targets::new(file, number, options);
                if targets.results().all(|path| !taken.contains(path)) {
                    taken.extend(targets.results().map(Path::to_path_buf));
                    return targets;
                }
                number += 1;
            }
        };
        files.iter().map(free).collect()
    }

    fn new(file: &Path, number: usize, options: &Options) -> Self {
        let own = file.parent().unwrap_or(Path::new(""));
        let folder = options.out.as_deref().unwrap_or(own);
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let number = if number > 1 { format!("-{number}") } else { String::new() };
        // The name may hold dots, which `with_extension` would cut.
        let stem = folder.join(format!("{}{number}-analyzed", name.replace('.', "_")));
        let kind = if is_pgn(file) { "pgn" } else { "sgf" };
        Targets {
            record: stem.with_extension(kind),
            page: options.html.then(|| stem.with_extension("html")),
            journal: stem.with_extension(format!("{kind}.journal")),
        }
    }

    /// What stays, in the order in which it is written.
    fn results(&self) -> impl Iterator<Item = &Path> {
        self.page.as_deref().into_iter().chain([self.record.as_path()])
    }
}

fn progress_bar(file: &Path, positions: usize) -> ProgressBar {
    let bar = progress::bar(Some(positions as u64), "{msg} {bar:30} {pos}/{len} {eta}");
    bar.set_message(file.display().to_string());
    bar
}
