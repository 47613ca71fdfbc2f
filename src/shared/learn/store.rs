//! The file: a redb database that is opened for one piece of work and closed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redb::{
    Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition, WriteTransaction,
};

use super::record::Record;
use super::schema::Schema;
use crate::shared::rng::Rng;

/// Records kept when nothing else is said.
pub const DEFAULT_MAX_RECORDS: u64 = 1_000_000;
/// The layout of the tables below. Files of a later one are left alone.
const FORMAT: u64 = 1;
/// How long another process may keep the file before we give up on it.
const PATIENCE: Duration = Duration::from_secs(20);

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const SCHEMAS: TableDefinition<'_, u64, &str> = TableDefinition::new("schemas");
const RECORDS: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("records");

/// Why the learning file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process keeps the file open.
    #[error("learning file {0}: another program keeps it open")]
    Busy(PathBuf),
    /// The file was made by a later version of the program.
    #[error("learning file {0}: its format {1} is newer than this program")]
    Newer(PathBuf, u64),
    /// The file is no learning file, or it is damaged.
    #[error("learning file {0}: damaged, or no learning file ({1}); move it away to begin a new one")]
    Damaged(PathBuf, String),
    /// The file cannot be written: read-only, or the disk is full.
    #[error("learning file {0}: cannot write it ({1}); nothing new is learnt")]
    Unwritable(PathBuf, String),
    /// There is no such file.
    #[error("learning file {0}: no such file")]
    Missing(PathBuf),
}

/// A learning file.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    max_records: u64,
}

/// What a file holds of one schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The schema as the file lists it.
    pub schema: String,
    /// Its records.
    pub records: u64,
    /// Those that a search has been through.
    pub searched: u64,
    /// Games through all its positions, by weight.
    pub games: f64,
}

/// What an inspection of a whole file found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Records that are whole.
    pub sound: u64,
    /// Records that fail their check.
    pub torn: u64,
    /// Records of a schema that the file does not list.
    pub orphans: u64,
    /// Whether the database's own checksums hold.
    pub database_is_sound: bool,
}

impl Verdict {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.database_is_sound && self.torn == 0 && self.orphans == 0
    }
}

/// The learning file in the platform's folder for data, if there is one.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "tengen").map(|dirs| dirs.data_dir().join("learn.redb"))
}

impl Store {
    /// The file at `path`, which need not exist yet, with room for
    /// `max_records`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, max_records: u64) -> Self {
        Store { path: path.into(), max_records: max_records.max(1) }
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All whole records of `schema`; none if there is no file yet.
    ///
    /// # Errors
    /// The file cannot be read, or is not ours to read.
    pub fn load(&self, schema: &Schema) -> Result<Vec<(u64, Record)>, StoreError> {
        self.load_by_text(schema.text())
    }

    /// All whole records of the schema that the file lists as `text`.
    ///
    /// # Errors
    /// The file cannot be read, or is not ours to read.
    pub fn load_by_text(&self, text: &str) -> Result<Vec<(u64, Record)>, StoreError> {
        let mut found = Vec::new();
        let id = Schema::id_of(text);
        self.for_each_in((id, 0)..=(id, u64::MAX), |(_, key), record| {
            found.extend(record.map(|record| (key, record)));
        })?;
        Ok(found)
    }

    /// Merges `batch` into the records of `schema`, and makes room if there are
    /// too many. Once this returns, the batch survives a crash. Returns the
    /// file's generation: each merge is one.
    ///
    /// # Errors
    /// The file cannot be written; it is as before then.
    pub fn merge(&self, schema: &Schema, batch: &[(u64, Record)]) -> Result<u32, StoreError> {
        self.write(|transaction| {
            let generation = {
                let mut meta = transaction.open_table(META)?;
                let last = meta.get("generation")?.map_or(0, |value| value.value());
                meta.insert("generation", last + 1)?;
                (last + 1) as u32
            };
            transaction.open_table(SCHEMAS)?.insert(schema.id(), schema.text())?;
            let mut records = transaction.open_table(RECORDS)?;
            for &(key, record) in batch {
                let key = (schema.id(), key);
                let known = records.get(key)?.and_then(|bytes| Record::from_bytes(key, bytes.value()));
                let mut merged = known.map_or(record, |known| known.merged(record));
                merged.generation = generation;
                records.insert(key, merged.to_bytes(key).as_slice())?;
            }
            drop(records);
            make_room(transaction, self.max_records)?;
            Ok(generation)
        })
    }

    /// The number of the last merge into the file, by whichever process; 0 if
    /// there is no file yet.
    ///
    /// # Errors
    /// The file cannot be read, or is not ours to read.
    pub fn generation(&self) -> Result<u32, StoreError> {
        self.read(0, |database| {
            let meta = database.begin_read()?.open_table(META)?;
            Ok(meta.get("generation")?.map_or(0, |value| value.value() as u32))
        })
    }

