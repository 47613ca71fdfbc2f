//! The convolution with vectors of 64 bytes and dot products of bytes
//! (AVX-512 VNNI).

use std::arch::x86_64::*;

use super::{BORDER, Job};
use crate::net::network::ACTIVATION_MAX;

/// Output channels of a vector of sums.
const LANES: usize = 16;
/// Points of a run at most: with two vectors of sums for each, they leave room
/// in the registers for weights and inputs.
const LONGEST: usize = 13;

/// Neighbouring points of a row, and a group of output channels.
struct Run {
    /// The upper left corner of the first point's window.
    input: *const u8,
    /// Bytes from one row to the next.
    stride: usize,
    channels: usize,
    weights: *const i8,
    scale: *const f32,
    bias: *const f32,
    residual: *const u8,
    /// Whether `residual` is to be added, times `carry`.
    adds: bool,
    carry: f32,
    output: *mut u8,
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) fn convolve(job: Job<'_>) {
    let channels = job.channels();
    let (_, stride) = job.shape.padded(BORDER);
    let runs = job.shape.width.div_ceil(LONGEST);
    for y in 0..job.shape.height {
        for group in (0..channels).step_by(2 * LANES) {
            for index in 0..runs {
                let x = index * job.shape.width / runs;
                let end = (index + 1) * job.shape.width / runs;
                let place = job.shape.place(x, y, BORDER) * channels + group;
                let (residual, carry) = job.residual.unwrap_or((&[], 0.0));
                // SAFETY: the window's corner is on the padded board, whose
                // points all have `channels` bytes; `group` is below
                // `channels`; weights, scales and biases are laid out for
                // `channels` outputs. All this was checked for the job.
                let run = unsafe {
                    Run {
                        input: job.input.as_ptr().add((y * stride + x) * channels),
                        stride: stride * channels,
                        channels,
                        weights: job.layer.weights.as_ptr().add(group * 4),
                        scale: job.layer.requantise.scale.as_ptr().add(group),
                        bias: job.layer.requantise.bias.as_ptr().add(group),
                        residual: residual.as_ptr().wrapping_add(place),
                        adds: !residual.is_empty(),
                        carry,
                        output: job.output.as_mut_ptr().add(place),
                    }
                };
                // SAFETY: the run's points are on the board, and there are
                // two vectors of output channels from `group` on, or one.
                unsafe { if group + LANES < channels { run.go::<2>(end - x) } else { run.go::<1>(end - x) } }
            }
        }
    }
}

impl Run {
    /// # Safety
    /// AVX-512 with VNNI must be enabled; `count` points from the first one on
    /// must lie in the row, and `V` vectors of output channels from the first
    /// one on must exist.
    #[inline(always)]
    unsafe fn go<const V: usize>(&self, count: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            match count {
                1 => self.points::<1, V>(),
                2 => self.points::<2, V>(),
                3 => self.points::<3, V>(),
                4 => self.points::<4, V>(),
                5 => self.points::<5, V>(),
                6 => self.points::<6, V>(),
                7 => self.points::<7, V>(),
                8 => self.points::<8, V>(),
                9 => self.points::<9, V>(),
                10 => self.points::<10, V>(),
                11 => self.points::<11, V>(),
                12 => self.points::<12, V>(),
                _ => self.points::<LONGEST, V>(),
            }
        }
    }

    /// # Safety
    /// As for [`Run::go`], for `N` points.
    #[inline(always)]
    unsafe fn points<const N: usize, const V: usize>(&self) {
        // SAFETY: the windows of the run's points lie on the padded board, and
        // the weights of each place in the window follow one another.
        unsafe {
            let mut sums = [[_mm512_setzero_si512(); V]; N];
            let mut weights = self.weights;
            for dy in 0..3 {
                for dx in 0..3 {
                    let place = self.input.add(dy * self.stride + dx * self.channels);
                    for four in (0..self.channels).step_by(4) {
                        let mut vectors = [_mm512_setzero_si512(); V];
                        for (v, vector) in vectors.iter_mut().enumerate() {
                            *vector = _mm512_loadu_si512(weights.add(v * 64).cast());
                        }
                        for (n, sums) in sums.iter_mut().enumerate() {
                            let input = place.add(n * self.channels + four).cast::<i32>();
                            let input = _mm512_set1_epi32(input.read_unaligned());
                            for (v, sum) in sums.iter_mut().enumerate() {
                                *sum = _mm512_dpbusd_epi32(*sum, input, vectors[v]);
                            }
                        }
                        weights = weights.add(self.channels * 4);
                    }
                }
            }
            for vector in 0..V {
                for (n, sums) in sums.iter().enumerate() {
                    self.finish(sums[vector], vector * LANES, n * self.channels + vector * LANES);
                }
            }
        }
    }

    /// Rounds sums to activations; `lane` is the first output channel within
    /// the group, `at` its place from the run's first one on.
    ///
    /// # Safety
    /// As for [`Run::go`].
    #[inline(always)]
    unsafe fn finish(&self, sums: __m512i, lane: usize, at: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let scale = _mm512_loadu_ps(self.scale.add(lane));
            let bias = _mm512_loadu_ps(self.bias.add(lane));
            let mut value = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale), bias);
            if self.adds {
                let residual = _mm_loadu_si128(self.residual.add(at).cast());
                let residual = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(residual));
                value = _mm512_add_ps(value, _mm512_mul_ps(residual, _mm512_set1_ps(self.carry)));
            }
            let most = _mm512_set1_ps(ACTIVATION_MAX);
            let value = _mm512_min_ps(_mm512_max_ps(value, _mm512_setzero_ps()), most);
            let bytes = _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(value));
            _mm_storeu_si128(self.output.add(at).cast(), bytes);
        }
    }
}
