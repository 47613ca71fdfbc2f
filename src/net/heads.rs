//! From the last activations to what they say of the position.
//!
//! Sums are exact integers; what follows is the same code on every processor,
//! and uses no functions of the system's, whose last digits differ.

use super::kernel::{BORDER, Shape};
use super::network::{Dense, Network, PointHead};

/// What the network says of a position, for the player to move. Points are in
/// the order of the input: row by row from the top left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// The probability of each point as the next move; with `pass` they add up
    /// to one. Points where no stone may be put have none.
    pub policy: Vec<f32>,
    /// The probability of a pass.
    pub pass: f32,
    /// Who will own each point: from -1 (the opponent) to 1 (the player to
    /// move).
    pub ownership: Vec<f32>,
    /// The expected area of the player to move minus the opponent's, in
    /// points, without komi.
    pub score: f32,
    /// How uncertain the score is, in points: the scale of a logistic
    /// distribution.
    pub spread: f32,
}

impl Evaluation {
    /// All zero, for a board of so many points.
    pub(super) fn of_points(points: usize) -> Self {
        Evaluation { policy: vec![0.0; points], ownership: vec![0.0; points], ..Evaluation::default() }
    }

    /// The probability that the player to move wins, `komi` points being
    /// added to that player's score.
    #[must_use]
    pub fn win_rate(&self, komi: f32) -> f32 {
        1.0 / (1.0 + exp(-(self.score + komi) / self.spread))
    }

    /// Reads off the last activations. `open` says where a stone may be put.
    pub(super) fn read(&mut self, net: &Network, shape: Shape, last: &[u8], open: impl Fn(usize) -> bool) {
        let pooled = self.pool(net, shape, last);
        let [pass, score, spread] = pooled;
        self.ownership.iter_mut().for_each(|owner| *owner = tanh(*owner));
        let side = (shape.points() as f32).sqrt();
        self.score = self.ownership.iter().sum::<f32>() + score * side;
        self.spread = softplus(spread) * 3.0 + 0.5;
        self.soften(pass, open);
    }

    /// Turns logits into probabilities.
    fn soften(&mut self, pass: f32, open: impl Fn(usize) -> bool) {
        let logits = self.policy.iter().enumerate();
        let most = logits.filter(|&(index, _)| open(index)).fold(pass, |most, (_, &logit)| most.max(logit));
        let mut sum = exp(pass - most);
        self.pass = sum;
        for (index, logit) in self.policy.iter_mut().enumerate() {
            *logit = if open(index) { exp(*logit - most) } else { 0.0 };
            sum += *logit;
        }
        let inverse = 1.0 / sum;
        self.pass *= inverse;
        self.policy.iter_mut().for_each(|p| *p *= inverse);
    }

    /// Fills the points' raw outputs, and returns those of the whole board.
    fn pool(&mut self, net: &Network, shape: Shape, last: &[u8]) -> [f32; 3] {
        let channels = net.channels;
        let mut sums = vec![0u32; channels];
        self.policy.clear();
        self.ownership.clear();
        for y in 0..shape.height {
            let start = shape.place(0, y, BORDER) * channels;
            for point in last[start..start + shape.width * channels].chunks_exact(channels) {
                self.policy.push(net.policy.at(point));
                self.ownership.push(net.ownership.at(point));
                sums.iter_mut().zip(point).for_each(|(sum, &activation)| *sum += u32::from(activation));
            }
        }
        let points = shape.points() as f32;
        let means: Vec<f32> = sums.iter().map(|&sum| sum as f32 / points).collect();
        let hidden: Vec<f32> = net.hidden.outputs(&means).map(|value| value.max(0.0)).collect();
        let mut pooled = [0.0; 3];
        pooled.iter_mut().zip(net.last.outputs(&hidden)).for_each(|(to, value)| *to = value);
        pooled
    }
}

impl PointHead {
    #[inline(always)]
    fn at(&self, activations: &[u8]) -> f32 {
        let products = activations.iter().zip(&self.weights);
        let sum: i32 = products.map(|(&input, &weight)| i32::from(input) * i32::from(weight)).sum();
        sum as f32 * self.scale + self.bias
    }
}

impl Dense {
    fn outputs(&self, inputs: &[f32]) -> impl Iterator<Item = f32> {
        self.weights.chunks_exact(inputs.len()).zip(&self.bias).map(move |(weights, bias)| {
            let sum: f32 = weights.iter().zip(inputs).map(|(weight, input)| weight * input).sum();
            sum + bias
        })
    }
}

/// e to the power of `x`, to about six digits.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const ROUNDER: f32 = 12_582_912.0;
    // 2^x = 2^whole * 2^part, with part from -1/2 to 1/2.
    let x = (x * std::f32::consts::LOG2_E).clamp(-126.0, 126.0);
    let shifted = x + ROUNDER;
    let part = (x - (shifted - ROUNDER)) * std::f32::consts::LN_2;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0f32.to_bits()));
    // The series of e^part, whose next term is below 2e-6.
    let mut series = 1.0 / 120.0;
    for factor in [1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * part + factor;
    }
    power * series
}

#[inline(always)]
fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// ln(1 + e^x).
fn softplus(x: f32) -> f32 {
    // Double precision hides what systems do differently.
    let x = f64::from(x);
    (x.max(0.0) + (-x.abs()).exp().ln_1p()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_close_to_the_systems() {
        for step in -4000..4000 {
            let x = step as f32 * 0.01;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-5, "exp {x}");
            assert!((tanh(x) - x.tanh()).abs() < 1e-5, "tanh {x}");
            assert!((softplus(x) - (1.0 + f64::from(x).exp()).ln() as f32).abs() < 1e-5, "softplus {x}");
        }
        assert!(exp(-1e9) < 1e-30 && exp(1e9) > 1e30);
    }

    #[test]
    fn komi_moves_the_win_rate() {
        let even = Evaluation { score: 7.0, spread: 4.0, ..Evaluation::default() };
        assert!((even.win_rate(-7.0) - 0.5).abs() < 1e-6);
        assert!((even.win_rate(-3.0) - 0.731).abs() < 1e-3);
        assert!(even.win_rate(-1000.0) < 1e-6 && even.win_rate(1000.0) > 0.999_999);
    }
}
