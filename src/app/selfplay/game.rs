//! One game of the engine with itself.

use crate::formats::game_line::GameLine;
use crate::formats::sgf::{GameResult, Margin};
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::net::features::{place, reading_order};
use crate::shared::control::StopFlag;
use crate::shared::rng::Rng;
use crate::uct::engine::{Decision, Engine, Manner, Settings};
use crate::uct::report::Report;
use crate::uct::search;

/// How all games are played.
pub struct Table {
    pub size: Size,
    pub komi: f64,
    /// Simulations for a move.
    pub playouts: u64,
    /// Moves at the start that are drawn in proportion to their visits.
    pub drawn: usize,
    pub seed: u64,
    pub search: search::Settings,
}

/// What the search thought before a move. Values are Black's, komi counted.
pub struct Label {
    /// The share of the visits for each point, in reading order from the top
    /// left, and for the pass.
    pub policy: Vec<f32>,
    pub score: f64,
    pub win_rate: f64,
}

/// A game, with a label for each of its moves.
pub struct Played {
    pub line: GameLine,
    pub komi: f64,
    pub labels: Vec<Label>,
    /// Whose each point was in the end: 1 Black's, -1 White's, in reading order.
    pub ownership: Vec<f32>,
    /// Black's score in the end, komi counted.
    pub score: f64,
}

impl Played {
    /// 1 if Black won, 0 if White did, one half for a draw.
    pub fn won(&self) -> f64 {
        if self.score == 0.0 { 0.5 } else { f64::from(u8::from(self.score > 0.0)) }
    }
}

impl Table {
    /// Plays game `number`. It ends when both pass, or one does without having
    /// had to think; such passes are not part of the record.
    ///
    /// # Errors
    /// The engine plays a move that the rules forbid.
    pub fn play(&self, number: usize) -> anyhow::Result<Played> {
        let mut rng = Rng::new(self.seed, number as u64);
        let mut engine = self.engine(rng.next_u64());
        let (mut moves, mut labels) = (Vec::new(), Vec::new());
        let mut owners: Vec<f32> = Vec::new();
        while engine.game().passes_in_a_row() < 2 && moves.len() < 3 * self.size.points() {
            let color = engine.game().to_move();
            let decision = engine.decide(color, Manner::Play, &[], &StopFlag::default(), None);
            let Decision::Move(mut mv) = decision else { break };
            let thought_now = engine.searched_game().events().len() == engine.game().events().len();
            let Some(report) = engine.last_report().filter(|_| thought_now) else { break };
            if moves.len() < self.drawn && mv != Move::Pass {
                mv = drawn(report, &mut rng)
                    .filter(|&mv| engine.game().check(color, mv).is_ok())
                    .unwrap_or(mv);
            }
            owners.clone_from(&report.ownership);
            labels.push(label(self.size, report));
            engine.play(color, mv)?;
            moves.push((color, mv));
        }
        while moves.last().is_some_and(|&(_, mv)| mv == Move::Pass) {
            moves.pop();
        }
        labels.truncate(moves.len());
        Ok(self.concluded(moves, labels, &owners))
    }

    fn engine(&self, seed: u64) -> Engine {
        let search = search::Settings { seed, ..self.search.clone() };
        let settings = Settings { search, playouts: Some(self.playouts), resign: 0.0, ..Settings::default() };
        let mut engine = Engine::new(settings, self.size);
        engine.set_komi(self.komi);
        engine
    }

    /// The game, counted by who owns the points at the last search; `owners`
    /// are in the order of [`Size::coords`].
    fn concluded(&self, moves: Vec<(Color, Move)>, labels: Vec<Label>, owners: &[f32]) -> Played {
        let owner = |coord| {
            owners.get(self.size.index(coord)).map_or(0.0, |owner| owner.signum() * owner.abs().ceil())
        };
        let ownership: Vec<f32> = reading_order(self.size).map(owner).collect();
        let score = ownership.iter().map(|&owner| f64::from(owner)).sum::<f64>() - self.komi;
        let result = match score {
            0.0 => GameResult::Draw,
            _ if score > 0.0 => GameResult::Win(Color::Black, Margin::Points(score)),
            _ => GameResult::Win(Color::White, Margin::Points(-score)),
        };
        let line = GameLine {
            source: "selfplay".into(),
            size: self.size,
            komi: Some(self.komi),
            result,
            handicap: Vec::new(),
            moves,
        };
        Played { line, komi: self.komi, labels, ownership, score }
    }
}

/// A move, as likely as it has visits.
fn drawn(report: &Report, rng: &mut Rng) -> Option<Move> {
    let total: u64 = report.moves.iter().map(|found| found.visits).sum();
    let mut left = rng.below(total.max(1) as usize) as u64;
    let chosen = report.moves.iter().find(|found| {
        let is_it = left < found.visits;
        left = left.saturating_sub(found.visits);
        is_it
    });
    chosen.map(|found| found.mv)
}

fn label(size: Size, report: &Report) -> Label {
    let total = report.moves.iter().map(|found| found.visits).sum::<u64>().max(1) as f32;
    let mut policy = vec![0.0; size.points() + 1];
    for found in &report.moves {
        let at = found.mv.coord().map_or(size.points(), |coord| place(size, coord));
        policy[at] = found.visits as f32 / total;
    }
    Label { policy, score: report.score_of(Color::Black), win_rate: report.win_rate_of(Color::Black) }
}
