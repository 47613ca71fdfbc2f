//! Real games, with the number of legal moves at every ply under four rule
//! sets as independent programs count them.
//!
//! The games are not part of the project: `TENGEN_SHARED` names the folder
//! that has them.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use serde::Deserialize;
use tengen::go::board::Board;
use tengen::go::color::Color;
use tengen::go::coord::{Move, Size};
use tengen::go::geometry::{G9, G13, G19, G25, Geometry};
use tengen::go::zobrist::side_key;

#[derive(Deserialize)]
struct Trace {
    name: String,
    size: u8,
    moves: String,
    legal_simple: Vec<usize>,
    legal_psk: Vec<usize>,
    legal_ssk: Vec<usize>,
    legal_psk_suicide: Vec<usize>,
    /// Black's stones that were taken.
    captured_black: u32,
    captured_white: u32,
    area_black: u32,
    area_white: u32,
}

/// Legal moves under simple ko, positional superko, situational superko, and
/// positional superko with suicide.
fn legal_counts<G: Geometry>(board: &Board<G>, color: Color, history: &History) -> [usize; 4] {
    let mut counts = [0; 4];
    for point in board.points().filter(|&point| board.is_legal(point, color, true)) {
        let legal = board.is_legal(point, color, false);
        let key = board.resulting_key(point, color);
        let new_position = !history.positions.contains(&key);
        let new_situation = !history.situations.contains(&(key ^ side_key(color.opponent())));
        let allowed = [legal, legal && new_position, legal && new_situation, new_position];
        counts.iter_mut().zip(allowed).for_each(|(count, allowed)| *count += usize::from(allowed));
    }
    counts
}

#[derive(Default)]
struct History {
    positions: HashSet<u64>,
    situations: HashSet<u64>,
}

impl History {
    fn add<G: Geometry>(&mut self, board: &Board<G>, to_move: Color) {
        self.positions.insert(board.key());
        self.situations.insert(board.key() ^ side_key(to_move));
    }
}

fn parse_moves(text: &str) -> Vec<(Color, Move)> {
    let parse = |token: &str| {
        let (color, vertex) = token.split_once(':').expect("color:vertex");
        let color = if color == "b" { Color::Black } else { Color::White };
        (color, vertex.parse().expect("a vertex"))
    };
    text.split_whitespace().map(parse).collect()
}

fn replay<G: Geometry>(trace: &Trace) {
    let moves = parse_moves(&trace.moves);
    let mut board = Board::<G>::new(Size::square(trace.size).unwrap());
    let mut history = History::default();
    let mut color = Color::Black;
    for ply in 0..=moves.len() {
        color = moves.get(ply).map_or(color, |&(color, _)| color);
        history.add(&board, color);
        let expected = [&trace.legal_simple, &trace.legal_psk, &trace.legal_ssk, &trace.legal_psk_suicide];
        let counts = legal_counts(&board, color, &history);
        assert_eq!(counts, expected.map(|counts| counts[ply]), "{} ply {ply}", trace.name);
        match moves.get(ply) {
            Some(&(_, Move::Play(coord))) => board.play(board.point(coord), color),
            Some(_) => board.pass(color),
            None => break,
        }
        color = color.opponent();
    }
    let captured = [board.captured(Color::Black), board.captured(Color::White)];
    assert_eq!(captured, [trace.captured_white, trace.captured_black], "{}", trace.name);
    let score = trace.area_black as i32 - trace.area_white as i32;
    assert_eq!(board.area_score(), score, "{}", trace.name);
}

#[test]
fn legal_moves_of_real_games_are_counted_alike() {
    let Some(shared) = std::env::var_os("TENGEN_SHARED") else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: TENGEN_SHARED is not set, no real games to replay");
        return;
    };
    let path = Path::new(&shared).join("cases/positions/traces.jsonl");
    let text = std::fs::read_to_string(&path).expect("the traces");
    let traces: Vec<Trace> = text.lines().map(|line| serde_json::from_str(line).expect("a trace")).collect();
    assert!(traces.len() > 100, "{} games", traces.len());
    for trace in &traces {
        match trace.size {
            ..=9 => replay::<G9>(trace),
            10..=13 => replay::<G13>(trace),
            14..=19 => replay::<G19>(trace),
            _ => replay::<G25>(trace),
        }
    }
}
