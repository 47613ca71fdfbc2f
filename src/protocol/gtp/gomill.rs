//! Commands of gomill's ringmaster.

use super::reply::{Reply, text};
use super::{Request, Session, kgs};

pub(super) fn describe_engine(session: &mut Session, _: &Request) -> Reply {
    let settings = session.engine.settings();
    text(format!(
        "Tengen {}\nMonte Carlo tree search, threads: {}, {} MiB, rules {}",
        env!("CARGO_PKG_VERSION"),
        settings.search.threads,
        settings.search.memory_mib,
        session.engine.game().rules().name().unwrap_or("custom")
    ))
}

pub(super) fn explain_last_move(session: &mut Session, _: &Request) -> Reply {
    text(kgs::outlook(session))
}
