//! The course of a match as a picture: the first engine's share of the points
//! after each game, with its 95% interval.

use std::fmt::Write;

use super::ledger::GameLine;
use super::statistics::Tally;
use crate::app::board_svg::escape_xml;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 40.0;

/// Draws the games, in the order in which they ended.
pub(super) fn render(games: &[GameLine], title: &str) -> String {
    let mut tally = Tally::default();
    let mut points = Vec::with_capacity(games.len());
    for game in games {
        tally.add(game.game, game.first_won());
        points.push(tally.score());
    }
    let count = points.len().max(1) as f64;
    let x = |i: usize| LEFT + (WIDTH - LEFT - RIGHT) * (i as f64 + 1.0) / count;
    let y = |share: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escape_xml(title)
    );
    for percent in [0_u8, 25, 50, 75, 100] {
        let y = y(f64::from(percent) / 100.0);
        let stroke = if percent == 50 { "#888" } else { "#ddd" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"{stroke}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent}%</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    let upper = points.iter().enumerate().map(|(i, (_, [_, high]))| (x(i), y(*high)));
    let lower = points.iter().enumerate().rev().map(|(i, (_, [low, _]))| (x(i), y(*low)));
    let band = path(upper.chain(lower));
    let line = path(points.iter().enumerate().map(|(i, (score, _))| (x(i), y(*score))));
    let _ = writeln!(svg, "<polygon points=\"{band}\" fill=\"#9bd\" opacity=\"0.5\"/>");
    let _ = writeln!(svg, "<polyline points=\"{line}\" fill=\"none\" stroke=\"#036\" stroke-width=\"2\"/>");
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} games</text>\n</svg>",
        WIDTH - RIGHT,
        HEIGHT - 12.0,
        games.len()
    );
    svg
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let words: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    words.join(" ")
}
