//! Questions about the board.

use super::reply::{Failure, Reply, failure, joined, lines, text};
use super::{Request, Session};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move};
use crate::go::game::Game;
use crate::go::geometry::{G25, Point};

/// The board as text, with coordinates and prisoners.
pub(super) fn showboard(session: &mut Session, _: &Request) -> Reply {
    let game = session.engine.game();
    let size = game.size();
    let header = format!("   {}", joined((0..size.width()).map(column)));
    let mut rows = vec![header.clone()];
    rows.extend((0..size.height()).rev().map(|y| row(game, y)));
    rows.push(header);
    let prisoners = |color| game.board().captured(color);
    rows.push(format!("{} to play, komi {}", game.to_move(), game.komi()));
    rows.push(format!(
        "Black has taken {}, White has taken {}",
        prisoners(Color::Black),
        prisoners(Color::White)
    ));
    text(lines(rows))
}

fn column(x: u8) -> char {
    Coord { x, y: 0 }.to_string().chars().next().unwrap_or(' ')
}

fn row(game: &Game, y: u8) -> String {
    let last = game.last_move().and_then(|(_, mv)| mv.coord());
    let mut row = format!("{:2} ", y + 1);
    for x in 0..game.size().width() {
        let coord = Coord { x, y };
        row.push(match game.color_at(coord) {
            Some(Color::Black) => 'X',
            Some(Color::White) => 'O',
            None => '.',
        });
        let next_is_last = last == Some(Coord { x: x + 1, y });
        row.push(match (last == Some(coord), next_is_last) {
            (true, _) => ')',
            (_, true) => '(',
            _ => ' ',
        });
    }
    format!("{row}{}", y + 1)
}

pub(super) fn list_stones(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    let game = session.engine.game();
    text(joined(game.size().coords().filter(|&coord| game.color_at(coord) == Some(color))))
}

pub(super) fn color(session: &mut Session, request: &Request) -> Reply {
    let game = session.engine.game();
    let coord = request.point(0, game.size())?;
    text(match game.color_at(coord) {
        Some(Color::Black) => "black",
        Some(Color::White) => "white",
        None => "empty",
    })
}

pub(super) fn is_legal(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    let game = session.engine.game();
    let legal = request.vertex(1, game.size()).is_ok_and(|mv| game.check(color, mv).is_ok());
    text(u8::from(legal))
}

pub(super) fn all_legal(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    text(joined(session.engine.game().legal_moves(color)))
}

pub(super) fn captures(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    text(session.engine.game().board().captured(color))
}

fn stone<'a>(session: &'a Session, request: &Request) -> Result<(&'a Board<G25>, Point), Failure> {
    let game = session.engine.game();
    let coord = request.point(0, game.size())?;
    let point = game.board().point(coord);
    if game.board().is_empty(point) {
        return Err(failure("vertex must not be empty"));
    }
    Ok((game.board(), point))
}

pub(super) fn countlib(session: &mut Session, request: &Request) -> Reply {
    let (board, point) = stone(session, request)?;
    text(board.liberty_count(point))
}

pub(super) fn findlib(session: &mut Session, request: &Request) -> Reply {
    use crate::go::bits::PointSet as _;
    let (board, point) = stone(session, request)?;
    text(joined(board.liberties(point).iter().map(|liberty| board.coord(liberty))))
}

pub(super) fn last_move(session: &mut Session, _: &Request) -> Reply {
    let (color, mv) = session.engine.game().last_move().ok_or_else(|| failure("no previous move known"))?;
    text(named(color, mv))
}

pub(super) fn move_history(session: &mut Session, _: &Request) -> Reply {
    text(lines(session.engine.game().moves().rev().map(|(color, mv)| named(color, mv))))
}

fn named(color: Color, mv: Move) -> String {
    format!("{} {mv}", color.to_string().to_lowercase())
}
