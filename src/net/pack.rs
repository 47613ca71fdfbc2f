//! From the trained network in floating point to the packed one.
//!
//! The master is a safetensors file with batch norm folded into weights and
//! biases, and with the ranges of the activations on real positions. Each
//! output channel gets the scale that makes full use of eight bits.

use safetensors::{Dtype, SafeTensors};

use super::PLANES;
use super::file::{File, Numbers};
use super::network::{
    ACTIVATION_MAX, BLOCK_SIDE, HIDDEN, LANES, POOLED, QUAD_LIMIT, STEM_LIMIT, STEM_SIDE, magnitude, quads,
};

/// Why a master was not packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It is no safetensors file.
    #[error("the master is no safetensors file: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// A tensor is not as it must be.
    #[error("tensor {name} of the master {what}")]
    Tensor {
        /// Which one.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

/// A trained network in floating point.
pub struct Master<'a> {
    tensors: SafeTensors<'a>,
    recipe: String,
    /// Channels between layers.
    pub channels: usize,
    /// Residual blocks.
    pub blocks: usize,
}

fn wrong(name: &str, what: impl Into<String>) -> PackError {
    PackError::Tensor { name: name.into(), what: what.into() }
}

impl<'a> Master<'a> {
    /// Reads a master's bytes.
    ///
    /// # Errors
    /// They are no safetensors file, or one without the layers of this shape.
    pub fn new(bytes: &'a [u8]) -> Result<Self, PackError> {
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let tensors = SafeTensors::deserialize(bytes)?;
        let recipe = metadata.metadata().as_ref().map_or_else(String::new, |notes| {
            let mut notes: Vec<String> = notes.iter().map(|(key, value)| format!("{key}: {value}")).collect();
            notes.sort();
            notes.join("\n")
        });
        let channels = tensors.tensor("stem.bias")?.shape().first().copied().unwrap_or(0);
        if channels == 0 || !channels.is_multiple_of(LANES) {
            return Err(wrong("stem.bias", format!("must have a multiple of {LANES} channels")));
        }
        let blocks = (0..).take_while(|i| tensors.tensor(&format!("block.{i}.conv1.weight")).is_ok()).count();
        Ok(Master { tensors, recipe, channels, blocks })
    }

