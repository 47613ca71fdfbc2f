//! FEN, with Chess960's two ways to write castling rights (X-FEN and
//! Shredder-FEN), read with every check and written.

use thiserror::Error;

use super::attacks;
use super::bitboard::Bitboard;
use super::position::{MEN, Position, Wing};
use super::types::{Color, Kind, Square};

/// The start position of ordinary chess.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a FEN was refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum FenError {
    /// Fewer than the four fields that say what a position is.
    #[error("a FEN needs board, side, castling and en passant")]
    Fields,
    /// Not eight ranks of eight files, or an unknown letter.
    #[error("the board is malformed")]
    Board,
    /// Not one king for each side.
    #[error("each side needs one king")]
    Kings,
    /// More pieces than a game can have.
    #[error("a side has more pieces than any game gives it")]
    TooMany,
    /// A pawn on the first or the last rank.
    #[error("a pawn stands on the first or last rank")]
    PawnRank,
    /// Neither `w` nor `b`.
    #[error("the side to move is neither w nor b")]
    Side,
    /// The side that has just moved is in check.
    #[error("the side not to move is in check")]
    InCheck,
    /// Unknown letters among the castling rights.
    #[error("the castling rights are malformed")]
    Castling,
    /// Not a square, or not on the rank behind a pawn that moved two squares.
    #[error("the en passant square is malformed")]
    EnPassant,
    /// A counter that is not a number.
    #[error("a move counter is malformed")]
    Counter,
}

impl Default for Position {
    fn default() -> Self {
        Position::parse_fen(START).unwrap_or_else(|_| unreachable!("the start position is valid"))
    }
}

impl Position {
    /// Reads a FEN. The two counters may be missing. Castling rights without
    /// the rook or king that they need are dropped, and so is an en passant
    /// square on which no pawn can legally capture.
    ///
    /// # Errors
    /// What is malformed, or impossible in any game.
    pub fn parse_fen(text: &str) -> Result<Position, FenError> {
        let mut fields = text.split_ascii_whitespace();
        let mut field = || fields.next().ok_or(FenError::Fields);
        let (board, side, castling, en_passant) = (field()?, field()?, field()?, field()?);
        let mut position = Position::empty();
        position.read_board(board)?;
        position.check_material()?;
        position.read_side(side)?;
        let enemy_in_check = {
            let sliders = attacks::Sliders::get();
            let king = position.king(!position.side);
            (position.attackers(sliders, king, position.occupied()) & position.color(position.side)).any()
        };
        if enemy_in_check {
            return Err(FenError::InCheck);
        }
        position.read_castling(castling)?;
        position.read_en_passant(en_passant)?;
        let halfmoves: u32 = counter(fields.next(), 0)?;
        position.halfmoves = halfmoves.min(1000) as u16;
        position.moves = counter(fields.next(), 1)?.clamp(1, 60_000) as u16;
        debug_assert_eq!(position.check_consistency(), Ok(()));
        Ok(position)
    }

    fn read_board(&mut self, text: &str) -> Result<(), FenError> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 8 {
            return Err(FenError::Board);
        }
        let mut numbers = [1, MEN + 1];
        for (rank, row) in ranks.into_iter().rev().enumerate() {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(gap @ 1..=8) = letter.to_digit(10) {
                    file += gap as usize;
                } else {
                    let kind = Kind::from_letter(letter).ok_or(FenError::Board)?;
                    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
                    if file > 7 {
                        return Err(FenError::Board);
                    }
                    self.add(color, kind, Square::new(file, rank), &mut numbers)?;
                    file += 1;
                }
            }
            if file != 8 {
                return Err(FenError::Board);
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        color: Color,
        kind: Kind,
        square: Square,
        numbers: &mut [usize; 2],
    ) -> Result<(), FenError> {
        let next = &mut numbers[color.index()];
        let number = if kind == Kind::King {
            if self.of(color, Kind::King).any() {
                return Err(FenError::Kings);
            }
            color.index() * MEN
        } else {
            if *next == (color.index() + 1) * MEN {
                return Err(FenError::TooMany);
            }
            *next += 1;
            *next - 1
        };
        self.put(number, kind, square);
        Ok(())
    }

    fn check_material(&self) -> Result<(), FenError> {
        if (self.kind(Kind::Pawn) & (Bitboard::rank(0) | Bitboard::rank(7))).any() {
            return Err(FenError::PawnRank);
        }
        for color in Color::ALL {
            if self.of(color, Kind::King).is_empty() {
                return Err(FenError::Kings);
            }
            let count = |kind| self.of(color, kind).count();
            let promoted = count(Kind::Knight).saturating_sub(2)
                + count(Kind::Bishop).saturating_sub(2)
                + count(Kind::Rook).saturating_sub(2)
                + count(Kind::Queen).saturating_sub(1);
            if count(Kind::Pawn) + promoted > 8 {
                return Err(FenError::TooMany);
            }
        }
        Ok(())
    }

