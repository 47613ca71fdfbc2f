//! Learning as users meet it: engines with a learning file, and the tool that
//! looks after it.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tengen");

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What `tengen learn` says in `folder`, which must end with `status`.
fn learn(folder: &Path, status: i32, arguments: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    let run = command.current_dir(folder).arg("learn").args(arguments).assert().code(status);
    text(&run.get_output().stdout)
}

/// Plays a little with `file` as learning file; what is said on standard error.
/// Every command must succeed.
fn play(folder: &Path, file: &str, commands: &str) -> String {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(["gtp", "--threads", "1", "--memory", "16", "--playouts", "300"]);
    let run = command.args(["--learn", file]).write_stdin(commands).assert().success();
    let replies = text(&run.get_output().stdout);
    assert!(!replies.contains('?') && replies.starts_with('='), "{replies}");
    text(&run.get_output().stderr)
}

const SHORT_GAME: &str = "boardsize 5\nclear_board\nkomi 0.5\ngenmove b\ngenmove w\nquit\n";

fn records(folder: &Path, file: &str) -> u64 {
    let stats = learn(folder, 0, &["stats", "--file", file]);
    let count = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok();
    stats.lines().filter_map(count).sum()
}

#[test]
fn what_the_server_says_of_the_game_is_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let game = |end: &str| format!("boardsize 5\nclear_board\nkomi 0.5\nplay b C3\nplay w B2\n{end}quit\n");
    let show = |file: &str| {
        let terms = ["--size", "5", "--komi", "0.5", "--moves", "C3 B2"];
        learn(folder.path(), 0, &[&["show", "--file", file][..], &terms[..]].concat())
    };
    for (file, end, won) in [
        ("a", "cgos-gameover W+Resign\n", "0.0% won"),
        ("b", "cgos-gameover B+2.5\n", "100.0% won"),
        ("c", "play b pass\nplay w pass\nfinal_score\n", "100.0% won"),
        ("d", "genmove b\nplay w pass\nplay b pass\nplay w pass\nkgs-game_over\n", "100.0% won"),
    ] {
        assert_eq!(play(folder.path(), file, &game(end)), "");
        let shown = show(file);
        assert!(shown.contains(won), "{file}: {shown}");
    }
    // Told twice, learnt once.
    play(folder.path(), "e", &game("cgos-gameover B+2.5\nkgs-game_over\ncgos-gameover B+2.5\n"));
    assert!(show("e").contains("1.0 games, 100.0% won"), "{}", show("e"));
    // Nobody knows who won.
    play(folder.path(), "f", &game("kgs-game_over\n"));
    assert!(!folder.path().join("f").exists());
}

#[test]
fn a_file_that_cannot_be_used_is_reported_and_play_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("damaged"), vec![0x5a; 20_000]).unwrap();
    let database = redb::Database::create(path("newer")).unwrap();
    let transaction = database.begin_write().unwrap();
    let meta = redb::TableDefinition::<&str, u64>::new("meta");
    transaction.open_table(meta).unwrap().insert("format", 99).unwrap();
    transaction.commit().unwrap();
    drop(database);
    for (file, message) in [
        ("damaged", "damaged: damaged, or no learning file"),
        ("newer", "its format 99 is newer than this program"),
        ("damaged/inside", "cannot write it"),
    ] {
        let before = fs::read(path(file)).ok();
        let said = play(folder.path(), file, SHORT_GAME);
        assert!(said.contains(message), "{file}: {said}");
        assert_eq!(said.lines().count(), 1, "said once: {said}");
        assert_eq!(fs::read(path(file)).ok(), before, "{file} is left alone");
        learn(folder.path(), 2, &["verify", "--file", file]);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_play_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 20; exec \"$@\"";
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).args(["-c", limited, "sh", PROGRAM, "gtp", "--threads", "1"]);
    command.args(["--memory", "16", "--playouts", "300", "--learn", "full"]);
    let run = command.write_stdin(SHORT_GAME).assert().success();
    let output = run.get_output();
    assert_eq!(text(&output.stdout).matches('=').count(), 6, "{}", text(&output.stdout));
    let said = text(&output.stderr);
    assert!(said.contains("cannot write it") && said.contains("nothing new is learnt"), "{said}");
    // With room again, the same file serves.
    assert_eq!(play(folder.path(), "full", SHORT_GAME), "");
    assert!(records(folder.path(), "full") > 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_only_be_read_is_read() {
    let folder = tempfile::tempdir().unwrap();
    play(folder.path(), "l", SHORT_GAME);
    let path = folder.path().join("l");
    let known = records(folder.path(), "l");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let said = play(folder.path(), "l", SHORT_GAME);
    // The administrator may write anything.
    if fs::OpenOptions::new().write(true).open(&path).is_err() {
        assert!(said.contains("cannot write it"), "{said}");
        assert_eq!(records(folder.path(), "l"), known);
    }
}

#[test]
fn two_engines_play_each_other_on_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("{PROGRAM} gtp --threads 1 --memory 8 --playouts 250 --learn both --seed {{game}}");
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder.path()).args(["match", "--first", &engine, "--second", &engine]);
    let run = command.args(["-s", "5", "-k", "0.5", "-n", "2", "--out", "games"]).assert().success();
    let ledger = text(&run.get_output().stdout);
    assert!(ledger.contains("2 games"), "{ledger}");
    // Standard error has the match's progress, a line a game, and no complaint.
    let said = text(&run.get_output().stderr);
    assert!(said.lines().all(|line| line.starts_with("game ")), "{said}");
    assert!(learn(folder.path(), 0, &["verify", "--file", "both"]).contains(" 0 torn, 0 orphans"));
    // Each engine learns each game's result.
    let shown = learn(folder.path(), 0, &["show", "--file", "both", "--size", "5", "--komi", "0.5"]);
    let games: f32 = shown.lines().nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(games > 0.5, "{shown}");
    assert!(records(folder.path(), "both") > 20);
}

