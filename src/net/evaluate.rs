//! Evaluating positions with a network: buffers, and the layers in order.

use std::sync::Arc;

use super::PLANES;
use super::features::place;
use super::heads::Evaluation;
use super::kernel::{BORDER, Job, Kernel, STEM_BORDER, Shape};
use super::network::Network;
use crate::go::coord::Size;
use crate::go::symmetry::Symmetry;

/// Planes that only depend on the size of the board and the player to move:
/// their share of the stem's sums is kept from one position to the next.
const STEADY: u32 = 1 << 0 | 1 << 20 | 1 << 21 | 1 << 22 | 1 << 26;
/// Planes of points where no stone can be put: stones, and forbidden points.
const TAKEN: u32 = 0xff << 1 | 1 << 19;

/// Evaluates positions, one at a time. Each thread has its own.
pub struct Evaluator {
    net: Arc<Network>,
    kernel: Kernel,
    shape: Shape,
    /// A bit for each plane that a point is on.
    points: Vec<u32>,
    /// The steady planes of the position for which `steady_sums` were made.
    steady: Vec<u32>,
    steady_sums: Vec<i16>,
    sums: Vec<i16>,
    trunk: Vec<u8>,
    middle: Vec<u8>,
    next: Vec<u8>,
    result: Evaluation,
}

impl Evaluator {
    /// An evaluator that uses the fastest instructions of this processor.
    #[must_use]
    pub fn new(net: Arc<Network>) -> Self {
        Self::with_kernel(net, Kernel::best())
    }

    /// An evaluator that uses certain instructions.
    ///
    /// # Panics
    /// The processor does not have them.
    #[must_use]
    pub fn with_kernel(net: Arc<Network>, kernel: Kernel) -> Self {
        assert!(Kernel::available().contains(&kernel), "{kernel} is not available here");
        Evaluator {
            net,
            kernel,
            shape: Shape { width: 0, height: 0 },
            points: Vec::new(),
            steady: Vec::new(),
            steady_sums: Vec::new(),
            sums: Vec::new(),
            trunk: Vec::new(),
            middle: Vec::new(),
            next: Vec::new(),
            result: Evaluation::default(),
        }
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.net
    }

    /// Evaluates a position of a board of `size`, given as the features module
    /// writes it.
    ///
    /// # Panics
    /// `planes` are not those of a board of `size`.
    pub fn evaluate(&mut self, planes: &[u8], size: Size) -> &Evaluation {
        assert_eq!(planes.len(), size.points() * PLANES, "planes of a board of {size}");
        self.fit(Shape { width: size.width().into(), height: size.height().into() });
        for (point, planes) in self.points.iter_mut().zip(planes.as_chunks().0) {
            *point = bits(planes);
        }
        self.stem();
        self.blocks();
        let Evaluator { net, shape, points, trunk, result, .. } = self;
        result.read(net, *shape, trunk, |index| points[index] & TAKEN == 0);
        result
    }

    /// Evaluates a position as [`evaluate`](Self::evaluate) does, but under
    /// every symmetry of the board, and averages: eight times the work (four
    /// times on a rectangle) for a better opinion, the same for mirror images.
    ///
    /// # Panics
    /// `planes` are not those of a board of `size`.
    pub fn evaluate_all_ways(&mut self, planes: &[u8], size: Size) -> &Evaluation {
        let mut mean = Evaluation::of_points(size.points());
        let mut image = vec![0; planes.len()];
        let share = 1.0 / Symmetry::all(size).count() as f32;
        for symmetry in Symmetry::all(size) {
            let to: Vec<usize> =
                size.coords().map(|coord| place(size, symmetry.apply(size, coord))).collect();
            let from = || size.coords().map(|coord| place(size, coord)).zip(&to);
            let (cells, _) = planes.as_chunks::<PLANES>();
            let (image_cells, _) = image.as_chunks_mut::<PLANES>();
            from().for_each(|(cell, &to)| image_cells[to] = cells[cell]);
            let found = self.evaluate(&image, size);
            for (cell, &to) in from() {
                mean.policy[cell] += share * found.policy[to];
                mean.ownership[cell] += share * found.ownership[to];
            }
            mean.pass += share * found.pass;
            mean.score += share * found.score;
            mean.spread += share * found.spread;
        }
        self.result = mean;
        &self.result
    }

