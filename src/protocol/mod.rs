//! Protocols: lines of text in, lines of text out.

pub mod line;
