//! Chess: positions, moves, evaluation and search.
//!
//! [`position`] is where to start; [`movegen`] finds its legal moves,
//! [`perft`] counts them.

pub mod attacks;
pub mod bitboard;
pub mod check;
pub mod fen;
pub mod movegen;
pub mod perft;
pub mod position;
pub mod san;
pub mod types;
pub mod zobrist;
