//! A game of Go between two GTP engines.

use std::time::{Duration, Instant};

use super::clock::{Clocks, TimeControl, Usage};
use super::go_verdict::{Agreement, Judge, JudgeSettings, read_analysis};
use super::openings::GoOpening;
use super::{EngineSpec, Limits, MatchError, Outcome, Watcher};
use crate::app::engine_process::EngineError;
use crate::app::gtp_client::GtpClient;
use crate::formats::sgf::{GameResult, Margin, Record};
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::go::game::Game;
use crate::go::rules::Rules;

/// For answers that take no thinking.
const QUICK: Duration = Duration::from_secs(60);
/// For counting.
const COUNTING: Duration = Duration::from_secs(120);

/// Stands for the number of the game in the command line of an engine.
const NUMBER: &str = "{game}";

/// What games of Go have in common.
#[derive(Clone, Debug)]
pub(super) struct GoSettings {
    pub(super) size: Size,
    pub(super) komi: f64,
    pub(super) rules: Rules,
    pub(super) rules_name: String,
    /// Command line of the engine that counts.
    pub(super) referee: Option<String>,
    /// Win rate below which both engines must see a player, and for how many
    /// moves of each, to end a game.
    pub(super) resign: Option<(f64, usize)>,
    pub(super) judge: Option<JudgeSettings>,
}

impl GoSettings {
    /// Starts the referee and the judge once, so that a match does not begin
    /// without them.
    pub(super) fn check_helpers(&self) -> Result<(), MatchError> {
        let judge = self.judge.as_ref().map(|judge| &judge.command);
        for (role, command) in [("referee", self.referee.as_ref()), ("judge", judge)] {
            let Some(command) = command else { continue };
            let fail = |error| MatchError::Engine(role.into(), error);
            let mut engine = GtpClient::start(command, None, &[]).map_err(fail)?;
            engine.demand("protocol_version", QUICK).map_err(fail)?;
            engine.quit();
        }
        Ok(())
    }
}

/// Starts an engine and sees whether it answers.
pub(super) fn try_engine(spec: &EngineSpec, limits: &Limits) -> Result<(), EngineError> {
    let mut engine = start(spec, limits, 0)?;
    engine.ask("protocol_version", QUICK)?;
    engine.quit();
    Ok(())
}

/// Starts an engine for the game of this `number`.
fn start(spec: &EngineSpec, limits: &Limits, number: usize) -> Result<GtpClient, EngineError> {
    let command = spec.command.replace(NUMBER, &number.to_string());
    GtpClient::start(&command, None, &limits.environment)
}

/// A game being played.
struct GoGame<'a> {
    settings: &'a GoSettings,
    limits: &'a Limits,
    /// Black, White.
    specs: [&'a EngineSpec; 2],
    engines: [GtpClient; 2],
    has_fischer: [bool; 2],
    /// Whether the engine tells its win rate with its move.
    has_analysis: [bool; 2],
    clocks: Clocks,
    usage: [Usage; 2],
    game: Game,
    agreement: Agreement,
    judge: Option<Judge<'a>>,
    watcher: Watcher<'a>,
}

/// Why a game ended.
struct End {
    result: GameResult,
    reason: String,
}

/// Plays the game of this `number`; `specs` are Black and White.
///
/// # Errors
/// An engine that cannot be started at all.
pub(super) fn play(
    settings: &GoSettings,
    limits: &Limits,
    specs: [&EngineSpec; 2],
    opening: &GoOpening,
    watcher: Watcher<'_>,
    number: usize,
) -> Result<Outcome, EngineError> {
    let engines = [start(specs[0], limits, number)?, start(specs[1], limits, number)?];
    let game = Game::new(settings.size, settings.rules, settings.komi);
    let clocks = Clocks::new(limits.time, limits.margin_s);
    let mut play = GoGame {
        settings,
        limits,
        specs,
        engines,
        has_fischer: [false; 2],
        has_analysis: [false; 2],
        clocks,
        usage: [Usage::default(); 2],
        game,
        agreement: Agreement::default(),
        judge: None,
        watcher,
    };
    let end = play.run(opening);
    play.announce(&end.result);
    let record = play.record(&end);
    let moves = play.game.moves().map(|(_, mv)| mv.to_string()).collect();
    let winner = end.result.winner().map(Color::index);
    let outcome = Outcome {
        winner,
        result: end.result.to_string(),
        reason: end.reason,
        moves,
        usage: play.usage,
        record,
    };
    play.engines.into_iter().for_each(GtpClient::quit);
    play.judge.into_iter().for_each(Judge::quit);
    Ok(outcome)
}

