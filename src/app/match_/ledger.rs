//! The files of a match: a line of JSON a game, and the games themselves. A
//! match that was killed goes on where its ledger ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::clock::Usage;
use super::terms::Terms;

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// Number of the game, from 0; games 2n and 2n+1 share an opening.
    pub game: usize,
    /// Name of the first engine.
    pub first: String,
    /// Name of the second engine.
    pub second: String,
    /// Whether the first engine moved second.
    pub swapped: bool,
    /// Name of the winner, or `draw`.
    pub winner: String,
    /// The result in the game's own notation.
    pub result: String,
    /// How the game ended.
    pub reason: String,
    /// Moves of the opening.
    pub opening_plies: usize,
    /// All moves.
    pub moves: Vec<String>,
    /// What both engines used, the first engine's first.
    pub usage: [Usage; 2],
}

impl GameLine {
    /// Whether the first engine won; `None` for a draw.
    #[must_use]
    pub fn first_won(&self) -> Option<bool> {
        if self.winner == "draw" { None } else { Some(self.winner == self.first) }
    }
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// A line is no game.
    #[error("{}:{line}: not a game: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// The games are of other engines.
    #[error("{0} holds games of {1} and {2}")]
    OtherMatch(PathBuf, String, String),
    /// The games are played under other terms.
    #[error(
        "{}: {name} was {before:?} and is {now:?} now; give another folder, or remove this file to go on all the same",
        path.display()
    )]
    OtherTerms {
        /// The file of the terms.
        path: PathBuf,
        /// Which of them.
        name: String,
        /// What it was.
        before: String,
        /// What the command line says.
        now: String,
    },
    /// The file of the terms cannot be read.
    #[error("{0}: not the terms of a match: {1}")]
    Terms(PathBuf, serde_json::Error),
    /// Another program plays into the folder.
    #[error("{0}: another match is writing it")]
    Busy(PathBuf),
}

/// The open files of a match.
pub(super) struct Ledger {
    lines: File,
    lines_path: PathBuf,
    records: File,
    records_path: PathBuf,
    /// Games of an earlier run.
    pub(super) finished: Vec<GameLine>,
}

impl Ledger {
    /// Opens the ledger in `folder`, which is made if need be. A last line
    /// that was cut off is taken away. `extension` is that of the records.
    /// The games of an earlier run must have been played under the same `terms`.
    pub(super) fn open(
        folder: &Path,
        names: [&str; 2],
        extension: &str,
        terms: &Terms,
    ) -> Result<Self, LedgerError> {
        let at = |path: &Path| {
            let path = path.to_path_buf();
            move |error| LedgerError::File(path, error)
        };
        fs::create_dir_all(folder).map_err(at(folder))?;
        let lines_path = folder.join("games.jsonl");
        let records_path = folder.join("games").with_extension(extension);
        let mut anywhere = OpenOptions::new();
        anywhere.create(true).truncate(false).read(true).write(true);
        let mut lines = anywhere.open(&lines_path).map_err(at(&lines_path))?;
        // Where files cannot be locked, the user must take care.
        if let Err(TryLockError::WouldBlock) = lines.try_lock() {
            return Err(LedgerError::Busy(lines_path));
        }
        let finished = read_finished(&mut lines, &lines_path, names)?;
        check_terms(folder, terms)?;
        let append = OpenOptions::new().create(true).append(true).open(&records_path);
        let records = append.map_err(at(&records_path))?;
        Ok(Ledger { lines, lines_path, records, records_path, finished })
    }

    /// Keeps a game. Its record is written first: a line stands for a game
    /// that is kept whole.
    pub(super) fn add(&mut self, line: &GameLine, record: &str) -> Result<(), LedgerError> {
        self.records
            .write_all(record.as_bytes())
            .map_err(|error| LedgerError::File(self.records_path.clone(), error))?;
        let fail = |error| LedgerError::File(self.lines_path.clone(), error);
        let mut text = serde_json::to_vec(line).map_err(|error| fail(error.into()))?;
        text.push(b'\n');
        self.lines.write_all(&text).and_then(|()| self.lines.flush()).map_err(fail)
    }
}

