//! `tengen selfplay`: games that the engine plays with itself, for training.
//!
//! Games come in chunks: `games-0000.txt` with a game a line, and
//! `labels-0000.safetensors` with what the search thought before each move. A
//! chunk is there as a whole or not at all, so a run that was ended goes on
//! where it was.

mod game;
mod labels;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;

use self::game::{Played, Table};
use super::cli::{NetChoice, parameter};
use super::progress;
use crate::go::coord::Size;
use crate::uct::search;

/// Plays games against itself, and keeps what it thought.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen selfplay --size 9 --games 2000 --out own9\n  \
    tengen net samples --games own9/games-*.txt --every 1 --out samples/own9\n  \
    python3 training/train.py --teacher samples/own9 own9 ...\n\n\
A run that was ended goes on with the same command. The same seed gives the same games, whatever the\n\
number of threads.")]
pub struct Options {
    /// Side of the board, 2 to 25
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=25))]
    size: u8,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: usize,
    /// Simulations for a move
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// Komi
    #[arg(long, value_name = "POINTS", default_value_t = 7.0, allow_negative_numbers = true, value_parser = komi)]
    komi: f64,
    /// Moves at the start that are drawn in proportion to their visits
    /// [default: a ninth of the points]
    #[arg(long, value_name = "N")]
    drawn: Option<usize>,
    /// The folder for the games; made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Games that are played at once, one thread each [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Games in one file
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    chunk: u64,
    /// Seed of the games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Which network to ask.
    #[command(flatten)]
    net: NetChoice,
    /// A search parameter, as tengen-params lists them; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    params: Vec<(String, String)>,
}

/// Memory for the tree of one game, in MiB.
const MEMORY_MIB: usize = 64;

fn komi(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(points) if points.abs() <= 1000.0 => Ok(points),
        _ => Err("expected points".into()),
    }
}

/// Plays the games that are missing, and writes a line about them to `out`.
///
/// # Errors
/// A file cannot be written, or a parameter is unknown.
pub fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let table = table(options)?;
    fs::create_dir_all(&options.out).with_context(|| format!("cannot make {}", options.out.display()))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
    let bar = progress::bar(Some(options.games as u64), "{bar:30} {pos}/{len} games {elapsed} left {eta}");
    let chunk = options.chunk as usize;
    let (mut played, mut found) = (0, 0);
    for (number, start) in (0..options.games).step_by(chunk).enumerate() {
        let numbers = start..options.games.min(start + chunk);
        let path = options.out.join(format!("games-{number:04}.txt"));
        if lines_of(&path) >= numbers.len() {
            found += numbers.len();
            bar.inc(numbers.len() as u64);
            continue;
        }
        let play = |number: usize| table.play(number).inspect(|_| bar.inc(1));
        let first = numbers.start;
        let games: Vec<Played> =
            pool.install(|| numbers.into_par_iter().map(play).collect::<Result<_, _>>())?;
        played += games.len();
        labels::write(&options.out.join(format!("labels-{number:04}.safetensors")), first, &games)?;
        write_lines(&path, &games)?;
    }
    bar.finish_and_clear();
    writeln!(out, "games {played}  there before {found}  in {}", options.out.display())?;
    Ok(())
}

fn table(options: &Options) -> anyhow::Result<Table> {
    let size = Size::square(options.size).context("no such board")?;
    let mut search =
        search::Settings { memory_mib: MEMORY_MIB, net: options.net.load(), ..search::Settings::default() };
    for (name, value) in &options.params {
        search.params.set(name, value)?;
    }
    Ok(Table {
        size,
        komi: options.komi,
        playouts: options.playouts,
        drawn: options.drawn.unwrap_or(size.points() / 9),
        seed: options.seed,
        search,
    })
}

/// How many games a file has, 0 if there is none.
fn lines_of(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

fn write_lines(path: &Path, games: &[Played]) -> anyhow::Result<()> {
    let lines: String = games.iter().map(|game| format!("{}\n", game.line)).collect();
    let fresh = path.with_extension("new");
    let written = fs::write(&fresh, lines).and_then(|()| fs::rename(&fresh, path));
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::game_line::GameLine;
    use safetensors::SafeTensors;

    fn options(out: &Path, games: usize) -> Options {
        Options {
            size: 5,
            games,
            playouts: 4,
            komi: 7.0,
            drawn: None,
            out: out.to_owned(),
            threads: Some(2),
            chunk: 2,
            seed: 3,
            net: NetChoice { net: None, no_net: true },
            params: Vec::new(),
        }
    }

    fn told(options: &Options) -> String {
        let mut out = Vec::new();
        run(options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn games_repeat_and_a_run_goes_on() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(told(&options(first.path(), 2)).contains("games 2  there before 0"));
        assert!(told(&options(first.path(), 3)).contains("games 1  there before 2"));
        let whole = Options { threads: Some(1), ..options(second.path(), 3) };
        assert!(told(&whole).contains("games 3  there before 0"));
        for name in ["games-0000.txt", "games-0001.txt", "labels-0000.safetensors"] {
            let read = |folder: &Path| fs::read(folder.join(name)).unwrap();
            assert_eq!(read(first.path()), read(second.path()), "{name}");
        }
    }

    #[test]
    fn every_move_has_its_label() {
        let folder = tempfile::tempdir().unwrap();
        told(&options(folder.path(), 2));
        let text = fs::read_to_string(folder.path().join("games-0000.txt")).unwrap();
        let games: Vec<GameLine> = text.lines().map(|line| GameLine::parse(line).unwrap()).collect();
        assert_ne!(games[0].moves, games[1].moves);
        let bytes = fs::read(folder.path().join("labels-0000.safetensors")).unwrap();
        let labels = SafeTensors::deserialize(&bytes).unwrap();
        let rows: usize = games.iter().map(|game| game.moves.len()).sum();
        let policy = labels.tensor("policy").unwrap();
        assert_eq!(policy.shape(), [rows, 26]);
        assert_eq!(labels.tensor("ownership").unwrap().shape(), [rows, 25]);
        for row in policy.data().chunks(26) {
            let sum: f64 = row.iter().map(|&part| (f64::from(part) / 255.0).powi(2)).sum();
            assert!((sum - 1.0).abs() < 0.1, "{sum}");
        }
    }
}
