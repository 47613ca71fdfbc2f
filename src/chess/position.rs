//! A position, and how moves change it.
//!
//! Pieces are kept three ways at once: `men[square]` names the piece on a
//! square by its number in the piece list, `list[number]` is the square of
//! that piece, and sets of squares for each kind and colour stand beside
//! them. The kings have fixed numbers; a piece keeps its number for life.
//! There is no take-back: a search keeps the position before the move.

use std::fmt;

use crate::shared::hash::{Key, mix};

use super::attacks::{self, Sliders};
use super::bitboard::Bitboard;
use super::types::{Color, Kind, Move, MoveTag, Square};
use super::zobrist;

/// A square without a piece, or a piece without a square.
const NOTHING: u8 = 0xff;
/// Pieces of one side at most.
pub const MEN: usize = 16;

/// What stands on a square: the number of the piece in the list (0 to 15
/// White, 16 to 31 Black, the kings first) in five bits, its kind above.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Man(pub(super) u8);

impl Man {
    pub(super) const NONE: Man = Man(NOTHING);

    #[inline]
    pub(super) const fn new(number: usize, kind: Kind) -> Man {
        Man(number as u8 | (kind as u8) << 5)
    }

    #[inline]
    pub(super) const fn number(self) -> usize {
        (self.0 & 31) as usize
    }

    #[inline]
    const fn color(self) -> Color {
        if self.0 & 16 == 0 { Color::White } else { Color::Black }
    }

    /// The index of the kind of one that is there.
    #[inline]
    const fn kind_index(self) -> usize {
        (self.0 >> 5) as usize
    }

    /// Kind and colour, as [`zobrist::numbered`] takes them.
    #[inline]
    const fn code(self) -> u8 {
        self.0 >> 4
    }

    /// `None` for an empty square.
    #[inline]
    const fn kind(self) -> Option<Kind> {
        match self.0 >> 5 {
            0 => Some(Kind::Pawn),
            1 => Some(Kind::Knight),
            2 => Some(Kind::Bishop),
            3 => Some(Kind::Rook),
            4 => Some(Kind::Queen),
            5 => Some(Kind::King),
            _ => None,
        }
    }
}

/// A direction of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wing {
    /// Towards h; the king ends on the g file.
    King,
    /// Towards a; the king ends on the c file.
    Queen,
}

impl Wing {
    /// Both, the king's first.
    pub const ALL: [Wing; 2] = [Wing::King, Wing::Queen];
}

#[inline]
const fn right(color: Color, wing: Wing) -> usize {
    color as usize * 2 + wing as usize
}

/// Which of a position's partial keys a piece belongs to.
#[inline]
const fn partial(color: Color, kind_index: usize) -> usize {
    if kind_index == 0 { 0 } else { 1 + color as usize }
}

/// A chess position with the counters that FEN has. A copy is a block of bytes:
/// a search keeps one for each ply.
#[derive(Clone, Copy)]
pub struct Position {
    pub(super) kinds: [Bitboard; 6],
    pub(super) colors: [Bitboard; 2],
    pub(super) men: [Man; 64],
    pub(super) list: [u8; 2 * MEN],
    pub(super) key: Key,
    /// The keys of all pawns, of White's other pieces, of Black's.
    pub(super) partial: [Key; 3],
    /// The squares of kings and rooks that may still castle: a move from or to
    /// one of them changes the rights.
    pub(super) castlers: Bitboard,
    pub(super) rooks: [u8; 4],
    pub(super) rights: u8,
    pub(super) en_passant: Option<Square>,
    pub(super) side: Color,
    pub(super) halfmoves: u16,
    pub(super) moves: u16,
}

