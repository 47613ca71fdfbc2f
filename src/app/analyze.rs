//! `tengen analyze`: game records in, the same records with an evaluation of
//! every move out, and a page that shows where the game was decided.

mod annotate;
mod evaluate;
mod page;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::cli::EngineArgs;
use crate::formats::sgf::{Collection, SgfError};
use crate::uct::engine::{Engine, Settings};
use evaluate::{Analysis, Journal};

/// Evaluate every move of game records.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  tengen analyze --playouts 2000 game.sgf\n  \
    tengen analyze --time 1 --html --ownership --out analyzed games/\n\n\
    game.sgf becomes game-analyzed.sgf; its comments give win rate and score, and better moves stand \
    beside those that lost much. An analysis that was stopped goes on with the same command. \
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
    let mut failed = 0;
    for file in &files {
        match analyze_file(file, options, &settings) {
            Ok(written) => {
                for path in written {
                    let _ = writeln!(out, "{}", path.display());
                }
            }
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => {
                tracing::error!("{}: {error}", file.display());
                failed += 1;
            }
        }
    }
    if failed == 0 { Ok(()) } else { Err(AnalyzeError::Some { failed, all: files.len() }) }
}

/// The records themselves, and those in folders, in the order of their names.
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
    Ok(files)
}

/// Whether a file in a folder is a record that is not a result of ours.
fn is_record(path: &Path) -> bool {
    let is_sgf = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("sgf"));
    let is_result = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("-analyzed"));
    is_sgf && !is_result
}

/// Analyzes one record; gives the files that were written.
fn analyze_file(file: &Path, options: &Options, settings: &Settings) -> Result<Vec<PathBuf>, AnalyzeError> {
    let bytes = fs::read(file).map_err(|error| AnalyzeError::File(file.to_path_buf(), error))?;
    let mut collection = Collection::parse(&bytes, &file.display().to_string())?;
    let tree = collection.first_game()?;
    let stem = target(file, options)?;
    let journal_path = stem.with_extension("journal");
    let key = evaluate::key(&bytes, options, settings);
    let fail = |error| AnalyzeError::File(journal_path.clone(), error);
    let mut journal = Journal::open(&journal_path, &key).map_err(fail)?;
    let bar = progress_bar(file, evaluate::positions(&tree));
    let mut engine = Engine::new(settings.clone(), tree.size());
    let analysis = Analysis::run(&tree, &mut engine, options.komi, &mut journal, &bar).map_err(fail)?;
    bar.finish_and_clear();
    let mut written = Vec::new();
    if options.html {
        let page = page::render(&tree, &analysis, options.mistake / 100.0);
        write(stem.with_extension("html"), page.as_bytes(), &mut written)?;
    }
    annotate::annotate(&mut collection, &analysis, options)?;
    write(stem.with_extension("sgf"), collection.to_string().as_bytes(), &mut written)?;
    fs::remove_file(&journal_path).map_err(fail)?;
    Ok(written)
}

fn write(path: PathBuf, bytes: &[u8], written: &mut Vec<PathBuf>) -> Result<(), AnalyzeError> {
    fs::write(&path, bytes).map_err(|error| AnalyzeError::File(path.clone(), error))?;
    written.push(path);
    Ok(())
}

/// The path of the results, without extension.
fn target(file: &Path, options: &Options) -> Result<PathBuf, AnalyzeError> {
    let folder = match &options.out {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|error| AnalyzeError::File(folder.clone(), error))?;
            folder.clone()
        }
        None => file.parent().unwrap_or(Path::new("")).to_path_buf(),
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    // The name may hold dots, which `with_extension` would cut.
    Ok(folder.join(format!("{}-analyzed", stem.replace('.', "_"))))
}

fn progress_bar(file: &Path, positions: usize) -> ProgressBar {
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(positions as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar.set_message(file.display().to_string());
    bar
}
