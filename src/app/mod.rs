//! One file for each subcommand of the program.

pub mod bench;
pub mod cli;
pub mod gtp;
pub mod uci;