/// Sees that an earlier run in `folder` had the same terms, and keeps them.
/// Terms that it did not know may be what they like.
fn check_terms(folder: &Path, terms: &Terms) -> Result<(), LedgerError> {
    let path = folder.join("settings.json");
    let fail = |error| LedgerError::File(path.clone(), error);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = serde_json::to_string_pretty(terms).map_err(|error| fail(error.into()))?;
            // Under another name until it is whole: it may be all that a kill leaves.
            let fresh = path.with_extension("new");
            return fs::write(&fresh, text + "\n").and_then(|()| fs::rename(&fresh, &path)).map_err(fail);
        }
        Err(error) => return Err(fail(error)),
    };
    let kept: Terms = serde_json::from_str(&text).map_err(|error| LedgerError::Terms(path.clone(), error))?;
    for (name, now) in terms {
        if let Some(before) = kept.get(name).filter(|&before| before != now) {
            let (name, before, now) = (name.clone(), before.clone(), now.clone());
            return Err(LedgerError::OtherTerms { path, name, before, now });
        }
    }
    Ok(())
}

/// Reads the games in `file`, and leaves it at its end.
fn read_finished(file: &mut File, path: &Path, names: [&str; 2]) -> Result<Vec<GameLine>, LedgerError> {
    let fail = |error| LedgerError::File(path.to_path_buf(), error);
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(fail)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::Start(whole as u64))).map_err(fail)?;
    }
    let mut finished = Vec::new();
    for (i, line) in text[..whole].lines().enumerate() {
        let game: GameLine = serde_json::from_str(line).map_err(|source| LedgerError::Line {
            path: path.to_path_buf(),
            line: i + 1,
            source,
        })?;
        if [game.first.as_str(), &game.second] != names {
            return Err(LedgerError::OtherMatch(path.to_path_buf(), game.first, game.second));
        }
        finished.push(game);
    }
    Ok(finished)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(game: usize) -> GameLine {
        GameLine {
            game,
            first: "a".into(),
            second: "b".into(),
            swapped: game % 2 == 1,
            winner: "a".into(),
            result: "B+R".into(),
            reason: "resignation".into(),
            opening_plies: 0,
            moves: vec!["E5".into()],
            usage: [Usage::default(); 2],
        }
    }

    fn terms(size: &str) -> Terms {
        [("size".to_owned(), size.to_owned())].into()
    }

    fn open(folder: &Path, second: &str, size: &str) -> Result<Ledger, LedgerError> {
        Ledger::open(folder, ["a", second], "sgf", &terms(size))
    }

    #[test]
    fn a_killed_match_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = open(folder.path(), "b", "9").unwrap();
        for game in 0..3 {
            ledger.add(&line(game), "(;)\n").unwrap();
        }
        drop(ledger);
        let path = folder.path().join("games.jsonl");
        let mut bytes = fs::read(&path).unwrap();
        bytes.truncate(bytes.len() - 7);
        fs::write(&path, bytes).unwrap();
        let mut ledger = open(folder.path(), "b", "9").unwrap();
        assert_eq!(ledger.finished, [line(0), line(1)]);
        ledger.add(&line(2), "(;)\n").unwrap();
        assert!(matches!(open(folder.path(), "b", "9"), Err(LedgerError::Busy(_))));
        drop(ledger);
        assert_eq!(open(folder.path(), "b", "9").unwrap().finished.len(), 3);
        assert!(matches!(open(folder.path(), "c", "9"), Err(LedgerError::OtherMatch(..))));
    }

    #[test]
    fn a_match_does_not_go_on_under_other_terms() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path(), "b", "9").unwrap());
        let error = open(folder.path(), "b", "13").err().unwrap();
        assert!(matches!(error, LedgerError::OtherTerms { .. }), "{error}");
        assert!(error.to_string().contains(r#"size was "9" and is "13" now"#), "{error}");
        fs::write(folder.path().join("settings.json"), "{}").unwrap();
        assert!(open(folder.path(), "b", "13").is_ok(), "terms of an older version say nothing");
    }
}
