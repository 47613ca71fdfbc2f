//! Board sizes, and points as people name them: independent of how any board
//! stores them.

use std::fmt;
use std::str::FromStr;

/// The longest side of a board: the letters A to Z without I.
pub const MAX_SIDE: u8 = 25;
/// The shortest side of a board.
pub const MIN_SIDE: u8 = 2;

const LETTERS: &[u8; MAX_SIDE as usize] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Width and height of a board, each from [`MIN_SIDE`] to [`MAX_SIDE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// A board of `width` by `height`, if there can be one.
    #[must_use]
    pub const fn new(width: u8, height: u8) -> Option<Self> {
        if width >= MIN_SIDE && width <= MAX_SIDE && height >= MIN_SIDE && height <= MAX_SIDE {
            Some(Size { width, height })
        } else {
            None
        }
    }

    /// A square board.
    #[must_use]
    pub const fn square(side: u8) -> Option<Self> {
        Self::new(side, side)
    }

    /// Columns.
    #[must_use]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Number of points.
    #[must_use]
    pub const fn points(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The longer side.
    #[must_use]
    pub const fn longer_side(self) -> u8 {
        if self.width > self.height { self.width } else { self.height }
    }

    /// Whether width and height are equal.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// Whether `coord` lies on the board.
    #[must_use]
    pub const fn contains(self, coord: Coord) -> bool {
        coord.x < self.width && coord.y < self.height
    }

    /// All points, row by row from the bottom left.
    pub fn coords(self) -> impl DoubleEndedIterator<Item = Coord> + Clone {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Coord { x, y }))
    }

    /// The place of `coord` in [`Size::coords`].
    #[must_use]
    pub const fn index(self, coord: Coord) -> usize {
        coord.y as usize * self.width as usize + coord.x as usize
    }

    /// The points next to `coord` along the lines.
    pub fn neighbors(self, coord: Coord) -> impl Iterator<Item = Coord> + Clone {
        let Coord { x, y } = coord;
        [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)]
            .into_iter()
            .map(|(x, y)| Coord { x, y })
            .filter(move |&near| self.contains(near))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A point by column `x` from the left and row `y` from the bottom, both from
/// 0: A1 is (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Coord {
    /// Column, from the left.
    pub x: u8,
    /// Row, from the bottom.
    pub y: u8,
}

/// What a player does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// Places a stone.
    Play(Coord),
    /// Passes.
    Pass,
}

impl Move {
    /// The point, unless it is a pass.
    #[must_use]
    pub const fn coord(self) -> Option<Coord> {
        match self {
            Move::Play(coord) => Some(coord),
            Move::Pass => None,
        }
    }
}

/// The text names no point or move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid vertex")]
pub struct InvalidVertex;

impl fmt::Display for Coord {
    /// As GTP writes it: `D4`, without a letter I.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(LETTERS[self.x as usize]), u16::from(self.y) + 1)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Play(coord) => coord.fmt(f),
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Coord {
    type Err = InvalidVertex;

    /// Reads `D4` in either case. The point may lie outside a given board.
    fn from_str(text: &str) -> Result<Self, InvalidVertex> {
        let letter = *text.as_bytes().first().ok_or(InvalidVertex)?;
        let x = LETTERS.iter().position(|&l| l == letter.to_ascii_uppercase()).ok_or(InvalidVertex)?;
        let digits = &text[1..];
        if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(InvalidVertex);
        }
        match digits.parse::<u8>() {
            Ok(row @ 1..=MAX_SIDE) => Ok(Coord { x: x as u8, y: row - 1 }),
            _ => Err(InvalidVertex),
        }
    }
}

impl FromStr for Move {
    type Err = InvalidVertex;

    /// Reads `D4` or `pass`, in either case.
    fn from_str(text: &str) -> Result<Self, InvalidVertex> {
        if text.eq_ignore_ascii_case("pass") { Ok(Move::Pass) } else { text.parse().map(Move::Play) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_skip_the_letter_i() {
        // Report 11: the letter I was counted.
        assert!("i5".parse::<Coord>().is_err());
        assert_eq!("j5".parse::<Coord>(), Ok(Coord { x: 8, y: 4 }));
        assert_eq!(Coord { x: 8, y: 4 }.to_string(), "J5");
        assert_eq!(Coord { x: 24, y: 24 }.to_string(), "Z25");
    }

    #[test]
    fn names_round_trip() {
        let size = Size::square(MAX_SIDE).unwrap();
        for coord in size.coords() {
            assert_eq!(coord.to_string().to_lowercase().parse(), Ok(Move::Play(coord)));
        }
    }

    #[test]
    fn odd_text_is_refused() {
        for text in
            ["", "d", "4", "d0", "d26", "d-1", "d+4", "dd4", "d4x", "d 4", "é4", "d999999999999", "resign"]
        {
            assert_eq!(text.parse::<Move>(), Err(InvalidVertex), "{text}");
        }
    }

    #[test]
    fn neighbors_stay_on_the_board() {
        let size = Size::new(3, 2).unwrap();
        let near = |x, y| size.neighbors(Coord { x, y }).count();
        assert_eq!([near(0, 0), near(1, 0), near(2, 1)], [2, 3, 2]);
    }
}
