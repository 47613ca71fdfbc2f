//! Unconditional life: what the opponent cannot take or settle in, however
//! many moves in a row he makes.
//!
//! Chains: D. B. Benson, "Life in the game of Go", Information Sciences 10
//! (1976). A chain lives if at least two of the regions around it are vital to
//! it, where a region is a connected part of the points without stones of the
//! colour, vital to a chain if each of its empty points is a liberty of the
//! chain, and only regions count that living chains alone surround.
//!
//! Territory: what living chains surround, if the opponent cannot live there,
//! in seki either, though he makes any number of moves before he is answered.
//! Own stones there may be taken, but the points stay.

use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::geometry::{Geometry, Point};
use super::siege;

/// What is decided on a board whatever is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unconditional<G: Geometry> {
    alive: [G::Bits; 2],
    territory: [G::Bits; 2],
}

impl<G: Geometry> Unconditional<G> {
    /// What is decided on `board`.
    #[must_use]
    pub fn of(board: &Board<G>) -> Self {
        let alive = Color::BOTH.map(|color| living_chains(board, color));
        let territory = Color::BOTH.map(|color| territory(board, color, alive[color.index()]));
        Unconditional { alive, territory }
    }

    /// Stones of `color` that cannot be taken.
    #[must_use]
    pub fn alive(&self, color: Color) -> G::Bits {
        self.alive[color.index()]
    }

    /// Points between the living chains of `color` where its opponent cannot
    /// live. Stones of the opponent there are dead; stones of `color` are
    /// among the points too.
    #[must_use]
    pub fn territory(&self, color: Color) -> G::Bits {
        self.territory[color.index()]
    }

    /// Empty points where a move of `color` gains nothing for sure: in territory
    /// of its own without a stone of the opponent's to take, and in territory of
    /// the opponent's without one to take either.
    #[must_use]
    pub fn idle(&self, board: &Board<G>, color: Color) -> G::Bits {
        let is_quiet = |part: &G::Bits, owner: Color| {
            let unsafe_stones = board.stones(owner).and_not(self.alive(owner));
            let prey = if owner == color { board.stones(owner.opponent()) } else { G::Bits::empty() };
            !part.intersects(unsafe_stones.or(prey))
        };
        let quiet = |owner: Color| {
            let parts = parts::<G>(self.territory(owner)).into_iter();
            parts.filter(|part| is_quiet(part, owner)).fold(G::Bits::empty(), G::Bits::or)
        };
        quiet(Color::Black).or(quiet(Color::White)).and(board.empty_points())
    }

    /// The player whose stone or territory a point is.
    #[must_use]
    pub fn owner(&self, point: Point) -> Option<Color> {
        let owns = |color: &Color| self.alive(*color).or(self.territory(*color)).contains(point);
        Color::BOTH.into_iter().find(owns)
    }
}

/// A connected part of the points that hold no stone of a colour.
struct Region<B> {
    points: B,
    empty: B,
}

impl<B: PointSet> Region<B> {
    /// Whether a chain with these liberties always has one here.
    fn is_vital_to(&self, liberties: B) -> bool {
        !self.empty.is_empty() && self.empty.and_not(liberties).is_empty()
    }
}

/// Every point of a board.
pub(super) fn all_points<G: Geometry>(board: &Board<G>) -> G::Bits {
    board.empty_points().or(board.stones(Color::Black)).or(board.stones(Color::White))
}

/// The connected parts of a set.
pub(super) fn parts<G: Geometry>(mut set: G::Bits) -> Vec<G::Bits> {
    let mut parts = Vec::new();
    while let Some(point) = set.first() {
        let part = Board::<G>::flood(G::single(point), set);
        set = set.and_not(part);
        parts.push(part);
    }
    parts
}

/// The stones of the chains of `color` that live.
fn living_chains<G: Geometry>(board: &Board<G>, color: Color) -> G::Bits {
    let stones = board.stones(color);
    let empty = board.empty_points();
    let region = |points: G::Bits| Region { points, empty: points.and(empty) };
    let mut regions: Vec<_> = parts::<G>(all_points(board).and_not(stones)).into_iter().map(region).collect();
    let mut chains: Vec<Point> = stones.iter().filter(|&stone| board.head(stone) == stone).collect();
    loop {
        let lives = |&head: &Point| {
            let liberties = board.liberties(head);
            regions.iter().filter(|region| region.is_vital_to(liberties)).nth(1).is_some()
        };
        let (living, dropped): (Vec<_>, Vec<_>) = chains.iter().copied().partition(lives);
        if dropped.is_empty() {
            break;
        }
        let touches = |&head: &Point, points: G::Bits| board.chains().adjacency(head).intersects(points);
        regions.retain(|region| !dropped.iter().any(|head| touches(head, region.points)));
        chains = living;
    }
    chains.iter().flat_map(|&head| board.chain(head)).fold(G::Bits::empty(), G::Bits::with)
}

