//! The kernels agree bit for bit, and with arithmetic in floating point as far
//! as eight bits go.

use std::sync::Arc;

use super::{BORDER, Job, Kernel, Shape};
use crate::go::coord::Size;
use crate::net::Evaluation;
use crate::net::evaluate::Evaluator;
use crate::net::file::{File, FileError, Numbers};
use crate::net::network::{Conv, Network, QUAD_LIMIT, Requantise};
use crate::net::pack::Master;
use crate::net::reference::{self, random_master, random_planes};
use crate::shared::rng::Rng;

fn packed(channels: usize, blocks: usize, seed: u64) -> File {
    Master::new(&random_master(channels, blocks, seed)).unwrap().pack().unwrap()
}

fn evaluate(net: &Arc<Network>, kernel: Kernel, planes: &[u8], size: Size) -> Evaluation {
    Evaluator::with_kernel(net.clone(), kernel).evaluate(planes, size).clone()
}

fn shape(size: Size) -> Shape {
    Shape { width: size.width().into(), height: size.height().into() }
}

/// Squares of all sizes and some rectangles.
fn sizes() -> impl Iterator<Item = Size> {
    let squares = (2..=25).map(|side| (side, side));
    let oblong = [(2, 25), (25, 2), (9, 13), (19, 7), (3, 4), (14, 6), (5, 24)];
    // Interpreters are slow: a few sizes cover every length of run there.
    let step = if cfg!(miri) { 9 } else { 1 };
    squares.chain(oblong).step_by(step).filter_map(|(width, height)| Size::new(width, height))
}

#[test]
fn kernels_agree_on_whole_networks() {
    let shapes: &[(usize, usize)] = if cfg!(miri) { &[(48, 1)] } else { &[(16, 3), (32, 2), (48, 1)] };
    for (seed, &(channels, blocks)) in (1..).zip(shapes) {
        let net = Arc::new(Network::new(&packed(channels, blocks, seed)).unwrap());
        let mut rng = Rng::new(seed, 1);
        for size in sizes() {
            let planes = random_planes(shape(size), &mut rng);
            let plain = evaluate(&net, Kernel::Plain, &planes, size);
            assert!(plain.policy.iter().any(|&p| p != plain.policy[0]), "{size}: nothing to compare");
            for kernel in Kernel::available() {
                assert_eq!(evaluate(&net, kernel, &planes, size), plain, "{kernel}, {channels}, {size}");
            }
        }
    }
}

/// A layer whose sums come as close to the limits as they may.
fn extreme_layer(channels: usize, carry: Option<f32>, rng: &mut Rng) -> Conv {
    let quads: [[i8; 4]; 4] = [[127, 127, 2, 2], [-127, -127, -2, -2], [64, -65, 65, -64], [-127, 127, 1, 3]];
    let mut weights = vec![0i8; 9 * channels * channels];
    let fours = channels / 4;
    for (tap, pair, output) in (0..9)
        .flat_map(|tap| (0..fours / 2).map(move |pair| (tap, pair)))
        .flat_map(|(tap, pair)| (0..channels).map(move |output| (tap, pair, output)))
    {
        let at = |four: usize| ((tap * fours + pair * 2 + four) * channels + output) * 4;
        for half in 0..2 {
            let quad = quads[rng.below(4)];
            weights[at(0) + half * 2..][..2].copy_from_slice(&quad[..2]);
            weights[at(1) + half * 2..][..2].copy_from_slice(&quad[2..]);
        }
    }
    let scale = (0..channels).map(|_| rng.below(1000) as f32 * 2e-6).collect();
    let bias = (0..channels).map(|_| rng.below(100) as f32).collect();
    Conv { weights, requantise: Requantise { scale, bias }, carry }
}

