//! When to pass.
//!
//! A pass may be the last move of the game, so it is made when the game is won
//! both with every stone on the board taken as alive and with dead stones taken
//! off: whichever way the opponent or a server counts. What is dead is asked of
//! the [`Judge`](crate::uct::status::Judge), who takes a fixed number of
//! simulations however few a move gets. Where the fate of stones depends on who
//! moves next, nobody passes, and his move is played. Otherwise there is more to lose by
//! passing than by playing on, as long as a move is left that fills no eye.

use super::{Engine, Manner};
use crate::go::benson::Unconditional;
use crate::go::bits::PointSet as _;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move};
use crate::go::rules::Scoring;
use crate::shared::control::{Limits, StopFlag};
use crate::uct::report::Report;
use crate::uct::status::{Effort, Status};

/// The share of a move's time that may go into finding out whether the game is
/// over.
pub(super) const STATUS_SHARE: f64 = 0.15;
/// Mean ownership below which a point is open.
const OPEN: f32 = 0.6;
/// A search with so many visits knows itself when a pass is best.
const ENOUGH_VISITS: u64 = 800;
/// A win rate below which a lost game is not dragged out.
const HOPELESS: f64 = 0.02;

/// What to do before any search.
pub(super) enum Plan {
    /// Nothing is left to gain.
    Pass,
    /// To search among these moves, or all if none are named.
    Search(Vec<Move>),
}

/// What to play in place of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// Nothing: the pass is right.
    Nothing,
    /// This move.
    This(Move),
    /// Whatever is best besides.
    Anything,
}

/// How the game ends for a player if both pass now.
#[derive(Clone, Copy, Debug)]
struct Ending {
    /// Points with every stone on the board taken as alive.
    standing: f64,
    /// Points with dead stones taken off.
    judged: f64,
    /// Whether nothing but dame is left.
    settled: bool,
    /// How many points the judgement may be off.
    doubt: f64,
}

impl Ending {
    fn is_won(&self) -> bool {
        self.standing > 0.0 && self.judged > 0.0
    }

    fn is_surely_won(&self) -> bool {
        self.is_won() && (self.settled || self.judged > self.doubt)
    }

    fn is_lost(&self) -> bool {
        self.standing < 0.0 && self.judged < 0.0
    }
}

impl Engine {
    /// Whether to pass without a search, and if not, which moves are worth a
    /// thought.
    pub(super) fn plan(&mut self, color: Color, manner: Manner, stop: &StopFlag, limits: &Limits) -> Plan {
        let passed = self.game.passes_in_a_row() > 0;
        if !passed && !self.looks_settled() {
            return Plan::Search(Vec::new());
        }
        let status = self.status_within(stop, limits);
        if manner == Manner::CleanUp {
            return self.clean_up(color, passed, &status);
        }
        match self.game.rules().scoring {
            Scoring::Area => self.plan_by_area(color, passed, &status),
            Scoring::Territory if !status.is_settled() => Plan::Search(Vec::new()),
            Scoring::Territory => {
                let dame = self.free_dame(color, &status);
                if dame.is_empty() { Plan::Pass } else { Plan::Search(dame) }
            }
        }
    }

    /// [`Engine::plan`] where moves inside one's own area cost nothing.
    fn plan_by_area(&self, color: Color, passed: bool, status: &Status) -> Plan {
        let dame: Vec<Move> = status.dame().map(Move::Play).filter(|&mv| self.is_legal(color, mv)).collect();
        let ending = self.ending(color, status);
        let nothing_open = ending.settled && dame.is_empty();
        if ending.is_surely_won() && (nothing_open || (passed && self.deciding_move(color, status).is_none()))
        {
            return Plan::Pass;
        }
        if ending.settled && ending.judged > 0.0 {
            // What is left is to take dame, and dead stones that would count.
            let moves = dame.into_iter().chain(self.removal(color, status)).collect();
            return Plan::Search(moves);
        }
        let hopeless = self.last.as_ref().is_some_and(|last| last.report.win_rate_of(color) < HOPELESS);
        if !passed {
            Plan::Search(Vec::new())
        } else if ending.settled && ending.is_lost() && hopeless && dame.is_empty() {
            Plan::Pass
        } else {
            let moves: Vec<Move> = self.sensible_moves(color).map(Move::Play).collect();
            if moves.is_empty() { Plan::Pass } else { Plan::Search(moves) }
        }
    }

