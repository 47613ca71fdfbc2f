//! The command line of `tengen match`, and what it comes to.

use std::path::PathBuf;

use super::clock::TimeControl;
use super::go_game::GoSettings;
use super::go_verdict::JudgeSettings;
use super::openings::{ChessOpening, read_chess, read_go, shuffle};
use super::{Contest, EngineSpec, Limits, Match, MatchError, Protocol, Sprt};
use crate::go::coord::Size;
use crate::go::rules::Rules;

/// Let two engines play each other.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tengen match --first 'tengen gtp --playouts 2000' --second 'gnugo --mode gtp' -n 100 -s 9 \\\n    \
    --referee 'gnugo --mode gtp --chinese-rules' --out games\n  \
    tengen match --protocol uci --first 'tengen uci' --second stockfish --tc 10+0.1 \\\n    \
    --openings openings.txt --sprt 0,10 --out games\n\n\
    {game} in the command line of a Go engine stands for the number of the game, as in --seed {game}: \
    two engines with fixed seeds would play the same game again and again.\n\n\
    Exit status: 0 when the match is finished, 2 if something could not be used. \
    A match that was stopped goes on with the same command.")]
pub struct Options {
    /// Command line of the first engine.
    #[arg(long, value_name = "COMMAND")]
    pub first: String,
    /// Command line of the second engine.
    #[arg(long, value_name = "COMMAND")]
    pub second: String,
    /// Name of the first engine.
    #[arg(long, default_value = "first", value_name = "NAME")]
    pub first_name: String,
    /// Name of the second engine.
    #[arg(long, default_value = "second", value_name = "NAME")]
    pub second_name: String,
    /// Protocol of both engines: gtp for Go, uci or xboard for chess.
    #[arg(long, value_enum, default_value_t = Protocol::Gtp)]
    pub protocol: Protocol,
    /// Protocol of the second engine, if it is another.
    #[arg(long, value_enum, value_name = "PROTOCOL")]
    pub second_protocol: Option<Protocol>,
    /// Line sent to both engines before each game; may be repeated.
    #[arg(long, value_name = "LINE")]
    pub setup: Vec<String>,
    /// Line sent to the first engine before each game; may be repeated.
    #[arg(long, value_name = "LINE")]
    pub first_setup: Vec<String>,
    /// Line sent to the second engine before each game; may be repeated.
    #[arg(long, value_name = "LINE")]
    pub second_setup: Vec<String>,
    /// Games to play.
    #[arg(short = 'n', long, default_value_t = 20)]
    pub games: usize,
    /// Games played at a time.
    #[arg(short, long, default_value_t = 1, value_name = "N")]
    pub concurrency: usize,
    /// Size of the Go board.
    #[arg(short, long, default_value_t = 9)]
    pub size: u8,
    /// Komi; 7 on 9x9, else 7.5.
    #[arg(short, long, allow_negative_numbers = true)]
    pub komi: Option<f64>,
    /// Rules of Go, which decide what is legal.
    #[arg(long, default_value = "chinese", value_name = "NAME")]
    pub rules: String,
    /// GTP engine that counts finished games of Go.
    #[arg(long, value_name = "COMMAND")]
    pub referee: Option<String>,
    /// File of openings: SGF or lines of vertices; PGN, EPD, FEN or lines of UCI moves.
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Most plies taken from an opening.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub opening_plies: usize,
    /// Seed of the order of the openings; the order of the file without it.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Time for a game: SECONDS or SECONDS+INCREMENT.
    #[arg(long, value_name = "TIME", conflicts_with = "move_time")]
    pub tc: Option<TimeControl>,
    /// Seconds for each move.
    #[arg(long, value_name = "SECONDS")]
    pub move_time: Option<f64>,
    /// Nodes for each move (UCI).
    #[arg(long)]
    pub nodes: Option<u64>,
    /// Plies to search for each move (UCI).
    #[arg(long)]
    pub depth: Option<u32>,
    /// Clocks count the engines' processor time instead of wall time.
    #[arg(long)]
    pub cpu_clock: bool,
    /// Library preloaded into both engines, such as one that gives them a clock of processor time.
    #[arg(long, value_name = "FILE")]
    pub preload: Option<PathBuf>,
    /// Seconds for an answer when there is no clock.
    #[arg(long, default_value_t = 120.0, value_name = "SECONDS")]
    pub timeout: f64,
    /// Milliseconds that a clock may be exceeded by.
    #[arg(long, default_value_t = 250, value_name = "MS")]
    pub margin_ms: u64,
    /// Moves of both players, after which a game is a draw; 3 for each point in Go, 600 in chess.
    #[arg(long, value_name = "N")]
    pub max_moves: Option<usize>,
    /// End a game that both evaluate as lost for so many moves of each: in chess by so many
    /// centipawns, in Go with less than so many percent (engines with lz-genmove_analyze).
    #[arg(long, value_name = "CENTIPAWNS|PERCENT,MOVES")]
    pub resign: Option<String>,
    /// Go: GTP engine that ends a game when its estimate_score sees a large lead.
    #[arg(long, value_name = "COMMAND")]
    pub judge: Option<String>,
    /// Go: the lead, and for how many moves of both the judge must see it.
    #[arg(long, value_name = "POINTS,MOVES", default_value = "30,10")]
    pub judge_lead: String,
    /// Chess: end a game as drawn, from a move on, that both evaluate within so many centipawns for so many moves.
    #[arg(long, value_name = "MOVE,CENTIPAWNS,MOVES")]
    pub draw: Option<String>,
    /// Chess: let a game go on though the player to move could claim a draw by announcing a move;
    /// without it such a game is drawn, as python-chess counts claims.
    #[arg(long)]
    pub no_claims: bool,
    /// Stop when a sequential test decides between two Elo differences.
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    pub sprt: Option<Sprt>,
    /// Folder for the games and the plot; a match found there goes on.
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Bounds on times of an answer, so that they are sensible durations.
const MAX_SECONDS: f64 = 1e7;

impl Options {
    /// The match that the options describe.
    pub(super) fn prepare(&self) -> Result<Match, MatchError> {
        let fail = |text: &str| MatchError::Options(text.to_owned());
        if self.first_name == self.second_name {
            return Err(fail("the engines need different names"));
        }
        if [&self.first_name, &self.second_name].iter().any(|name| name.as_str() == "draw") {
            return Err(fail("an engine cannot be called draw"));
        }
        let second_protocol = self.second_protocol.unwrap_or(self.protocol);
        let is_go = self.protocol == Protocol::Gtp;
        if is_go != (second_protocol == Protocol::Gtp) {
            return Err(fail("one engine plays Go, the other chess"));
        }
        let setup = |own: &[String]| self.setup.iter().chain(own).cloned().collect();
        let specs = [
            EngineSpec {
                name: self.first_name.clone(),
                command: self.first.clone(),
                protocol: self.protocol,
                setup: setup(&self.first_setup),
            },
            EngineSpec {
                name: self.second_name.clone(),
                command: self.second.clone(),
                protocol: second_protocol,
                setup: setup(&self.second_setup),
            },
        ];
        let contest = if is_go { self.go_contest()? } else { self.chess_contest()? };
        let is_uci = [self.protocol, second_protocol].contains(&Protocol::Uci);
        if !is_uci && (self.nodes.is_some() || self.depth.is_some()) {
            return Err(fail("--nodes and --depth are for engines that speak UCI"));
        }
        let limits = self.limits(&contest)?;
        let concurrency = self.concurrency.max(1);
        Ok(Match { specs, contest, limits, games: self.games, concurrency, sprt: self.sprt })
    }

