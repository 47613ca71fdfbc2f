//! The game of Go: points, chains, boards, rules and scores. Plays nothing by
//! itself.

pub mod color;
pub mod coord;
pub mod rules;
