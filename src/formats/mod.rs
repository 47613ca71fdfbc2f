//! Files people keep games and positions in: SGF, PGN, EPD, test suites.

pub mod sgf;
