//! A game of chess as those keep it who watch over one: the positions, the
//! moves in both notations, and how it ends.

use std::fmt;

use crate::chess::fen::FenError;
use crate::chess::position::Position;
use crate::chess::types::Move;
use crate::formats::pgn::{Element, Game};

/// How a game ends by the rules. Threefold repetition and fifty moves count
/// without a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Mate,
    /// The side to move has no move.
    Stalemate,
    /// A position came up for the third time.
    Repetition,
    /// Fifty moves of both without capture or pawn move.
    FiftyMoves,
    /// Nobody can mate.
    Insufficient,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Mate => "mate",
            Ending::Stalemate => "stalemate",
            Ending::Repetition => "repetition",
            Ending::FiftyMoves => "fifty moves",
            Ending::Insufficient => "insufficient material",
        })
    }
}

/// A game in progress.
#[derive(Clone)]
pub struct ChessLine {
    fen: Option<String>,
    /// The position at the start and after each move.
    positions: Vec<Position>,
    moves: Vec<Move>,
    san: Vec<String>,
}

impl ChessLine {
    /// A game from a position in FEN, or from the usual one.
    ///
    /// # Errors
    /// The text is no position.
    pub fn new(fen: Option<&str>) -> Result<Self, FenError> {
        let start = fen.map(Position::parse_fen).transpose()?.unwrap_or_default();
        Ok(ChessLine {
            fen: fen.map(str::to_owned),
            positions: vec![start],
            moves: Vec::new(),
            san: Vec::new(),
        })
    }

    /// The position to begin with.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The present position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    /// The moves so far.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The moves so far in standard algebraic notation.
    #[must_use]
    pub fn san(&self) -> &[String] {
        &self.san
    }

    /// The legal move that the text means, in UCI's notation or SAN.
    #[must_use]
    pub fn parse(&self, text: &str) -> Option<Move> {
        let position = self.position();
        position.parse_uci(&text.to_lowercase()).or_else(|| position.parse_san(text))
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.san.push(self.position().san(mv));
        self.positions.push(self.position().after(mv));
        self.moves.push(mv);
    }

    /// Takes the last move back; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let undone = self.moves.pop()?;
        self.positions.pop();
        self.san.pop();
        Some(undone)
    }

    /// How the game has ended, if it has.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        let position = self.position();
        if position.legal_moves().is_empty() {
            return Some(if position.checkers().any() { Ending::Mate } else { Ending::Stalemate });
        }
        let same = self.positions.iter().filter(|past| past.key() == position.key()).count();
        if same >= 3 {
            Some(Ending::Repetition)
        } else if position.halfmoves() >= 100 {
            Some(Ending::FiftyMoves)
        } else if position.is_insufficient() {
            Some(Ending::Insufficient)
        } else {
            None
        }
    }

    /// Whether the player to move could claim a draw with one of his moves: it
    /// would be the third time of a position, or end fifty moves of both
    /// without capture or pawn move.
    #[must_use]
    pub fn can_claim(&self) -> bool {
        let position = self.position();
        position.legal_moves().iter().any(|&mv| {
            let next = position.after(mv);
            let earlier = self.positions.iter().filter(|past| past.key() == next.key()).count();
            earlier >= 2 || next.halfmoves() >= 100
        })
    }

    /// The game as PGN between two players, White first.
    #[must_use]
    pub fn pgn(&self, event: &str, players: [&str; 2], result: &str) -> Game {
        let mut game = Game { result: result.to_owned(), ..Game::default() };
        let tags = [
            ("Event", event),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "-"),
            ("White", players[0]),
            ("Black", players[1]),
            ("Result", result),
        ];
        for (name, value) in tags {
            game.set_tag(name, value);
        }
        if let Some(fen) = &self.fen {
            game.set_tag("SetUp", "1");
            game.set_tag("FEN", fen);
        }
        game.elements = self.san.iter().cloned().map(Element::Move).collect();
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(fen: Option<&str>, moves: &str) -> ChessLine {
        let mut line = ChessLine::new(fen).unwrap();
        for text in moves.split_whitespace() {
            let mv = line.parse(text).unwrap_or_else(|| panic!("{text}"));
            line.play(mv);
        }
        line
    }

    #[test]
    fn games_end_by_the_rules() {
        assert_eq!(after(None, "f3 e5 g2g4 Qh4").ending(), Some(Ending::Mate));
        let shuffle = "Nf3 Nf6 Ng1 Ng8 ";
        assert_eq!(after(None, shuffle).ending(), None);
        assert_eq!(after(None, &shuffle.repeat(2)).ending(), Some(Ending::Repetition));
        assert!(after(None, &(shuffle.to_owned() + "Nf3 Nf6 Ng1")).can_claim());
        assert!(!after(None, &(shuffle.to_owned() + "Nf3 Nf6")).can_claim());
        let bare = after(Some("8/8/8/8/8/5k2/6p1/6K1 w - - 0 1"), "Kh2 Kf2 Kh3");
        assert_eq!(bare.ending(), None);
        assert_eq!(after(Some("k7/8/1QK5/8/8/8/8/8 b - - 0 1"), "").ending(), Some(Ending::Stalemate));
        assert_eq!(
            after(Some("8/8/8/8/8/5k2/6r1/6K1 w - - 99 80"), "Kh1").ending(),
            Some(Ending::FiftyMoves)
        );
        assert_eq!(after(Some("8/8/8/8/8/5k2/6p1/6K1 b - - 0 1"), "").ending(), None);
    }

    #[test]
    fn moves_are_taken_back() {
        let mut line = after(None, "e4 e5 Nf3");
        assert_eq!(line.undo().map(|mv| mv.uci(false)), Some("g1f3".into()));
        assert_eq!(line.san(), ["e4", "e5"]);
        assert!(line.undo().is_some() && line.undo().is_some() && line.undo().is_none());
        assert_eq!(line.position().key(), line.start().key());
    }

    #[test]
    fn the_game_becomes_pgn() {
        let text = after(None, "e4 e5").pgn("test", ["a", "b"], "*").to_string();
        assert!(text.contains("[White \"a\"]") && text.contains("1. e4 e5 *"), "{text}");
    }
}
