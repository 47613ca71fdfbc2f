//! A small network of our own: features, inference, weights.
