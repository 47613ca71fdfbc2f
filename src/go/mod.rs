//! The game of Go: points, chains, boards, rules and scores. Plays nothing by itself.
