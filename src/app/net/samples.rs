//! Positions from game records, with what was played and who won.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::shard::{Row, Shards};
use crate::app::progress;
use crate::formats::game_line::GameLine;
use crate::formats::sgf::Collection;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::go::geometry::{G9, G13, G19, G25, Geometry, Point};
use crate::net::features::{HISTORY, PLANES, extract_with, place};
use crate::playout::reading::Reader;
use crate::shared::rng::Rng;

pub(super) const EXAMPLES: &str = "\
Examples:
  tengen net samples --games records/ --out samples              16 positions from every SGF
  tengen net samples --games games.txt --per-game 40 --out samples
  tengen net samples --games games.txt --select chosen.txt --out samples

A file whose name does not end in .sgf has a game a line:
  source size komi handicap result moves
with moves as bpd, wdd, bpass as b--, and a handicap stone as apd.

Games are held back from training by a number made from their moves: always
the same ones, wherever they are found.";

/// Of so many games, one is held back.
const HELD_ONE_IN: u64 = 20;
/// Games that are worked on before rows are written.
const CHUNK: usize = 512;

/// What to take from which games.
#[derive(Args, Clone, Debug)]
pub(super) struct SamplesArgs {
    /// SGF files, folders of them, or files with a game a line
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    games: Vec<PathBuf>,
    /// The folder for the samples
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Positions from each game, chosen at random
    #[arg(long, value_name = "N", default_value_t = 16, conflicts_with_all = ["every", "select"])]
    per_game: usize,
    /// Take every Nth position instead
    #[arg(long, value_name = "N", conflicts_with = "select", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Take the positions that a file names, one a line: the number of the
    /// game, from 0 in the order of reading, and of the moves played before
    #[arg(long, value_name = "FILE")]
    select: Option<PathBuf>,
    /// Seed of the choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Positions in one file of samples
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    shard: usize,
}

/// Which positions to take.
enum Choice {
    Random { count: usize, seed: u64 },
    Every(usize),
    Selected(HashMap<u32, Vec<usize>>),
}

impl Choice {
    fn of(args: &SamplesArgs) -> anyhow::Result<Self> {
        if let Some(path) = &args.select {
            let text = read_text(path)?;
            return selection(&text).with_context(|| format!("in {}", path.display())).map(Choice::Selected);
        }
        Ok(match args.every {
            Some(every) => Choice::Every(every as usize),
            None => Choice::Random { count: args.per_game, seed: args.seed },
        })
    }

    /// The numbers of moves before the chosen positions, rising.
    fn plies(&self, number: u32, game: &GameLine) -> Vec<usize> {
        let moves = game.moves.len();
        let mut plies = match self {
            Choice::Random { count, seed } => {
                let mut all: Vec<usize> = (0..moves).collect();
                let mut rng = Rng::new(*seed, game.moves_hash());
                for i in 0..moves.min(*count) {
                    all.swap(i, i + rng.below(moves - i));
                }
                all.truncate(*count);
                all
            }
            Choice::Every(every) => (0..moves).step_by(*every).collect(),
            Choice::Selected(chosen) => chosen.get(&number).cloned().unwrap_or_default(),
        };
        plies.retain(|&ply| ply <= moves);
        plies.sort_unstable();
        plies
    }
}

fn selection(text: &str) -> anyhow::Result<HashMap<u32, Vec<usize>>> {
    let mut chosen: HashMap<u32, Vec<usize>> = HashMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (game, ply) = line.trim().split_once(' ').context("expected: game ply")?;
        chosen.entry(game.parse()?).or_default().push(ply.trim().parse()?);
    }
    Ok(chosen)
}

/// Makes samples of all the games.
pub(super) fn run(args: &SamplesArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let choice = Choice::of(args)?;
    let mut files = Vec::new();
    for path in &args.games {
        find_files(path, &mut files)?;
    }
    if files.is_empty() {
        bail!(
            "no games in {}",
            args.games.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ")
        );
    }
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    let mut work = Work::new(choice, Shards::new(&args.out, args.shard.max(1)));
    let bar = progress::bar(Some(files.len() as u64), "{bar:30} {pos}/{len} files {elapsed} {msg}");
    for path in &files {
        work.read(path, &bar)?;
        bar.inc(1);
    }
    work.do_waiting(&bar)?;
    bar.finish_and_clear();
    work.report(out)
}

