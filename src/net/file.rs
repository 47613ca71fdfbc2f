//! The file that a network is kept in: a recipe and named tables of numbers.
//!
//! All numbers are little-endian. A file begins with a [`MAGIC`], a version
//! (`u32`), the length of the rest (`u64`) and a checksum over it (`u64`). The
//! rest is the recipe (`u32` length, UTF-8), the number of tables (`u16`), for
//! each table its name (`u8` length, UTF-8), the kind of its numbers (`u8`),
//! how many dimensions it has (`u8`) and each of them (`u16`); then the
//! numbers of all tables in the same order.

use crate::shared::hash::mix;

/// What every file begins with.
pub const MAGIC: [u8; 8] = *b"TENGENNT";
/// The version of the format that is written, and the only one read.
pub const VERSION: u32 = 1;
/// Bytes before what the checksum covers.
const HEADER: usize = 28;

/// Why a file holds no network of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is something else.
    #[error("this is no network file of Tengen's")]
    Foreign,
    /// It was made for another program.
    #[error("network file version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// It ends too early, or goes on too long.
    #[error("the network file is cut short or has something appended")]
    Length,
    /// Its bytes are not those that were written.
    #[error("the network file is damaged: its checksum is wrong")]
    Checksum,
    /// Its list of tables makes no sense.
    #[error("the network file's list of layers makes no sense")]
    Table,
    /// A table is not there.
    #[error("the network file has no layer {0}")]
    Missing(String),
    /// A table is not as the network needs it.
    #[error("layer {name} of the network file {what}")]
    Layer {
        /// Which table.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// The numbers of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Weights of layers that are computed in eight bits.
    I8(Vec<i8>),
    /// Weights of layers that are computed in sixteen bits.
    I16(Vec<i16>),
    /// Scales, biases, and small layers.
    F32(Vec<f32>),
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Numbers::I8(numbers) => numbers.len(),
            Numbers::I16(numbers) => numbers.len(),
            Numbers::F32(numbers) => numbers.len(),
        }
    }

    /// The name of the kind, as listings show it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Numbers::I8(_) => "i8",
            Numbers::I16(_) => "i16",
            Numbers::F32(_) => "f32",
        }
    }

    fn code(&self) -> u8 {
        match self {
            Numbers::I8(_) => 1,
            Numbers::I16(_) => 2,
            Numbers::F32(_) => 3,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Numbers::I8(numbers) => out.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
            Numbers::I16(numbers) => out.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
            Numbers::F32(numbers) => out.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
        }
    }

    fn read(code: u8, count: usize, reader: &mut Reader<'_>) -> Result<Self, FileError> {
        Ok(match code {
            1 => Numbers::I8(reader.take(count)?.iter().map(|&byte| byte as i8).collect()),
            2 => Numbers::I16(reader.array(count)?.iter().map(|&n| i16::from_le_bytes(n)).collect()),
            3 => Numbers::F32(reader.array(count)?.iter().map(|&n| f32::from_le_bytes(n)).collect()),
            _ => return Err(FileError::Table),
        })
    }
}

/// A named table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Its numbers, as many as the product of its dimensions.
    pub numbers: Numbers,
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// How the network was made.
    pub recipe: String,
    /// The tables, in the file's order.
    pub tables: Vec<Table>,
}

/// A checksum that sees every bit.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(sum ^ u64::from_le_bytes(word))
    })
}

impl File {
    /// Adds a table.
    ///
    /// # Panics
    /// There are not as many numbers as the shape says.
    pub fn push(&mut self, name: impl Into<String>, shape: &[usize], numbers: Numbers) {
        assert_eq!(shape.iter().product::<usize>(), numbers.len(), "numbers for the shape");
        self.tables.push(Table { name: name.into(), shape: shape.to_vec(), numbers });
    }

    /// The bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend((self.recipe.len() as u32).to_le_bytes());
        body.extend(self.recipe.as_bytes());
        body.extend((self.tables.len() as u16).to_le_bytes());
        for table in &self.tables {
            body.push(table.name.len() as u8);
            body.extend(table.name.as_bytes());
            body.extend([table.numbers.code(), table.shape.len() as u8]);
            body.extend(table.shape.iter().flat_map(|&side| (side as u16).to_le_bytes()));
        }
        for table in &self.tables {
            table.numbers.write(&mut body);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// They are not a file of this format and version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let mut reader = Reader(bytes);
        if reader.take(MAGIC.len()) != Ok(&MAGIC) {
            return Err(FileError::Foreign);
        }
        let version = u32::from_le_bytes(reader.one()?);
        if version != VERSION {
            return Err(FileError::Version(version));
        }
        let length = u64::from_le_bytes(reader.one()?);
        let sum = u64::from_le_bytes(reader.one()?);
        debug_assert_eq!(bytes.len() - reader.0.len(), HEADER);
        if reader.0.len() as u64 != length {
            return Err(FileError::Length);
        }
        if checksum(reader.0) != sum {
            return Err(FileError::Checksum);
        }
        Self::body(&mut reader).map_err(|_| FileError::Table)
    }

