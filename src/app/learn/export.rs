//! `tengen learn export`: what is known, for editors, for people and for
//! spreadsheets.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::show::share;
use super::{GoTerms, chess, counter, go};
use crate::chess::position::Position;
use crate::formats::pgn;
use crate::formats::sgf::Record as SgfRecord;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::game::Game;
use crate::go::geometry::G25;
use crate::shared::learn::{Bound, Record, Store};

/// How to write what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Go: a tree of variations
    Sgf,
    /// Chess: a game with variations
    Pgn,
    /// Every record of both games
    Csv,
}

/// Write what is known.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen learn export --size 9 --out book.sgf\n  \
    tengen learn export --least 5 --plies 20 --out book.pgn\n  \
    tengen learn export --as csv > records.csv\n\n\
    The trees begin with the start position and follow known moves, those with the most games first; each \
    position comes once, and of mirror images one. Comments give games (by weight), the share won by \
    the player who moved, and what searches found. CSV has the raw records: positions are keys, moves and scores \
    numbers, for the player to move.\n\
    Exit status: 0, or 2 if the learning file or the output cannot be used.")]
pub(super) struct ExportArgs {
    /// The form [default: by the name of the output, else csv]
    #[arg(long = "as", value_name = "FORM")]
    form: Option<Form>,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Moves from the start, at most
    #[arg(long, value_name = "N", default_value_t = 60)]
    plies: usize,
    /// Leave out moves with fewer games (by weight) that no search has seen
    #[arg(long, value_name = "GAMES", default_value_t = 0.0)]
    least: f32,
    /// Positions in a tree, at most
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    most: usize,
    /// The game
    #[command(flatten)]
    terms: GoTerms,
}

/// Writes what is known.
pub(super) fn run(args: &ExportArgs, store: &Store, stdout: &mut dyn Write) -> anyhow::Result<()> {
    store.summaries()?;
    let extension = args.out.as_ref().and_then(|path| path.extension()).unwrap_or_default();
    let by_name = Form::from_str(&extension.to_string_lossy(), true).ok();
    let text = match args.form.or(by_name).unwrap_or(Form::Csv) {
        Form::Sgf => sgf(args, store)?,
        Form::Pgn => pgn(args, store)?,
        Form::Csv => csv(store)?,
    };
    match &args.out {
        None => stdout.write_all(text.as_bytes())?,
        Some(path) => {
            let write = || {
                let mut file = BufWriter::new(File::create(path)?);
                file.write_all(text.as_bytes())?;
                file.flush()
            };
            write().with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn csv(store: &Store) -> anyhow::Result<String> {
    use std::fmt::Write as _;
    let bar = counter("records");
    let mut text = String::from("terms,key,best,score,effort,bound,wins,losses,generation\n");
    for (_, schema) in store.schemas()? {
        for (key, record) in store.load_by_text(&schema)? {
            let Record { best, score, effort, bound, wins, losses, generation } = record;
            let best = if best == Record::NO_MOVE { String::new() } else { best.to_string() };
            let bound = match bound {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            };
            writeln!(
                text,
                "{schema},{key:016x},{best},{score},{effort},{bound},{wins:.4},{losses:.4},{generation}"
            )?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(text)
}

/// What a comment says of a move; the record is of the position after it.
fn remark(record: &Record, searched: &str) -> String {
    let mut text = format!("{:.1} games", record.games());
    if record.games() > 0.0 {
        text += &format!(", {} won", share(record.losses, record.games()));
    }
    if record.effort > 0 {
        text += &format!(", searched {searched} by {}", record.effort);
    }
    text
}

impl ExportArgs {
    fn keeps(&self, record: &Record) -> bool {
        record.effort > 0 || record.games() >= self.least
    }
}

fn sgf(args: &ExportArgs, store: &Store) -> anyhow::Result<String> {
    let GoTerms { size, komi, rules } = args.terms;
    let game = Game::new(size, rules, komi);
    let shelf = go::Shelf::open(store, &game)?;
    let mut record = SgfRecord::new(size);
    record.komi(komi).comment(&format!("{} positions known", shelf.len()));
    let mut seen = HashSet::new();
    // Breadth first, so that the limit cuts the far ends.
    let mut queue: Vec<(_, Board<G25>, Color, usize)> =
        vec![(record.node(), game.board().clone(), Color::Black, 0)];
    let mut next = 0;
    let bar = counter("positions");
    while let Some((node, board, color, ply)) = queue.get(next).cloned() {
        next += 1;
        if ply >= args.plies {
            continue;
        }
        for known in shelf.moves(&board, color) {
            if queue.len() >= args.most || !args.keeps(&known.record) || !seen.insert(known.place.key) {
                continue;
            }
            record.go_to(node);
            let child = record.play(color, Move::Play(known.coord));
            record.comment(&remark(&known.record, &go::searched_by_mover(&known.record)));
            let mut after = board.clone();
            after.play(after.point(known.coord), color);
            queue.push((child, after, color.opponent(), ply + 1));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(record.finish().to_string())
}

fn pgn(args: &ExportArgs, store: &Store) -> anyhow::Result<String> {
    let shelf = chess::Shelf::open(store)?;
    let mut game = pgn::Game { result: "*".into(), ..pgn::Game::default() };
    game.set_tag("Event", "What Tengen has learnt");
    game.set_tag("Result", "*");
    let bar = counter("positions");
    let mut walk = Walk { args, shelf: &shelf, seen: HashSet::new(), elements: Vec::new(), bar };
    walk.line(&Position::default(), args.plies);
    walk.bar.finish_and_clear();
    game.elements = walk.elements;
    Ok(game.to_string())
}

/// The way through the known positions of chess, depth first as PGN has it.
struct Walk<'a> {
    args: &'a ExportArgs,
    shelf: &'a chess::Shelf,
    seen: HashSet<u64>,
    elements: Vec<pgn::Element>,
    bar: indicatif::ProgressBar,
}

impl Walk<'_> {
    /// Writes the best known line from `position`, its alternatives in
    /// brackets behind each move.
    fn line(&mut self, position: &Position, plies: usize) {
        let mut here = *position;
        for left in (0..plies).rev() {
            let mut moves = self.shelf.moves(&here);
            moves.retain(|(mv, record)| {
                self.args.keeps(record) && !self.seen.contains(&here.after(*mv).key())
            });
            moves.truncate(self.args.most.saturating_sub(self.seen.len()));
            self.seen.extend(moves.iter().map(|(mv, _)| here.after(*mv).key()));
            let Some((&(main, record), others)) = moves.split_first() else { return };
            self.add(&here, main, &record);
            for &(mv, record) in others {
                self.elements.push(pgn::Element::Open);
                self.add(&here, mv, &record);
                self.line(&here.after(mv), left);
                self.elements.push(pgn::Element::Close);
            }
            here = here.after(main);
        }
    }

    fn add(&mut self, position: &Position, mv: crate::chess::types::Move, record: &Record) {
        self.bar.inc(1);
        self.elements.push(pgn::Element::Move(position.san(mv)));
        self.elements.push(pgn::Element::Comment(remark(record, &chess::searched_by_mover(record))));
    }
}
