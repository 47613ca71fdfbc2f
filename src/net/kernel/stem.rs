//! The first layer. Its planes are nearly empty: instead of a convolution it
//! adds, for each point and each plane that the point is on, that plane's
//! weights to the outputs around the point.

use super::{BORDER, STEM_BORDER, Shape, requantise_point};
use crate::net::network::{STEM_SIDE, Stem};

/// One row of the window.
#[inline(always)]
fn add_row(sums: &mut [i16], weights: &[i16]) {
    for (sum, &weight) in sums.iter_mut().zip(weights) {
        *sum = sum.wrapping_add(weight);
    }
}

#[inline(always)]
pub(super) fn add_planes(stem: &Stem, shape: Shape, planes: &[u32], sums: &mut [i16]) {
    let channels = stem.requantise.bias.len();
    let (_, stride) = shape.padded(STEM_BORDER);
    let (row, window) = (STEM_SIDE * channels, STEM_SIDE * STEM_SIDE * channels);
    for (points, y) in planes.chunks(shape.width).zip(0..) {
        for (&point, x) in points.iter().zip(0..) {
            let mut left = point;
            while left != 0 {
                let plane = left.trailing_zeros() as usize;
                left &= left - 1;
                let weights = &stem.weights[plane * window..][..window];
                for (weights, dy) in weights.chunks_exact(row).zip(0..) {
                    let start = ((y + dy) * stride + x) * channels;
                    add_row(&mut sums[start..start + row], weights);
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn finish(stem: &Stem, shape: Shape, sums: &[i16], output: &mut [u8]) {
    let channels = stem.requantise.bias.len();
    for y in 0..shape.height {
        for x in 0..shape.width {
            let from = shape.place(x, y, STEM_BORDER) * channels;
            let to = shape.place(x, y, BORDER) * channels;
            let sums = &sums[from..from + channels];
            requantise_point(&stem.requantise, sums, &mut output[to..to + channels]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn add_planes_avx2(stem: &Stem, shape: Shape, planes: &[u32], sums: &mut [i16]) {
    add_planes(stem, shape, planes, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn add_planes_avx512(stem: &Stem, shape: Shape, planes: &[u32], sums: &mut [i16]) {
    add_planes(stem, shape, planes, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn finish_avx2(stem: &Stem, shape: Shape, sums: &[i16], output: &mut [u8]) {
    finish(stem, shape, sums, output);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn finish_avx512(stem: &Stem, shape: Shape, sums: &[i16], output: &mut [u8]) {
    finish(stem, shape, sums, output);
}
