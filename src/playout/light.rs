//! Light playouts: games between players who choose uniformly among the legal
//! moves that do not fill one of their own single-point eyes
//! ([`Board::is_eye`]), until both pass.
//!
//! A move is drawn from the list of candidates and drawn again if it may not
//! be played, which leaves the choice exactly uniform. Points at which neither
//! side may play as things are, eyes of chains with another liberty, leave the
//! list until that changes: `Board::dead`.

use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::contact::{ALL, Contact, Contacts};
use crate::go::geometry::{Geometry, Point};
use crate::shared::rng::Rng;

const BLACK: usize = Color::Black as usize;
const WHITE: usize = Color::White as usize;

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Moves played, passes included.
    pub moves: u32,
    /// Area, Black's minus White's, without komi.
    pub score: i32,
}

/// Plays to the end. On the board, the key, the prisoners and the last moves
/// stay as they were.
#[inline]
pub fn play_out<G: Geometry>(board: &mut Board<G>, to_move: Color, rng: &mut Rng) -> Outcome {
    play_out_with(board, to_move, rng, |_, _| ())
}

/// [`play_out`], telling `seen` of every move but passes.
#[inline]
pub fn play_out_with<G: Geometry>(
    board: &mut Board<G>,
    to_move: Color,
    rng: &mut Rng,
    seen: impl FnMut(Point, Color),
) -> Outcome {
    board.revive_dead();
    let limit = move_limit(board);
    let mut game = Game { board, rng, seen, passed: false };
    let mut moves = 0;
    if to_move == Color::White {
        moves += 1;
        game.turn::<WHITE, BLACK>();
    }
    while moves < limit {
        moves += 1;
        if game.turn::<BLACK, WHITE>() {
            break;
        }
        moves += 1;
        if game.turn::<WHITE, BLACK>() {
            break;
        }
    }
    Outcome { moves, score: score(board) }
}

/// Playouts end after this many moves, if not before: a guard against cycles
/// of captures longer than a ko.
pub(super) fn move_limit<G: Geometry>(board: &Board<G>) -> u32 {
    3 * board.size().points() as u32 + 32
}

/// A playout under way.
struct Game<'a, G: Geometry, S> {
    board: &'a mut Board<G>,
    rng: &'a mut Rng,
    seen: S,
    passed: bool,
}

impl<G: Geometry, S: FnMut(Point, Color)> Game<'_, G, S> {
    /// One turn of `C`. Says whether the game is over.
    #[inline(always)]
    fn turn<const C: usize, const ENEMY: usize>(&mut self) -> bool {
        let played = step::<G, C, ENEMY>(self.board, self.rng, |_, _| true);
        let over = self.passed && played.is_none();
        self.passed = played.is_none();
        if let Some(point) = played {
            (self.seen)(point, Color::BOTH[C]);
        }
        over
    }
}

/// What a closer look at a point says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Playable,
    Unplayable,
    Dead,
}

/// One move by `C`, uniform among those that may be played and that `accept`
/// takes; `None` is a pass.
#[inline(always)]
pub(super) fn step<G: Geometry, const C: usize, const ENEMY: usize>(
    board: &mut Board<G>,
    rng: &mut Rng,
    mut accept: impl FnMut(&Board<G>, Point) -> bool,
) -> Option<Point> {
    let mut untried = board.candidates.len();
    while untried > 0 {
        let place = rng.below(untried);
        let point = board.candidates.get(place);
        let look = Look::at::<C>(board, point);
        let verdict = if look.plain { Verdict::Playable } else { judge::<G, C>(board, &look) };
        if verdict == Verdict::Playable && accept(board, point) {
            move_to::<G, C, ENEMY>(board, place, &look);
            return Some(point);
        }
        untried -= 1;
        board.candidates.swap(place, untried);
        if verdict == Verdict::Dead {
            bury(board, untried, &look);
        }
    }
    board.lift_ko();
    None
}

/// A move by `C` at `point`, which must be legal.
#[inline]
pub(super) fn step_at<G: Geometry, const C: usize, const ENEMY: usize>(board: &mut Board<G>, point: Point) {
    board.revive_at(point);
    let Some(place) = board.candidates.place_of(point) else { return };
    let look = Look::at::<C>(board, point);
    move_to::<G, C, ENEMY>(board, place, &look);
}