    fn clean_up(&self, color: Color, passed: bool, status: &Status) -> Plan {
        match status.is_settled() {
            true if status.has_dead(color.opponent()) => Plan::Search(self.removal(color, status)),
            // The opponent takes off what is dead, or gives it up by passing.
            true if passed || !status.has_dead(color) => Plan::Pass,
            _ => Plan::Search(Vec::new()),
        }
    }

    /// What to do where a search found a pass best.
    pub(super) fn instead_of_pass(&mut self, report: &Report, stop: &StopFlag, limits: &Limits) -> Instead {
        let status = self.status_within(stop, limits);
        if let Some(mv) = self.deciding_move(report.to_move, &status) {
            return Instead::This(mv);
        }
        let ending = self.ending(report.to_move, &status);
        let other = report.moves.iter().find(|found| found.mv != Move::Pass);
        let others_lose = other.is_none_or(|other| other.win_rate < 0.5);
        let knows = report.root_visits >= ENOUGH_VISITS || others_lose;
        if !(ending.is_surely_won() || (ending.is_won() && knows)) {
            return Instead::Anything;
        }
        let by_territory = self.game.rules().scoring == Scoring::Territory && status.is_settled();
        let dame = if by_territory { self.free_dame(report.to_move, &status) } else { Vec::new() };
        dame.first().map_or(Instead::Nothing, |&mv| Instead::This(mv))
    }

    /// The move by which `color` decides the fate of stones, so that nobody has to
    /// ask after the game what becomes of them.
    fn deciding_move(&self, color: Color, status: &Status) -> Option<Move> {
        let mv = Move::Play(status.deciding_move(color)?);
        (self.is_legal(color, mv) && !self.idle_moves(color).contains(&mv)).then_some(mv)
    }

    /// Dame that `color` can take without risk. By territory they are worth
    /// nothing, but some have to be answered, and that costs a point.
    fn free_dame(&self, color: Color, status: &Status) -> Vec<Move> {
        let dame = status.dame().map(Move::Play);
        dame.filter(|&mv| self.is_legal(color, mv) && self.is_safe(color, mv)).collect()
    }

    /// The status of the game, found in a part of the time that a move gets.
    fn status_within(&mut self, stop: &StopFlag, limits: &Limits) -> Status {
        let time = limits.soft_time.map(|time| time.mul_f64(STATUS_SHARE));
        self.judge.status(&self.game, &self.settings.search, stop, Effort::Within(time))
    }

    fn ending(&self, color: Color, status: &Status) -> Ending {
        let sign = f64::from(color.sign());
        let judged = sign * status.score(&self.game);
        let standing = match self.game.rules().scoring {
            Scoring::Area => sign * self.game.area_result(),
            // Dead stones are taken off before counting.
            Scoring::Territory => judged,
        };
        // Each open point may go from one player to the other.
        let open = status.ownership().iter().filter(|mean| mean.abs() < OPEN).count();
        let doubt = 2.0 * open.saturating_sub(status.dame().count()) as f64;
        Ending { standing, judged, settled: status.is_settled(), doubt }
    }

    fn is_legal(&self, color: Color, mv: Move) -> bool {
        self.game.check(color, mv).is_ok()
    }

