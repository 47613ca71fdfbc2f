//! Files of training positions: one table for each board size and each side
//! of the split, in files of limited length.
//!
//! A file is in the safetensors format. Row by row it has the planes of a
//! position, a number of 32 bits for each point, lowest plane first; the move
//! that was played; and what is known of the game.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use safetensors::{Dtype, SafeTensors, serialize_to_file, tensor::TensorView};

use crate::go::coord::Size;

/// A position and what became of it, for the player to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    /// For each point, from the top left, the planes as bits.
    pub planes: Vec<u32>,
    /// The place of the move that was played; the number of points for a
    /// pass; -1 at the end of the game.
    pub play: i16,
    /// The opponent's reply, likewise; -1 also if the next move was not his.
    pub reply: i16,
    /// How many moves were played before, and in the whole game.
    pub ply: i16,
    pub length: i16,
    /// The number of the game, in the order in which they were read.
    pub game: u32,
    /// The index of the game's source among the table's names.
    pub source: u8,
    /// Whether Black is to move.
    pub black: u8,
    /// 1 if the mover won, -1 if he lost, 0 if nobody did or it is not known.
    pub winner: i8,
    /// Komi, positive for White as the mover, or not a number.
    pub own_komi: f32,
    /// By how much the mover was ahead in the end, without komi, or not a
    /// number.
    pub margin: f32,
}

/// Rows that share a size and a side of the split, not yet written.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    files: usize,
}

/// Writes rows to a folder.
pub(super) struct Shards {
    folder: PathBuf,
    rows_in_file: usize,
    tables: BTreeMap<String, (Size, Table)>,
    sources: Vec<String>,
    written: BTreeMap<String, usize>,
}

impl Shards {
    pub fn new(folder: &Path, rows_in_file: usize) -> Self {
        Shards {
            folder: folder.to_owned(),
            rows_in_file,
            tables: BTreeMap::new(),
            sources: Vec::new(),
            written: BTreeMap::new(),
        }
    }

    /// The number of a source, from its name.
    ///
    /// # Errors
    /// There are more than 256 of them.
    pub fn source(&mut self, name: &str) -> anyhow::Result<u8> {
        let known = self.sources.iter().position(|source| source == name);
        let at = known.unwrap_or_else(|| {
            self.sources.push(name.to_owned());
            self.sources.len() - 1
        });
        u8::try_from(at).context("more than 256 sources of games")
    }

