//! What knowledge depends on besides the position.

use crate::shared::hash::mix;

/// What the fields of a record mean. Records of another version are never used.
const VERSION: u32 = 2;

/// The terms under which records were made. Records are found only under
/// exactly the same terms, so changed Zobrist tables or rules cannot poison
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schema {
    text: String,
}

impl Schema {
    /// A schema of `game` on the `terms` it depends on, with the fingerprint of
    /// the tables that its keys come from.
    #[must_use]
    pub fn new(game: &str, terms: &str, fingerprint: u64) -> Self {
        Schema { text: format!("{game} {terms} keys={fingerprint:016x} v{VERSION}") }
    }

    /// The schema as the file lists it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number under which the file keeps this schema's records.
    #[must_use]
    pub fn id(&self) -> u64 {
        Self::id_of(&self.text)
    }

    /// The number of the schema that the file lists as `text`.
    #[must_use]
    pub fn id_of(text: &str) -> u64 {
        text.bytes().fold(mix(text.len() as u64), |acc, byte| mix(acc ^ u64::from(byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_counts() {
        let base = Schema::new("go", "9x9 komi=7.5", 1);
        for other in [
            Schema::new("chess", "9x9 komi=7.5", 1),
            Schema::new("go", "9x9 komi=6.5", 1),
            Schema::new("go", "9x9 komi=7.5", 2),
        ] {
            assert_ne!(base.id(), other.id());
        }
        assert_eq!(base.id(), Schema::id_of(base.text()));
    }
}
