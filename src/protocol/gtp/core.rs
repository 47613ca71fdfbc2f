//! Administrative commands.

use super::command::{self, COMMANDS};
use super::reply::{Reply, done, failure, lines, text};
use super::{Request, Session};
use crate::shared::cpu;

pub(super) fn protocol_version(_: &mut Session, _: &Request) -> Reply {
    text("2")
}

pub(super) fn name(session: &mut Session, _: &Request) -> Reply {
    text(&*session.engine.settings().name)
}

pub(super) fn version(_: &mut Session, _: &Request) -> Reply {
    text(VERSION)
}

/// Lizzie takes an engine for new enough only if its version splits as `0.N`
/// with N of at least 15.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn known_command(_: &mut Session, request: &Request) -> Reply {
    text(command::find(&request.words[0]).is_some())
}

/// Some versions of kgsGtp fail on an engine that lists `kgs-chat`, so it is
/// listed on request only.
pub(super) fn list_commands(session: &mut Session, _: &Request) -> Reply {
    let chats = session.engine.settings().kgs_chat;
    let listed = COMMANDS.iter().map(|command| command.name).filter(|&name| chats || name != "kgs-chat");
    text(lines(listed))
}

/// Ends an analysis, as any command does.
pub(super) fn stop(_: &mut Session, _: &Request) -> Reply {
    done()
}

pub(super) fn quit(session: &mut Session, _: &Request) -> Reply {
    session.over = true;
    done()
}

pub(super) fn cpu_time(_: &mut Session, _: &Request) -> Reply {
    text(format!("{:.3}", cpu::process_time().as_secs_f64()))
}

pub(super) fn clear_cache(session: &mut Session, _: &Request) -> Reply {
    session.engine.forget();
    done()
}

/// `tengen-params` lists parameters as GoGui reads them; with a name it tells
/// the value, with a value it sets it.
pub(super) fn parameters(session: &mut Session, request: &Request) -> Reply {
    match (request.word(0), request.word(1)) {
        (Some(name), Some(value)) => {
            session.engine.set_parameter(name, value).map_err(|error| failure(error.to_string()))?;
            done()
        }
        (Some(name), None) => {
            let mut parameters = session.engine.parameters().into_iter();
            let found = parameters.find(|parameter| parameter.name == name);
            text(found.ok_or_else(|| failure(format!("unknown parameter {name}")))?.value)
        }
        _ => text(lines(session.engine.parameters().iter().map(|p| {
            let kind = if p.is_switch { "bool" } else { "string" };
            format!("[{kind}] {} {}", p.name, p.value)
        }))),
    }
}
