//! Regression suites as GNU Go and GoGui keep them: GTP commands, each perhaps
//! followed by the answer that is expected.
//!
//! ```text
//! loadsgf games/a.sgf 41
//! 120 reg_genmove white     # a comment
//! #? [D4|E5]
//! 130 final_score
//! #? [!W\+.*]*
//! ```
//!
//! The expectation is a regular expression for the whole first line of the
//! answer, of either case; `!` before it negates, `*` behind it marks a known
//! failure, `&` a test that is not to count.

use regex::{Regex, RegexBuilder};

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its commands, in order.
    pub items: Vec<Item>,
    /// Lines, from 1, that begin like an expectation and are none, or that no
    /// command is before.
    pub unread: Vec<usize>,
}

/// A command of a suite.
#[derive(Clone, Debug)]
pub struct Item {
    /// Line of the file, from 1.
    pub line: usize,
    /// The number before the command, if there is one.
    pub id: Option<String>,
    /// The command with its arguments.
    pub command: String,
    /// What the answer should be, if this is a test.
    pub expected: Option<Expectation>,
}

/// An expected answer.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The text between the brackets.
    pub pattern: String,
    regex: Option<Regex>,
    is_negated: bool,
    /// The test is known to fail.
    pub is_known_failure: bool,
    /// The test does not count.
    pub is_ignored: bool,
}

impl Suite {
    /// Reads a suite. No text is wrong: what is no command and no expectation
    /// is a comment, but what looks like an expectation is noted.
    #[must_use]
    pub fn parse(text: &str) -> Suite {
        let mut items: Vec<Item> = Vec::new();
        // The command that the next expectation belongs to.
        let mut tested: Option<usize> = None;
        let mut unread = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end();
            if let Some(rest) = line.strip_prefix("#?") {
                match (Expectation::parse(rest), tested) {
                    (Some(expected), Some(index)) => {
                        items[index].expected = Some(expected);
                        tested = None;
                    }
                    _ => unread.push(number + 1),
                }
                continue;
            }
            let Some(item) = Item::parse(line, number + 1) else { continue };
            if !item.is_load() {
                tested = Some(items.len());
            }
            items.push(item);
        }
        Suite { items, unread }
    }
}

impl Item {
    fn parse(line: &str, number: usize) -> Option<Item> {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (id, command) = match line.split_once(char::is_whitespace) {
            Some((id, command)) if !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()) => {
                (Some(id.to_owned()), command.trim())
            }
            _ => (None, line),
        };
        let command = command.to_owned();
        (!command.is_empty()).then_some(Item { line: number, id, command, expected: None })
    }

    /// The name of the command.
    #[must_use]
    pub fn name(&self) -> &str {
        self.command.split_whitespace().next().unwrap_or_default()
    }

    /// Whether this loads a game record.
    #[must_use]
    pub fn is_load(&self) -> bool {
        self.name() == "loadsgf"
    }
}

impl Expectation {
    /// Reads ` [pattern]*`.
    fn parse(text: &str) -> Option<Expectation> {
        let text = text.trim();
        let close = text.rfind(']')?;
        let inner = text.get(..close)?.strip_prefix('[')?;
        let flags = &text[close + 1..];
        if !flags.trim().chars().all(|c| matches!(c, '*' | '&')) {
            return None;
        }
        let (is_negated, pattern) = match inner.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, inner),
        };
        let whole = format!("^(?:{pattern})$");
        Some(Expectation {
            pattern: inner.to_owned(),
            regex: RegexBuilder::new(&whole).case_insensitive(true).build().ok(),
            is_negated,
            is_known_failure: flags.contains('*'),
            is_ignored: flags.contains('&'),
        })
    }

    /// Whether `answer` is as expected. Only its first line is looked at. A
    /// pattern that is no regular expression is compared as text.
    #[must_use]
    pub fn accepts(&self, answer: &str) -> bool {
        let first = answer.lines().next().unwrap_or_default();
        let matches = match &self.regex {
            Some(regex) => regex.is_match(first),
            None => first == self.pattern.trim_start_matches('!'),
        };
        matches != self.is_negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a suite\nloadsgf a.sgf 3\n10 reg_genmove b # the ko\n#? [D4|E5]\n\n\
        play b D4\n20 final_score\n#? [!W\\+.*]*\n30 name\n#? [a]&\nquit\n#? no brackets\n";

    #[test]
    fn a_suite_is_read() {
        let Suite { items, unread } = Suite::parse(TEXT);
        assert_eq!(unread, [12]);
        let commands: Vec<&str> = items.iter().map(|item| item.command.as_str()).collect();
        assert_eq!(
            commands,
            ["loadsgf a.sgf 3", "reg_genmove b", "play b D4", "final_score", "name", "quit"]
        );
        assert_eq!(items[1].id.as_deref(), Some("10"));
        assert_eq!(items[1].line, 3);
        assert!(items[0].is_load() && items[0].expected.is_none());
        let expected = |i: usize| items[i].expected.clone().unwrap();
        assert!(expected(3).is_known_failure && expected(4).is_ignored);
        assert!(items[5].expected.is_none());
    }

    #[test]
    fn the_whole_answer_must_match() {
        let accepts = |text: &str, answer| Expectation::parse(text).unwrap().accepts(answer);
        assert!(accepts("[D4|E5]", "e5"));
        assert!(!accepts("[D4|E5]", "E55"));
        assert!(accepts("[!D4|E5]", "C3"));
        assert!(!accepts("[!D4]", "d4"));
        assert!(accepts("[]", ""));
        assert!(accepts(r"[\? unknown command]", "? unknown command"));
        assert!(accepts("[[A-HJ][1-9]|pass]", "PASS"));
        assert!(accepts("[0]", "0\nmore"));
        assert!(accepts("[*]", "*"), "no regular expression: compared as text");
    }
}
