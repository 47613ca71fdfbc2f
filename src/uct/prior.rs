//! What is thought of moves before they are simulated: the interface, and the
//! priors that need no knowledge.

use super::child::Prior;
use super::params::SearchParams;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};
use crate::playout::reading::Reader;
use crate::playout::tactics;

/// Where a new node's moves get their priors.
pub trait PriorSource<G: Geometry>: Send {
    /// What `color` may expect of playing at `point`, which is legal.
    fn rate(&mut self, board: &Board<G>, color: Color, point: Point) -> Prior;
}

/// Adds up opinions on a move, each worth some simulations.
#[derive(Clone, Copy, Debug)]
struct Opinion {
    sum: f32,
    weight: f32,
}

impl Opinion {
    fn even(weight: f32) -> Self {
        Opinion { sum: weight * 0.5, weight }
    }

    fn add(&mut self, value: f32, weight: f32) {
        self.sum += value * weight;
        self.weight += weight;
    }

    fn prior(self) -> Prior {
        Prior { value: if self.weight > 0.0 { self.sum / self.weight } else { 0.5 }, weight: self.weight }
    }
}

/// The same prior for every move.
pub struct EvenPriors {
    weight: f32,
}

impl EvenPriors {
    /// As the parameters say.
    #[must_use]
    pub fn new(params: &SearchParams) -> Self {
        EvenPriors { weight: params.prior_even as f32 }
    }
}

impl<G: Geometry> PriorSource<G> for EvenPriors {
    fn rate(&mut self, _: &Board<G>, _: Color, _: Point) -> Prior {
        Opinion::even(self.weight).prior()
    }
}

/// Priors from tactics, patterns and the distance to the last moves.
pub struct TacticalPriors<G: Geometry> {
    even: f32,
    scale: f32,
    reader: Reader<G>,
}

impl<G: Geometry> TacticalPriors<G> {
    /// As the parameters say.
    #[must_use]
    pub fn new(params: &SearchParams) -> Self {
        TacticalPriors {
            even: params.prior_even as f32,
            scale: params.prior_scale as f32,
            reader: Reader::new(),
        }
    }
}

impl<G: Geometry> PriorSource<G> for TacticalPriors<G> {
    fn rate(&mut self, board: &Board<G>, color: Color, point: Point) -> Prior {
        let mut opinion = Opinion::even(self.even);
        for (value, weight) in tactics::opinions(board, color, point, &mut self.reader) {
            opinion.add(value, weight * self.scale);
        }
        opinion.prior()
    }
}
