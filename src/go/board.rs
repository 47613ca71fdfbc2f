//! The board: what every point holds, and what follows from it.
//!
//! Moves are in `play.rs`, the recomputation of every derived field in
//! `check.rs`.

use super::bits::PointSet;
use super::candidates::Candidates;
use super::chain::Chains;
use super::color::Color;
use super::contact::{ALL, Contacts};
use super::coord::{Coord, Size};
use super::geometry::{Geometry, Point};
use super::zobrist;
use crate::shared::hash::Key;

/// A position with its simple ko, prisoners and last moves: enough to play on
/// from. Longer history (superko, undo) is the business of whoever plays the
/// game.
///
/// Everything is held inline, so a copy is a block copy.
///
/// Methods that take a [`Point`] panic when it is not one of this geometry's,
/// unless they say what they answer off the board.
///
/// Light playouts play on this same type. They skip what only a player needs
/// to know: after one, the key, prisoners and last moves are those from
/// before it.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Board<G: Geometry> {
    pub(super) chains: Chains<G>,
    /// Empty points that light playouts draw from.
    pub(crate) alive: G::Bits,
    /// The other empty points: eyes, by owner, where neither side can play
    /// under the eye rule of the light playouts. Always empty outside them.
    pub(crate) dead: [G::Bits; 2],
    pub(super) contacts: Contacts<G>,
    /// The points of `alive`.
    pub(crate) candidates: Candidates<G>,
    pub(super) ko: Point,
    pub(super) last: [Point; 2],
    pub(super) captured: [u32; 2],
    pub(super) key: Key,
    size: Size,
}

impl<G: Geometry> Board<G> {
    /// An empty board. `size` must fit the geometry.
    #[must_use]
    pub fn new(size: Size) -> Self {
        assert!(size.longer_side() as usize <= G::SIDE, "a board of {size} does not fit");
        let points = || size.coords().map(G::point);
        let alive = points().fold(G::Bits::empty(), G::Bits::with);
        let mut candidates = Candidates::new();
        points().for_each(|point| candidates.push(point));
        Board {
            chains: Chains::new(points()),
            alive,
            dead: [G::Bits::empty(); 2],
            contacts: Contacts::new(|point| alive.contains(point)),
            candidates,
            ko: Point::NONE,
            last: [Point::NONE; 2],
            captured: [0; 2],
            key: 0,
            size,
        }
    }

