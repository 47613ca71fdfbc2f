//! One file for each subcommand of the program.

pub mod analyze;
pub mod bench;
pub mod board_svg;
pub mod cli;
pub mod engine_process;
pub mod gtp;
pub mod gtp_client;
pub mod learn;
pub mod match_;
pub mod regress;
pub mod train;
pub mod uci;
pub mod xboard;
