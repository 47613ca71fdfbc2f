//! The commands of xboard, one row each.

use std::io;
use std::str::SplitAsciiWhitespace;

use super::{Activity, Session, text};
use crate::chess::engine::MAX_THREADS;

pub(super) type Words<'a> = SplitAsciiWhitespace<'a>;
pub(super) type Handler = fn(&mut Session, Words) -> io::Result<()>;
type Table = &'static [(&'static str, Handler)];

/// What the client may say, apart from `quit` and bare moves.
const TABLES: [Table; 4] = [
    &[
        ("new", Session::new_game),
        ("variant", Session::variant),
        ("force", |session, _| session.leave_game()),
        ("result", |session, words| session.game_over(words)),
        ("go", Session::go),
        ("playother", Session::play_other),
        ("usermove", |session, mut words| session.user_move(words.next().unwrap_or_default())),
        ("setboard", |session, words| session.set_board(words)),
        ("undo", |session, _| session.take_back(1)),
        ("remove", |session, _| session.take_back(2)),
        ("draw", |session, _| session.draw_offered()),
    ],
    &[
        ("?", Session::move_now),
        ("ping", Session::ping),
        (".", Session::tell_status),
        ("hint", Session::hint),
        ("analyze", |session, _| {
            session.plays = None;
            session.analyze()
        }),
        ("exit", |session, _| session.leave_game()),
        ("exclude", |session, mut words| session.exclude(words.next().unwrap_or_default(), true)),
        ("include", |session, mut words| session.exclude(words.next().unwrap_or_default(), false)),
    ],
    &[
        ("protover", |session, _| session.writer.line(text::FEATURES)),
        ("level", |session, words| match session.pace.level(words) {
            Some(()) => Ok(()),
            None => session.writer.line("Error (malformed): level"),
        }),
        ("st", |session, words| {
            session.pace.exactly(words);
            Ok(())
        }),
        ("sd", |session, words| {
            session.pace.depth(words);
            Ok(())
        }),
        ("nps", |session, words| {
            session.pace.rate(words);
            Ok(())
        }),
        ("time", |session, words| {
            session.pace.time_left(words);
            Ok(())
        }),
        ("hard", |session, _| {
            session.ponders = true;
            Ok(())
        }),
        ("post", |session, _| {
            session.posts = true;
            Ok(())
        }),
        ("nopost", |session, _| {
            session.posts = false;
            Ok(())
        }),
        ("easy", Session::easy),
        ("memory", Session::set_memory),
        ("cores", Session::set_cores),
        ("option", Session::set_option),
    ],
    &[
        ("xboard", ignore),
        ("accepted", ignore),
        ("rejected", ignore),
        ("random", ignore),
        ("computer", ignore),
        ("name", ignore),
        ("rating", ignore),
        ("ics", ignore),
        ("bk", ignore),
        ("otim", ignore),
    ],
];

/// The handler of a command.
pub(super) fn find(name: &str) -> Option<Handler> {
    TABLES.iter().copied().flatten().find(|(known, _)| *known == name).map(|&(_, handler)| handler)
}

fn ignore(_: &mut Session, _: Words) -> io::Result<()> {
    Ok(())
}

impl Session {
    fn move_now(&mut self, _: Words) -> io::Result<()> {
        if self.activity == Activity::Thinking {
            self.engine.stop();
        }
        Ok(())
    }

    fn tell_status(&mut self, _: Words) -> io::Result<()> {
        if self.activity == Activity::Idle {
            return Ok(());
        }
        self.writer.line(&text::status(self.engine.status(), self.chess960))
    }

    fn hint(&mut self, _: Words) -> io::Result<()> {
        match self.activity {
            Activity::Pondering(expected) => {
                self.writer.line(&format!("Hint: {}", text::move_text(expected, self.chess960)))
            }
            _ => Ok(()),
        }
    }

    fn easy(&mut self, _: Words) -> io::Result<()> {
        self.ponders = false;
        if matches!(self.activity, Activity::Pondering(_)) { self.halt() } else { Ok(()) }
    }

    fn set_memory(&mut self, mut words: Words) -> io::Result<()> {
        self.halt()?;
        if let Some(mib) = words.next().and_then(|word| word.parse().ok()) {
            self.engine.set_hash(mib);
        }
        Ok(())
    }

    fn set_cores(&mut self, mut words: Words) -> io::Result<()> {
        self.halt()?;
        if let Some(threads) = words.next().and_then(|word| word.parse::<usize>().ok()) {
            self.engine.set_threads(threads.min(MAX_THREADS));
        }
        Ok(())
    }

    fn set_option(&mut self, words: Words) -> io::Result<()> {
        if words.collect::<Vec<_>>().join(" ") == "Clear Hash" {
            self.halt()?;
            self.engine.forget();
        }
        Ok(())
    }
}
