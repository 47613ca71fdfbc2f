//! Reading ladders: may a chain be taken by atari after atari?
//!
//! The defender, in atari, runs or takes an attacker; the attacker, against
//! two liberties, gives atari on either side. Three liberties are an escape.
//! Positions are tried on boards of the reader's own, one for each move of
//! depth.

use super::tactics;
use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};

/// Moves that one question may try before it counts as an escape.
const MOVES: u32 = 220;

/// Reads ladders.
pub struct Reader<G: Geometry> {
    boards: Vec<Box<Board<G>>>,
    left: u32,
}

impl<G: Geometry> Default for Reader<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Geometry> Reader<G> {
    /// A reader without boards yet.
    #[must_use]
    pub fn new() -> Self {
        Reader { boards: Vec::new(), left: 0 }
    }

    /// Whether the chain at `stone` can be taken in a ladder, when its owner
    /// is to move if it is in atari, and the attacker if it has two liberties.
    pub fn is_laddered(&mut self, board: &Board<G>, stone: Point) -> bool {
        let Some(owner) = board.color_at(stone) else { return false };
        self.left = MOVES;
        match board.liberty_count(stone) {
            1 => !self.defend(board, stone, owner, 0),
            2 => self.attack(board, stone, owner, 0),
            _ => false,
        }
    }

    /// Whether the attacker's move at `point` makes a ladder of the chain at
    /// `stone`, which has two liberties.
    pub fn works(&mut self, board: &Board<G>, stone: Point, point: Point) -> bool {
        let Some(owner) = board.color_at(stone) else { return false };
        self.left = MOVES;
        self.gives_working_atari(board, stone, owner, point, 0)
    }

    /// Whether the chain at `stone` is still lost when its owner moves at
    /// `point`, a legal move.
    pub fn fails(&mut self, board: &Board<G>, stone: Point, point: Point) -> bool {
        let Some(owner) = board.color_at(stone) else { return false };
        self.left = MOVES;
        !self.escapes_by(board, stone, owner, point, 0)
    }

    /// A copy of `board` with a move added, at place `depth`; the caller gives
    /// it back.
    fn played(&mut self, board: &Board<G>, depth: usize, point: Point, color: Color) -> Box<Board<G>> {
        self.left = self.left.saturating_sub(1);
        let mut next = match self.boards.pop() {
            Some(mut next) => {
                next.copy_from(board);
                next
            }
            None => Box::new(board.clone()),
        };
        debug_assert!(depth <= MOVES as usize);
        next.play(point, color);
        next
    }

    /// Whether `owner`, to move, saves the chain in atari at `stone`.
    fn defend(&mut self, board: &Board<G>, stone: Point, owner: Color, depth: usize) -> bool {
        let takes = tactics::capturing_moves(board, stone, owner.opponent());
        let moves = takes.or(board.liberties(stone));
        moves.iter().any(|point| {
            board.is_legal(point, owner, false) && self.escapes_by(board, stone, owner, point, depth)
        })
    }

    fn escapes_by(
        &mut self,
        board: &Board<G>,
        stone: Point,
        owner: Color,
        point: Point,
        depth: usize,
    ) -> bool {
        if self.left == 0 {
            return true;
        }
        if board.liberties(stone).contains(point) {
            // Only two liberties leave a question that takes a board to answer.
            match board.liberties_after(point, owner).count() {
                0 | 1 => return false,
                2 => {}
                _ => return true,
            }
        }
        let next = self.played(board, depth, point, owner);
        let escaped = match next.liberty_count(stone) {
            0 | 1 => false,
            2 => !self.attack(&next, stone, owner, depth + 1),
            _ => true,
        };
        self.boards.push(next);
        escaped
    }

    /// Whether the attacker, to move, takes the chain with two liberties at
    /// `stone`.
    fn attack(&mut self, board: &Board<G>, stone: Point, owner: Color, depth: usize) -> bool {
        let liberties = board.liberties(stone);
        liberties.iter().any(|point| self.gives_working_atari(board, stone, owner, point, depth))
    }

    fn gives_working_atari(
        &mut self,
        board: &Board<G>,
        stone: Point,
        owner: Color,
        point: Point,
        depth: usize,
    ) -> bool {
        let attacker = owner.opponent();
        // Where the chain would run, it must not get away at once.
        let run = board.liberties(stone).and_not(G::single(point));
        let gain =
            run.first().map_or(0, |run| board.liberties_after(run, owner).and_not(G::single(point)).count());
        if self.left == 0 || gain > 2 || !board.is_legal(point, attacker, false) {
            return false;
        }
        // With a liberty or none after that, and nothing to take, it is lost.
        if gain < 2
            && board.liberties_after(point, attacker).count() > 1
            && !board.would_capture(point, attacker)
            && tactics::capturing_moves(board, stone, attacker).is_empty()
        {
            return true;
        }
        let next = self.played(board, depth, point, attacker);
        let works = next.in_atari(stone) && !self.defend(&next, stone, owner, depth + 1);
        self.boards.push(next);
        works
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::G19;

    fn board(rows: &[(u8, u8, Color)]) -> Board<G19> {
        let mut board = Board::new(Size::square(19).unwrap());
        for &(x, y, color) in rows {
            assert!(board.place(board.point(Coord { x, y }), color));
        }
        board
    }

    const LADDER: [(u8, u8, Color); 4] =
        [(3, 3, Color::White), (2, 3, Color::Black), (3, 2, Color::Black), (2, 4, Color::Black)];

    #[test]
    fn a_ladder_runs_across_the_board_until_something_is_in_its_way() {
        let stone = |board: &Board<G19>| board.point(Coord { x: 3, y: 3 });
        let free = board(&LADDER);
        let mut reader = Reader::new();
        assert!(reader.is_laddered(&free, stone(&free)));
        let mut breaker = LADDER.to_vec();
        breaker.push((14, 14, Color::White));
        let broken = board(&breaker);
        assert!(!reader.is_laddered(&broken, stone(&broken)));
    }

    #[test]
    fn an_open_stone_is_not_laddered() {
        let open = board(&[(9, 9, Color::White)]);
        assert!(!Reader::new().is_laddered(&open, open.point(Coord { x: 9, y: 9 })));
    }
}
