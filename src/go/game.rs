//! A game in progress: where it began, what was played, under which rules.

use super::bits::PointSet;
use super::board::Board;
use super::color::Color;
use super::coord::{Coord, Move, Size};
use super::geometry::G25;
use super::rules::{KoRule, Rules, Scoring};
use crate::shared::hash::Key;

/// Why a move cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The point is not on the board.
    #[error("the point is outside the board")]
    Outside,
    /// The point has a stone.
    #[error("the point is occupied")]
    Occupied,
    /// It retakes a ko at once.
    #[error("the move retakes a ko")]
    Ko,
    /// It leaves its own chain without liberties.
    #[error("the move is suicide")]
    Suicide,
    /// It repeats an earlier position, which the rules forbid.
    #[error("the move repeats an earlier position")]
    Superko,
}

/// One entry of a game's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A player moved.
    Move(Color, Move),
    /// Stones were put on points or taken off them, outside the rules of play.
    Setup(Vec<(Coord, Option<Color>)>),
}

/// A game: set-up, moves, rules and komi, with the board that results.
///
/// Undo goes back to the start without limit. Handicap stones belong to the
/// start, so they are not undone.
#[derive(Clone)]
pub struct Game {
    rules: Rules,
    komi: f64,
    handicap: Vec<Coord>,
    start: Box<Board<G25>>,
    first: Color,
    events: Vec<Event>,
    board: Box<Board<G25>>,
    /// After the start and after each event: the stones' key, and the player
    /// to move.
    past: Vec<(Key, Color)>,
}

impl Game {
    /// An empty board. `komi` goes to White.
    #[must_use]
    pub fn new(size: Size, rules: Rules, komi: f64) -> Self {
        let board = Box::new(Board::new(size));
        let past = vec![(board.key(), Color::Black)];
        Game {
            rules,
            komi,
            handicap: Vec::new(),
            start: board.clone(),
            first: Color::Black,
            events: Vec::new(),
            board,
            past,
        }
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> Size {
        self.board.size()
    }

    /// The rules in force.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Changes the rules from here on; what was played stands.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Points that White receives, apart from those for handicap stones.
    #[must_use]
    pub fn komi(&self) -> f64 {
        self.komi
    }

    /// Changes komi from here on.
    pub fn set_komi(&mut self, komi: f64) {
        // Makes zero of minus zero, which records would show.
        self.komi = komi + 0.0;
    }

    /// Komi and the rules' points for handicap stones together.
    #[must_use]
    pub fn total_komi(&self) -> f64 {
        self.komi + self.rules.handicap_points(self.handicap.len())
    }

    /// Black's handicap stones.
    #[must_use]
    pub fn handicap(&self) -> &[Coord] {
        &self.handicap
    }

    /// The board as it stands.
    #[must_use]
    pub fn board(&self) -> &Board<G25> {
        &self.board
    }

    /// The board before the first event, with handicap stones.
    #[must_use]
    pub fn start(&self) -> &Board<G25> {
        &self.start
    }

    /// Everything since the start, in order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The moves since the start, in order.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = (Color, Move)> + '_ {
        self.events.iter().filter_map(|event| match *event {
            Event::Move(color, mv) => Some((color, mv)),
            Event::Setup(_) => None,
        })
    }

