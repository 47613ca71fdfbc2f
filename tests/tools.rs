//! The tools for measuring, end to end, with the program's own engines.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use assert_cmd::Command;
use tengen::formats::sgf::{Collection, NodeId, StopAt, unescape};
use tengen::go::rules::Rules;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tengen");

fn tengen(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::new(PROGRAM).current_dir(folder).args(arguments).assert()
}

fn engine() -> String {
    format!("{PROGRAM} gtp --threads 1 --playouts 5 --memory 8")
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

const SUITE: &str = "\
boardsize 9
clear_board
10 play b E5
#? []
20 play w E5
#? [\\? illegal move]
30 protocol_version
#? [3]*
40 name
#? [Somebody <else>]
loadsgf game.sgf 3
50 play b D6
#? [\\? illegal move]
";

const RECORD: &str = "(;GM[1]FF[4]SZ[9]KM[6.5]PB[A & B];B[ee];W[dd];B[cc]C[kept];W[gg])";

#[test]
fn suites_are_run_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.tst"), SUITE).unwrap();
    fs::write(folder.path().join("game.sgf"), RECORD).unwrap();
    for load in ["engine", "us"] {
        let arguments =
            ["regress", "-e", &engine(), "a.tst", "--load", load, "--junit", "r.xml", "--html", "r.html"];
        let run = tengen(folder.path(), &arguments).code(1);
        let out = text(&run.get_output().stdout);
        assert!(out.contains("FAIL  40 name"), "{out}");
        let total = "tests    5 pass    3 fail    2 err   0 | unexpected pass 0, unexpected fail 1";
        assert!(out.contains(total), "{out}");
    }
    let xml = fs::read_to_string(folder.path().join("r.xml")).unwrap();
    assert!(xml.contains("tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("Somebody &lt;else&gt;") && page.contains("<svg"));
}

#[test]
fn unusable_files_have_their_own_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    tengen(folder.path(), &["regress", "-e", &engine(), "missing.tst"]).code(2);
    tengen(folder.path(), &["analyze", "missing.sgf"]).code(2);
    fs::write(folder.path().join("garbage.pgn"), "garbage 1. foo").unwrap();
    tengen(folder.path(), &["analyze", "garbage.pgn"]).code(2);
    fs::write(folder.path().join("a.tst"), SUITE).unwrap();
    tengen(folder.path(), &["regress", "-e", "/no/such/engine", "a.tst"]).code(2);
    for report in ["--junit", "--html"] {
        let run = tengen(folder.path(), &["regress", "-e", &engine(), "a.tst", report, "no/r"]).code(2);
        assert_eq!(text(&run.get_output().stdout), "", "told before the tests are run");
    }
    let run = tengen(folder.path(), &["--log", "no/such/log", "config", "path"]).code(2);
    assert!(text(&run.get_output().stderr).contains("no/such/log"));
}

#[test]
fn a_match_is_played_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("openings.txt"), "E5 C3\nD4 F6\n").unwrap();
    let play = |games: &str| {
        let engine = engine();
        let arguments = [
            "match",
            "--first",
            &engine,
            "--second",
            &engine,
            "-n",
            games,
            "-s",
            "9",
            "--openings",
            "openings.txt",
            "--out",
            "games",
            "--max-moves",
            "40",
        ];
        text(&tengen(folder.path(), &arguments).success().get_output().stdout)
    };
    assert!(play("2").contains("first against second: 2 games"));
    assert!(play("4").contains("first against second: 4 games"));
    let lines = fs::read_to_string(folder.path().join("games/games.jsonl")).unwrap();
    let games: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 4);
    assert_eq!(games[2]["moves"][0], "D4");
    assert!(games.iter().all(|game| !game["reason"].as_str().unwrap().contains("illegal")));
    let records = fs::read(folder.path().join("games/games.sgf")).unwrap();
    let records = Collection::parse(&records, "games.sgf").unwrap();
    assert_eq!(records.games().count(), 4);
    for game in records.games() {
        game.unwrap().replay(StopAt::End, Rules::CHINESE, 7.0).unwrap();
    }
    assert!(fs::read_to_string(folder.path().join("games/result.svg")).unwrap().contains("4 games"));
    let other = ["match", "--first", &engine(), "--second", &engine(), "-s", "13", "--out", "games"];
    let run = tengen(folder.path(), &other).code(2);
    assert!(text(&run.get_output().stderr).contains("settings.json"));
    let after = fs::read_to_string(folder.path().join("games/games.jsonl")).unwrap();
    assert_eq!(after, lines, "a match of other games does not go on");
}

