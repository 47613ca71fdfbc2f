//! Positions that games begin from; each is played twice, colours swapped.

use std::path::Path;

use crate::chess::position::Position;
use crate::formats::epd::Epd;
use crate::formats::pgn;
use crate::formats::sgf::{Action, Collection};
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::shared::rng::Rng;

/// A file of openings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// It cannot be read.
    #[error("{0}: {1}")]
    Read(String, std::io::Error),
    /// One of its openings makes no sense.
    #[error("{0}: {1}")]
    Content(String, String),
}

/// Moves of an opening of Go, Black first.
pub(super) type GoOpening = Vec<Move>;

/// An opening of chess.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChessOpening {
    /// The position, if it is not the usual one.
    pub(super) fen: Option<String>,
    /// Moves in UCI notation.
    pub(super) moves: Vec<String>,
}

/// Openings of Go on a board of `size`: the games of an SGF file, or lines of
/// vertices. At most `plies` moves of each.
pub(super) fn read_go(path: &Path, size: Size, plies: usize) -> Result<Vec<GoOpening>, OpeningError> {
    let bytes = read(path)?;
    let name = path.display().to_string();
    let fail = |text: String| OpeningError::Content(name.clone(), text);
    let openings = if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("sgf")) {
        let collection = Collection::parse(&bytes, &name).map_err(|e| fail(e.to_string()))?;
        collection
            .games()
            .map(|game| game.map_err(|e| e.to_string()).and_then(|game| go_moves(&game, size)))
            .collect::<Result<Vec<_>, _>>()
    } else {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let moves = |line: &str| line.split_whitespace().map(|word| vertex(word, size)).collect();
        lines(&text).map(moves).collect()
    };
    let mut openings = openings.map_err(fail)?;
    openings.iter_mut().for_each(|moves| moves.truncate(plies));
    some(openings, path)
}

fn vertex(word: &str, size: Size) -> Result<Move, String> {
    let mv: Result<Move, _> = word.parse();
    mv.ok()
        .filter(|mv| mv.coord().is_none_or(|coord| size.contains(coord)))
        .ok_or_else(|| format!("{word:?} is not a move on {size}"))
}

fn go_moves(game: &crate::formats::sgf::GameTree<'_>, size: Size) -> Result<GoOpening, String> {
    if game.size() != size {
        return Err(format!("an opening is for {}, the match for {size}", game.size()));
    }
    let mut moves = Vec::new();
    for step in game.main_line() {
        let expected = Color::BOTH[moves.len() % 2];
        match step.map_err(|e| e.to_string())?.action {
            Action::Play(color, mv) if color == expected => moves.push(mv),
            _ => return Err("an opening must be moves of Black and White in turn".into()),
        }
    }
    Ok(moves)
}

/// Openings of chess: the games of a PGN file, the positions of an EPD or FEN
/// file, or lines of moves in UCI notation. At most `plies` moves of each.
pub(super) fn read_chess(path: &Path, plies: usize) -> Result<Vec<ChessOpening>, OpeningError> {
    let bytes = read(path)?;
    let name = path.display().to_string();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let openings: Result<Vec<ChessOpening>, String> = match extension.to_str() {
        Some("pgn") => pgn::parse(&text).iter().map(|game| pgn_opening(game, plies)).collect(),
        Some("epd" | "fen") => lines(&text).map(epd_opening).collect(),
        _ => lines(&text)
            .map(|line| {
                let moves = line.split_whitespace().take(plies).map(str::to_owned).collect();
                checked(ChessOpening { fen: None, moves })
            })
            .collect(),
    };
    some(openings.map_err(|text| OpeningError::Content(name, text))?, path)
}

fn epd_opening(line: &str) -> Result<ChessOpening, String> {
    let epd = Epd::parse(line).map_err(|e| e.to_string())?;
    let position = Position::parse_fen(&epd.fen).map_err(|e| format!("{line:?}: {e}"))?;
    Ok(ChessOpening { fen: Some(position.fen()), moves: Vec::new() })
}