impl Position {
    /// Without a piece; only FEN starts from here.
    pub(super) fn empty() -> Position {
        Position {
            kinds: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            men: [Man::NONE; 64],
            list: [NOTHING; 2 * MEN],
            key: 0,
            partial: [0; 3],
            castlers: Bitboard::EMPTY,
            rooks: [NOTHING; 4],
            rights: 0,
            en_passant: None,
            side: Color::White,
            halfmoves: 0,
            moves: 1,
        }
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Color {
        self.side
    }

    /// The key of the position: pieces, side, castling rights, and the file on
    /// which a pawn can be taken en passant.
    #[must_use]
    #[inline]
    pub fn key(&self) -> Key {
        self.key
    }

    /// The key of the pawns of both sides alone.
    #[must_use]
    #[inline]
    pub fn pawn_key(&self) -> Key {
        self.partial[0]
    }

    /// The key of all pieces of one side other than pawns.
    #[must_use]
    #[inline]
    pub fn side_key(&self, color: Color) -> Key {
        self.partial[1 + color.index()]
    }

    /// Half-moves since the last capture or pawn move.
    #[must_use]
    #[inline]
    pub fn halfmoves(&self) -> u16 {
        self.halfmoves
    }

    /// The number of the move, from 1, counted after Black's.
    #[must_use]
    #[inline]
    pub fn move_number(&self) -> u16 {
        self.moves
    }

    /// The square behind a pawn that can, by a legal move, be taken en passant.
    #[must_use]
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The pieces of one side.
    #[must_use]
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of one kind.
    #[must_use]
    #[inline]
    pub fn kind(&self, kind: Kind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// One side's pieces of one kind.
    #[must_use]
    #[inline]
    pub fn of(&self, color: Color, kind: Kind) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    /// All pieces.
    #[must_use]
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Bishops and queens.
    #[must_use]
    #[inline]
    pub fn diagonal(&self) -> Bitboard {
        self.kind(Kind::Bishop) | self.kind(Kind::Queen)
    }

    /// Rooks and queens.
    #[must_use]
    #[inline]
    pub fn straight(&self) -> Bitboard {
        self.kind(Kind::Rook) | self.kind(Kind::Queen)
    }

    /// The square of a king.
    #[must_use]
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        Square::from_index(self.list[color.index() * MEN].into())
    }

    /// What stands on a square.
    #[must_use]
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<(Color, Kind)> {
        let man = self.men[square.index()];
        man.kind().map(|kind| (man.color(), kind))
    }

    /// The kind of piece on a square.
    #[must_use]
    #[inline]
    pub fn kind_on(&self, square: Square) -> Option<Kind> {
        self.men[square.index()].kind()
    }

    /// The pieces of one side from its list, the king first.
    pub fn pieces(&self, color: Color) -> impl Iterator<Item = (Kind, Square)> {
        let first = color.index() * MEN;
        self.list[first..first + MEN].iter().filter(|&&square| square != NOTHING).filter_map(|&square| {
            let square = Square::from_index(square.into());
            self.kind_on(square).map(|kind| (kind, square))
        })
    }

    /// Where the rook stands with which `color` may still castle on `wing`.
    #[must_use]
    #[inline]
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        let right = right(color, wing);
        (self.rights >> right & 1 != 0).then(|| Square::from_index(self.rooks[right].into()))
    }

    /// Whether `color` may still castle on some side.
    #[must_use]
    #[inline]
    pub fn may_castle(&self, color: Color) -> bool {
        self.rights >> (2 * color.index()) & 3 != 0
    }

    /// Whether every castling right is that of ordinary chess: a king on the e
    /// file and rooks in the corners.
    #[must_use]
    pub fn castles_classically(&self) -> bool {
        Color::ALL.into_iter().all(|color| {
            !self.may_castle(color)
                || self.king(color).file() == 4
                    && self.castling_rook(color, Wing::King).is_none_or(|rook| rook.file() == 7)
                    && self.castling_rook(color, Wing::Queen).is_none_or(|rook| rook.file() == 0)
        })
    }

    /// The pieces of both sides that attack `square` when the board is
    /// occupied as given.
    #[must_use]
    #[inline]
    pub fn attackers(&self, sliders: Sliders, square: Square, occupied: Bitboard) -> Bitboard {
        attacks::pawn(Color::Black, square) & self.of(Color::White, Kind::Pawn)
            | attacks::pawn(Color::White, square) & self.of(Color::Black, Kind::Pawn)
            | attacks::knight(square) & self.kind(Kind::Knight)
            | attacks::king(square) & self.kind(Kind::King)
            | sliders.rook(square, occupied) & self.straight()
            | sliders.bishop(square, occupied) & self.diagonal()
    }

    /// The pieces that give check to the side to move.
    #[must_use]
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.attackers(Sliders::get(), self.king(self.side), self.occupied()) & self.color(!self.side)
    }

    /// Whether `color` has a piece besides king and pawns.
    #[must_use]
    #[inline]
    pub fn has_pieces(&self, color: Color) -> bool {
        self.color(color).without(self.kind(Kind::Pawn) | self.kind(Kind::King)).any()
    }

    /// Whether neither side can mate by any sequence of moves: bare kings, one
    /// minor piece, or bishops on squares of one colour only.
    #[must_use]
    pub fn is_insufficient(&self) -> bool {
        if (self.kind(Kind::Pawn) | self.straight()).any() {
            return false;
        }
        let bishops = self.kind(Kind::Bishop);
        let minors = (bishops | self.kind(Kind::Knight)).count();
        minors <= 1
            || self.kind(Kind::Knight).is_empty()
                && ((bishops & Bitboard::DARK).is_empty() || bishops.without(Bitboard::DARK).is_empty())
    }

    /// The kind of piece a move takes.
    #[must_use]
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Kind> {
        match mv.tag() {
            MoveTag::EnPassant => Some(Kind::Pawn),
            MoveTag::Castling => None,
            _ => self.kind_on(mv.to()),
        }
    }

    /// Whether a move takes a piece or promotes.
    #[must_use]
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        mv.promoted().is_some() || self.captured(mv).is_some()
    }
}

