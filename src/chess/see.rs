//! Static exchange evaluation: what a series of captures on one square wins.

use super::attacks::{self, Sliders};
use super::bitboard::Bitboard;
use super::position::Position;
use super::types::{Kind, Move, MoveTag, Square};

/// Values for exchanges, in hundredths of a pawn, pawn to king.
pub const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];

/// Whether the exchanges that `mv` begins win at least `threshold` for the
/// side that moves, both sides capturing with the least piece and stopping
/// when it pays. Pins are not looked at.
#[must_use]
pub fn wins_at_least(position: &Position, mv: Move, threshold: i32) -> bool {
    if mv.tag() == MoveTag::Castling {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let gain = position.captured(mv).map_or(0, |kind| VALUES[kind.index()]);
    let moved = position.kind_on(from).unwrap_or(Kind::Pawn);
    let (moved, gain) = match mv.promoted() {
        Some(kind) => (kind, gain + VALUES[kind.index()] - VALUES[0]),
        None => (moved, gain),
    };
    let balance = gain - threshold;
    if balance < 0 {
        return false;
    }
    let balance = balance - VALUES[moved.index()];
    if balance >= 0 {
        return true;
    }
    let mut occupied = position.occupied().without(from.into()) | to.into();
    if mv.tag() == MoveTag::EnPassant {
        occupied ^= Square::new(to.file(), from.rank()).into();
    }
    exchange(position, to, occupied, balance)
}

/// Plays out the captures on `to`; `balance` is what the first mover keeps if
/// its piece there is taken for nothing. True if it comes out even or better.
fn exchange(position: &Position, to: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
    let sliders = Sliders::get();
    let mut attackers = position.attackers(sliders, to, occupied);
    let first = position.side();
    let mut side = !first;
    loop {
        attackers &= occupied;
        let own = attackers & position.color(side);
        let Some(kind) = Kind::ALL.into_iter().find(|&kind| (own & position.kind(kind)).any()) else { break };
        let taker = (own & position.kind(kind)).first();
        occupied ^= taker.into();
        if matches!(kind, Kind::Pawn | Kind::Bishop | Kind::Queen) {
            attackers |= sliders.bishop(to, occupied) & position.diagonal();
        }
        if matches!(kind, Kind::Rook | Kind::Queen) {
            attackers |= sliders.rook(to, occupied) & position.straight();
        }
        side = !side;
        balance = -balance - 1 - VALUES[kind.index()];
        if balance >= 0 {
            let king_walks_into_check =
                kind == Kind::King && (attackers & occupied & position.color(side)).any();
            if king_walks_into_check {
                side = !side;
            }
            break;
        }
    }
    debug_assert!(attacks::king(to).any());
    side != first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(fen: &str, uci: &str) -> i32 {
        let position = Position::parse_fen(fen).expect("valid");
        let mv = position.parse_uci(uci).expect("legal");
        (-1000..=1000).rev().find(|&value| wins_at_least(&position, mv, value)).unwrap_or(-1001)
    }

    #[test]
    fn exchanges_are_counted() {
        assert_eq!(worth("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        assert_eq!(worth("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"), -220);
        assert_eq!(worth("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
        assert_eq!(worth("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), 850);
        assert_eq!(worth("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q"), 1000);
        assert_eq!(worth("4k3/8/2p5/3p4/8/3R4/8/4K3 w - - 0 1", "d3d5"), -400);
    }
}