    /// The numbers of a tensor of a given shape.
    ///
    /// # Errors
    /// It is missing, has another shape or type, or holds what is no number.
    pub fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, PackError> {
        let tensor = self.tensors.tensor(name)?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            return Err(wrong(name, format!("must be f32 of shape {shape:?}")));
        }
        let numbers: Vec<f32> = tensor.data().as_chunks().0.iter().map(|&n| f32::from_le_bytes(n)).collect();
        if numbers.iter().all(|n| n.is_finite()) { Ok(numbers) } else { Err(wrong(name, "is not finite")) }
    }

    /// What an activation of 1 stands for, of the layer called `name`.
    ///
    /// # Errors
    /// The layer's range is missing or negative.
    pub fn step(&self, name: &str) -> Result<f32, PackError> {
        let name = format!("range.{name}");
        match self.floats(&name, &[])?.first() {
            Some(&range) if range > 0.0 => Ok(range / ACTIVATION_MAX),
            // A layer that was never active may be, one day.
            Some(&0.0) => Ok(1.0 / ACTIVATION_MAX),
            _ => Err(wrong(&name, "must not be negative")),
        }
    }

    /// Packs the network.
    ///
    /// # Errors
    /// A layer is missing or does not have the right shape.
    pub fn pack(&self) -> Result<File, PackError> {
        let mut file = File { recipe: self.recipe.clone(), ..File::default() };
        let mut step = self.step("stem")?;
        let stem = Shape { side: STEM_SIDE, inputs: PLANES, before: 1.0, after: step };
        self.conv(&mut file, "stem", &stem, |weights| magnitude(weights.iter().copied()) <= STEM_LIMIT)?;
        let exact = |weights: &[i8]| quads(weights).all(|quad| magnitude(quad.into_iter()) <= QUAD_LIMIT);
        for index in 0..self.blocks {
            let name = |part: &str| format!("block.{index}.{part}");
            let (mid, out) = (self.step(&name("mid"))?, self.step(&name("out"))?);
            let first = Shape { side: BLOCK_SIDE, inputs: self.channels, before: step, after: mid };
            self.conv(&mut file, &name("conv1"), &first, exact)?;
            let second = Shape { before: mid, after: out, ..first };
            self.conv(&mut file, &name("conv2"), &second, exact)?;
            file.push(name("conv2.carry"), &[1], Numbers::F32(vec![step / out]));
            step = out;
        }
        self.point_head(&mut file, "policy", step)?;
        self.point_head(&mut file, "ownership", step)?;
        self.dense(&mut file, "hidden", HIDDEN, self.channels, step)?;
        self.dense(&mut file, "final", POOLED, HIDDEN, 1.0)?;
        Ok(file)
    }

    fn conv(
        &self,
        file: &mut File,
        name: &str,
        shape: &Shape,
        fits: impl Fn(&[i8]) -> bool,
    ) -> Result<(), PackError> {
        let &Shape { side, inputs, before, after } = shape;
        let weights = self.floats(&format!("{name}.weight"), &[self.channels, inputs, side, side])?;
        let bias = self.floats(&format!("{name}.bias"), &[self.channels])?;
        let mut packed = Vec::with_capacity(weights.len());
        let mut scales = Vec::with_capacity(self.channels);
        for weights in weights.chunks(inputs * side * side) {
            let (numbers, scale) = quantise(&channels_last(weights, inputs), &fits);
            packed.extend(numbers);
            scales.push(scale * before / after);
        }
        file.push(format!("{name}.weight"), &[self.channels, side, side, inputs], Numbers::I8(packed));
        file.push(format!("{name}.scale"), &[self.channels], Numbers::F32(scales));
        let bias = bias.iter().map(|bias| bias / after).collect();
        file.push(format!("{name}.bias"), &[self.channels], Numbers::F32(bias));
        Ok(())
    }

    fn point_head(&self, file: &mut File, name: &str, step: f32) -> Result<(), PackError> {
        let weights = self.floats(&format!("{name}.weight"), &[1, self.channels, 1, 1])?;
        let bias = self.floats(&format!("{name}.bias"), &[1])?;
        let largest = weights.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs()));
        let scale = largest / f32::from(i16::MAX);
        let packed = weights.iter().map(|weight| (weight / scale).round() as i16).collect();
        file.push(format!("{name}.weight"), &[self.channels], Numbers::I16(packed));
        file.push(format!("{name}.scale"), &[1], Numbers::F32(vec![scale * step]));
        file.push(format!("{name}.bias"), &[1], Numbers::F32(bias));
        Ok(())
    }

    fn dense(
        &self,
        file: &mut File,
        name: &str,
        outputs: usize,
        inputs: usize,
        step: f32,
    ) -> Result<(), PackError> {
        let weights = self.floats(&format!("{name}.weight"), &[outputs, inputs])?;
        let bias = self.floats(&format!("{name}.bias"), &[outputs])?;
        let weights = weights.iter().map(|weight| weight * step).collect();
        file.push(format!("{name}.weight"), &[outputs, inputs], Numbers::F32(weights));
        file.push(format!("{name}.bias"), &[outputs], Numbers::F32(bias));
        Ok(())
    }
}

/// A convolution to be packed.
#[derive(Clone, Copy)]
struct Shape {
    side: usize,
    inputs: usize,
    /// What an activation of 1 stands for in its input.
    before: f32,
    /// And in its output.
    after: f32,
}

/// Weights by input channel, then by place, as weights by place, then by
/// input channel.
fn channels_last(weights: &[f32], inputs: usize) -> Vec<f32> {
    let places = weights.len() / inputs;
    (0..places).flat_map(|place| (0..inputs).map(move |input| weights[input * places + place])).collect()
}

/// One output channel's weights in eight bits and the scale to multiply them
/// with: the smallest whose weights the kernels can sum.
fn quantise(weights: &[f32], fits: impl Fn(&[i8]) -> bool) -> (Vec<i8>, f32) {
    const LARGEST: f32 = 127.0;
    let largest = weights.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs()));
    let mut scale = largest / LARGEST;
    loop {
        let round = |weight: &f32| (weight / scale).round().clamp(-LARGEST, LARGEST) as i8;
        let numbers: Vec<i8> = weights.iter().map(round).collect();
        if fits(&numbers) {
            return (numbers, scale);
        }
        scale *= 1.02;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_grows_until_sums_fit() {
        let (numbers, scale) = quantise(&[1.0, -0.5, 0.0, 0.25], |_| true);
        assert_eq!(numbers, [127, -64, 0, 32]);
        assert!((scale - 1.0 / 127.0).abs() < 1e-7);
        let small = |numbers: &[i8]| magnitude(numbers.iter().copied()) <= 100;
        let (numbers, scale) = quantise(&[1.0, -0.5, 0.0, 0.25], small);
        assert!((94..=100).contains(&magnitude(numbers.iter().copied())));
        assert!((f32::from(numbers[0]) * scale - 1.0).abs() < 0.02);
        assert_eq!(quantise(&[0.0; 4], |_| true).0, [0; 4]);
    }

    #[test]
    fn channels_go_last() {
        assert_eq!(channels_last(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn what_is_no_master_is_refused() {
        assert!(matches!(Master::new(b"no tensors in here"), Err(PackError::Format(_))));
    }
}
