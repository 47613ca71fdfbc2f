use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Bound, Record, Schema, Store, StoreError};
use crate::shared::rng::Rng;

fn schema() -> Schema {
    Schema::new("test", "", 1)
}

fn record(score: i16, effort: u32) -> Record {
    Record::of_search(1, score, effort, Bound::Exact)
}

fn filled(path: &std::path::Path, count: u64) -> Store {
    let store = Store::new(path, 1_000_000);
    let batch: Vec<_> = (0..count).map(|key| (key, record(key as i16, 1 + key as u32))).collect();
    store.merge(&schema(), &batch).unwrap();
    store
}

#[test]
fn the_least_valuable_records_go_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&folder.path().join("l"), 200);
    assert_eq!(store.prune(100).unwrap(), 105);
    let left: Vec<u64> = store.load(&schema()).unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(left, (105..200).collect::<Vec<u64>>());
    let small = Store::new(store.path(), 50);
    small.merge(&schema(), &[(1000, record(0, 5000))]).unwrap();
    assert_eq!(small.load(&schema()).unwrap().len(), 48);
    assert!(small.verify(&mut || {}).unwrap().is_good());
}

#[test]
fn other_schemas_are_never_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&folder.path().join("l"), 10);
    assert!(store.load(&Schema::new("test", "", 2)).unwrap().is_empty());
    assert_eq!(store.summaries().unwrap().len(), 1);
}

#[test]
fn files_of_later_versions_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    let database = redb::Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let meta = redb::TableDefinition::<&str, u64>::new("meta");
    transaction.open_table(meta).unwrap().insert("format", 99).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let store = Store::new(&path, 10);
    assert!(matches!(store.load(&schema()), Err(StoreError::Newer(_, 99))));
    let before = fs::read(&path).unwrap();
    assert!(matches!(store.merge(&schema(), &[(1, record(0, 1))]), Err(StoreError::Newer(_, 99))));
    assert_eq!(fs::read(&path).unwrap().len(), before.len());
}

#[test]
fn a_file_that_cannot_be_written_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(&folder.path().join("l"), 10);
    let mut permissions = fs::metadata(store.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(store.path(), permissions).unwrap();
    assert_eq!(store.load(&schema()).unwrap().len(), 10);
    // The administrator may write anything.
    if fs::OpenOptions::new().write(true).open(store.path()).is_err() {
        let refused = store.merge(&schema(), &[(1, record(0, 1))]);
        assert!(matches!(refused, Err(StoreError::Unwritable(..))), "{refused:?}");
    }
}

#[test]
fn damage_is_seen_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    let store = filled(&path, 300);
    let whole = fs::read(&path).unwrap();
    let truth: HashMap<u64, Record> = store.load(&schema()).unwrap().into_iter().collect();
    let mut rng = Rng::new(7, 0);
    for round in 0..60 {
        let mut damaged = whole.clone();
        if round % 3 == 0 {
            damaged.truncate(rng.below(whole.len()));
        } else {
            let at = rng.below(whole.len().min(60_000));
            damaged[at] ^= 1 << rng.below(8);
        }
        fs::write(&path, &damaged).unwrap();
        for (key, found) in store.load(&schema()).unwrap_or_default() {
            assert_eq!(truth.get(&key), Some(&found), "round {round}");
        }
    }
}

#[test]
fn a_full_disk_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    let store = filled(&path, 100);
    let mut child = writer(&path);
    child.env("TENGEN_LEARN_LIMIT", (fs::metadata(&path).unwrap().len() + 100_000).to_string());
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("refused"), "the limit was not reached: {text}");
    let kept: HashMap<u64, Record> = store.load(&schema()).unwrap().into_iter().collect();
    for key in text.lines().filter_map(acknowledged).flatten() {
        assert!(kept.contains_key(&key), "{key} was acknowledged");
    }
    assert!(store.verify(&mut || {}).unwrap().is_good());
}

