//! The two layers that take time, for each kind of processor.
//!
//! All kernels give the same activations, bit for bit: sums of integers are
//! exact in any order, and each step from sum to activation is a single
//! operation on `f32` that rounds to nearest even everywhere.
//!
//! Activations lie by point, then by channel, in planes with a border one
//! point wide that stays zero.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;
mod stem;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use super::network::{Conv, Requantise, Stem};

/// Width of the border around activations.
pub(super) const BORDER: usize = 1;
/// Width of the border around the stem's sums.
pub(super) const STEM_BORDER: usize = 2;

/// Width and height of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub width: usize,
    pub height: usize,
}

impl Shape {
    pub fn points(self) -> usize {
        self.width * self.height
    }

    /// Points with a border of some width, and their rows' length.
    pub fn padded(self, border: usize) -> (usize, usize) {
        let stride = self.width + 2 * border;
        (stride * (self.height + 2 * border), stride)
    }

    /// The place of a point among points with a border.
    pub fn place(self, x: usize, y: usize, border: usize) -> usize {
        (y + border) * (self.width + 2 * border) + x + border
    }
}

/// A convolution to carry out.
pub(super) struct Job<'a> {
    shape: Shape,
    layer: &'a Conv,
    input: &'a [u8],
    /// Added to the result, times the layer's carry.
    residual: Option<(&'a [u8], f32)>,
    output: &'a mut [u8],
}

impl<'a> Job<'a> {
    /// Checks that all buffers have the size that the shape asks for: the
    /// kernels rely on it.
    pub fn new(
        shape: Shape,
        layer: &'a Conv,
        input: &'a [u8],
        residual: &'a [u8],
        output: &'a mut [u8],
    ) -> Self {
        let channels = layer.requantise.bias.len();
        let (points, _) = shape.padded(BORDER);
        assert!(channels.is_multiple_of(16) && channels > 0, "whole vectors of channels");
        assert_eq!(layer.requantise.scale.len(), channels);
        assert_eq!(layer.weights.len(), 9 * channels * channels);
        assert!(input.len() == points * channels && output.len() == points * channels);
        let residual = layer.carry.map(|carry| (residual, carry));
        assert!(residual.is_none_or(|(residual, _)| residual.len() == points * channels));
        Job { shape, layer, input, residual, output }
    }

    fn channels(&self) -> usize {
        self.layer.requantise.bias.len()
    }
}

/// What the processor's instructions allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Any processor.
    Plain,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX2 with dot products of bytes.
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    /// AVX-512 with dot products of bytes.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kernel::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => "avx-vnni",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => "avx512-vnni",
        })
    }
}

impl Kernel {
    /// The kernels that this processor can run, the slowest first.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        let mut found = vec![Kernel::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                found.push(Kernel::Avx2);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni") {
                found.push(Kernel::AvxVnni);
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
            {
                found.push(Kernel::Avx512Vnni);
            }
        }
        found
    }

    /// The fastest kernel of this processor.
    #[must_use]
    pub fn best() -> Kernel {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| Kernel::available().last().copied().unwrap_or(Kernel::Plain))
    }

    /// Carries out a convolution. The kernel must be an available one.
    pub(super) fn convolve(self, job: Job<'_>) {
        match self {
            Kernel::Plain => plain::convolve(job),
            // SAFETY: the processor has the instructions, as only available
            // kernels are used.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2::convolve(job) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni => unsafe { avx2::convolve_vnni(job) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => unsafe { avx512::convolve(job) },
        }
    }

    /// Adds up the stem's weights for `planes`, a bit set for each point of
    /// the board. `sums` has a border of [`STEM_BORDER`].
    pub(super) fn add_planes(self, stem: &Stem, shape: Shape, planes: &[u32], sums: &mut [i16]) {
        match self {
            Kernel::Plain => stem::add_planes(stem, shape, planes, sums),
            // SAFETY: the processor has the instructions, as only available
            // kernels are used.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 | Kernel::AvxVnni => unsafe { stem::add_planes_avx2(stem, shape, planes, sums) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => unsafe { stem::add_planes_avx512(stem, shape, planes, sums) },
        }
    }

    /// Turns the stem's sums into activations.
    pub(super) fn finish_stem(self, stem: &Stem, shape: Shape, sums: &[i16], output: &mut [u8]) {
        match self {
            Kernel::Plain => stem::finish(stem, shape, sums, output),
            // SAFETY: the processor has the instructions, as only available
            // kernels are used.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 | Kernel::AvxVnni => unsafe { stem::finish_avx2(stem, shape, sums, output) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vnni => unsafe { stem::finish_avx512(stem, shape, sums, output) },
        }
    }
}

/// An activation from `value`, which is not much larger than one.
#[inline(always)]
fn activation(value: f32) -> u8 {
    // Added to a number of this size, the fraction is rounded away to even and
    // the integer is left in the low bits.
    const ROUNDER: f32 = 12_582_912.0;
    (value.clamp(0.0, super::network::ACTIVATION_MAX) + ROUNDER).to_bits() as u8
}

/// The activations of one point, from sums over its inputs.
#[inline(always)]
fn requantise_point<T: Copy + Into<f32>>(by: &Requantise, sums: &[T], output: &mut [u8]) {
    for (((out, &sum), &scale), &bias) in output.iter_mut().zip(sums).zip(&by.scale).zip(&by.bias) {
        *out = activation(sum.into() * scale + bias);
    }
}
