//! Chess engines as players, by UCI or xboard.

use std::time::{Duration, Instant};

use super::clock::{Clocks, TimeControl};
use super::openings::ChessOpening;
use super::{EngineSpec, Limits, Protocol};
use crate::app::engine_process::{EngineError, EngineProcess};

/// For answers that take no thinking.
const QUICK: Duration = Duration::from_secs(30);
/// How long an xboard engine may take to list its features.
const FEATURES: Duration = Duration::from_secs(10);

/// What a player wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Play this move, in UCI notation or SAN.
    Move(String),
    /// Resign.
    Resign,
    /// Claim a result, or that the opponent's move was illegal.
    Claim(String),
}

/// An answer, with the engine's own evaluation of its move.
#[derive(Clone, Debug)]
pub(super) struct Thought {
    pub(super) wish: Wish,
    /// Centipawns, for the player; a mate is [`MATE`].
    pub(super) score: Option<i32>,
}

/// Stands for a forced mate.
pub(super) const MATE: i32 = 100_000;

/// An engine in a game.
#[derive(Debug)]
pub(super) struct ChessPlayer {
    process: EngineProcess,
    protocol: Protocol,
    features: Features,
    /// Moves that the engine knows of.
    told: usize,
    is_started: bool,
}

/// Features of an xboard engine that matter here.
#[derive(Clone, Copy, Debug, Default)]
struct Features {
    usermove: bool,
    setboard: bool,
    ping: bool,
}

impl ChessPlayer {
    /// Starts an engine and brings it to the beginning of a game.
    pub(super) fn start(
        spec: &EngineSpec,
        limits: &Limits,
        opening: &ChessOpening,
    ) -> Result<Self, EngineError> {
        let process = EngineProcess::start(&spec.command, None, &limits.environment)?;
        let features = Features::default();
        let mut player =
            ChessPlayer { process, protocol: spec.protocol, features, told: 0, is_started: false };
        match spec.protocol {
            Protocol::Xboard => player.start_xboard(spec, limits, opening)?,
            Protocol::Uci | Protocol::Gtp => player.start_uci(spec)?,
        }
        Ok(player)
    }

    fn start_uci(&mut self, spec: &EngineSpec) -> Result<(), EngineError> {
        self.process.send("uci")?;
        self.wait_for("uciok", QUICK)?;
        for line in &spec.setup {
            self.process.send(line)?;
        }
        self.process.send("ucinewgame")?;
        self.process.send("isready")?;
        self.wait_for("readyok", QUICK)
    }

    fn start_xboard(
        &mut self,
        spec: &EngineSpec,
        limits: &Limits,
        opening: &ChessOpening,
    ) -> Result<(), EngineError> {
        self.process.send("xboard")?;
        self.process.send("protover 2")?;
        self.read_features()?;
        self.process.send("new")?;
        for line in &spec.setup {
            self.process.send(line)?;
        }
        self.process.send("force")?;
        if let Some(fen) = &opening.fen {
            if !self.features.setboard {
                return Err(EngineError::Nonsense("setboard".into(), "feature setboard=0".into()));
            }
            self.process.send(&format!("setboard {fen}"))?;
        }
        self.process.send(&level(limits.time))?;
        self.process.send("post")?;
        self.process.send("easy")
    }

    fn read_features(&mut self) -> Result<(), EngineError> {
        let deadline = Instant::now() + FEATURES;
        loop {
            let line = match self.process.read_line(deadline, "protover 2") {
                Ok(line) => line,
                Err(EngineError::Timeout(..)) => return Ok(()),
                Err(error) => return Err(error),
            };
            let Some(features) = line.trim().strip_prefix("feature") else { continue };
            let has = |name: &str| features.split_whitespace().any(|word| word == name);
            self.features.usermove |= has("usermove=1");
            self.features.setboard |= has("setboard=1");
            self.features.ping |= has("ping=1");
            if has("done=1") {
                return Ok(());
            }
        }
    }

    fn wait_for(&self, word: &str, timeout: Duration) -> Result<(), EngineError> {
        let deadline = Instant::now() + timeout;
        while self.process.read_line(deadline, word)?.trim() != word {}
        Ok(())
    }

    /// Processor time of the engine.
    pub(super) fn cpu_time(&self) -> Option<Duration> {
        self.process.cpu_time()
    }

    /// Asks for a move after `moves`, which include those of `opening`.
    /// `player` is 0 for White.
    pub(super) fn think(
        &mut self,
        opening: &ChessOpening,
        moves: &[String],
        player: usize,
        clocks: &Clocks,
        limits: &Limits,
    ) -> Result<Thought, EngineError> {
        let deadline = Instant::now() + super::go_game::patience(clocks, player, limits);
        match self.protocol {
            Protocol::Xboard => self.think_xboard(moves, player, clocks, deadline),
            Protocol::Uci | Protocol::Gtp => {
                let start = opening.fen.as_ref().map_or("startpos".into(), |fen| format!("fen {fen}"));
                let moves =
                    if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
                self.process.send(&format!("position {start}{moves}"))?;
                self.process.send(&go_command(clocks, limits))?;
                self.read_bestmove(deadline)
            }
        }
    }