#[test]
fn two_processes_share_a_file_for_two_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    let mut children: Vec<_> = ["go", "chess"]
        .into_iter()
        .map(|game| {
            let mut child = writer(&path);
            child.env("TENGEN_LEARN_GAME", game);
            child.env("TENGEN_LEARN_BATCHES", "10").stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let store = Store::new(&path, 1_000_000);
    let expected: HashMap<u64, i16> = (0..10 * BATCH).map(|key| (key, key as i16)).collect();
    for game in ["go", "chess"] {
        let records = store.load(&Schema::new(game, "", 1)).unwrap();
        let found: HashMap<u64, i16> = records.into_iter().map(|(key, record)| (key, record.score)).collect();
        assert_eq!(found, expected, "{game}");
    }
    assert_eq!(store.generation().unwrap(), 20, "every batch of both");
    assert!(store.verify(&mut || {}).unwrap().is_good());
}

/// Kills a writer at random moments, some of them before its first batch is
/// whole and most in the middle of a later one; `TENGEN_LEARN_KILLS` says how
/// often.
#[test]
fn kills_lose_nothing_acknowledged() {
    let kills: u64 = std::env::var("TENGEN_LEARN_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l");
    let store = Store::new(&path, 10_000_000);
    let mut rng = Rng::new(11, 0);
    let mut promised = Vec::new();
    for round in 0..kills {
        let mut child = writer(&path);
        child.env("TENGEN_LEARN_FIRST", (round * 1_000_000).to_string());
        let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut batches = lines.map_while(Result::ok).filter_map(|line| acknowledged(&line));
        for _ in 0..(round + 1) % 4 {
            promised.extend(batches.next().expect("the writer goes on"));
        }
        std::thread::sleep(Duration::from_micros(rng.below(20_000) as u64));
        child.kill().unwrap();
        promised.extend(batches.flatten());
        child.wait().unwrap();
        let verdict = if path.exists() { Some(store.verify(&mut || {}).unwrap()) } else { None };
        assert!(verdict.is_none_or(|verdict| verdict.is_good()), "round {round}");
    }
    let kept: HashMap<u64, Record> = store.load(&schema()).unwrap().into_iter().collect();
    for key in &promised {
        assert_eq!(kept.get(key).map(|r| (r.score, r.effort)), Some((*key as i16, 1)), "{key}");
    }
    assert!(promised.len() as u64 >= kills / 4 * 6 * BATCH);
}

const BATCH: u64 = 50;

/// The keys of a batch that a writer says is kept.
fn acknowledged(line: &str) -> Option<std::ops::Range<u64>> {
    let first: u64 = line.strip_prefix("kept ")?.strip_suffix('.')?.parse().ok()?;
    Some(first..first + BATCH)
}

/// This test program, about to write batches into `path`.
fn writer(path: &std::path::Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "shared::learn::tests::writing_process", "--nocapture"]);
    command.env("TENGEN_LEARN_PATH", path);
    command
}

/// Does nothing unless started by [`writer`].
#[test]
fn writing_process() {
    use std::io::Write as _;
    let Some(path) = std::env::var_os("TENGEN_LEARN_PATH") else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(bytes) = number("TENGEN_LEARN_LIMIT") {
        limit_file_size(bytes);
    }
    let schema =
        std::env::var("TENGEN_LEARN_GAME").map_or_else(|_| schema(), |game| Schema::new(&game, "", 1));
    let store = Store::new(path, 10_000_000);
    let mut out = std::io::stdout();
    writeln!(out).unwrap();
    for batch in 0..number("TENGEN_LEARN_BATCHES").unwrap_or(10_000) {
        let first = number("TENGEN_LEARN_FIRST").unwrap_or(0) + batch * BATCH;
        let records: Vec<_> = (first..first + BATCH).map(|key| (key, record(key as i16, 1))).collect();
        match store.merge(&schema, &records) {
            Ok(_) => writeln!(out, "kept {first}.").unwrap(),
            Err(error) => return writeln!(out, "refused: {error}").unwrap(),
        }
        out.flush().unwrap();
    }
}

/// Makes files of this process end at `bytes`, as a full disk does.
fn limit_file_size(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: both calls take plain values, and `limit` outlives its use.
    let outcome = unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_FSIZE, &limit)
    };
    assert_eq!(outcome, 0);
}
