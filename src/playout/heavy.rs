//! Heavy playouts: the players answer threats and shapes near the last moves,
//! and do not put themselves in atari for nothing.
//!
//! The rules are tried in order; the first that finds a move plays it. A rule
//! chooses uniformly among its moves. What is left is uniform, as in
//! [`light`] playouts.
//!
//! 1. Take the chain that has just moved, if it is in atari.
//! 2. Save own chains next to the last move that are in atari, by taking an
//!    attacker or by running when that gains liberties.
//! 3. Play the vital point of a small eye space next to the last move.
//! 4. Attack the chain that has just moved, or relieve own chains next to it,
//!    when they have two liberties.
//! 5. Complete a 3x3 pattern next to the last move.

use super::light::Outcome;
use super::{Played, Rollout, light, patterns, shape, tactics};
use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};
use crate::shared::rng::Rng;

const BLACK: usize = Color::Black as usize;
const WHITE: usize = Color::White as usize;

/// Shares of the turns, in 256ths, in which a rule is tried.
const LIBERTIES_SHARE: u64 = 128;
const PATTERN_SHARE: u64 = 240;

/// Heavy playouts.
pub struct HeavyRollout;

impl<G: Geometry> Rollout<G> for HeavyRollout {
    fn play_out(
        &mut self,
        board: &mut Board<G>,
        to_move: Color,
        rng: &mut Rng,
        moves: &mut Vec<Played>,
    ) -> Outcome {
        let limit = light::move_limit(board);
        let mut turn = Turn { board, rng, last: Point::NONE };
        turn.last = turn.board.last_move().unwrap_or(Point::NONE);
        let (mut color, mut passed, mut count) = (to_move, false, 0);
        while count < limit {
            count += 1;
            let played = match color {
                Color::Black => turn.take::<BLACK, WHITE>(),
                Color::White => turn.take::<WHITE, BLACK>(),
            };
            match played {
                Some(point) => moves.push(Played { point, color }),
                None if passed => break,
                None => {}
            }
            passed = played.is_none();
            turn.last = played.unwrap_or(Point::NONE);
            color = color.opponent();
        }
        Outcome { moves: count, score: light::score(turn.board) }
    }
}

/// A few points to choose from.
#[derive(Default)]
struct Choices {
    points: [Option<Point>; 16],
    count: usize,
}

impl Choices {
    #[inline]
    fn add(&mut self, point: Point) {
        if self.count < self.points.len() {
            self.points[self.count] = Some(point);
            self.count += 1;
        }
    }

    #[inline]
    fn pick(&self, rng: &mut Rng) -> Option<Point> {
        match self.count {
            0 => None,
            1 => self.points[0],
            count => self.points[rng.below(count)],
        }
    }
}

/// One player's turn.
struct Turn<'a, G: Geometry> {
    board: &'a mut Board<G>,
    rng: &'a mut Rng,
    /// The opponent's move, or [`Point::NONE`].
    last: Point,
}

