//! Gradient descent over the weights: the evaluation of a quiet position,
//! bent into an expected result, is to match the result of its game.

use std::fmt::Write as _;

use super::games::Sample;
use crate::chess::eval::terms::{COUNT, GROUPS};
use crate::chess::eval::weights::WEIGHTS;
use crate::chess::eval::{FULL_PHASE, FULL_SCALE, endgame_scale, phase, trace};
use crate::chess::types::Color;

/// Hundredths of a pawn that multiply the odds by e.
const SPREAD: f64 = 150.0;
/// How much of the target is the result; the rest is the search's score.
const RESULT_SHARE: f64 = 0.6;
/// Pull towards the weights fitted before, for terms that are hardly seen.
const PULL: f64 = 2e-7;
const RATE: f64 = 0.8;
const DECAY: [f64; 2] = [0.9, 0.999];

/// A position as the fit sees it: white counts less black counts.
struct Row {
    terms: Vec<(u16, i8)>,
    middlegame: f32,
    endgame: f32,
    target: f32,
}

/// Weights in fine grain, middlegame and endgame.
type Fine = Vec<[f64; 2]>;

fn expected(score: f64) -> f64 {
    1.0 / (1.0 + (-score / SPREAD).exp())
}

fn row(sample: &Sample) -> Row {
    let position = &sample.position;
    let mut net = vec![0i32; COUNT];
    for (side, sign) in trace(position).iter().zip([1, -1]) {
        side.0.iter().for_each(|&(term, count)| net[usize::from(term)] += sign * i32::from(count));
    }
    let endgame: i32 = net.iter().zip(&WEIGHTS).map(|(count, weight)| count * weight.endgame()).sum();
    let phase = phase(position);
    let fade = f64::from(220 - i32::from(position.halfmoves().min(100))) / 220.0;
    let scale = f64::from(endgame_scale(position, endgame)) / f64::from(FULL_SCALE);
    let target = RESULT_SHARE * f64::from(sample.result) / 2.0
        + (1.0 - RESULT_SHARE) * expected(f64::from(sample.score));
    let nonzero = net.iter().enumerate().filter(|&(_, &count)| count != 0);
    Row {
        terms: nonzero.map(|(term, &count)| (term as u16, count.clamp(-127, 127) as i8)).collect(),
        middlegame: (fade * f64::from(phase) / f64::from(FULL_PHASE)) as f32,
        endgame: (fade * scale * f64::from(FULL_PHASE - phase) / f64::from(FULL_PHASE)) as f32,
        target: target as f32,
    }
}

impl Row {
    fn error(&self, weights: &Fine) -> f64 {
        let mut parts = [0.0; 2];
        for &(term, count) in &self.terms {
            let weight = weights[usize::from(term)];
            parts[0] += weight[0] * f64::from(count);
            parts[1] += weight[1] * f64::from(count);
        }
        let score = parts[0] * f64::from(self.middlegame) + parts[1] * f64::from(self.endgame);
        expected(score) - f64::from(self.target)
    }
}

/// What a fit has come to.
pub struct Fitted {
    /// Mean squared error before and after, over positions held back.
    pub errors: [f64; 2],
    weights: Fine,
}

fn mean_error(rows: &[Row], weights: &Fine) -> f64 {
    rows.iter().map(|row| row.error(weights).powi(2)).sum::<f64>() / rows.len().max(1) as f64
}

