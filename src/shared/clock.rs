//! Game clocks: what time control a game has, what is left, and how much of
//! it a move may take.
