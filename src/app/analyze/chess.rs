//! Games of chess: searching their positions, and writing what was found into
//! the record and a page.

use std::fmt::Write;
use std::io;

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::journal::{Entry, Journal, Place};
use super::page;
use crate::app::board_svg::escape_xml;
use crate::app::chess_line::{ChessLine, Ending};
use crate::app::chess_svg;
use crate::chess::engine::{Engine, Order};
use crate::chess::position::Position;
use crate::chess::score::{MATE, mate_moves, win_draw_loss};
use crate::chess::types::{Color, Move};
use crate::formats::pgn::{Element, Game};
use crate::shared::control::Limits;
use crate::uct::engine::Settings;

/// Moves of a better line that are shown.
const LINE_LENGTH: usize = 8;
/// The largest transposition table, in MiB.
const MOST_HASH_MIB: usize = 256;
/// Numeric annotations of PGN for a mistake and a blunder.
const MISTAKE: u16 = 2;
const BLUNDER: u16 = 4;

/// What the search found in a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Evaluation {
    place: Place,
    /// In hundredths of a pawn, for White.
    score: i32,
    depth: u32,
    /// The best line in UCI notation.
    line: Vec<String>,
}

impl Entry for Evaluation {
    fn place(&self) -> Place {
        self.place
    }
}

impl Evaluation {
    /// The points that White can expect, from 0 to 1.
    fn expected(&self) -> f64 {
        let [win, draw, _] = win_draw_loss(self.score);
        (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
    }

    /// The score as comments in PGN have it: pawns, or `#` and the moves to
    /// mate, for White.
    fn text(&self) -> String {
        match mate_moves(self.score) {
            Some(moves) => format!("#{moves}"),
            None => format!("{:.2}", f64::from(self.score) / 100.0),
        }
    }
}

/// A move of a game with the positions around it.
struct Evaluated {
    mv: Move,
    san: String,
    before: Evaluation,
    after: Evaluation,
    position: Position,
}

impl Evaluated {
    /// What the move lost of the points that the player could expect.
    fn loss(&self) -> f64 {
        let sign = if self.position.side() == Color::White { 1.0 } else { -1.0 };
        sign * (self.before.expected() - self.after.expected())
    }

    /// The better line in SAN with its first move, unless the move was the
    /// search's own.
    fn better(&self) -> Option<(Move, Vec<String>)> {
        let mut position = self.position;
        let mut line = Vec::new();
        let mut first = None;
        for text in self.before.line.iter().take(LINE_LENGTH) {
            let Some(mv) = position.parse_uci(text) else { break };
            first.get_or_insert(mv);
            line.push(position.san(mv));
            position.play_unchecked(mv);
        }
        first.filter(|&mv| mv != self.mv).map(|mv| (mv, line))
    }

    /// `12. Nf3` or `12... Nf6`.
    fn numbered(&self) -> String {
        let dots = if self.position.side() == Color::White { "." } else { "..." };
        format!("{}{dots} {}", self.position.move_number(), self.san)
    }
}

/// An evaluated game.
pub(super) struct Analysis {
    moves: Vec<Evaluated>,
}

/// An engine for an analysis.
pub(super) fn engine(settings: &Settings) -> Engine {
    Engine::new(settings.search.memory_mib.min(MOST_HASH_MIB), settings.search.threads)
}

/// Whether the first move of a game's main line is a legal one.
pub(super) fn begins_well(game: &Game) -> bool {
    let start = ChessLine::new(game.tag("FEN"));
    start.is_ok_and(|line| game.main_line().next().is_some_and(|text| line.parse(text).is_some()))
}

impl Analysis {
    /// Searches every position of the main line. Where the record has a move
    /// that is not legal, the analysis ends before it, and the log says so.
    pub(super) fn run(
        number: usize,
        game: &Game,
        engine: &mut Engine,
        limits: Limits,
        journal: &mut Journal<Evaluation>,
        bar: &ProgressBar,
    ) -> io::Result<Analysis> {
        let mut line = match ChessLine::new(game.tag("FEN")) {
            Ok(line) => line,
            Err(error) => {
                tracing::warn!("game {}: {error}", number + 1);
                return Ok(Analysis { moves: Vec::new() });
            }
        };
        engine.forget();
        let mut next = |line: &ChessLine| {
            let place = Place { game: number, after: line.moves().len() };
            let evaluation = journal.get(place, || evaluate(engine, line, limits, place));
            bar.inc(1);
            evaluation
        };
        let mut before = next(&line)?;
        let mut moves = Vec::new();
        for text in game.main_line() {
            let Some(mv) = line.parse(text) else {
                tracing::warn!("game {}: move {text} is not legal in {}", number + 1, line.position().fen());
                break;
            };
            let position = *line.position();
            line.play(mv);
            let after = next(&line)?;
            let san = line.san().last().cloned().unwrap_or_default();
            moves.push(Evaluated { mv, san, before, after: after.clone(), position });
            before = after;
        }
        Ok(Analysis { moves })
    }

