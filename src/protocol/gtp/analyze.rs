//! Analysis that streams: Leela Zero's, KataGo's and CGOS's forms.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::play::play_decision;
use super::reply::{Answer, Failure, Output, Reply, failure, joined};
use super::request::{parse_color, parse_vertex};
use super::{Request, Session};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Game;
use crate::protocol::line::Yield;
use crate::shared::control::Limits;
use crate::uct::engine::{Decision, Engine, Manner, Observer, Question};
use crate::uct::report::{MoveReport, Report};

/// Whose way of writing a report is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    LeelaZero,
    KataGo,
}

/// The arguments of an analysis command.
struct Options {
    color: Color,
    every: Duration,
    least_moves: usize,
    most_moves: usize,
    ownership: bool,
    root_info: bool,
    /// The moves that may begin, or all if none are named.
    allowed: Vec<Move>,
}

const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
/// KataGo's switches that ask for more than Tengen can tell: taken and ignored.
const IGNORED: [&str; 7] = [
    "movesOwnership",
    "movesOwnershipStdev",
    "ownershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "policy",
    "noResultValue",
];

impl Options {
    fn parse(request: &Request, game: &Game) -> Result<Self, Failure> {
        let mut options = Options {
            color: game.to_move(),
            every: DEFAULT_INTERVAL,
            least_moves: 0,
            most_moves: usize::MAX,
            ownership: false,
            root_info: false,
            allowed: Vec::new(),
        };
        let mut words = request.words.iter().map(String::as_str);
        let (mut avoided, mut allowed) = (Vec::new(), Vec::new());
        while let Some(word) = words.next() {
            if let Some(color) = parse_color(word) {
                options.color = color;
            } else if word.parse::<f64>().is_ok() {
                options.every = interval(word)?;
            } else if word == "avoid" || word == "allow" {
                let list = if word == "avoid" { &mut avoided } else { &mut allowed };
                list.extend(restriction(&mut words, game.size())?);
            } else {
                options.set(word, words.next().ok_or_else(|| syntax(word))?)?;
            }
        }
        options.restrict(game, &avoided, &allowed);
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        let number = || value.parse::<usize>().map_err(|_| syntax(key));
        let switch = || value.to_ascii_lowercase().parse::<bool>().map_err(|_| syntax(key));
        match key {
            "interval" => self.every = interval(value)?,
            "minmoves" => self.least_moves = number()?,
            "maxmoves" => self.most_moves = number()?,
            "ownership" => self.ownership = switch()?,
            "rootInfo" => self.root_info = switch()?,
            _ if IGNORED.contains(&key) => drop(switch()?),
            _ => return Err(syntax(key)),
        }
        Ok(())
    }

    /// Turns the moves to avoid, and those to allow only, into a list of moves
    /// that may begin.
    fn restrict(&mut self, game: &Game, avoided: &[(Color, Move)], allowed: &[(Color, Move)]) {
        let names = |list: &[(Color, Move)], mv| list.contains(&(self.color, mv));
        let restricted = |list: &[(Color, Move)]| list.iter().any(|&(color, _)| color == self.color);
        if !restricted(avoided) && !restricted(allowed) {
            return;
        }
        let moves = game.legal_moves(self.color).into_iter().map(Move::Play).chain([Move::Pass]);
        let may_begin = |&mv: &Move| !names(avoided, mv) && (!restricted(allowed) || names(allowed, mv));
        let kept: Vec<Move> = moves.filter(may_begin).collect();
        self.allowed = if kept.is_empty() { vec![Move::Pass] } else { kept };
    }
}

fn syntax(word: &str) -> Failure {
    failure(format!("syntax error: {word}"))
}

/// An interval in hundredths of a second.
fn interval(word: &str) -> Result<Duration, Failure> {
    let hundredths: f64 = word.parse().map_err(|_| syntax(word))?;
    if !(0.0..=1e7).contains(&hundredths) {
        return Err(syntax(word));
    }
    Ok(Duration::from_secs_f64(hundredths / 100.0).max(SHORTEST_INTERVAL))
}

/// Reads `COLOR VERTEX,VERTEX... DEPTH`, which follows `avoid` or `allow`.
fn restriction<'a>(
    words: &mut impl Iterator<Item = &'a str>,
    size: Size,
) -> Result<Vec<(Color, Move)>, Failure> {
    let color = words.next().and_then(parse_color).ok_or_else(|| failure("invalid color"))?;
    let vertices = words.next().ok_or_else(|| failure("invalid vertex"))?;
    let moves = vertices.split(',').map(|word| Ok((color, parse_vertex(word, size)?))).collect();
    words.next().and_then(|depth| depth.parse::<u32>().ok()).ok_or_else(|| syntax("DEPTH"))?;
    moves
}

