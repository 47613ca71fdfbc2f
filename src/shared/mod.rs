//! What both games use: random numbers, hash keys, the transposition table,
//! clocks, search control and the learning store. No game in here.

pub mod clock;
pub mod control;
pub mod cpu;
pub mod hash;
pub mod learn;
mod memory;
pub mod rng;
pub mod table;
