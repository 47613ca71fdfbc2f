//! Tengen: a Go engine with Monte Carlo tree search, and a chess engine that
//! shares its hashing, tables, clock and learning store.
//!
//! # Where to start reading
//!
//! The modules are layers; each may use only those listed before it, and
//! `tests/layers.rs` holds them to that.
//!
//! | layer | what is in it |
//! | --- | --- |
//! | [`shared`] | random numbers, hash keys, the transposition table, clocks, search control, the learning store: no game in here |
//! | [`go`] | points, chains, the board, rules, scoring: plays nothing by itself |
//! | [`playout`] | random games to the end, light and heavy |
//! | [`net`] | a small network: features, int8 inference, its file |
//! | [`uct`] | the Monte Carlo tree search |
//! | [`chess`] | positions, move generation, evaluation, alpha-beta search |
//! | [`formats`] | SGF, PGN, EPD, test suites |
//! | [`protocol`] | GTP, UCI and xboard: text in, text out |
//! | [`app`] | one file for each subcommand |
//!
//! One request flows in one direction: text, request, engine, search, report,
//! reply, text. A search never prints.

pub mod app;
pub mod chess;
pub mod formats;
pub mod go;
pub mod net;
pub mod playout;
pub mod protocol;
pub mod shared;
pub mod uct;