    /// Takes the least valuable records out until a twentieth less than `max`
    /// are left, if there are more than `max`, and returns how many went.
    ///
    /// # Errors
    /// The file cannot be written; it is as before then.
    pub fn prune(&self, max: u64) -> Result<u64, StoreError> {
        self.write(|transaction| make_room(transaction, max))
    }

    /// What the file holds, by schema.
    ///
    /// # Errors
    /// There is no file, or it cannot be read.
    pub fn summaries(&self) -> Result<Vec<Summary>, StoreError> {
        self.must_exist()?;
        let mut found: std::collections::BTreeMap<u64, Summary> = std::collections::BTreeMap::new();
        for (id, schema) in self.schemas()? {
            found.insert(id, Summary { schema, records: 0, searched: 0, games: 0.0 });
        }
        self.for_each_in((0, 0)..=(u64::MAX, u64::MAX), |(id, _), record| {
            if let (Some(summary), Some(record)) = (found.get_mut(&id), record) {
                summary.records += 1;
                summary.searched += u64::from(record.effort > 0);
                summary.games += f64::from(record.games());
            }
        })?;
        Ok(found.into_values().collect())
    }

    /// Every schema that the file lists, with its number.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn schemas(&self) -> Result<Vec<(u64, String)>, StoreError> {
        self.read(Vec::new(), |database| {
            let transaction = database.begin_read()?;
            let table = transaction.open_table(SCHEMAS)?;
            let mut listed = Vec::new();
            for entry in table.iter()? {
                let (id, text) = entry?;
                listed.push((id.value(), text.value().to_owned()));
            }
            Ok(listed)
        })
    }

    /// Inspects every page and every record, and calls `progress` for each.
    ///
    /// # Errors
    /// There is no file, or it cannot be opened at all.
    pub fn verify(&self, progress: &mut dyn FnMut()) -> Result<Verdict, StoreError> {
        self.must_exist()?;
        let listed: Vec<u64> = self.schemas()?.into_iter().map(|(id, _)| id).collect();
        let mut verdict = Verdict { sound: 0, torn: 0, orphans: 0, database_is_sound: true };
        self.for_each_in((0, 0)..=(u64::MAX, u64::MAX), |(id, _), record| {
            progress();
            match record {
                None => verdict.torn += 1,
                Some(_) if !listed.contains(&id) => verdict.orphans += 1,
                Some(_) => verdict.sound += 1,
            }
        })?;
        match self.open_for_writing() {
            Ok(mut database) => {
                verdict.database_is_sound = self.guarded(|| Ok(database.check_integrity()?))?;
            }
            Err(StoreError::Unwritable(..)) => {}
            Err(error) => return Err(error),
        }
        Ok(verdict)
    }

    fn for_each_in(
        &self,
        range: std::ops::RangeInclusive<(u64, u64)>,
        mut visit: impl FnMut((u64, u64), Option<Record>),
    ) -> Result<(), StoreError> {
        self.read((), |database| {
            let transaction = database.begin_read()?;
            for entry in transaction.open_table(RECORDS)?.range(range)? {
                let (key, bytes) = entry?;
                visit(key.value(), Record::from_bytes(key.value(), bytes.value()));
            }
            Ok(())
        })
    }

    fn must_exist(&self) -> Result<(), StoreError> {
        if self.path.exists() { Ok(()) } else { Err(StoreError::Missing(self.path.clone())) }
    }

    /// Reads from the file, or returns `absent` if there is none.
    fn read<T>(
        &self,
        absent: T,
        work: impl FnOnce(&dyn Readable) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        if fs::metadata(&self.path).map_or(0, |data| data.len()) == 0 {
            return Ok(absent);
        }
        let database = self.open_for_reading()?;
        let found = self.guarded(|| match check_format(&*database).and_then(|()| work(&*database)) {
            // Its maker was killed before the first batch was whole.
            Err(redb::Error::TableDoesNotExist(_)) => Ok(None),
            other => other.map(Some),
        })?;
        Ok(found.unwrap_or(absent))
    }

    /// Changes the file in one transaction.
    fn write<T>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|error| self.unwritable(&error))?;
        }
        let database = self.open_for_writing()?;
        self.guarded(|| {
            let mut transaction = database.begin_write()?;
            // The file is then usable at once after a crash, without a repair.
            transaction.set_quick_repair(true);
            let format = transaction.open_table(META)?.get("format")?.map(|value| value.value());
            match format {
                Some(newer) if newer > FORMAT => return Err(newer_format(newer)),
                Some(_) => {}
                None => drop(transaction.open_table(META)?.insert("format", FORMAT)?),
            }
            transaction.open_table(SCHEMAS)?;
            transaction.open_table(RECORDS)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// Opens the file for a change. A file that was never closed is repaired
    /// here.
    fn open_for_writing(&self) -> Result<Database, StoreError> {
        self.patiently(|| Database::create(&self.path))
    }

    fn open_for_reading(&self) -> Result<Box<dyn Readable>, StoreError> {
        let read_only = self.patiently(|| ReadOnlyDatabase::open(&self.path));
        match read_only {
            Ok(database) => Ok(Box::new(database)),
            // The process that had the file was killed: only a writer can mend it.
            Err(StoreError::Damaged(..)) => Ok(Box::new(self.open_for_writing()?)),
            Err(error) => Err(error),
        }
    }

    /// Opens the file, waiting for other processes that have it.
    fn patiently<T>(&self, open: impl Fn() -> Result<T, DatabaseError>) -> Result<T, StoreError> {
        let began = Instant::now();
        let mut rng = Rng::new(u64::from(std::process::id()), 0);
        let mut pause_us = 200;
        loop {
            match self.guarded(|| match open() {
                Err(DatabaseError::DatabaseAlreadyOpen) => Ok(None),
                other => Ok(Some(other?)),
            })? {
                Some(database) => return Ok(database),
                None if began.elapsed() > PATIENCE => return Err(StoreError::Busy(self.path.clone())),
                None => {}
            }
            std::thread::sleep(Duration::from_micros(pause_us + rng.below(pause_us as usize) as u64));
            pause_us = (pause_us * 2).min(20_000);
        }
    }

    /// Turns what redb says into our errors. redb trusts its pages and may
    /// panic on a damaged file; that is no reason to end a game.
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, StoreError> {
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.explain(&error)),
            Err(_) => Err(StoreError::Damaged(self.path.clone(), "unreadable pages".into())),
        }
    }

    fn explain(&self, error: &redb::Error) -> StoreError {
        match error {
            redb::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                StoreError::Damaged(self.path.clone(), error.to_string())
            }
            redb::Error::Io(error) => match error.get_ref().and_then(|e| e.downcast_ref::<NewerFormat>()) {
                Some(&NewerFormat(format)) => StoreError::Newer(self.path.clone(), format),
                None => self.unwritable(error),
            },
            redb::Error::DatabaseAlreadyOpen => StoreError::Busy(self.path.clone()),
            redb::Error::PreviousIo => self.unwritable(error),
            _ => StoreError::Damaged(self.path.clone(), error.to_string()),
        }
    }

    fn unwritable(&self, error: &dyn std::error::Error) -> StoreError {
        StoreError::Unwritable(self.path.clone(), error.to_string())
    }
}