/// Plays where a look has found it legal.
#[inline(always)]
fn move_to<G: Geometry, const C: usize, const ENEMY: usize>(
    board: &mut Board<G>,
    place: usize,
    look: &Look<G>,
) {
    let &Look { point, code, rest, plain, .. } = look;
    board.occupy::<C>(point, place, rest);
    board.connect(point, &look.contact, &look.heads);
    let short = look.contact.enemy & !look.breathing;
    if short != 0 || !plain || board.dead[ENEMY].intersects(G::diagonal_mask(point)) {
        board.resolve::<C, ENEMY>(point, short, code, !plain);
    }
}

/// Takes a dead point from the candidates, of which it is at `place`.
#[inline(always)]
fn bury<G: Geometry>(board: &mut Board<G>, place: usize, look: &Look<G>) {
    board.candidates.remove(place);
    board.alive = look.rest;
    board.dead[usize::from(look.code & ALL != ALL)].insert(look.point);
}

/// What a player sees at a candidate.
#[derive(Clone, Copy)]
struct Look<G: Geometry> {
    point: Point,
    code: u8,
    contact: Contact,
    /// The heads of the chains on the four sides.
    heads: [Point; 4],
    /// The candidates without the point.
    rest: G::Bits,
    /// The sides with chains that touch those.
    breathing: u8,
    /// Whether it is plain that the point may be played: a side is empty, or a
    /// friend there has another liberty and the point is no eye.
    plain: bool,
}

impl<G: Geometry> Look<G> {
    #[inline(always)]
    fn at<const C: usize>(board: &Board<G>, point: Point) -> Self {
        let code = board.contacts().code(point);
        let contact = Contacts::<G>::meaning::<C>(code);
        let heads = board.chains().heads_around(point);
        let rest = board.alive.and_not(G::single(point));
        let breathing = board.chains().touching(&heads, rest);
        let plain = (breathing & contact.joins) | contact.open != 0;
        Look { point, code, contact, heads, rest, breathing, plain }
    }
}

/// Judges a point without empty neighbours by all empty points, not only the
/// candidates.
#[inline(always)]
fn judge<G: Geometry, const C: usize>(board: &Board<G>, look: &Look<G>) -> Verdict {
    let &Look { point, code, ref contact, .. } = look;
    let elsewhere = board.empty_points().and_not(G::single(point));
    let breathing = board.chains().touching(&look.heads, elsewhere);
    let stones = contact.own | contact.enemy;
    let black = code & ALL == ALL;
    let enclosed = black | (code >> 4 == ALL);
    let eye = enclosed & (board.contacts().eye_flaws(point, usize::from(!black)) < 2);
    if eye & (breathing & stones == stones) {
        return Verdict::Dead;
    }
    let lives = (contact.enemy & !breathing) | (contact.own & breathing) != 0;
    let own_eye = eye & (contact.enemy == 0);
    if lives & !own_eye & (board.ko_point() != Some(point)) { Verdict::Playable } else { Verdict::Unplayable }
}

