//! `tengen learn show`: what is known of the moves of a position.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::{GoTerms, chess, go};
use crate::formats::sgf::{Collection, StopAt};
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::game::Game;
use crate::shared::learn::{Record, Store};

/// Show what is known of a position.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen learn show                                       the empty 19x19 board\n  \
    tengen learn show --size 9 --komi 7 --moves 'E5 C3'     after two moves, Black first\n  \
    tengen learn show --sgf game.sgf --before 31            before move 31 of a record\n  \
    tengen learn show --chess --moves 'e4 e5 Nf3'           chess, in SAN or UCI notation\n  \
    tengen learn show --fen 'r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3'\n\n\
    Games are counted by weight: the further a position was from the end, the less. Won is for the player \
    who moves, and so are the searched score (Go: win rate, chess: pawns) and its effort (visits, or plies). \
    Of moves that are mirror images of each other one is listed.\n\
    Exit status: 0, or 1 if nothing is known, 2 if there is no such file or position.")]
pub(super) struct ShowArgs {
    /// Moves from the start, or from the position of --fen or --sgf
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Go: the position at the end of a record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "chess"])]
    sgf: Option<PathBuf>,
    /// The position before this move of the record
    #[arg(long, value_name = "N", requires = "sgf")]
    before: Option<u32>,
    /// Chess: a position
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Chess: the start position
    #[arg(long)]
    chess: bool,
    /// Moves to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// The game; a record names its own
    #[command(flatten)]
    terms: GoTerms,
}

/// What is known of a move; values are for its player.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) games: f32,
    pub(super) won: f32,
    pub(super) effort: u32,
    /// The searched score as text, or nothing.
    pub(super) score: String,
    pub(super) reply: String,
}

/// Prints the table; `false` if there is nothing to print.
pub(super) fn run(args: &ShowArgs, store: &Store, out: &mut dyn Write) -> anyhow::Result<bool> {
    store.summaries()?;
    if args.chess || args.fen.is_some() {
        let position = chess::position(args.fen.as_deref(), &args.moves)?;
        let shelf = chess::Shelf::open(store)?;
        writeln!(out, "{}", position.fen())?;
        let here = shelf.record(&position).map(|record| (record, chess::searched(&record)));
        return print(here, shelf.rows(&position), args.most, out);
    }
    let game = position(args)?;
    let (board, to_move) = (game.board(), game.to_move());
    let shelf = go::Shelf::open(store, &game)?;
    let played = game.moves().count();
    let color = if to_move == Color::Black { "Black" } else { "White" };
    writeln!(out, "{}, {color} to move after {played} moves", go::schema_of(&game).text())?;
    let here = shelf.record(board, to_move).map(|(_, record)| (record, go::searched(&record)));
    print(here, shelf.rows(board, to_move), args.most, out)
}

/// The Go position that is asked for.
fn position(args: &ShowArgs) -> anyhow::Result<Game> {
    let GoTerms { size, komi, rules } = args.terms;
    let mut game = match &args.sgf {
        None => Game::new(size, rules, komi),
        Some(path) => {
            let name = path.display().to_string();
            let bytes = std::fs::read(path).with_context(|| name.clone())?;
            let stop = args.before.map_or(StopAt::End, StopAt::BeforeMove);
            Collection::parse(&bytes, &name)?.first_game()?.replay(stop, rules, komi)?
        }
    };
    for word in args.moves.split([' ', ',']).filter(|word| !word.is_empty()) {
        let Ok(mv) = word.parse::<Move>() else { bail!("{word:?} is not a move") };
        game.play(game.to_move(), mv).with_context(|| format!("move {word}"))?;
    }
    Ok(game)
}

fn print(
    here: Option<(Record, String)>,
    rows: Vec<Row>,
    most: usize,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    if let Some((record, searched)) = &here {
        write!(out, "{:.1} games, {} won", record.games(), share(record.wins, record.games()))?;
        if record.effort > 0 {
            write!(out, "; searched {searched} by {}", record.effort)?;
        }
        writeln!(out)?;
    }
    if rows.is_empty() {
        writeln!(out, "no move is known")?;
        return Ok(here.is_some());
    }
    writeln!(
        out,
        "{:<7} {:>9} {:>7} {:>10} {:>9}  {:<7}",
        "move", "games", "won", "searched", "effort", "reply"
    )?;
    for row in rows.iter().take(most) {
        let effort = if row.effort == 0 { String::new() } else { row.effort.to_string() };
        let won = share(row.won, row.games);
        let line = format!(
            "{:<7} {:>9.1} {won:>7} {:>10} {effort:>9}  {}",
            row.name, row.games, row.score, row.reply
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if rows.len() > most {
        writeln!(out, "and {} more", rows.len() - most)?;
    }
    Ok(true)
}

/// A share as percent, of nothing as nothing.
pub(super) fn share(part: f32, whole: f32) -> String {
    if whole <= 0.0 { String::new() } else { format!("{:.1}%", 100.0 * part / whole) }
}
