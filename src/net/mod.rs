//! A small network of our own: features, inference, weights.
//!
//! `training/` fits it and writes a master in floating point; [`pack`] turns
//! that into a [`file`] of eight-bit weights; [`network`] is such a file ready
//! for use, and [`evaluate`] runs it.

pub mod evaluate;
pub mod features;
#[cfg(test)]
mod features_twin;
pub mod file;
mod heads;
mod kernel;
pub mod network;
pub mod pack;
#[cfg(test)]
pub(crate) mod reference;

pub use features::PLANES;
pub use heads::Evaluation;
pub use kernel::Kernel;
