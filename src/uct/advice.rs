//! What the network says, as the search uses it.

use std::sync::Arc;

use super::child::{Child, Prior};
use super::engine::Engine;
use super::params::SearchParams;
use super::simulate::PASS;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::go::game::{Event, Game};
use crate::go::geometry::{Geometry, Point};
use crate::net::Evaluation;
use crate::net::evaluate::Evaluator;
use crate::net::features::{HISTORY, PLANES, extract_with, place, plane};
use crate::net::network::Network;
use crate::playout::reading::Reader;
use crate::playout::tactics;

/// Share of the network's probability left to a move that runs in a ladder and
/// is caught all the same, or chases in one a chain that gets away: records
/// hardly ever hold one, so it knows no better.
const IN_VAIN: f32 = 0.1;

/// The last moves of a game, the latest first; `None` is a pass.
pub type Recent = Vec<Option<Point>>;

/// A position that the network is asked about.
pub struct Asked<'a, G: Geometry> {
    /// Its stones.
    pub board: &'a Board<G>,
    /// Whose turn it is.
    pub to_move: Color,
    /// The moves that led to it, the latest first.
    pub last: &'a [Option<Point>],
}

impl<G: Geometry> Clone for Asked<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Geometry> Copy for Asked<'_, G> {}

/// How thoroughly the network looks at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As it stands.
    Once,
    /// Under every symmetry of the board, averaged.
    AllWays,
}

/// Asks the network about positions of one search. Each thread has its own.
pub struct Adviser<G: Geometry> {
    evaluator: Evaluator,
    reader: Reader<G>,
    planes: Vec<u8>,
    /// The children's probabilities before they are made to add up to one.
    shares: Vec<f32>,
    komi: f64,
    /// What a probability of one is worth, in simulations.
    weight: f32,
    /// AMAF samples for each simulation that an opinion is worth.
    amaf: f32,
}

impl<G: Geometry> Adviser<G> {
    /// For boards of `size`, where White's score is raised by `komi`.
    #[must_use]
    pub fn new(net: Arc<Network>, size: Size, komi: f64, params: &SearchParams) -> Self {
        Adviser {
            evaluator: Evaluator::new(net),
            reader: Reader::new(),
            planes: vec![0; size.points() * PLANES],
            shares: Vec::new(),
            komi,
            weight: params.net_policy_weight as f32,
            amaf: params.prior_amaf as f32,
        }
    }

    /// What the network says of a position.
    fn evaluate(&mut self, at: Asked<'_, G>, look: Look) -> &Evaluation {
        extract_with(at.board, at.to_move, at.last, &mut self.reader, &mut self.planes);
        match look {
            Look::Once => self.evaluator.evaluate(&self.planes, at.board.size()),
            Look::AllWays => self.evaluator.evaluate_all_ways(&self.planes, at.board.size()),
        }
    }

    /// Tells the children of a position what the network thinks of them, and
    /// returns the win rate of the player to move.
    pub fn advise(&mut self, at: Asked<'_, G>, look: Look, children: &[Child]) -> f32 {
        let komi = own_komi(self.komi, at.to_move);
        let win_rate = self.evaluate(at, look).win_rate(komi);
        self.share_out(at, children);
        for (child, &policy) in children.iter().zip(&self.shares) {
            let opinion = Prior { value: 1.0, weight: self.weight * policy.sqrt() };
            child.advise(policy, opinion, self.amaf * opinion.weight);
        }
        win_rate
    }

    /// Looks all ways at a position that the network was asked about before,
    /// and tells the children what it thinks of them now.
    pub fn revise(&mut self, at: Asked<'_, G>, children: &[Child]) {
        self.evaluate(at, Look::AllWays);
        self.share_out(at, children);
        for (child, &policy) in children.iter().zip(&self.shares) {
            child.advise_anew(policy, self.weight, self.amaf);
        }
    }