    /// The game with a comment on every move, a mark on bad ones, and better
    /// lines as variations.
    pub(super) fn annotate(&self, game: &Game, mistake: f64) -> Game {
        let mut annotated = Game { elements: Vec::new(), ..game.clone() };
        annotated.set_tag("Annotator", concat!("Tengen ", env!("CARGO_PKG_VERSION")));
        let (mut depth, mut moves) = (0_usize, self.moves.iter());
        for element in &game.elements {
            annotated.elements.push(element.clone());
            match element {
                Element::Open => depth += 1,
                Element::Close => depth = depth.saturating_sub(1),
                Element::Move(_) if depth == 0 => {
                    annotated.elements.extend(moves.next().into_iter().flat_map(|own| own.notes(mistake)));
                }
                _ => {}
            }
        }
        annotated
    }

    /// The game as a part of a page.
    pub(super) fn section(&self, game: &Game, mistake: f64) -> String {
        let first = self.moves.first().map(|first| &first.before);
        let positions = first.into_iter().chain(self.moves.iter().map(|evaluated| &evaluated.after));
        let shares: Vec<f64> = positions.map(Evaluation::expected).collect();
        let player = |name| game.tag(name).unwrap_or("?");
        page::heading([player("White"), player("Black")], &game.result)
            + &page::plot("Points that White can expect", &shares)
            + &self.mistakes(mistake)
            + &self.table(mistake)
    }

    fn mistakes(&self, mistake: f64) -> String {
        let mut worst: Vec<&Evaluated> = self.moves.iter().filter(|own| own.loss() >= mistake).collect();
        worst.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
        let mut html = String::from("<h2>Biggest mistakes</h2>\n");
        if worst.is_empty() {
            html.push_str("<p>None.</p>\n");
        }
        for evaluated in worst.into_iter().take(page::SHOWN) {
            let better = evaluated.better();
            let mut arrows = vec![(evaluated.mv, "#c00")];
            arrows.extend(better.iter().map(|(mv, _)| (*mv, "#080")));
            let line = better.as_ref().map_or(String::new(), |(_, line)| line.join(" "));
            // Writing to a string cannot fail.
            let _ = writeln!(
                html,
                "<div class=\"mistake\"><p>{} lost {:.1}%: {} after it, {} before it.<br>Better: {}</p>\n{}</div>",
                escape_xml(&evaluated.numbered()),
                evaluated.loss() * 100.0,
                evaluated.after.text(),
                evaluated.before.text(),
                escape_xml(&line),
                chess_svg::picture(&evaluated.position, &arrows)
            );
        }
        html
    }

    fn table(&self, mistake: f64) -> String {
        let mut html = String::from(
            "<h2>Moves</h2>\n<table><tr><th>move</th><th>best</th><th>score</th><th>depth</th><th>loss</th></tr>\n",
        );
        for evaluated in &self.moves {
            let class = if evaluated.loss() >= mistake { " class=\"bad\"" } else { "" };
            let best = evaluated.better().and_then(|(_, line)| line.into_iter().next()).unwrap_or_default();
            let _ = writeln!(
                html,
                "<tr{class}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1}%</td></tr>",
                escape_xml(&evaluated.numbered()),
                escape_xml(&best),
                evaluated.after.text(),
                evaluated.after.depth,
                evaluated.loss() * 100.0
            );
        }
        html.push_str("</table>\n");
        html
    }
}

impl Evaluated {
    /// What stands behind the move in the record.
    fn notes(&self, mistake: f64) -> Vec<Element> {
        let loss = self.loss();
        let mut notes = Vec::new();
        let mut comment = format!("[%eval {}]", self.after.text());
        let is_mistake = loss >= mistake;
        if is_mistake {
            notes.push(Element::Annotation(if loss >= 2.0 * mistake { BLUNDER } else { MISTAKE }));
            let _ = write!(comment, " The move lost {:.1}%.", loss * 100.0);
        }
        notes.push(Element::Comment(comment));
        if let Some((_, line)) = self.better().filter(|_| is_mistake) {
            notes.push(Element::Open);
            notes.extend(line.into_iter().map(Element::Move));
            notes.push(Element::Comment(format!("[%eval {}]", self.before.text())));
            notes.push(Element::Close);
        }
        notes
    }
}

/// Searches a position; one that ends the game is worth what it ends with.
fn evaluate(engine: &mut Engine, line: &ChessLine, limits: Limits, place: Place) -> Evaluation {
    let position = line.position();
    let sign = if position.side() == Color::White { 1 } else { -1 };
    match line.ending() {
        Some(Ending::Mate) => return Evaluation { place, score: -sign * MATE, depth: 0, line: Vec::new() },
        Some(Ending::Stalemate | Ending::Insufficient) => {
            return Evaluation { place, score: 0, depth: 0, line: Vec::new() };
        }
        _ => {}
    }
    engine.set_position(*line.start());
    line.moves().iter().for_each(|&mv| engine.play(mv));
    let order = Order { limits, lines: 1, ..Order::default() };
    let mut best = Vec::new();
    let outcome = engine.think(&order, |line| best.clone_from(&line.moves));
    let line = best.iter().map(|mv| mv.uci(false)).collect();
    Evaluation { place, score: sign * outcome.score, depth: outcome.depth, line }
}

/// Number of positions that will be searched.
pub(super) fn positions(games: &[Game]) -> usize {
    games.iter().map(|game| game.main_line().count() + 1).sum()
}
