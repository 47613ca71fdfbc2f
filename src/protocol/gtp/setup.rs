//! The board, komi and handicap.

use super::reply::{Failure, Reply, done, failure, joined, text};
use super::request::parse_vertex;
use super::{Request, Session};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::handicap;

pub(super) fn boardsize(session: &mut Session, request: &Request) -> Reply {
    let width = side(request, 0)?;
    let height = if request.words.len() > 1 { side(request, 1)? } else { width };
    let size = Size::new(width, height).ok_or_else(unacceptable_size)?;
    session.engine.set_size(size);
    done()
}

fn side(request: &Request, index: usize) -> Result<u8, Failure> {
    let side: i64 = request.value(index, "size")?;
    u8::try_from(side).map_err(|_| unacceptable_size())
}

fn unacceptable_size() -> Failure {
    failure("unacceptable size")
}

pub(super) fn query_boardsize(session: &mut Session, _: &Request) -> Reply {
    let size = session.engine.game().size();
    if size.is_square() { text(size.width()) } else { text(format!("{} {}", size.width(), size.height())) }
}

pub(super) fn clear_board(session: &mut Session, _: &Request) -> Reply {
    session.engine.clear_board();
    done()
}

pub(super) fn komi(session: &mut Session, request: &Request) -> Reply {
    let komi = request.number(0, "komi").map_err(|_| failure("unacceptable komi"))?;
    if komi.abs() > MOST_KOMI {
        return Err(failure("unacceptable komi"));
    }
    session.engine.set_komi(komi);
    done()
}

/// Far more than any board can be worth, and no more than scores are exact for.
const MOST_KOMI: f64 = 1e9;

pub(super) fn get_komi(session: &mut Session, _: &Request) -> Reply {
    text(session.engine.game().komi())
}

pub(super) fn fixed_handicap(session: &mut Session, request: &Request) -> Reply {
    let count = stone_count(request)?;
    let stones = handicap::fixed(session.engine.game().size(), count)
        .ok_or_else(|| failure("invalid number of stones"))?;
    place(session, &stones)
}

pub(super) fn place_free_handicap(session: &mut Session, request: &Request) -> Reply {
    let count = stone_count(request)?;
    let stones = handicap::free(session.engine.game().size(), count)
        .ok_or_else(|| failure("invalid number of stones"))?;
    place(session, &stones)
}

fn stone_count(request: &Request) -> Result<usize, Failure> {
    request.value(0, "number of stones")
}

pub(super) fn set_free_handicap(session: &mut Session, request: &Request) -> Reply {
    let size = session.engine.game().size();
    let invalid = || failure("invalid vertex list");
    let mut stones: Vec<Coord> = Vec::new();
    for word in &request.words {
        match parse_vertex(word, size) {
            Ok(Move::Play(coord)) if !stones.contains(&coord) => stones.push(coord),
            _ => return Err(invalid()),
        }
    }
    if stones.len() < 2 || stones.len() >= size.points() {
        return Err(invalid());
    }
    place(session, &stones)?;
    done()
}

fn place(session: &mut Session, stones: &[Coord]) -> Reply {
    session.engine.place_handicap(stones).map_err(|_| failure("board not empty"))?;
    text(joined(stones))
}

pub(super) fn get_handicap(session: &mut Session, _: &Request) -> Reply {
    text(session.engine.game().handicap().len())
}

/// `gogui-setup B A1 W B2 ...`: stones on an empty board.
pub(super) fn gogui_setup(session: &mut Session, request: &Request) -> Reply {
    if !session.engine.game().is_untouched() {
        return Err(failure("board not empty"));
    }
    let size = session.engine.game().size();
    let stones: Vec<(Coord, Option<Color>)> = pairs(request, size)?
        .into_iter()
        .filter_map(|(color, mv)| Some((mv.coord()?, Some(color))))
        .collect();
    if stones.len() * 2 != request.words.len() {
        return Err(failure("invalid vertex"));
    }
    // No stones are no set-up: the board stays as untouched as it was.
    if !stones.is_empty() {
        session.engine.set_up(stones).map_err(|_| failure("invalid position"))?;
    }
    done()
}

/// Reads `COLOR VERTEX COLOR VERTEX ...`.
pub(super) fn pairs(request: &Request, size: Size) -> Result<Vec<(Color, Move)>, Failure> {
    if !request.words.len().is_multiple_of(2) {
        return Err(failure("missing vertex"));
    }
    (0..request.words.len())
        .step_by(2)
        .map(|i| Ok((request.color(i)?, request.vertex(i + 1, size)?)))
        .collect()
}

pub(super) fn gogui_setup_player(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    session.engine.set_to_move(color);
    done()
}
