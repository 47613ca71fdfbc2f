//! Monte Carlo tree search (UCT) for Go.
//!
//! Start with [`search`]: a [`search::Request`] goes in, a [`report::Report`]
//! comes out. `simulate` is the loop that does the work; [`node`] says what
//! threads may do to the tree at once, [`tree`] how positions are joined.

pub mod advice;
mod arena;
pub mod bench;
pub mod child;
pub mod engine;
mod history;
pub mod memory;
pub mod node;
mod parallel;
pub mod params;
pub mod prior;
pub mod rave;
pub mod report;
pub mod search;
pub mod select;
mod simulate;
pub mod status;
#[cfg(test)]
mod tests;
pub mod tree;
mod worth;
