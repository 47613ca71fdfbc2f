//! Reading: text to tree, without recursion, past whatever is damaged.

use super::decode::decode;
use super::error::{Place, SgfError, SgfErrorKind, Warning, WarningKind};
use super::tree::{Collection, NodeId, Span};

/// Warnings kept of one file.
const MAX_WARNINGS: usize = 100;

impl Collection {
    /// Reads the games in `bytes`. Only a file without any game is an error;
    /// `name` stands for it in messages.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Collection, SgfError> {
        let fail = |kind| SgfError { name: name.to_owned(), place: Place { line: 1, column: 1 }, kind };
        if bytes.len() >= u32::MAX as usize / 4 {
            return Err(fail(SgfErrorKind::TooLarge));
        }
        let decoded = decode(bytes);
        let text = decoded.text.into_owned();
        let mut collection = Collection::over(name, text.clone(), decoded.encoding.name());
        let mut parser = Parser { text: &text, pos: 0, into: &mut collection, warnings: Vec::new() };
        if decoded.damaged {
            let at = text.find(char::REPLACEMENT_CHARACTER).unwrap_or(0);
            parser.warn(at, WarningKind::Encoding);
        }
        parser.collection();
        let warnings = std::mem::take(&mut parser.warnings);
        collection.warnings = places(&text, &warnings);
        if collection.roots().is_empty() { Err(fail(SgfErrorKind::NoGame)) } else { Ok(collection) }
    }
}

/// Number of oddities that a parser meets in `text`: the better the guess of
/// its encoding, the fewer.
pub(super) fn count_oddities(text: &str) -> usize {
    let mut collection = Collection::over("", String::new(), "");
    let mut parser = Parser { text, pos: 0, into: &mut collection, warnings: Vec::new() };
    parser.collection();
    parser.warnings.len()
}

fn places(text: &str, warnings: &[(usize, WarningKind)]) -> Vec<Warning> {
    warnings.iter().map(|&(at, kind)| Warning { place: Place::of(text, at), kind }).collect()
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    into: &'a mut Collection,
    warnings: Vec<(usize, WarningKind)>,
}

impl Parser<'_> {
    fn warn(&mut self, at: usize, kind: WarningKind) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push((at, kind));
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// The next byte that is no white space, from `at`, and its offset.
    fn next_solid(&self, at: usize) -> Option<(usize, u8)> {
        let rest = &self.text.as_bytes()[at.min(self.text.len())..];
        let skip = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        Some((at + skip, rest[skip]))
    }

    fn collection(&mut self) {
        while let Some(start) = self.find_game() {
            self.pos = start;
            self.game();
        }
    }

    /// Where the next `(` with a `;` behind it stands.
    fn find_game(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut from = self.pos;
        loop {
            let open = from + bytes.get(from..)?.iter().position(|&b| b == b'(')?;
            match self.next_solid(open + 1) {
                Some((_, b';')) => return Some(open),
                Some((next, _)) => from = next,
                None => return None,
            }
        }
    }

    /// Reads one game, from its parenthesis to the one that closes it.
    fn game(&mut self) {
        let mut branches: Vec<Option<NodeId>> = Vec::new();
        let mut node = None;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => branches.push(node),
                b')' => {
                    node = branches.pop().flatten();
                    if branches.is_empty() {
                        self.pos += 1;
                        return;
                    }
                }
                b';' => node = Some(self.into.read_node(node, self.pos)),
                b'A'..=b'Z' | b'a'..=b'z' => {
                    self.property(&mut node);
                    continue;
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => {
                    self.skip_junk();
                    continue;
                }
            }
            self.pos += 1;
        }
        self.warn(self.text.len(), WarningKind::Truncated);
    }

    /// Goes past characters that begin nothing.
    fn skip_junk(&mut self) {
        self.warn(self.pos, WarningKind::Junk);
        let begins = |&b: &u8| matches!(b, b'(' | b')' | b';') || b.is_ascii_alphabetic();
        let rest = &self.text.as_bytes()[self.pos..];
        self.pos += rest.iter().position(begins).unwrap_or(rest.len());
    }

    /// Reads a name and its values. White space may stand inside a name that
    /// was broken over lines only before the bracket.
    fn property(&mut self, node: &mut Option<NodeId>) {
        let start = self.pos;
        let in_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let length = self.text.as_bytes()[start..].iter().take_while(|b| in_name(b)).count();
        self.pos = start + length;
        if !matches!(self.next_solid(self.pos), Some((_, b'['))) {
            self.warn(start, WarningKind::NoValue);
            return;
        }
        let owner = *node.get_or_insert_with(|| {
            self.warnings.push((start, WarningKind::NoNode));
            self.into.read_node(None, start)
        });
        let name = self.name(start, self.pos);
        let property = self.into.push_property(owner, name);
        while let Some((open, b'[')) = self.next_solid(self.pos) {
            self.pos = open + 1;
            let raw = self.value();
            self.into.push_value(property, raw);
        }
    }

    /// The name between two offsets in the form of FF\[4\]: its capitals, or
    /// all of it in capitals if it has none.
    fn name(&mut self, start: usize, end: usize) -> Span {
        let name = &self.text[start..end];
        if !name.bytes().any(|b| b.is_ascii_lowercase()) {
            return Span::new(start, end);
        }
        let capitals: String = name.chars().filter(|c| !c.is_ascii_lowercase()).collect();
        let has_capital = capitals.bytes().any(|b| b.is_ascii_uppercase());
        let canonical = if has_capital { capitals } else { name.to_ascii_uppercase() };
        self.into.append(&canonical)
    }

    /// Reads up to the bracket that closes a value. A bracket that cannot be
    /// the end is taken for an unescaped one inside the value.
    fn value(&mut self) -> Span {
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let mut unescaped = Vec::new();
        while self.pos < bytes.len() {
            match bytes[self.pos] {
                b'\\' => self.pos += 1,
                b']' if self.ends_value(self.pos + 1) => {
                    let end = self.pos;
                    self.pos += 1;
                    return self.finish_value(start, end, &unescaped);
                }
                b']' => {
                    self.warn(self.pos, WarningKind::UnescapedBracket);
                    unescaped.push(self.pos);
                }
                _ => {}
            }
            self.pos += 1;
        }
        self.pos = bytes.len();
        self.finish_value(start, self.pos, &unescaped)
    }

    /// Whether a record can go on at `at` as after a closed value. What stands
    /// there must be another value, a node, a variation, a property, or the
    /// end; or junk with an opening bracket before the next closing one.
    fn ends_value(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let Some((next, byte)) = self.next_solid(at) else { return true };
        if matches!(byte, b'[' | b';' | b'(' | b')') {
            return true;
        }
        bytes[next..].iter().find(|&&b| matches!(b, b'[' | b']')) != Some(&b']')
    }

    /// The raw value between two offsets, with a backslash put before each of
    /// the brackets at `unescaped`, and none left over at its end.
    fn finish_value(&mut self, start: usize, end: usize, unescaped: &[usize]) -> Span {
        let raw = &self.text[start..end];
        let dangling = raw.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1;
        if unescaped.is_empty() && !dangling {
            return Span::new(start, end);
        }
        let mut mended = String::with_capacity(raw.len() + unescaped.len());
        let mut from = start;
        for &at in unescaped {
            mended.push_str(&self.text[from..at]);
            mended.push('\\');
            from = at;
        }
        mended.push_str(&self.text[from..end]);
        if dangling {
            mended.pop();
        }
        self.into.append(&mended)
    }
}
