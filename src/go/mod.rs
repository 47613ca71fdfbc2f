//! The game of Go: points, chains, boards, rules and scores. Plays nothing by
//! itself.

pub mod benson;
pub mod bits;
pub mod board;
pub(crate) mod candidates;
pub(crate) mod chain;
mod check;
pub mod color;
pub(crate) mod contact;
pub mod coord;
pub mod eyespace;
pub mod game;
pub mod geometry;
pub mod handicap;
mod local;
pub mod naive;
pub mod perft;
mod play;
pub mod rules;
mod setup;
mod siege;
pub mod symmetry;
#[cfg(test)]
mod twin_tests;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod vector;
pub mod zobrist;