    fn read_bestmove(&self, deadline: Instant) -> Result<Thought, EngineError> {
        let mut score = None;
        loop {
            let line = self.process.read_line(deadline, "go")?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["info", ..] => score = uci_score(&words).or(score),
                ["bestmove", mv, ..] => return Ok(Thought { wish: Wish::Move(mv.to_owned()), score }),
                _ => {}
            }
        }
    }

    fn think_xboard(
        &mut self,
        moves: &[String],
        player: usize,
        clocks: &Clocks,
        deadline: Instant,
    ) -> Result<Thought, EngineError> {
        let prefix = if self.features.usermove { "usermove " } else { "" };
        let mut clock_lines = Vec::new();
        if matches!(clocks.control, TimeControl::Game { .. }) {
            let hundredths = |player: usize| (clocks.left(player) * 100.0).max(1.0).round();
            clock_lines.push(format!("time {}", hundredths(player)));
            clock_lines.push(format!("otim {}", hundredths(1 - player)));
        }
        for (i, mv) in moves.iter().enumerate().skip(self.told) {
            if self.is_started && i + 1 == moves.len() {
                clock_lines.drain(..).try_for_each(|line| self.process.send(&line))?;
            }
            self.process.send(&format!("{prefix}{mv}"))?;
        }
        if !self.is_started {
            clock_lines.drain(..).try_for_each(|line| self.process.send(&line))?;
            self.process.send("go")?;
            self.is_started = true;
        }
        let thought = self.read_xboard_move(deadline)?;
        // The engine has made its own move as well.
        self.told = moves.len() + 1;
        Ok(thought)
    }

    fn read_xboard_move(&self, deadline: Instant) -> Result<Thought, EngineError> {
        let mut score = None;
        loop {
            let line = self.process.read_line(deadline, "go")?;
            let line = line.trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            let wish = match words[..] {
                ["move", mv, ..] => Wish::Move(mv.to_owned()),
                ["My", "move", "is", ":" | "is:", mv, ..] | ["My", "move", "is:", mv, ..] => {
                    Wish::Move(mv.trim_start_matches(':').to_owned())
                }
                ["resign", ..] => Wish::Resign,
                ["1-0" | "0-1" | "1/2-1/2", ..] => Wish::Claim(line.to_owned()),
                _ if line.starts_with("Illegal move") => Wish::Claim(line.to_owned()),
                [depth, value, _, _, ..] if depth.trim_end_matches('.').parse::<u32>().is_ok() => {
                    score = value.parse().ok().or(score);
                    continue;
                }
                _ => continue,
            };
            return Ok(Thought { wish, score });
        }
    }

    /// Ends the engine.
    pub(super) fn quit(mut self) {
        let _ = self.process.send("quit");
        self.process.close();
    }
}

/// The last evaluation in an `info` line.
fn uci_score(words: &[&str]) -> Option<i32> {
    let at = words.iter().position(|&word| word == "score")?;
    let value: i32 = words.get(at + 2)?.parse().ok()?;
    match words[at + 1] {
        "cp" => Some(value),
        "mate" if value > 0 => Some(MATE),
        "mate" => Some(-MATE),
        _ => None,
    }
}

fn go_command(clocks: &Clocks, limits: &Limits) -> String {
    let ms = |seconds: f64| (seconds * 1000.0).max(1.0).round();
    let mut command = String::from("go");
    match clocks.control {
        TimeControl::Unlimited => {}
        TimeControl::Move(seconds) => command += &format!(" movetime {}", ms(seconds)),
        TimeControl::Game { increment, .. } => {
            let (white, black) = (ms(clocks.left(0)), ms(clocks.left(1)));
            command += &format!(" wtime {white} btime {black}");
            if increment > 0.0 {
                command += &format!(" winc {0} binc {0}", ms(increment));
            }
        }
    }
    if let Some(nodes) = limits.nodes {
        command += &format!(" nodes {nodes}");
    }
    if let Some(depth) = limits.depth {
        command += &format!(" depth {depth}");
    }
    command
}

/// The command that tells an xboard engine the time control.
fn level(control: TimeControl) -> String {
    match control {
        TimeControl::Unlimited => "st 3600".into(),
        TimeControl::Move(seconds) => format!("st {}", seconds.max(1.0).round()),
        TimeControl::Game { base, increment } => {
            let whole = base.floor() as u64;
            format!("level 0 {}:{:02} {increment}", whole / 60, whole % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_found_in_info_lines() {
        let score = |line: &str| uci_score(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(score("info depth 3 score cp -31 nodes 5 pv e2e4"), Some(-31));
        assert_eq!(score("info score mate -3"), Some(-MATE));
        assert_eq!(score("info string score"), None);
    }

    #[test]
    fn time_controls_become_commands() {
        let limits = Limits { nodes: Some(500), ..Limits::default() };
        let clocks = Clocks::new("60+0.5".parse().unwrap(), 0.0);
        assert_eq!(go_command(&clocks, &limits), "go wtime 60000 btime 60000 winc 500 binc 500 nodes 500");
        assert_eq!(level("75+2".parse().unwrap()), "level 0 1:15 2");
        assert_eq!(level(TimeControl::Move(3.0)), "st 3");
    }
}
