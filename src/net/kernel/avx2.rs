//! The convolution with vectors of 32 bytes: by products of bytes that are
//! summed in sixteen bits first (AVX2), or by dot products (AVX-VNNI).
//!
//! Two products of bytes make a sum of sixteen bits; two of those are added
//! before they are widened, which the limit on weights keeps exact.

use std::arch::x86_64::*;

use super::{BORDER, Job};
use crate::net::network::ACTIVATION_MAX;

/// Output channels of a vector of sums.
const LANES: usize = 8;
/// Vectors of sums that a run keeps for each point.
const VECTORS: usize = 2;
/// Points of a run at most: their sums fill most registers.
const LONGEST: usize = 4;

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
    carry: f32,
    output: *mut u8,
}

#[target_feature(enable = "avx2")]
pub(super) fn convolve(job: Job<'_>) {
    // SAFETY: AVX2 is enabled here, and the job's buffers were checked.
    unsafe { rows::<false>(job) }
}

#[target_feature(enable = "avx2,avxvnni")]
pub(super) fn convolve_vnni(job: Job<'_>) {
    // SAFETY: AVX2 and AVX-VNNI are enabled here, and the job's buffers were
    // checked.
    unsafe { rows::<true>(job) }
}

/// # Safety
/// AVX2 must be enabled, and AVX-VNNI if `VNNI`.
#[inline(always)]
unsafe fn rows<const VNNI: bool>(job: Job<'_>) {
    let channels = job.channels();
    let (_, stride) = job.shape.padded(BORDER);
    let runs = job.shape.width.div_ceil(LONGEST);
    for y in 0..job.shape.height {
        for group in (0..channels).step_by(LANES * VECTORS) {
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
                        carry,
                        output: job.output.as_mut_ptr().add(place),
                    }
                };
                let adds = !residual.is_empty();
                // SAFETY: the run's points are on the board.
                unsafe {
                    match end - x {
                        1 => points::<1, VNNI>(&run, adds),
                        2 => points::<2, VNNI>(&run, adds),
                        3 => points::<3, VNNI>(&run, adds),
                        _ => points::<LONGEST, VNNI>(&run, adds),
                    }
                }
            }
        }
    }
}

/// # Safety
/// As for [`rows`]; `N` points from the run's first one on must lie in the row.
#[inline(always)]
unsafe fn points<const N: usize, const VNNI: bool>(run: &Run, adds: bool) {
    // SAFETY: the windows of the run's points lie on the padded board, and the
    // weights of each place in the window follow one another.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); VECTORS]; N];
        let mut weights = run.weights;
        for dy in 0..3 {
            for dx in 0..3 {
                let place = run.input.add(dy * run.stride + dx * run.channels);
                for eight in (0..run.channels).step_by(8) {
                    let next = weights.add(run.channels * 4);
                    add::<N, VNNI>(&mut sums, place.add(eight), run.channels, weights, next);
                    weights = next.add(run.channels * 4);
                }
            }
        }
        for vector in 0..VECTORS {
            let scale = _mm256_loadu_ps(run.scale.add(vector * LANES));
            let bias = _mm256_loadu_ps(run.bias.add(vector * LANES));
            for (n, sums) in sums.iter().enumerate() {
                let at = n * run.channels + vector * LANES;
                let mut value = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums[vector]), scale), bias);
                if adds {
                    let residual = _mm_loadl_epi64(run.residual.add(at).cast());
                    let residual = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(residual));
                    value = _mm256_add_ps(value, _mm256_mul_ps(residual, _mm256_set1_ps(run.carry)));
                }
                store(value, run.output.add(at));
            }
        }
    }
}

/// Adds the products of eight input channels of `N` points.
///
/// # Safety
/// As for [`rows`]; eight channels of `N` points can be read from `input` on,
/// and [`VECTORS`] vectors from each of the weights.
#[inline(always)]
unsafe fn add<const N: usize, const VNNI: bool>(
    sums: &mut [[__m256i; VECTORS]; N],
    input: *const u8,
    channels: usize,
    low: *const i8,
    high: *const i8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (mut lows, mut highs) = ([_mm256_setzero_si256(); VECTORS], [_mm256_setzero_si256(); VECTORS]);
        for vector in 0..VECTORS {
            lows[vector] = _mm256_loadu_si256(low.add(vector * 32).cast());
            highs[vector] = _mm256_loadu_si256(high.add(vector * 32).cast());
        }
        for (n, sums) in sums.iter_mut().enumerate() {
            let at = input.add(n * channels).cast::<i32>();
            let first = _mm256_set1_epi32(at.read_unaligned());
            let second = _mm256_set1_epi32(at.add(1).read_unaligned());
            for (vector, sum) in sums.iter_mut().enumerate() {
                let (low, high) = (lows[vector], highs[vector]);
                *sum = if VNNI {
                    _mm256_dpbusd_avx_epi32(_mm256_dpbusd_avx_epi32(*sum, first, low), second, high)
                } else {
                    let pairs = _mm256_add_epi16(
                        _mm256_maddubs_epi16(first, low),
                        _mm256_maddubs_epi16(second, high),
                    );
                    _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
                };
            }
        }
    }
}

/// Rounds eight values to activations.
///
/// # Safety
/// AVX2 must be enabled, and `to` have room for eight bytes.
#[inline(always)]
unsafe fn store(value: __m256, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let most = _mm256_set1_ps(ACTIVATION_MAX);
        let value = _mm256_min_ps(_mm256_max_ps(value, _mm256_setzero_ps()), most);
        let words = _mm256_cvtps_epi32(value);
        let halves = _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        _mm_storel_epi64(to.cast(), _mm_packus_epi16(halves, halves));
    }
}