    /// Takes over the position of `other`: what `clone_from` does, without a
    /// copy on the way.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        self.chains = other.chains;
        self.alive = other.alive;
        self.dead = other.dead;
        self.contacts = other.contacts;
        self.candidates = other.candidates;
        self.ko = other.ko;
        self.last = other.last;
        self.captured = other.captured;
        self.key = other.key;
        self.size = other.size;
    }

    /// Width and height.
    #[must_use]
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The point for `coord`, which must be on the board.
    #[must_use]
    #[inline]
    pub fn point(&self, coord: Coord) -> Point {
        assert!(self.size.contains(coord), "{coord} is on a board of {}", self.size);
        G::point(coord)
    }

    /// The coordinates of a point on the board.
    #[must_use]
    #[inline]
    pub fn coord(&self, point: Point) -> Coord {
        G::coord(point)
    }

    /// All points, row by row from the bottom left.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = Point> + Clone + use<G> {
        self.size.coords().map(G::point)
    }

    /// The points to the left, to the right, below and above; some may be off
    /// the board.
    #[must_use]
    #[inline(always)]
    pub fn neighbors(point: Point) -> [Point; 4] {
        G::neighbors(point)
    }

    /// [`Board::neighbors`] as a set.
    #[must_use]
    #[inline(always)]
    pub fn neighbor_mask(point: Point) -> G::Bits {
        G::neighbor_mask(point)
    }

    /// The points that touch `point` at a corner; some may be off the board.
    #[must_use]
    #[inline(always)]
    pub fn diagonal_mask(point: Point) -> G::Bits {
        G::diagonal_mask(point)
    }

    /// `point`, which must be of this geometry.
    #[inline(always)]
    #[track_caller]
    pub(super) fn own(point: Point) -> Point {
        assert!(point.is_within::<G>(), "a point of another geometry, or far off the board");
        point
    }

    /// What is at `point`: bit 0 a black stone, bit 1 a white one, both off the
    /// board.
    #[inline(always)]
    fn occupant(&self, point: Point) -> u8 {
        if point.is_within::<G>() { self.contacts.occupant(point) } else { 3 }
    }

    /// The stone at `point`; `None` also off the board.
    #[must_use]
    #[inline]
    pub fn color_at(&self, point: Point) -> Option<Color> {
        match self.occupant(point) {
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => None,
        }
    }

    /// Whether `point` is on the board and holds no stone.
    #[must_use]
    #[inline]
    pub fn is_empty(&self, point: Point) -> bool {
        self.occupant(point) == 0
    }

    /// Whether `point` is on the board.
    #[must_use]
    #[inline]
    pub fn on_board(&self, point: Point) -> bool {
        self.occupant(point) != 3
    }

    /// All empty points.
    #[must_use]
    #[inline(always)]
    pub fn empty_points(&self) -> G::Bits {
        self.alive.or(self.dead[0]).or(self.dead[1])
    }

    /// All empty points, in no particular order. Not to be called on a board
    /// on which a light playout was played.
    #[must_use]
    #[inline]
    pub fn empty_list(&self) -> &[Point] {
        debug_assert!(self.alive == self.empty_points());
        self.candidates.as_slice()
    }

    /// All stones of `color`.
    #[must_use]
    pub fn stones(&self, color: Color) -> G::Bits {
        let mine = 1 << color.index();
        self.points()
            .filter(|&point| self.contacts.occupant(point) == mine)
            .fold(G::Bits::empty(), G::Bits::with)
    }

    /// The stone that stands for the chain of the stone at `point`.
    #[must_use]
    #[inline(always)]
    pub fn head(&self, point: Point) -> Point {
        self.chains.head(Self::own(point))
    }

    /// The number of stones of the chain at `point`; 0 if the point is empty.
    #[must_use]
    #[inline]
    pub fn chain_len(&self, point: Point) -> usize {
        self.chains.len(self.head(point))
    }

    /// The stones of the chain at `point`, from that stone on. Of a point
    /// without a stone: the point itself.
    pub fn chain(&self, point: Point) -> impl Iterator<Item = Point> {
        self.chains.stones(Self::own(point))
    }

    /// The liberties of the chain at `point`. Of an empty point: its empty
    /// neighbours.
    #[must_use]
    #[inline(always)]
    pub fn liberties(&self, point: Point) -> G::Bits {
        self.liberties_at(Self::own(point))
    }

    /// The number of [`Board::liberties`].
    #[must_use]
    #[inline]
    pub fn liberty_count(&self, point: Point) -> u32 {
        self.liberties(point).count()
    }

    /// Whether the chain at `point` has exactly one liberty.
    #[must_use]
    #[inline]
    pub fn in_atari(&self, point: Point) -> bool {
        self.liberties(point).only().is_some()
    }

    /// On which sides of `point` stones of `color` are: bits in the order of
    /// [`Board::neighbors`], from the lowest.
    #[must_use]
    #[inline(always)]
    pub fn sides_of(&self, point: Point, color: Color) -> u8 {
        self.contacts.contact(Self::own(point), color).own
    }

    /// On which sides `point` has empty neighbours, as in
    /// [`Board::sides_of`].
    #[must_use]
    #[inline(always)]
    pub fn empty_side_bits(&self, point: Point) -> u8 {
        let code = self.contacts.code(Self::own(point));
        !(code | code >> 4) & ALL
    }

    /// On how many sides `point` has empty neighbours.
    #[must_use]
    #[inline(always)]
    pub fn empty_sides(&self, point: Point) -> u32 {
        self.empty_side_bits(point).count_ones()
    }

    /// Whether `point` is an eye of `color` that light playouts do not fill:
    /// an empty point whose sides are all of `color` or border, and at most
    /// one of whose diagonal points is an enemy stone, none at the edge.
    #[must_use]
    #[inline]
    pub fn is_eye(&self, point: Point, color: Color) -> bool {
        self.is_empty(point)
            && self.contacts.code(point) >> (4 * color.index()) & ALL == ALL
            && self.contacts.eye_flaws(point, color.index()) < 2
    }

    /// The eight points around `point`, two bits each from the lowest: left,
    /// right, below, above, below left, above left, below right, above right.
    /// 0 is empty, 1 black, 2 white, 3 off the board.
    #[must_use]
    #[inline]
    pub fn pattern(&self, point: Point) -> u16 {
        self.contacts.pattern(Self::own(point))
    }

    /// Where the last move took a single stone that may not be retaken at
    /// once.
    #[must_use]
    #[inline]
    pub fn ko_point(&self) -> Option<Point> {
        (self.ko != Point::NONE).then_some(self.ko)
    }

    /// Where the last stone was placed; `None` after a pass, or at the start.
    #[must_use]
    #[inline]
    pub fn last_move(&self) -> Option<Point> {
        (self.last[0] > Point::PASS).then_some(self.last[0])
    }

    /// [`Board::last_move`] for the move before the last.
    #[must_use]
    #[inline]
    pub fn last_move2(&self) -> Option<Point> {
        (self.last[1] > Point::PASS).then_some(self.last[1])
    }

    /// How many of the last two moves were passes, counted back to the first
    /// that was not.
    #[must_use]
    #[inline]
    pub fn passes(&self) -> u32 {
        self.last.iter().take_while(|&&point| point == Point::PASS).count() as u32
    }

    /// How many stones `color` has taken prisoner, counting the opponent's
    /// suicides.
    #[must_use]
    #[inline]
    pub fn captured(&self, color: Color) -> u32 {
        self.captured[color.index()]
    }

    /// The key of the stones alone: equal positions have equal keys, whatever
    /// the geometry.
    #[must_use]
    #[inline]
    pub fn key(&self) -> Key {
        self.key
    }

    /// The key of the ko, 0 if there is none.
    #[must_use]
    #[inline]
    pub fn ko_key(&self) -> Key {
        self.ko_point().map_or(0, |point| zobrist::ko_key(G::coord(point)))
    }

    /// The points that belong to each player under Tromp-Taylor rules: the
    /// stones, and the empty points from which only they are reached.
    #[must_use]
    pub fn area(&self) -> [G::Bits; 2] {
        let [black, white] = Color::BOTH.map(|color| self.reach(self.stones(color)));
        [black.and_not(white), white.and_not(black)]
    }

    /// Tromp-Taylor area: Black's points minus White's, without komi.
    #[must_use]
    pub fn area_score(&self) -> i32 {
        let [black, white] = self.area();
        black.count() as i32 - white.count() as i32
    }

    /// `from`, and the empty points connected to it through empty points.
    #[must_use]
    pub fn reach(&self, from: G::Bits) -> G::Bits {
        Self::flood(from, self.empty_points())
    }

    /// `from`, and the points of `within` connected to it through such points.
    #[must_use]
    pub fn flood(from: G::Bits, within: G::Bits) -> G::Bits {
        let mut reached = from;
        loop {
            let more = reached.or(Self::beside(reached).and(within));
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }

    /// The points beside those of `set`. May hold points of the set itself, and
    /// border points.
    #[must_use]
    #[inline]
    pub fn beside(set: G::Bits) -> G::Bits {
        let sides = set.shifted_up(1).or(set.shifted_down(1));
        sides.or(set.shifted_up(G::STRIDE)).or(set.shifted_down(G::STRIDE))
    }
}