pub(super) fn lz_analyze(session: &mut Session, request: &Request) -> Reply {
    analyze(session, request, Dialect::LeelaZero)
}

pub(super) fn kata_analyze(session: &mut Session, request: &Request) -> Reply {
    analyze(session, request, Dialect::KataGo)
}

pub(super) fn lz_genmove(session: &mut Session, request: &Request) -> Reply {
    decide(session, request, Dialect::LeelaZero, Manner::Play)
}

pub(super) fn kata_genmove(session: &mut Session, request: &Request) -> Reply {
    decide(session, request, Dialect::KataGo, Manner::Play)
}

pub(super) fn kata_search(session: &mut Session, request: &Request) -> Reply {
    decide(session, request, Dialect::KataGo, Manner::Suggest)
}

/// Writes reports until any input arrives.
fn analyze(session: &mut Session, request: &Request, dialect: Dialect) -> Reply {
    let options = Options::parse(request, session.engine.game())?;
    let (inbox, stop) = (session.inbox.clone(), session.stop.clone());
    session.begin_stream();
    inbox.watch(&stop, Yield::ToAnyInput, || {
        session.streaming(&options, dialect, |engine, observer, stop| {
            let question =
                Question { color: options.color, limits: Limits::default(), allowed: &options.allowed };
            engine.search(&question, stop, Some(observer));
        });
        // A search that ended by itself, its memory full, still waits.
        while !stop.is_raised() {
            std::thread::sleep(SHORTEST_INTERVAL);
        }
    });
    session.stream("\n");
    Ok(Answer::Streamed)
}

/// Writes reports until a move is decided on, and then the move.
fn decide(session: &mut Session, request: &Request, dialect: Dialect, manner: Manner) -> Reply {
    let options = Options::parse(request, session.engine.game())?;
    let (inbox, stop) = (session.inbox.clone(), session.stop.clone());
    session.begin_stream();
    let decision = inbox.watch(&stop, Yield::ToInterrupts, || {
        session.streaming(&options, dialect, |engine, observer, stop| {
            engine.decide(options.color, manner, &options.allowed, stop, Some(observer))
        })
    });
    // The last report is the one that the decision came from.
    if let Some(report) = session.engine.last_report()
        && report.to_move == options.color
    {
        let line = report_line(report, session.engine.game(), &options, dialect);
        session.stream(&line);
    }
    finish(session, options.color, manner, decision)
}

fn finish(session: &mut Session, color: Color, manner: Manner, decision: Decision) -> Reply {
    if manner == Manner::Play {
        play_decision(session, color, decision)?;
    }
    session.stream(&format!("play {decision}\n\n"));
    Ok(Answer::Streamed)
}

/// One line of JSON, then the move.
pub(super) fn cgos_genmove(session: &mut Session, request: &Request) -> Reply {
    let color = request.color(0)?;
    let (inbox, stop) = (session.inbox.clone(), session.stop.clone());
    session.begin_stream();
    let decision = inbox
        .watch(&stop, Yield::ToInterrupts, || session.engine.decide(color, Manner::Play, &[], &stop, None));
    let report = session.engine.last_report().filter(|report| report.to_move == color);
    let line = report.map_or_else(|| json!({}), |report| cgos_json(report, session.engine.game()));
    session.stream(&format!("{line}\n"));
    finish(session, color, Manner::Play, decision)
}

impl Session {
    fn begin_stream(&mut self) {
        if let Err(error) = self.output.begin(&self.id) {
            self.broken = Some(error);
        }
    }