/// Changes.
impl Position {
    #[inline]
    fn toggle(&mut self, color: Color, man: Man, square: Square) {
        let bit = Bitboard::from(square);
        self.kinds[man.kind_index()] ^= bit;
        self.colors[color.index()] ^= bit;
        let key = zobrist::numbered(man.code(), square);
        self.key ^= key;
        self.partial[partial(color, man.kind_index())] ^= key;
    }

    /// Sets a new piece on an empty square under the given number.
    pub(super) fn put(&mut self, number: usize, kind: Kind, square: Square) {
        let man = Man::new(number, kind);
        self.toggle(man.color(), man, square);
        self.men[square.index()] = man;
        self.list[man.number()] = square.index() as u8;
    }

    /// Takes off the piece of `color` on `square`.
    #[inline]
    fn lift(&mut self, color: Color, square: Square) -> Man {
        let man = std::mem::replace(&mut self.men[square.index()], Man::NONE);
        debug_assert!(man != Man::NONE);
        self.toggle(color, man, square);
        self.list[man.number()] = NOTHING;
        man
    }

    pub(super) fn grant(&mut self, color: Color, wing: Wing, rook: Square) {
        let right = right(color, wing);
        self.key ^= zobrist::castling(self.rights);
        self.rights |= 1 << right;
        self.key ^= zobrist::castling(self.rights);
        self.rooks[right] = rook.index() as u8;
        self.castlers |= Bitboard::from(rook) | Bitboard::from(self.king(color));
    }

