//! Sessions as clients hold them.
