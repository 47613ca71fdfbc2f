//! Pictures of Go boards, as SVG.

use std::fmt::Write;

use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::game::Game;

/// Pixels between two lines.
const STEP: f64 = 24.0;
/// Pixels around the outermost lines, for the coordinates.
const MARGIN: f64 = 30.0;

/// A picture being made.
#[derive(Clone, Debug)]
pub struct BoardPicture {
    size: Size,
    stones: Vec<(Coord, Color)>,
    marks: Vec<Mark>,
}

#[derive(Clone, Debug)]
struct Mark {
    coord: Coord,
    text: String,
    color: &'static str,
}

impl BoardPicture {
    /// An empty board.
    #[must_use]
    pub fn new(size: Size) -> Self {
        BoardPicture { size, stones: Vec::new(), marks: Vec::new() }
    }

    /// The board of `game`, with a ring on the last move.
    #[must_use]
    pub fn of_game(game: &Game) -> Self {
        let mut picture = Self::new(game.size());
        for coord in game.size().coords() {
            if let Some(color) = game.color_at(coord) {
                picture.stones.push((coord, color));
            }
        }
        if let Some(coord) = game.last_move().and_then(|(_, mv)| mv.coord()) {
            picture.mark(coord, "", "#d33");
        }
        picture
    }

    /// Puts a stone.
    pub fn stone(&mut self, coord: Coord, color: Color) -> &mut Self {
        self.stones.push((coord, color));
        self
    }

    /// Writes `text` on a point in a CSS colour; a ring if it is empty.
    pub fn mark(&mut self, coord: Coord, text: &str, color: &'static str) -> &mut Self {
        self.marks.push(Mark { coord, text: text.to_owned(), color });
        self
    }

    /// Centre of a point in pixels.
    fn place(&self, coord: Coord) -> (f64, f64) {
        let from_top = self.size.height() - 1 - coord.y;
        (MARGIN + f64::from(coord.x) * STEP, MARGIN + f64::from(from_top) * STEP)
    }

    /// The picture as an `svg` element that stands for itself.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (right, bottom) = self.place(Coord { x: self.size.width() - 1, y: 0 });
        let (width, height) = (right + MARGIN, bottom + MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#dcb35c\"/>\n"
        );
        self.lines(&mut svg, right, bottom);
        self.names(&mut svg, right, bottom);
        for &(coord, color) in &self.stones {
            let (x, y) = self.place(coord);
            let fill = if color == Color::Black { "#111" } else { "#fff" };
            circle(&mut svg, x, y, STEP * 0.47, &format!("fill=\"{fill}\" stroke=\"#111\""));
        }
        for mark in &self.marks {
            self.draw_mark(&mut svg, mark);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn lines(&self, svg: &mut String, right: f64, bottom: f64) {
        svg.push_str("<path stroke=\"#333\" fill=\"none\" d=\"");
        for column in 0..self.size.width() {
            let x = MARGIN + f64::from(column) * STEP;
            push(svg, format_args!("M{x} {MARGIN}V{bottom}"));
        }
        for row in 0..self.size.height() {
            let y = MARGIN + f64::from(row) * STEP;
            push(svg, format_args!("M{MARGIN} {y}H{right}"));
        }
        svg.push_str("\"/>\n");
        for star in stars(self.size) {
            let (x, y) = self.place(star);
            circle(svg, x, y, 3.0, "fill=\"#333\"");
        }
    }

    fn names(&self, svg: &mut String, right: f64, bottom: f64) {
        for column in 0..self.size.width() {
            let coord = Coord { x: column, y: 0 };
            let name = coord.to_string();
            let x = self.place(coord).0;
            for y in [MARGIN * 0.5, bottom + MARGIN * 0.8] {
                text(svg, x, y, "#333", &name[..1]);
            }
        }
        for row in 0..self.size.height() {
            let y = self.place(Coord { x: 0, y: row }).1 + 4.0;
            for x in [MARGIN * 0.35, right + MARGIN * 0.65] {
                text(svg, x, y, "#333", &(row + 1).to_string());
            }
        }
    }

    fn draw_mark(&self, svg: &mut String, mark: &Mark) {
        let (x, y) = self.place(mark.coord);
        if mark.text.is_empty() {
            let style = format!("fill=\"none\" stroke-width=\"2\" stroke=\"{}\"", mark.color);
            return circle(svg, x, y, STEP * 0.25, &style);
        }
        if !self.stones.iter().any(|&(coord, _)| coord == mark.coord) {
            circle(svg, x, y, STEP * 0.42, "fill=\"#dcb35c\"");
        }
        text(svg, x, y + 4.0, mark.color, &mark.text);
    }
}

/// Star points, as on a wooden board.
#[must_use]
pub fn stars(size: Size) -> Vec<Coord> {
    if size.width() < 9 || size.height() < 9 {
        return Vec::new();
    }
    let on = |side: u8| {
        let edge = if side < 13 { 2 } else { 3 };
        [edge, side / 2, side - 1 - edge]
    };
    let (columns, rows) = (on(size.width()), on(size.height()));
    columns.into_iter().flat_map(|x| rows.into_iter().map(move |y| Coord { x, y })).collect()
}

/// Writing to a string cannot fail.
fn push(svg: &mut String, piece: std::fmt::Arguments<'_>) {
    let _ = svg.write_fmt(piece);
}

fn circle(svg: &mut String, x: f64, y: f64, radius: f64, style: &str) {
    push(svg, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius:.1}\" {style}/>\n"));
}

fn text(svg: &mut String, x: f64, y: f64, color: &str, text: &str) {
    let text = escape_xml(text);
    push(svg, format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"11\" fill=\"{color}\">{text}</text>\n"));
}

/// `text` as it may stand in XML and HTML, in attributes too. Characters that
/// XML cannot hold become question marks.
#[must_use]
pub fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_and_marks_are_drawn() {
        let mut picture = BoardPicture::new(Size::new(19, 9).unwrap());
        let at = |name: &str| name.parse::<Coord>().unwrap();
        picture.stone(at("A1"), Color::Black).mark(at("T9"), "<1>", "blue");
        let svg = picture.to_svg();
        assert!(svg.contains("<circle cx=\"30\" cy=\"222\" r=\"11.3\" fill=\"#111\""));
        assert!(svg.contains("fill=\"blue\">&lt;1&gt;</text>"));
        assert_eq!(svg.matches("r=\"3.0\"").count(), 9, "star points");
    }

    #[test]
    fn xml_is_escaped() {
        assert_eq!(escape_xml("a<b>&\"'\u{1}"), "a&lt;b&gt;&amp;&quot;&#39;?");
    }
}
