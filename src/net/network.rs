//! A network in the form that it is computed in.
//!
//! A 5x5 stem over the input planes, residual blocks of two 3x3 convolutions,
//! and heads for moves, owners, score and its spread: fully convolutional, so
//! one network serves every size. Activations are `u8` from 0 to 127, weights
//! `i8` with a scale for each output channel, sums `i32`; a sum times its
//! scale, plus a bias, is rounded back to an activation (Jacob and others
//! 2018, "Quantization and Training of Neural Networks for Efficient
//! Integer-Arithmetic-Only Inference"). The limits on weights that
//! [`Network::new`] checks keep sums of sixteen bits exact, so every kernel
//! computes the same.

use std::fmt;

use super::PLANES;
use super::file::{File, FileError, Numbers, Table};
use crate::shared::hash::mix;

/// Side of the stem's window.
pub(super) const STEM_SIDE: usize = 5;
/// Side of a block convolution's window.
pub(super) const BLOCK_SIDE: usize = 3;
/// The largest activation.
pub(super) const ACTIVATION_MAX: f32 = 127.0;
/// What magnitudes of four weights that are summed in sixteen bits may come
/// to: times the largest activation this is below 2^15.
pub(super) const QUAD_LIMIT: i32 = 258;
/// What magnitudes of all weights of a stem channel may come to.
pub(super) const STEM_LIMIT: i32 = 32767;
/// Units of the hidden layer behind the pooled head.
pub(super) const HIDDEN: usize = 32;
/// Outputs of the pooled head: pass, score, spread of the score.
pub(super) const POOLED: usize = 3;
/// Channels come in multiples of this.
pub(super) const LANES: usize = 16;
const MOST_CHANNELS: usize = 512;
const MOST_BLOCKS: usize = 64;

/// How sums become activations again.
#[derive(Clone, Debug)]
pub(super) struct Requantise {
    /// For each output channel.
    pub scale: Vec<f32>,
    /// For each output channel.
    pub bias: Vec<f32>,
}

/// The first layer. Planes hold 0 or 1, so its sums are sums of weights.
#[derive(Clone, Debug)]
pub(super) struct Stem {
    /// By plane, then by the place in the output that sees the point, row by
    /// row, then by output channel.
    pub weights: Vec<i16>,
    pub requantise: Requantise,
}

/// A 3x3 convolution between blocks of equal width.
#[derive(Clone, Debug)]
pub(super) struct Conv {
    /// By place in the window, then by four input channels, then by output
    /// channel, then by input channel within the four.
    pub weights: Vec<i8>,
    pub requantise: Requantise,
    /// Factor on the activations that are added to the result, if any are.
    pub carry: Option<f32>,
}

/// A head that gives one number for each point.
#[derive(Clone, Debug)]
pub(super) struct PointHead {
    /// For each channel.
    pub weights: Vec<i16>,
    pub scale: f32,
    pub bias: f32,
}

/// A dense layer: weights by output, then by input.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

/// A network, ready to be evaluated.
#[derive(Clone)]
pub struct Network {
    recipe: String,
    fingerprint: u64,
    pub(super) channels: usize,
    pub(super) stem: Stem,
    pub(super) blocks: Vec<[Conv; 2]>,
    pub(super) policy: PointHead,
    pub(super) ownership: PointHead,
    pub(super) hidden: Dense,
    pub(super) last: Dense,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {:016x}", self.fingerprint)
    }
}

impl Network {
    /// The network in the bytes of a file.
    ///
    /// # Errors
    /// They are no network file, it is damaged, or not one of this shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        Self::new(&File::from_bytes(bytes)?)
    }

    /// The network that a file describes.
    ///
    /// # Errors
    /// A layer is missing, or has a shape or weights that do not fit.
    pub fn new(file: &File) -> Result<Self, FileError> {
        let stem_table = file.table("stem.weight")?;
        let channels = stem_table.shape.first().copied().unwrap_or(0);
        if channels == 0 || !channels.is_multiple_of(LANES) || channels > MOST_CHANNELS {
            return Err(wrong(stem_table, "has a number of channels that is not supported"));
        }
        let blocks = (0..).take_while(|i| file.table(&format!("block.{i}.conv1.weight")).is_ok());
        let blocks = blocks.take(MOST_BLOCKS).map(|i| block(file, i, channels)).collect::<Result<_, _>>()?;
        Ok(Network {
            recipe: file.recipe.clone(),
            fingerprint: fingerprint(&file.to_bytes()),
            channels,
            stem: stem(file, channels)?,
            blocks,
            policy: point_head(file, "policy", channels)?,
            ownership: point_head(file, "ownership", channels)?,
            hidden: dense(file, "hidden", HIDDEN, channels)?,
            last: dense(file, "final", POOLED, HIDDEN)?,
        })
    }

    /// How the network was made.
    #[must_use]
    pub fn recipe(&self) -> &str {
        &self.recipe
    }

    /// A number that tells networks apart.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Channels between its layers.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Residual blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }
}

fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(1, |sum, &byte| mix(sum ^ u64::from(byte)))
}

fn wrong(table: &Table, what: &'static str) -> FileError {
    FileError::Layer { name: table.name.clone(), what }
}