/// Fits the weights in `rounds` passes; a twentieth of the samples is held
/// back to measure by.
#[must_use]
pub fn fit(samples: &[Sample], rounds: usize) -> Fitted {
    let usable = |sample: &&Sample| Color::ALL.into_iter().all(|color| sample.position.color(color).many());
    let mut rows: Vec<Row> = samples.iter().filter(usable).map(row).collect();
    let held_back = rows.split_off(rows.len() - rows.len() / 20);
    let start: Fine = WEIGHTS.iter().map(|w| [f64::from(w.middlegame()), f64::from(w.endgame())]).collect();
    let mut weights = start.clone();
    let (mut mean, mut square) = (vec![[0.0; 2]; COUNT], vec![[0.0; 2]; COUNT]);
    for round in 1..=rounds {
        let gradient = gradient(&rows, &weights);
        let rate = RATE * (1.0 - 0.9 * round as f64 / rounds as f64);
        for term in 0..COUNT {
            for part in 0..2 {
                let slope = gradient[term][part] + PULL * (weights[term][part] - start[term][part]);
                let (m, s) = (&mut mean[term][part], &mut square[term][part]);
                *m = DECAY[0] * *m + (1.0 - DECAY[0]) * slope;
                *s = DECAY[1] * *s + (1.0 - DECAY[1]) * slope * slope;
                let (m, s) =
                    (*m / (1.0 - DECAY[0].powi(round as i32)), *s / (1.0 - DECAY[1].powi(round as i32)));
                weights[term][part] -= rate * m / (s.sqrt() + 1e-8);
            }
        }
    }
    Fitted { errors: [mean_error(&held_back, &start), mean_error(&held_back, &weights)], weights }
}

fn gradient(rows: &[Row], weights: &Fine) -> Fine {
    let mut gradient = vec![[0.0; 2]; COUNT];
    for row in rows {
        let error = row.error(weights);
        let value = error + f64::from(row.target);
        let slope = 2.0 * error * value * (1.0 - value) / SPREAD;
        let parts = [slope * f64::from(row.middlegame), slope * f64::from(row.endgame)];
        for &(term, count) in &row.terms {
            gradient[usize::from(term)][0] += parts[0] * f64::from(count);
            gradient[usize::from(term)][1] += parts[1] * f64::from(count);
        }
    }
    let size = rows.len().max(1) as f64;
    gradient.iter().map(|parts| parts.map(|part| part / size)).collect()
}

impl Fitted {
    /// The weights as the source file that holds them.
    #[must_use]
    pub fn source(&self) -> String {
        let mut text = String::from(HEAD);
        for (name, group) in GROUPS {
            let _ = writeln!(text, "    // {name}");
            for line in self.weights[group.first..group.first + group.len].chunks(8) {
                let items: Vec<String> = line
                    .iter()
                    .map(|part| format!("w({:.0}, {:.0}),", part[0] + 0.0, part[1] + 0.0))
                    .collect();
                let _ = writeln!(text, "    {}", items.join(" ").replace("-0,", "0,").replace("-0)", "0)"));
            }
        }
        text + "];\n"
    }
}

const HEAD: &str = "\
//! The weights of the evaluation's terms, in hundredths of a pawn, as
//! `tengen train chess` fits them to the results of games.

use super::Weight;
use super::terms::COUNT;

const fn w(middlegame: i32, endgame: i32) -> Weight {
    Weight::new(middlegame, endgame)
}

/// One weight for each term, in the order of the groups in [`super::terms`].
#[rustfmt::skip]
pub static WEIGHTS: [Weight; COUNT] = [
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::eval::Evaluator;
    use crate::chess::position::Position;

    /// What the fit computes from the terms is what the evaluation computes.
    #[test]
    fn rows_agree_with_the_evaluation() {
        let weights: Fine =
            WEIGHTS.iter().map(|w| [f64::from(w.middlegame()), f64::from(w.endgame())]).collect();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "2r2rk1/1bqnbppp/p2ppn2/1p6/3NPP2/P1N1B3/1PPQB1PP/R4R1K b - - 7 14",
        ] {
            let position = Position::parse_fen(fen).expect("valid");
            let value = Evaluator::default().evaluate(&position);
            let white = if position.side() == Color::White { value } else { -value };
            let row = row(&Sample { position, result: 1, score: 0 });
            let expected = row.error(&weights) + f64::from(row.target);
            let score = -SPREAD * (1.0 / expected - 1.0).ln();
            assert!((score - f64::from(white)).abs() < 3.0, "{fen}: {score} {white}");
        }
    }
}
