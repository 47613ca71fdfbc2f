//! Sessions as clients hold them. Tests named by a report are about a fault
//! that users met in other programs.

mod fuzz;
mod scoring;

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use super::*;
use crate::go::coord::Size;
use crate::uct::engine::Settings;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session on a 9x9 board whose searches take a moment.
struct Client {
    session: Session,
    written: Written,
}

impl Client {
    fn new() -> Self {
        Self::with(Settings::default())
    }

    fn with(mut settings: Settings) -> Self {
        settings.search.memory_mib = 8;
        settings.playouts = Some(100);
        let written = Written::default();
        let engine = Engine::new(settings, Size::square(9).unwrap());
        let output = Output::new(Box::new(written.clone()));
        Client { session: Session::new(engine, Inbox::new(), output), written }
    }

    /// What a line is answered with.
    fn raw(&mut self, line: &str) -> String {
        self.session.handle(&clean(line.as_bytes())).unwrap();
        String::from_utf8(std::mem::take(&mut *self.written.0.lock())).unwrap()
    }

    /// The text of the reply to a command that succeeds.
    fn ask(&mut self, line: &str) -> String {
        let reply = self.raw(line);
        let body = reply.strip_prefix("= ").unwrap_or_else(|| panic!("{line}: {reply}"));
        body.strip_suffix("\n\n").unwrap().to_owned()
    }

    /// The text of the reply to a command that fails.
    fn refused(&mut self, line: &str) -> String {
        let reply = self.raw(line);
        let body = reply.strip_prefix("? ").unwrap_or_else(|| panic!("{line}: {reply}"));
        body.strip_suffix("\n\n").unwrap().to_owned()
    }

    fn play_all(&mut self, moves: &str) {
        let words: Vec<&str> = moves.split_whitespace().collect();
        for pair in words.chunks(2) {
            self.ask(&format!("play {} {}", pair[0], pair[1]));
        }
    }

    /// Everything of the game that a failed command must leave alone.
    fn state(&mut self) -> String {
        let game = self.session.engine.game();
        let rest = format!("{:?} {:?} {:?}", game.events(), game.handicap(), game.rules());
        let questions =
            ["showboard", "list_stones b", "list_stones w", "get_komi", "query_boardsize", "tengen-params"];
        questions.map(|question| self.ask(question)).join("\n") + &rest
    }
}

#[test]
fn report_2_and_7_replies_have_their_form() {
    let mut client = Client::new();
    assert_eq!(client.raw("6 foo"), "?6 unknown command\n\n");
    assert_eq!(client.raw("name"), "= Tengen\n\n");
    assert_eq!(client.raw("7 boardsize 9"), "=7 \n\n");
}

#[test]
fn report_5_missing_arguments_are_failures() {
    let mut client = Client::new();
    for line in
        ["play", "play b", "komi", "boardsize", "genmove", "final_status_list", "time_left b", "loadsgf"]
    {
        client.refused(line);
    }
}

#[test]
fn report_8_case_does_not_matter_in_moves() {
    let mut client = Client::new();
    client.ask("play B e5");
    client.ask("play White PASS");
    let mv = client.ask("genmove b");
    assert!(mv == "pass" || mv.parse::<crate::go::coord::Coord>().is_ok(), "{mv}");
}

#[test]
fn the_engine_is_called_as_the_user_wishes() {
    assert_eq!(Client::new().ask("name"), "Tengen");
    let name = "KataGo (Tengen)";
    let mut client = Client::with(Settings { name: name.into(), ..Settings::default() });
    assert_eq!(client.ask("name"), name);
}

#[test]
fn report_16_chat_is_listed_on_request_only() {
    for listed in [false, true] {
        let mut client = Client::with(Settings { kgs_chat: listed, ..Settings::default() });
        assert_eq!(client.ask("list_commands").lines().any(|name| name == "kgs-chat"), listed);
        assert!(!client.ask("kgs-chat game somebody hello").is_empty());
    }
}

#[test]
fn report_20_rectangular_boards() {
    let mut client = Client::new();
    client.ask("boardsize 9 5");
    assert_eq!(client.ask("query_boardsize"), "9 5");
    client.ask("play b J5");
    client.refused("play w A6");
    client.ask("rectangular_boardsize 3 7");
    client.ask("genmove b");
}

