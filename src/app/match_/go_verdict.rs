//! Ending games of Go whose outcome is clear: where both engines agree on the
//! win rate, or where a third engine sees a large lead.

use std::time::Duration;

use crate::app::engine_process::EngineError;
use crate::app::gtp_client::GtpClient;
use crate::formats::sgf::{GameResult, Margin};
use crate::go::color::Color;
use crate::go::coord::Move;
use crate::go::game::Game;

/// For an estimate of the score.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine that watches and judges.
#[derive(Clone, Debug)]
pub(super) struct JudgeSettings {
    /// Its command line.
    pub(super) command: String,
    /// Points from which a lead decides.
    pub(super) lead: f64,
    /// Moves of both players for which the lead must last.
    pub(super) moves: usize,
}

/// Counts how long the players have agreed on who wins.
#[derive(Clone, Debug, Default)]
pub(super) struct Agreement {
    /// Black's win rate, 0 to 1, as Black and White saw it last.
    rates: [Option<f64>; 2],
    /// Moves of both in a row at which each colour was lost.
    lost: [usize; 2],
}

impl Agreement {
    /// Takes note of what a player thinks of his move: his own win rate. Gives
    /// the loser once both have seen him below `threshold` for `moves` moves
    /// of each.
    pub(super) fn note(
        &mut self,
        color: Color,
        rate: Option<f64>,
        (threshold, moves): (f64, usize),
    ) -> Option<Color> {
        self.rates[color.index()] = rate.map(|rate| if color == Color::Black { rate } else { 1.0 - rate });
        let [Some(black), Some(white)] = self.rates else {
            self.lost = [0; 2];
            return None;
        };
        for (loser, highest) in [(Color::Black, black.max(white)), (Color::White, 1.0 - black.min(white))] {
            let count = &mut self.lost[loser.index()];
            *count = if highest < threshold { *count + 1 } else { 0 };
            if *count >= 2 * moves {
                return Some(loser);
            }
        }
        None
    }
}

/// A third engine at the board.
pub(super) struct Judge<'a> {
    settings: &'a JudgeSettings,
    engine: GtpClient,
    /// Who is ahead by enough, and for how many moves.
    ahead: Option<(Color, usize)>,
}

impl<'a> Judge<'a> {
    /// Starts the engine and shows it the game so far.
    pub(super) fn start(settings: &'a JudgeSettings, game: &Game) -> Result<Self, EngineError> {
        let mut engine = GtpClient::start(&settings.command, None, &[])?;
        engine.demand(&format!("boardsize {}", game.size().width()), PATIENCE)?;
        engine.demand("clear_board", PATIENCE)?;
        engine.demand(&format!("komi {}", game.komi()), PATIENCE)?;
        for (color, mv) in game.moves() {
            engine.demand(&format!("play {color} {mv}"), PATIENCE)?;
        }
        Ok(Judge { settings, engine, ahead: None })
    }

    /// Shows the engine a move, and asks for the score. Gives the winner once
    /// the lead has lasted.
    pub(super) fn note(&mut self, color: Color, mv: Move) -> Result<Option<Color>, EngineError> {
        self.engine.demand(&format!("play {color} {mv}"), PATIENCE)?;
        let text = self.engine.demand("estimate_score", PATIENCE)?;
        let word = text.split_whitespace().next().unwrap_or_default();
        let leader = match GameResult::parse(word) {
            GameResult::Win(color, Margin::Points(points)) if points >= self.settings.lead => Some(color),
            _ => None,
        };
        self.ahead = leader.map(|leader| match self.ahead {
            Some((before, count)) if before == leader => (leader, count + 1),
            _ => (leader, 1),
        });
        Ok(self.ahead.filter(|&(_, count)| count >= self.settings.moves).map(|(leader, _)| leader))
    }

    pub(super) fn quit(self) {
        self.engine.quit();
    }
}

/// The win rate, 0 to 1, and the move in the answer to an analysing genmove:
/// lines of `info move ... winrate W ...`, and at last `play MOVE`.
pub(super) fn read_analysis(text: &str) -> Option<(Option<f64>, &str)> {
    /// Leela Zero's form has win rates as integers of this.
    const WHOLE: f64 = 10_000.0;
    let mv = text.lines().rev().find_map(|line| line.trim().strip_prefix("play "))?;
    let info = text.lines().rev().find(|line| line.starts_with("info "));
    let mut words = info.unwrap_or_default().split_whitespace();
    let rate = words.by_ref().find(|&word| word == "winrate").and_then(|_| words.next()?.parse::<f64>().ok());
    Some((rate.map(|rate| rate / WHOLE).filter(|rate| (0.0..=1.0).contains(rate)), mv.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_must_agree_that_one_is_lost() {
        let mut agreement = Agreement::default();
        let terms = (0.1, 2);
        let mut ends = Vec::new();
        for _ in 0..3 {
            ends.push(agreement.note(Color::Black, Some(0.05), terms));
            ends.push(agreement.note(Color::White, Some(0.97), terms));
        }
        assert_eq!(ends[..4], [None; 4], "White has spoken at three of the four");
        assert_eq!(ends[4], Some(Color::Black));
        let mut agreement = Agreement::default();
        for _ in 0..9 {
            assert_eq!(agreement.note(Color::Black, Some(0.95), terms), None);
            assert_eq!(agreement.note(Color::White, Some(0.3), terms), None);
        }
        let mut agreement = Agreement::default();
        for _ in 0..9 {
            assert_eq!(agreement.note(Color::Black, Some(0.01), terms), None);
            assert_eq!(agreement.note(Color::White, None, terms), None);
        }
    }

    #[test]
    fn analyses_are_read() {
        let text = "info move D4 visits 9 winrate 4321 prior 1 pv D4 info move C3 winrate 1\nplay D4";
        assert_eq!(read_analysis(text), Some((Some(0.4321), "D4")));
        assert_eq!(read_analysis("play pass"), Some((None, "pass")));
        assert_eq!(read_analysis("D4"), None);
    }

    #[test]
    fn a_judge_decides_when_the_lead_lasts() {
        let script =
            "while read id command; do printf \"=%s B+25.0 (upper bound: 30, lower: 20)\\n\\n\" $id; done";
        let command = format!("sh -c '{script}'");
        let settings = JudgeSettings { command, lead: 20.0, moves: 3 };
        let game =
            Game::new(crate::go::coord::Size::square(9).unwrap(), crate::go::rules::Rules::CHINESE, 7.0);
        let mut judge = Judge::start(&settings, &game).unwrap();
        let verdicts = [0, 1, 2].map(|_| judge.note(Color::Black, Move::Pass).unwrap());
        assert_eq!(verdicts, [None, None, Some(Color::Black)]);
        judge.quit();
    }
}