    /// Whether nothing has happened on an empty board.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.events.is_empty() && self.board.empty_count() == self.size().points()
    }

    /// The player whose turn it is.
    #[must_use]
    pub fn to_move(&self) -> Color {
        self.past.last().map_or(self.first, |&(_, color)| color)
    }

    /// Says whose turn it is, without a move: GTP and set-up positions may
    /// have either player move at any time.
    pub fn set_to_move(&mut self, color: Color) {
        if self.events.is_empty() {
            self.first = color;
        }
        if let Some(last) = self.past.last_mut() {
            last.1 = color;
        }
    }

    /// The stone on a point.
    #[must_use]
    pub fn color_at(&self, coord: Coord) -> Option<Color> {
        self.board.color_at(self.board.point(coord))
    }

    /// How many of the last events in a row were passes.
    #[must_use]
    pub fn passes_in_a_row(&self) -> usize {
        self.events.iter().rev().take_while(|event| matches!(event, Event::Move(_, Move::Pass))).count()
    }

    /// The last move, unless stones were set up since.
    #[must_use]
    pub fn last_move(&self) -> Option<(Color, Move)> {
        match self.events.last() {
            Some(&Event::Move(color, mv)) => Some((color, mv)),
            _ => None,
        }
    }

    /// Positions so far, the present one last: the stones' keys, each with the
    /// player to move. This is what superko forbids to repeat.
    #[must_use]
    pub fn past(&self) -> &[(Key, Color)] {
        &self.past
    }

    /// Whether the stones `key` with `next` to move would repeat an earlier
    /// position in the sense of `ko`.
    #[must_use]
    pub fn repeats(&self, ko: KoRule, key: Key, next: Color) -> bool {
        match ko {
            KoRule::Simple => false,
            KoRule::PositionalSuperko => self.past.iter().any(|&(past, _)| past == key),
            KoRule::SituationalSuperko => self.past.contains(&(key, next)),
        }
    }

    /// Whether `color` may play `mv` now.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn check(&self, color: Color, mv: Move) -> Result<(), Illegal> {
        let Move::Play(coord) = mv else { return Ok(()) };
        if !self.size().contains(coord) {
            return Err(Illegal::Outside);
        }
        let point = self.board.point(coord);
        if !self.board.is_empty(point) {
            return Err(Illegal::Occupied);
        }
        if !self.board.is_legal(point, color, self.rules.suicide) {
            let ko = self.board.ko_point() == Some(point);
            return Err(if ko { Illegal::Ko } else { Illegal::Suicide });
        }
        let next = color.opponent();
        if self.repeats(self.rules.ko, self.board.resulting_key(point, color), next) {
            return Err(Illegal::Superko);
        }
        Ok(())
    }

    /// Plays a move. Either player may move at any time, as in GTP.
    ///
    /// # Errors
    /// The rule that forbids it; the game is as before then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.check(color, mv)?;
        self.apply(Event::Move(color, mv));
        Ok(())
    }

    /// Puts stones on points, or takes them off, in one step that undo takes
    /// back whole. Chains left without liberties are taken off, those of the
    /// player not to move first.
    ///
    /// # Errors
    /// A point outside the board; the game is as before then.
    pub fn set_up(&mut self, stones: Vec<(Coord, Option<Color>)>) -> Result<(), Illegal> {
        if stones.iter().any(|&(coord, _)| !self.size().contains(coord)) {
            return Err(Illegal::Outside);
        }
        self.apply(Event::Setup(stones));
        Ok(())
    }

    /// Puts Black's handicap stones on the empty board. White is to move.
    ///
    /// # Errors
    /// A point outside the board or named twice, or a board that is not empty;
    /// the game is as before then.
    pub fn place_handicap(&mut self, stones: &[Coord]) -> Result<(), Illegal> {
        if !self.is_untouched() {
            return Err(Illegal::Occupied);
        }
        let mut board = self.start.clone();
        for &coord in stones {
            if !self.size().contains(coord) {
                return Err(Illegal::Outside);
            }
            let point = board.point(coord);
            if !board.is_empty(point) {
                return Err(Illegal::Occupied);
            }
            board.set_stone(point, Some(Color::Black));
        }
        self.handicap = stones.to_vec();
        self.first = Color::White;
        self.past = vec![(board.key(), self.first)];
        self.start = board.clone();
        self.board = board;
        Ok(())
    }

    /// Takes back the last event, if there is one.
    pub fn undo(&mut self) -> Option<Event> {
        let undone = self.events.pop()?;
        self.past.pop();
        self.board = self.start.clone();
        for event in &self.events {
            perform(&mut self.board, event);
        }
        Some(undone)
    }

    /// The game as it was after its first `count` events.
    #[must_use]
    pub fn at(&self, count: usize) -> Self {
        let mut earlier = self.clone();
        earlier.events.clear();
        earlier.past.truncate(count.min(self.events.len()) + 1);
        earlier.board = earlier.start.clone();
        for event in self.events.iter().take(count) {
            perform(&mut earlier.board, event);
            earlier.events.push(event.clone());
        }
        earlier
    }

    /// Tromp-Taylor area on the board as it stands, Black minus White, komi and
    /// handicap points taken off.
    #[must_use]
    pub fn area_result(&self) -> f64 {
        f64::from(self.board.area_score()) - self.total_komi()
    }

    /// Under territory scoring, the stones that Black has placed so far, minus
    /// those that White has: what an area score has to lose to become one of
    /// territory and prisoners.
    #[must_use]
    pub fn placed_balance(&self) -> Option<i32> {
        let placed = |color: Color| {
            let on_board = self.board.stones(color).count();
            (on_board + self.board.captured(color.opponent())) as i32
        };
        let territory = self.rules.scoring == Scoring::Territory;
        territory.then(|| placed(Color::Black) - placed(Color::White))
    }

    /// All moves that are legal for `color`, passes not among them.
    #[must_use]
    pub fn legal_moves(&self, color: Color) -> Vec<Coord> {
        self.size().coords().filter(|&coord| self.check(color, Move::Play(coord)).is_ok()).collect()
    }

    fn apply(&mut self, event: Event) {
        perform(&mut self.board, &event);
        let next = match event {
            Event::Move(color, _) => color.opponent(),
            Event::Setup(_) => self.to_move(),
        };
        self.past.push((self.board.key(), next));
        self.events.push(event);
    }
}

/// Carries out an event that was found legal.
fn perform(board: &mut Board<G25>, event: &Event) {
    match event {
        Event::Move(color, Move::Pass) => board.pass(*color),
        Event::Move(color, Move::Play(coord)) => board.play(board.point(*coord), *color),
        Event::Setup(stones) => {
            for &(coord, stone) in stones {
                board.set_stone(board.point(coord), stone);
            }
            board.remove_breathless();
        }
    }
}