    /// Legal moves that fill no own single-point eye, and may gain something.
    pub(super) fn sensible_moves(&self, color: Color) -> impl Iterator<Item = Coord> + '_ {
        let board = self.game.board();
        let idle = self.idle_moves(color);
        let moves = self.game.legal_moves(color).into_iter();
        moves.filter(move |&coord| {
            !board.is_eye(board.point(coord), color) && !idle.contains(&Move::Play(coord))
        })
    }

    /// Moves into what is decided already, where nothing is left to take: they
    /// cost points or look silly, whatever the rules.
    pub(super) fn idle_moves(&self, color: Color) -> Vec<Move> {
        let board = self.game.board();
        let idle = Unconditional::of(board).idle(board, color);
        idle.iter().map(|point| Move::Play(board.coord(point))).collect()
    }

    /// Whether the last search found nearly every point decided.
    fn looks_settled(&self) -> bool {
        let Some(last) = &self.last else { return false };
        let open = last.report.ownership.iter().filter(|mean| mean.abs() < OPEN).count();
        last.events + 2 >= self.game.events().len() && open * 20 <= self.game.size().points()
    }

    /// Moves that help to take the opponent's dead stones off: on their
    /// liberties, if possible without giving stones away.
    fn removal(&self, color: Color, status: &Status) -> Vec<Move> {
        let board = self.game.board();
        let mut moves = Vec::new();
        for coord in self.game.size().coords() {
            if self.game.color_at(coord) != Some(color.opponent()) || !status.is_dead(coord) {
                continue;
            }
            let liberties = board.liberties(board.point(coord));
            for liberty in liberties.iter() {
                let mv = Move::Play(board.coord(liberty));
                if !moves.contains(&mv) && self.game.check(color, mv).is_ok() {
                    moves.push(mv);
                }
            }
        }
        let safe: Vec<Move> = moves.iter().copied().filter(|&mv| self.is_safe(color, mv)).collect();
        if safe.is_empty() { moves } else { safe }
    }

    /// Whether a move takes stones or leaves its own in no atari.
    fn is_safe(&self, color: Color, mv: Move) -> bool {
        let board = self.game.board();
        let point = mv.coord().map(|coord| board.point(coord));
        point.is_some_and(|at| !board.is_self_atari(at, color) || board.would_capture(at, color))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Decision, Settings};
    use super::*;
    use crate::go::coord::Size;
    use crate::go::rules::Rules;

    const ALL: [u64; 3] = [1, 2, 3];

    fn engine(side: u8, playouts: u64, seed: u64) -> Engine {
        let mut settings = Settings { playouts: Some(playouts), resign: 0.0, ..Settings::default() };
        settings.search.seed = seed;
        settings.search.memory_mib = 16;
        let mut engine = Engine::new(settings, Size::square(side).unwrap());
        engine.set_rules(Rules::CHINESE);
        engine
    }

    fn play(engine: &mut Engine, moves: &str) {
        for mv in moves.split_whitespace() {
            let color = engine.game().to_move();
            engine.play(color, mv.parse().unwrap()).unwrap();
        }
    }

    fn passes(engine: &mut Engine) -> bool {
        let color = engine.game().to_move();
        engine.decide(color, Manner::Play, &[], &StopFlag::new(), None) == Decision::Move(Move::Pass)
    }

    #[test]
    fn nobody_passes_with_dead_stones_that_would_win_if_alive() {
        for seed in ALL {
            for moves in ["C3 D2 D3 C2 B2", "C3 D2 D3 C2 B2 C4 pass"] {
                let mut engine = engine(5, 100, seed);
                play(&mut engine, moves);
                assert!(!passes(&mut engine), "{moves}, seed {seed}");
            }
        }
    }

    #[test]
    fn a_pass_in_the_opening_is_not_answered_by_one() {
        for moves in ["pass", "E5 pass", "E5 C3 pass"] {
            let mut engine = engine(9, 20, 1);
            engine.set_komi(20.5);
            play(&mut engine, moves);
            assert!(!passes(&mut engine), "{moves}");
        }
    }

    /// Two walls from edge to edge on 7x7: Black has a column more.
    fn walls(playouts: u64) -> Engine {
        let mut engine = engine(7, playouts, 1);
        engine.set_komi(0.5);
        play(&mut engine, "D1 E1 D2 E2 D3 E3 D4 E4 D5 E5 D6 E6 D7 E7");
        engine
    }

    #[test]
    fn a_won_game_is_passed_out_with_few_playouts() {
        for playouts in [1, 20, 100] {
            let mut engine = walls(playouts);
            engine.play(Color::White, Move::Pass).unwrap();
            engine.set_to_move(Color::Black);
            assert!(passes(&mut engine), "{playouts} playouts");
        }
    }

    /// Both live with two eyes and room to spare; Black is behind, so passing is
    /// never right, and still nothing is left but to pass.
    #[test]
    fn nobody_fills_what_is_decided() {
        for rules in [Rules::CHINESE, Rules::JAPANESE, Rules::TROMP_TAYLOR, Rules::AGA] {
            let mut engine = engine(5, 60, 1);
            engine.set_rules(rules);
            engine.set_komi(6.5);
            let black = ["A4", "B4", "B5", "A2", "B3", "B2", "B1"];
            let white = ["C5", "C4", "C3", "C2", "C1", "D4", "E4", "D2", "E2"];
            let stones = |names: &[&str], color| -> Vec<(Coord, Option<Color>)> {
                names.iter().map(|name| (name.parse().unwrap(), Some(color))).collect()
            };
            engine.set_up([stones(&black, Color::Black), stones(&white, Color::White)].concat()).unwrap();
            for color in Color::BOTH {
                engine.set_to_move(color);
                assert!(passes(&mut engine), "{color:?}");
                engine.play(color, Move::Pass).unwrap();
            }
        }
    }

    /// Whoever moves takes stones, makes two eyes or takes them away, or cuts:
    /// C1, E8, J8, H8, F7 and J7.
    #[test]
    fn nobody_passes_while_the_next_move_decides() {
        let ends = [
            (
                Rules::JAPANESE,
                0.5,
                "B1 F3 F4 G4 F5 E3 G5 D5 D6 E6 C5 E5 E7 D7 C6 F7 E8 F8 D8 H6 G3 H4 H5 J5 H3 J4 J3 J6 G6 H7 G7 H8 \
                 G8 G9 H9 J9 F9 E9 D9 F9 C7 E4 C3 F6 D2 E2 G2 F1 G1 F2 D1 D3 C4 E1 D4 C2 B2",
            ),
            (
                Rules::CHINESE,
                7.5,
                "J8 C1 E5 C5 C4 D4 D5 C6 D3 C3 E4 B4 C2 D4 D1 B2 D2 E7 F7 F6 E6 G7 F8 G8 G6 H6 G5 H5 G4 E8 F9 G9 \
                 F5 H4 H7 E9 F6 G3 H2 G2 H3 H1 J2 C4 F3 F2 B1 A2 D7 C7 D8 C8 J4 D6 D9 C9 J6 H8 H9 H8 J5 H5 H4 A1 \
                 C1 E3 E2 E1 E3 E7 F1 G9 G8 E9",
            ),
            (
                Rules::ING,
                7.5,
                "F4 A1 D5 E5 E4 D6 C6 D4 C5 F5 G5 G6 F6 E6 F7 G4 H5 H4 D7 H6 J5 J4 E7 J6 F5 F3 E3 E2 D2 F2 D3 H2 \
                 C4 D1 C1 E1 C2 B1 A2 A3 B2 G7 G8 H8 F8 G9 F9 H9 J7 H7 G3 G2",
            ),
            (
                Rules::JAPANESE,
                5.5,
                "B1 F3 F5 D5 D4 E5 E4 F4 G5 C4 C5 D3 B4 C3 C6 E6 E7 D7 D6 F6 F7 G6 G7 H6 H7 H5 B3 C2 B2 C1 D8 G4 \
                 C7 J7 J8 J6",
            ),
            (
                Rules::TROMP_TAYLOR,
                7.5,
                "B5 H3 G4 G3 F4 F3 E4 E3 D3 D2 C2 C3 D4 B2 E2 C1 C4 E1 F7 G7 G6 F8 H7 G8 E7 H8 H6 E8 D8 D7 C7 D6 \
                 C8 F6 J8 H9 H4 E6 J3 J2 J4 H2 G2 F2 B3 C2 A2 E9 D9 C6 B6 B7 B8 G1 A7 F5 G5 J9 J7 C5 B4 B1 A1 A3 \
                 A2 A1 A4 A2 D5 E5 E7",
            ),
            (
                Rules::ING,
                7.5,
                "J9 A5 E5 D4 E4 D3 D5 C5 C6 B6 C4 B5 C3 C7 D6 C2 E3 D2 D7 C8 D8 E8 C9 B9 D9 E9 B8 B7 A9 B3 E2 G6 \
                 F7 G7 G8 H8 F8 H9 H5 G5 G4 H6 H4 J5 J4 J6 F9 J8 D1 C1 E1 F6 E7 B4 A7 A6 G9 A8 B9 A7 F5 E6 H7",
            ),
        ];
        for (case, (rules, komi, moves)) in ends.into_iter().enumerate() {
            let mut engine = engine(9, 60, 1);
            engine.set_rules(rules);
            engine.set_komi(komi);
            play(&mut engine, moves);
            assert!(!passes(&mut engine), "case {case}, first");
            play(&mut engine, "pass");
            assert!(!passes(&mut engine), "case {case}, after a pass");
        }
    }

    /// White may not retake the ko at once, but later: G1 has to be filled.
    #[test]
    fn a_ko_is_connected_before_the_end() {
        let mut engine = engine(9, 60, 1);
        engine.set_rules(Rules::JAPANESE);
        play(
            &mut engine,
            "J5 B7 E4 F5 E5 E6 D6 D7 C6 C7 F6 E7 G5 F7 G6 C4 D3 C3 C2 B2 D2 D5 C5 D4 B4 B3 B1 B5 A2 A4 G8 E3 F4 \
             E2 C1 G3 F3 F2 G2 H2 H3 G1 G4 G7 H7 F8 H8 B6 G2 G9 G3 E1 H9 F9 H1 J1 J3 A3 J2 A1 H1 D1 F1 pass",
        );
        assert!(!passes(&mut engine));
    }

    /// White's pass lets him retake the ko at A1, so Black takes all at C2.
    #[test]
    fn a_ko_for_life_is_finished_before_the_end() {
        let mut engine = engine(9, 60, 1);
        engine.set_rules(Rules::JAPANESE);
        play(
            &mut engine,
            "C4 E8 F6 D5 D4 E5 F4 E4 E3 F5 G5 F3 G4 D3 E2 C3 C5 C6 D6 D7 E6 B6 B5 A5 A4 A6 C7 C8 B7 B8 A7 A8 F8 \
             G8 F7 F9 G7 H8 H7 J7 J8 J9 J6 H6 J8 J5 J7 H5 H9 H3 H4 J4 G3 G2 F2 H2 G9 E9 E7 D8 G1 H1 F1 J3 G6 F5 \
             J1 J2 J1 H2 E5 H1 H3 J2 J3 A6 B6 B3 A5 A3 G2 D2 J1 H1 H2 B2 C1 D1 B1 A1 A2 B4 E1 A1 C9 B9 A2 pass",
        );
        let c2 = Decision::Move(Move::Play("C2".parse().unwrap()));
        assert_eq!(engine.decide(Color::Black, Manner::Play, &[], &StopFlag::new(), None), c2);
    }

    #[test]
    fn a_lost_game_is_not_ended_early() {
        let mut engine = walls(20);
        engine.play(Color::Black, Move::Pass).unwrap();
        assert!(!passes(&mut engine));
    }

    /// White is far behind, and A6 is still a point: what the search likes best
    /// may be a move inside Black's area, which is not played, but then a pass
    /// is no better.
    #[test]
    fn the_last_point_is_taken_in_a_lost_game() {
        for seed in ALL {
            let mut engine = engine(9, 300, seed);
            engine.set_komi(0.5);
            play(
                &mut engine,
                "G6 D4 D6 F4 E5 E4 C4 C5 D5 B4 C3 C6 C7 B7 B8 C8 D7 B9 B6 A8 B5 B3 B2 D2 C2 D3 G4 G3 H3 H4 G5 \
                 H2 F3 J3 F2 G2 D8 D9 E9 C9 E8 G7 H5 J5 J6 J4 H7 F5 F6 F1 E1 G1 D1 C1 B1 E2 E3 E4 F4 D3 D4 A4 \
                 A5 A7 A3 A2 A1 H8 G8 F8 F7 G9 F9",
            );
            assert!(!passes(&mut engine), "seed {seed}");
        }
    }

    /// White has to answer J1 at H3, and loses a point of territory by it.
    #[test]
    fn dame_are_taken_where_territory_counts() {
        let mut engine = engine(9, 100, 1);
        engine.set_rules(Rules::JAPANESE);
        engine.set_komi(-3.5);
        play(
            &mut engine,
            "D1 D2 C2 D3 D5 F5 C3 D4 C4 E5 D6 E7 D7 D8 C8 E8 F3 G3 G2 G4 E2 H2 H1 G1 F1 J2 E4 F4 E3 B8 B7 C9 \
             C7 A7 A8 A9 A6 B9 A8 D9 A7 E6",
        );
        engine.play(Color::Black, Move::Pass).unwrap();
        let dame = ["G1", "J1"].map(|at| Decision::Move(Move::Play(at.parse().unwrap())));
        let decision = engine.decide(Color::White, Manner::Play, &[], &StopFlag::new(), None);
        assert!(dame.contains(&decision), "{decision:?}");
    }

    #[test]
    fn dead_stones_that_decide_are_taken_off_first() {
        // White's stone among Black's makes the left side nobody's until it is
        // taken off.
        let mut engine = walls(100);
        engine.set_komi(6.5);
        let stones = [("B2", Color::Black), ("B4", Color::Black), ("B6", Color::Black), ("A4", Color::White)];
        engine.set_up(stones.map(|(at, color)| (at.parse().unwrap(), Some(color))).into()).unwrap();
        engine.play(Color::Black, Move::Pass).unwrap();
        assert!(!passes(&mut engine), "White would lose by the status of the stone");
        engine.play(Color::White, Move::Pass).unwrap();
        let status = engine.status_within(&StopFlag::new(), &Limits::nodes(100));
        let ending = engine.ending(Color::Black, &status);
        assert!(ending.judged > 0.0 && ending.standing < 0.0, "{ending:?}");
        assert!(!passes(&mut engine), "Black would lose as the board stands");
    }
}
