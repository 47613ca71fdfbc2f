//! 3x3 patterns that make a good local reply: hane, cuts and moves at the
//! edge (Gelly, Wang, Munos and Teytaud 2006, "Modification of UCT with
//! Patterns in Monte-Carlo Go").

use std::sync::LazyLock;

use crate::go::color::Color;

/// The patterns as seen by the player marked `X`: three rows of three; `X`
/// own, `O` enemy, `.` empty, `#` off the board, `x` not own, `o` not enemy,
/// `?` anything on the board or off it. A pattern holds for both players.
const PATTERNS: [&str; 13] = [
    // Hane: enclosing, loose, hard; and the shoulder.
    "XOX...???",
    "XO....?.?",
    "XO?X..x.?",
    ".O.X.....",
    // Cuts: the crosscut, one that is peeped at, through the middle, and of a
    // knight's move.
    "XO?O.o?o?",
    "XO?O.X???",
    "?X?O.Oooo",
    "OX?o.O???",
    // At the edge.
    "X.?O.?###",
    "OX?X.O###",
    "?X?x.O###",
    "?XOx.x###",
    "?OXX.O###",
];

/// Which codes of `Board::pattern` match.
type Codes = [u64; 1024];

static MATCHES: LazyLock<Box<Codes>> = LazyLock::new(build);

/// Whether the surroundings `code` of an empty point make a pattern.
#[inline]
pub fn matches(code: u16) -> bool {
    MATCHES[usize::from(code >> 6)] >> (code & 63) & 1 != 0
}

/// The places of a code's fields in the three rows of a pattern: left, right,
/// below, above, below left, above left, below right, above right.
const PLACES: [usize; 8] = [3, 5, 7, 1, 6, 0, 8, 2];

fn build() -> Box<Codes> {
    let mut codes = Box::new([0; 1024]);
    for pattern in PATTERNS {
        let mut grid: [u8; 9] = std::array::from_fn(|place| pattern.as_bytes()[place]);
        for _ in 0..2 {
            for _ in 0..4 {
                for color in Color::BOTH {
                    add(&grid, color, &mut codes);
                }
                grid = rotate(&grid);
            }
            grid = mirror(&grid);
        }
    }
    codes
}

fn rotate(grid: &[u8; 9]) -> [u8; 9] {
    std::array::from_fn(|place| grid[(2 - place % 3) * 3 + place / 3])
}

fn mirror(grid: &[u8; 9]) -> [u8; 9] {
    std::array::from_fn(|place| grid[place / 3 * 3 + 2 - place % 3])
}

/// The fields that a letter of a pattern allows, when `color` is `X`.
fn allowed(letter: u8, color: Color) -> &'static [u16] {
    const EMPTY: u16 = 0;
    let black = color == Color::Black;
    match (letter, black) {
        (b'.', _) => &[EMPTY],
        (b'#', _) => &[3],
        (b'X', true) | (b'O', false) => &[1],
        (b'O', true) | (b'X', false) => &[2],
        (b'x', true) | (b'o', false) => &[EMPTY, 2],
        (b'o', true) | (b'x', false) => &[EMPTY, 1],
        _ => &[EMPTY, 1, 2, 3],
    }
}

/// Adds every code that fits `grid` when `color` is its `X`.
fn add(grid: &[u8; 9], color: Color, codes: &mut Codes) {
    let mut fitting = vec![0u16];
    for (field, &place) in PLACES.iter().enumerate() {
        fitting = allowed(grid[place], color)
            .iter()
            .flat_map(|value| fitting.iter().map(move |code| code | value << (2 * field)))
            .collect();
    }
    for code in fitting {
        codes[usize::from(code >> 6)] |= 1 << (code & 63);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::board::Board;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G9;

    fn matches_at(stones: &[(u8, u8, Color)], at: (u8, u8)) -> bool {
        let mut board = Board::<G9>::new(Size::square(9).unwrap());
        for &(x, y, color) in stones {
            assert!(board.place(board.point(Coord { x, y }), color));
        }
        matches(board.pattern(board.point(Coord { x: at.0, y: at.1 })))
    }

    #[test]
    fn hane_cut_and_edge_are_found() {
        use Color::{Black, White};
        assert!(!matches_at(&[], (4, 4)));
        // A hane at the head of a stone, from any side.
        let hane = [(3, 5, Black), (4, 5, White), (5, 5, Black)];
        assert!(matches_at(&hane, (4, 4)));
        let turned = [(5, 3, Black), (5, 4, White), (5, 5, Black)];
        assert!(matches_at(&turned, (4, 4)));
        // A crosscut.
        let cut = [(3, 5, Black), (4, 5, White), (3, 4, White)];
        assert!(matches_at(&cut, (4, 4)));
        // A lone stone nearby is none.
        assert!(!matches_at(&[(5, 5, White)], (4, 4)));
    }
}