    fn go_contest(&self) -> Result<Contest, MatchError> {
        let fail = MatchError::Options;
        let size = Size::square(self.size).ok_or_else(|| fail(format!("no board has size {}", self.size)))?;
        let rules =
            Rules::by_name(&self.rules).ok_or_else(|| fail(format!("unknown rules {:?}", self.rules)))?;
        let komi = self.komi.unwrap_or(if self.size == 9 { 7.0 } else { 7.5 });
        if !komi.is_finite() {
            return Err(fail("komi must be a number".into()));
        }
        let mut openings = match &self.openings {
            Some(path) => read_go(path, size, self.opening_plies)?,
            None => vec![Vec::new()],
        };
        self.seed.into_iter().for_each(|seed| shuffle(&mut openings, seed));
        let resign = self.resign.as_deref().map(|text| numbers(text, "--resign")).transpose()?;
        let [lead, moves] = numbers(&self.judge_lead, "--judge-lead")?;
        let judge = self.judge.clone().map(|command| {
            let (lead, moves) = (f64::from(lead), moves as usize);
            JudgeSettings { command, lead, moves }
        });
        let settings = GoSettings {
            size,
            komi,
            rules,
            rules_name: self.rules.clone(),
            referee: self.referee.clone(),
            resign: resign.map(|[percent, moves]| (f64::from(percent) / 100.0, moves as usize)),
            judge,
        };
        Ok(Contest::Go(settings, openings))
    }

