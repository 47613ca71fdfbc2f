//! A fixed piece of work: for speed, and to see whether play has changed.

use std::time::Duration;

use crate::shared::control::Limits;
use crate::shared::cpu;
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
    "8/5pk1/6p1/R6p/5P1P/6P1/r5K1/8 w - - 0 50",
    "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 80",
    "4k3/8/8/8/8/8/8/3QK3 w - - 0 1",
    "bnrbqkrn/pppppppp/8/8/8/8/PPPPPPPP/BNRBQKRN w KQkq - 0 1",
];

/// The depth of [`signature`], in plies.
const SIGNATURE_DEPTH: u32 = 7;

/// What a piece of work came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Nodes searched.
    pub nodes: u64,
    /// A number made of nodes, scores and moves.
    pub value: u64,
    /// Processor time of the searches, without what it takes to set up an engine.
    pub time: Duration,
}

impl Work {
    fn add(&mut self, fen: &str, order: &Order) {
        let mut engine = Engine::default();
        engine.set_position(Position::parse_fen(fen).unwrap_or_default());
        let before = cpu::process_time();
        let outcome = engine.think(order, |_| ());
        self.time += cpu::process_time().saturating_sub(before);
        self.nodes += outcome.nodes;
        let best = outcome.best.map_or(0, |mv| mv.to_bits());
        for part in [outcome.nodes, u64::from(best), outcome.score as u64] {
            self.value = mix(self.value ^ part);
        }
    }
}

/// Searches the fixed positions to `depth` on one thread.
#[must_use]
pub fn run(depth: u32) -> Work {
    let mut work = Work::default();
    let order = Order { depth: Some(depth), lines: 1, ..Order::default() };
    POSITIONS.iter().for_each(|fen| work.add(fen, &order));
    work
}

/// Searches `nodes` nodes from the start position on one thread.
#[must_use]
pub fn from_start(nodes: u64) -> Work {
    let mut work = Work::default();
    work.add(POSITIONS[0], &Order { limits: Limits::nodes(nodes), lines: 1, ..Order::default() });
    work
}

/// A number that changes whenever search or evaluation changes: the same on
/// every machine.
#[must_use]
pub fn signature() -> u64 {
    run(SIGNATURE_DEPTH).value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_work_gives_the_same_signature() {
        let [once, again] = [run(4), run(4)];
        assert_eq!((once.nodes, once.value), (again.nodes, again.value));
        assert_eq!(from_start(5000).nodes, 5000);
    }

    #[test]
    fn every_position_can_be_read() {
        for fen in POSITIONS {
            assert!(Position::parse_fen(fen).is_ok(), "{fen}");
        }
    }
}