    fn read_side(&mut self, text: &str) -> Result<(), FenError> {
        match text {
            "w" => self.side = Color::White,
            "b" => {
                self.side = Color::Black;
                self.key ^= super::zobrist::BLACK_TO_MOVE;
            }
            _ => return Err(FenError::Side),
        }
        Ok(())
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let found = match letter.to_ascii_lowercase() {
                'k' => self.outer_rook(color, Wing::King),
                'q' => self.outer_rook(color, Wing::Queen),
                file @ 'a'..='h' => self.rook_on_file(color, file as usize - 'a' as usize),
                _ => return Err(FenError::Castling),
            };
            if let Some((wing, rook)) = found {
                self.grant(color, wing, rook);
            }
        }
        Ok(())
    }

    fn home_rooks(&self, color: Color) -> Bitboard {
        if self.king(color).relative(color).rank() != 0 {
            return Bitboard::EMPTY;
        }
        self.of(color, Kind::Rook) & Bitboard::relative_rank(color, 0)
    }

    /// The outermost rook on one side of a king at home.
    fn outer_rook(&self, color: Color, wing: Wing) -> Option<(Wing, Square)> {
        let king = self.king(color).file();
        let rooks = self.home_rooks(color).into_iter();
        match wing {
            Wing::King => rooks.filter(|rook| rook.file() > king).last(),
            Wing::Queen => rooks.filter(|rook| rook.file() < king).min(),
        }
        .map(|rook| (wing, rook))
    }

    fn rook_on_file(&self, color: Color, file: usize) -> Option<(Wing, Square)> {
        let king = self.king(color).file();
        let wing = if file > king { Wing::King } else { Wing::Queen };
        let rook = (self.home_rooks(color) & Bitboard::file(file)).into_iter().next();
        rook.map(|rook| (wing, rook))
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let behind = Square::parse(text).ok_or(FenError::EnPassant)?;
        let us = self.side;
        if behind.relative(us).rank() != 5 {
            return Err(FenError::EnPassant);
        }
        let (pawn, origin) = (behind.forward(!us), behind.forward(us));
        let moved_two = self.of(!us, Kind::Pawn).contains(pawn)
            && !self.occupied().contains(behind)
            && !self.occupied().contains(origin);
        let takers = attacks::pawn(!us, behind) & self.of(us, Kind::Pawn);
        if moved_two && self.can_take_en_passant(takers, behind, pawn) {
            self.set_en_passant(behind);
        }
        Ok(())
    }

    /// The position as FEN. Castling rights are written KQkq where that is
    /// unambiguous, else by the rook's file.
    #[must_use]
    pub fn fen(&self) -> String {
        let rows: Vec<String> = (0..8).rev().map(|rank| self.fen_row(rank)).collect();
        let en_passant = self.en_passant.map_or("-".into(), |square| square.to_string());
        format!(
            "{} {} {} {en_passant} {} {}",
            rows.join("/"),
            self.side.letter(),
            self.fen_castling(),
            self.halfmoves,
            self.moves
        )
    }

    fn fen_row(&self, rank: usize) -> String {
        let mut row = String::new();
        let mut gap = 0;
        for file in 0..8 {
            let Some((color, kind)) = self.piece_on(Square::new(file, rank)) else {
                gap += 1;
                continue;
            };
            if gap > 0 {
                row += &gap.to_string();
                gap = 0;
            }
            row.push(if color == Color::White { kind.letter() } else { kind.letter().to_ascii_lowercase() });
        }
        if gap > 0 {
            row += &gap.to_string();
        }
        row
    }

    fn fen_castling(&self) -> String {
        let mut text = String::new();
        for (color, wing) in Color::ALL.into_iter().flat_map(|color| Wing::ALL.map(|wing| (color, wing))) {
            let Some(rook) = self.castling_rook(color, wing) else { continue };
            let outermost = self.outer_rook(color, wing) == Some((wing, rook));
            let letter = match wing {
                Wing::King if outermost => 'k',
                Wing::Queen if outermost => 'q',
                _ => (b'a' + rook.file() as u8) as char,
            };
            text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
        if text.is_empty() { "-".into() } else { text }
    }
}

fn counter(text: Option<&str>, default: u32) -> Result<u32, FenError> {
    match text {
        None => Ok(default),
        Some("-") => Ok(default),
        Some(text) => text.parse().map_err(|_| FenError::Counter),
    }
}