#[test]
fn a_chess_match_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("{PROGRAM} uci");
    let arguments = [
        "match",
        "--protocol",
        "uci",
        "--first",
        &engine,
        "--second",
        &engine,
        "-n",
        "2",
        "--depth",
        "2",
        "--max-moves",
        "30",
        "--out",
        "games",
    ];
    let run = tengen(folder.path(), &arguments).success();
    assert!(text(&run.get_output().stdout).contains("first against second: 2 games"));
    let pgn = fs::read_to_string(folder.path().join("games/games.pgn")).unwrap();
    assert_eq!(tengen::formats::pgn::parse(&pgn).len(), 2);
}

#[test]
fn an_engine_that_crashes_loses() {
    let folder = tempfile::tempdir().unwrap();
    // Answers three commands, then ends.
    let crashing = r#"sh -c 'for i in 1 2 3; do read id command; printf "=%s\n\n" $id; done'"#;
    let arguments = ["match", "--first", &engine(), "--second", crashing, "-n", "2", "--out", "games"];
    let run = tengen(folder.path(), &arguments).success();
    assert!(text(&run.get_output().stdout).contains("+2 =0 -0"));
}

#[test]
fn a_match_does_not_begin_with_an_engine_that_never_answers() {
    let folder = tempfile::tempdir().unwrap();
    for (protocol, engine) in [("gtp", engine()), ("uci", format!("{PROGRAM} uci"))] {
        let arguments = ["match", "--protocol", protocol, "--first", &engine, "--second", "false", "-n", "2"];
        let run = tengen(folder.path(), &arguments).code(2);
        assert!(text(&run.get_output().stderr).contains("second: crashed"), "{protocol}");
        assert_eq!(text(&run.get_output().stdout), "", "{protocol}");
    }
}

#[test]
fn a_record_is_analyzed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.sgf"), RECORD).unwrap();
    let arguments = [
        "analyze",
        "--playouts",
        "20",
        "--threads",
        "1",
        "--memory",
        "8",
        "--html",
        "--ownership",
        "--mistake",
        "0",
        "game.sgf",
    ];
    tengen(folder.path(), &arguments).success();
    let analyzed = fs::read(folder.path().join("game-analyzed.sgf")).unwrap();
    let collection = Collection::parse(&analyzed, "x").unwrap();
    let nodes: Vec<NodeId> = collection.first_game().unwrap().main_nodes().collect();
    assert_eq!(nodes.len(), 5);
    for &node in &nodes[1..] {
        let share: f64 = collection.text(node, "SBKV").unwrap().parse().unwrap();
        assert!((0.0..=100.0).contains(&share));
    }
    let comment = collection.text(nodes[3], "C").unwrap();
    assert!(comment.starts_with("kept\nTengen: Black "), "{comment}");
    assert!(fs::read_to_string(folder.path().join("game-analyzed.html")).unwrap().contains("A &amp; B"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 3, "the journal is gone");
}

