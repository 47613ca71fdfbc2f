//! Holds the modules to the order of layers that `src/lib.rs` lists: a file
//! may name only its own layer and those before it.

use std::fs;
use std::path::{Path, PathBuf};

/// Lowest first.
const LAYERS: [&str; 9] = ["shared", "go", "playout", "net", "uct", "chess", "formats", "protocol", "app"];
/// Layers that stay strangers, although one stands before the other.
const STRANGERS: [(&str, &str); 4] =
    [("chess", "go"), ("chess", "playout"), ("chess", "net"), ("chess", "uct")];

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|&name| name == layer)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source folder is readable") {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The source without its comments.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The first names after each `crate::`, those in braces too.
fn crate_imports(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.trim_start().strip_prefix('{') {
            Some(group) => names.extend(top_level_names(group)),
            None => names.push(identifier(rest)),
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Names at the outermost level of a brace group whose opening brace is gone.
fn top_level_names(group: &str) -> Vec<String> {
    let mut names = vec![identifier(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(identifier(&group[at + 1..])),
            _ => {}
        }
    }
    names
}

/// How many levels the longest run of `super::` climbs.
fn longest_climb(code: &str) -> usize {
    let mut longest = 0;
    let mut rest = code;
    while let Some(at) = rest.find("super::") {
        let mut run = 0;
        rest = &rest[at..];
        while let Some(next) = rest.strip_prefix("super::") {
            rest = next;
            run += 1;
        }
        longest = longest.max(run);
    }
    longest
}

/// What is wrong with one file, in words.
fn faults(relative: &Path, text: &str) -> Vec<String> {
    let parts: Vec<&str> = relative.iter().filter_map(|part| part.to_str()).collect();
    let own = parts[0].trim_end_matches(".rs");
    let Some(own_rank) = rank(own) else { return Vec::new() };
    let code = code(text);
    let mut found: Vec<String> = crate_imports(&code)
        .into_iter()
        .filter(|name| {
            let too_high = rank(name).is_some_and(|other| other > own_rank);
            too_high || STRANGERS.contains(&(own, name.as_str()))
        })
        .map(|name| format!("{}: {own} may not use {name}", relative.display()))
        .collect();
    let nested = code.matches("mod tests").count().min(1);
    if longest_climb(&code) > parts.len() - 1 + nested {
        found.push(format!("{}: `super::` climbs out of its layer", relative.display()));
    }
    found
}

#[test]
fn no_layer_uses_a_higher_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 10, "the sources were found");
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("a source file is readable");
            faults(path.strip_prefix(&root).expect("below the source folder"), &text)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_check_sees_what_it_should() {
    let wrong = |path: &str, text: &str| faults(Path::new(path), text).len();
    assert_eq!(wrong("go/board.rs", "use crate::uct::node::Node;"), 1);
    assert_eq!(wrong("go/board.rs", "use crate::{shared::hash::{Key, mix}, app, chess::fen};"), 2);
    assert_eq!(wrong("chess/search.rs", "use crate::go::color::Color;"), 1);
    assert_eq!(wrong("go/board.rs", "use crate::shared::hash::Key; // crate::uct\nuse super::coord;"), 0);
    assert_eq!(wrong("go/board.rs", "use super::super::uct;"), 1);
    assert_eq!(wrong("app/bench.rs", "use crate::chess; use crate::go;"), 0);
}
