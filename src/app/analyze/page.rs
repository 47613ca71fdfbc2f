//! The analysis as a page: the win rate through the game, the biggest mistakes
//! with pictures, and a table of all moves.

use std::fmt::Write;

use super::annotate::standing;
use super::evaluate::{Analysis, Evaluated};
use crate::app::board_svg::{BoardPicture, escape_xml};
use crate::formats::sgf::GameTree;
use crate::go::color::Color;

/// Mistakes that are shown with a picture.
pub(super) const SHOWN: usize = 8;
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 240.0;
const STYLE: &str = "body{font:15px sans-serif;margin:2em;max-width:70em}\
table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:right;border-bottom:1px solid #ccc}\
.mistake{display:inline-block;vertical-align:top;margin:0 2em 2em 0}.bad{background:#fdd}";

/// A page with `sections`.
pub(super) fn document(title: &str, sections: &[String]) -> String {
    let title = escape_xml(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n{}</body></html>\n",
        sections.concat()
    )
}

/// A game of Go; moves that lose at least `mistake` of win rate stand out.
pub(super) fn section(tree: &GameTree<'_>, analysis: &Analysis, mistake: f64) -> String {
    let player = |color| tree.player(color).map_or_else(|| color.to_string(), |name| name.into_owned());
    let first = analysis.moves.first().map(|first| &first.before);
    let positions = first.into_iter().chain(analysis.moves.iter().map(|evaluated| &evaluated.after));
    let shares: Vec<f64> = positions.map(|position| position.black_wins).collect();
    heading([&player(Color::Black), &player(Color::White)], &tree.result().to_string())
        + &plot("Win rate of Black", &shares)
        + &mistakes(&analysis.moves, mistake)
        + &table(&analysis.moves, mistake)
}

/// The players, the first mover first, and the result.
pub(super) fn heading([first, second]: [&str; 2], result: &str) -> String {
    let title = escape_xml(&format!("{first} – {second}"));
    format!("<h1>{title}</h1>\n<p>Result: {}</p>\n", escape_xml(result))
}

/// A share of 1 through the game.
pub(super) fn plot(name: &str, shares: &[f64]) -> String {
    let x = |i: usize| WIDTH * i as f64 / shares.len().saturating_sub(1).max(1) as f64;
    let y = |share: f64| HEIGHT * (1.0 - share);
    let points: Vec<String> =
        shares.iter().enumerate().map(|(i, &share)| format!("{:.1},{:.1}", x(i), y(share))).collect();
    format!(
        "<h2>{name}</h2>\n<svg width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#eee\"/>\
         <path d=\"M0 {0}H{WIDTH}\" stroke=\"#999\"/>\
         <polyline points=\"{1}\" fill=\"none\" stroke=\"#036\" stroke-width=\"2\"/></svg>\n",
        HEIGHT / 2.0,
        points.join(" ")
    )
}

fn mistakes(moves: &[Evaluated], mistake: f64) -> String {
    let mut worst: Vec<&Evaluated> = moves.iter().filter(|m| m.loss() >= mistake).collect();
    worst.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
    let mut html = String::from("<h2>Biggest mistakes</h2>\n");
    if worst.is_empty() {
        html.push_str("<p>None.</p>\n");
    }
    for evaluated in worst.into_iter().take(SHOWN) {
        let mut picture = BoardPicture::of_game(&evaluated.game);
        let line = evaluated.better_line();
        for (i, coord) in line.iter().take(5).enumerate().filter_map(|(i, mv)| Some((i, mv.coord()?))) {
            picture.mark(coord, &(i + 1).to_string(), "#060");
        }
        if let Some(coord) = evaluated.mv.coord() {
            picture.mark(coord, "✗", "#c00");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            html,
            "<div class=\"mistake\"><p>Move {}: {} {} lost {:.1}%. Before it: {}.</p>\n{}</div>",
            evaluated.number,
            evaluated.color,
            evaluated.mv,
            evaluated.loss() * 100.0,
            standing(&evaluated.before),
            picture.to_svg()
        );
    }
    html
}

fn table(moves: &[Evaluated], mistake: f64) -> String {
    let mut html = String::from(
        "<h2>Moves</h2>\n<table><tr><th>move</th><th>player</th><th>played</th><th>best</th>\
         <th>Black wins</th><th>score</th><th>loss</th></tr>\n",
    );
    for evaluated in moves {
        let class = if evaluated.loss() >= mistake { " class=\"bad\"" } else { "" };
        let best = evaluated.before.line.first().map_or("", String::as_str);
        let _ = writeln!(
            html,
            "<tr{class}><td>{}</td><td>{}</td><td>{}</td><td>{best}</td><td>{:.1}%</td><td>{:+.1}</td><td>{:.1}%</td></tr>",
            evaluated.number,
            evaluated.color,
            evaluated.mv,
            evaluated.after.black_wins * 100.0,
            evaluated.after.score,
            evaluated.loss() * 100.0
        );
    }
    html.push_str("</table>\n");
    html
}
