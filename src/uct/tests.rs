//! Searches of whole positions.

use super::report::Report;
use super::search::{Request, Search, Settings, new_search};
use crate::go::color::Color;
use crate::go::coord::{Move, Size};
use crate::go::game::Game;
use crate::go::rules::Rules;
use crate::playout::Policy;
use crate::shared::control::{Limits, StopFlag};

/// A game of `side` with stones as drawn, the top row first: `X` Black, `O`
/// White.
fn drawn(side: u8, komi: f64, rows: &str) -> Game {
    let size = Size::square(side).unwrap();
    let mut game = Game::new(size, Rules::CHINESE, komi);
    let mut stones = Vec::new();
    for (row, y) in rows.split_whitespace().zip((0..side).rev()) {
        for (letter, x) in row.chars().zip(0..side) {
            let color = match letter {
                'X' => Color::Black,
                'O' => Color::White,
                _ => continue,
            };
            stones.push((crate::go::coord::Coord { x, y }, Some(color)));
        }
    }
    game.set_up(stones).unwrap();
    game
}

fn settings() -> Settings {
    Settings { memory_mib: 16, ..Settings::default() }
}

fn ask(search: &mut dyn Search, game: &Game, to_move: Color, settings: &Settings, limits: Limits) -> Report {
    let request =
        Request { game, to_move, limits, stop: &StopFlag::new(), report_every: None, settings, allowed: &[] };
    search.search(&request, &mut |_| {})
}

fn answer(game: &Game, to_move: Color, simulations: u64) -> Report {
    ask(&mut *new_search(game.size()), game, to_move, &settings(), Limits::nodes(simulations))
}

/// White's three stones are in atari; Black's chain is cut off without them.
const CAPTURE: &str = "
    .........
    ..XXXX...
    ..XOOO...
    ..XXXX...
    .........
    .........
    .........
    .........
    .........";

#[test]
fn takes_what_decides_the_game() {
    let game = drawn(9, 20.0, CAPTURE);
    let report = answer(&game, Color::White, 600);
    assert_eq!(report.simulations, 600);
    let total: u64 = report.moves.iter().map(|child| child.visits).sum();
    assert!(total <= report.root_visits && total >= 590, "{total} visits of children");
    assert!(report.moves[0].mv == report.best && report.moves[0].pv[0] == report.best);
    assert_eq!(report.ownership.len(), 81);
    assert!(report.ownership.iter().all(|owner| (-1.0..=1.0).contains(owner)));
}

/// Two eyes each, nothing left but eyes and a neutral point.
const SETTLED: &str = "
    .XO.O
    XXOOO
    .XO..
    XXOOO
    .XO.O";

#[test]
fn a_pass_answers_a_pass_when_it_wins() {
    let mut game = drawn(5, -6.0, SETTLED);
    game.play(Color::White, Move::Pass).unwrap();
    assert_eq!(answer(&game, Color::Black, 200).best, Move::Pass);
}

#[test]
fn a_losing_pass_is_not_played_while_there_is_a_choice() {
    let mut game = Game::new(Size::square(7).unwrap(), Rules::CHINESE, 7.5);
    game.play(Color::Black, Move::Pass).unwrap();
    game.play(Color::White, Move::Pass).unwrap();
    let report = answer(&game, Color::Black, 300);
    assert_ne!(report.best, Move::Pass);
}

#[test]
fn one_thread_and_one_seed_repeat() {
    for policy in [Policy::Light, Policy::Heavy] {
        let game = Game::new(Size::square(9).unwrap(), Rules::CHINESE, 7.0);
        let settings = Settings { policy, ..settings() };
        let go = || {
            let mut report =
                ask(&mut *new_search(game.size()), &game, Color::Black, &settings, Limits::nodes(500));
            report.elapsed = std::time::Duration::ZERO;
            report
        };
        assert_eq!(go(), go());
    }
}

#[test]
fn the_tree_is_kept_from_move_to_move() {
    let mut game = Game::new(Size::square(9).unwrap(), Rules::CHINESE, 7.0);
    let mut search = new_search(game.size());
    let first = ask(&mut *search, &game, Color::Black, &settings(), Limits::nodes(2000));
    for mv in first.moves[0].pv.iter().take(2) {
        game.play(game.to_move(), *mv).unwrap();
    }
    let next = ask(&mut *search, &game, Color::Black, &settings(), Limits::nodes(100));
    assert!(next.root_visits > 100, "{} visits", next.root_visits);
    search.clear();
    let fresh = ask(&mut *search, &game, Color::Black, &settings(), Limits::nodes(100));
    assert_eq!(fresh.root_visits, 100);
}