impl GoGame<'_> {
    fn run(&mut self, opening: &GoOpening) -> End {
        for color in Color::BOTH {
            if let Err(error) = self.prepare(color, opening) {
                return self.lost(color, Margin::Forfeit, &error.to_string());
            }
        }
        for (i, &mv) in opening.iter().enumerate() {
            if self.game.play(Color::BOTH[i % 2], mv).is_err() {
                return End { result: GameResult::Void, reason: format!("illegal opening move {mv}") };
            }
        }
        if let Some(judge) = &self.settings.judge {
            self.judge = self.or_without(Judge::start(judge, &self.game));
        }
        let mut color = self.game.to_move();
        loop {
            (self.watcher)(self.game.moves().count());
            if self.game.passes_in_a_row() >= 2 {
                return self.count();
            }
            if self.game.moves().count() >= self.limits.max_moves {
                return End { result: GameResult::Draw, reason: "move limit".into() };
            }
            if let Some(end) = self.turn(color) {
                return end;
            }
            color = color.opponent();
        }
    }

    /// Tells both engines how the game ended, as CGOS does, for those that
    /// learn from it. One that has failed is left alone.
    fn announce(&mut self, result: &GameResult) {
        let margin = match result {
            GameResult::Win(_, margin) => Some(*margin),
            _ => None,
        };
        if matches!(margin, Some(Margin::Forfeit | Margin::Time)) {
            return;
        }
        for engine in &mut self.engines {
            // Most engines do not know the command.
            let _ = engine.ask(&format!("cgos-gameover {result}"), QUICK);
        }
    }

    /// Board, komi, time and opening for one engine.
    fn prepare(&mut self, color: Color, opening: &GoOpening) -> Result<(), EngineError> {
        let size = self.settings.size;
        let board = if size.is_square() {
            format!("boardsize {}", size.width())
        } else {
            format!("rectangular_boardsize {} {}", size.width(), size.height())
        };
        let engine = &mut self.engines[color.index()];
        for command in [board, "clear_board".into(), format!("komi {}", self.settings.komi)] {
            engine.demand(&command, QUICK)?;
        }
        for command in &self.specs[color.index()].setup {
            engine.ask(command, QUICK)?;
        }
        let fischer = engine.ask("known_command kata-time_settings", QUICK)?;
        self.has_fischer[color.index()] = fischer.text == "true";
        if self.settings.resign.is_some() {
            let analysis = engine.ask("known_command lz-genmove_analyze", QUICK)?;
            self.has_analysis[color.index()] = analysis.text == "true";
            if analysis.text != "true" {
                let name = &self.specs[color.index()].name;
                tracing::warn!("{name} tells no win rate, so that no game is ended by agreement");
            }
        }
        if let Some(command) = time_settings(self.limits.time, self.has_fischer[color.index()]) {
            engine.ask(&command, QUICK)?;
        }
        for (i, mv) in opening.iter().enumerate() {
            engine.demand(&format!("play {} {mv}", letter(Color::BOTH[i % 2])), QUICK)?;
        }
        Ok(())
    }

    /// Lets a player move. Gives the end of the game if that ends it.
    fn turn(&mut self, color: Color) -> Option<End> {
        let (answer, rate) = match self.think(color) {
            Ok((answer, rate, true)) => (answer, rate),
            Ok((_, _, false)) => return Some(self.lost(color, Margin::Time, "out of time")),
            Err(error) => return Some(self.lost(color, Margin::Forfeit, &error.to_string())),
        };
        if answer.eq_ignore_ascii_case("resign") {
            return Some(self.lost(color, Margin::Resignation, "resignation"));
        }
        let word = answer.split_whitespace().next().unwrap_or_default();
        let Ok(mv) = word.parse::<Move>() else {
            return Some(self.lost(color, Margin::Forfeit, &format!("played {answer:?}")));
        };
        if let Err(illegal) = self.game.play(color, mv) {
            return Some(self.lost(color, Margin::Forfeit, &format!("illegal move {mv}: {illegal}")));
        }
        if self.game.passes_in_a_row() >= 2 {
            // The other engine has to know, in case it is asked to count.
            let _ = self.tell(color.opponent(), color, mv);
            return None;
        }
        if let Err(error) = self.tell(color.opponent(), color, mv) {
            return Some(self.lost(color.opponent(), Margin::Forfeit, &format!("rejects {mv}: {error}")));
        }
        self.adjudicate(color, mv, rate)
    }

    /// The end of a game whose outcome is clear.
    fn adjudicate(&mut self, color: Color, mv: Move, rate: Option<f64>) -> Option<End> {
        let end = |winner: Color, reason: &str| {
            let result = GameResult::Win(winner, Margin::Resignation);
            Some(End { result, reason: reason.into() })
        };
        if let Some(terms) = self.settings.resign
            && let Some(loser) = self.agreement.note(color, rate, terms)
        {
            return end(loser.opponent(), "both engines agree");
        }
        let noted = self.judge.as_mut()?.note(color, mv);
        match noted {
            Ok(winner) => end(winner?, "decided by the judge"),
            Err(error) => {
                self.judge = self.or_without(Err(error));
                None
            }
        }
    }

    /// A judge that fails is done without.
    fn or_without<T>(&self, judge: Result<T, EngineError>) -> Option<T> {
        judge.inspect_err(|error| tracing::warn!("the judge {error}; the game goes on without it")).ok()
    }

    fn tell(&mut self, whom: Color, color: Color, mv: Move) -> Result<String, EngineError> {
        self.engines[whom.index()].demand(&format!("play {} {mv}", letter(color)), QUICK)
    }

    /// The answer to genmove, the player's win rate if it is told, and whether
    /// they came in time.
    fn think(&mut self, color: Color) -> Result<(String, Option<f64>, bool), EngineError> {
        let player = color.index();
        if let TimeControl::Game { increment, .. } = self.limits.time {
            let stones = i32::from(increment > 0.0 && !self.has_fischer[player]);
            let left = self.clocks.left(player).floor();
            let command = format!("time_left {} {left} {stones}", letter(color));
            self.engines[player].ask(&command, QUICK)?;
        }
        let engine = &mut self.engines[player];
        let (cpu_before, start) = (engine.cpu_time(), Instant::now());
        let patience = patience(&self.clocks, player, self.limits);
        // The interval is longer than any search, so that only the last report is sent.
        let command = match self.has_analysis[player] {
            true => format!("lz-genmove_analyze {} 360000", letter(color)),
            false => format!("genmove {}", letter(color)),
        };
        let answer = engine.demand(&command, patience)?;
        let wall = start.elapsed();
        let cpu = engine.cpu_time().zip(cpu_before).map_or(Duration::ZERO, |(a, b)| a.saturating_sub(b));
        self.usage[player].add(wall, cpu);
        let used = if self.limits.cpu_clock { cpu } else { wall };
        let in_time = self.clocks.charge(player, used.as_secs_f64());
        Ok(match read_analysis(&answer).filter(|_| self.has_analysis[player]) {
            Some((rate, mv)) => (mv.to_owned(), rate, in_time),
            None => (answer, None, in_time),
        })
    }

    fn lost(&self, color: Color, margin: Margin, how: &str) -> End {
        let name = &self.specs[color.index()].name;
        let reason = if how == "resignation" { how.to_owned() } else { format!("{name}: {how}") };
        End { result: GameResult::Win(color.opponent(), margin), reason }
    }

    /// The score: by the referee; without one, what both engines agree on;
    /// else the area on the board.
    fn count(&mut self) -> End {
        let area = self.game.area_result();
        if let Some(command) = &self.settings.referee {
            return match self.ask_referee(command) {
                Ok(score) => End { result: score, reason: format!("counted by the referee (area {area:+})") },
                Err(error) => End {
                    result: GameResult::by_score(area),
                    reason: format!("area score (referee: {error})"),
                },
            };
        }
        let claims: Vec<GameResult> = self
            .engines
            .iter_mut()
            .filter_map(|engine| engine.demand("final_score", COUNTING).ok())
            .map(|text| GameResult::parse(&text))
            .filter(|claim| *claim != GameResult::Unknown)
            .collect();
        match claims[..] {
            [a, b] if a == b => End { result: a, reason: format!("agreed score (area {area:+})") },
            _ => End { result: GameResult::by_score(area), reason: "area score".into() },
        }
    }

    fn ask_referee(&self, command: &str) -> Result<GameResult, EngineError> {
        let mut referee = GtpClient::start(command, None, &[])?;
        referee.demand(&format!("boardsize {}", self.settings.size.width()), QUICK)?;
        referee.demand("clear_board", QUICK)?;
        referee.demand(&format!("komi {}", self.settings.komi), QUICK)?;
        for (color, mv) in self.game.moves() {
            referee.demand(&format!("play {} {mv}", letter(color)), QUICK)?;
        }
        let text = referee.demand("final_score", COUNTING)?;
        referee.quit();
        match GameResult::parse(&text) {
            GameResult::Unknown => Err(EngineError::Nonsense("final_score".into(), text)),
            result => Ok(result),
        }
    }

    fn record(&self, end: &End) -> String {
        let mut record = Record::new(self.settings.size);
        record.komi(self.settings.komi).rules(&self.settings.rules_name).result(&end.result);
        for color in Color::BOTH {
            record.player(color, &self.specs[color.index()].name);
        }
        record.info("GC", &end.reason);
        for (color, mv) in self.game.moves() {
            record.play(color, mv);
        }
        record.finish().to_string()
    }
}

