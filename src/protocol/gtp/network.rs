//! What the network says of the position, without any search.

use super::analyze::from_the_top;
use super::reply::{Failure, Reply, failure, joined, lines, text};
use super::{Request, Session};
use crate::go::color::Color;
use crate::go::game::Game;
use crate::uct::advice::Opinion;

fn opinion(session: &Session, to_move: Color) -> Result<Opinion, Failure> {
    session.engine.opinion(to_move).ok_or_else(|| failure("there is no network"))
}

fn opinion_for(session: &Session, request: &Request) -> Result<Opinion, Failure> {
    let to_move =
        if request.words.is_empty() { session.engine.game().to_move() } else { request.color(0)? };
    opinion(session, to_move)
}

/// Numbers of all points on a board, row by row from the top, with so many
/// digits after the point; those of points with stones read `none`.
fn board(game: &Game, values: &[f32], digits: usize, none: Option<&str>) -> String {
    let width = usize::from(game.size().width());
    let cell = |coord| match none.filter(|_| game.color_at(coord).is_some()) {
        Some(none) => none.to_owned(),
        None => format!("{:.digits$}", values[game.size().index(coord)]),
    };
    let cells: Vec<String> = from_the_top(game.size()).map(cell).collect();
    lines(cells.chunks(width).map(joined))
}

pub(super) fn policy(session: &mut Session, request: &Request) -> Reply {
    text(board(session.engine.game(), &opinion_for(session, request)?.policy, 4, None))
}

pub(super) fn ownership(session: &mut Session, request: &Request) -> Reply {
    text(board(session.engine.game(), &opinion_for(session, request)?.ownership, 3, None))
}

/// As KataGo writes it, as far as our network knows. The symmetry that may be
/// asked for is always the first.
pub(super) fn raw_nn(session: &mut Session, request: &Request) -> Reply {
    if !matches!(request.word(0), None | Some("0" | "all")) {
        return Err(failure("only symmetry 0 is supported"));
    }
    let game = session.engine.game();
    let found = opinion(session, game.to_move())?;
    let white_owns: Vec<f32> = found.ownership.iter().map(|owner| -owner).collect();
    text(lines([
        "symmetry 0".to_owned(),
        format!("whiteWin {:.6}", 1.0 - found.black_wins),
        format!("whiteLoss {:.6}", found.black_wins),
        "noResult 0.000000".to_owned(),
        format!("whiteLead {:.3}", -found.black_lead),
        "policy".to_owned(),
        board(game, &found.policy, 6, Some("NAN")),
        format!("policyPass {:.6}", found.pass),
        "whiteOwnership".to_owned(),
        board(game, &white_owns, 7, None),
    ]))
}
