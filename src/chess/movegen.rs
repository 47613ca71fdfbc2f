//! Legal moves, generated as such: pins and checks are found first and
//! restrict what each piece may do, so no move needs to be tried.

use std::mem::MaybeUninit;

use super::attacks::{self, Sliders};
use super::bitboard::Bitboard;
use super::position::{Position, Wing};
use super::types::{Color, Kind, Move, Square};

/// More than the moves of any position (218).
pub(super) const MAX_MOVES: usize = 256;

/// A list of moves, without heap. What lies beyond its length is never set:
/// lists are made at every node, and clearing them would take a twentieth of
/// the search.
pub struct MoveList {
    moves: [MaybeUninit<Move>; MAX_MOVES],
    /// At most [`MAX_MOVES`].
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[must_use]
    #[inline]
    pub fn new() -> MoveList {
        MoveList { moves: [const { MaybeUninit::uninit() }; MAX_MOVES], len: 0 }
    }

    #[inline]
    fn push(&mut self, mv: Move) {
        self.moves[self.len].write(mv);
        self.len += 1;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        MoveList::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    #[inline]
    fn deref(&self) -> &[Move] {
        // SAFETY: `push` has written every move before `len`.
        unsafe { self.moves[..self.len].assume_init_ref() }
    }
}

/// What takes the moves as they are found.
trait Sink {
    /// One piece (no pawn) may go to any of `to`.
    fn piece(&mut self, from: Square, to: Bitboard);
    /// Pawns go to `to`, each from `back` squares below (above if negative).
    fn pawns(&mut self, to: Bitboard, back: isize);
    /// The same for pawns that promote.
    fn promotions(&mut self, to: Bitboard, back: isize);
    /// One move of another kind.
    fn special(&mut self, mv: Move);
}

#[inline]
fn origin(to: Square, back: isize) -> Square {
    Square::from_index((to.index() as isize - back) as usize & 63)
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, to: Bitboard) {
        for to in to {
            self.push(Move::normal(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, to: Bitboard, back: isize) {
        for to in to {
            self.push(Move::normal(origin(to, back), to));
        }
    }

    #[inline]
    fn promotions(&mut self, to: Bitboard, back: isize) {
        for to in to {
            for kind in [Kind::Queen, Kind::Knight, Kind::Rook, Kind::Bishop] {
                self.push(Move::promotion(origin(to, back), to, kind));
            }
        }
    }

    #[inline]
    fn special(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Counts moves without making them.
struct Count(usize);

impl Sink for Count {
    #[inline]
    fn piece(&mut self, _: Square, to: Bitboard) {
        self.0 += to.count();
    }

    #[inline]
    fn pawns(&mut self, to: Bitboard, _: isize) {
        self.0 += to.count();
    }

    #[inline]
    fn promotions(&mut self, to: Bitboard, _: isize) {
        self.0 += 4 * to.count();
    }

    #[inline]
    fn special(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Which moves are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    Noisy,
    Quiet,
}

/// The moves of one position: made once, asked for captures and quiet moves
/// in turn.
pub struct Generator<'a> {
    position: &'a Position,
    sliders: Sliders,
    us: Color,
    king: Square,
    occupied: Bitboard,
    checkers: Bitboard,
    pinned: Bitboard,
}

impl<'a> Generator<'a> {
    /// Finds checks and pins.
    #[must_use]
    #[inline]
    pub fn new(position: &'a Position) -> Generator<'a> {
        let us = position.side();
        let king = position.king(us);
        let (own, enemy) = (position.color(us), position.color(!us));
        let occupied = own | enemy;
        let mut checkers = attacks::knight(king) & position.of(!us, Kind::Knight)
            | attacks::pawn(us, king) & position.of(!us, Kind::Pawn);
        let mut pinned = Bitboard::EMPTY;
        let snipers = attacks::rook_reach(king) & position.straight()
            | attacks::bishop_reach(king) & position.diagonal();
        for sniper in snipers & enemy {
            let shield = attacks::between(king, sniper) & occupied;
            if shield.is_empty() {
                checkers |= sniper.into();
            } else if !shield.many() {
                pinned |= shield & own;
            }
        }
        Generator { position, sliders: Sliders::get(), us, king, occupied, checkers, pinned }
    }

    /// The pieces that give check.
    #[must_use]
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Every legal move.
    #[must_use]
    #[inline]
    pub fn all(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(&mut list, Bitboard::ALL, Wanted::All);
        list
    }

    /// The legal captures and promotions.
    #[inline]
    pub fn noisy(&self, list: &mut MoveList) {
        self.generate(list, Bitboard::ALL, Wanted::Noisy);
    }

    /// The other legal moves.
    #[inline]
    pub fn quiet(&self, list: &mut MoveList) {
        self.generate(list, Bitboard::ALL, Wanted::Quiet);
    }

    /// How many legal moves there are.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        let mut count = Count(0);
        self.generate(&mut count, Bitboard::ALL, Wanted::All);
        count.0
    }

    /// Whether `mv`, which may be anything, is a legal move here.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        let from = Bitboard::from(mv.from());
        if (self.position.color(self.us) & from).is_empty() {
            return false;
        }
        let mut list = MoveList::new();
        self.generate(&mut list, from, Wanted::All);
        list.contains(&mv)
    }

    #[inline(always)]
    fn generate(&self, sink: &mut impl Sink, movers: Bitboard, wanted: Wanted) {
        let targets = match wanted {
            Wanted::All => !self.position.color(self.us),
            Wanted::Noisy => self.position.color(!self.us),
            Wanted::Quiet => !self.occupied,
        };
        if movers.contains(self.king) {
            self.king_moves(sink, targets);
        }
        let evasions = if self.checkers.is_empty() {
            Bitboard::ALL
        } else if self.checkers.many() {
            return;
        } else {
            self.checkers | attacks::between(self.king, self.checkers.first())
        };
        self.piece_moves(sink, movers, targets & evasions);
        let pawns = self.position.of(self.us, Kind::Pawn) & movers;
        self.pawn_moves(sink, pawns.without(self.pinned), evasions, wanted);
        for pawn in pawns & self.pinned {
            let line = attacks::line(self.king, pawn);
            self.pawn_moves(sink, pawn.into(), evasions & line, wanted);
        }
        if wanted != Wanted::Quiet {
            self.en_passant(sink, pawns);
        }
        if wanted != Wanted::Noisy && self.checkers.is_empty() && movers.contains(self.king) {
            self.castling(sink);
        }
    }

    #[inline(always)]
    fn piece_moves(&self, sink: &mut impl Sink, movers: Bitboard, targets: Bitboard) {
        let position = self.position;
        let own = position.color(self.us) & movers;
        for from in (own & position.kind(Kind::Knight)).without(self.pinned) {
            sink.piece(from, attacks::knight(from) & targets);
        }
        let (diagonal, straight) = (own & position.diagonal(), own & position.straight());
        for from in diagonal.without(self.pinned) {
            sink.piece(from, self.sliders.bishop(from, self.occupied) & targets);
        }
        for from in straight.without(self.pinned) {
            sink.piece(from, self.sliders.rook(from, self.occupied) & targets);
        }
        if self.pinned.is_empty() {
            return;
        }
        for from in diagonal & self.pinned & attacks::bishop_reach(self.king) {
            let line = attacks::line(self.king, from);
            sink.piece(from, self.sliders.bishop(from, self.occupied) & targets & line);
        }
        for from in straight & self.pinned & attacks::rook_reach(self.king) {
            let line = attacks::line(self.king, from);
            sink.piece(from, self.sliders.rook(from, self.occupied) & targets & line);
        }
    }

    #[inline(always)]
    fn pawn_moves(&self, sink: &mut impl Sink, pawns: Bitboard, allowed: Bitboard, wanted: Wanted) {
        let (up, left, right) = match self.us {
            Color::White => (8, 7, 9),
            Color::Black => (-8, -9, -7),
        };
        let empty = !self.occupied;
        let last = Bitboard::relative_rank(self.us, 7);
        let single = pawns.forward(self.us) & empty;
        if wanted != Wanted::Noisy {
            let third = Bitboard::relative_rank(self.us, 2);
            let double = (single & third).forward(self.us) & empty & allowed;
            sink.pawns((single & allowed).without(last), up);
            sink.pawns(double, 2 * up);
        }
        if wanted != Wanted::Quiet {
            let prey = self.position.color(!self.us) & allowed;
            let ahead = pawns.forward(self.us);
            let (west, east) = (ahead.west() & prey, ahead.east() & prey);
            sink.pawns(west.without(last), left);
            sink.pawns(east.without(last), right);
            if (ahead & last).any() {
                sink.promotions(west & last, left);
                sink.promotions(east & last, right);
                sink.promotions(single & allowed & last, up);
            }
        }
    }

    #[inline]
    fn en_passant(&self, sink: &mut impl Sink, pawns: Bitboard) {
        let Some(behind) = self.position.en_passant() else { return };
        let pawn = behind.forward(!self.us);
        for from in attacks::pawn(!self.us, behind) & pawns {
            if self.position.can_take_en_passant(from.into(), behind, pawn) {
                sink.special(Move::en_passant(from, behind));
            }
        }
    }

    #[inline(always)]
    fn king_moves(&self, sink: &mut impl Sink, targets: Bitboard) {
        let targets = attacks::king(self.king) & targets;
        if targets.any() {
            sink.piece(self.king, targets.without(self.danger()));
        }
    }

    /// The squares that the enemy attacks once our king is off the board.
    #[must_use]
    #[inline]
    pub fn danger(&self) -> Bitboard {
        let position = self.position;
        let enemy = position.color(!self.us);
        let occupied = self.occupied ^ self.king.into();
        let mut danger = position.of(!self.us, Kind::Pawn).pawn_attacks(!self.us);
        danger |= attacks::king(position.king(!self.us));
        for from in enemy & position.kind(Kind::Knight) {
            danger |= attacks::knight(from);
        }
        for from in enemy & position.diagonal() {
            danger |= self.sliders.bishop(from, occupied);
        }
        for from in enemy & position.straight() {
            danger |= self.sliders.rook(from, occupied);
        }
        danger
    }

    #[inline]
    fn castling(&self, sink: &mut impl Sink) {
        if !self.position.may_castle(self.us) {
            return;
        }
        for wing in Wing::ALL {
            let Some(rook) = self.position.castling_rook(self.us, wing) else { continue };
            let mv = Move::castling(self.king, rook);
            let (king_to, rook_to) = mv.castling_targets();
            let both = Bitboard::from(self.king) | rook.into();
            let path = attacks::between(self.king, king_to) | king_to.into();
            let clear = path | attacks::between(rook, rook_to) | rook_to.into();
            let blocked = (clear & (self.occupied ^ both)).any();
            if !blocked && self.is_safe(path | self.king.into(), both) {
                let exposed = self.pinned.contains(rook);
                if !exposed {
                    sink.special(mv);
                }
            }
        }
    }

    /// Whether no enemy attacks a square of `path` once `gone` has left it.
    fn is_safe(&self, path: Bitboard, gone: Bitboard) -> bool {
        let occupied = self.occupied.without(Bitboard::from(self.king));
        debug_assert!(gone.contains(self.king));
        let enemy = self.position.color(!self.us);
        path.into_iter()
            .all(|square| (self.position.attackers(self.sliders, square, occupied) & enemy).is_empty())
    }
}

impl Position {
    /// Every legal move.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        Generator::new(self).all()
    }

    /// The legal move that UCI text means, in either way of writing castling.
    #[must_use]
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let moves = self.legal_moves();
        let find = |chess960| moves.iter().copied().find(|mv| mv.uci(chess960) == text);
        find(true).or_else(|| find(false))
    }

    /// The position after a legal move.
    #[must_use]
    #[inline]
    pub fn after(&self, mv: Move) -> Position {
        let mut next = *self;
        next.play_unchecked(mv);
        next
    }
}