/// How long to wait for a move: the clock decides who is late, unless the
/// engine does not answer at all.
pub(super) fn patience(clocks: &Clocks, player: usize, limits: &Limits) -> Duration {
    const GRACE_S: f64 = 5.0;
    let left = clocks.left(player);
    // Processor time passes more slowly than wall time on a busy machine.
    let stretch = if limits.cpu_clock { 10.0 } else { 1.0 };
    let seconds = if left.is_finite() { left * stretch + GRACE_S } else { limits.timeout_s };
    Duration::from_secs_f64(seconds)
}

fn letter(color: Color) -> &'static str {
    ["b", "w"][color.index()]
}

/// The command that tells an engine the time control.
fn time_settings(control: TimeControl, has_fischer: bool) -> Option<String> {
    Some(match control {
        TimeControl::Unlimited => return None,
        TimeControl::Move(seconds) => format!("time_settings 0 {} 1", seconds.max(1.0).round()),
        TimeControl::Game { base, increment: 0.0 } => {
            format!("time_settings {} 0 0", base.floor())
        }
        TimeControl::Game { base, increment } if has_fischer => {
            format!("kata-time_settings fischer {base} {increment}")
        }
        TimeControl::Game { base, increment } => {
            format!("time_settings {} {} 1", (base - increment).max(0.0).floor(), increment.max(1.0).floor())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_become_commands() {
        let command = |text: &str, fischer| time_settings(text.parse().unwrap(), fischer).unwrap();
        assert_eq!(command("60", true), "time_settings 60 0 0");
        assert_eq!(command("60+0.5", true), "kata-time_settings fischer 60 0.5");
        assert_eq!(command("60+5", false), "time_settings 55 5 1");
        assert_eq!(time_settings(TimeControl::Move(1.0), false).unwrap(), "time_settings 0 1 1");
        assert_eq!(time_settings(TimeControl::Unlimited, true), None);
    }
}
