//! Standard algebraic notation, read leniently and written strictly.

use super::movegen::MoveList;
use super::position::Position;
use super::types::{Kind, Move, MoveTag, Square};

impl Position {
    /// A legal move in standard algebraic notation, with `+` or `#`.
    #[must_use]
    pub fn san(&self, mv: Move) -> String {
        let mut text = self.san_body(mv);
        let next = self.after(mv);
        if next.checkers().any() {
            text.push(if next.legal_moves().is_empty() { '#' } else { '+' });
        }
        text
    }

    fn san_body(&self, mv: Move) -> String {
        if mv.tag() == MoveTag::Castling {
            return if mv.to() > mv.from() { "O-O".into() } else { "O-O-O".into() };
        }
        let takes = self.captured(mv).is_some();
        let mut text = String::new();
        match self.kind_on(mv.from()) {
            Some(Kind::Pawn) | None => {
                if takes {
                    text.push(file_letter(mv.from()));
                }
            }
            Some(kind) => {
                text.push(kind.letter());
                text += &self.disambiguation(mv, kind);
            }
        }
        if takes {
            text.push('x');
        }
        text += &mv.to().to_string();
        if let Some(kind) = mv.promoted() {
            text.push('=');
            text.push(kind.letter());
        }
        text
    }

    /// As much of the origin as tells the move from those of like pieces.
    fn disambiguation(&self, mv: Move, kind: Kind) -> String {
        let moves = self.legal_moves();
        let rivals: Vec<Square> = moves
            .iter()
            .filter(|other| {
                other.to() == mv.to()
                    && other.from() != mv.from()
                    && other.tag() != MoveTag::Castling
                    && self.kind_on(other.from()) == Some(kind)
            })
            .map(|other| other.from())
            .collect();
        let from = mv.from();
        if rivals.is_empty() {
            String::new()
        } else if rivals.iter().all(|rival| rival.file() != from.file()) {
            file_letter(from).into()
        } else if rivals.iter().all(|rival| rival.rank() != from.rank()) {
            (from.rank() + 1).to_string()
        } else {
            from.to_string()
        }
    }

    /// The one legal move that the text means. Check marks, `x`, `=`, `-` and
    /// annotations are ignored; castling may be written with letters or zeros.
    #[must_use]
    pub fn parse_san(&self, text: &str) -> Option<Move> {
        let core: String =
            text.trim().chars().filter(|c| !matches!(c, '+' | '#' | '!' | '?' | 'x' | '=' | ':')).collect();
        let moves = self.legal_moves();
        if matches!(core.as_str(), "O-O" | "0-0" | "o-o" | "O-O-O" | "0-0-0" | "o-o-o") {
            let long = core.len() > 3;
            let castles = |mv: &&Move| mv.tag() == MoveTag::Castling && (mv.to() < mv.from()) == long;
            return moves.iter().find(castles).copied();
        }
        let pattern = Pattern::parse(&core.replace('-', ""))?;
        self.single_match(&moves, &pattern)
    }

    fn single_match(&self, moves: &MoveList, pattern: &Pattern) -> Option<Move> {
        let mut matching = moves.iter().filter(|mv| {
            mv.tag() != MoveTag::Castling
                && mv.to() == pattern.to
                && mv.promoted() == pattern.promoted
                && self.kind_on(mv.from()) == Some(pattern.kind)
                && pattern.file.is_none_or(|file| mv.from().file() == file)
                && pattern.rank.is_none_or(|rank| mv.from().rank() == rank)
        });
        let found = matching.next();
        if matching.next().is_some() { None } else { found.copied() }
    }
}

fn file_letter(square: Square) -> char {
    (b'a' + square.file() as u8) as char
}

/// What SAN says of a move other than castling.
struct Pattern {
    kind: Kind,
    file: Option<usize>,
    rank: Option<usize>,
    to: Square,
    promoted: Option<Kind>,
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        let mut rest = text.as_bytes();
        let mut kind = Kind::Pawn;
        if let [first @ (b'N' | b'B' | b'R' | b'Q' | b'K' | b'P'), tail @ ..] = rest {
            kind = Kind::from_letter(char::from(*first))?;
            rest = tail;
        }
        let mut promoted = None;
        if let [head @ .., last @ (b'N' | b'B' | b'R' | b'Q' | b'n' | b'r' | b'q')] = rest {
            promoted = Kind::from_letter(char::from(*last));
            rest = head;
        }
        let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = Square::parse(std::str::from_utf8(to).ok()?)?;
        let (mut file, mut rank) = (None, None);
        for &byte in origin {
            match byte {
                b'a'..=b'h' if file.is_none() => file = Some(usize::from(byte - b'a')),
                b'1'..=b'8' if rank.is_none() => rank = Some(usize::from(byte - b'1')),
                _ => return None,
            }
        }
        Some(Pattern { kind, file, rank, to, promoted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::rng::Rng;

    #[test]
    fn written_moves_read_back() {
        let mut rng = Rng::new(5, 0);
        for _ in 0..60 {
            let mut position = Position::default();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for &mv in moves.iter() {
                    assert_eq!(position.parse_san(&position.san(mv)), Some(mv), "{position:?}");
                }
                position.play_unchecked(moves[rng.below(moves.len())]);
            }
        }
    }

    #[test]
    fn says_no_more_than_needed() {
        let fen = "1k6/8/8/R6R/8/8/6PK/R7 w - - 0 1";
        let position = Position::parse_fen(fen).expect("valid");
        let san = |uci: &str| position.san(position.parse_uci(uci).expect("legal"));
        assert_eq!(san("a5a3"), "R5a3");
        assert_eq!(san("h5d5"), "Rhd5");
        assert_eq!(san("g2g4"), "g4");
        assert_eq!(position.parse_san("Rd5"), None, "two rooks can go there");
        assert_eq!(position.parse_san(""), None);
        assert_eq!(position.parse_san("é4"), None);
    }
}