/// For the light playouts, which work on the parts. Points must be of this
/// geometry.
impl<G: Geometry> Board<G> {
    /// The heads of the chains on the four sides of `point`, in the order of
    /// [`Board::neighbors`].
    #[inline(always)]
    pub(crate) fn heads_around(&self, point: Point) -> [Point; 4] {
        self.chains.heads_around(Self::own(point))
    }

    /// [`Board::liberties`].
    #[inline(always)]
    pub(crate) fn liberties_at(&self, point: Point) -> G::Bits {
        self.chains.adjacency(self.chains.head(point)).and(self.empty_points())
    }

    #[inline(always)]
    pub(crate) fn chains(&self) -> &Chains<G> {
        &self.chains
    }

    #[inline(always)]
    pub(crate) fn contacts(&self) -> &Contacts<G> {
        &self.contacts
    }

    #[inline(always)]
    pub(crate) fn lift_ko(&mut self) {
        self.ko = Point::NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::geometry::{G9, G19, G25};

    fn small() -> Board<G9> {
        Board::new(Size::square(9).expect("a size"))
    }

    /// Points of larger boards that a 9x9 board has no room for, and a step
    /// from its corner that goes below 0.
    fn foreign() -> [Point; 4] {
        let corner = Coord { x: 18, y: 18 };
        let middle = Coord { x: 12, y: 12 };
        [G19::point(corner), G25::point(corner), G19::point(middle), G9::neighbors(Point::NONE)[0]]
    }

    #[test]
    fn points_of_larger_boards_are_off_the_board() {
        let board = small();
        for point in foreign() {
            assert_eq!(board.color_at(point), None);
            assert!(!board.is_empty(point) && !board.on_board(point));
            assert!(!board.is_legal(point, Color::Black, true) && !board.is_eye(point, Color::Black));
        }
    }

    #[test]
    fn asking_for_more_of_them_panics_before_memory_is_touched() {
        let questions: [fn(&Board<G9>, Point); 9] = [
            |board, point| _ = board.head(point),
            |board, point| _ = board.chain(point).count(),
            |board, point| _ = board.liberties(point),
            |board, point| _ = board.sides_of(point, Color::Black),
            |board, point| _ = board.empty_sides(point),
            |board, point| _ = board.pattern(point),
            |board, point| _ = board.would_capture(point, Color::Black),
            |board, point| _ = board.liberties_after(point, Color::Black),
            |board, point| _ = board.resulting_key(point, Color::Black),
        ];
        let board = small();
        for (number, ask) in questions.into_iter().enumerate() {
            for point in foreign() {
                let told = std::panic::catch_unwind(|| ask(&board, point)).expect_err("a panic");
                let text = told.downcast_ref::<&str>().copied().unwrap_or_default();
                assert!(text.contains("another geometry"), "question {number}: {text}");
            }
        }
    }

    #[test]
    fn the_edge_is_a_chain_of_nothing() {
        let board = small();
        let edge = G9::neighbors(G9::point(Coord { x: 0, y: 4 }))[0];
        assert_eq!((board.chain(edge).count(), board.liberty_count(edge)), (1, 0));
    }
}
