//! The built engine as clients run it: a process on pipes.

mod common;

use std::io::{BufRead, Read};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use common::Engine;
use regex::Regex;
use tengen::formats::tst::Suite;

#[test]
fn report_13_the_end_of_input_ends_a_search() {
    let mut engine = Engine::start(&[]);
    engine.send("time_settings 0 3000 1\ngenmove b\n");
    engine.reply();
    std::thread::sleep(Duration::from_millis(300));
    drop(engine.input.take());
    let closed = Instant::now();
    let mut rest = String::new();
    engine.output.read_to_string(&mut rest).unwrap();
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
    // The search would have gone on for fifty minutes.
    assert!(closed.elapsed() < Duration::from_secs(60));
    // Report 14: a finished answer or none.
    assert!(rest.is_empty() || (rest.starts_with("= ") && rest.ends_with("\n\n")), "{rest:?}");
}

#[test]
fn commands_sent_at_once_are_answered_in_order() {
    let mut engine = Engine::start(&[]);
    let commands: String = (0..3000).map(|number| format!("{number} known_command play\n")).collect();
    engine.send(&commands);
    for number in 0..3000 {
        assert_eq!(engine.reply(), format!("={number} true"));
    }
    let (rest, status, _) = engine.close();
    assert_eq!((rest.as_str(), status), ("", Some(0)));
}

#[test]
fn report_14_commands_from_a_file_are_answered_to_the_end() {
    let mut engine = Engine::start(&["--playouts", "50"]);
    engine.send("boardsize 9\n1 play b E5\n2 genmove w\n3 name");
    let (rest, status, _) = engine.close();
    assert!(rest.contains("=2 ") && rest.ends_with("=3 Tengen\n\n"), "{rest}");
    assert_eq!(status, Some(0));
}

/// A score is counted to its end, although nobody waits for it any more.
#[test]
fn a_score_from_a_file_is_the_same() {
    let position = "boardsize 13\nkomi 6.5\nplay b D4\nplay w J10\nplay b D10\nplay w K4\nplay b G7\n";
    let mut patient = Engine::start(&[]);
    patient.send(position);
    for _ in position.lines() {
        patient.reply();
    }
    let score = patient.ask("final_score");
    let mut hurried = Engine::start(&[]);
    hurried.send(&format!("{position}final_score\n"));
    let (rest, status, _) = hurried.close();
    assert!(rest.ends_with(&format!("= {score}\n\n")), "{rest} {score}");
    assert_eq!(status, Some(0));
}

#[test]
fn an_analysis_ends_at_the_next_command() {
    let mut engine = Engine::start(&[]);
    engine.ask("boardsize 9");
    for command in ["lz-analyze 1", "kata-analyze b 1 ownership true"] {
        engine.send(&format!("5 {command}\n"));
        let mut line = String::new();
        engine.output.read_line(&mut line).unwrap();
        assert_eq!(line, "=5\n");
        line.clear();
        engine.output.read_line(&mut line).unwrap();
        assert!(line.starts_with("info move "), "{line}");
        engine.send("6 name\n");
        engine.reply();
        assert_eq!(engine.reply(), "=6 Tengen");
    }
}

#[test]
fn an_interrupt_ends_a_search_with_a_move() {
    let mut engine = Engine::start(&[]);
    engine.ask("time_settings 0 3000 1");
    engine.send("genmove b\n");
    std::thread::sleep(Duration::from_millis(200));
    engine.send("# interrupt\n");
    assert!(engine.reply().starts_with("= "));
}

#[test]
fn one_thread_and_one_seed_play_the_same_game() {
    let game = || {
        let mut engine = Engine::start(&["--playouts", "200", "--seed", "7"]);
        engine.ask("boardsize 9");
        (0..6).map(|turn| engine.ask(["genmove b", "genmove w"][turn % 2])).collect::<Vec<_>>()
    };
    assert_eq!(game(), game());
}

#[test]
fn gogui_and_sabaki_set_up() {
    let mut engine = Engine::start(&["--playouts", "60"]);
    engine.send("name\nversion\nprotocol_version\nlist_commands\n");
    for _ in 0..4 {
        engine.reply();
    }
    engine.send("komi 6.5\nrectangular_boardsize 9 7\nclear_board\nplay W A1\nplay W A2\nplay B B1\n");
    for _ in 0..6 {
        // A blank follows the sign even in an empty reply.
        assert_eq!(engine.reply(), "= ");
    }
    engine.send("undo\nundo\ngogui-play_sequence B C3 W D4\ntime_settings 0 1 0\n");
    for _ in 0..4 {
        assert_eq!(engine.reply(), "= ");
    }
    engine.ask("genmove b");
    engine.ask("final_status_list dead");
}

/// The files of `gtp-tests`, in order.
fn suites() -> Vec<PathBuf> {
    let suites = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/gtp-tests")).unwrap();
    let mut files: Vec<_> = suites.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tst"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// gogui-regress compares the whole answer, minds the case, and counts every
/// error as a failure; `errors.tst` is not for it.
#[test]
fn the_suites_pass_as_gogui_reads_them() {
    for path in suites().iter().filter(|path| !path.ends_with("errors.tst")) {
        let mut engine = Engine::start(&["--playouts", "1000"]);
        for item in Suite::parse(&std::fs::read_to_string(path).unwrap()).items {
            engine.send(&format!("{}\n", item.command.replace("../sgf/", "sgf/")));
            let reply = engine.reply();
            let Some(expected) = item.expected else { continue };
            let pattern = expected.pattern.trim_start_matches('!');
            let whole = Regex::new(&format!("(?s)^(?:{pattern})$")).unwrap();
            let is_negated = pattern != expected.pattern;
            let answer = reply.strip_prefix('=').map(str::trim);
            let passes = answer.is_some_and(|answer| whole.is_match(answer) != is_negated);
            let place = format!("{}:{}", path.display(), item.line);
            assert!(passes || expected.is_known_failure, "{place}: {reply:?}, not [{}]", expected.pattern);
        }
    }
}

#[test]
fn the_suites_pass() {
    let files = suites();
    let program = env!("CARGO_BIN_EXE_tengen");
    let engine = format!("{program} gtp --threads 1 --playouts 1000");
    let output = Command::new(program).args(["regress", "-e", &engine]).args(&files).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
}
