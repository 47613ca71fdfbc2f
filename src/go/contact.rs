//! Contact codes: for every point, a byte that tells what lies on its four
//! sides.
//!
//! The low nibble says on which sides black stones are, the high nibble the
//! same for white; a side that is border is set in both. The sides are left,
//! right, below, above, from the low bit. A stone that comes or goes flips one
//! bit of each neighbour, and a point's own colour stands in its neighbours'
//! codes.

use super::color::Color;
use super::geometry::{Geometry, Point, PointMap};

/// All four sides.
pub(crate) const ALL: u8 = 15;

/// The codes of a board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contacts<G: Geometry>(PointMap<G, u8>);

/// What a code means to the player to move.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct Contact {
    /// Sides with own stones.
    pub own: u8,
    /// Sides with enemy stones.
    pub enemy: u8,
    /// [`Contact::own`], but none if every side is own or border: then the
    /// point may be an eye.
    pub joins: u8,
    /// All bits if some side is empty, else none.
    pub open: u8,
    /// The distance to a neighbouring own stone, 0 if there is none.
    pub first_own: i16,
}

impl<G: Geometry> Contacts<G> {
    const MEANING: &'static [[Contact; 256]; 2] =
        &[meanings(0, G::STRIDE as i16), meanings(1, G::STRIDE as i16)];

    /// The codes of an empty board whose points are those for which
    /// `on_board` holds.
    pub fn new(on_board: impl Fn(Point) -> bool) -> Self {
        let mut codes = PointMap::new(0xff);
        for point in (G::STRIDE..G::AREA - G::STRIDE).map(Point::from_index) {
            codes[point] = (0..4).fold(0, |code, side| {
                code | if on_board(G::neighbors(point)[side]) { 0 } else { 0x11 << side }
            });
        }
        Contacts(codes)
    }

    /// The code of `point`.
    #[inline(always)]
    pub fn code(&self, point: Point) -> u8 {
        self.0[point]
    }

    /// What `code` means to player `C`.
    #[inline(always)]
    pub fn meaning<const C: usize>(code: u8) -> Contact {
        Self::MEANING[C][code as usize]
    }

    /// What the code of `point` means to `color`.
    #[inline(always)]
    pub fn contact(&self, point: Point, color: Color) -> Contact {
        Self::MEANING[color.index()][self.0[point] as usize]
    }

    /// A stone of player `C` comes to, or goes from, `point`.
    #[inline(always)]
    pub fn flip<const C: usize>(&mut self, point: Point) {
        for (side, distance) in G::DISTANCES.into_iter().enumerate() {
            // Seen from the neighbour, the point is on the opposite side.
            *self.0.near_mut(point, distance) ^= 1 << (4 * C) << (side ^ 1);
        }
    }

    /// What is at `point`: bit 0 a black stone, bit 1 a white one, both for
    /// border.
    #[inline(always)]
    pub fn occupant(&self, point: Point) -> u8 {
        let code = self.0.near(point, -1) >> 1;
        (code & 1) | (code >> 3 & 2)
    }

    /// Which diagonal points hold black stones and which white ones, border
    /// counting as both: below left, above left, below right, above right.
    #[inline(always)]
    fn corners(&self, point: Point) -> (u8, u8) {
        let left = self.0.near(point, -1) >> 2;
        let right = self.0.near(point, 1) >> 2;
        let black = left & 3 | (right & 3) << 2;
        let white = left >> 4 & 3 | (right >> 4 & 3) << 2;
        (black, white)
    }

    /// The number of diagonal points of `point` that count against an eye of
    /// `color` there: enemy stones, and one more for any border.
    #[inline(always)]
    pub fn eye_flaws(&self, point: Point, color: usize) -> u32 {
        let (black, white) = self.corners(point);
        let enemies = u32::from(white & !black) | u32::from(black & !white) << 4;
        let code = self.0[point];
        (enemies >> (4 * color) & 15).count_ones() + u32::from(code & code >> 4 != 0)
    }

    /// The eight points around `point`, two bits each as in
    /// [`Contacts::occupant`]: the four sides, then below left, above left,
    /// below right, above right.
    #[inline(always)]
    pub fn pattern(&self, point: Point) -> u16 {
        let code = self.0[point];
        let (black, white) = self.corners(point);
        let spread = |black: u8, white: u8| interleave(black) | interleave(white) << 1;
        spread(code & 15, code >> 4) | spread(black, white) << 8
    }

    /// The area, Black's minus White's, of a board where every empty point is
    /// an eye or belongs to nobody: stones, and empty points with neighbours
    /// of one colour only.
    pub fn score(&self) -> i32 {
        let codes = self.0.as_slice();
        let values = codes.iter().zip(&codes[1..]).map(|(&left, &code)| value(left, code));
        values.map(i32::from).sum()
    }
}

/// What a point counts for Black: 1, 0 or -1, from the code of its left
/// neighbour and its own. Without branches, for vector instructions.
#[inline(always)]
const fn value(left: u8, code: u8) -> i8 {
    let (black, white) = (left >> 1 & 1, left >> 5 & 1);
    let (on_board, empty) = (!(black & white), !(black | white));
    let near_black = (code & 15 & !(code >> 4) != 0) as u8;
    let near_white = (code >> 4 & !code != 0) as u8;
    let for_black = (black | (empty & near_black)) & on_board;
    let for_white = (white | (empty & near_white)) & on_board;
    for_black as i8 - for_white as i8
}

/// Puts a zero bit above each of the four bits.
#[inline(always)]
const fn interleave(nibble: u8) -> u16 {
    let wide = nibble as u16;
    let wide = (wide | wide << 2) & 0x33;
    (wide | wide << 1) & 0x55
}

const fn meanings(color: u32, stride: i16) -> [Contact; 256] {
    let mut table = [Contact { own: 0, enemy: 0, joins: 0, open: 0, first_own: 0 }; 256];
    let distances = [-1, 1, -stride, stride];
    let mut code = 0;
    while code < 256 {
        let seen = (code as u8).rotate_right(4 * color);
        let (low, high) = (seen & 15, seen >> 4);
        let own = low & !high;
        table[code].own = own;
        table[code].enemy = high & !low;
        table[code].joins = if low == ALL { 0 } else { own };
        table[code].open = if low | high == ALL { 0 } else { 255 };
        if own != 0 {
            table[code].first_own = distances[own.trailing_zeros() as usize];
        }
        code += 1;
    }
    table
}
