//! The network in floating point, plainly: what the packed one is held
//! against.

use std::collections::HashMap;
use std::sync::Arc;

use safetensors::tensor::{Dtype, TensorView};

use super::PLANES;
use super::kernel::Shape;
use super::network::{HIDDEN, Network, POOLED};
use super::pack::Master;
use crate::shared::rng::Rng;

/// Numbers by channel, then by point.
type Plane = Vec<Vec<f32>>;

/// What the heads say, before any squashing, and the largest activation of
/// each layer by its name.
pub struct Raw {
    pub policy: Vec<f32>,
    pub ownership: Vec<f32>,
    pub pooled: Vec<f32>,
    pub largest: HashMap<String, f32>,
}

fn conv(input: &Plane, shape: Shape, weights: &[f32], bias: &[f32], side: usize) -> Plane {
    let row = input.len() * side * side;
    let reach = (side / 2) as i32;
    let at = |plane: &[f32], x: i32, y: i32| {
        let inside = (0..shape.width as i32).contains(&x) && (0..shape.height as i32).contains(&y);
        if inside { plane[y as usize * shape.width + x as usize] } else { 0.0 }
    };
    let output = |(weights, bias): (&[f32], &f32)| {
        let value = |index: usize| {
            let (x, y) = ((index % shape.width) as i32 - reach, (index / shape.width) as i32 - reach);
            let mut sum = *bias;
            for (plane, window) in input.iter().zip(weights.chunks(side * side)) {
                for (place, weight) in window.iter().enumerate() {
                    sum += weight * at(plane, x + (place % side) as i32, y + (place / side) as i32);
                }
            }
            sum
        };
        (0..shape.points()).map(value).collect()
    };
    weights.chunks(row).zip(bias).map(output).collect()
}

fn relu(plane: &mut Plane, name: &str, largest: &mut HashMap<String, f32>) {
    let values = plane.iter_mut().flatten();
    let most = values.fold(0.0f32, |most, value| {
        *value = value.max(0.0);
        most.max(*value)
    });
    largest.insert(name.to_owned(), most);
}

fn dense(input: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let rows = weights.chunks(input.len()).zip(bias);
    rows.map(|(row, bias)| row.iter().zip(input).map(|(w, x)| w * x).sum::<f32>() + bias).collect()
}

/// Evaluates a position given as planes.
pub(super) fn evaluate(master: &Master<'_>, planes: &[u8], shape: Shape) -> Raw {
    let c = master.channels;
    let get = |name: &str, dims: &[usize]| master.floats(name, dims).unwrap();
    let layer = |input: &Plane, name: &str, side: usize| {
        let weights = get(&format!("{name}.weight"), &[c, input.len(), side, side]);
        conv(input, shape, &weights, &get(&format!("{name}.bias"), &[c]), side)
    };
    let mut largest = HashMap::new();
    let input: Plane = (0..PLANES)
        .map(|plane| planes.chunks(PLANES).map(|point| f32::from(point[plane])).collect())
        .collect();
    let mut trunk = layer(&input, "stem", 5);
    relu(&mut trunk, "stem", &mut largest);
    for index in 0..master.blocks {
        let name = |part: &str| format!("block.{index}.{part}");
        let mut mid = layer(&trunk, &name("conv1"), 3);
        relu(&mut mid, &name("mid"), &mut largest);
        let mut out = layer(&mid, &name("conv2"), 3);
        out.iter_mut().flatten().zip(trunk.iter().flatten()).for_each(|(value, before)| *value += before);
        relu(&mut out, &name("out"), &mut largest);
        trunk = out;
    }
    let head = |name: &str| {
        let weights = get(&format!("{name}.weight"), &[1, c, 1, 1]);
        conv(&trunk, shape, &weights, &get(&format!("{name}.bias"), &[1]), 1).remove(0)
    };
    let means: Vec<f32> = trunk.iter().map(|plane| plane.iter().sum::<f32>() / plane.len() as f32).collect();
    let mut hidden = dense(&means, &get("hidden.weight", &[HIDDEN, c]), &get("hidden.bias", &[HIDDEN]));
    hidden.iter_mut().for_each(|value| *value = value.max(0.0));
    let pooled = dense(&hidden, &get("final.weight", &[POOLED, HIDDEN]), &get("final.bias", &[POOLED]));
    Raw { policy: head("policy"), ownership: head("ownership"), pooled, largest }
}

/// Random planes in which about one value of eight is set.
pub(super) fn random_planes(shape: Shape, rng: &mut Rng) -> Vec<u8> {
    let any = |rng: &mut Rng| u8::from(rng.below(8) == 0);
    let mut planes: Vec<u8> = (0..shape.points() * PLANES).map(|_| any(rng)).collect();
    planes.chunks_mut(PLANES).for_each(|point| point[0] = 1);
    planes
}

/// The bytes of a master with random weights, its ranges measured.
pub fn random_master(channels: usize, blocks: usize, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, 0);
    let mut tensors: Vec<(String, Vec<usize>, Vec<f32>)> = Vec::new();
    let mut push = |name: String, shape: &[usize], spread: f32| {
        let uniform = |rng: &mut Rng| (rng.below(20_001) as f32 / 10_000.0 - 1.0) * spread;
        let numbers = (0..shape.iter().product()).map(|_| uniform(&mut rng)).collect();
        tensors.push((name, shape.to_vec(), numbers));
    };
    let mut conv = |name: String, inputs: usize, side: usize| {
        let spread = 1.7 / ((inputs * side * side) as f32).sqrt();
        push(format!("{name}.weight"), &[channels, inputs, side, side], spread);
        push(format!("{name}.bias"), &[channels], 0.2);
    };
    conv("stem".into(), PLANES, 5);
    for index in 0..blocks {
        conv(format!("block.{index}.conv1"), channels, 3);
        conv(format!("block.{index}.conv2"), channels, 3);
    }
    for (name, shape) in [
        ("policy", vec![1, channels, 1, 1]),
        ("ownership", vec![1, channels, 1, 1]),
        ("hidden", vec![HIDDEN, channels]),
        ("final", vec![POOLED, HIDDEN]),
    ] {
        push(format!("{name}.weight"), &shape, 0.5);
        push(format!("{name}.bias"), &shape[..1], 0.2);
    }
    let bytes = serialize(&tensors);
    let shape = Shape { width: 7, height: 6 };
    let raw = evaluate(&Master::new(&bytes).unwrap(), &random_planes(shape, &mut rng), shape);
    let ranges = raw.largest.into_iter().map(|(name, most)| (format!("range.{name}"), vec![], vec![most]));
    tensors.extend(ranges);
    serialize(&tensors)
}

/// A packed network with random weights.
pub fn random_network(channels: usize, blocks: usize, seed: u64) -> Arc<Network> {
    let bytes = random_master(channels, blocks, seed);
    Arc::new(Network::new(&Master::new(&bytes).unwrap().pack().unwrap()).unwrap())
}

fn serialize(tensors: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(_, _, numbers)| numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
        .collect();
    let views = tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
        (name.clone(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}
