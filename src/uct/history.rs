//! Positions that must not come back.

use crate::shared::hash::Key;

const FILTER_BITS: usize = 4096;

/// The positions of a game so far, by the keys of their stones.
pub struct History {
    sorted: Vec<Key>,
    /// A filter that lets most keys that are not in the game pass at once.
    filter: [u64; FILTER_BITS / 64],
}

impl History {
    /// The positions with these keys.
    pub fn new(keys: impl IntoIterator<Item = Key>) -> Self {
        let mut sorted: Vec<Key> = keys.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut filter = [0; FILTER_BITS / 64];
        for &key in &sorted {
            let bit = key as usize % FILTER_BITS;
            filter[bit / 64] |= 1 << (bit % 64);
        }
        History { sorted, filter }
    }

    /// Whether the stones `key` were on the board before.
    #[inline]
    pub fn contains(&self, key: Key) -> bool {
        let bit = key as usize % FILTER_BITS;
        self.filter[bit / 64] >> (bit % 64) & 1 != 0 && self.sorted.binary_search(&key).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::hash::mix;

    #[test]
    fn finds_exactly_what_was_played() {
        let history = History::new((0..300).map(mix));
        assert!((0..300).all(|i| history.contains(mix(i))));
        assert!((300..9000).all(|i| !history.contains(mix(i))));
    }
}
