//! Protocols: lines of text in, lines of text out.

pub mod gtp;
pub mod line;
pub mod uci;
pub mod xboard;
