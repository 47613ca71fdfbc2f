//! The configuration file, help, completions and exit statuses, as a user meets
//! them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use assert_cmd::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tengen");

/// Runs the program with a configuration file of this content.
fn tengen(folder: &Path, config: &str, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let file = folder.join("config.toml");
    fs::write(&file, config).unwrap();
    Command::new(PROGRAM).current_dir(folder).env("TENGEN_CONFIG", &file).args(arguments).assert()
}

fn stdout(run: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

fn stderr(run: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

/// What `config show` says of a key, value and source.
fn shown(text: &str, key: &str) -> (String, String) {
    let line = text.lines().find(|line| line.split(" = ").next() == Some(key));
    let line = line.unwrap_or_else(|| panic!("{key} is not in {text}"));
    let (entry, source) = line.split_once(" # ").unwrap();
    (entry.split_once('=').unwrap().1.trim().to_owned(), source.to_owned())
}

const CONFIG: &str = "\
log-level = \"error\"
[gtp]
threads = 2
ponder = true
param = [\"a=1\", \"b=2\"]
learn = true
rules = \"japanese\"
[bench.playouts]
size = 5
seconds = 1000
";

#[test]
fn the_command_line_beats_the_file_and_the_file_the_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let run = tengen(folder.path(), CONFIG, &["config", "show", "gtp", "--threads", "3", "--ponder=false"]);
    let text = stdout(&run.success());
    let of = |key: &str| shown(&text, key);
    let both = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(of("threads"), both("3", "command line"));
    assert_eq!(of("ponder"), both("false", "command line"));
    assert_eq!(of("rules"), both("\"japanese\"", "file"));
    assert_eq!(of("param"), both("[\"a=1\", \"b=2\"]", "file"));
    assert_eq!(of("learn"), both("true", "file"));
    assert_eq!(of("seed"), both("1", "default"));
    assert_eq!(of("log-level"), both("\"error\"", "file"));
    assert!(text.contains("config.toml"));
}

#[test]
fn values_of_the_file_reach_the_command() {
    let folder = tempfile::tempdir().unwrap();
    // The file's seconds give way to the count of the command line, as both exclude each other.
    let run = tengen(folder.path(), CONFIG, &["bench", "playouts", "--count", "10", "--json"]);
    let figures: serde_json::Value = serde_json::from_str(&stdout(&run.success())).unwrap();
    assert_eq!((&figures["size"], &figures["playouts"]), (&5.into(), &10.into()));
    let needed = "[regress]\nengine = \"false\"\n";
    let run = tengen(folder.path(), needed, &["regress", "missing.tst"]).code(2);
    assert!(stderr(&run).contains("missing.tst"), "the engine came from the file: {}", stderr(&run));
}

#[test]
fn what_is_shown_can_be_a_file_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = stdout(&tengen(folder.path(), CONFIG, &["config", "show"]).success());
    assert!(first.contains("\n[bench.playouts]\n") && first.contains("\n[match]\n"));
    assert_eq!(shown(&first, "ponder"), ("true".into(), "file".into()));
    let again = stdout(&tengen(folder.path(), &first, &["config", "show"]).success());
    assert_eq!(first.replace("# file", "# default"), again.replace("# file", "# default"));
}

#[test]
fn mistakes_in_the_file_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (config, key) in [
        ("[gtp]\nthread = 2", "gtp.thread"),
        ("[gpt]\nthreads = 2", "gpt"),
        ("[gtp]\nthreads = \"many\"", "gtp.threads"),
        ("[gtp]\nthreads = [1, 2]", "gtp.threads"),
        ("[gtp]\nponder = 3", "gtp.ponder"),
        ("[gtp]\nrules = \"chess\"", "gtp.rules"),
        ("config = \"x\"", "config"),
        ("[gtp", "line 1"),
    ] {
        let run = tengen(folder.path(), config, &["bench", "perft", "--depth", "1"]).code(2);
        let text = stderr(&run);
        assert!(text.contains("config.toml") && text.contains(key), "{config}: {text}");
    }
    let missing = ["--config", "no-such-file.toml", "config", "show"];
    let run = tengen(folder.path(), "", &missing).code(2);
    assert!(stderr(&run).contains("no-such-file.toml"));
}

#[test]
fn completions_and_manual_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&tengen(folder.path(), "", &["completions", shell]).success());
        assert!(script.contains("regress") && script.contains("playouts"), "{shell}");
    }
    let page = stdout(&tengen(folder.path(), "", &["man"]).success());
    assert!(page.contains(".TH tengen 1") && page.contains("analyze"));
    tengen(folder.path(), "", &["man", "pages"]).success();
    for page in ["tengen.1", "tengen-match.1", "tengen-bench-playouts.1"] {
        assert!(folder.path().join("pages").join(page).exists(), "{page}");
    }
}

/// Names of the subcommands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = tempfile::tempdir().unwrap();
    let mut waiting = vec![(Vec::new(), false)];
    let mut count = 0;
    while let Some((path, is_covered)) = waiting.pop() {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let help = stdout(&tengen(folder.path(), "", &arguments).success());
        let has_example = help.contains("Example");
        assert!(has_example || is_covered, "{path:?}: {help}");
        // The examples of `tengen bench` and its like are those of the commands below it.
        let covers = has_example && !path.is_empty();
        waiting.extend(listed(&help).into_iter().map(|name| ([path.clone(), vec![name]].concat(), covers)));
        count += 1;
    }
    assert!(count > 20, "{count} commands");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["config", "show"][..], &["man"], &["completions", "bash"], &["bench", "signature"]] {
        let mut child = std::process::Command::new(PROGRAM)
            .args(arguments)
            .env("TENGEN_CONFIG", "")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {} {errors}", output.status);
    }
}

#[test]
fn wrong_options_have_their_own_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["fly"][..], &["gtp", "--threads", "0"], &["bench"], &["match"], &[]] {
        tengen(folder.path(), "", arguments).code(2);
    }
}
