//! Chess: positions, moves, evaluation and search.
//!
//! [`position`] is where to start; [`movegen`] finds its legal moves,
//! [`perft`] counts them.

pub mod attacks;
pub mod bench;
pub mod bitboard;
pub mod check;
pub mod engine;
pub mod eval;
pub mod fen;
pub mod lesson;
pub mod memory;
pub mod movegen;
pub mod order;
pub mod perft;
pub mod position;
pub mod san;
pub mod score;
pub mod search;
pub mod see;
pub mod table;
pub mod time;
pub mod tune;
pub mod types;
pub mod zobrist;
