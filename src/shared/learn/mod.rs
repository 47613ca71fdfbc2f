//! The learning store: positions met once are kept for later games.
//!
//! A [`Store`] is one redb file that several processes share: each opens it
//! for the time of a batch and closes it again. A [`Memory`] is what a running
//! engine sees of it: the records of one [`Schema`] in its own memory, so that
//! a look costs less than a microsecond and waits for nobody, and a thread
//! that writes new ones in the background.
//!
//! A record counts as kept once [`Store::merge`] has returned: a crash at any
//! moment loses at most the batch under way, and never tears a record.

mod memory;
mod record;
mod schema;
mod store;
#[cfg(test)]
mod tests;

pub use memory::Memory;
pub use record::{Bound, Record};
pub use schema::Schema;
pub use store::{DEFAULT_MAX_RECORDS, Store, StoreError, Summary, Verdict, default_path};
