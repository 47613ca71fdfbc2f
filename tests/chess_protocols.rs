//! The chess front ends as their clients see them: the program is started and
//! talked to over its standard input and output.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use parking_lot::Mutex;
use tengen::chess::engine::Engine;
use tengen::chess::position::Position;
use tengen::protocol::line::Inbox;
use tengen::protocol::{uci, xboard};
use tengen::shared::rng::Rng;

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(protocol: &str) -> Client {
        Client::with(&[protocol.as_ref()])
    }

    fn with(arguments: &[&OsStr]) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        Client { child, input, output: BufReader::new(output) }
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(format!("{text}\n").as_bytes()).expect("the program reads");
    }

    /// Reads lines up to and including the first that begins so.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "no {start} in {lines:#?}");
            lines.push(line.trim_end_matches('\n').to_string());
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    fn last(&mut self, start: &str) -> String {
        self.until(start).pop().unwrap_or_default()
    }

    /// Closes the input, reads the rest, and expects status 0.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        let rest = self.output.lines().map_while(Result::ok).collect();
        assert!(self.child.wait().expect("ends").success());
        rest
    }
}

#[test]
fn uci_introduces_itself_and_stays_ready_in_a_search() {
    let mut client = Client::start("uci");
    client.send("uci");
    let lines = client.until("uciok");
    for option in ["Hash", "Clear Hash", "Threads", "MultiPV", "Ponder", "UCI_Chess960", "Move Overhead"] {
        assert!(lines.iter().any(|line| line.starts_with(&format!("option name {option} type"))), "{option}");
    }
    client.send("go infinite\nisready");
    let before = client.until("readyok");
    assert!(!before.iter().any(|line| line.starts_with("bestmove")));
    client.send("stop");
    client.until("bestmove");
    client.send("go ponder wtime 1000 btime 1000\nisready");
    assert!(!client.until("readyok").iter().any(|line| line.starts_with("bestmove")));
    client.send("ponderhit");
    client.until("bestmove");
    assert!(!client.end().iter().any(|line| line.starts_with("bestmove")), "one for each go");
}

/// A count that would take years gives way to `stop`, to the next command that
/// needs the engine, to `quit` and to the end of the input.
#[test]
fn uci_perft_can_be_stopped() {
    let mut client = Client::start("uci");
    client.send("go perft 15\nisready");
    client.until("readyok");
    client.send("stop");
    client.until("info string perft stopped");
    client.send("go perft 15\ngo depth 1");
    assert!(client.until("bestmove").iter().any(|line| line == "info string perft stopped"));
    client.send("go perft 15\nquit");
    client.end();
    let mut client = Client::start("uci");
    client.send("go perft 15");
    client.end();
}

/// One clock is enough, whichever it is.
#[test]
fn uci_plays_with_the_other_side_s_clock() {
    let mut client = Client::start("uci");
    client.send("go btime 100");
    client.until("bestmove");
    client.end();
}

/// The position of `tengen learn`: searched, killed, and known again.
#[test]
fn uci_recalls_a_search_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("learnt");
    let arguments: [&OsStr; 3] = ["uci".as_ref(), "--learn".as_ref(), file.as_os_str()];
    let position = "position startpos moves d2d4 g8f6 c2c4 e7e6 b1c3 f8b4";
    let fields = |lines: &[String]| {
        let line = lines.iter().rfind(|line| line.starts_with("info depth")).expect("a line").clone();
        let after = |key: &str| {
            let rest = line.split_once(key).map(|(_, rest)| rest.to_string()).unwrap_or_default();
            rest.split(' ').take(2).collect::<Vec<_>>().join(" ")
        };
        (after(" score "), after(" pv ").split(' ').next().unwrap_or_default().to_string())
    };
    let mut client = Client::with(&arguments);
    client.send(&format!("{position}\ngo depth 12"));
    let found = fields(&client.until("bestmove"));
    // What was found is in the file once it says so.
    let stats = || {
        let output = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["learn".as_ref(), "stats".as_ref(), "--file".as_ref(), file.as_os_str()])
            .output()
            .expect("the program starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    while !stats().contains("chess") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    client.child.kill().expect("it runs");
    client.child.wait().expect("it ends");
    let mut client = Client::with(&arguments);
    client.send(&format!("{position}\ngo depth 1"));
    assert_eq!(fields(&client.until("bestmove")), found);
    client.end();
}

/// A game that is broken off when its end is plain, as when the opponent
/// resigns, is learnt; what is analysed is no game.
#[test]
fn uci_learns_from_games_that_are_broken_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("learnt");
    let fen = "7k/8/5K2/8/8/8/8/1Q6 w - - 0 1";
    let games = |commands: &str| {
        let mut client = Client::with(&["uci".as_ref(), "--learn".as_ref(), file.as_os_str()]);
        client.send(commands);
        client.until("bestmove");
        client.send("ucinewgame");
        client.end();
        let output = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["learn".as_ref(), "show".as_ref(), "--file".as_ref(), file.as_os_str()])
            .args(["--fen", fen])
            .output()
            .expect("the program starts");
        String::from_utf8_lossy(&output.stdout).matches(" 1.0 ").count()
    };
    let start = format!("position fen {fen}\n");
    assert_eq!(games(&format!("setoption name UCI_AnalyseMode value true\n{start}go depth 8")), 0);
    assert_eq!(games(&format!("{start}go depth 8")), 1);
}

