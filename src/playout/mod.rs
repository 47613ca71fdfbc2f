//! Playouts: random games from a position to its end.

pub mod heavy;
pub mod light;
mod patterns;
pub mod reading;
mod shape;
pub mod tactics;

use std::fmt;
use std::str::FromStr;

use self::light::Outcome;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};
use crate::shared::rng::Rng;

/// A move of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Where.
    pub point: Point,
    /// By whom.
    pub color: Color,
}

/// How positions are played to their end.
pub trait Rollout<G: Geometry>: Send {
    /// Plays `board` to the end from `to_move` on, and appends the moves,
    /// passes left out, to `moves`.
    fn play_out(
        &mut self,
        board: &mut Board<G>,
        to_move: Color,
        rng: &mut Rng,
        moves: &mut Vec<Played>,
    ) -> Outcome;
}

/// Which playouts a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// Uniformly random moves: [`light`].
    Light,
    /// Moves that answer threats and shapes: [`heavy`].
    #[default]
    Heavy,
}

/// The text names no policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a policy is light or heavy")]
pub struct UnknownPolicy;

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        match text {
            "light" => Ok(Policy::Light),
            "heavy" => Ok(Policy::Heavy),
            _ => Err(UnknownPolicy),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::Light => "light",
            Policy::Heavy => "heavy",
        })
    }
}

impl Policy {
    /// A player of such playouts.
    #[must_use]
    pub fn rollout<G: Geometry>(self) -> Box<dyn Rollout<G>> {
        match self {
            Policy::Light => Box::new(LightRollout),
            Policy::Heavy => Box::new(heavy::HeavyRollout),
        }
    }
}

/// [`light`] playouts, recorded.
struct LightRollout;

impl<G: Geometry> Rollout<G> for LightRollout {
    fn play_out(
        &mut self,
        board: &mut Board<G>,
        to_move: Color,
        rng: &mut Rng,
        moves: &mut Vec<Played>,
    ) -> Outcome {
        let record = |point, color| moves.push(Played { point, color });
        light::play_out_with(board, to_move, rng, record)
    }
}
