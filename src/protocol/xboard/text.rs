//! What xboard reads.

use crate::chess::score::mate_moves;
use crate::chess::search::{Line, Status};
use crate::chess::types::{Move, MoveTag};

/// A mate in n moves is told as this plus n.
const MATE_SCORE: i32 = 100_000;

pub(super) const FEATURES: &str = concat!(
    "feature done=0\n",
    "feature ping=1 setboard=1 usermove=1 san=0 sigint=0 sigterm=0 reuse=1 time=1 draw=1 analyze=1\n",
    "feature playother=1 colors=0 memory=1 smp=1 nps=1 exclude=1 variants=\"normal,fischerandom\"\n",
    "feature option=\"Clear Hash -button\"\n",
    "feature myname=\"Tengen ",
    env!("CARGO_PKG_VERSION"),
    "\" done=1"
);

/// A move as xboard has it: castling in Chess960 is `O-O` or `O-O-O`.
pub(super) fn move_text(mv: Move, chess960: bool) -> String {
    if chess960 && mv.tag() == MoveTag::Castling {
        return if mv.to() > mv.from() { "O-O".into() } else { "O-O-O".into() };
    }
    mv.uci(false)
}

/// A line of thinking: depth, score, centiseconds, nodes, moves.
pub(super) fn thought(line: &Line, chess960: bool) -> String {
    let score = match mate_moves(line.score) {
        Some(moves) => MATE_SCORE * moves.signum() + moves,
        None => line.score,
    };
    let moves: Vec<String> = line.moves.iter().map(|&mv| move_text(mv, chess960)).collect();
    let time = line.time.as_millis() / 10;
    format!("{} {score} {time} {} {}", line.depth, line.nodes, moves.join(" "))
}

/// The answer to `.` in analysis: centiseconds, nodes, depth, root moves left
/// and in all, the move being searched.
pub(super) fn status(status: Status, chess960: bool) -> String {
    let Status { nodes, depth, left, total, .. } = status;
    let time = status.time.as_millis() / 10;
    let current = status.current.map(|mv| format!(" {}", move_text(mv, chess960))).unwrap_or_default();
    format!("stat01: {time} {nodes} {depth} {left} {total}{current}")
}