#[test]
fn the_file_stays_within_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder.path()).args(["gtp", "--threads", "1", "--memory", "16", "--playouts", "300"]);
    command.args(["--learn", "small", "--learn-max", "10"]).write_stdin(SHORT_GAME).assert().success();
    let count = records(folder.path(), "small");
    assert!((1..=10).contains(&count), "{count}");
}

const SGF: &str = "(;SZ[9]KM[7]RE[B+3.5];B[ee];W[cc];B[gg])(;SZ[9]KM[7]RE[W+R];B[ee];W[gg];B[cc];W[gc])";
const LINE: &str = "pro 9 7 0 B+R beewgcbcg\nbad 9 7 0 B+R beewee\n";
const PGN: &str = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[Event \"y\"]\n\n1. e4 c5 1/2-1/2\n";

/// The first word of each line of a table, its head left out.
fn moves(table: &str) -> Vec<&str> {
    let rows = table.lines().skip_while(|line| !line.starts_with("move")).skip(1);
    rows.filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn records_are_imported_shown_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::create_dir_all(here.join("games/more")).unwrap();
    fs::write(here.join("games/a.sgf"), SGF).unwrap();
    fs::write(here.join("games/more/b.pgn"), PGN).unwrap();
    fs::write(here.join("games/more/notes.txt"), "no game").unwrap();
    fs::write(here.join("lines.txt"), LINE).unwrap();
    let said = learn(here, 0, &["import", "--file", "l", "games"]);
    assert!(said.starts_with("4 games with 17 positions learnt, 0 could not"), "{said}");
    let said = learn(here, 1, &["import", "--file", "l", "lines.txt"]);
    assert!(said.starts_with("1 games with 4 positions learnt, 1 could not"), "{said}");

    let go = ["show", "--file", "l", "--size", "9", "--komi", "6.5"];
    assert_eq!(moves(&learn(here, 0, &go)), ["E5"]);
    let shown = learn(here, 0, &[&go[..], &["--moves", "E5"]].concat());
    // White's three replies are one under the board's symmetries; White won one of three.
    assert_eq!(moves(&shown).len(), 1);
    assert!(shown.contains("33.3%"), "{shown}");
    learn(here, 1, &[&go[..], &["--moves", "A1"]].concat());
    learn(here, 2, &[&go[..], &["--moves", "E5 E5"]].concat());
    learn(here, 1, &["show", "--file", "l", "--size", "9", "--komi", "0.5"]);

    let shown = learn(here, 0, &["show", "--file", "l", "--chess", "--moves", "e2e4"]);
    let mut listed = moves(&shown);
    listed.sort_unstable();
    assert_eq!(listed, ["c5", "e5"], "{shown}");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(moves(&learn(here, 0, &["show", "--file", "l", "--fen", fen])), ["Nf3"]);

    learn(here, 0, &["export", "--file", "l", "--size", "9", "--komi", "7", "--out", "tree.sgf"]);
    let tree = fs::read_to_string(here.join("tree.sgf")).unwrap();
    assert!(tree.contains("SZ[9]") && tree.contains(";B[ee]C[3.0 games, 66.7% won]"), "{tree}");
    // Mirror images and other orders of the same moves are left out.
    assert_eq!(tree.matches(";W[").count(), 2, "{tree}");
    let pgn = learn(here, 0, &["export", "--file", "l", "--as", "pgn"]);
    assert!(pgn.contains("1. e4 {") && pgn.contains("( 1... "), "{pgn}");
    let csv = learn(here, 0, &["export", "--file", "l", "--as", "csv"]);
    assert_eq!(csv.lines().count() as u64, 1 + records(here, "l"));
    assert!(csv.contains("chess ") && csv.contains("go 9x9 area komi=5..9 "), "{csv}");
}

#[test]
fn what_does_not_exist_has_its_own_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["stats"][..], &["show"], &["export"], &["verify"], &["prune", "5"]] {
        learn(folder.path(), 2, &[arguments, &["--file", "missing"]].concat());
    }
    learn(folder.path(), 1, &["import", "--file", "new", "missing.sgf"]);
}