#[test]
fn every_game_of_a_folder_is_analyzed() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    fs::create_dir(&games).unwrap();
    fs::write(games.join("two.sgf"), "(;SZ[5];B[cc];W[bb])\n(;SZ[7];B[dd])\n").unwrap();
    let pgn = "[White \"A & B\"]\n[Result \"0-1\"]\n\n1. f3 {kept} e5 2. g4 (2. e4 Nc6) Qh4# 0-1\n\n\
               [White \"C\"]\n\n1. e4 e5 2. Ke9 *\n";
    fs::write(games.join("chess.pgn"), pgn).unwrap();
    fs::write(games.join("notes.txt"), "no record").unwrap();
    let arguments = [
        "analyze",
        "--playouts",
        "400",
        "--threads",
        "1",
        "--memory",
        "8",
        "--html",
        "--out",
        "found",
        "games",
    ];
    let run = tengen(folder.path(), &arguments).success();
    assert_eq!(text(&run.get_output().stdout).lines().count(), 4);
    let warning = text(&run.get_output().stderr);
    assert!(warning.contains("Ke9 is not legal"), "{warning}");
    let found = |name: &str| fs::read_to_string(folder.path().join("found").join(name)).unwrap();
    let records = Collection::parse(found("two-analyzed.sgf").as_bytes(), "x").unwrap();
    for (game, moves) in records.games().zip([2, 1]) {
        let nodes: Vec<NodeId> = game.unwrap().main_nodes().collect();
        assert_eq!(nodes.iter().filter(|&&node| records.text(node, "SBKV").is_some()).count(), moves);
    }
    let games = tengen::formats::pgn::parse(&found("chess-analyzed.pgn"));
    assert_eq!(games[0].main_line().collect::<Vec<_>>(), ["f3", "e5", "g4", "Qh4#"]);
    let written = games[0].to_string();
    for part in ["{kept}", "[%eval #-1]", "g4 $4", "( 2. e4 Nc6 )", "{[%eval #0]}"] {
        assert!(written.replace('\n', " ").contains(part), "{part}: {written}");
    }
    assert_eq!(games[1].main_line().count(), 3, "what is not understood is kept");
    assert!(found("chess-analyzed.html").contains("A &amp; B"));
}

#[test]
fn records_of_the_same_name_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("a")).unwrap();
    fs::create_dir(at("b")).unwrap();
    fs::write(at("a/x.sgf"), "(;SZ[5];B[cc])").unwrap();
    fs::write(at("b/x.sgf"), "(;SZ[5];B[bb])").unwrap();
    fs::write(at("b/x.pgn"), "1. e4 *\n").unwrap();
    let arguments = ["analyze", "--playouts", "5", "--threads", "1", "--html", "--out", "found", "a", "b"];
    let run = tengen(folder.path(), &arguments).success();
    let stdout = text(&run.get_output().stdout);
    let mut named: Vec<&str> = stdout.lines().collect();
    assert_eq!(named.len(), 6);
    named.sort_unstable();
    named.dedup();
    assert_eq!(named.len(), 6, "{named:?}");
    assert_eq!(fs::read_dir(at("found")).unwrap().count(), 6, "and nothing else is left");
    assert!(fs::read_to_string(at("found/x-analyzed.sgf")).unwrap().contains("B[cc]"));
    assert!(named.iter().any(|name| fs::read_to_string(at(name)).unwrap().contains("B[bb]")));
}

#[cfg(unix)]
#[test]
fn records_that_were_done_are_passed_over_when_an_analysis_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.sgf"), "(;SZ[5];B[cc])").unwrap();
    // The first run waits for somebody to write the second record, and is killed.
    let made = std::process::Command::new("mkfifo").arg(at("b.sgf")).status().unwrap();
    assert!(made.success());
    let arguments = ["analyze", "--playouts", "5", "--threads", "1", "a.sgf", "b.sgf"];
    let mut run = std::process::Command::new(PROGRAM);
    run.current_dir(folder.path()).args(arguments).stdout(std::process::Stdio::piped());
    let mut run = run.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "a-analyzed.sgf\n");
    run.kill().unwrap();
    run.wait().unwrap();
    fs::remove_file(at("b.sgf")).unwrap();
    fs::write(at("b.sgf"), "(;SZ[5];B[bb])").unwrap();
    fs::write(at("a-analyzed.sgf"), "not written again").unwrap();
    tengen(folder.path(), &arguments).success();
    assert_eq!(fs::read_to_string(at("a-analyzed.sgf")).unwrap(), "not written again");
    assert!(fs::read_to_string(at("b-analyzed.sgf")).unwrap().contains("B[bb]"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "the journals are gone");
    tengen(folder.path(), &arguments).success();
    assert!(fs::read_to_string(at("a-analyzed.sgf")).unwrap().contains("B[cc]"), "a new run");
}

