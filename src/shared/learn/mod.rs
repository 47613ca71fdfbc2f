//! The learning store: positions met once are kept for later games.
