//! What the network sees of a position: planes of zeros and ones.
//!
//! The same code serves training and play. "Own" is the player to move; points
//! come row by row from the top left, each with its [`PLANES`] values side by
//! side.

use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::geometry::{Geometry, Point, PointMap};
use crate::playout::reading::Reader;

/// Values for each point; the last two are always zero.
pub const PLANES: usize = 32;
/// Moves of the past that are shown.
pub const HISTORY: usize = 5;

/// Where each plane, or the first of a group, lies.
pub(crate) mod plane {
    pub const ON_BOARD: usize = 0;
    /// Own stones in chains of 1, 2, 3, and 4 or more liberties.
    pub const OWN: usize = 1;
    /// The opponent's likewise.
    pub const ENEMY: usize = 5;
    /// Own play leaves its chain 1, 2 or 3 liberties.
    pub const LIBERTIES_AFTER: usize = 9;
    /// Own play takes one stone; two or more.
    pub const CAPTURES: usize = 12;
    /// The last moves, the latest first.
    pub const HISTORY: usize = 14;
    /// Empty, but own play is ko or suicide.
    pub const ILLEGAL: usize = 19;
    /// The first, second and third line.
    pub const LINE: usize = 20;
    /// Own play takes a chain of two liberties in a ladder.
    pub const LADDER: usize = 23;
    /// The liberty of an own chain in atari, which lives by going there, at
    /// least in ladders.
    pub const ESCAPE: usize = 24;
    /// Likewise, but it is lost all the same.
    pub const LOST_ESCAPE: usize = 25;
    /// Everywhere, if Black is to move.
    pub const BLACK: usize = 26;
    /// The opponent's play leaves its chain in atari.
    pub const ENEMY_SELF_ATARI: usize = 27;
    /// An eye of one point, own; the opponent's.
    pub const EYE: usize = 28;
}

/// All points in the order of the planes: row by row from the top left.
pub fn reading_order(size: Size) -> impl Iterator<Item = Coord> {
    (0..size.height()).rev().flat_map(move |y| (0..size.width()).map(move |x| Coord { x, y }))
}

/// The place of `coord` in [`reading_order`].
#[must_use]
pub const fn place(size: Size, coord: Coord) -> usize {
    (size.height() - 1 - coord.y) as usize * size.width() as usize + coord.x as usize
}

/// [`extract_with`] with a reader of its own, made for this call.
pub fn extract<G: Geometry>(board: &Board<G>, to_move: Color, last: &[Option<Point>], out: &mut [u8]) {
    extract_with(board, to_move, last, &mut Reader::new(), out);
}

/// Fills `out`, which must have [`PLANES`] bytes for each point of the board,
/// with the planes of the position. `last` are the moves that led to it, the
/// latest first, `None` for a pass; [`HISTORY`] of them are used.
///
/// The board must not come from a light playout.
pub fn extract_with<G: Geometry>(
    board: &Board<G>,
    to_move: Color,
    last: &[Option<Point>],
    reader: &mut Reader<G>,
    out: &mut [u8],
) {
    let size = board.size();
    assert_eq!(out.len(), size.points() * PLANES, "room for the planes of {size}");
    out.fill(0);
    let (cells, _) = out.as_chunks_mut::<PLANES>();
    let chains = Liberties::of(board);
    let black = u8::from(to_move == Color::Black);
    for (cell, coord) in cells.iter_mut().zip(reading_order(size)) {
        cell[plane::ON_BOARD] = 1;
        cell[plane::BLACK] = black;
        let line = line_of(size, coord);
        if line < 3 {
            cell[plane::LINE + line] = 1;
        }
        let point = G::point(coord);
        match board.color_at(point) {
            Some(color) => {
                let group = if color == to_move { plane::OWN } else { plane::ENEMY };
                cell[group + chains.class[board.head(point)] as usize] = 1;
            }
            None => empty_point(board, to_move, point, &chains, cell),
        }
    }
    let at = |point: Point| place(size, G::coord(point));
    for (age, point) in last.iter().take(HISTORY).enumerate() {
        if let Some(point) = *point {
            cells[at(point)][plane::HISTORY + age] = 1;
        }
    }
    for (point, plane) in ladders(board, to_move, &chains, reader) {
        cells[at(point)][plane] = 1;
    }
}