#[test]
fn report_22_sizes_above_25() {
    let mut client = Client::new();
    for size in ["26", "52", "0", "1", "-9", "99999999999"] {
        assert_eq!(client.refused(&format!("boardsize {size}")), "unacceptable size");
    }
    client.ask("boardsize 25");
}

#[test]
fn report_23_bad_handicaps_change_nothing() {
    let mut client = Client::new();
    for line in [
        "place_free_handicap",
        "set_free_handicap D4 Z99",
        "set_free_handicap D4 D4",
        "set_free_handicap D4 pass",
        "fixed_handicap 12",
        "place_free_handicap 1",
    ] {
        client.refused(line);
        assert_eq!(client.ask("list_stones b"), "", "{line}");
    }
    client.ask("set_free_handicap C3 G7");
    assert_eq!(client.refused("set_free_handicap C3 G7"), "board not empty");
}

#[test]
fn report_29_free_handicap_gives_all_stones() {
    let mut client = Client::new();
    client.ask("boardsize 19");
    assert_eq!(client.ask("place_free_handicap 4").split_whitespace().count(), 4);
    assert_eq!(client.session.engine.game().to_move(), crate::go::color::Color::White);
}

#[test]
fn report_32_handicap_is_not_undone() {
    let mut client = Client::new();
    client.ask("fixed_handicap 2");
    client.ask("play w E5");
    client.ask("undo");
    assert_eq!(client.refused("undo"), "cannot undo");
    assert_eq!(client.ask("list_stones b"), "C3 G7");
}

#[test]
fn report_35_komi_may_change_in_mid_game() {
    let mut client = Client::new();
    client.ask("play b E5");
    client.ask("komi 5.5");
    assert_eq!(client.ask("get_komi"), "5.5");
    assert_eq!(client.ask("list_stones b"), "E5");
    client.ask("komi 1000000");
    assert_eq!(client.ask("get_komi"), "1000000");
    for komi in ["nan", "inf", "x"] {
        assert!(client.refused(&format!("komi {komi}")).starts_with("unacceptable komi"));
    }
}

#[test]
fn report_37_and_44_a_ko_is_refused_and_the_game_goes_on() {
    let mut client = Client::new();
    client.play_all("b B1 b A2 b B3 b C2 w C1 w D2 w C3 w B2");
    assert_eq!(client.refused("play b C2"), "illegal move");
    client.play_all("b J9 w J8");
    client.ask("play b C2");
}

#[test]
fn report_43_ko_is_undone() {
    let mut client = Client::new();
    client.play_all("b A2 w A1 b B1");
    client.ask("undo");
    client.ask("play b B1");
}

#[test]
fn report_40_a_set_up_position_counts_for_superko() {
    let mut client = Client::new();
    client.ask("kata-set-rules chinese-kgs");
    client.ask("gogui-setup b B1 b A2 b B3 b C2 w C1 w D2 w C3");
    client.ask("play w B2");
    assert_eq!(client.refused("play b C2"), "illegal move");
}

#[test]
fn report_49_and_50_suicide_follows_the_rules() {
    let mut client = Client::new();
    client.play_all("b A1 w A2 w B2 w C1");
    assert_eq!(client.ask("is_legal b B1"), "0");
    client.ask("kata-set-rules cgos");
    assert_eq!(client.ask("is_legal b B1"), "0");
    client.ask("kata-set-rules new_zealand");
    assert_eq!(client.ask("is_legal b B1"), "1");
    client.ask("play b B1");
    assert_eq!(client.ask("list_stones b"), "");
}

#[test]
fn report_65_to_71_time_settings() {
    let mut client = Client::new();
    for line in [
        "time_settings 0 1 0",
        "time_settings 0 0 0",
        "genmove b",
        "time_settings 30 0 0",
        "time_left b 1 0",
        "time_left w 12.34 0",
        "time_left b 0 0",
        "genmove b",
        "kgs-time_settings none",
        "kgs-time_settings absolute 10",
        "kgs-time_settings byoyomi 10 5 3",
        "kgs-time_settings canadian 10 5 3",
        "kata-time_settings fischer 10 1",
        "kata-time_settings fischer-capped 10 1 20 -1",
        "genmove w",
    ] {
        client.ask(line);
    }
    for line in ["time_settings -1 0 0", "time_left b", "time_settings 1 2", "kgs-time_settings byoyomi 10"] {
        client.refused(line);
    }
}

