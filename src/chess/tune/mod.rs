//! Fits the evaluation's weights to the results of the engine's own games
//! (the method of P. Österlund's Texel, 2014).

pub mod fit;
pub mod games;
