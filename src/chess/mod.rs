//! Chess: positions, moves, evaluation and search.