/// Visits of the root when Black decides after White has played the move that
/// was expected.
fn visits_after_pondering(times: usize) -> u64 {
    let mut client = Client::with(Settings { ponder: true, ..Settings::default() });
    client.ask("genmove b");
    let expected = client.session.engine.last_report().unwrap().moves[0].pv[1];
    let stop = StopFlag::new();
    stop.raise();
    for _ in 0..times {
        client.session.engine.ponder(&stop);
    }
    client.ask(&format!("play w {expected}"));
    client.ask("genmove b");
    client.session.engine.last_report().unwrap().root_visits
}

#[test]
fn report_76_what_was_pondered_is_kept() {
    assert!(visits_after_pondering(20) > visits_after_pondering(0));
}

#[test]
fn report_77_nothing_is_pondered_after_the_end() {
    let mut client = Client::with(Settings { ponder: true, ..Settings::default() });
    client.ask("genmove b");
    assert!(client.session.engine.wants_to_ponder());
    client.play_all("w pass b pass");
    assert!(!client.session.engine.wants_to_ponder());
}

/// The lines of a report, taken apart: each move with its key and value pairs.
fn segments(line: &str) -> Vec<Vec<(String, String)>> {
    let parts = line.split("info ").filter(|part| !part.trim().is_empty());
    parts
        .map(|part| {
            let (fields, pv) = part.split_once(" pv ").unwrap();
            let words: Vec<&str> = fields.split_whitespace().collect();
            let mut pairs: Vec<(String, String)> =
                words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
            pairs.push(("pv".into(), pv.trim().to_owned()));
            pairs
        })
        .collect()
}

#[test]
fn report_79_and_83_values_stay_in_range() {
    let mut client = Client::new();
    let reply = client.raw("4 lz-genmove_analyze b 1 minmoves 10");
    let lines: Vec<&str> = reply.lines().collect();
    assert_eq!(lines[0], "=4");
    let last = lines[lines.len() - 2];
    assert!(last.starts_with("play ") && reply.ends_with("\n\n"), "{reply}");
    for line in &lines[1..lines.len() - 2] {
        for segment in segments(line) {
            let keys: Vec<&str> = segment.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys, ["move", "visits", "winrate", "prior", "lcb", "order", "pv"]);
            for (key, value) in &segment[2..5] {
                assert!(value.parse::<u32>().unwrap() <= 10_000, "{key} {value}");
            }
            assert!(segment[6].1.starts_with(&segment[0].1));
        }
    }
    assert_eq!(client.ask("last_move"), format!("black {}", &last[5..]));
}

/// Black has nearly everything: each player is told the own chances.
#[test]
fn report_80_win_rates_are_the_players_own() {
    let mut client = Client::new();
    client.play_all("b E1 b E2 b E3 b E4 b E5 b E6 b E7 b E8 b E9 b C5 b G5");
    let mut rate = |color| -> f64 {
        let reply = client.raw(&format!("kata-search_analyze {color} 1"));
        let line = reply.lines().rev().find(|line| line.starts_with("info")).unwrap();
        let best = segments(line).swap_remove(0);
        best.iter().find(|(key, _)| key == "winrate").unwrap().1.parse().unwrap()
    };
    let (black, white) = (rate("b"), rate("w"));
    assert!(black > 0.8 && white < 0.2, "{black} {white}");
}

#[test]
fn report_82_any_input_ends_an_analysis() {
    for form in ["lz-analyze 1", "kata-analyze b 1 ownership true", "lz-analyze b interval 1 maxmoves 2"] {
        let mut client = Client::new();
        client.session.inbox.push("name".into());
        let reply = client.raw(form);
        assert!(reply.starts_with("=\n") && reply.ends_with("\n\n"), "{reply:?}");
        assert_eq!(reply.matches("\n\n").count(), 1);
    }
}