    fn body(reader: &mut Reader<'_>) -> Result<Self, FileError> {
        let length = u32::from_le_bytes(reader.one()?) as usize;
        let recipe = reader.text(length)?;
        let count = u16::from_le_bytes(reader.one()?);
        let mut rows = Vec::new();
        for _ in 0..count {
            let [length] = reader.one()?;
            let name = reader.text(length.into())?;
            let [code, dimensions] = reader.one()?;
            let shape = reader.array(dimensions.into())?;
            let shape: Vec<usize> = shape.iter().map(|&side| u16::from_le_bytes(side).into()).collect();
            rows.push((name, code, shape));
        }
        let mut tables = Vec::new();
        for (name, code, shape) in rows {
            let count = shape.iter().try_fold(1usize, |count, &side| count.checked_mul(side));
            let numbers = Numbers::read(code, count.ok_or(FileError::Table)?, reader)?;
            tables.push(Table { name, shape, numbers });
        }
        if reader.0.is_empty() { Ok(File { recipe, tables }) } else { Err(FileError::Table) }
    }

    /// The table called `name`.
    ///
    /// # Errors
    /// There is none.
    pub fn table(&self, name: &str) -> Result<&Table, FileError> {
        let found = self.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| FileError::Missing(name.to_owned()))
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], FileError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(FileError::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    /// `count` groups of `N` bytes.
    fn array<const N: usize>(&mut self, count: usize) -> Result<&'a [[u8; N]], FileError> {
        let bytes = self.take(count.checked_mul(N).ok_or(FileError::Length)?)?;
        Ok(bytes.as_chunks().0)
    }

    fn one<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        Ok(self.array(1)?[0])
    }

    fn text(&mut self, length: usize) -> Result<String, FileError> {
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| FileError::Table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> File {
        let mut file = File { recipe: "made by hand \u{b6}".into(), ..File::default() };
        file.push("a", &[2, 3], Numbers::I8(vec![1, -2, 3, 4, -127, 0]));
        file.push("b", &[2], Numbers::I16(vec![-300, 300]));
        file.push("c", &[1, 1, 1], Numbers::F32(vec![0.25]));
        file
    }

    #[test]
    fn what_is_written_is_read() {
        let file = example();
        assert_eq!(File::from_bytes(&file.to_bytes()), Ok(file.clone()));
        assert_eq!(file.table("b").unwrap().shape, [2]);
        assert_eq!(file.table("d"), Err(FileError::Missing("d".into())));
    }

    #[test]
    fn every_flipped_bit_is_seen() {
        let bytes = example().to_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(File::from_bytes(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn what_is_no_network_is_refused_by_name() {
        let bytes = example().to_bytes();
        assert_eq!(File::from_bytes(b""), Err(FileError::Foreign));
        assert_eq!(File::from_bytes(b"(;GM[1]FF[4]SZ[19])"), Err(FileError::Foreign));
        for length in 8..bytes.len() {
            assert_eq!(File::from_bytes(&bytes[..length]), Err(FileError::Length), "{length} bytes");
        }
        assert_eq!(File::from_bytes(&[&bytes[..], b"\n"].concat()), Err(FileError::Length));
        let mut newer = bytes.clone();
        newer[8] = 9;
        assert_eq!(File::from_bytes(&newer), Err(FileError::Version(9)));
        let mut damaged = bytes;
        damaged[40] ^= 1;
        assert_eq!(File::from_bytes(&damaged), Err(FileError::Checksum));
    }

    #[test]
    fn a_list_of_tables_that_lies_is_refused() {
        let mut file = example();
        file.tables[0].shape = vec![65535, 65535, 65535, 65535, 65535];
        assert_eq!(File::from_bytes(&file.to_bytes()), Err(FileError::Table));
        file.tables[0].shape = vec![5];
        assert_eq!(File::from_bytes(&file.to_bytes()), Err(FileError::Table));
    }
}
