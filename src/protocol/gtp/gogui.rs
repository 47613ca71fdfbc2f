//! Graphics and analysis commands for GoGui.

use std::io::Write as _;
use std::time::Duration;

use super::analyze::from_the_top;
use super::reply::{Failure, Reply, done, failure, joined, lines, text};
use super::{Request, Session, kgs};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move};
use crate::go::game::Game;
use crate::go::geometry::G25;
use crate::protocol::line::Yield;
use crate::shared::rng::Rng;
use crate::uct::report::Report;

/// What GoGui asked for that lasts.
#[derive(Default)]
pub(super) struct State {
    /// Whether searches draw on the board while they run.
    live: bool,
    /// Whether something is drawn now.
    drawn: bool,
}

/// How often live graphics are drawn.
pub(super) const LIVE_INTERVAL: Duration = Duration::from_millis(500);

impl State {
    /// Whether searches draw while they run.
    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    /// Draws a report, if that was asked for.
    pub(super) fn show(&mut self, report: &Report, game: &Game) {
        if self.live {
            self.drawn = true;
            send_live(&search_graphics(report, game));
        }
    }

    /// Takes away what was drawn.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            send_live("CLEAR");
        }
    }
}

/// GoGui reads live graphics from standard error.
fn send_live(graphics: &str) {
    let message = format!("gogui-gfx:\n{graphics}\n\n");
    // A client that does not read standard error loses only the picture.
    let _ = std::io::stderr().lock().write_all(message.as_bytes());
}

const ANALYZE_COMMANDS: [&str; 17] = [
    "gfx/Search/tengen-gfx_search",
    "gfx/Best Sequence/tengen-gfx_sequence",
    "sboard/Win Rates/tengen-win_rates",
    "sboard/Visits/tengen-visits",
    "sboard/Priors/tengen-priors",
    "dboard/Network Policy/tengen-net_policy %c",
    "dboard/Network Ownership/tengen-net_ownership",
    "dboard/Ownership/tengen-ownership",
    "gfx/Territory/tengen-territory",
    "sboard/Liberties/tengen-liberties",
    "gfx/Playout/tengen-playout %c",
    "string/Estimate Score/estimate_score",
    "hstring/Expectation/gomill-explain_last_move",
    "plist/Legal Moves/all_legal %c",
    "plist/Find Liberties/findlib %p",
    "param/Parameters/tengen-params",
    "none/Live Graphics/tengen-live",
];

/// All of them, but the network's only where there is one.
pub(super) fn analyze_commands(session: &mut Session, _: &Request) -> Reply {
    let has_net = session.engine.settings().search.net.is_some();
    text(lines(ANALYZE_COMMANDS.iter().filter(|entry| has_net || !entry.contains("-net_"))))
}

pub(super) fn title(session: &mut Session, _: &Request) -> Reply {
    let game = session.engine.game();
    text(format!("Tengen {} komi {}", game.size(), game.komi()))
}

/// Switches live graphics, to and fro or as told.
pub(super) fn live(session: &mut Session, request: &Request) -> Reply {
    session.gogui.live = match request.word(0) {
        None => !session.gogui.live,
        Some("on" | "1") => true,
        Some("off" | "0") => false,
        Some(_) => return Err(failure("invalid switch")),
    };
    session.gogui.clear();
    done()
}

fn report(session: &Session) -> Result<&Report, Failure> {
    session.engine.last_report().ok_or_else(|| failure("no search yet"))
}

pub(super) fn search_values(session: &mut Session, _: &Request) -> Reply {
    let game = session.engine.searched_game();
    text(search_graphics(report(session)?, &game))
}

pub(super) fn best_sequence(session: &mut Session, _: &Request) -> Reply {
    let report = report(session)?;
    let line = report.moves.first().map(|best| &best.pv[..]).unwrap_or_default();
    text(format!("{}\nTEXT {}", variation(report.to_move, line), kgs::outlook(session)))
}

fn variation(first: Color, line: &[Move]) -> String {
    let mut color = first;
    let moves = line.iter().map(|mv| {
        let letter = ["b", "w"][color.index()];
        color = color.opponent();
        format!("{letter} {mv}")
    });
    format!("VAR {}", joined(moves.collect::<Vec<_>>()))
}