#[test]
fn uci_survives_what_crashes_others() {
    let mut client = Client::start("uci");
    for bad in ["position fen startpos", "position fen 1", "position", "go depth 1 searchmoves e2e5"] {
        client.send(bad);
    }
    client.until("bestmove");
    client.send("position fen 2k5/8/3K4/1p6/p7/P7/1B6/8 b KQkq - 0 1 moves\ngo depth 3");
    assert!(client.last("bestmove").len() >= 13);
    client.send("position startpos moves b2b3 d7d6 d7d6 e2e3\nd");
    assert_eq!(client.last("Fen: "), "Fen: rnbqkbnr/ppp1pppp/3p4/8/8/1P6/P1PPPPPP/RNBQKBNR w KQkq - 0 2");
    client.send("position startpos moves f2f3 e7e5 g2g4 d8h4\ngo depth 3");
    assert_eq!(client.last("bestmove"), "bestmove 0000");
    client.send("position startpos\ngo perft 3");
    assert_eq!(client.last("Nodes searched"), "Nodes searched: 8902");
    client.send("setoption name UCI_Chess960 value true");
    client.send("position fen 7k/8/8/8/8/8/8/RK2R3 w EA - 0 1 moves b1e1\nd");
    assert_eq!(client.last("Fen: "), "Fen: 7k/8/8/8/8/8/8/R4RK1 b - - 1 1");
    client.end();
}

#[test]
fn uci_finds_several_lines_and_mates() {
    let mut client = Client::start("uci");
    client.send("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    client.send("position fen 6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1\ngo depth 4");
    let lines = client.until("bestmove");
    assert!(lines.iter().any(|line| line.contains(" depth 4 ") && line.contains("multipv 3")));
    assert!(lines.iter().any(|line| line.contains("score mate 1 wdl 1000 0 0")), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("bestmove b1b8"));
    client.end();
}

#[test]
fn xboard_plays_and_takes_back() {
    let mut client = Client::start("xboard");
    client.send("xboard\nprotover 2");
    client.until("feature myname");
    client.send("new\nlevel 0 1 0\nst 0.1\npost\nusermove e2e4");
    let first = client.last("move ");
    client.send("ping 7");
    assert_eq!(client.last("pong"), "pong 7");
    client.send("undo\nusermove e2e5");
    assert_eq!(client.last("Illegal"), "Illegal move: e2e5");
    client.send(&format!(
        "force\nusermove {}\nsetboard 6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1\ngo",
        &first[5..]
    ));
    assert_eq!(client.last("move "), "move b1b8");
    assert_eq!(client.last("1-0"), "1-0 {White mates}");
    client.send("setboard 8/8/8/8 w\nnonsense");
    assert_eq!(client.last("tellusererror"), "tellusererror Illegal position");
    assert_eq!(client.last("Error"), "Error (unknown command): nonsense");
    client.send("new\nanalyze\nping 8");
    client.until("pong 8");
    client.send("exit\nquit");
    client.end();
}

#[test]
fn xboard_tells_its_status_and_answers_a_draw_offer() {
    let mut client = Client::start("xboard");
    client.send("new\nanalyze");
    // Once there is a line of thinking, the status has a move.
    let mut line = String::new();
    client.output.read_line(&mut line).expect("text");
    client.send(".");
    let status = client.last("stat01: ");
    assert_eq!(status.split(' ').count(), 7, "{status}");
    client.send("exit\nnew\nsd 4\ndraw\nping 1");
    assert!(!client.until("pong 1").iter().any(|line| line.contains("offer")), "nothing is known yet");
    // Far behind, the offer is accepted with the move.
    client.send("setboard 4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1\ngo\ndraw");
    client.until("offer draw");
    client.end();
}

#[test]
fn xboard_claims_true_draws_only() {
    let mut client = Client::start("xboard");
    client.send("new\nforce\nsetboard 7k/8/8/8/8/8/8/KN5r w - - 0 1\nsd 2\nping 1");
    let quiet = client.until("pong 1");
    assert!(!quiet.iter().any(|line| line.starts_with("1/2")), "{quiet:?}");
    client.send("setboard 7k/8/8/8/8/8/1q6/K7 w - - 0 1\nsd 2\ngo");
    // The queen is all that can be taken, and then nobody can mate.
    assert_eq!(client.last("1/2"), "1/2-1/2 {Insufficient material}");
    // The start position for the second time, and for the third.
    let cycle = "usermove g1f3\nusermove g8f6\nusermove f3g1\nusermove f6g8";
    client.send(&format!("new\nforce\n{cycle}\nsd 1\ngo"));
    assert!(!client.until("move ").iter().any(|line| line.starts_with("1/2")));
    client.send(&format!("new\nforce\n{cycle}\n{cycle}\nsd 1\ngo"));
    assert!(client.until("move ").contains(&"1/2-1/2 {Draw by repetition}".to_string()));
    client.end();
}

/// Collects what a session writes.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

const WORDS: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "stop",
    "ponderhit",
    "ponder",
    "infinite",
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "movestogo",
    "mate",
    "searchmoves",
    "setoption",
    "name",
    "value",
    "MultiPV",
    "UCI_Chess960",
    "Threads",
    "true",
    "false",
    "d",
    "eval",
    "e2e4",
    "e7e5",
    "g1f3",
    "e1g1",
    "a7a8q",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "99999999999999999999",
    "é",
    "8/8/8/8/8/8/8/8",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "r3k2r/8/8/8/8/8/8/R3K2R",
    "w",
    "b",
    "KQkq",
    "-",
    "e3",
    "xboard",
    "protover",
    "new",
    "force",
    "level",
    "st",
    "sd",
    "time",
    "otim",
    "usermove",
    "?",
    "ping",
    "draw",
    "result",
    "setboard",
    "undo",
    "remove",
    "hard",
    "easy",
    "post",
    "nopost",
    "analyze",
    "exit",
    ".",
    "perft",
    "hint",
    "exclude",
    "include",
    "all",
    "variant",
    "fischerandom",
    "playother",
    "Nf3",
    "O-O",
    "5:00",
    "0.01",
];

