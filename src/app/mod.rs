//! One file for each subcommand of the program.

pub mod bench;