    /// Works out the children's probabilities by what the network last said.
    fn share_out(&mut self, at: Asked<'_, G>, children: &[Child]) {
        let Asked { board, to_move, .. } = at;
        let (found, planes) = (self.evaluator.latest(), &self.planes);
        let size = board.size();
        let reader = &mut self.reader;
        let mut probability = |child: &Child| match child.mv() {
            PASS => found.pass,
            mv => {
                let point = Point::from_index(mv.into());
                let at = place(size, board.coord(point));
                let in_vain = planes[at * PLANES + plane::LOST_ESCAPE] != 0
                    || tactics::chases_in_vain(board, to_move, point, reader);
                found.policy[at] * if in_vain { IN_VAIN } else { 1.0 }
            }
        };
        self.shares.clear();
        self.shares.extend(children.iter().map(&mut probability));
        let inverse = 1.0 / self.shares.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        self.shares.iter_mut().for_each(|share| *share = (*share * inverse).min(1.0));
    }
}

/// What komi adds to the score of `color`.
fn own_komi(komi: f64, color: Color) -> f32 {
    -(komi * f64::from(color.sign())) as f32
}

/// The network's view of a position, for people and tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// The player to move.
    pub to_move: Color,
    /// The probability of each point as the next move, in the order of
    /// `Size::coords`.
    pub policy: Vec<f32>,
    /// The probability of a pass.
    pub pass: f32,
    /// Who will own each point, from -1 (White) to 1 (Black), likewise.
    pub ownership: Vec<f32>,
    /// The probability that Black wins.
    pub black_wins: f32,
    /// Black's expected score, komi counted, in points.
    pub black_lead: f32,
}

impl Opinion {
    /// What `net` says of the game as it stands, with `to_move` to move.
    #[must_use]
    pub fn new(net: &Arc<Network>, game: &Game, to_move: Color, look: Look) -> Self {
        let (board, size) = (game.board(), game.size());
        let komi = game.total_komi() + f64::from(game.placed_balance().unwrap_or(0));
        let mut adviser = Adviser::new(net.clone(), size, komi, &SearchParams::default());
        let last = recent_moves(board, game, to_move);
        let found = adviser.evaluate(Asked { board, to_move, last: &last }, look);
        let sign = to_move.sign() as f32;
        let win = found.win_rate(own_komi(komi, to_move));
        let in_order =
            |of: &[f32]| -> Vec<f32> { size.coords().map(|coord| of[place(size, coord)]).collect() };
        Opinion {
            to_move,
            policy: in_order(&found.policy),
            pass: found.pass,
            ownership: in_order(&found.ownership).iter().map(|owner| owner * sign).collect(),
            black_wins: if to_move == Color::Black { win } else { 1.0 - win },
            black_lead: (found.score + own_komi(komi, to_move)) * sign,
        }
    }
}

impl Engine {
    /// What the network says of the game as it stands with `to_move` to move,
    /// if there is a network.
    #[must_use]
    pub fn opinion(&self, to_move: Color) -> Option<Opinion> {
        let net = self.settings().search.net.as_ref()?;
        Some(Opinion::new(net, self.game(), to_move, Look::AllWays))
    }
}

impl Opinion {
    /// The moves of a board of `size` with their probabilities, the likeliest
    /// first.
    #[must_use]
    pub fn ranked(&self, size: Size) -> Vec<(Move, f32)> {
        let points = size.coords().map(Move::Play).zip(self.policy.iter().copied());
        let mut moves: Vec<_> = points.chain([(Move::Pass, self.pass)]).collect();
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        moves
    }
}