#[test]
fn memory_that_runs_out_ends_nothing() {
    let game = Game::new(Size::square(19).unwrap(), Rules::CHINESE, 7.5);
    let settings = Settings { memory_mib: 2, policy: Policy::Light, ..settings() };
    let report = ask(&mut *new_search(game.size()), &game, Color::Black, &settings, Limits::nodes(4000));
    assert_eq!(report.simulations, 4000);
    assert!(report.tree_bytes <= 2 << 20);
}

#[test]
fn threads_share_the_work() {
    let game = Game::new(Size::square(9).unwrap(), Rules::CHINESE, 7.0);
    let settings = Settings { threads: 4, ..settings() };
    let report = ask(&mut *new_search(game.size()), &game, Color::Black, &settings, Limits::nodes(2000));
    assert_eq!(report.simulations, 2000);
    assert_eq!(report.root_visits, 2000);
}

#[test]
fn every_geometry_searches_every_shape() {
    for (width, height) in [(2, 2), (7, 3), (13, 11), (25, 14), (25, 25)] {
        let game = Game::new(Size::new(width, height).unwrap(), Rules::CHINESE, 0.5);
        let report = answer(&game, Color::Black, 40);
        assert!(report.best.coord().is_none_or(|coord| game.size().contains(coord)));
        assert!((0.0..=1.0).contains(&report.win_rate));
    }
}

#[test]
fn whole_games_end_with_every_move_legal() {
    let size = Size::square(5).unwrap();
    let mut game = Game::new(size, Rules::TROMP_TAYLOR, 0.5);
    let mut search = new_search(size);
    while game.passes_in_a_row() < 2 {
        assert!(game.events().len() < 200, "games end");
        let report = ask(&mut *search, &game, game.to_move(), &settings(), Limits::nodes(60));
        assert_eq!(game.play(game.to_move(), report.best), Ok(()));
    }
}

#[test]
fn only_allowed_moves_are_searched() {
    let game = Game::new(Size::square(9).unwrap(), Rules::CHINESE, 7.0);
    let allowed = ["A1".parse().unwrap(), "B7".parse().unwrap()];
    let settings = settings();
    let request = Request {
        game: &game,
        to_move: Color::Black,
        limits: Limits::nodes(200),
        stop: &StopFlag::new(),
        report_every: None,
        settings: &settings,
        allowed: &allowed,
    };
    let report = new_search(game.size()).search(&request, &mut |_| {});
    assert_eq!(report.moves.len(), 2);
    assert!(allowed.contains(&report.best));
}

#[test]
fn report_73_many_short_searches_with_threads() {
    let size = Size::square(7).unwrap();
    let mut game = Game::new(size, Rules::CHINESE, 7.0);
    let settings = Settings { threads: 3, memory_mib: 4, ..settings() };
    let mut search = new_search(size);
    for turn in 0..300 {
        let report = ask(&mut *search, &game, game.to_move(), &settings, Limits::nodes(20));
        assert_eq!(report.simulations, 20);
        if turn % 40 == 39 {
            game = Game::new(size, Rules::CHINESE, 7.0);
        } else {
            assert_eq!(game.play(game.to_move(), report.best), Ok(()));
        }
    }
}

/// No thread goes on by itself once the time is up.
#[test]
fn report_74_all_threads_stop_together() {
    let game = Game::new(Size::square(9).unwrap(), Rules::CHINESE, 7.0);
    for threads in 2..=6 {
        let settings = Settings { threads, ..settings() };
        let stop = StopFlag::new();
        stop.raise();
        let request = Request {
            game: &game,
            to_move: Color::Black,
            limits: Limits::default(),
            stop: &stop,
            report_every: None,
            settings: &settings,
            allowed: &[],
        };
        let report = new_search(game.size()).search(&request, &mut |_| {});
        assert!(report.simulations <= threads as u64 * settings.params.check_every as u64);
    }
}

#[test]
fn report_85_reports_come_no_faster_than_asked() {
    let game = Game::new(Size::square(9).unwrap(), Rules::CHINESE, 7.0);
    let every = std::time::Duration::from_millis(3);
    let settings = settings();
    let request = Request {
        game: &game,
        to_move: Color::Black,
        limits: Limits::nodes(3000),
        stop: &StopFlag::new(),
        report_every: Some(every),
        settings: &settings,
        allowed: &[],
    };
    let mut count = 0;
    let report = new_search(game.size()).search(&request, &mut |_| count += 1);
    assert!(every * count <= report.elapsed, "{count} reports");
}