fn random_lines(seed: u64, count: usize) -> Vec<String> {
    let mut rng = Rng::new(seed, 0);
    let mut line = || {
        let words = 1 + rng.below(7);
        (0..words).map(|_| WORDS[rng.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    };
    (0..count).map(|_| line()).collect()
}

fn inbox_of(lines: Vec<String>, last: &[&str]) -> Inbox {
    let inbox = Inbox::new();
    lines.into_iter().for_each(|line| inbox.push(line));
    last.iter().for_each(|line| inbox.push((*line).to_string()));
    inbox.close();
    inbox
}

#[test]
fn random_uci_lines_do_no_harm() {
    for seed in 0..4 {
        let sink = Sink::default();
        let inbox = inbox_of(random_lines(seed, 500), &["stop", "position startpos", "d", "go depth 1"]);
        let writer = uci::Writer::new(Box::new(sink.clone()));
        uci::Session::new(Engine::default(), inbox, writer).run().expect("a sink takes everything");
        let text = String::from_utf8(sink.0.lock().clone()).expect("text");
        assert!(text.contains("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(text.trim_end().lines().last().is_some_and(|line| line.starts_with("bestmove ")));
    }
}

#[test]
fn random_xboard_lines_do_no_harm() {
    for seed in 10..14 {
        let sink = Sink::default();
        let inbox = inbox_of(random_lines(seed, 500), &["new", "force", "ping 77"]);
        let writer = uci::Writer::new(Box::new(sink.clone()));
        xboard::Session::new(Engine::default(), inbox, writer).run().expect("a sink takes everything");
        let text = String::from_utf8(sink.0.lock().clone()).expect("text");
        assert!(text.trim_end().ends_with("pong 77"), "{}", &text[text.len().saturating_sub(300)..]);
    }
}

#[test]
fn searches_end_with_a_legal_move_everywhere() {
    let mut rng = Rng::new(21, 0);
    let mut engine = Engine::default();
    for _ in 0..20 {
        let mut position = Position::default();
        for _ in 0..rng.below(120) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[rng.below(moves.len())]);
        }
        let legal = position.legal_moves();
        engine.set_position(position);
        let order = tengen::chess::engine::Order { depth: Some(4), lines: 1, ..Default::default() };
        let mut lines = Vec::new();
        let outcome = engine.think(&order, |line| lines.push(line.moves.clone()));
        assert_eq!(outcome.best.is_some(), !legal.is_empty());
        for line in lines {
            let mut here = *engine.position();
            for mv in line {
                assert!(here.legal_moves().contains(&mv), "{mv:?} in {here:?}");
                here.play_unchecked(mv);
            }
        }
    }
}

/// python-chess plays, analyses and ponders through both front ends.
#[test]
fn python_chess_drives_both_front_ends() {
    let python = std::env::var("TENGEN_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_chess = Command::new(&python).args(["-c", "import chess.engine"]).stderr(Stdio::null()).status();
    if !has_chess.is_ok_and(|status| status.success()) {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {python} has no module chess, so the front ends were not driven by it"
        );
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python_chess.py");
    let status = Command::new(&python).args([script, env!("CARGO_BIN_EXE_tengen")]).status();
    assert!(status.expect("python runs").success());
}