#[test]
fn kernels_agree_at_the_limits_of_sixteen_bits() {
    let mut rng = Rng::new(5, 5);
    for channels in [16, 32, 48, 64] {
        for carry in [None, Some(0.7)] {
            let layer = extreme_layer(channels, carry, &mut rng);
            let shape = Shape { width: 4 + rng.below(10), height: 3 };
            let bytes = shape.padded(BORDER).0 * channels;
            let activation = |rng: &mut Rng| if rng.below(4) > 0 { 127 } else { rng.below(128) as u8 };
            let input: Vec<u8> = (0..bytes).map(|_| activation(&mut rng)).collect();
            let residual: Vec<u8> = (0..bytes).map(|_| activation(&mut rng)).collect();
            let run = |kernel: Kernel| {
                let mut output = vec![0; bytes];
                kernel.convolve(Job::new(shape, &layer, &input, &residual, &mut output));
                output
            };
            let plain = run(Kernel::Plain);
            assert!(plain.iter().any(|&a| a > 0 && a < 127));
            for kernel in Kernel::available() {
                assert!(run(kernel) == plain, "{kernel} with {channels} channels, carry {carry:?}");
            }
        }
    }
}

/// The mean distance of two rows of numbers.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>() / a.len() as f32
}

#[test]
fn eight_bits_are_close_to_floating_point() {
    let bytes = random_master(32, 3, 8);
    let master = Master::new(&bytes).unwrap();
    let net = Arc::new(Network::new(&master.pack().unwrap()).unwrap());
    let mut rng = Rng::new(8, 2);
    for side in [5, 9, 13] {
        let size = Size::square(side).unwrap();
        let planes = random_planes(shape(size), &mut rng);
        let raw = reference::evaluate(&master, &planes, shape(size));
        let found = evaluate(&net, Kernel::best(), &planes, size);
        let owners: Vec<f32> = raw.ownership.iter().map(|owner| owner.tanh()).collect();
        assert!(distance(&found.ownership, &owners) < 0.02, "owners on {size}");
        let score = owners.iter().sum::<f32>() + raw.pooled[1] * f32::from(side);
        assert!((found.score - score).abs() < 0.02 * size.points() as f32, "{} {score}", found.score);
        let spread = raw.pooled[2].exp().ln_1p() * 3.0 + 0.5;
        assert!((found.spread / spread - 1.0).abs() < 0.05, "{} {spread}", found.spread);
        // Where both have a probability, their ratio is that of the logits.
        let open: Vec<usize> = (0..size.points()).filter(|&i| found.policy[i] > 0.0).collect();
        let all: f32 = open.iter().map(|&i| raw.policy[i].exp()).sum::<f32>() + raw.pooled[0].exp();
        let wanted: Vec<f32> = open.iter().map(|&i| raw.policy[i].exp() / all).collect();
        let policy: Vec<f32> = open.iter().map(|&i| found.policy[i]).collect();
        let apart = distance(&policy, &wanted) * open.len() as f32;
        assert!(apart < 0.05, "policies on {size} are {apart} apart");
        assert!((found.policy.iter().sum::<f32>() + found.pass - 1.0).abs() < 1e-4);
    }
}

#[test]
fn networks_that_kernels_cannot_sum_are_refused() {
    let good = packed(16, 1, 3);
    assert!(Network::new(&good).is_ok());
    let change = |name: &str, numbers: fn(usize) -> Numbers| {
        let mut file = good.clone();
        let table = file.tables.iter_mut().find(|table| table.name == name).unwrap();
        table.numbers = numbers(table.shape.iter().product());
        Network::new(&file).unwrap_err()
    };
    let refused = |error: FileError, name: &str| {
        assert!(matches!(&error, FileError::Layer { name: found, .. } if found == name), "{error}");
    };
    let most = (QUAD_LIMIT / 4 + 1) as i8;
    assert_eq!(most, 65);
    refused(change("block.0.conv1.weight", |n| Numbers::I8(vec![65; n])), "block.0.conv1.weight");
    refused(change("block.0.conv2.weight", |n| Numbers::I8(vec![-128; n])), "block.0.conv2.weight");
    refused(change("stem.weight", |n| Numbers::I8(vec![41; n])), "stem.weight");
    refused(change("stem.scale", |n| Numbers::F32(vec![f32::NAN; n])), "stem.scale");
    refused(change("policy.weight", |n| Numbers::F32(vec![0.0; n])), "policy.weight");
    let mut file = good.clone();
    file.tables.retain(|table| table.name != "final.bias");
    assert_eq!(Network::new(&file).unwrap_err(), FileError::Missing("final.bias".into()));
    file = good;
    file.tables[0].shape = vec![8, 5, 5, 64];
    refused(Network::new(&file).unwrap_err(), "stem.weight");
}
