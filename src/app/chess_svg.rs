//! Pictures of chess boards, as SVG.

use std::fmt::Write;

use crate::chess::position::Position;
use crate::chess::types::{Color, Kind, Move, Square};

/// Pixels of a square.
const STEP: usize = 36;
/// Pixels around the board, for the coordinates.
const MARGIN: usize = 20;

/// The position, seen by White, with arrows for moves, each in a CSS colour.
#[must_use]
pub fn picture(position: &Position, arrows: &[(Move, &str)]) -> String {
    let side = 8 * STEP + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{side}\" height=\"{side}\" \
         viewBox=\"0 0 {side} {side}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n"
    );
    for square in Square::all() {
        let (x, y) = corner(square);
        let is_dark = (square.file() + square.rank()).is_multiple_of(2);
        let fill = if is_dark { "#b58863" } else { "#f0d9b5" };
        push(&mut svg, format_args!("<path fill=\"{fill}\" d=\"M{x} {y}h{STEP}v{STEP}h-{STEP}z\"/>\n"));
        if let Some((color, kind)) = position.piece_on(square) {
            // Filled figures with an outline: they stand out on every square.
            let (fill, line) = if color == Color::White { ("#fff", "#000") } else { ("#000", "#888") };
            push(
                &mut svg,
                format_args!(
                    "<text x=\"{}\" y=\"{}\" font-size=\"30\" fill=\"{fill}\" stroke=\"{line}\" \
                     stroke-width=\"0.7\">{}</text>\n",
                    x + STEP / 2,
                    y + 29,
                    figure(kind)
                ),
            );
        }
    }
    names(&mut svg);
    for (mv, color) in arrows {
        arrow(&mut svg, *mv, color);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Upper left corner of a square in pixels.
fn corner(square: Square) -> (usize, usize) {
    (MARGIN + square.file() * STEP, MARGIN + (7 - square.rank()) * STEP)
}

fn names(svg: &mut String) {
    for i in 0..8_usize {
        let middle = MARGIN + i * STEP + STEP / 2;
        let (file, rank) = (char::from(b'a' + i as u8), 8 - i);
        push(
            svg,
            format_args!(
                "<text x=\"{middle}\" y=\"{}\" font-size=\"12\">{file}</text>\n",
                2 * MARGIN + 8 * STEP - 5
            ),
        );
        push(svg, format_args!("<text x=\"10\" y=\"{}\" font-size=\"12\">{rank}</text>\n", middle + 4));
    }
}

/// A line from square to square with a dot at its end.
fn arrow(svg: &mut String, mv: Move, color: &str) {
    let middle = |square| {
        let (x, y) = corner(square);
        (x + STEP / 2, y + STEP / 2)
    };
    let ((x1, y1), (x2, y2)) = (middle(mv.from()), middle(mv.to()));
    push(
        svg,
        format_args!(
            "<path d=\"M{x1} {y1}L{x2} {y2}\" stroke=\"{color}\" stroke-width=\"5\" opacity=\"0.6\"/>\
             <circle cx=\"{x2}\" cy=\"{y2}\" r=\"8\" fill=\"{color}\" opacity=\"0.7\"/>\n"
        ),
    );
}

fn figure(kind: Kind) -> char {
    match kind {
        Kind::Pawn => '\u{265f}',
        Kind::Knight => '\u{265e}',
        Kind::Bishop => '\u{265d}',
        Kind::Rook => '\u{265c}',
        Kind::Queen => '\u{265b}',
        Kind::King => '\u{265a}',
    }
}

/// Writing to a string cannot fail.
fn push(svg: &mut String, piece: std::fmt::Arguments<'_>) {
    let _ = svg.write_fmt(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_moves_are_drawn() {
        let position = Position::default();
        let mv = position.parse_uci("e2e4").unwrap();
        let svg = picture(&position, &[(mv, "green")]);
        assert_eq!(svg.matches("font-size=\"30\"").count(), 32);
        assert!(svg.contains("d=\"M182 254L182 182\" stroke=\"green\""), "{svg}");
    }
}
