//! A fixed piece of work: for speed, and to see whether play has changed.

use crate::shared::hash::mix;

use super::engine::{Engine, Order};
use super::position::Position;

/// Positions of every kind: openings, tactics, endgames, mates, Chess960.
pub const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkb1r/pp1n1ppp/2p1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 0 6",
    "2r2rk1/1bqnbppp/p2ppn2/1p6/3NPP2/P1N1B3/1PPQB1PP/R4R1K w - - 0 14",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "8/5pk1/6p1/R6p/5P1P/6P1/r5K1/8 b - - 0 50",
    "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 80",
    "4k3/8/8/8/8/8/8/3QK3 w - - 0 1",
    "bnrbqkrn/pppppppp/8/8/8/8/PPPPPPPP/BNRBQKRN w KQkq - 0 1",
];

/// The depth of [`signature`], in plies.
const SIGNATURE_DEPTH: u32 = 7;

/// Searches the fixed positions to `depth` on one thread. Returns the nodes,
/// and a number made of nodes, scores and moves.
#[must_use]
pub fn run(depth: u32) -> (u64, u64) {
    let (mut nodes, mut value) = (0, 0);
    for fen in POSITIONS {
        let mut engine = Engine::default();
        engine.set_position(Position::parse_fen(fen).unwrap_or_default());
        let order = Order { depth: Some(depth), lines: 1, ..Order::default() };
        let outcome = engine.think(&order, |_| ());
        nodes += outcome.nodes;
        let best = outcome.best.map_or(0, |mv| mv.to_bits());
        for part in [outcome.nodes, u64::from(best), outcome.score as u64] {
            value = mix(value ^ part);
        }
    }
    (nodes, value)
}

/// A number that changes whenever search or evaluation changes: the same on
/// every machine.
#[must_use]
pub fn signature() -> u64 {
    run(SIGNATURE_DEPTH).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_work_gives_the_same_signature() {
        assert_eq!(run(4), run(4));
    }
}