    /// What the last evaluation returned.
    #[must_use]
    pub fn latest(&self) -> &Evaluation {
        &self.result
    }

    /// Makes buffers for boards of another shape.
    fn fit(&mut self, shape: Shape) {
        if shape == self.shape {
            return;
        }
        let channels = self.net.channels;
        let activations = shape.padded(BORDER).0 * channels;
        self.shape = shape;
        self.points = vec![0; shape.points()];
        self.steady = Vec::new();
        self.sums = vec![0; shape.padded(STEM_BORDER).0 * channels];
        self.steady_sums = self.sums.clone();
        for buffer in [&mut self.trunk, &mut self.middle, &mut self.next] {
            *buffer = vec![0; activations];
        }
    }

    fn stem(&mut self) {
        let Evaluator { kernel, shape, points, steady, steady_sums, sums, .. } = self;
        let stem = &self.net.stem;
        if steady.is_empty() || points.iter().zip(&*steady).any(|(point, steady)| point & STEADY != *steady) {
            steady.clear();
            steady.extend(points.iter().map(|point| point & STEADY));
            steady_sums.fill(0);
            kernel.add_planes(stem, *shape, steady, steady_sums);
        }
        sums.copy_from_slice(steady_sums);
        let moving: Vec<u32> = points.iter().map(|point| point & !STEADY).collect();
        kernel.add_planes(stem, *shape, &moving, sums);
        kernel.finish_stem(stem, *shape, sums, &mut self.trunk);
    }

    fn blocks(&mut self) {
        let (shape, kernel) = (self.shape, self.kernel);
        for [first, second] in &self.net.blocks {
            kernel.convolve(Job::new(shape, first, &self.trunk, &self.trunk, &mut self.middle));
            kernel.convolve(Job::new(shape, second, &self.middle, &self.trunk, &mut self.next));
            std::mem::swap(&mut self.trunk, &mut self.next);
        }
    }
}

/// The planes that are not zero, as bits.
fn bits(planes: &[u8; PLANES]) -> u32 {
    planes.as_chunks::<8>().0.iter().rev().fold(0, |bits, eight| {
        // Multiplying moves the low bit of each byte into the top byte.
        let spread = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080);
        bits << 8 | (spread >> 56) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::reference::random_network;
    use crate::shared::rng::Rng;

    #[test]
    fn mirror_images_are_thought_of_alike_when_looked_at_all_ways() {
        for size in [Size::square(5).unwrap(), Size::new(4, 6).unwrap()] {
            let mut evaluator = Evaluator::new(random_network(16, 1, 3));
            let mut rng = Rng::new(7, 0);
            let planes: Vec<u8> = (0..size.points() * PLANES).map(|_| (rng.below(4) == 0).into()).collect();
            let image_of = |planes: &[u8], symmetry: Symmetry| {
                let mut image = vec![0; planes.len()];
                for coord in size.coords() {
                    let (from, to) = (place(size, coord), place(size, symmetry.apply(size, coord)));
                    image[to * PLANES..][..PLANES].copy_from_slice(&planes[from * PLANES..][..PLANES]);
                }
                image
            };
            let once = evaluator.evaluate(&planes, size).clone();
            let all = evaluator.evaluate_all_ways(&planes, size).clone();
            assert!((all.policy.iter().sum::<f32>() + all.pass - 1.0).abs() < 1e-4);
            assert!((once.score - all.score).abs() > 1e-3, "one look sees the same");
            for symmetry in Symmetry::all(size) {
                let image = evaluator.evaluate_all_ways(&image_of(&planes, symmetry), size);
                assert!((image.score - all.score).abs() < 1e-4);
                for coord in size.coords() {
                    let (from, to) = (place(size, coord), place(size, symmetry.apply(size, coord)));
                    assert!((image.policy[to] - all.policy[from]).abs() < 1e-5);
                    assert!((image.ownership[to] - all.ownership[from]).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn bits_are_those_of_the_planes() {
        for value in [0u32, 1, 0x8000_0000, 0xffff_ffff, 0x1234_5678, 0xdead_beef] {
            let planes = std::array::from_fn(|plane| (value >> plane & 1) as u8);
            assert_eq!(bits(&planes), value);
        }
    }
}
