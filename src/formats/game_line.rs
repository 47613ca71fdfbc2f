//! Go games of one line each, for large collections:
//! `source size komi handicap result moves`.
//!
//! The moves follow each other without blanks, each three letters: `b`, `w`,
//! or `a` for a handicap stone of Black, and two letters as in SGF, or `--` for
//! a pass. `?` stands for what is not known.

use std::fmt;

use super::sgf::{GameResult, GameTree, Margin, SgfError, StopAt, parse_komi, parse_move, point_text};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Event;
use crate::go::rules::Rules;
use crate::shared::hash::mix;

/// What is left of a game to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct GameLine {
    /// Where the game comes from, in a word.
    pub source: String,
    /// The board.
    pub size: Size,
    /// Points for White; `None` if not known.
    pub komi: Option<f64>,
    /// How the game ended.
    pub result: GameResult,
    /// Black's stones before the first move.
    pub handicap: Vec<Coord>,
    /// What was played.
    pub moves: Vec<(Color, Move)>,
}

/// Why a line is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameLineError {
    /// A field is missing or more than there should be.
    #[error("expected: source size komi handicap result moves")]
    Fields,
    /// No such board.
    #[error("no board size: {0}")]
    Size(String),
    /// A move that cannot be read.
    #[error("no move: {0}")]
    Move(String),
}

impl GameLine {
    /// Reads a line. Komi of 100 or more is in hundredths, as some servers
    /// write it; a plain `0` in an even game counts as not known, as it is
    /// what they write then.
    ///
    /// # Errors
    /// A field is missing or cannot be read.
    pub fn parse(line: &str) -> Result<Self, GameLineError> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (source, size, komi, result, moves) = match fields[..] {
            [source, size, komi, _, result] => (source, size, komi, result, ""),
            [source, size, komi, _, result, moves] => (source, size, komi, result, moves),
            _ => return Err(GameLineError::Fields),
        };
        let board = size.parse().ok().and_then(Size::square);
        let size = board.ok_or_else(|| GameLineError::Size(size.to_owned()))?;
        let (mut handicap, mut played) = (Vec::new(), Vec::new());
        for text in moves.as_bytes().chunks(3) {
            let text = String::from_utf8_lossy(text);
            match read_move(&text, size).ok_or_else(|| GameLineError::Move(text.into_owned()))? {
                (None, Move::Play(coord)) => handicap.push(coord),
                (None, Move::Pass) => {}
                (Some(color), mv) => played.push((color, mv)),
            }
        }
        let komi = if komi == "0" && handicap.is_empty() { None } else { parse_komi(komi) };
        Ok(GameLine {
            source: source.to_owned(),
            size,
            komi,
            result: GameResult::parse(result),
            handicap,
            moves: played,
        })
    }

    /// The main line of a record. `None` for games that set up other stones
    /// than Black's handicap, as their moves are not the whole story.
    ///
    /// # Errors
    /// The record has a move that cannot be played.
    pub fn from_sgf(source: &str, tree: &GameTree<'_>) -> Result<Option<Self>, SgfError> {
        let game = tree.replay(StopAt::End, Rules::default(), 0.0)?;
        let set_up = game.events().iter().any(|event| matches!(event, Event::Setup(_)));
        Ok((!set_up).then(|| GameLine {
            source: source.to_owned(),
            size: tree.size(),
            komi: tree.komi(),
            result: tree.result(),
            handicap: game.handicap().to_vec(),
            moves: game.moves().collect(),
        }))
    }

    /// A number for the moves alone: equal games have equal numbers, wherever
    /// they come from. It will not change from version to version.
    #[must_use]
    pub fn moves_hash(&self) -> u64 {
        let number = |mv: Move| mv.coord().map_or(0, |c| 1 + u64::from(c.y) * 32 + u64::from(c.x));
        let mut handicap: Vec<u64> =
            self.handicap.iter().map(|&stone| 4096 + number(Move::Play(stone))).collect();
        handicap.sort_unstable();
        let moves = self.moves.iter().map(|&(color, mv)| 2048 * color.index() as u64 + number(mv));
        handicap.into_iter().chain(moves).fold(mix(self.size.points() as u64), |hash, item| mix(hash ^ item))
    }

    /// By how many points Black is ahead in the end, without komi, if the game
    /// was counted and its komi is known.
    #[must_use]
    pub fn black_margin(&self) -> Option<f64> {
        let margin = match self.result {
            GameResult::Win(Color::Black, Margin::Points(points)) => points,
            GameResult::Win(Color::White, Margin::Points(points)) => -points,
            GameResult::Draw => 0.0,
            _ => return None,
        };
        Some(margin + self.komi?)
    }
}