/// The moves that led to the game's last position, where `to_move` is next, as
/// far as the network looks back, as points of `board`'s geometry. Moves of
/// players out of turn are set-up in disguise, as programs and test suites send
/// it: what was played before them, and they themselves, say nothing of what
/// the players were about.
pub(super) fn recent_moves<G: Geometry>(board: &Board<G>, game: &Game, to_move: Color) -> Recent {
    let mut turn = to_move;
    let moves = game.events().iter().rev().take(HISTORY).map_while(|event| match event {
        Event::Move(color, mv) => {
            turn = turn.opponent();
            (*color == turn).then(|| mv.coord().map(|coord| board.point(coord)))
        }
        Event::Setup(_) => None,
    });
    moves.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::coord::Coord;
    use crate::go::rules::Rules;
    use crate::net::reference::random_network;
    use crate::shared::control::{Limits, StopFlag};
    use crate::uct::report::Report;
    use crate::uct::search::{Request, Search, Settings, new_search};

    fn game(moves: usize) -> Game {
        game_of(9, moves)
    }

    fn game_of(side: u8, moves: usize) -> Game {
        let mut game = Game::new(Size::square(side).unwrap(), Rules::CHINESE, 5.5);
        for index in 0..moves as u8 {
            let coord = Coord { x: 1 + index * 3 % 5, y: 1 + index * 2 % 5 };
            game.play(game.to_move(), Move::Play(coord)).unwrap();
        }
        game
    }

    fn settings(params: &[(&str, &str)]) -> Settings {
        let net = Some(random_network(16, 1, 4));
        let mut settings = Settings { memory_mib: 8, net, ..Settings::default() };
        params.iter().for_each(|(name, value)| settings.params.set(name, value).unwrap());
        settings
    }

    fn search(game: &Game, settings: &Settings, simulations: u64) -> Report {
        go_on(&mut *new_search(game.size()), game, settings, simulations)
    }

    fn go_on(search: &mut dyn Search, game: &Game, settings: &Settings, simulations: u64) -> Report {
        let request = Request {
            game,
            to_move: game.to_move(),
            limits: Limits::nodes(simulations),
            stop: &StopFlag::new(),
            report_every: None,
            settings,
            allowed: &[],
        };
        search.search(&request, &mut |_| {})
    }

    fn shown(report: &Report) -> Vec<(Move, u64, f64)> {
        report.moves.iter().map(|found| (found.mv, found.visits, found.prior)).collect()
    }

    /// The priors of a search are what the network said.
    fn assert_priors(report: &Report, opinion: &Opinion, size: Size) {
        for found in &report.moves {
            let Move::Play(coord) = found.mv else { continue };
            let said = f64::from(opinion.policy[size.index(coord)]);
            assert!((said - found.prior).abs() < 0.02, "{coord}: {said} {}", found.prior);
        }
    }

    #[test]
    fn one_thread_repeats_and_several_agree_on_the_priors() {
        let game = game(3);
        let settings = settings(&[("net_value_9x9", "0.5"), ("net_visits", "2")]);
        let first = search(&game, &settings, 300);
        assert_eq!(shown(&search(&game, &settings, 300)), shown(&first));
        assert_ne!(shown(&search(&game, &Settings { net: None, ..settings.clone() }, 300)), shown(&first));
        let all: f64 = first.moves.iter().map(|found| found.prior).sum();
        assert!((all - 1.0).abs() < 1e-3, "probabilities add up to {all}");
        let mut crowd = shown(&search(&game, &Settings { threads: 4, ..settings }, 300));
        let mut one = shown(&first);
        for moves in [&mut crowd, &mut one] {
            moves.sort_by_key(|&(mv, ..)| mv.to_string());
            moves.iter_mut().for_each(|(_, visits, _)| *visits = 0);
        }
        assert_eq!(crowd, one);
    }

    #[test]
    fn a_search_and_an_opinion_see_the_same() {
        for moves in 0..4 {
            let game = game(moves);
            let settings = settings(&[("net_value_9x9", "1")]);
            let net = settings.net.clone().unwrap();
            let opinion = Opinion::new(&net, &game, game.to_move(), Look::AllWays);
            let report = search(&game, &settings, 1);
            // Two positions were looked at: the root, and the one after its
            // first move.
            let tried = report.moves.iter().find(|found| found.visits == 1).unwrap();
            let mut after = game.clone();
            after.play(after.to_move(), tried.mv).unwrap();
            let next = Opinion::new(&net, &after, after.to_move(), Look::Once);
            let of_black = report.win_rate_of(Color::Black);
            let mean = (opinion.black_wins + next.black_wins) / 2.0;
            assert!((of_black - f64::from(mean)).abs() < 1e-3, "{of_black} {mean}");
            assert_priors(&report, &opinion, game.size());
        }
    }

    #[test]
    fn a_root_that_was_in_the_tree_is_looked_at_all_ways_too() {
        let mut game = game(2);
        let settings = settings(&[]);
        let mut search = new_search(game.size());
        let best = go_on(&mut *search, &game, &settings, 300).best;
        game.play(game.to_move(), best).unwrap();
        let opinion = Opinion::new(settings.net.as_ref().unwrap(), &game, game.to_move(), Look::AllWays);
        for _ in 0..2 {
            let report = go_on(&mut *search, &game, &settings, 100);
            assert!(report.root_visits > 100, "the tree was not kept");
            assert_priors(&report, &opinion, game.size());
        }
    }

    #[test]
    fn moves_out_of_turn_are_no_recent_moves() {
        use Color::{Black, White};
        let recent = |colors: &[Color], to_move| {
            let mut game = game(0);
            for (x, &color) in (0..).zip(colors) {
                game.play(color, Move::Play(Coord { x, y: 2 })).unwrap();
            }
            let board = game.board();
            recent_moves(board, &game, to_move).len()
        };
        assert_eq!(recent(&[Black, White, Black], White), 3);
        assert_eq!(recent(&[Black, White, Black], Black), 0);
        assert_eq!(recent(&[Black, Black, Black], White), 1);
        assert_eq!(recent(&[White, White, Black, White], Black), 3);
        assert_eq!(recent(&[], Black), 0);
    }

    #[test]
    fn win_rates_count_only_on_boards_where_they_gain() {
        let with = |side: u8, weight| {
            let settings = settings(&[("net_value_9x9", weight), ("net_value_19x19", weight)]);
            search(&game_of(side, 3), &settings, 60).win_rate
        };
        for side in [7, 13] {
            assert_eq!(with(side, "1"), with(side, "0"), "{side}");
        }
        for side in [9, 19] {
            assert_ne!(with(side, "1"), with(side, "0"), "{side}");
        }
    }

    #[test]
    fn a_network_that_counts_for_much_is_followed() {
        let game = game(2);
        // One that was not trained has no opinion left when it looks all ways.
        let mut settings = settings(&[("net_exploration", "10"), ("net_policy_weight", "0")]);
        settings.net = crate::net::embedded();
        let report = search(&game, &settings, 400);
        let mut moves: Vec<_> = report.moves.iter().map(|found| (found.prior, found.visits)).collect();
        moves.sort_by(|a, b| b.0.total_cmp(&a.0));
        let visits = |moves: &[(f64, u64)]| moves.iter().map(|(_, visits)| visits).sum::<u64>();
        let quarter = moves.len() / 4;
        let (likely, unlikely) = (visits(&moves[..quarter]), visits(&moves[moves.len() - quarter..]));
        assert!(likely > unlikely, "{likely} visits of likely moves, {unlikely} of unlikely ones");
    }

    #[test]
    fn komi_and_colour_change_the_win_rate_the_right_way() {
        let net = random_network(16, 1, 4);
        let mut game = game(2);
        let before = Opinion::new(&net, &game, Color::Black, Look::AllWays);
        game.set_komi(20.0);
        let after = Opinion::new(&net, &game, Color::Black, Look::AllWays);
        assert!(after.black_wins < before.black_wins);
        assert!((before.black_lead - after.black_lead - 14.5).abs() < 1e-3);
        assert_eq!(before.policy, after.policy);
        let white = Opinion::new(&net, &game, Color::White, Look::AllWays);
        game.set_komi(5.5);
        assert!(Opinion::new(&net, &game, Color::White, Look::AllWays).black_wins > white.black_wins);
    }
}