    /// Adds rows of games on boards of `size`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(&mut self, size: Size, held: bool, rows: Vec<Row>) -> anyhow::Result<()> {
        let name = format!("{size}-{}", if held { "held" } else { "train" });
        let (_, table) = self.tables.entry(name.clone()).or_insert_with(|| (size, Table::default()));
        table.rows.extend(rows);
        if table.rows.len() >= self.rows_in_file {
            self.flush(&name)?;
        }
        Ok(())
    }

    /// Writes what is left; gives the numbers of rows by table.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(mut self) -> anyhow::Result<BTreeMap<String, usize>> {
        for name in self.tables.keys().cloned().collect::<Vec<_>>() {
            self.flush(&name)?;
        }
        Ok(self.written)
    }

    fn flush(&mut self, name: &str) -> anyhow::Result<()> {
        let Some((size, table)) = self.tables.get_mut(name) else { return Ok(()) };
        let rows = std::mem::take(&mut table.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let path = self.folder.join(format!("{name}-{:04}.safetensors", table.files));
        table.files += 1;
        *self.written.entry(name.to_owned()).or_default() += rows.len();
        write(&path, *size, &rows, &self.sources).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A column of a table: its name, type, values and the length of each.
type Column = (&'static str, Dtype, Vec<u8>);

fn columns(rows: &[Row]) -> Vec<Column> {
    fn bytes<const N: usize>(rows: &[Row], value: impl Fn(&Row) -> [u8; N]) -> Vec<u8> {
        rows.iter().flat_map(value).collect()
    }
    let planes = rows.iter().flat_map(|row| &row.planes).flat_map(|bits| bits.to_le_bytes()).collect();
    vec![
        ("planes", Dtype::U32, planes),
        ("play", Dtype::I16, bytes(rows, |row| row.play.to_le_bytes())),
        ("reply", Dtype::I16, bytes(rows, |row| row.reply.to_le_bytes())),
        ("ply", Dtype::I16, bytes(rows, |row| row.ply.to_le_bytes())),
        ("length", Dtype::I16, bytes(rows, |row| row.length.to_le_bytes())),
        ("game", Dtype::U32, bytes(rows, |row| row.game.to_le_bytes())),
        ("source", Dtype::U8, bytes(rows, |row| [row.source])),
        ("black", Dtype::U8, bytes(rows, |row| [row.black])),
        ("winner", Dtype::I8, bytes(rows, |row| row.winner.to_le_bytes())),
        ("own_komi", Dtype::F32, bytes(rows, |row| row.own_komi.to_le_bytes())),
        ("margin", Dtype::F32, bytes(rows, |row| row.margin.to_le_bytes())),
    ]
}

fn write(path: &Path, size: Size, rows: &[Row], sources: &[String]) -> anyhow::Result<()> {
    let columns = columns(rows);
    let mut views = Vec::with_capacity(columns.len());
    for (name, dtype, bytes) in &columns {
        let shape = if *name == "planes" { vec![rows.len(), size.points()] } else { vec![rows.len()] };
        views.push((*name, TensorView::new(*dtype, shape, bytes)?));
    }
    let about = HashMap::from([
        ("width".to_owned(), size.width().to_string()),
        ("height".to_owned(), size.height().to_string()),
        ("sources".to_owned(), sources.join(",")),
    ]);
    Ok(serialize_to_file(views, Some(about), path)?)
}

/// What [`Shards`] wrote into one file, as far as moves are concerned.
pub(super) struct Held {
    pub size: Size,
    /// The names of the sources.
    pub sources: Vec<String>,
    /// Row after row, as in [`Row`].
    pub planes: Vec<u32>,
    pub plays: Vec<i16>,
    /// The number of each row's source.
    pub source_of: Vec<u8>,
}

impl Held {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// They are no such file.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let table = SafeTensors::deserialize(bytes)?;
        let about = header.metadata().as_ref().context("it does not say of what it is")?;
        let side = |name: &str| about.get(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        let size = Size::new(side("width"), side("height")).context("it names no board size")?;
        let sources = about.get("sources").map(|names| names.split(',').map(str::to_owned).collect());
        let numbers = |name: &str, dtype: Dtype, width: usize| -> anyhow::Result<Vec<u8>> {
            let tensor = table.tensor(name)?;
            let wanted = table.tensor("play")?.shape().iter().product::<usize>() * width;
            let fits = tensor.dtype() == dtype && tensor.shape().iter().product::<usize>() == wanted;
            ensure!(fits, "{name} has another type or length than samples have");
            Ok(tensor.data().to_vec())
        };
        let planes = numbers("planes", Dtype::U32, size.points())?;
        Ok(Held {
            size,
            sources: sources.unwrap_or_default(),
            planes: planes.as_chunks().0.iter().map(|&four| u32::from_le_bytes(four)).collect(),
            plays: numbers("play", Dtype::I16, 1)?
                .as_chunks()
                .0
                .iter()
                .map(|&two| i16::from_le_bytes(two))
                .collect(),
            source_of: numbers("source", Dtype::U8, 1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_cut_into_files_and_can_be_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut shards = Shards::new(folder.path(), 3);
        let size = Size::square(2).unwrap();
        let source = shards.source("club").unwrap();
        let row = |game: u32| Row {
            planes: vec![1, 2, 3, game],
            game,
            play: -1,
            source,
            own_komi: 6.5,
            ..Row::default()
        };
        for game in 0..5 {
            shards.add(size, false, vec![row(game)]).unwrap();
        }
        shards.add(size, true, vec![row(9)]).unwrap();
        let written = shards.finish().unwrap();
        assert_eq!(written, BTreeMap::from([("2x2-held".to_owned(), 1), ("2x2-train".to_owned(), 5)]));
        let bytes = std::fs::read(folder.path().join("2x2-train-0001.safetensors")).unwrap();
        let table = SafeTensors::deserialize(&bytes).unwrap();
        let planes = table.tensor("planes").unwrap();
        assert_eq!(planes.shape(), [2, 4]);
        assert_eq!(planes.data()[..16], [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(table.tensor("play").unwrap().data(), [255; 4]);
        let held = Held::read(&bytes).unwrap();
        assert_eq!((held.size, held.sources, held.plays), (size, vec!["club".to_owned()], vec![-1; 2]));
        assert_eq!((&held.planes[..4], held.source_of), (&[1, 2, 3, 3][..], vec![source; 2]));
        assert!(Held::read(&bytes[..bytes.len() - 1]).is_err() && Held::read(b"{}").is_err());
        assert_eq!(table.tensor("own_komi").unwrap().data()[..4], 6.5f32.to_le_bytes());
    }
}