/// All files below `path`, in a fixed order.
fn find_files(path: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let context = || format!("cannot read {}", path.display());
    if !path.is_dir() {
        fs::metadata(path).with_context(context)?;
        found.push(path.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(path).with_context(context)?;
    let mut inside = entries.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    inside.sort();
    for path in inside {
        if path.is_dir() || is_sgf(&path) {
            find_files(&path, found)?;
        }
    }
    Ok(())
}

fn is_sgf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"))
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Games that wait for their turn, and what has become of the others.
struct Work {
    choice: Choice,
    shards: Shards,
    waiting: Vec<GameLine>,
    /// The number of the next game, whether it can be used or not.
    next: u32,
    numbers: Vec<u32>,
    held: usize,
    used: usize,
    refused: usize,
}

impl Work {
    fn new(choice: Choice, shards: Shards) -> Self {
        Work {
            choice,
            shards,
            waiting: Vec::new(),
            next: 0,
            numbers: Vec::new(),
            held: 0,
            used: 0,
            refused: 0,
        }
    }

    fn read(&mut self, path: &Path, bar: &ProgressBar) -> anyhow::Result<()> {
        if is_sgf(path) {
            let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let source = folder.replace([',', ' '], "_");
            match Collection::parse(&bytes, &path.display().to_string()) {
                Ok(collection) => {
                    for tree in collection.games() {
                        let game = tree
                            .and_then(|tree| GameLine::from_sgf(&source, &tree))
                            .inspect_err(|error| tracing::warn!("{error}"));
                        self.take(game.ok().flatten(), bar)?;
                    }
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    self.take(None, bar)?;
                }
            }
            return Ok(());
        }
        for (at, line) in read_text(path)?.lines().enumerate() {
            let game = GameLine::parse(line)
                .inspect_err(|error| tracing::warn!("{} line {}: {error}", path.display(), at + 1));
            self.take(game.ok(), bar)?;
        }
        Ok(())
    }

    fn take(&mut self, game: Option<GameLine>, bar: &ProgressBar) -> anyhow::Result<()> {
        match game {
            Some(game) => {
                self.waiting.push(game);
                self.numbers.push(self.next);
            }
            None => self.refused += 1,
        }
        self.next += 1;
        if self.waiting.len() >= CHUNK { self.do_waiting(bar) } else { Ok(()) }
    }

    fn do_waiting(&mut self, bar: &ProgressBar) -> anyhow::Result<()> {
        let games = std::mem::take(&mut self.waiting);
        let numbers = std::mem::take(&mut self.numbers);
        let choice = &self.choice;
        let rows: Vec<Option<Vec<Row>>> = games
            .par_iter()
            .zip(&numbers)
            .map(|(game, &number)| rows(game, &choice.plies(number, game)))
            .collect();
        for ((game, number), rows) in games.iter().zip(numbers).zip(rows) {
            let Some(mut rows) = rows else {
                tracing::warn!("game {number} has a move that cannot be played");
                self.refused += 1;
                continue;
            };
            let source = self.shards.source(&game.source)?;
            for row in &mut rows {
                row.source = source;
                row.game = number;
            }
            let held = game.moves_hash().is_multiple_of(HELD_ONE_IN);
            self.used += 1;
            self.held += usize::from(held);
            self.shards.add(game.size, held, rows)?;
        }
        bar.set_message(format!("{} games", self.used));
        Ok(())
    }

    fn report(self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "games {}  held back {}  refused {}", self.used, self.held, self.refused)?;
        for (name, rows) in self.shards.finish()? {
            writeln!(out, "{name} {rows}")?;
        }
        Ok(())
    }
}

/// The rows of a game before the moves of these numbers; `None` if it has a
/// move that cannot be played.
fn rows(game: &GameLine, plies: &[usize]) -> Option<Vec<Row>> {
    match game.size.longer_side() {
        ..=9 => rows_in::<G9>(game, plies),
        10..=13 => rows_in::<G13>(game, plies),
        14..=19 => rows_in::<G19>(game, plies),
        _ => rows_in::<G25>(game, plies),
    }
}

fn rows_in<G: Geometry>(game: &GameLine, plies: &[usize]) -> Option<Vec<Row>> {
    let mut board = Board::<G>::new(game.size);
    for &stone in &game.handicap {
        if !board.is_empty(board.point(stone)) || !board.place(board.point(stone), Color::Black) {
            return None;
        }
    }
    let wanted: HashSet<usize> = plies.iter().copied().collect();
    let mut reader = Reader::new();
    let mut last: Vec<Option<Point>> = Vec::new();
    let mut rows = Vec::with_capacity(wanted.len());
    for ply in 0..=game.moves.len() {
        let next = game.moves.get(ply).copied();
        if wanted.contains(&ply) {
            rows.push(row(game, ply, &board, &last, &mut reader));
        }
        let Some((color, mv)) = next else { break };
        match mv {
            Move::Pass => board.pass(color),
            Move::Play(coord) => {
                let point = board.point(coord);
                if !board.is_legal(point, color, true) {
                    return None;
                }
                board.play(point, color);
            }
        }
        last.insert(0, mv.coord().map(G::point));
        last.truncate(HISTORY);
    }
    Some(rows)
}

/// The row of the position before move `ply`.
fn row<G: Geometry>(
    game: &GameLine,
    ply: usize,
    board: &Board<G>,
    last: &[Option<Point>],
    reader: &mut Reader<G>,
) -> Row {
    let next = game.moves.get(ply).copied();
    let mover = next.map_or_else(
        || game.moves.last().map_or(Color::Black, |&(color, _)| color.opponent()),
        |(color, _)| color,
    );
    let mut bytes = vec![0; game.size.points() * PLANES];
    extract_with(board, mover, last, reader, &mut bytes);
    let reply = game.moves.get(ply + 1).filter(|&&(color, _)| color != mover);
    let sign = if mover == Color::Black { 1.0 } else { -1.0 };
    Row {
        planes: pack(&bytes),
        play: next.map_or(-1, |(_, mv)| index(game.size, mv)),
        reply: reply.map_or(-1, |&(_, mv)| index(game.size, mv)),
        ply: ply as i16,
        length: game.moves.len() as i16,
        black: u8::from(mover == Color::Black),
        winner: game.result.winner().map_or(0, |winner| if winner == mover { 1 } else { -1 }),
        own_komi: game.komi.map_or(f32::NAN, |komi| (-sign * komi) as f32),
        margin: game.black_margin().map_or(f32::NAN, |margin| (sign * margin) as f32),
        ..Row::default()
    }
}

/// The place of a move; the number of points for a pass.
fn index(size: Size, mv: Move) -> i16 {
    mv.coord().map_or(size.points(), |coord| place(size, coord)) as i16
}

/// A bit for each plane of each point.
fn pack(bytes: &[u8]) -> Vec<u32> {
    let bits = |cell: &[u8]| cell.iter().rev().fold(0, |bits, &value| bits << 1 | u32::from(value));
    bytes.chunks(PLANES).map(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::features::plane;

    const GAME: &str = "club 9 6.50 0 B+R bcewccbgcw--baa";

    #[test]
    fn rows_tell_what_was_played_and_who_won() {
        let game = GameLine::parse(GAME).unwrap();
        let rows = rows(&game, &[0, 1, 3, 5]).unwrap();
        let told: Vec<_> = rows.iter().map(|row| (row.play, row.reply, row.winner, row.own_komi)).collect();
        assert_eq!(told, [(38, 20, 1, -6.5), (20, 24, -1, 6.5), (81, 0, -1, 6.5), (-1, -1, -1, 6.5)]);
        assert!(rows.iter().all(|row| row.margin.is_nan() && row.length == 5));
        let has = |row: &Row, at: usize, plane: usize| row.planes[at] >> plane & 1 == 1;
        assert!(has(&rows[1], 38, plane::ENEMY + 3) && has(&rows[1], 38, plane::HISTORY));
        assert!(!has(&rows[1], 20, plane::OWN + 3) && has(&rows[2], 20, plane::OWN + 3));
    }

    #[test]
    fn games_with_impossible_moves_are_refused() {
        let game = GameLine::parse("club 9 6.50 0 B+R bcewce").unwrap();
        assert_eq!(rows(&game, &[0]), None);
    }

    #[test]
    fn chosen_positions_differ_and_repeat() {
        let game = GameLine::parse(&format!("{GAME}wabbacwadbaewafbagwah")).unwrap();
        let choice = Choice::Random { count: 6, seed: 1 };
        let plies = choice.plies(3, &game);
        assert_eq!(plies, choice.plies(4, &game));
        assert!(plies.len() == 6 && plies.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(Choice::Every(5).plies(0, &game), [0, 5, 10]);
        let chosen = Choice::Selected(selection("7 2\n3 9\n7 0\n7 99\n").unwrap());
        assert_eq!((chosen.plies(7, &game), chosen.plies(0, &game)), (vec![0, 2], vec![]));
        assert!(selection("7").is_err() && selection("a 7").is_err());
    }

    #[test]
    fn a_folder_of_records_becomes_samples() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("my club");
        fs::create_dir_all(&records).unwrap();
        fs::write(records.join("a.sgf"), "(;GM[1]SZ[9]KM[6.5]RE[W+3.5];B[ee];W[cc];B[gc])").unwrap();
        fs::write(records.join("notes.txt"), "not a game").unwrap();
        let lines = folder.path().join("games.txt");
        fs::write(&lines, format!("{GAME}\nnonsense\n")).unwrap();
        let args = SamplesArgs {
            games: vec![records, lines],
            out: folder.path().join("out"),
            per_game: 2,
            every: None,
            select: None,
            seed: 1,
            shard: 100,
        };
        let mut report = Vec::new();
        run(&args, &mut report).unwrap();
        let report = String::from_utf8(report).unwrap();
        assert!(report.contains("games 2") && report.contains("refused 1"), "{report}");
        let rows: usize =
            report.lines().skip(1).filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
        assert_eq!(rows, 4, "{report}");
    }
}
