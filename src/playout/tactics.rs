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
    let (mut ladder, mut let_go) = (0, 0);
    for head in chains_around(board, point, color.opponent()) {
        let other = board.liberties_at(head).and_not(G::single(point));
        let Some(other) = other.only() else { continue };
        if reader.works(board, head, point) {
            ladder = ladder.max(board.chain_len(head));
        } else if reader.works(board, head, other) {
            let_go = let_go.max(board.chain_len(head));
        }
    }
    let worth = |stones: usize| 10.0 + 5.0 * stones.min(8) as f32;
    let bad = is_bad_self_atari(board, point, color);
    let pattern = super::patterns::matches(board.pattern(point), color);
    [
        (found.takes > 0).then(|| (1.0, worth(found.takes))),
        (found.saves > 0 && !lost).then(|| (1.0, worth(found.saves))),
        lost.then_some((0.0, LOST_LADDER)),
        (ladder > 0).then(|| (1.0, worth(ladder))),
        (let_go > ladder).then(|| (0.0, worth(let_go))),
        (found.ataris > 0 && !bad).then_some((0.8, 5.0)),
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
