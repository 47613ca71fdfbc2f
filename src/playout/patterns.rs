//! 3x3 patterns that make a good reply to the opponent's last move (the idea:
//! Gelly, Wang, Munos and Teytaud 2006, "Modification of UCT with Patterns in
//! Monte-Carlo Go"). Which ones do was counted in records of strong players'
//! games, by `training/patterns.py`.

use std::sync::LazyLock;

use crate::go::color::Color;

/// A line for each pattern: the eight points around as the player to move sees
/// them, in the order of `Board::pattern` (0 empty, 1 own, 2 the opponent's, 3
/// off the board), how often it was played, how often it was seen. Each stands
/// for its rotations and mirror images.
const FITTED: &str = include_str!("patterns.txt");

/// Which codes of `Board::pattern` match, a bit each.
type Codes = [u64; 1024];

/// For Black and for White.
static MATCHES: LazyLock<Box<[Codes; 2]>> = LazyLock::new(build);

/// Whether the surroundings `code` of an empty point make a pattern for
/// `color`.
#[inline]
pub fn matches(code: u16, color: Color) -> bool {
    MATCHES[color.index()][usize::from(code >> 6)] >> (code & 63) & 1 != 0
}

/// Columns and rows of a code's fields, seen from the middle.
const PLACES: [(i8, i8); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];

fn build() -> Box<[Codes; 2]> {
    let mut codes = Box::new([[0; 1024]; 2]);
    for line in FITTED.lines() {
        let mut fields = [0u16; 8];
        for (field, digit) in fields.iter_mut().zip(line.bytes()) {
            *field = u16::from(digit - b'0');
        }
        for color in Color::BOTH {
            for symmetry in 0..8 {
                let code = code(&fields, color, symmetry);
                codes[color.index()][usize::from(code >> 6)] |= 1 << (code & 63);
            }
        }
    }
    codes
}

/// The code of a pattern for `color`, turned by one of eight symmetries.
fn code(fields: &[u16; 8], color: Color, symmetry: u8) -> u16 {
    PLACES.iter().enumerate().fold(0, |code, (at, &place)| {
        let from = PLACES.iter().position(|&other| other == turn(place, symmetry)).unwrap_or(at);
        code | absolute(fields[from], color) << (2 * at)
    })
}

/// A place turned and mirrored by the three bits of `symmetry`.
fn turn((x, y): (i8, i8), symmetry: u8) -> (i8, i8) {
    let x = if symmetry & 1 == 0 { x } else { -x };
    let y = if symmetry & 2 == 0 { y } else { -y };
    if symmetry & 4 == 0 { (x, y) } else { (y, x) }
}

/// A field as the board has it, from one as `color` sees it.
fn absolute(field: u16, color: Color) -> u16 {
    match (field, color) {
        (1 | 2, Color::White) => 3 - field,
        _ => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::board::Board;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G9;

    fn matches_at(stones: &[(u8, u8, Color)], at: (u8, u8), color: Color) -> bool {
        let mut board = Board::<G9>::new(Size::square(9).unwrap());
        for &(x, y, color) in stones {
            assert!(board.place(board.point(Coord { x, y }), color));
        }
        matches(board.pattern(board.point(Coord { x: at.0, y: at.1 })), color)
    }

    #[test]
    fn every_line_is_a_pattern() {
        assert!(FITTED.lines().count() > 100);
        for line in FITTED.lines() {
            let digits = line.split(' ').next().unwrap();
            assert!(
                digits.len() == 8 && digits.bytes().all(|digit| (b'0'..=b'3').contains(&digit)),
                "{line}"
            );
        }
    }

    #[test]
    fn answers_to_contact_are_found_from_all_sides_and_for_both() {
        use Color::{Black, White};
        // Joining two stones between two that would cut them.
        let cut = [(3, 4, Black), (5, 4, Black), (5, 5, Black), (4, 3, White), (4, 5, White)];
        assert!(matches_at(&cut, (4, 4), Black));
        let turned = cut.map(|(x, y, color)| (y, x, color));
        assert!(matches_at(&turned, (4, 4), Black));
        let swapped = cut.map(|(x, y, color)| (x, y, color.opponent()));
        assert!(matches_at(&swapped, (4, 4), White));
        assert!(!matches_at(&[], (4, 4), Black));
        assert!(!matches_at(&[(5, 5, White)], (4, 4), Black), "a lone stone nearby is none");
    }
}