/// The area when nothing is left but eyes: stones, and empty points with
/// neighbours of one colour only.
pub(super) fn score<G: Geometry>(board: &Board<G>) -> i32 {
    board.contacts().score()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::Size;
    use crate::go::geometry::{G9, G13, G19, G25};

    /// Plays while checking every field after every move.
    fn checked_playout<G: Geometry>(size: Size, seed: u64) {
        let mut board = Board::<G>::new(size);
        let mut rng = Rng::new(seed, 0);
        let mut passed = false;
        for _ in 0..move_limit(&board) {
            let black = step::<G, BLACK, WHITE>(&mut board, &mut rng, |_, _| true).is_none();
            board.check_stones();
            let white = step::<G, WHITE, BLACK>(&mut board, &mut rng, |_, _| true).is_none();
            board.check_stones();
            if black && (white || passed) {
                break;
            }
            passed = white;
        }
        assert_eq!(board.contacts().score(), board.area_score());
    }

    #[test]
    fn every_field_holds_after_every_move() {
        for seed in 0..4 {
            checked_playout::<G9>(Size::square(9).unwrap(), seed);
            checked_playout::<G9>(Size::new(2, 2).unwrap(), seed);
            checked_playout::<G9>(Size::new(7, 3).unwrap(), seed);
            checked_playout::<G13>(Size::square(13).unwrap(), seed);
            checked_playout::<G19>(Size::new(19, 11).unwrap(), seed);
        }
        checked_playout::<G19>(Size::square(19).unwrap(), 9);
        checked_playout::<G25>(Size::square(25).unwrap(), 9);
    }

    /// Mean length, and the share of games that Black wins at komi 6.5.
    fn statistics<G: Geometry>(side: u8, count: u32) -> (f64, f64) {
        let empty = Board::<G>::new(Size::square(side).unwrap());
        let mut board = empty.clone();
        let mut rng = Rng::new(1, 0);
        let (mut moves, mut wins) = (0, 0);
        for _ in 0..count {
            board.copy_from(&empty);
            let outcome = play_out(&mut board, Color::Black, &mut rng);
            moves += outcome.moves;
            wins += u32::from(outcome.score > 6);
        }
        (f64::from(moves) / f64::from(count), f64::from(wins) / f64::from(count))
    }

    #[test]
    fn length_and_wins_are_as_other_programs_find() {
        // Tolerances: about four standard errors.
        let near = |(moves, wins): (f64, f64), (length, rate): (f64, f64), tolerance: (f64, f64)| {
            assert!((moves - length).abs() < tolerance.0, "{moves} moves, {length} expected");
            assert!((wins - rate).abs() < tolerance.1, "Black wins {wins}, {rate} expected");
        };
        near(statistics::<G9>(9, 20_000), (111.1, 0.4465), (0.5, 0.015));
        near(statistics::<G9>(7, 10_000), (72.5, 0.431), (0.7, 0.02));
        near(statistics::<G13>(13, 4_000), (219.2, 0.465), (1.6, 0.032));
        near(statistics::<G19>(19, 2_000), (455.4, 0.475), (3.0, 0.045));
    }

    /// The points that Black may choose, by the board's own rules.
    fn choices(board: &Board<G9>) -> Vec<Point> {
        let allowed =
            |&point: &Point| board.is_legal(point, Color::Black, false) && !board.is_eye(point, Color::Black);
        board.points().filter(allowed).collect()
    }

    #[test]
    fn every_allowed_move_is_equally_likely() {
        const DRAWS_EACH: u32 = 200;
        let (mut chi, mut freedom) = (0.0, 0.0);
        let mut rng = Rng::new(3, 0);
        for depth in (0..110).step_by(6) {
            let mut board = Board::<G9>::new(Size::square(9).unwrap());
            for _ in 0..depth {
                step::<G9, BLACK, WHITE>(&mut board, &mut rng, |_, _| true);
                step::<G9, WHITE, BLACK>(&mut board, &mut rng, |_, _| true);
            }
            let points = choices(&board);
            let mut counts = vec![0; G9::AREA];
            for _ in 0..DRAWS_EACH * points.len() as u32 {
                let mut next = board.clone();
                let point = step::<G9, BLACK, WHITE>(&mut next, &mut rng, |_, _| true);
                counts[point.expect("a move, as there are choices").index()] += 1;
            }
            let expected = f64::from(DRAWS_EACH);
            let excess = |&point: &Point| (f64::from(counts[point.index()]) - expected).powi(2) / expected;
            assert_eq!(
                points.iter().map(|point| counts[point.index()]).sum::<u32>(),
                counts.iter().sum::<u32>()
            );
            chi += points.iter().map(excess).sum::<f64>();
            freedom += (points.len() as f64 - 1.0).max(0.0);
        }
        // Chi-square is nearly normal with this many degrees of freedom.
        let deviation = (chi - freedom) / (2.0 * freedom).sqrt();
        assert!(freedom > 300.0 && deviation.abs() < 4.0, "{chi} with {freedom} degrees of freedom");
    }
}