    fn chess_contest(&self) -> Result<Contest, MatchError> {
        let mut openings = match &self.openings {
            Some(path) => read_chess(path, self.opening_plies)?,
            None => vec![ChessOpening::default()],
        };
        self.seed.into_iter().for_each(|seed| shuffle(&mut openings, seed));
        Ok(Contest::Chess(openings))
    }

    fn limits(&self, contest: &Contest) -> Result<Limits, MatchError> {
        let seconds = |value: f64, what: &str| {
            let is_good = value > 0.0 && value < MAX_SECONDS;
            is_good
                .then_some(value)
                .ok_or_else(|| MatchError::Options(format!("bad number of seconds for {what}")))
        };
        let time = match (self.tc, self.move_time) {
            (Some(control), _) => control,
            (None, Some(value)) => TimeControl::Move(seconds(value, "a move")?),
            (None, None) => TimeControl::Unlimited,
        };
        let most = match contest {
            Contest::Go(settings, _) => settings.size.points() * 3,
            Contest::Chess(_) => 600,
        };
        let resign = self.resign.as_deref().map(|text| numbers(text, "--resign")).transpose()?;
        let draw = self.draw.as_deref().map(|text| numbers(text, "--draw")).transpose()?;
        Ok(Limits {
            time,
            timeout_s: seconds(self.timeout, "an answer")?,
            margin_s: self.margin_ms as f64 / 1000.0,
            cpu_clock: self.cpu_clock,
            nodes: self.nodes,
            depth: self.depth,
            max_moves: self.max_moves.unwrap_or(most),
            resign: resign.map(|[score, moves]| (score as i32, moves as usize)),
            draw: draw.map(|[from, score, moves]| (from as usize, score as i32, moves as usize)),
            claims: !self.no_claims,
            environment: self.preloaded()?,
        })
    }

    /// What makes the loader preload the library. It is named in full, as the
    /// loader passes over a library that it does not find.
    fn preloaded(&self) -> Result<Vec<(String, String)>, MatchError> {
        let Some(path) = &self.preload else { return Ok(Vec::new()) };
        let full =
            path.canonicalize().map_err(|e| MatchError::Options(format!("{}: {e}", path.display())))?;
        Ok(vec![("LD_PRELOAD".to_owned(), full.display().to_string())])
    }
}

/// Reads numbers between commas.
fn numbers<const N: usize>(text: &str, option: &str) -> Result<[u32; N], MatchError> {
    let parsed: Result<Vec<u32>, _> =
        text.split(',').map(|part| part.trim().parse::<u16>().map(u32::from)).collect();
    let fail = || MatchError::Options(format!("{option} takes {N} numbers with commas between them"));
    parsed.map_err(|_| fail())?.try_into().map_err(|_| fail())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(more: &str) -> Options {
        let line = format!("match --first a --second b {more}");
        Line::try_parse_from(line.split_whitespace()).unwrap().options
    }

    #[test]
    fn options_become_a_match() {
        let prepared = options("-n 4 -s 13 --tc 60+1 --sprt -5,5 --resign 500,3").prepare().unwrap();
        assert_eq!(prepared.limits.time, TimeControl::Game { base: 60.0, increment: 1.0 });
        assert_eq!(prepared.limits.max_moves, 507);
        assert_eq!(prepared.limits.resign, Some((500, 3)));
        assert!(prepared.sprt.is_some());
        let Contest::Go(settings, _) = prepared.contest else { panic!("not Go") };
        assert_eq!(settings.komi, 7.5);
    }

    #[test]
    fn contradictions_are_found() {
        for more in [
            "--second-protocol uci",
            "--first-name second",
            "--first-name draw",
            "-s 30",
            "--rules x",
            "--draw 1,2",
            "--move-time -1",
            "--timeout 0",
            "--nodes 100",
            "--protocol xboard --depth 3",
            "--preload no/such/library.so",
        ] {
            assert!(
                matches!(options(&more.replace("-1", "0")).prepare(), Err(MatchError::Options(_))),
                "{more}"
            );
        }
    }
}
