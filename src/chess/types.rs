//! Colours, kinds of pieces, squares and moves.

use std::fmt;
use std::ops::Not;

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// Moves first, up the board.
    White,
    /// Moves down the board.
    Black,
}

impl Color {
    /// Both, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `w` or `b`, as FEN has it.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

/// What a piece is, apart from its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Kind {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Kind {
    /// From the least valuable to the king.
    pub const ALL: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King];

    /// 0 for a pawn to 5 for a king.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The upper-case letter of the piece.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Kind::Pawn => 'P',
            Kind::Knight => 'N',
            Kind::Bishop => 'B',
            Kind::Rook => 'R',
            Kind::Queen => 'Q',
            Kind::King => 'K',
        }
    }

    /// The kind with this letter, in either case.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_uppercase())
    }
}

/// A square of the board: 0 is a1, 7 is h1, 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of a file and a rank, both 0 to 7.
    #[must_use]
    #[inline]
    pub const fn new(file: usize, rank: usize) -> Square {
        Square((rank << 3 | file) as u8 & 63)
    }

    /// The square with this index, 0 to 63.
    #[must_use]
    #[inline]
    pub const fn from_index(index: usize) -> Square {
        debug_assert!(index < 64);
        Square(index as u8 & 63)
    }

    /// 0 to 63.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// 0 for a to 7 for h.
    #[must_use]
    #[inline]
    pub const fn file(self) -> usize {
        (self.0 & 7) as usize
    }

    /// 0 to 7.
    #[must_use]
    #[inline]
    pub const fn rank(self) -> usize {
        self.index() >> 3
    }

    /// The square as `color` sees it, its own first rank being rank 0.
    #[must_use]
    #[inline]
    pub const fn relative(self, color: Color) -> Square {
        Square(self.0 ^ (color as u8 * 56))
    }

    /// The square on the same file of the next rank up for White, down for
    /// Black, which must exist.
    #[must_use]
    #[inline]
    pub const fn forward(self, color: Color) -> Square {
        match color {
            Color::White => Square((self.0 + 8) & 63),
            Color::Black => Square(self.0.wrapping_sub(8) & 63),
        }
    }

    /// King steps between two squares.
    #[must_use]
    #[inline]
    pub const fn distance(self, other: Square) -> usize {
        let (files, ranks) = (self.file().abs_diff(other.file()), self.rank().abs_diff(other.rank()));
        if files > ranks { files } else { ranks }
    }

    /// All 64, a1 first.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..64).map(Square)
    }

    /// Reads a name like `e4`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Square> {
        let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = text.as_bytes() else { return None };
        Some(Square::new((file - b'a').into(), (rank - b'1').into()))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file() as u8) as char, self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What is special about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MoveTag {
    /// Nothing: the piece goes from one square to the other and takes what is there.
    Normal,
    /// A pawn becomes another piece.
    Promotion,
    /// A pawn takes a pawn that has just passed it.
    EnPassant,
    /// The move goes from the king's square to its own rook's.
    Castling,
}

/// A move in 16 bits: from, to, promoted kind, tag. It means something only
/// in a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

impl Move {
    /// No move: from a1 to a1.
    pub const NONE: Move = Move(0);

    /// A move without anything special.
    #[must_use]
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Move {
        Move(from.0 as u16 | (to.0 as u16) << 6)
    }

    /// A promotion to `kind`, knight to queen.
    #[must_use]
    #[inline]
    pub const fn promotion(from: Square, to: Square, kind: Kind) -> Move {
        Move(Move::normal(from, to).0 | (kind as u16 - 1) << 12 | (MoveTag::Promotion as u16) << 14)
    }

    /// An en passant capture; `to` is the empty square behind the pawn taken.
    #[must_use]
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | (MoveTag::EnPassant as u16) << 14)
    }

    /// Castling with the rook on `rook`.
    #[must_use]
    #[inline]
    pub const fn castling(king: Square, rook: Square) -> Move {
        Move(Move::normal(king, rook).0 | (MoveTag::Castling as u16) << 14)
    }

    /// The bits, for tables.
    #[must_use]
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move with these bits, which need not make sense.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// Where the moving piece stands.
    #[must_use]
    #[inline]
    pub const fn from(self) -> Square {
        Square(self.0 as u8 & 63)
    }

    /// Where it goes (the rook's square for castling).
    #[must_use]
    #[inline]
    pub const fn to(self) -> Square {
        Square((self.0 >> 6) as u8 & 63)
    }

    /// What is special about it.
    #[must_use]
    #[inline]
    pub const fn tag(self) -> MoveTag {
        match self.0 >> 14 {
            0 => MoveTag::Normal,
            1 => MoveTag::Promotion,
            2 => MoveTag::EnPassant,
            _ => MoveTag::Castling,
        }
    }

    /// What the pawn becomes, if it is a promotion.
    #[must_use]
    #[inline]
    pub const fn promoted(self) -> Option<Kind> {
        if self.0 >> 14 != MoveTag::Promotion as u16 {
            return None;
        }
        Some(match self.0 >> 12 & 3 {
            0 => Kind::Knight,
            1 => Kind::Bishop,
            2 => Kind::Rook,
            _ => Kind::Queen,
        })
    }

    /// Whether there is a move.
    #[must_use]
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Where the king and the rook of a castling move end.
    #[must_use]
    #[inline]
    pub const fn castling_targets(self) -> (Square, Square) {
        let rank = self.from().rank();
        if self.to().0 > self.from().0 {
            (Square::new(6, rank), Square::new(5, rank))
        } else {
            (Square::new(2, rank), Square::new(3, rank))
        }
    }

    /// The move as UCI writes it: `e2e4`, `e7e8q`; castling is the king's step
    /// of two squares, or king takes rook if `chess960`.
    #[must_use]
    pub fn uci(self, chess960: bool) -> String {
        if !self.is_some() {
            return "0000".into();
        }
        let to = match self.tag() {
            MoveTag::Castling if !chess960 => self.castling_targets().0,
            _ => self.to(),
        };
        let promoted = self.promoted().map(|kind| kind.letter().to_ascii_lowercase());
        let mut text = format!("{}{to}", self.from());
        text.extend(promoted);
        text
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.uci(true))
    }
}