#[test]
fn records_without_games_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in
        [("a.sgf", ""), ("b.pgn", ""), ("c.sgf", "(;SZ[99])"), ("d.pgn", "[White \"x\"]\n")]
    {
        fs::write(folder.path().join(name), content).unwrap();
        let run = tengen(folder.path(), &["analyze", "--playouts", "5", name]).code(2);
        assert!(text(&run.get_output().stderr).contains(name), "{name}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: nothing is left behind");
        fs::remove_file(folder.path().join(name)).unwrap();
    }
}

#[test]
fn a_judge_ends_decided_games() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while read id command; do printf \"=%s B+25.0\\n\\n\" $id; done";
    let judge = format!("sh -c '{script}'");
    let engine = engine();
    let arguments = [
        "match",
        "--first",
        &engine,
        "--second",
        &engine,
        "-n",
        "1",
        "--judge",
        &judge,
        "--judge-lead",
        "20,4",
        "--out",
        "games",
    ];
    tengen(folder.path(), &arguments).success();
    let line = fs::read_to_string(folder.path().join("games/games.jsonl")).unwrap();
    let game: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(game["reason"], "decided by the judge");
    assert_eq!((&game["winner"], game["moves"].as_array().unwrap().len()), (&"first".into(), 4));
}

#[test]
fn runs_of_a_benchmark_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let bench = |more: &[&str]| {
        let arguments = [&["bench", "perft", "--depth", "2"], more].concat();
        tengen(folder.path(), &arguments)
    };
    bench(&["--save", "run.json"]).success();
    let run = bench(&["--compare", "run.json"]).success();
    assert!(text(&run.get_output().stdout).contains("same"));
    let kept = fs::read_to_string(folder.path().join("run.json")).unwrap();
    fs::write(folder.path().join("run.json"), kept.replace("\"nodes\": 400", "\"nodes\": 401")).unwrap();
    bench(&["--compare", "run.json"]).code(1);
    bench(&["--compare", "missing.json"]).code(2);
    fs::write(folder.path().join("run.json"), "nonsense").unwrap();
    bench(&["--compare", "run.json"]).code(2);
}

/// Everything that the nodes of a collection say, but for the encoding.
fn contents(collection: &Collection) -> Vec<String> {
    let mut all = Vec::new();
    let mut waiting: Vec<NodeId> = collection.roots().iter().rev().copied().collect();
    while let Some(node) = waiting.pop() {
        for property in collection.properties(node).filter(|property| property.name() != "CA") {
            all.push(property.name().to_owned());
            all.extend(property.values().map(|raw| unescape(raw).into_owned()));
        }
        let children: Vec<NodeId> = collection.children(node).collect();
        all.push(children.len().to_string());
        waiting.extend(children.into_iter().rev());
    }
    all
}

#[test]
fn our_records_round_trip() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("sgf"), root.join("gtp-tests")];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension != "sgf") {
            continue;
        }
        let name = path.display().to_string();
        let collection = Collection::parse(&fs::read(&path).unwrap(), &name).unwrap();
        let again = Collection::parse(collection.to_string().as_bytes(), &name).unwrap();
        assert_eq!(contents(&again), contents(&collection), "{name}");
    }
}
