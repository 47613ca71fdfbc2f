//! A GTP line, cleaned and taken apart, and the typed reading of its words.

use std::str::FromStr;

use super::reply::{Failure, failure};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};

/// Some libraries put it before all text that they write.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Cleans a line as GTP 2 (section 2.5) asks: control characters are dropped,
/// a tab is a blank, what follows `#` is a comment. A byte order mark, with
/// which some clients begin, is dropped too.
#[must_use]
pub fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let code = text.split_once('#').map_or(&*text, |(code, _)| code);
    code.chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|&c| !c.is_control() && c != BYTE_ORDER_MARK)
        .collect::<String>()
        .trim()
        .to_string()
}

/// Whether the line is GoGui's `# interrupt`.
#[must_use]
pub fn is_interrupt(bytes: &[u8]) -> bool {
    let words = bytes.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    words.eq([&b"#"[..], b"interrupt"])
}

/// A command with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The number that the reply repeats, as it was written.
    pub id: String,
    /// The command's name.
    pub name: String,
    /// The arguments.
    pub words: Vec<String>,
}

impl Request {
    /// Reads a cleaned line; `None` for an empty one.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace().map(String::from);
        let first = words.next()?;
        let (id, name) = if first.bytes().all(|byte| byte.is_ascii_digit()) {
            (first, words.next().unwrap_or_default())
        } else {
            (String::new(), first)
        };
        Some(Request { id, name, words: words.collect() })
    }

    /// The argument at `index`.
    #[must_use]
    pub fn word(&self, index: usize) -> Option<&str> {
        self.words.get(index).map(String::as_str)
    }

    /// All arguments, as text.
    #[must_use]
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// The argument at `index` as a value of some type; `what` names it in the
    /// failure.
    ///
    /// # Errors
    /// The argument is missing or is no such value.
    pub fn value<T: FromStr>(&self, index: usize, what: &str) -> Result<T, Failure> {
        let word = self.word(index).ok_or_else(|| failure(format!("missing {what}")))?;
        word.parse().map_err(|_| failure(format!("invalid {what}")))
    }

    /// The argument at `index` as a colour.
    ///
    /// # Errors
    /// The argument is missing or is no colour.
    pub fn color(&self, index: usize) -> Result<Color, Failure> {
        self.word(index).and_then(parse_color).ok_or_else(|| failure("invalid color"))
    }

    /// The argument at `index` as a point or pass on a board of `size`.
    ///
    /// # Errors
    /// The argument is missing, is no vertex, or lies outside the board.
    pub fn vertex(&self, index: usize, size: Size) -> Result<Move, Failure> {
        parse_vertex(self.word(index).unwrap_or_default(), size)
    }

    /// The argument at `index` as a point on a board of `size`.
    ///
    /// # Errors
    /// The argument is missing, is no point, or lies outside the board.
    pub fn point(&self, index: usize, size: Size) -> Result<Coord, Failure> {
        self.vertex(index, size)?.coord().ok_or_else(|| failure("invalid vertex"))
    }

    /// The argument at `index` as a number, which must be finite.
    ///
    /// # Errors
    /// The argument is missing or is no finite number.
    pub fn number(&self, index: usize, what: &str) -> Result<f64, Failure> {
        let number: f64 = self.value(index, what)?;
        if number.is_finite() { Ok(number) } else { Err(failure(format!("invalid {what}"))) }
    }
}

/// Reads `b`, `black`, `w` or `white` in any case.
#[must_use]
pub fn parse_color(word: &str) -> Option<Color> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

/// Reads a vertex on a board of `size`.
///
/// # Errors
/// The word is no vertex, or lies outside the board.
pub fn parse_vertex(word: &str, size: Size) -> Result<Move, Failure> {
    match word.parse() {
        Ok(Move::Play(coord)) if !size.contains(coord) => Err(failure("invalid vertex")),
        Ok(mv) => Ok(mv),
        Err(_) => Err(failure("invalid vertex")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_10_tabs_and_control_characters() {
        let request = Request::parse(&clean(b"\t7\tproto\x07col_version\r\n")).unwrap();
        assert_eq!((request.id.as_str(), request.name.as_str()), ("7", "protocol_version"));
    }

    #[test]
    fn report_1_empty_and_comment_lines() {
        for line in [&b"\n"[..], b"   \r\n", b"# only a comment\n", b"  # more\n", b"\x01\n"] {
            assert_eq!(Request::parse(&clean(line)), None);
        }
        assert_eq!(clean(b"name # which\n"), "name");
        assert_eq!(clean(b"\xef\xbb\xbfname\r\n"), "name");
    }

    #[test]
    fn interrupts_are_seen_before_comments_go() {
        assert!(is_interrupt(b"# interrupt\r\n"));
        assert!(!is_interrupt(b"# interrupted\n"));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert!(Request::parse(&clean(b"\xff\xfe\xc3(\n")).is_some());
    }
}