#[test]
fn kata_search_leaves_the_board_and_tells_ownership() {
    let mut client = Client::new();
    let reply = client.raw("kata-search_analyze w 1 ownership true rootInfo true pvVisits true");
    let line = reply.lines().find(|line| line.starts_with("info")).unwrap();
    let (_, owners) = line.split_once(" ownership ").unwrap();
    assert_eq!(owners.split_whitespace().filter(|value| value.parse::<f32>().is_ok()).count(), 81);
    assert!(line.contains(" rootInfo visits "));
    assert_eq!(client.ask("move_history"), "");
}

#[test]
fn analysis_can_be_told_which_moves_to_avoid() {
    let mut client = Client::new();
    let reply = client.raw("lz-genmove_analyze b 1 allow b C3,D3 1 avoid w E5 10");
    let mv = reply.lines().rev().find_map(|line| line.strip_prefix("play ")).unwrap();
    assert!(["C3", "D3"].contains(&mv), "{mv}");
    client.refused("lz-analyze b avoid b Z9 1");
    client.refused("lz-analyze b nonsense 1");
}

#[test]
fn cgos_gets_one_line_and_the_move() {
    let mut client = Client::new();
    let reply = client.raw("cgos-genmove_analyze b");
    let lines: Vec<&str> = reply.lines().collect();
    let value: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
    assert!((0.0..=1.0).contains(&value["winrate"].as_f64().unwrap()));
    assert_eq!(value["ownership"].as_str().unwrap().len(), 81);
    assert!(lines[2].starts_with("play "));
}

#[test]
fn cgos_is_told_what_the_player_sees() {
    for (color, own) in [("b", '+'), ("w", 'A')] {
        let mut client = Client::new();
        client.play_all("b A2 b B2 b B1 b C2 b D2 b D1 w H8 w G5");
        let reply = client.raw(&format!("cgos-genmove_analyze {color}"));
        let value: serde_json::Value = serde_json::from_str(reply.lines().nth(1).unwrap()).unwrap();
        let owners: Vec<char> = value["ownership"].as_str().unwrap().chars().collect();
        // A1, an eye of Black's, is the first point of the lowest row.
        assert_eq!(owners[72], own, "{color}");
        for found in value["moves"].as_array().unwrap() {
            let line = found["pv"].as_str().unwrap();
            assert_ne!(line.split(' ').next(), found["move"].as_str(), "the line follows the move");
        }
    }
}

#[test]
fn sequences_are_all_or_nothing() {
    let mut client = Client::new();
    assert_eq!(client.refused("gogui-play_sequence b A1 w B1 b A1"), "illegal move");
    assert_eq!(client.ask("list_stones b"), "");
    client.ask("gogui-play_sequence b A1 w B1");
    client.refused("gg-undo 3");
    client.ask("gg-undo 2");
    assert_eq!(client.refused("undo"), "cannot undo");
}

