//! Game records to learn from, whatever they are written in.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Sgf,
    Pgn,
    /// One game of Go a line.
    Lines,
}

/// The name that stands for standard input.
const STDIN: &str = "-";
/// Names of files in folders that hold records.
const EXTENSIONS: [(&str, Format); 4] =
    [("sgf", Format::Sgf), ("mgt", Format::Sgf), ("pgn", Format::Pgn), ("games", Format::Lines)];

/// A file that holds game records, or should.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// Bytes, where they are known.
    pub(super) length: u64,
}

/// The files themselves, and the records in folders and the folders in them,
/// in the order of their names.
pub(super) fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut stack: Vec<PathBuf> = paths.iter().rev().cloned().collect();
    let named = |path: &Path| paths.iter().any(|named| named == path);
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            let context = || path.display().to_string();
            let entries = fs::read_dir(&path).map_err(|error| anyhow::anyhow!("{}: {error}", context()))?;
            let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            found.sort();
            stack.extend(found.into_iter().rev());
        } else if named(&path) || by_name(&path).is_some() {
            let length = fs::metadata(&path).map_or(0, |data| data.len());
            sources.push(Source { path, length });
        }
    }
    anyhow::ensure!(!sources.is_empty(), "there are no game records");
    Ok(sources)
}

fn by_name(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_ascii_lowercase();
    EXTENSIONS.iter().find(|(known, _)| extension == *known).map(|&(_, format)| format)
}

impl Source {
    /// The bytes of the file, or of standard input.
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        if self.path.as_os_str() == STDIN {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
        fs::read(&self.path)
    }

    /// How the file is written: by its name, or by what it begins with.
    pub(super) fn format(&self, bytes: &[u8]) -> Format {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace() && byte.is_ascii());
        by_name(&self.path).unwrap_or(match first {
            Some(b'(') => Format::Sgf,
            Some(b'[') => Format::Pgn,
            _ => Format::Lines,
        })
    }
}