/// A database open in either way.
trait Readable {
    fn begin_read(&self) -> Result<redb::ReadTransaction, redb::TransactionError>;
}

impl<D: ReadableDatabase> Readable for D {
    fn begin_read(&self) -> Result<redb::ReadTransaction, redb::TransactionError> {
        ReadableDatabase::begin_read(self)
    }
}

/// The format of a file from the future, on its way through redb's errors.
#[derive(Debug, thiserror::Error)]
#[error("format {0}")]
struct NewerFormat(u64);

fn newer_format(format: u64) -> redb::Error {
    redb::Error::Io(std::io::Error::other(NewerFormat(format)))
}

fn check_format(database: &dyn Readable) -> Result<(), redb::Error> {
    let format = database.begin_read()?.open_table(META)?.get("format")?.map_or(FORMAT, |v| v.value());
    if format > FORMAT { Err(newer_format(format)) } else { Ok(()) }
}

/// What a record is worth to `now`; a torn one nothing.
fn worth(key: (u64, u64), bytes: &[u8], now: u32) -> f32 {
    Record::from_bytes(key, bytes).map_or(0.0, |record| record.worth(now))
}

/// Takes the least valuable records out until a twentieth less than `max` are
/// left, if there are more than `max`, and returns how many went.
fn make_room(transaction: &WriteTransaction, max: u64) -> Result<u64, redb::Error> {
    let now = transaction.open_table(META)?.get("generation")?.map_or(0, |value| value.value());
    let mut records = transaction.open_table(RECORDS)?;
    let count = records.len()?;
    if count <= max {
        return Ok(0);
    }
    let mut worths = Vec::with_capacity(count as usize);
    for entry in records.iter()? {
        let (key, bytes) = entry?;
        worths.push((worth(key.value(), bytes.value(), now as u32), key.value()));
    }
    let excess = (count - (max - max / 20)) as usize;
    worths.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for &(_, key) in &worths[..excess] {
        records.remove(key)?;
    }
    Ok(excess as u64)
}