    /// Takes back the rights that end when something moves from or to these squares.
    #[cold]
    fn drop_rights(&mut self, squares: Bitboard) {
        let before = self.rights;
        self.castlers = Bitboard::EMPTY;
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling_rook(color, wing) else { continue };
                let king = self.king_home(color);
                let both = Bitboard::from(rook) | king;
                if (both & squares).any() {
                    self.rights &= !(1 << right(color, wing));
                } else {
                    self.castlers |= both;
                }
            }
        }
        self.key ^= zobrist::castling(before) ^ zobrist::castling(self.rights);
    }

    /// The king's square while it has not moved; it is called for before the
    /// king leaves.
    fn king_home(&self, color: Color) -> Bitboard {
        Bitboard::from(self.king(color))
    }

    /// Plays a legal move.
    pub fn play_unchecked(&mut self, mv: Move) {
        self.play(mv);
    }

    /// [`Position::play_unchecked`], made part of the caller.
    #[inline(always)]
    pub(super) fn play(&mut self, mv: Move) {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        debug_assert!(self.color(us).contains(from), "{mv:?} in {self}");
        let squares = Bitboard::from(from) | Bitboard::from(to);
        if (squares & self.castlers).any() {
            self.drop_rights(squares);
        }
        self.leave();
        self.halfmoves += 1;
        match mv.tag() {
            MoveTag::Castling => self.castle(us, mv),
            MoveTag::EnPassant => {
                self.lift(!us, Square::new(to.file(), from.rank()));
                self.advance(us, from, to);
                self.halfmoves = 0;
            }
            _ => {
                if self.men[to.index()] != Man::NONE {
                    self.lift(!us, to);
                    self.halfmoves = 0;
                }
                if self.advance(us, from, to) == Kind::Pawn.index() {
                    self.pawn_moved(us, mv);
                }
            }
        }
        debug_assert_eq!(self.check_consistency(), Ok(()));
    }

    /// Gives the move to the other side: side, en passant, move number.
    #[inline]
    fn leave(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(square.file());
        }
        self.key ^= zobrist::BLACK_TO_MOVE;
        self.moves = self.moves.saturating_add(self.side as u16);
        self.side = !self.side;
    }

    /// Moves the piece of `color` on `from` to the empty square `to`; gives the
    /// index of its kind.
    #[inline]
    fn advance(&mut self, color: Color, from: Square, to: Square) -> usize {
        let man = std::mem::replace(&mut self.men[from.index()], Man::NONE);
        let kind = man.kind_index();
        let both = Bitboard::from(from) | Bitboard::from(to);
        self.kinds[kind] ^= both;
        self.colors[color.index()] ^= both;
        let key = zobrist::numbered(man.code(), from) ^ zobrist::numbered(man.code(), to);
        self.key ^= key;
        self.partial[partial(color, kind)] ^= key;
        self.men[to.index()] = man;
        self.list[man.number()] = to.index() as u8;
        kind
    }

    #[inline(always)]
    fn pawn_moved(&mut self, us: Color, mv: Move) {
        self.halfmoves = 0;
        let (from, to) = (mv.from(), mv.to());
        if let Some(kind) = mv.promoted() {
            self.promote(us, to, kind);
        } else if from.index() ^ to.index() == 16 {
            let behind = from.forward(us);
            let takers = attacks::pawn(us, behind) & self.of(!us, Kind::Pawn);
            if takers.any() && self.can_take_en_passant(takers, behind, to) {
                self.set_en_passant(behind);
            }
        }
    }

    #[cold]
    fn promote(&mut self, us: Color, square: Square, kind: Kind) {
        let man = self.lift(us, square);
        self.put(man.number(), kind, square);
    }

    /// Whether the side to move can take the pawn on `pawn` by moving one of
    /// `takers` to `behind`, without leaving its king in check.
    #[cold]
    pub(super) fn can_take_en_passant(&self, takers: Bitboard, behind: Square, pawn: Square) -> bool {
        let (us, king) = (self.side, self.king(self.side));
        takers.into_iter().any(|from| {
            let gone = Bitboard::from(from) | Bitboard::from(pawn);
            let occupied = self.occupied().without(gone) | Bitboard::from(behind);
            let enemies = self.color(!us).without(gone);
            (self.attackers(Sliders::get(), king, occupied) & enemies).is_empty()
        })
    }

    pub(super) fn set_en_passant(&mut self, behind: Square) {
        self.en_passant = Some(behind);
        self.key ^= zobrist::en_passant(behind.file());
    }

    #[cold]
    fn castle(&mut self, us: Color, mv: Move) {
        let (king_to, rook_to) = mv.castling_targets();
        let king = self.lift(us, mv.from());
        let rook = self.lift(us, mv.to());
        self.put(king.number(), Kind::King, king_to);
        self.put(rook.number(), Kind::Rook, rook_to);
    }

    /// Passes the move without moving, for null move pruning; the side to move
    /// must not be in check.
    #[inline]
    pub fn pass(&mut self) {
        self.leave();
        self.halfmoves += 1;
        debug_assert_eq!(self.check_consistency(), Ok(()));
    }

    /// The key after an ordinary move, near enough to fetch the table's line
    /// early: castling rights, en passant and promotions are left out.
    #[must_use]
    #[inline]
    pub fn key_after(&self, mv: Move) -> Key {
        let mut key = self.key ^ zobrist::BLACK_TO_MOVE;
        if let Some((color, kind)) = self.piece_on(mv.from()) {
            key ^= zobrist::piece(color, kind, mv.from()) ^ zobrist::piece(color, kind, mv.to());
        }
        if let Some((color, kind)) = self.piece_on(mv.to()) {
            key ^= zobrist::piece(color, kind, mv.to());
        }
        key
    }

    /// A key of how many pieces of each kind there are.
    #[must_use]
    pub fn material_key(&self) -> Key {
        let counts =
            Color::ALL.into_iter().flat_map(|color| Kind::ALL.map(|kind| self.of(color, kind).count()));
        mix(counts.fold(0, |acc, count| acc << 5 | count as u64))
    }
}

/// The board as text, White below, with what FEN adds.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EDGE: &str = " +---+---+---+---+---+---+---+---+";
        writeln!(f, "{EDGE}")?;
        for rank in (0..8).rev() {
            for file in 0..8 {
                let letter = match self.piece_on(Square::new(file, rank)) {
                    None => ' ',
                    Some((Color::White, kind)) => kind.letter(),
                    Some((Color::Black, kind)) => kind.letter().to_ascii_lowercase(),
                };
                write!(f, " | {letter}")?;
            }
            writeln!(f, " | {}\n{EDGE}", rank + 1)?;
        }
        writeln!(f, "   a   b   c   d   e   f   g   h\n")?;
        writeln!(f, "Fen: {}", self.fen())?;
        writeln!(f, "Key: {:016X}", self.key)?;
        write!(f, "Checkers:")?;
        self.checkers().into_iter().try_for_each(|square| write!(f, " {square}"))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fen())
    }
}
