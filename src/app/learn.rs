//! `tengen learn`: a look at the learning file, what goes into it from game
//! records and what comes out, and its care.

mod chess;
mod export;
mod go;
mod import;
mod show;
mod source;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::ProgressBar;

use super::progress;
use crate::go::coord::Size;
use crate::go::rules::Rules;
use crate::shared::learn::{DEFAULT_MAX_RECORDS, Store, Summary, default_path};

/// What to do with the learning file.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen learn stats\n  \
    tengen learn show --size 9 --moves 'E5 C3'          the replies to C3\n  \
    tengen learn import --file book.learn games/ more.sgf --plies 30\n  \
    tengen learn import classics.pgn                    a chess book\n  \
    tengen learn export --size 19 --out book.sgf        a tree that any editor shows\n  \
    tengen learn verify --file games.learn\n\n\
    Exit status: 0 if all went well; 1 if show knows nothing of the position, or import could not use \
    every game; 2 if the file cannot be used or is damaged.")]
pub struct LearnArgs {
    /// The learning file [default: in the platform's data folder]
    #[arg(long, value_name = "FILE", global = true)]
    file: Option<PathBuf>,
    /// Positions that the file may keep when import adds some
    #[arg(long, value_name = "N", global = true, default_value_t = DEFAULT_MAX_RECORDS,
        value_parser = clap::value_parser!(u64).range(1..))]
    learn_max: u64,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    /// Counts records and games, for each game and its terms
    Stats,
    /// Lists what is known of the moves of a position
    Show(show::ShowArgs),
    /// Learns from game records: SGF, PGN, or one game a line
    Import(import::ImportArgs),
    /// Writes what is known as an SGF tree, as PGN with variations, or as CSV
    Export(export::ExportArgs),
    /// Inspects every page and record; exit status 2 if one is damaged
    Verify,
    /// Takes out the least valuable records until N are left at most
    Prune {
        /// Records to keep
        #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        max: u64,
    },
}

/// The terms of Go records.
#[derive(Args, Clone, Debug)]
struct GoTerms {
    /// Go: size of the board, as 9 or 9x7
    #[arg(long, default_value = "19", value_name = "SIZE", value_parser = size)]
    size: Size,
    /// Go: komi; records of about the same komi are kept together
    #[arg(long, default_value_t = 7.5, value_name = "KOMI", allow_negative_numbers = true)]
    komi: f64,
    /// Go: rules, as for tengen gtp
    #[arg(long, default_value = "chinese", value_name = "NAME", value_parser = super::cli::rules)]
    rules: Rules,
}

/// Carries out one of the actions; `false` if it found less than was asked.
///
/// # Errors
/// There is no file, it cannot be used, or it is damaged.
pub fn run(args: &LearnArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    let path = args.file.clone().or_else(default_path);
    let path =
        path.ok_or_else(|| anyhow::anyhow!("no folder for data is known; name the file with --file"))?;
    let store = Store::new(path, args.learn_max);
    match &args.action {
        Action::Stats => table(&store.summaries()?, out)?,
        Action::Show(args) => return show::run(args, &store, out),
        Action::Import(args) => return import::run(args, &store, out),
        Action::Export(args) => export::run(args, &store, out)?,
        Action::Verify => {
            let bar = counter("records");
            let verdict = store.verify(&mut || bar.inc(1))?;
            bar.finish_and_clear();
            writeln!(
                out,
                "{} records sound, {} torn, {} orphans",
                verdict.sound, verdict.torn, verdict.orphans
            )?;
            anyhow::ensure!(verdict.is_good(), "{} is damaged", store.path().display());
        }
        Action::Prune { max } => {
            store.summaries()?;
            writeln!(out, "{} records taken out", store.prune(*max)?)?;
        }
    }
    Ok(true)
}

fn table(summaries: &[Summary], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{:>10} {:>10} {:>10}  kept for", "records", "searched", "games")?;
    for summary in summaries {
        let Summary { schema, records, searched, games } = summary;
        writeln!(out, "{records:>10} {searched:>10} {games:>10.1}  {schema}")?;
    }
    Ok(())
}

fn size(text: &str) -> Result<Size, String> {
    let (width, height) = text.split_once(['x', ':']).unwrap_or((text, text));
    let sides = width.parse().ok().zip(height.parse().ok());
    sides
        .and_then(|(width, height)| Size::new(width, height))
        .ok_or_else(|| "expected a size from 2 to 25, or WIDTHxHEIGHT".into())
}

/// A counter of things whose number is not known before.
fn counter(things: &'static str) -> ProgressBar {
    let bar = progress::bar(None, "{spinner} {pos} {msg} {elapsed}");
    bar.set_message(things);
    bar
}

/// A bar for `length` bytes of `what`.
fn byte_bar(length: u64, what: String) -> ProgressBar {
    let bar = progress::bar(Some(length), "{msg} {bar:30} {bytes}/{total_bytes} {eta}");
    bar.set_message(what);
    bar
}
