//! Random and mutated lines: nothing crashes, and what fails changes nothing.

use proptest::prelude::*;

use super::Client;
use crate::protocol::gtp::command::COMMANDS;

/// Words that mean something somewhere.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "b",
            "w",
            "black",
            "WHITE",
            "pass",
            "resign",
            "A1",
            "d4",
            "J9",
            "I5",
            "Z25",
            "T19",
            "0",
            "1",
            "2",
            "9",
            "-1",
            "26",
            "1e9",
            "nan",
            "7.5",
            "true",
            "avoid",
            "allow",
            "interval",
            "dead",
            "alive",
            "seki",
            "byoyomi",
            "canadian",
            "fischer",
            "japanese",
            "{\"ko\":1}",
            "#",
            "/nonexistent/x.sgf",
            "999999999999999999999",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,8}",
        any::<String>(),
    ]
}

/// A line: mostly a known command with words that may or may not fit.
fn line() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = COMMANDS
        .iter()
        .map(|command| command.name)
        // These write or switch things outside the session.
        .filter(|name| !["tengen-save_tree", "tengen-params", "kata-set-param", "printsgf"].contains(name))
        .collect();
    let known = (proptest::sample::select(names), proptest::collection::vec(word(), 0..5))
        .prop_map(|(name, words)| format!("{name} {}", words.join(" ")));
    prop_oneof![9 => known, 1 => proptest::collection::vec(word(), 0..6).prop_map(|words| words.join(" "))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lines_never_crash_and_failures_change_nothing(lines in proptest::collection::vec(line(), 1..40)) {
        let mut client = Client::new();
        client.ask("boardsize 5");
        client.session.engine.set_parameter("playouts", "8").unwrap();
        // Input that waits ends every analysis.
        client.session.inbox.push(String::new());
        for line in lines {
            let before = client.state();
            let reply = client.raw(&line);
            if reply.starts_with('?') {
                prop_assert_eq!(client.state(), before, "after {}", line);
            }
            if !reply.is_empty() {
                prop_assert!(reply.ends_with("\n\n"), "{} -> {}", line, reply);
                prop_assert_eq!(reply.matches("\n\n").count(), 1, "{} -> {}", line, reply);
            }
        }
    }
}
