//! Playouts: random games from a position to its end.

pub mod light;