/// The points that belong to the living chains `alive` of `color`.
fn territory<G: Geometry>(board: &Board<G>, color: Color, alive: G::Bits) -> G::Bits {
    if alive.is_empty() {
        return G::Bits::empty();
    }
    let rest = parts::<G>(all_points(board).and_not(alive)).into_iter();
    let owned = rest.map(|part| siege::lost_points(board, color.opponent(), part, alive));
    owned.fold(G::Bits::empty(), G::Bits::or)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G9;
    use crate::go::naive::NaiveBoard;
    use proptest::prelude::*;
    use std::collections::HashSet;

    type Bits = <G9 as Geometry>::Bits;

    fn at(x: u8, y: u8) -> Coord {
        Coord { x, y }
    }

    /// A board as drawn, the top row first: `X` Black, `O` White.
    fn drawn(rows: &str) -> Board<G9> {
        let rows: Vec<&str> = rows.split_whitespace().collect();
        let mut board = Board::<G9>::new(Size::new(rows[0].len() as u8, rows.len() as u8).unwrap());
        for (row, y) in rows.iter().zip((0..rows.len() as u8).rev()) {
            for (letter, x) in row.chars().zip(0..) {
                let stone = match letter {
                    'X' => Some(Color::Black),
                    'O' => Some(Color::White),
                    _ => None,
                };
                board.set_stone(board.point(at(x, y)), stone);
            }
        }
        board
    }

    fn names(board: &Board<G9>, set: <G9 as Geometry>::Bits) -> String {
        let names: Vec<String> = set.iter().map(|point| board.coord(point).to_string()).collect();
        names.join(" ")
    }

    #[test]
    fn two_eyes_live_and_one_does_not() {
        let board = drawn(
            ".X.XO
             XXXXO
             OOOO.
             .....
             .....",
        );
        let found = Unconditional::of(&board);
        assert_eq!(found.alive(Color::Black).count(), 6);
        assert_eq!(names(&board, found.territory(Color::Black)), "A5 C5");
        assert!(found.alive(Color::White).is_empty());
        let board = drawn(
            ".X.O.
             XXXO.
             OOOO.
             .....
             .....",
        );
        assert!(Unconditional::of(&board).alive(Color::Black).is_empty());
    }

    #[test]
    fn chains_live_by_sharing_eyes_and_die_with_each_other() {
        let board = drawn(
            ".X.XO
             X.XXO
             XXOOO
             OOO.O
             .....",
        );
        // The corner and the false-looking point in the middle are both vital.
        assert_eq!(Unconditional::of(&board).alive(Color::Black).count(), 7);
        let board = drawn(
            ".X.XO
             XO.OO
             .....
             .....
             .....",
        );
        assert!(Unconditional::of(&board).alive(Color::Black).is_empty());
    }

    #[test]
    fn stones_without_room_for_two_eyes_are_dead() {
        let board = drawn(
            ".X.....
             XX.O...
             X......
             XX.....
             .XXXXXX
             XX.....
             .X.....",
        );
        let found = Unconditional::of(&board);
        // The upper right is large enough to live in, the strip below is not.
        assert_eq!(names(&board, found.territory(Color::Black)), "A1 A3 A7");
        let board = drawn(
            ".XXXXXX
             XX.O...
             X.X....
             XX.....
             .XXXXXX
             XX.....
             .X.....",
        );
        assert!(!Unconditional::of(&board).territory(Color::Black).contains(board.point(at(3, 5))));
        let board = drawn(
            ".XXXXXX
             XX.O..X
             .XXXXXX",
        );
        let found = Unconditional::of(&board);
        assert_eq!(found.owner(board.point(at(3, 1))), Some(Color::Black));
    }

    #[test]
    fn who_may_live_in_seki_is_not_dead() {
        // Black has to add to his two stones, and whatever he adds White takes,
        // and has then room enough.
        let board = drawn(
            ".X.XXXXXX
             XXXXXXXXX
             XOOOOOXX.
             XOO.OOXXX
             XOOX.OX.X
             XO.XOOXXX
             XOO.OOX..
             XOOOOOX..
             XXXXXXX..",
        );
        let found = Unconditional::of(&board);
        assert_eq!(found.owner(board.point(at(1, 4))), None);
        assert_eq!(found.owner(board.point(at(3, 4))), None);
        assert_eq!(found.owner(board.point(at(3, 5))), None);
        // One stone in the middle of five points: four more moves of White's
        // leave one eye.
        let board = drawn(
            ".X.XXXXXX
             XXXXXXXXX
             XOOOOOXX.
             XOO.OOXXX
             XO.X.OX.X
             XOO.OOXXX
             XOOOOOX..
             XXXXXXX..",
        );
        let found = Unconditional::of(&board);
        assert_eq!(found.owner(board.point(at(1, 4))), Some(Color::Black));
        assert_eq!(found.owner(board.point(at(3, 4))), Some(Color::Black));
        // As in the first, but the chain on the left is cut off from the rest.
        let board = drawn(
            ".X.XXXXXX
             XXXXXXXXX
             XXXOOOXX.
             XOO.OOXXX
             XOOX.OX.X
             XO.XOOXXX
             XXX.OOX..
             XXXOOOX..
             XXXXXXX..",
        );
        let found = Unconditional::of(&board);
        assert_eq!(found.owner(board.point(at(1, 4))), Some(Color::Black));
        assert_eq!(found.owner(board.point(at(5, 4))), Some(Color::Black));
    }

    #[test]
    fn false_eyes_in_a_row_are_dead() {
        // Nothing between the teeth of the comb is an eye of White's for good.
        let board = drawn(
            ".........
             ..X.X.X..
             XXXXXXXXX
             .X.X.X.X.
             XXXXXXXXX",
        );
        let found = Unconditional::of(&board);
        assert_eq!(found.owner(board.point(at(4, 4))), Some(Color::Black));
    }

    #[test]
    fn moves_in_sure_territory_are_idle() {
        let board = drawn(
            "..XO..O
             XXXOOOO
             .XXOO..
             XXO.OOO
             XXOOO.O",
        );
        let found = Unconditional::of(&board);
        let idle = "F1 D2 A3 F3 G3 A5 B5 E5 F5";
        assert_eq!(names(&board, found.idle(&board, Color::Black)), idle);
        assert_eq!(names(&board, found.idle(&board, Color::White)), idle);
        // A stone to take is worth a move of the owner's, and of nobody else's.
        let board = drawn(
            ".OXO..O
             XXXOOOO
             .XXOO..
             XXO.OOO
             XXOOO.O",
        );
        let found = Unconditional::of(&board);
        let at = board.point(at(0, 4));
        assert!(!found.idle(&board, Color::Black).contains(at));
        assert!(found.idle(&board, Color::White).contains(at));
    }

    /// Every position that `attacker` can reach when the other side never
    /// moves; `None` if there are too many.
    fn reachable(start: &NaiveBoard, size: Size, attacker: Color, most: usize) -> Option<Vec<NaiveBoard>> {
        let mut seen = HashSet::from([start.key()]);
        let mut found = vec![start.clone()];
        let mut next = 0;
        while next < found.len() {
            for coord in size.coords() {
                let mut board = found[next].clone();
                if board.play(coord, attacker, false) {
                    board.pass();
                    if seen.insert(board.key()) {
                        found.push(board);
                    }
                }
            }
            if found.len() > most {
                return None;
            }
            next += 1;
        }
        Some(found)
    }

    /// Both boards with the same stones; chains without liberties are left out.
    fn twins(size: Size, stones: &[u8]) -> (Board<G9>, NaiveBoard) {
        let mut board = Board::<G9>::new(size);
        for (coord, stone) in size.coords().zip(stones) {
            let color = [None, None, Some(Color::Black), Some(Color::Black), Some(Color::White)];
            board.set_stone(board.point(coord), color[usize::from(*stone)]);
        }
        board.remove_breathless();
        let mut naive = NaiveBoard::new(size);
        for coord in size.coords() {
            if let Some(color) = board.color_at(board.point(coord)) {
                naive.put(coord, color);
            }
        }
        (board, naive)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        /// The slow twin: a chain lives exactly if the opponent, alone on the
        /// move, never takes it; and points are territory exactly if he never
        /// lives there, where there are no stones to have a seki with.
        #[test]
        fn agrees_with_all_that_the_opponent_can_do(
            (width, height) in prop_oneof![Just((4, 3)), Just((3, 4)), Just((5, 3)), Just((4, 4))],
            stones in proptest::collection::vec(0u8..5, 16),
        ) {
            let size = Size::new(width, height).unwrap();
            let (board, naive) = twins(size, &stones);
            let found = Unconditional::of(&board);
            for color in Color::BOTH {
                let Some(positions) = reachable(&naive, size, color.opponent(), 3000) else { continue };
                for coord in size.coords().filter(|&coord| naive.color_at(coord) == Some(color)) {
                    let (chain, _) = naive.region(coord);
                    let taken = |after: &NaiveBoard| chain.iter().any(|&c| after.color_at(c) != Some(color));
                    let lives = !positions.iter().any(taken);
                    prop_assert_eq!(found.alive(color).contains(board.point(coord)), lives, "{}", coord);
                }
                let settled = |after: &NaiveBoard| {
                    let mut later = Board::<G9>::new(size);
                    for coord in size.coords() {
                        later.set_stone(later.point(coord), after.color_at(coord));
                    }
                    Unconditional::of(&later).alive(color.opponent())
                };
                if found.alive(color).is_empty() {
                    prop_assert!(found.territory(color).is_empty());
                    continue;
                }
                let everywhere = positions.iter().map(settled).fold(Bits::empty(), Bits::or);
                for part in parts::<G9>(all_points(&board).and_not(found.alive(color))) {
                    let owned = found.territory(color).and(part);
                    let held = everywhere.and(part);
                    prop_assert!(!owned.intersects(held), "{}", names(&board, part));
                    // Stones of the owner's that do not live may stay in seki.
                    if !part.intersects(board.stones(color)) {
                        prop_assert_eq!(owned == part, held.is_empty(), "{}", names(&board, part));
                    }
                }
            }
        }
    }
}
