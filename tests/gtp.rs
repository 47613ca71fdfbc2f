//! The built engine as clients run it: a process on pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A running `tengen gtp`.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .arg("gtp")
            .args(["--threads", "1", "--memory", "16"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Engine { child, input, output }
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next reply, without the blank line that ends it.
    fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the engine is gone after {reply:?}");
            if line == "\n" {
                return reply.trim_end_matches('\n').to_owned();
            }
            reply.push_str(&line);
        }
    }

    /// The reply to a command that succeeds.
    fn ask(&mut self, line: &str) -> String {
        self.send(&format!("{line}\r\n"));
        let reply = self.reply();
        assert!(reply.starts_with('='), "{line}: {reply}");
        reply[1..].trim_start().to_owned()
    }

    /// Closes the input; what the engine still says, its exit status and how
    /// long it took to end.
    fn close(mut self) -> (String, Option<i32>, Duration) {
        drop(self.input.take());
        let closed = Instant::now();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        (rest, status.code(), closed.elapsed())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It has ended already, unless a test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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
fn a_kgs_game() {
    let mut engine = Engine::start(&["--playouts", "60", "--kgs-chat"]);
    assert!(engine.ask("list_commands").lines().any(|name| name == "kgs-chat"));
    for line in ["name", "version", "kgs-rules chinese", "boardsize 9", "clear_board", "komi 7.5"] {
        engine.ask(line);
    }
    engine.ask("kgs-time_settings byoyomi 10 5 3");
    engine.ask("place_free_handicap 3");
    engine.ask("play w E5");
    engine.ask("genmove b");
    engine.ask("time_left b 9 0");
    let said = engine.ask("kgs-chat game somebody how do you stand");
    assert!(said.len() <= 1000 && !said.is_empty());
    engine.ask("play w pass");
    engine.ask("undo");
    engine.ask("play w pass");
    engine.ask("play b pass");
    for vertex in engine.ask("final_status_list dead").split_whitespace() {
        assert_ne!(engine.ask(&format!("color {vertex}")), "empty");
    }
    engine.ask("undo");
    engine.ask("undo");
    engine.ask("kgs-genmove_cleanup b");
    engine.ask("final_status_list dead");
    engine.ask("kgs-game_over");
    engine.ask("boardsize 9");
    engine.ask("quit");
}

#[test]
fn a_cgos_game() {
    let mut engine = Engine::start(&["--playouts", "60"]);
    let commands = engine.ask("list_commands");
    assert!(commands.lines().any(|name| name == "cgos-genmove_analyze"));
    for line in ["boardsize 9", "komi 7.0", "time_settings 300 0 0", "cgos-opponent_name somebody"] {
        engine.ask(line);
    }
    for line in ["cgos-opponent_rating 1800?", "clear_board", "play b e5", "time_left w 299 0"] {
        engine.ask(line);
    }
    let reply = engine.ask("cgos-genmove_analyze w");
    assert!(reply.starts_with('{') && reply.lines().last().unwrap().starts_with("play "));
    engine.ask("cgos-gameover B+3.5");
    engine.ask("quit");
}

#[test]
fn an_ogs_game() {
    let mut engine = Engine::start(&["--playouts", "60"]);
    let commands = engine.ask("list_commands");
    assert!(commands.lines().any(|name| name == "kata-list_time_settings"));
    assert!(engine.ask("kata-list_time_settings").contains("fischer-capped"));
    for line in ["boardsize 9", "clear_board", "komi 5.5", "kata-time_settings fischer-capped 60 5 120 -1"] {
        engine.ask(line);
    }
    assert_eq!(engine.ask("place_free_handicap 2").split_whitespace().count(), 2);
    engine.send("time_left black 60 0\r\ntime_left white 58.5 0\r\ngenmove w\r\n");
    for _ in 0..3 {
        assert!(engine.reply().starts_with('='));
    }
    engine.ask("final_score");
    engine.ask("quit");
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

#[test]
fn the_suites_pass() {
    let suites = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/gtp-tests")).unwrap();
    let mut files: Vec<_> = suites.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tst"));
    files.sort();
    assert!(!files.is_empty());
    let program = env!("CARGO_BIN_EXE_tengen");
    let engine = format!("{program} gtp --threads 1 --playouts 1000");
    let output = Command::new(program).args(["regress", "-e", &engine]).args(&files).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
}
