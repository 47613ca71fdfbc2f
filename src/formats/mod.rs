//! Files people keep games and positions in: SGF, PGN, one game a line, EPD,
//! test suites.

pub mod epd;
pub mod game_line;
pub mod pgn;
pub mod sgf;
pub mod tst;
