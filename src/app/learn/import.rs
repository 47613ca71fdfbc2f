//! `tengen learn import`: what others played, as if we had.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::source::{Format, Source, find};
use super::{GoTerms, byte_bar, chess, go};
use crate::formats::pgn;
use crate::formats::sgf::Collection;
use crate::shared::learn::{Record, Schema, Store};

/// Records that are gathered before they are written.
const BATCH: usize = 100_000;
/// Games that cannot be used are named up to this number.
const MOST_NAMED: usize = 10;

/// Learn from game records.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen learn import games/ --plies 30\n  \
    tengen learn import classics.pgn\n  \
    zcat games.txt.gz | head -n 1000 | tengen learn import --file book.learn -\n\n\
    A file holds SGF (one game or many), PGN, or one game of Go a line:\n  \
    SOURCE SIZE KOMI HANDICAP RESULT MOVES\n  \
    pro 19 6.5 0 B+R bpdwddbqpwdqbfq\n\
    with ? for what is unknown, and moves of a letter (b, w, or a for a handicap stone) and two SGF letters \
    (-- for a pass). In folders, files called .sgf, .mgt, .pgn and .games are read; - is standard input.\n\
    Games without a result teach which moves are played, not which win.\n\
    Exit status: 0 if every game was used, 1 if some were not, 2 if the learning file cannot be written.")]
pub(super) struct ImportArgs {
    /// Files, folders, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Moves of each game that are learnt
    #[arg(long, default_value_t = 60, value_name = "N")]
    plies: usize,
    /// Games to learn from at most
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// What games that do not say were played under; --size is not used
    #[command(flatten)]
    terms: GoTerms,
}

/// A game's records and where they belong, or why there are none.
pub(super) type Lesson = Result<(Schema, Vec<(u64, Record)>), String>;

/// What has been gathered.
struct Import<'a> {
    store: &'a Store,
    gathered: BTreeMap<u64, (Schema, Vec<(u64, Record)>)>,
    waiting: usize,
    used: usize,
    refused: usize,
    left: usize,
    positions: usize,
}

/// Learns from all games; `false` if some could not be used.
pub(super) fn run(args: &ImportArgs, store: &Store, out: &mut dyn Write) -> anyhow::Result<bool> {
    let sources = find(&args.files)?;
    let bar = byte_bar(sources.iter().map(|source| source.length).sum(), "reading".into());
    let mut import = Import {
        store,
        gathered: BTreeMap::new(),
        waiting: 0,
        used: 0,
        refused: 0,
        left: args.games.unwrap_or(usize::MAX),
        positions: 0,
    };
    for source in &sources {
        if import.left == 0 {
            break;
        }
        bar.set_message(source.path.display().to_string());
        import.read(source, args, &|bytes| bar.inc(bytes))?;
    }
    import.flush()?;
    bar.finish_and_clear();
    let Import { used, refused, positions, .. } = import;
    writeln!(out, "{used} games with {positions} positions learnt, {refused} could not be used")?;
    Ok(refused == 0)
}

impl Import<'_> {
    /// Learns from one file. `read` is told of bytes as they are done with.
    fn read(&mut self, source: &Source, args: &ImportArgs, read: &dyn Fn(u64)) -> anyhow::Result<()> {
        let name = source.path.display().to_string();
        let bytes = match source.read() {
            Ok(bytes) => bytes,
            Err(error) => {
                self.refuse(&name, &error.to_string());
                return Ok(());
            }
        };
        match source.format(&bytes) {
            Format::Sgf => self.read_sgf(&bytes, &name, args)?,
            Format::Pgn => {
                for (index, game) in pgn::parse(&String::from_utf8_lossy(&bytes)).iter().enumerate() {
                    let game_name = || format!("{name}, game {}", index + 1);
                    self.take(chess::lesson(game, args.plies), &game_name)?;
                }
            }
            Format::Lines => {
                let text = String::from_utf8_lossy(&bytes);
                let is_game = |line: &&str| !line.is_empty() && !line.starts_with('#');
                for (index, line) in text.lines().enumerate().filter(|(_, line)| is_game(line)) {
                    if self.left == 0 {
                        break;
                    }
                    let lesson = go::lesson_of_line(line, &args.terms, args.plies);
                    self.take(lesson, &|| format!("{name}, line {}", index + 1))?;
                    read(line.len() as u64 + 1);
                }
                return Ok(());
            }
        }
        read(bytes.len() as u64);
        Ok(())
    }

    fn read_sgf(&mut self, bytes: &[u8], name: &str, args: &ImportArgs) -> anyhow::Result<()> {
        let collection = match Collection::parse(bytes, name) {
            Ok(collection) => collection,
            Err(error) => {
                self.refuse(name, &error.to_string());
                return Ok(());
            }
        };
        for (index, game) in collection.games().enumerate() {
            let lesson = game
                .map_err(|e| e.to_string())
                .and_then(|tree| go::lesson_of_tree(&tree, &args.terms, args.plies));
            self.take(lesson, &|| format!("{name}, game {}", index + 1))?;
        }
        Ok(())
    }

    /// Takes a game in, unless there are enough.
    fn take(&mut self, lesson: Lesson, name: &dyn Fn() -> String) -> anyhow::Result<()> {
        if self.left == 0 {
            return Ok(());
        }
        match lesson {
            Err(reason) => self.refuse(&name(), &reason),
            Ok((schema, batch)) => {
                self.left -= 1;
                self.used += 1;
                self.positions += batch.len();
                self.waiting += batch.len();
                let gathered = self.gathered.entry(schema.id()).or_insert_with(|| (schema, Vec::new()));
                gathered.1.extend(batch);
            }
        }
        if self.waiting >= BATCH { self.flush() } else { Ok(()) }
    }

    fn refuse(&mut self, name: &str, reason: &str) {
        self.refused += 1;
        if self.refused <= MOST_NAMED {
            tracing::warn!("{name}: {reason}");
        } else if self.refused == MOST_NAMED + 1 {
            tracing::warn!("more games cannot be used; only the first are named");
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        for (schema, batch) in std::mem::take(&mut self.gathered).into_values() {
            self.store.merge(&schema, &batch)?;
        }
        self.waiting = 0;
        Ok(())
    }
}
