//! Moves: played, taken back, asked for.

use super::gogui::LIVE_INTERVAL;
use super::reply::{Failure, Reply, done, failure, text};
use super::setup::pairs;
use super::{Request, Session};
use crate::go::color::Color;
use crate::protocol::line::Yield;
use crate::uct::engine::{Decision, Manner, Observer};
use crate::uct::report::Report;

pub(super) fn play(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    let mv = request.vertex(1, session.engine.game().size())?;
    session.engine.play(color, mv).map_err(|_| failure("illegal move"))?;
    done()
}

/// `gogui-play_sequence B A1 W B2 ...`: all moves or none.
pub(super) fn play_sequence(session: &mut Session, request: &Request) -> Reply {
    let moves = pairs(request, session.engine.game().size())?;
    for (played, &(color, mv)) in moves.iter().enumerate() {
        if session.engine.play(color, mv).is_err() {
            for _ in 0..played {
                session.engine.undo();
            }
            return Err(failure("illegal move"));
        }
    }
    done()
}

pub(super) fn undo(session: &mut Session, _: &Request) -> Reply {
    if session.engine.undo() { done() } else { Err(failure("cannot undo")) }
}

/// `gg-undo N`: takes back N moves or none.
pub(super) fn undo_several(session: &mut Session, request: &Request) -> Reply {
    let count = if request.words.is_empty() { 1 } else { request.value(0, "number of moves")? };
    if count > session.engine.game().events().len() {
        return Err(failure("cannot undo"));
    }
    for _ in 0..count {
        session.engine.undo();
    }
    done()
}

pub(super) fn genmove(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    decide(session, color, Manner::Play)
}

pub(super) fn reg_genmove(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    let decision = think(session, color, Manner::Suggest);
    text(decision)
}

pub(super) fn genmove_cleanup(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    decide(session, color, Manner::CleanUp)
}

fn decide(session: &mut Session, color: Color, manner: Manner) -> Reply {
    let decision = think(session, color, manner);
    play_decision(session, color, decision)?;
    text(decision)
}

/// Plays what was decided.
pub(super) fn play_decision(session: &mut Session, color: Color, decision: Decision) -> Result<(), Failure> {
    session.engine.carry_out(color, decision).map_err(|_| failure("no legal move found"))
}

fn think(session: &mut Session, color: Color, manner: Manner) -> Decision {
    let inbox = session.inbox.clone();
    let Session { engine, stop, gogui, .. } = session;
    let game = gogui.is_live().then(|| engine.game().clone());
    let mut tell = |report: &Report| {
        if let Some(game) = &game {
            gogui.show(report, game);
        }
    };
    let observer = game.is_some().then_some(Observer { every: LIVE_INTERVAL, tell: &mut tell });
    let decision =
        inbox.watch(stop, Yield::ToInterrupts, || engine.decide(color, manner, &[], stop, observer));
    gogui.clear();
    decision
}
