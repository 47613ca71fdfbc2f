//! A Go board in the terminal.

use super::look::Look;
use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::game::Game;
use crate::uct::status::Status;

/// Colours of the board, its lines and stones, of the 256.
const WOOD: u8 = 179;
const LINE: u8 = 94;
const BLACK: u8 = 16;
const WHITE: u8 = 231;
/// Behind the last move.
const LAST: u8 = 167;

/// The board of `game`; with `status`, also whose the points are, and dead
/// stones as crosses (small letters without colours).
pub(super) fn draw(game: &Game, status: Option<&Status>, look: Look) -> String {
    let size = game.size();
    let last = game.last_move().and_then(|(_, mv)| mv.coord());
    let letters: String = (0..size.width()).map(|x| format!(" {}", letter(x))).collect();
    let mut text = format!("   {letters}\n");
    for y in (0..size.height()).rev() {
        let mut row = String::new();
        for x in 0..size.width() {
            let coord = Coord { x, y };
            let point = Point { game, status, coord, is_last: last == Some(coord) };
            row += &if look.is_colored { point.colored(look) } else { point.plain(last) };
        }
        let close =
            if !look.is_colored && last == Some(Coord { x: size.width() - 1, y }) { ")" } else { " " };
        text += &format!("{:>3}{row}{close}{}\n", y + 1, y + 1);
    }
    text + &format!("   {letters}")
}

/// The letter of a column.
fn letter(x: u8) -> char {
    Coord { x, y: 0 }.to_string().chars().next().unwrap_or(' ')
}

struct Point<'a> {
    game: &'a Game,
    status: Option<&'a Status>,
    coord: Coord,
    is_last: bool,
}

impl Point<'_> {
    fn is_dead(&self) -> bool {
        self.status.is_some_and(|status| status.is_dead(self.coord))
    }

    fn owner(&self) -> Option<Color> {
        self.status.and_then(|status| status.owner(self.coord))
    }

    /// A separator and a character; brackets stand around the last move.
    fn plain(&self, last: Option<Coord>) -> String {
        let is_after_last = self.coord.x > 0 && last == Some(Coord { x: self.coord.x - 1, y: self.coord.y });
        let separator = match (self.is_last, is_after_last) {
            (true, _) => '(',
            (_, true) => ')',
            _ => ' ',
        };
        let sign = match (self.game.color_at(self.coord), self.owner()) {
            (Some(Color::Black), _) => {
                if self.is_dead() {
                    'x'
                } else {
                    'X'
                }
            }
            (Some(Color::White), _) => {
                if self.is_dead() {
                    'o'
                } else {
                    'O'
                }
            }
            (None, Some(Color::Black)) => 'b',
            (None, Some(Color::White)) => 'w',
            (None, None) if is_star(self.game.size(), self.coord) => '+',
            (None, None) => '.',
        };
        format!("{separator}{sign}")
    }

    /// A piece of the line to the left and the point itself, on wood.
    fn colored(&self, look: Look) -> String {
        let ink = |color: Color| if color == Color::Black { BLACK } else { WHITE };
        let sign = |fancy, simple| if look.is_unicode { fancy } else { simple };
        let (text, ink) = match (self.game.color_at(self.coord), self.owner()) {
            (Some(color), _) if self.is_dead() => ("x", ink(color)),
            (Some(color), _) => (sign("●", "@"), ink(color)),
            (None, Some(owner)) => (sign("▪", "*"), ink(owner)),
            (None, None) => (self.crossing(look), LINE),
        };
        let left = if self.coord.x == 0 { " " } else { sign("─", "-") };
        let ground = if self.is_last { LAST } else { WOOD };
        look.paint(left, LINE, WOOD) + &look.paint(text, ink, ground)
    }

    /// Where the lines cross, or meet at the edge.
    fn crossing(&self, look: Look) -> &'static str {
        let size = self.game.size();
        if !look.is_unicode {
            return "+";
        }
        if is_star(size, self.coord) {
            return "╋";
        }
        let Coord { x, y } = self.coord;
        let column = usize::from(x > 0) + usize::from(x == size.width() - 1);
        let row = usize::from(y < size.height() - 1) + usize::from(y == 0);
        [["┌", "┬", "┐"], ["├", "┼", "┤"], ["└", "┴", "┘"]][row][column]
    }
}

/// Whether a point is a star point of a wooden board.
fn is_star(size: Size, coord: Coord) -> bool {
    crate::app::board_svg::stars(size).contains(&coord)
}
