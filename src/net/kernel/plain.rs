//! The convolution without special instructions, and the meaning of the
//! others.

use super::{BORDER, Job, activation};

pub(super) fn convolve(job: Job<'_>) {
    let channels = job.channels();
    let mut sums = vec![0; channels];
    for y in 0..job.shape.height {
        for x in 0..job.shape.width {
            sum_window(&job, x, y, &mut sums);
            let place = job.shape.place(x, y, BORDER) * channels;
            let by = &job.layer.requantise;
            for (channel, &sum) in sums.iter().enumerate() {
                let mut value = sum as f32 * by.scale[channel] + by.bias[channel];
                if let Some((residual, carry)) = job.residual {
                    value += f32::from(residual[place + channel]) * carry;
                }
                job.output[place + channel] = activation(value);
            }
        }
    }
}

/// Sums of weighted inputs around a point, for each output channel.
fn sum_window(job: &Job<'_>, x: usize, y: usize, sums: &mut [i32]) {
    let channels = job.channels();
    let (_, stride) = job.shape.padded(BORDER);
    sums.fill(0);
    let mut groups = job.layer.weights.chunks_exact(4 * channels);
    for (dy, dx) in (0..3).flat_map(|dy| (0..3).map(move |dx| (dy, dx))) {
        let start = ((y + dy) * stride + x + dx) * channels;
        let inputs = &job.input[start..start + channels];
        for (four, weights) in inputs.as_chunks::<4>().0.iter().zip(&mut groups) {
            if *four == [0; 4] {
                continue;
            }
            let four = four.map(i32::from);
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<4>().0) {
                let products = four.iter().zip(weights).map(|(input, &weight)| input * i32::from(weight));
                *sum += products.sum::<i32>();
            }
        }
    }
}
