//! A chess board in the terminal.

use super::look::Look;
use crate::app::chess_line::ChessLine;
use crate::chess::types::{Color, Kind, Square};

/// Colours of squares and pieces, of the 256.
const LIGHT: u8 = 180;
const DARK: u8 = 137;
/// Of the squares of the last move.
const LAST: [u8; 2] = [143, 107];
const WHITE: u8 = 231;
const BLACK: u8 = 16;

/// The present position, seen by `view`. Without colours White has capital
/// letters.
pub(super) fn draw(line: &ChessLine, view: Color, look: Look) -> String {
    let position = line.position();
    let last = line.moves().last().map(|mv| [mv.from(), mv.to()]);
    let order = |i: usize| if view == Color::White { i } else { 7 - i };
    let letters: String = (0..8).map(|i| format!(" {} ", (b'a' + order(i) as u8) as char)).collect();
    let mut text = format!("  {letters}\n");
    for row in (0..8).rev() {
        let rank = order(row);
        text += &format!("{} ", rank + 1);
        for column in 0..8 {
            let square = Square::new(order(column), rank);
            let is_last = last.is_some_and(|squares| squares.contains(&square));
            let is_dark = (square.file() + rank).is_multiple_of(2);
            let ground = match (is_last, is_dark) {
                (false, false) => LIGHT,
                (false, true) => DARK,
                (true, dark) => LAST[usize::from(dark)],
            };
            let (sign, ink) = match position.piece_on(square) {
                Some((color, kind)) => {
                    (piece(color, kind, look), if color == Color::White { WHITE } else { BLACK })
                }
                None if look.is_colored => (' ', BLACK),
                None => ('.', BLACK),
            };
            let brackets = if is_last && !look.is_colored { ['(', ')'] } else { [' ', ' '] };
            text += &look.paint(&format!("{}{sign}{}", brackets[0], brackets[1]), ink, ground);
        }
        text += &format!(" {}\n", rank + 1);
    }
    text + &format!("  {letters}")
}

/// A piece: the filled figure where colours tell the sides apart, else a
/// letter.
fn piece(color: Color, kind: Kind, look: Look) -> char {
    if look.is_colored && look.is_unicode {
        return match kind {
            Kind::Pawn => '♟',
            Kind::Knight => '♞',
            Kind::Bishop => '♝',
            Kind::Rook => '♜',
            Kind::Queen => '♛',
            Kind::King => '♚',
        };
    }
    let letter = kind.letter();
    if color == Color::White { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}
