//! Scores and the status of stones.

use super::reply::{Reply, failure, joined, lines, text};
use super::{Request, Session};
use crate::go::benson::Unconditional;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::Coord;
use crate::go::geometry::G25;
use crate::protocol::line::Yield;
use crate::uct::status::{Fate, Status};

/// `B+3.5`, `W+2`, or `0`.
pub(super) fn result_text(points: f64) -> String {
    if points > 0.0 {
        format!("B+{points}")
    } else if points < 0.0 {
        format!("W+{}", -points)
    } else {
        "0".into()
    }
}

fn status(session: &mut Session) -> Status {
    let (inbox, stop) = (session.inbox.clone(), session.stop.clone());
    inbox.watch(&stop, Yield::ToInterruptsOnly, || session.engine.status(&stop))
}

pub(super) fn final_score(session: &mut Session, _: &Request) -> Reply {
    let score = status(session).score(session.engine.game());
    session.engine.agree(score);
    text(result_text(score))
}

/// The expected score, with how sure it is.
pub(super) fn estimate_score(session: &mut Session, _: &Request) -> Reply {
    let status = status(session);
    let score = status.score(session.engine.game());
    let spread = status.uncertainty();
    text(format!("{} (upper bound: {:.1}, lower: {:.1})", result_text(score), score + spread, score - spread))
}

pub(super) fn final_status(session: &mut Session, request: &Request) -> Reply {
    let coord = request.point(0, session.engine.game().size())?;
    let status = status(session);
    text(match (status.fate(coord), status.owner(coord)) {
        (Some(fate), _) => fate.name(),
        (None, Some(Color::Black)) => "black_territory",
        (None, Some(Color::White)) => "white_territory",
        (None, None) => "dame",
    })
}

/// Chains of one status, each on its line.
pub(super) fn final_status_list(session: &mut Session, request: &Request) -> Reply {
    let wanted = request.words[0].to_ascii_lowercase();
    let status = status(session);
    let game = session.engine.game();
    let territory = |owner: Option<Color>| {
        joined(game.size().coords().filter(|&c| status.fate(c).is_none() && status.owner(c) == owner))
    };
    match wanted.as_str() {
        "alive" | "dead" | "seki" => {
            let fate = Fate::by_name(&wanted);
            let chains = chains(game.board());
            let listed = chains.into_iter().filter(|chain| status.fate(chain[0]) == fate);
            text(lines(listed.map(joined)))
        }
        "black_territory" => text(territory(Some(Color::Black))),
        "white_territory" => text(territory(Some(Color::White))),
        "dame" => text(territory(None)),
        _ => Err(failure("invalid status")),
    }
}

/// What is decided of a point whatever is played, in GNU Go's words.
pub(super) fn unconditional_status(session: &mut Session, request: &Request) -> Reply {
    let game = session.engine.game();
    let coord = request.point(0, game.size())?;
    let found = Unconditional::of(game.board());
    let owner = found.owner(game.board().point(coord));
    text(match (owner, game.color_at(coord)) {
        (None, _) => "undecided",
        (Some(owner), Some(stone)) if owner == stone => "alive",
        (Some(_), Some(_)) => "dead",
        (Some(Color::Black), None) => "black_territory",
        (Some(Color::White), None) => "white_territory",
    })
}

/// The chains on the board, each as its points.
fn chains(board: &Board<G25>) -> Vec<Vec<Coord>> {
    let heads = board.size().coords().filter(|&coord| {
        let point = board.point(coord);
        !board.is_empty(point) && board.head(point) == point
    });
    heads.map(|head| board.chain(board.point(head)).map(|point| board.coord(point)).collect()).collect()
}