#[test]
fn rules_have_names_and_a_json_form() {
    let mut client = Client::new();
    for rules in ["chinese", "japanese", "korean", "aga", "new-zealand", "tromp-taylor", "cgos", "ing", "bga"]
    {
        client.ask(&format!("kata-set-rules {rules}"));
        let told = client.ask("kata-get-rules");
        let before = client.session.engine.game().rules();
        client.ask(&format!("kata-set-rules {told}"));
        assert_eq!(client.session.engine.game().rules(), before, "{rules}");
    }
    client.refused("kata-set-rules draughts");
    client.refused(r#"kata-set-rules {"ko":"NONE"}"#);
    // What is counted in a seki goes with the scoring.
    for (scoring, tax, other) in [("AREA", "NONE", "SEKI"), ("TERRITORY", "SEKI", "NONE")] {
        client.ask(&format!(r#"kata-set-rules {{"tax":"{tax}","scoring":"{scoring}"}}"#));
        client.refused(&format!(r#"kata-set-rules {{"scoring":"{scoring}","tax":"{other}"}}"#));
        client.refused(&format!("kata-set-rule tax {other}"));
        client.ask(&format!("kata-set-rule tax {tax}"));
        assert!(client.ask("kata-get-rules").contains(scoring));
    }
    client.ask("kgs-rules chinese");
    assert!(client.ask("kata-get-rules").contains("POSITIONAL"));
}

#[test]
fn gogui_commands_answer() {
    let mut client = Client::new();
    client.ask("genmove b");
    for line in client.ask("gogui-analyze_commands").lines() {
        let command = line.split('/').nth(2).unwrap();
        if !command.contains("%p") {
            client.ask(&command.replace("%c", "b"));
        }
    }
    client.ask("tengen-live off");
    assert_eq!(client.ask("tengen-ownership").split_whitespace().count(), 81);
}

#[test]
fn the_networks_view_is_shown() {
    let mut bare = Client::new();
    bare.session.engine = Engine::new(
        Settings {
            search: crate::uct::search::Settings { net: None, ..Default::default() },
            ..Default::default()
        },
        Size::square(9).unwrap(),
    );
    bare.refused("kata-raw-nn");
    bare.refused("tengen-net_policy");
    let mut settings = Settings::default();
    settings.search.net = Some(crate::net::reference::random_network(16, 1, 2));
    let mut client = Client::with(settings);
    client.play_all("b E5 w C3");
    let said = client.ask("kata-raw-nn 0");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 5 + 1 + 9 + 2 + 9);
    let number = |line: &str| -> f64 { line.split_whitespace().last().unwrap().parse().unwrap() };
    assert!((number(lines[1]) + number(lines[2]) - 1.0).abs() < 1e-5);
    let policy: Vec<&str> = lines[6..15].iter().flat_map(|line| line.split_whitespace()).collect();
    assert_eq!(policy.iter().filter(|cell| **cell == "NAN").count(), 2);
    assert_eq!((policy[4 * 9 + 4], policy[6 * 9 + 2]), ("NAN", "NAN"));
    let sum: f64 = policy.iter().filter_map(|cell| cell.parse::<f64>().ok()).filter(|p| !p.is_nan()).sum();
    assert!((sum + number(lines[15]) - 1.0).abs() < 1e-3, "{sum}");
    assert_eq!(client.ask("tengen-net_policy w").split_whitespace().count(), 81);
    assert_eq!(client.ask("tengen-net_ownership").split_whitespace().count(), 81);
    client.refused("kata-raw-nn 5");
}

#[test]
fn parameters_can_be_listed_and_set() {
    let mut client = Client::new();
    let listed = client.ask("tengen-params");
    // GoGui shows a box to tick for one that is on or off.
    assert!(listed.contains("[bool] ponder 0\n") && listed.contains("[string] threads "), "{listed}");
    for line in listed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        client.ask(&format!("tengen-params {} {}", words[1], words[2]));
    }
    client.refused("tengen-params threads 0");
    client.refused("tengen-params nonsense 1");
    client.ask("kata-set-param maxVisits 50");
    assert_eq!(client.ask("kata-get-param maxVisits"), "50");
}

#[test]
fn quit_ends_a_search_like_the_end_of_the_input() {
    let (inbox, flag) = (Inbox::new(), StopFlag::new());
    assert_eq!(receive(b"name\n", &inbox).as_deref(), Some("name"));
    assert_eq!(receive(b"7 quit # now\r\n", &inbox), None);
    inbox.watch(&flag, Yield::ToInterrupts, || assert!(flag.is_raised()));
    assert_eq!(inbox.take().as_deref(), Some("7 quit"));
}

#[test]
fn nothing_is_sure_on_an_empty_board() {
    let mut client = Client::new();
    client.ask("boardsize 9");
    let estimate = client.ask("estimate_score");
    let bound = |name: &str| -> f64 {
        let rest = estimate.split(name).nth(1).unwrap();
        rest.split([',', ')']).next().unwrap().trim().parse().unwrap()
    };
    assert!(bound("upper bound:") - bound("lower:") > 60.0, "{estimate}");
}

#[test]
fn an_empty_set_up_leaves_the_board_untouched() {
    let mut client = Client::new();
    client.ask("gogui-setup");
    client.ask("gogui-setup b A1");
    assert!(client.refused("fixed_handicap 2").contains("empty"));
    client.ask("stop");
}