/// Win rates as labels, shares of visits as influence, the best move marked.
fn search_graphics(report: &Report, game: &Game) -> String {
    const LABELS: usize = 12;
    let total = report.moves.iter().map(|found| found.visits).max().unwrap_or(0).max(1) as f64;
    let mut graphics = Vec::new();
    let shown = report.moves.iter().filter(|found| found.visits > 0).take(LABELS);
    for (order, found) in shown.enumerate() {
        let Move::Play(coord) = found.mv else { continue };
        if game.color_at(coord).is_some() {
            continue;
        }
        if order == 0 {
            graphics.push(format!("CIRCLE {coord}"));
        }
        let sign = f64::from(report.to_move.sign());
        graphics.push(format!("INFLUENCE {coord} {:.3}", sign * found.visits as f64 / total));
        graphics.push(format!("LABEL {coord} {:.0}", found.win_rate * 100.0));
    }
    graphics.push(format!(
        "TEXT {} {:.1}% {} playouts, score {:+.1}",
        report.to_move,
        report.win_rate * 100.0,
        report.root_visits,
        report.score_mean
    ));
    lines(graphics)
}

/// A board of texts, row by row from the top; an empty one stands as `""`.
fn board_of(game: &Game, at: impl Fn(Coord) -> Option<String>) -> String {
    let width = usize::from(game.size().width());
    let cells: Vec<String> =
        from_the_top(game.size()).map(|coord| at(coord).unwrap_or_else(|| "\"\"".into())).collect();
    lines(cells.chunks(width).map(joined))
}

/// A number of each searched move on a board.
fn move_board(session: &Session, value: impl Fn(&crate::uct::report::MoveReport) -> Option<String>) -> Reply {
    let report = report(session)?;
    text(board_of(session.engine.game(), |coord| {
        report.moves.iter().find(|found| found.mv == Move::Play(coord)).and_then(&value)
    }))
}

pub(super) fn win_rates(session: &mut Session, _: &Request) -> Reply {
    move_board(session, |found| (found.visits > 0).then(|| format!("{:.0}", found.win_rate * 100.0)))
}

pub(super) fn visits(session: &mut Session, _: &Request) -> Reply {
    move_board(session, |found| (found.visits > 0).then(|| found.visits.to_string()))
}

pub(super) fn priors(session: &mut Session, _: &Request) -> Reply {
    move_board(session, |found| Some(format!("{:.0}", found.prior * 100.0)))
}

fn status(session: &mut Session) -> crate::uct::status::Status {
    let (inbox, stop) = (session.inbox.clone(), session.stop.clone());
    inbox.watch(&stop, Yield::ToInterruptsOnly, || session.engine.status(&stop))
}

pub(super) fn ownership(session: &mut Session, _: &Request) -> Reply {
    let status = status(session);
    let game = session.engine.game();
    text(board_of(game, |coord| Some(format!("{:.3}", status.ownership()[game.size().index(coord)]))))
}

pub(super) fn territory(session: &mut Session, _: &Request) -> Reply {
    let status = status(session);
    let game = session.engine.game();
    let points = |color| joined(game.size().coords().filter(|&c| status.owner(c) == Some(color)));
    let dead = joined(game.size().coords().filter(|&c| status.is_dead(c)));
    let score = super::score::result_text(status.score(game));
    text(format!("BLACK {}\nWHITE {}\nMARK {dead}\nTEXT {score}", points(Color::Black), points(Color::White)))
}

pub(super) fn liberties(session: &mut Session, _: &Request) -> Reply {
    let game = session.engine.game();
    let board = game.board();
    text(board_of(game, |coord| {
        let point = board.point(coord);
        (!board.is_empty(point)).then(|| board.liberty_count(point).to_string())
    }))
}

/// A playout from the position, move by move.
pub(super) fn playout(session: &mut Session, request: &Request) -> Reply {
    let game = session.engine.game();
    let color = if request.words.is_empty() { game.to_move() } else { request.color(0)? };
    let settings = session.engine.settings();
    let mut board: Board<G25> = game.board().clone();
    let mut rng = Rng::new(settings.search.seed, game.events().len() as u64);
    let mut moves = Vec::new();
    settings.search.policy.rollout().play_out(&mut board, color, &mut rng, &mut moves);
    let letter = |color: Color| ["b", "w"][color.index()];
    let line: Vec<String> = moves
        .iter()
        .map(|played| format!("{} {}", letter(played.color), board.coord(played.point)))
        .collect();
    let score = super::score::result_text(f64::from(board.area_score()) - game.total_komi());
    text(format!("VAR {}\nTEXT {} moves, {score}", joined(&line), line.len()))
}
