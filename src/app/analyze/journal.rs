//! What is done of an analysis, on disk, so that a stopped one can go on.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Which position of a file an evaluation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Place {
    /// Number of the game in its file, from 0.
    pub(super) game: usize,
    /// Moves played before the position.
    pub(super) after: usize,
}

/// Something that a journal keeps.
pub(super) trait Entry: Clone + Serialize + DeserializeOwned {
    /// Where it belongs.
    fn place(&self) -> Place;
}

/// Evaluations on disk, one a line.
pub(super) struct Journal<E> {
    file: fs::File,
    done: Vec<E>,
}

/// What a journal must agree in to be of use: the record, and how it is
/// searched.
pub(super) fn key(bytes: &[u8], settings: &str) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    settings.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What stands before the key in the journal of a record whose results are
/// written.
const FINISHED: &str = "finished";

/// Puts into the place of the journal that everything is done for `key`.
pub(super) fn finish(path: &Path, key: &str) -> io::Result<()> {
    fs::write(path, format!("{FINISHED} {key}\n"))
}

/// Whether everything was done for `key`.
pub(super) fn is_finished(path: &Path, key: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.trim_end() == format!("{FINISHED} {key}"))
}

impl<E: Entry> Journal<E> {
    /// Opens the journal at `path`, or begins one if there is none with `key`.
    pub(super) fn open(path: &Path, key: &str) -> io::Result<Self> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let done: Vec<E> = if lines.next() == Some(key) {
            lines.map_while(|line| serde_json::from_str(line).ok()).collect()
        } else {
            Vec::new()
        };
        // Written anew, so that a line that was cut off is gone.
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(path)?;
        writeln!(file, "{key}")?;
        let mut journal = Journal { file, done: Vec::new() };
        done.into_iter().try_for_each(|evaluation| journal.add(evaluation))?;
        Ok(journal)
    }

    /// The entry of a place, made by `evaluate` if it is not there.
    pub(super) fn get(&mut self, place: Place, evaluate: impl FnOnce() -> E) -> io::Result<E> {
        if let Some(known) = self.find(place) {
            return Ok(known.clone());
        }
        let entry = evaluate();
        self.add(entry.clone())?;
        Ok(entry)
    }

    fn find(&self, place: Place) -> Option<&E> {
        self.done.iter().find(|entry| entry.place() == place)
    }

    fn add(&mut self, entry: E) -> io::Result<()> {
        let line = serde_json::to_string(&entry)?;
        writeln!(self.file, "{line}")?;
        self.done.push(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Note(Place, String);

    impl Entry for Note {
        fn place(&self) -> Place {
            self.0
        }
    }

    #[test]
    fn a_journal_is_taken_up_again_only_for_the_same_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.journal");
        let (first, second) = (Place { game: 0, after: 7 }, Place { game: 1, after: 7 });
        let note = |place| Note(place, "text".into());
        let mut journal = Journal::open(&path, "key").unwrap();
        journal.add(note(first)).unwrap();
        journal.add(note(second)).unwrap();
        let mut text = fs::read_to_string(&path).unwrap();
        text.truncate(text.len() - 5);
        fs::write(&path, text).unwrap();
        let mut journal = Journal::open(&path, "key").unwrap();
        assert_eq!(journal.get(first, || panic!("done already")).unwrap(), note(first));
        assert_eq!(journal.find(second), None, "its line was cut off");
        assert_eq!(journal.get(second, || note(second)).unwrap(), note(second));
        assert!(Journal::<Note>::open(&path, "other").unwrap().find(first).is_none());
        assert!(!is_finished(&path, "other"));
        finish(&path, "other").unwrap();
        assert!(is_finished(&path, "other") && !is_finished(&path, "key"));
        assert!(Journal::<Note>::open(&path, "other").unwrap().find(first).is_none());
    }
}
