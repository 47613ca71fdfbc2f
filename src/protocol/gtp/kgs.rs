//! Servers' own commands: KGS and CGOS.

use super::reply::{Reply, done, failure, text};
use super::{Request, Session};
use crate::formats::sgf::GameResult;
use crate::go::rules::Rules;

/// `kgs-rules japanese | chinese | aga | new_zealand`: KGS plays Chinese rules
/// with superko.
pub(super) fn rules(session: &mut Session, request: &Request) -> Reply {
    let name = request.words[0].to_ascii_lowercase();
    let rules = if name == "chinese" { Some(Rules::CHINESE_SUPERKO) } else { Rules::by_name(&name) };
    session.engine.set_rules(rules.ok_or_else(|| failure("unknown rules"))?);
    done()
}

/// `kgs-game_over`, which does not tell the result, and `cgos-gameover
/// RESULT`, which does: `B+3.5`, `W+Resign`.
pub(super) fn game_over(session: &mut Session, request: &Request) -> Reply {
    let told = request.words.iter().map(|word| GameResult::parse(word));
    let mut score = told.filter_map(|result| match result {
        GameResult::Win(winner, _) => Some(f64::from(winner.sign())),
        GameResult::Draw => Some(0.0),
        _ => None,
    });
    session.engine.end_game(score.next_back());
    done()
}

pub(super) fn ignored(_: &mut Session, _: &Request) -> Reply {
    done()
}

/// KGS cuts what an engine says here.
const LONGEST_CHAT: usize = 1000;
/// Moves of the expected line that are told.
const TOLD_MOVES: usize = 8;

/// Answers anybody with the win rate and the expected line.
pub(super) fn chat(session: &mut Session, _: &Request) -> Reply {
    let mut said: String = outlook(session).chars().filter(|c| !c.is_control()).take(LONGEST_CHAT).collect();
    said.truncate(said.trim_end().len());
    text(said)
}

/// What the last search expects, in a sentence.
pub(super) fn outlook(session: &Session) -> String {
    let Some(report) = session.engine.last_report() else {
        return "I have not thought about this game yet.".into();
    };
    let line = report.moves.first().map(|best| &best.pv[..]).unwrap_or_default();
    let line: Vec<String> = line.iter().take(TOLD_MOVES).map(ToString::to_string).collect();
    format!(
        "{} wins {:.1}% of {} playouts, score {:+.1}, expecting {}.",
        report.to_move,
        report.win_rate * 100.0,
        report.root_visits,
        report.score_mean,
        line.join(" ")
    )
}
