//! From bytes to text: byte order marks, the CA property, detection.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EUC_KR, Encoding, GB18030, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::parse::count_oddities;

/// How far into a file the CA property is looked for, in bytes.
const CA_WITHIN: usize = 4096;

/// Text, and how it was read.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) encoding: &'static Encoding,
    /// Whether some bytes were no text and became replacement characters.
    pub(super) damaged: bool,
}

/// Reads `bytes` as text. In this order: a byte order mark; UTF-16 by its
/// zero bytes; UTF-8 if valid, whatever CA says; CA; detection.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(&bytes[mark..], encoding);
    }
    if let Some(encoding) = utf_16_without_mark(bytes) {
        return decode_as(bytes, encoding);
    }
    let declared = declared(bytes);
    let is_stateful = declared.is_some_and(|encoding| !encoding.is_ascii_compatible());
    if !is_stateful && std::str::from_utf8(bytes).is_ok() {
        return decode_as(bytes, UTF_8);
    }
    match declared.filter(|&encoding| encoding != UTF_8).map(|encoding| decode_as(bytes, encoding)) {
        Some(decoded) if !decoded.damaged => decoded,
        _ => detect(bytes),
    }
}

fn decode_as<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding, damaged }
}

fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(64)];
    if head.windows(4).any(|w| w == b"(\0;\0") {
        Some(UTF_16LE)
    } else if head.windows(4).any(|w| w == b"\0(\0;") {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The encoding that the first CA property names.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(CA_WITHIN)];
    let at = head.windows(3).position(|w| w == b"CA[")? + 3;
    let end = head[at..].iter().position(|&b| b == b']')? + at;
    Encoding::for_label(&head[at..end])
}

/// The likeliest encoding: first the detector's guess, then those of the
/// countries where Go is played. The fewest damaged and odd places win, the
/// earlier on equal terms.
fn detect(bytes: &[u8]) -> Decoded<'_> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Allow);
    let first = decode_as(bytes, guess);
    let mut best_faults = faults(&first);
    let mut best = first;
    for encoding in [UTF_8, GB18030, SHIFT_JIS, EUC_KR, BIG5, WINDOWS_1252] {
        if best_faults == 0 {
            break;
        }
        let decoded = decode_as(bytes, encoding);
        let faults = faults(&decoded);
        if faults < best_faults {
            (best, best_faults) = (decoded, faults);
        }
    }
    best
}

fn faults(decoded: &Decoded<'_>) -> usize {
    let replaced = if decoded.damaged {
        decoded.text.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count()
    } else {
        0
    };
    replaced + count_oddities(&decoded.text)
}
