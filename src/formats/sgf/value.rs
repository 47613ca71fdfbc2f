//! The text of property values: escapes, soft line breaks, composed values.

use std::borrow::Cow;

/// `text` as it may stand between brackets.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_any(text, &[']', '\\'])
}

/// `text` as it may stand in one half of a composed value.
pub(super) fn escape_half(text: &str) -> Cow<'_, str> {
    escape_any(text, &[']', '\\', ':'])
}

fn escape_any<'a>(text: &'a str, special: &[char]) -> Cow<'a, str> {
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if special.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

/// The text that the raw value `raw` stands for: a backslash makes the next
/// character stand for itself, or joins two lines; every line break becomes
/// a line feed.
#[must_use]
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\\', '\r']) {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        let (c, escaped) = if c == '\\' { (chars.next(), true) } else { (Some(c), false) };
        match c {
            Some(c @ ('\n' | '\r')) => {
                let other = if c == '\n' { '\r' } else { '\n' };
                chars.next_if_eq(&other);
                if !escaped {
                    text.push('\n');
                }
            }
            Some(c) => text.push(c),
            None => {}
        }
    }
    Cow::Owned(text)
}

/// The two halves of a composed value, both still raw; the colon between them
/// is the first without a backslash.
#[must_use]
pub fn split_composed(raw: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (i, c) in raw.char_indices() {
        match c {
            ':' if !escaped => return Some((&raw[..i], &raw[i + 1..])),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_follow_the_format() {
        // Reports 86 and 88: escapes were read or written wrongly.
        assert_eq!(unescape(r"\]\\\a\:"), r"]\a:");
        assert_eq!(unescape("a\\\r\nb\r\nc\n\rd\re"), "ab\nc\nd\ne");
        assert_eq!(unescape("cut\\"), "cut");
        assert_eq!(escape(r"[3d] \o/"), r"[3d\] \\o/");
    }

    #[test]
    fn composed_values_split_at_the_first_free_colon() {
        assert_eq!(split_composed(r"a\:b:c:d"), Some((r"a\:b", "c:d")));
        assert_eq!(split_composed(r"a\\:b"), Some((r"a\\", "b")));
        assert_eq!(split_composed(r"a\:b"), None);
    }
}
