//! A small network of our own: features, inference, weights.
//!
//! `training/` fits it and writes a master in floating point; [`pack`] turns
//! that into a [`mod@file`] of eight-bit weights; [`network`] is such a file ready
//! for use, and [`evaluate`] runs it.

pub mod evaluate;
pub mod features;
#[cfg(test)]
mod features_twin;
pub mod file;
mod heads;
mod kernel;
pub mod network;
pub mod pack;
#[cfg(test)]
pub(crate) mod reference;

use std::sync::{Arc, LazyLock};

use self::network::Network;

pub use features::PLANES;
pub use heads::Evaluation;
pub use kernel::Kernel;

/// The bytes of the network that is part of the program.
const EMBEDDED: &[u8] = include_bytes!("default.tengen-net");

/// The network that is part of the program.
#[must_use]
pub fn embedded() -> Option<Arc<Network>> {
    static NETWORK: LazyLock<Option<Arc<Network>>> =
        LazyLock::new(|| Network::from_bytes(EMBEDDED).ok().map(Arc::new));
    NETWORK.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_is_whole_and_small() {
        let net = Network::from_bytes(EMBEDDED).expect("a network of this version");
        assert!(!net.recipe().is_empty(), "nobody knows how it was made");
        assert!(EMBEDDED.len() <= 4 << 20);
        assert_eq!(embedded().map(|net| net.fingerprint()), Some(net.fingerprint()));
    }
}
