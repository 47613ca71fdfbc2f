//! Is a position consistent with itself? Every field that moves keep up to
//! date is compared with the same made from scratch; debug builds do so after
//! every move.

use super::attacks::Sliders;
use super::bitboard::Bitboard;
use super::position::{MEN, Man, Position, Wing};
use super::types::{Color, Kind, Square};
use super::zobrist;

impl Position {
    /// Compares the piece list, the sets, the castling rights and the keys with
    /// the board; says what disagrees.
    ///
    /// # Errors
    /// The name of the first part that disagrees.
    pub fn check_consistency(&self) -> Result<(), &'static str> {
        self.check_list()?;
        self.check_sets()?;
        self.check_keys()?;
        self.check_castling()?;
        let sliders = Sliders::get();
        let left = self.attackers(sliders, self.king(!self.side), self.occupied()) & self.color(self.side);
        if left.any() { Err("the king of the side that moved can be taken") } else { Ok(()) }
    }

    fn check_list(&self) -> Result<(), &'static str> {
        for (number, &square) in self.list.iter().enumerate() {
            if square == Man::NONE.0 {
                continue;
            }
            let man = self.men[usize::from(square)];
            if man == Man::NONE || man.number() != number {
                return Err("a piece of the list is not on its square");
            }
        }
        for square in Square::all() {
            let man = self.men[square.index()];
            if man != Man::NONE && usize::from(self.list[man.number()]) != square.index() {
                return Err("a piece on the board has another square in the list");
            }
        }
        for color in Color::ALL {
            let number = self.men[self.king(color).index()].number();
            if number != color.index() * MEN || self.of(color, Kind::King).count() != 1 {
                return Err("a king has not its own number");
            }
        }
        Ok(())
    }

    fn check_sets(&self) -> Result<(), &'static str> {
        let mut sets = Position::empty();
        for (color, (kind, square)) in self.all_pieces() {
            sets.kinds[kind.index()] |= Bitboard::from(square);
            sets.colors[color.index()] |= Bitboard::from(square);
        }
        if sets.kinds == self.kinds && sets.colors == self.colors {
            Ok(())
        } else {
            Err("the sets of squares disagree with the piece list")
        }
    }

    fn check_keys(&self) -> Result<(), &'static str> {
        if self.key != self.key_from_scratch() {
            return Err("the key is not that of the position");
        }
        let mut partial = [0; 3];
        for (color, (kind, square)) in self.all_pieces() {
            let part = if kind == Kind::Pawn { 0 } else { 1 + color.index() };
            partial[part] ^= zobrist::piece(color, kind, square);
        }
        if partial == self.partial { Ok(()) } else { Err("a partial key is wrong") }
    }

    fn check_castling(&self) -> Result<(), &'static str> {
        let mut castlers = Bitboard::EMPTY;
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling_rook(color, wing) else { continue };
                if !self.of(color, Kind::Rook).contains(rook) || rook.rank() != self.king(color).rank() {
                    return Err("a castling right without its rook");
                }
                castlers |= Bitboard::from(rook) | Bitboard::from(self.king(color));
            }
        }
        if castlers == self.castlers { Ok(()) } else { Err("the squares of castlers are wrong") }
    }

    fn all_pieces(&self) -> impl Iterator<Item = (Color, (Kind, Square))> {
        Color::ALL.into_iter().flat_map(|color| self.pieces(color).map(move |piece| (color, piece)))
    }

    /// The key made from scratch, by the piece list.
    #[must_use]
    pub fn key_from_scratch(&self) -> u64 {
        let pieces = self
            .all_pieces()
            .fold(0, |key, (color, (kind, square))| key ^ zobrist::piece(color, kind, square));
        let side = if self.side == Color::Black { zobrist::BLACK_TO_MOVE } else { 0 };
        let en_passant = self.en_passant.map_or(0, |square| zobrist::en_passant(square.file()));
        pieces ^ side ^ en_passant ^ zobrist::castling(self.rights) ^ zobrist::castling(0)
    }
}
