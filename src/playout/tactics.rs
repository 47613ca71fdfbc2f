//! What a move does to the chains around it: self-atari, escapes, captures.

use super::reading::Reader;
use super::shape;
use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};

/// The heads of the chains of `color` next to `point`, each once.
#[inline]
pub fn chains_around<G: Geometry>(
    board: &Board<G>,
    point: Point,
    color: Color,
) -> impl Iterator<Item = Point> {
    let mut seen = [Point::NONE; 4];
    let mut count = 0;
    let stones = board.sides_of(point, color);
    for (side, head) in board.heads_around(point).into_iter().enumerate() {
        if stones >> side & 1 != 0 && !seen[..count].contains(&head) {
            seen[count] = head;
            count += 1;
        }
    }
    seen.into_iter().take(count)
}

/// The number of stones in the chain of a stone of `color` placed at `point`.
pub fn len_after<G: Geometry>(board: &Board<G>, point: Point, color: Color) -> usize {
    1 + chains_around(board, point, color).map(|head| board.chain_len(head)).sum::<usize>()
}

/// The liberties of enemy chains that are in atari next to the chain of
/// `stone`: playing there takes them.
pub fn capturing_moves<G: Geometry>(board: &Board<G>, stone: Point, enemy: Color) -> G::Bits {
    let mut moves = G::Bits::empty();
    for own in board.chain(stone) {
        for head in chains_around(board, own, enemy) {
            if let Some(liberty) = board.liberties_at(head).only() {
                moves.insert(liberty);
            }
        }
    }
    moves
}

/// Whether a move leaves its own chain in atari without a purpose: it takes
/// nothing, it is no throw-in that gives atari, and it does not fill an eye so
/// that one move will kill.
pub fn is_bad_self_atari<G: Geometry>(board: &Board<G>, point: Point, color: Color) -> bool {
    if board.empty_sides(point) >= 2 || !board.is_self_atari(point, color) {
        return false;
    }
    let enemy = color.opponent();
    if board.would_capture(point, color) {
        return false;
    }
    let len = len_after(board, point, color);
    let gives_atari = chains_around(board, point, enemy).any(|head| board.liberty_count(head) == 2);
    match len {
        1 => !gives_atari,
        2..=6 => !(gives_atari && shape::kills_when_taken(board, point, color)),
        _ => true,
    }
}

/// How a move answers or makes threats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Enemy stones that it takes.
    pub takes: usize,
    /// Own stones in atari that it saves.
    pub saves: usize,
    /// Enemy stones that it puts in atari.
    pub ataris: usize,
}

/// Finds [`Threats`] of a legal move.
pub fn threats<G: Geometry>(board: &Board<G>, point: Point, color: Color) -> Threats {
    let mut threats = Threats::default();
    let mut taken = false;
    for head in chains_around(board, point, color.opponent()) {
        match board.liberty_count(head) {
            1 => {
                threats.takes += board.chain_len(head);
                taken |= saves_neighbor(board, head, color);
            }
            2 => threats.ataris += board.chain_len(head),
            _ => {}
        }
    }
    let liberties = board.liberties_after(point, color).count();
    for head in chains_around(board, point, color) {
        if board.in_atari(head) && liberties >= 2 {
            threats.saves += board.chain_len(head);
        }
    }
    if taken && threats.saves == 0 {
        threats.saves = 1;
    }
    threats
}

/// Whether taking the chain of `stone` frees a chain of `color` from atari.
fn saves_neighbor<G: Geometry>(board: &Board<G>, stone: Point, color: Color) -> bool {
    board.chain(stone).any(|taken| chains_around(board, taken, color).any(|head| board.in_atari(head)))
}

/// Weight of the prior against running in a ladder that does not work.
const LOST_LADDER: f32 = 40.0;
/// Chains shorter than this may be worth an atari that does not catch them.
const CHASED: usize = 3;

/// What an atari at a point comes to, in stones of the longest chain concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Chase {
    /// Stones that are caught in a ladder.
    caught: usize,
    /// Stones that a ladder from the other side would catch.
    let_go: usize,
    /// Stones that no ladder catches.
    in_vain: usize,
}

/// Reads the ladders that begin with a move of `color` at `point`.
fn chase<G: Geometry>(board: &Board<G>, color: Color, point: Point, reader: &mut Reader<G>) -> Chase {
    let mut found = Chase::default();
    for head in chains_around(board, point, color.opponent()) {
        let other = board.liberties_at(head).and_not(G::single(point));
        let Some(other) = other.only() else { continue };
        let kind = if reader.works(board, head, point) {
            &mut found.caught
        } else if reader.works(board, head, other) {
            &mut found.let_go
        } else {
            &mut found.in_vain
        };
        *kind = (*kind).max(board.chain_len(head));
    }
    found
}

/// Whether a legal move of `color` only chases a chain of some stones that gets
/// away whatever happens: it takes, saves and catches nothing.
pub fn chases_in_vain<G: Geometry>(
    board: &Board<G>,
    color: Color,
    point: Point,
    reader: &mut Reader<G>,
) -> bool {
    let near = chains_around(board, point, color.opponent())
        .any(|head| board.liberty_count(head) == 2 && board.chain_len(head) >= CHASED);
    if !near {
        return false;
    }
    let (threats, chase) = (threats(board, point, color), chase(board, color, point, reader));
    threats.takes + threats.saves + chase.caught == 0 && chase.in_vain >= CHASED
}