/// The line of a point, 0 at the edge.
fn line_of(size: Size, coord: Coord) -> usize {
    let inwards = |at: u8, side: u8| at.min(side - 1 - at);
    inwards(coord.x, size.width()).min(inwards(coord.y, size.height())) as usize
}

/// What is known of the chains' liberties, gathered in one pass.
struct Liberties<G: Geometry> {
    /// By the head of a chain: 0 to 3 for 1, 2, 3, and 4 or more liberties.
    class: PointMap<G, u8>,
    /// The heads of chains with one liberty or two, and their number.
    short: ([Point; SHORT], usize),
    /// By owner: the liberties of chains that have no other.
    last: [G::Bits; 2],
}

/// More chains than can be short of liberties on 25x25, as each has a liberty
/// next to it and a point touches four chains at most.
const SHORT: usize = 512;

impl<G: Geometry> Liberties<G> {
    fn of(board: &Board<G>) -> Self {
        let mut found = Liberties {
            class: PointMap::new(0),
            short: ([Point::NONE; SHORT], 0),
            last: [G::Bits::empty(); 2],
        };
        for head in board.points() {
            let Some(color) = board.color_at(head) else { continue };
            if board.head(head) != head {
                continue;
            }
            let liberties = board.liberties(head);
            let count = liberties.count();
            found.class[head] = count.clamp(1, 4) as u8 - 1;
            if count == 1 {
                let last: &mut G::Bits = &mut found.last[color.index()];
                *last = last.or(liberties);
            }
            if count <= 2 {
                let (heads, next) = &mut found.short;
                heads[*next] = head;
                *next += 1;
            }
        }
        found
    }

    /// The heads of chains with one liberty or two.
    fn short(&self) -> &[Point] {
        &self.short.0[..self.short.1]
    }

    /// How many liberties a stone of `color` on the empty `point` has, and
    /// whether it may be played there.
    fn after(&self, board: &Board<G>, point: Point, color: Color) -> (u32, bool) {
        let open = board.empty_sides(point);
        let takes = self.last[color.opponent().index()].contains(point);
        if board.sides_of(point, color) == 0 && !takes {
            return (open, open > 0);
        }
        let legal = open > 0 || board.is_legal(point, color, false);
        (board.liberties_after(point, color).count(), legal)
    }
}

fn empty_point<G: Geometry>(
    board: &Board<G>,
    own: Color,
    point: Point,
    chains: &Liberties<G>,
    cell: &mut [u8; PLANES],
) {
    if board.empty_sides(point) == 4 {
        return;
    }
    let enemy = own.opponent();
    let (liberties, legal) = chains.after(board, point, own);
    if !legal {
        cell[plane::ILLEGAL] = 1;
    } else {
        if (1..=3).contains(&liberties) {
            cell[plane::LIBERTIES_AFTER + liberties as usize - 1] = 1;
        }
        if chains.last[enemy.index()].contains(point) {
            let several = board.captures(point, own).count() > 1;
            cell[plane::CAPTURES + usize::from(several)] = 1;
        }
    }
    let (liberties, legal) = chains.after(board, point, enemy);
    cell[plane::ENEMY_SELF_ATARI] = u8::from(legal && liberties == 1);
    for (plane, color) in [(plane::EYE, own), (plane::EYE + 1, enemy)] {
        cell[plane] = u8::from(board.is_eye(point, color));
    }
}

/// Where own play takes a chain in a ladder, or lets one run, each with its
/// plane.
fn ladders<G: Geometry>(
    board: &Board<G>,
    own: Color,
    chains: &Liberties<G>,
    reader: &mut Reader<G>,
) -> impl Iterator<Item = (Point, usize)> {
    chains.short().iter().flat_map(move |&head| {
        let is_own = board.color_at(head) == Some(own);
        let in_atari = board.in_atari(head);
        let mut found = [None; 2];
        for (slot, point) in found.iter_mut().zip(board.liberties(head).iter()) {
            *slot = match (is_own, in_atari) {
                (true, true) if board.is_legal(point, own, false) => {
                    let lost = reader.fails(board, head, point);
                    Some((point, if lost { plane::LOST_ESCAPE } else { plane::ESCAPE }))
                }
                (false, false) => reader.works(board, head, point).then_some((point, plane::LADDER)),
                _ => None,
            };
        }
        found.into_iter().flatten()
    })
}