/// The player, none for a handicap stone, and the move.
fn read_move(text: &str, size: Size) -> Option<(Option<Color>, Move)> {
    let (player, point) = text.split_at_checked(1)?;
    let color = match player {
        "b" => Some(Color::Black),
        "w" => Some(Color::White),
        "a" => None,
        _ => return None,
    };
    let is_pass = point == "--";
    let mv = if is_pass { Some(Move::Pass) } else { parse_move(point, size) };
    mv.filter(|mv| is_pass || mv.coord().is_some()).map(|mv| (color, mv))
}

impl fmt::Display for GameLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.source, self.size.width())?;
        match self.komi {
            Some(komi) => write!(f, "{komi:.2}")?,
            None => f.write_str("?")?,
        }
        write!(f, " {} {} ", self.handicap.len(), self.result)?;
        for &stone in &self.handicap {
            write!(f, "a{}", point_text(stone, self.size))?;
        }
        for &(color, mv) in &self.moves {
            let player = if color == Color::Black { 'b' } else { 'w' };
            match mv {
                Move::Play(coord) => write!(f, "{player}{}", point_text(coord, self.size))?,
                Move::Pass => write!(f, "{player}--")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::sgf::Collection;

    const LINE: &str = "club 9 6.50 2 W+R aggacbwccbefw--";

    #[test]
    fn a_line_is_read_and_written() {
        let game = GameLine::parse(LINE).unwrap();
        assert_eq!((game.size, game.komi), (Size::square(9).unwrap(), Some(6.5)));
        assert_eq!(game.handicap, [Coord { x: 6, y: 2 }, Coord { x: 2, y: 7 }]);
        assert_eq!(game.moves.len(), 3);
        assert_eq!(game.moves[2], (Color::White, Move::Pass));
        assert_eq!(game.to_string(), LINE);
    }

    #[test]
    fn komi_is_understood_in_every_form() {
        let komi = |text: &str| GameLine::parse(&format!("x 19 {text} 0 B+3.5 bpd")).unwrap().komi;
        assert_eq!([komi("750"), komi("7.5"), komi("0"), komi("?")], [Some(7.5), Some(7.5), None, None]);
    }

    #[test]
    fn margins_leave_komi_out() {
        let margin = |text: &str| GameLine::parse(text).unwrap().black_margin();
        assert_eq!(margin("x 19 7.50 0 W+3.5 bpd"), Some(4.0));
        assert_eq!(margin("x 19 7.50 0 B+R bpd"), None);
        assert_eq!(margin("x 19 ? 0 B+3.5 bpd"), None);
    }

    #[test]
    fn what_is_no_game_is_named() {
        let error = |text: &str| GameLine::parse(text).unwrap_err();
        assert_eq!(error("x 19 7.5"), GameLineError::Fields);
        assert_eq!(error("x 40 7.5 0 ? bpd"), GameLineError::Size("40".into()));
        assert_eq!(error("x 9 7.5 0 ? bpd"), GameLineError::Move("bpd".into()));
        assert_eq!(error("x 9 7.5 0 ? baabc"), GameLineError::Move("bc".into()));
        assert!(matches!(error("x 9 7.5 0 ? bé"), GameLineError::Move(_)));
    }

    #[test]
    fn records_of_the_same_game_have_the_same_hash() {
        let sgf = "(;GM[1]SZ[9]KM[5.5]HA[2]AB[gg][ca];W[cc];B[ef];W[])";
        let collection = Collection::parse(sgf.as_bytes(), "game.sgf").unwrap();
        let tree = collection.first_game().unwrap();
        let game = GameLine::from_sgf("sgf", &tree).unwrap().unwrap();
        assert_eq!(game.komi, Some(5.5));
        let line = "club 9 6.50 2 W+R acaaggwccbefw--";
        assert_eq!(game.moves_hash(), GameLine::parse(line).unwrap().moves_hash());
        assert_ne!(game.moves_hash(), GameLine::parse(LINE).unwrap().moves_hash());
    }
}