/// The numbers of a table that must have a certain shape.
fn shaped<'a>(file: &'a File, name: &str, shape: &[usize]) -> Result<(&'a Table, &'a Numbers), FileError> {
    let table = file.table(name)?;
    if table.shape == shape { Ok((table, &table.numbers)) } else { Err(wrong(table, "has the wrong shape")) }
}

fn floats<'a>(file: &'a File, name: &str, shape: &[usize]) -> Result<&'a [f32], FileError> {
    match shaped(file, name, shape)? {
        (_, Numbers::F32(numbers)) if numbers.iter().all(|n| n.abs() < 1e6) => Ok(numbers),
        (table, _) => Err(wrong(table, "holds no numbers of moderate size")),
    }
}

fn bytes<'a>(file: &'a File, name: &str, shape: &[usize]) -> Result<(&'a Table, &'a [i8]), FileError> {
    match shaped(file, name, shape)? {
        (table, Numbers::I8(numbers)) if !numbers.contains(&i8::MIN) => Ok((table, numbers)),
        (table, _) => Err(wrong(table, "holds no weights from -127 to 127")),
    }
}

fn requantise(file: &File, name: &str, channels: usize) -> Result<Requantise, FileError> {
    Ok(Requantise {
        scale: floats(file, &format!("{name}.scale"), &[channels])?.to_vec(),
        bias: floats(file, &format!("{name}.bias"), &[channels])?.to_vec(),
    })
}

fn stem(file: &File, channels: usize) -> Result<Stem, FileError> {
    let shape = [channels, STEM_SIDE, STEM_SIDE, PLANES];
    let (table, numbers) = bytes(file, "stem.weight", &shape)?;
    let row = STEM_SIDE * STEM_SIDE * PLANES;
    if numbers.chunks(row).any(|weights| magnitude(weights.iter().copied()) > STEM_LIMIT) {
        return Err(wrong(table, "has weights whose sum does not fit into sixteen bits"));
    }
    let mut weights = vec![0; numbers.len()];
    for (index, &weight) in numbers.iter().enumerate() {
        let (output, rest) = (index / row, index % row);
        let (tap, plane) = (rest / PLANES, rest % PLANES);
        // A point that an output sees below itself sees that output above.
        let place = STEM_SIDE * STEM_SIDE - 1 - tap;
        weights[(plane * STEM_SIDE * STEM_SIDE + place) * channels + output] = weight.into();
    }
    Ok(Stem { weights, requantise: requantise(file, "stem", channels)? })
}

/// The sum of the weights' magnitudes.
pub(super) fn magnitude(weights: impl Iterator<Item = i8>) -> i32 {
    weights.map(|weight| i32::from(weight).abs()).sum()
}

/// Groups of four among the weights of neighbouring input channels that are
/// summed in sixteen bits: of each eight, the first two of both fours, and the
/// last two of both.
pub(super) fn quads(weights: &[i8]) -> impl Iterator<Item = [i8; 4]> + '_ {
    weights.chunks_exact(8).flat_map(|w| [[w[0], w[1], w[4], w[5]], [w[2], w[3], w[6], w[7]]])
}

fn block(file: &File, index: usize, channels: usize) -> Result<[Conv; 2], FileError> {
    let name = |part: &str| format!("block.{index}.{part}");
    let carry = floats(file, &name("conv2.carry"), &[1])?[0];
    Ok([conv(file, &name("conv1"), channels, None)?, conv(file, &name("conv2"), channels, Some(carry))?])
}

fn conv(file: &File, name: &str, channels: usize, carry: Option<f32>) -> Result<Conv, FileError> {
    let shape = [channels, BLOCK_SIDE, BLOCK_SIDE, channels];
    let (table, numbers) = bytes(file, &format!("{name}.weight"), &shape)?;
    if quads(numbers).any(|quad| magnitude(quad.into_iter()) > QUAD_LIMIT) {
        return Err(wrong(table, "has weights whose sums do not fit into sixteen bits"));
    }
    let row = BLOCK_SIDE * BLOCK_SIDE * channels;
    let mut weights = vec![0; numbers.len()];
    for (index, &weight) in numbers.iter().enumerate() {
        let (output, rest) = (index / row, index % row);
        let (tap, input) = (rest / channels, rest % channels);
        let four = tap * (channels / 4) + input / 4;
        weights[(four * channels + output) * 4 + input % 4] = weight;
    }
    Ok(Conv { weights, requantise: requantise(file, name, channels)?, carry })
}

fn point_head(file: &File, name: &str, channels: usize) -> Result<PointHead, FileError> {
    let weights = match shaped(file, &format!("{name}.weight"), &[channels])? {
        (_, Numbers::I16(weights)) => weights.clone(),
        (table, _) => return Err(wrong(table, "holds no weights of sixteen bits")),
    };
    let scale = floats(file, &format!("{name}.scale"), &[1])?[0];
    let bias = floats(file, &format!("{name}.bias"), &[1])?[0];
    Ok(PointHead { weights, scale, bias })
}

fn dense(file: &File, name: &str, outputs: usize, inputs: usize) -> Result<Dense, FileError> {
    Ok(Dense {
        weights: floats(file, &format!("{name}.weight"), &[outputs, inputs])?.to_vec(),
        bias: floats(file, &format!("{name}.bias"), &[outputs])?.to_vec(),
    })
}