    /// Runs a search that writes its reports.
    fn streaming<T>(
        &mut self,
        options: &Options,
        dialect: Dialect,
        search: impl FnOnce(&mut Engine, Observer<'_>, &crate::shared::control::StopFlag) -> T,
    ) -> T {
        let Session { engine, output, stop, broken, gogui, .. } = self;
        let game = engine.game().clone();
        let mut tell = |report: &Report| {
            gogui.show(report, &game);
            write_part(output, &report_line(report, &game, options, dialect), broken, stop);
        };
        search(engine, Observer { every: options.every, tell: &mut tell }, stop)
    }
}

/// Writes part of a reply; a client that is gone ends the search.
fn write_part(
    output: &mut Output,
    text: &str,
    broken: &mut Option<std::io::Error>,
    stop: &crate::shared::control::StopFlag,
) {
    if let Err(error) = output.raw(text) {
        *broken = Some(error);
        stop.raise();
    }
}

/// The moves of a report that are shown, the best first.
fn shown<'a>(report: &'a Report, game: &'a Game, least: usize, most: usize) -> Vec<&'a MoveReport> {
    let legal = report.moves.iter().filter(|found| game.check(report.to_move, found.mv).is_ok());
    let visited = |(place, found): &(usize, &MoveReport)| found.visits > 0 || *place < least;
    legal.enumerate().filter(visited).map(|(_, found)| found).take(most).collect()
}

/// A report as a line, or nothing as long as there is nothing to say.
fn report_line(report: &Report, game: &Game, options: &Options, dialect: Dialect) -> String {
    let moves = shown(report, game, options.least_moves, options.most_moves);
    let segment = match dialect {
        Dialect::LeelaZero => leela_segment,
        Dialect::KataGo => kata_segment,
    };
    let mut parts: Vec<String> =
        moves.iter().enumerate().map(|(order, found)| segment(report, found, order)).collect();
    if parts.is_empty() {
        return String::new();
    }
    if dialect == Dialect::KataGo && options.root_info {
        parts.push(root_segment(report));
    }
    if dialect == Dialect::KataGo && options.ownership {
        let sign = report.to_move.sign() as f32;
        let values = from_the_top(game.size()).map(|c| report.ownership[game.size().index(c)] * sign);
        parts.push(format!("ownership {}", joined(values.map(|value| format!("{value:.4}")))));
    }
    parts.join(" ") + "\n"
}

/// All points from the top left, row by row.
pub(super) fn from_the_top(size: Size) -> impl Iterator<Item = Coord> {
    (0..size.height()).rev().flat_map(move |y| (0..size.width()).map(move |x| Coord { x, y }))
}

/// A share of 1 as an integer of 10,000.
fn ten_thousandths(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 10_000.0).round() as u32
}

fn leela_segment(_: &Report, found: &MoveReport, order: usize) -> String {
    format!(
        "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
        found.mv,
        found.visits,
        ten_thousandths(found.win_rate),
        ten_thousandths(found.prior),
        ten_thousandths(found.lcb),
        joined(&found.pv)
    )
}

fn kata_segment(report: &Report, found: &MoveReport, order: usize) -> String {
    let share = |value: f64| value.clamp(0.0, 1.0);
    let score = found.score_mean;
    let mut line = format!("info move {} visits {} ", found.mv, found.visits);
    let _ = write!(
        line,
        "winrate {:.6} scoreMean {score:.3} scoreStdev {:.3} scoreLead {score:.3} scoreSelfplay {score:.3} ",
        share(found.win_rate),
        report.score_stdev
    );
    let _ = write!(
        line,
        "prior {:.6} lcb {:.6} utility {:.6} order {order} pv {}",
        share(found.prior),
        share(found.lcb),
        2.0 * share(found.win_rate) - 1.0,
        joined(&found.pv)
    );
    line
}

fn root_segment(report: &Report) -> String {
    format!(
        "rootInfo visits {} winrate {:.6} scoreLead {:.3} scoreStdev {:.3} scoreSelfplay {:.3} utility {:.6}",
        report.root_visits,
        report.win_rate.clamp(0.0, 1.0),
        report.score_mean,
        report.score_stdev,
        report.score_mean,
        2.0 * report.win_rate.clamp(0.0, 1.0) - 1.0
    )
}

/// A report as CGOS shows it to spectators (`docs/gtp.md` of the server):
/// everything as the player to move sees it, and lines without the move that
/// they follow.
fn cgos_json(report: &Report, game: &Game) -> Value {
    const MOST_MOVES: usize = 10;
    let moves: Vec<Value> = shown(report, game, 0, MOST_MOVES)
        .into_iter()
        .map(|found| {
            json!({
                "move": found.mv.to_string(),
                "winrate": found.win_rate.clamp(0.0, 1.0),
                "score": found.score_mean,
                "prior": found.prior.clamp(0.0, 1.0),
                "visits": found.visits,
                "pv": joined(found.pv.iter().skip(1)),
            })
        })
        .collect();
    let sign = report.to_move.sign() as f32;
    let owner = |c| ownership_letter(report.ownership[game.size().index(c)] * sign);
    let owners = from_the_top(game.size()).map(owner);
    json!({
        "winrate": report.win_rate.clamp(0.0, 1.0),
        "score": report.score_mean,
        "visits": report.root_visits,
        "moves": moves,
        "ownership": owners.collect::<String>(),
    })
}

/// One letter of base 64 for -1 (A) to 1 (+), in 63 steps.
fn ownership_letter(mean: f32) -> char {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char::from(LETTERS[((mean.clamp(-1.0, 1.0) + 1.0) * 31.0).round() as usize])
}