fn pgn_opening(game: &pgn::Game, plies: usize) -> Result<ChessOpening, String> {
    let fen = game.tag("FEN").map(str::to_owned);
    let mut position = start(fen.as_deref())?;
    let mut moves = Vec::new();
    for san in game.main_line().take(plies) {
        let mv = position.parse_san(san).ok_or_else(|| format!("{san:?} is not a legal move"))?;
        moves.push(mv.uci(false));
        position.play_unchecked(mv);
    }
    Ok(ChessOpening { fen, moves })
}

fn checked(opening: ChessOpening) -> Result<ChessOpening, String> {
    opening.position().map(|_| opening)
}

fn start(fen: Option<&str>) -> Result<Position, String> {
    fen.map_or_else(|| Ok(Position::default()), |fen| Position::parse_fen(fen).map_err(|e| e.to_string()))
}

impl ChessOpening {
    /// The position that the opening leads to.
    pub(super) fn position(&self) -> Result<Position, String> {
        let mut position = start(self.fen.as_deref())?;
        for text in &self.moves {
            let mv = position.parse_uci(text).ok_or_else(|| format!("{text:?} is not a legal move"))?;
            position.play_unchecked(mv);
        }
        Ok(position)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, OpeningError> {
    std::fs::read(path).map_err(|e| OpeningError::Read(path.display().to_string(), e))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn some<T>(openings: Vec<T>, path: &Path) -> Result<Vec<T>, OpeningError> {
    if openings.is_empty() {
        Err(OpeningError::Content(path.display().to_string(), "there is no opening".into()))
    } else {
        Ok(openings)
    }
}

/// Brings the openings into the order that `seed` gives.
pub(super) fn shuffle<T>(openings: &mut [T], seed: u64) {
    let mut rng = Rng::new(seed, 0);
    for last in (1..openings.len()).rev() {
        openings.swap(last, rng.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(extension: &str, text: &str) -> tempfile::TempPath {
        let file = tempfile::Builder::new().suffix(extension).tempfile().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file.into_temp_path()
    }

    #[test]
    fn go_openings_come_as_records_or_lines() {
        let size = Size::square(9).unwrap();
        let lines = file(".txt", "# two\nE5 C3\nD4 pass E5\n");
        assert_eq!(read_go(&lines, size, 2).unwrap()[1].len(), 2);
        let records = file(".sgf", "(;SZ[9];B[ee];W[cc])(;SZ[9];B[gg])");
        assert_eq!(read_go(&records, size, 9).unwrap().len(), 2);
        let other = file(".sgf", "(;SZ[13];B[ee])");
        assert!(read_go(&other, size, 9).unwrap_err().to_string().contains("13x13"));
        assert!(read_go(&file(".txt", "K10"), size, 9).is_err());
        assert!(read_go(&file(".txt", "\n"), size, 9).is_err());
    }

    #[test]
    fn chess_openings_come_in_three_forms() {
        let uci = read_chess(&file(".txt", "e2e4 e7e5 g1f3\n"), 2).unwrap();
        assert_eq!(uci[0].moves, ["e2e4", "e7e5"]);
        let pgn = read_chess(&file(".pgn", "[White \"x\"]\n\n1. e4 e5 2. Nf3 *\n"), 9).unwrap();
        assert_eq!(pgn[0].moves, ["e2e4", "e7e5", "g1f3"]);
        let epd = read_chess(&file(".epd", "4k3/8/8/8/8/8/8/4K2R w K - bm O-O;\n"), 9).unwrap();
        assert!(epd[0].fen.as_deref().unwrap().starts_with("4k3/8/8/8/8/8/8/4K2R w K"));
        assert!(read_chess(&file(".txt", "e2e5\n"), 9).is_err());
    }

    #[test]
    fn a_seed_gives_one_order() {
        let order = |seed| {
            let mut numbers: Vec<u32> = (0..50).collect();
            shuffle(&mut numbers, seed);
            numbers
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }
}