/// What tactics and shape say of a legal move: values for the mover (0 to 1),
/// each with its weight in simulations.
pub fn opinions<G: Geometry>(
    board: &Board<G>,
    color: Color,
    point: Point,
    reader: &mut Reader<G>,
) -> impl Iterator<Item = (f32, f32)> {
    let found = threats(board, point, color);
    let lost = chains_around(board, point, color)
        .any(|head| board.in_atari(head) && reader.fails(board, head, point));
    let Chase { caught, let_go, in_vain } = chase(board, color, point, reader);
    let vain = in_vain >= CHASED && found.takes + found.saves + caught == 0;
    let worth = |stones: usize| 10.0 + 5.0 * stones.min(8) as f32;
    let bad = is_bad_self_atari(board, point, color);
    let pattern = super::patterns::matches(board.pattern(point), color);
    [
        (found.takes > 0).then(|| (1.0, worth(found.takes))),
        (found.saves > 0 && !lost).then(|| (1.0, worth(found.saves))),
        lost.then_some((0.0, LOST_LADDER)),
        (caught > 0).then(|| (1.0, worth(caught))),
        (let_go > caught).then(|| (0.0, worth(let_go))),
        vain.then(|| (0.0, worth(in_vain))),
        (found.ataris > 0 && !bad && !vain).then_some((0.8, 5.0)),
        bad.then_some((0.0, 20.0)),
        pattern.then_some((1.0, 6.0)),
        nearness(board, point),
        edge(board, point),
    ]
    .into_iter()
    .flatten()
}

/// Moves close to the last one are more often right.
fn nearness<G: Geometry>(board: &Board<G>, point: Point) -> Option<(f32, f32)> {
    let last = board.coord(board.last_move()?);
    let at = board.coord(point);
    let (dx, dy) = (last.x.abs_diff(at.x), last.y.abs_diff(at.y));
    match dx + dy + dx.max(dy) {
        0..=2 => Some((1.0, 10.0)),
        3 => Some((1.0, 9.0)),
        4 => Some((1.0, 7.0)),
        5 => Some((1.0, 5.0)),
        6 => Some((1.0, 3.0)),
        _ => None,
    }
}

/// The first two lines are too low, and on larger boards the third and fourth
/// are good, while nothing is near.
fn edge<G: Geometry>(board: &Board<G>, point: Point) -> Option<(f32, f32)> {
    const FAR: u8 = 3;
    let (size, at) = (board.size(), board.coord(point));
    let height = |at: u8, side: u8| at.min(side - 1 - at);
    let line = height(at.x, size.width()).min(height(at.y, size.height()));
    if line > 3 {
        return None;
    }
    let stone_near = (at.x.saturating_sub(FAR)..=(at.x + FAR).min(size.width() - 1)).any(|x| {
        (at.y.saturating_sub(FAR)..=(at.y + FAR).min(size.height() - 1))
            .any(|y| board.color_at(board.point(crate::go::coord::Coord { x, y })).is_some())
    });
    match line {
        _ if stone_near => None,
        0 => Some((0.0, 20.0)),
        1 => Some((0.0, 10.0)),
        2 if size.longer_side() > 11 => Some((1.0, 6.0)),
        3 if size.longer_side() > 11 => Some((1.0, 10.0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G19;

    const BLACK: [(u8, u8); 5] = [(2, 3), (4, 3), (3, 2), (2, 4), (3, 5)];
    const WHITE: [(u8, u8); 3] = [(3, 3), (3, 4), (4, 4)];

    fn at(board: &Board<G19>, (x, y): (u8, u8)) -> Point {
        board.point(Coord { x, y })
    }

    /// White's three stones in a ladder, with `more` on the board.
    fn ladder(more: &[(u8, u8)], color: Color) -> Board<G19> {
        let mut board = Board::new(Size::square(19).unwrap());
        let colored = |stones: &[(u8, u8)], color| stones.iter().map(|&s| (s, color)).collect::<Vec<_>>();
        let stones = [colored(&BLACK, Color::Black), colored(&WHITE, Color::White), colored(more, color)];
        for (stone, color) in stones.concat() {
            assert!(board.place(at(&board, stone), color));
        }
        board
    }

    fn vain(board: &Board<G19>) -> [bool; 2] {
        [(5, 4), (4, 5)]
            .map(|point| chases_in_vain(board, Color::Black, at(board, point), &mut Reader::new()))
    }

    #[test]
    fn a_chase_is_in_vain_when_something_is_in_the_ladders_way() {
        let free = ladder(&[], Color::White);
        assert!(vain(&free).contains(&false));
        let broken = ladder(&[(14, 14), (14, 13), (13, 14)], Color::White);
        assert_eq!(vain(&broken), [true, true]);
        let far = at(&broken, (9, 15));
        assert!(!chases_in_vain(&broken, Color::Black, far, &mut Reader::new()));
    }

    #[test]
    fn a_chase_that_takes_something_is_not_in_vain() {
        // A white stone in atari, whose last liberty is one of White's two.
        let breakers = [(14, 14), (14, 13), (13, 14), (6, 4)];
        let mut board = ladder(&breakers, Color::White);
        for stone in [(7, 4), (6, 3), (6, 5)] {
            assert!(board.place(at(&board, stone), Color::Black));
        }
        assert!(threats(&board, at(&board, (5, 4)), Color::Black).takes > 0);
        assert!(!vain(&board)[0]);
    }
}
