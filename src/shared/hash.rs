//! Zobrist keys (Zobrist 1970, "A New Hashing Method with Application for
//! Game Playing"), for both games: every feature of a position has a random
//! 64-bit number, and the key of a position is the XOR of its features'.

/// The key of a position, or of a part of one.
pub type Key = u64;

/// SplitMix64's output function (Steele, Lea and Flood 2014): a bijection
/// that scatters its input over all 64 bits.
#[must_use]
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The number of feature `index` in `domain`. A domain is one kind of feature
/// of one game (Black stones, en passant files), so that tables never share
/// numbers. Usable at compile time.
#[must_use]
pub const fn feature(domain: u64, index: u64) -> Key {
    mix(mix(domain.wrapping_mul(0x0100_0000_01b3)) ^ index.wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// `N` features of one domain, as a compile-time table.
#[must_use]
pub const fn features<const N: usize>(domain: u64) -> [Key; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = feature(domain, i as u64);
        i += 1;
    }
    table
}

/// One number for a whole set of tables: it changes when any of them does.
/// What is kept in files under these keys carries it.
#[must_use]
pub fn fingerprint(tables: &[&[Key]]) -> u64 {
    tables
        .iter()
        .flat_map(|table| table.iter())
        .fold(mix(tables.len() as u64), |acc, &key| mix(acc ^ key).wrapping_add(acc.rotate_left(17)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn features_are_distinct() {
        let all: HashSet<Key> = (0..8).flat_map(|d| (0..1000).map(move |i| feature(d, i))).collect();
        assert_eq!(all.len(), 8000);
        let pairs: HashSet<Key> =
            (0..500).flat_map(|i| (0..i).map(move |j| feature(1, i) ^ feature(1, j))).collect();
        assert_eq!(pairs.len(), 500 * 499 / 2);
    }

    #[test]
    fn fingerprint_sees_every_word() {
        let mut table: [Key; 16] = features(3);
        let before = fingerprint(&[&table]);
        table[9] ^= 1;
        assert_ne!(before, fingerprint(&[&table]));
    }
}