impl<G: Geometry> Turn<'_, G> {
    /// Moves; `None` is a pass.
    fn take<const C: usize, const ENEMY: usize>(&mut self) -> Option<Point> {
        let color = Color::BOTH[C];
        if let Some(point) = self.reply(color) {
            light::step_at::<G, C, ENEMY>(self.board, point);
            return Some(point);
        }
        light::step::<G, C, ENEMY>(self.board, self.rng, |board, point| {
            !tactics::is_bad_self_atari(board, point, color)
        })
    }

    fn reply(&mut self, color: Color) -> Option<Point> {
        if self.last == Point::NONE || self.board.is_empty(self.last) {
            return None;
        }
        let dice = self.rng.next_u64();
        self.atari_reply(color)
            .or_else(|| self.nakade_reply(color))
            .or_else(|| if dice >> 8 & 255 < LIBERTIES_SHARE { self.liberty_reply(color) } else { None })
            .or_else(|| if dice >> 16 & 255 < PATTERN_SHARE { self.pattern_reply(color) } else { None })
    }

    /// Rules 1 and 2.
    fn atari_reply(&mut self, color: Color) -> Option<Point> {
        let board = &*self.board;
        let mut choices = Choices::default();
        if let Some(liberty) = board.liberties(self.last).only()
            && board.is_legal(liberty, color, false)
        {
            choices.add(liberty);
        }
        for head in tactics::chains_around(board, self.last, color) {
            if let Some(liberty) = board.liberties_at(head).only() {
                self.rescue(head, liberty, color, &mut choices);
            }
        }
        choices.pick(self.rng)
    }

    /// Moves that save the chain with this head, whose only liberty is given.
    fn rescue(&self, head: Point, liberty: Point, color: Color, choices: &mut Choices) {
        let board = &*self.board;
        for point in tactics::capturing_moves(board, head, color.opponent()).iter() {
            if board.is_legal(point, color, false) {
                choices.add(point);
            }
        }
        if board.liberties_after(liberty, color).count() >= 2 {
            choices.add(liberty);
        }
    }

    /// Rule 3.
    fn nakade_reply(&self, color: Color) -> Option<Point> {
        let vital = shape::vital_point_near(self.board, self.last)?;
        self.board.is_legal(vital, color, false).then_some(vital)
    }

    /// Rule 4.
    fn liberty_reply(&mut self, color: Color) -> Option<Point> {
        let board = &*self.board;
        let mut choices = Choices::default();
        let liberties = board.liberties(self.last);
        if liberties.count() == 2 {
            for point in liberties.iter().filter(|&point| !board.is_self_atari(point, color)) {
                // The other liberty is where it would run.
                let run = liberties.and_not(G::single(point)).first().unwrap_or(point);
                let after = board.liberties_after(run, color.opponent()).and_not(G::single(point));
                if after.count() <= 2 {
                    choices.add(point);
                }
            }
        }
        for head in tactics::chains_around(board, self.last, color) {
            let liberties = board.liberties_at(head);
            if liberties.count() == 2 {
                for point in liberties.iter() {
                    if board.liberties_after(point, color).count() >= 3 {
                        choices.add(point);
                    }
                }
                for point in tactics::capturing_moves(board, head, color.opponent()).iter() {
                    if board.is_legal(point, color, false) {
                        choices.add(point);
                    }
                }
            }
        }
        choices.pick(self.rng)
    }

    /// Rule 5.
    fn pattern_reply(&mut self, color: Color) -> Option<Point> {
        let board = &*self.board;
        let mut choices = Choices::default();
        let around = G::neighbor_mask(self.last).or(G::diagonal_mask(self.last));
        for point in around.and(board.empty_points()).iter() {
            if patterns::matches(board.pattern(point), color)
                && board.is_legal(point, color, false)
                && !tactics::is_bad_self_atari(board, point, color)
            {
                choices.add(point);
            }
        }
        choices.pick(self.rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::{Coord, Size};
    use crate::go::geometry::{G9, G19};

    fn at(x: u8, y: u8) -> Coord {
        Coord { x, y }
    }

    /// The share of playouts' first moves that are at one of `wanted`.
    fn share_of(board: &Board<G9>, color: Color, wanted: &[Coord]) -> f64 {
        let mut rng = Rng::new(5, 0);
        let count = 300;
        let hits = (0..count)
            .filter(|_| {
                let mut copy = board.clone();
                let mut moves = Vec::new();
                HeavyRollout.play_out(&mut copy, color, &mut rng, &mut moves);
                moves.first().is_some_and(|played| wanted.contains(&board.coord(played.point)))
            })
            .count();
        hits as f64 / f64::from(count)
    }

    /// Black stones, then White's last move.
    fn position(black: &[(u8, u8)], white: &[(u8, u8)]) -> Board<G9> {
        let mut board = Board::<G9>::new(Size::square(9).unwrap());
        for &(x, y) in black {
            assert!(board.place(board.point(at(x, y)), Color::Black));
        }
        for &(x, y) in white {
            board.play(board.point(at(x, y)), Color::White);
        }
        board
    }

    #[test]
    fn atari_is_answered() {
        // The last white move gives atari to a black stone in the middle.
        let board = position(&[(4, 4)], &[(3, 4), (5, 4), (4, 5)]);
        assert!(share_of(&board, Color::Black, &[at(4, 3)]) > 0.99);
        // A chain that puts itself in atari is taken.
        let board = position(&[(0, 1), (1, 1)], &[(5, 5), (0, 0)]);
        assert!(share_of(&board, Color::Black, &[at(1, 0)]) > 0.99);
    }

    #[test]
    fn the_vital_point_is_played() {
        let mut board = position(&[(0, 1), (1, 1), (2, 1), (3, 1)], &[]);
        board.play(board.point(at(3, 0)), Color::Black);
        assert!(share_of(&board, Color::White, &[at(1, 0)]) > 0.9);
    }

    #[test]
    fn playouts_of_every_size_end_with_a_counted_score() {
        let mut rng = Rng::new(1, 0);
        for (width, height) in [(2, 2), (9, 9), (19, 7), (19, 19)] {
            let mut board = Board::<G19>::new(Size::new(width, height).unwrap());
            let mut moves = Vec::new();
            let outcome = HeavyRollout.play_out(&mut board, Color::White, &mut rng, &mut moves);
            assert!(outcome.moves as usize >= moves.len());
            assert!(outcome.score.unsigned_abs() as usize <= board.size().points());
        }
    }
}
