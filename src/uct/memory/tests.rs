use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::hints::{self, Hints, Weights};
use super::lesson::{self, Share, UNIT};
use super::place::{self, Place, known_moves};
use super::*;
use crate::go::coord::{Coord, Move, Size};
use crate::go::rules::Rules;
use crate::go::symmetry::Symmetry;
use crate::shared::control::{Limits, StopFlag};
use crate::shared::hash::Key;
use crate::shared::learn::{Bound, Record};
use crate::uct::search::{Request, Settings, new_search};

type Known = HashMap<Key, Record>;

fn size() -> Size {
    Size::square(9).unwrap()
}

fn game() -> Game {
    Game::new(size(), Rules::CHINESE, 7.5)
}

fn at(text: &str) -> Coord {
    match text.parse().unwrap() {
        Move::Play(coord) => coord,
        Move::Pass => unreachable!("a point"),
    }
}

/// Black and White in turn.
fn played(moves: &[Coord]) -> Game {
    let mut game = game();
    for &coord in moves {
        game.play(game.to_move(), Move::Play(coord)).unwrap();
    }
    game
}

fn all() -> Share {
    Share::fading(size())
}

fn points(text: &str) -> Vec<Coord> {
    text.split_whitespace().map(at).collect()
}

fn learn(known: &mut Known, batch: Vec<(Key, Record)>) {
    for (key, record) in batch {
        let entry = known.entry(key).or_insert(Record::EMPTY);
        *entry = entry.merged(record);
    }
}

fn hints_of(known: &Known, game: &Game) -> Hints {
    let weights = Weights::new(&SearchParams::default(), game.size());
    hints::find(&|key| known.get(&key).copied(), game.board(), game.to_move(), weights)
}

fn hint(hints: &Hints, game: &Game, coord: Coord) -> Option<f32> {
    use crate::go::zobrist::side_key;
    hints.get(&(game.board().key() ^ side_key(game.to_move()), coord)).map(|prior| prior.value)
}

#[test]
fn a_game_in_one_corner_teaches_all_corners() {
    let opening = points("C3 G7 C7 G3 E5 F6");
    let mut known = Known::new();
    learn(&mut known, lesson::of_game(&played(&opening), 1.0, &all()));
    for symmetry in Symmetry::all(size()) {
        let image: Vec<Coord> = opening.iter().map(|&coord| symmetry.apply(size(), coord)).collect();
        for ply in 0..image.len() {
            let now = played(&image[..ply]);
            let value = hint(&hints_of(&known, &now), &now, image[ply]).unwrap();
            // Black won.
            assert_eq!(value > 0.5, ply % 2 == 0, "{symmetry:?} ply {ply}: {value}");
        }
    }
    // On the empty board all four corners are the same, and nothing else is known.
    assert_eq!(hints_of(&known, &game()).keys().filter(|(key, _)| *key == game().board().key()).count(), 4);
}

#[test]
fn the_result_fades_with_the_distance_to_the_end() {
    let mut moves = points("C3 G7 C7 G3 E5 F6");
    moves.extend(size().coords().filter(|coord| coord.y == 0).take(6));
    let game = played(&moves);
    let batch = lesson::of_game(&game, 1.0, &all());
    assert_eq!(batch.len(), moves.len() + 1);
    assert!(batch.windows(2).all(|pair| pair[0].1.games() < pair[1].1.games()));
    assert!((batch.last().unwrap().1.games() - 1.0).abs() < 1e-6);
    let first = batch[0].1;
    assert!(first.wins > 0.7 && first.losses == 0.0, "Black, who won, is to move: {first:?}");
    assert!(batch[1].1.losses > 0.7 && batch[1].1.wins == 0.0);
    assert_eq!(
        lesson::of_game(&game, 0.5, &Share::opening(3)).iter().map(|(_, r)| r.games()).collect::<Vec<_>>(),
        [1.0; 4]
    );
}

/// Black takes at D4: White's C4 is in atari.
fn before_a_capture() -> Vec<Coord> {
    points("C5 C4 B4 G7 C3 G3")
}

#[test]
fn captures_are_known_moves() {
    let mut moves = before_a_capture();
    moves.push(at("D4"));
    moves.push(at("E5"));
    let mut known = Known::new();
    learn(&mut known, lesson::of_game(&played(&moves), 1.0, &all()));
    let now = played(&before_a_capture());
    let found = known_moves(&|key| known.get(&key).copied(), now.board(), Color::Black);
    assert_eq!(found.iter().map(|known| known.coord).collect::<Vec<_>>(), [at("D4")]);
    // And the reply, on the board after the capture.
    let mut after = now.clone();
    after.play(Color::Black, Move::Play(at("D4"))).unwrap();
    assert!(after.color_at(at("C4")).is_none());
    assert!(hint(&hints_of(&known, &now), &after, at("E5")).is_some());
}

#[test]
fn positions_with_a_ko_are_not_kept_but_moves_out_of_them_are() {
    // White takes back at D4 where Black's C4... and Black may not retake.
    let moves = points("C5 D5 B4 E4 C3 D3 D4 C4");
    let game = played(&moves);
    assert!(game.board().ko_point().is_some());
    assert!(Place::of(game.board(), game.to_move()).is_none());
    let mut longer = game.clone();
    longer.play(Color::Black, Move::Play(at("G7"))).unwrap();
    let mut known = Known::new();
    learn(&mut known, lesson::of_game(&longer, 0.0, &all()));
    assert_eq!(known.len(), moves.len() + 1, "all positions but one");
    assert!(hint(&hints_of(&known, &game), &game, at("G7")).is_some());
}

#[test]
fn a_position_counts_once_however_the_game_is_ended() {
    let mut game = played(&points("C3 G7"));
    for _ in 0..2 {
        game.play(game.to_move(), Move::Pass).unwrap();
    }
    let batch = lesson::of_game(&game, 1.0, &all());
    let keys: HashSet<Key> = batch.iter().map(|&(key, _)| key).collect();
    assert_eq!((batch.len(), keys.len()), (3, 3));
    let place = Place::of(played(&points("C3 G7")).board(), Color::Black).unwrap();
    assert_eq!(place.named(batch[2].1.best), Some(Move::Pass));
}

#[test]
fn moves_keep_their_meaning_in_every_image() {
    let game = played(&points("C3 G7 C7"));
    for symmetry in Symmetry::all(size()) {
        let image =
            played(&points("C3 G7 C7").iter().map(|&c| symmetry.apply(size(), c)).collect::<Vec<_>>());
        let [place, other] = [&game, &image].map(|game| Place::of(game.board(), game.to_move()).unwrap());
        assert_eq!(place.key, other.key);
        let mv = Move::Play(at("G3"));
        assert_eq!(place.named(place.number(mv)), Some(mv));
        let there = Move::Play(symmetry.apply(size(), at("G3")));
        assert_eq!(other.named(place.number(mv)), Some(there));
        assert_eq!(place.named(place.number(Move::Pass)), Some(Move::Pass));
    }
}

#[test]
fn other_terms_have_other_schemas() {
    let base = place::terms(size(), Rules::CHINESE, 7.5);
    assert_eq!(base, place::terms(size(), Rules::CHINESE_SUPERKO, 6.5));
    for other in [
        place::terms(size(), Rules::JAPANESE, 7.5),
        place::terms(size(), Rules::NEW_ZEALAND, 7.5),
        place::terms(size(), Rules::CHINESE, 0.5),
        place::terms(size(), Rules::CHINESE, -7.5),
        place::terms(size(), Rules::CHINESE, 30.0),
        place::terms(Size::new(9, 8).unwrap(), Rules::CHINESE, 7.5),
    ] {
        assert_ne!(base.id(), other.id(), "{}", other.text());
    }
}

fn search(game: &Game, hints: Hints, nodes: u64) -> Report {
    let settings = Settings { memory_mib: 16, hints: Arc::new(hints), ..Settings::default() };
    let request = Request {
        game,
        to_move: game.to_move(),
        limits: Limits::nodes(nodes),
        stop: &StopFlag::new(),
        report_every: None,
        settings: &settings,
        allowed: &[],
    };
    new_search(game.size()).search(&request, &mut |_| {})
}

/// As sure as memory can be that `color` wins with `coord`.
fn sure(game: &Game, coord: Coord) -> Known {
    let mut after = game.clone();
    after.play(game.to_move(), Move::Play(coord)).unwrap();
    let key = Place::of(after.board(), after.to_move()).unwrap().key;
    let record = Record::of_search(Record::NO_MOVE, 0, 1 << 20, Bound::Exact);
    HashMap::from([(key, record.merged(Record::of_game(Record::NO_MOVE, 0.0, 1000.0)))])
}

#[test]
fn a_wrong_memory_is_overcome_and_a_right_one_followed() {
    let game = played(&points("E5 E4 D4 F4 E3 G7 F3 G3"));
    let wrong = at("A1");
    let hints = hints_of(&sure(&game, wrong), &game);
    assert!(
        hints
            .values()
            .all(|prior| prior.weight <= SearchParams::default().memory_most as f32 && prior.value > 0.99)
    );
    let report = search(&game, hints, 3000);
    assert_ne!(report.best, Move::Play(wrong), "{:?}", report.moves[0]);
    // Black G4 takes two stones, but so do other moves nearly as well.
    let plain = search(&game, Hints::new(), 300);
    let second = plain.moves.iter().find(|found| found.mv != plain.best).unwrap().mv;
    let hints = hints_of(&sure(&game, second.coord().unwrap()), &game);
    assert!(visits(&search(&game, hints, 300), second) > visits(&plain, second));
}

fn visits(report: &Report, mv: Move) -> u64 {
    report.moves.iter().find(|found| found.mv == mv).map_or(0, |found| found.visits)
}

#[test]
fn memory_reaches_the_root_of_a_tree_that_is_used_again() {
    let game = played(&points("E5 C3"));
    let mut search = new_search(game.size());
    let mut ask = |hints: Hints| {
        let settings = Settings { memory_mib: 16, hints: Arc::new(hints), ..Settings::default() };
        let request = Request {
            game: &game,
            to_move: game.to_move(),
            limits: Limits::nodes(100),
            stop: &StopFlag::new(),
            report_every: None,
            settings: &settings,
            allowed: &[],
        };
        search.search(&request, &mut |_| {})
    };
    let prior = |report: &Report, mv: Move| report.moves.iter().find(|found| found.mv == mv).unwrap().prior;
    let mv = Move::Play(at("J1"));
    let before = ask(Hints::new());
    let hints = hints_of(&sure(&game, at("J1")), &game);
    let after = ask(hints.clone());
    assert!(after.root_visits > before.root_visits, "the tree was kept");
    assert!(prior(&before, mv) < 0.6 && prior(&after, mv) > 0.7);
    assert!(visits(&after, mv) > visits(&before, mv) + 10);
    assert_eq!(prior(&ask(hints), mv), prior(&after, mv), "told once more, nothing changes");
}

#[test]
fn searches_of_a_position_are_pooled() {
    let game = played(&points("E5 C3"));
    let report = search(&game, Hints::new(), 400);
    let mut known = Known::new();
    for round in 1..=2_u32 {
        let batch = lesson::of_search(&|key| known.get(&key).copied(), game.board(), &report);
        assert!(batch.len() > 2);
        learn(&mut known, batch);
        let place = Place::of(game.board(), game.to_move()).unwrap();
        let root = known[&place.key];
        assert_eq!(root.effort, round * report.root_visits as u32);
        assert!((f64::from(root.score) / UNIT - report.win_rate).abs() < 1e-3);
        assert_eq!(place.named(root.best), Some(report.best));
    }
    let best = report.moves[0].mv.coord().unwrap();
    let value = hint(&hints_of(&known, &game), &game, best).unwrap();
    assert!((f64::from(value) - report.moves[0].win_rate).abs() < 1e-2);
    let shallow = Report { root_visits: 100, ..report };
    assert!(lesson::of_search(&|_| None, game.board(), &shallow).is_empty());
}

#[test]
fn a_result_is_learnt_once_and_a_new_game_sees_what_others_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("l"), 1000);
    let mut memory = GoMemory::new(store.clone());
    let game = played(&points("C3 G7 C7"));
    memory.learn_result(&game, 1.0);
    memory.learn_result(&game, 1.0);
    assert!(memory.is_judged());
    let key = Place::of(game.board(), game.to_move()).unwrap().key;
    assert_eq!(memory.memory(&game).probe(key).map(|record| record.games()), Some(1.0));
    drop(memory);
    let mut memory = GoMemory::new(store.clone());
    assert_eq!(memory.memory(&game).probe(key).map(|record| record.games()), Some(1.0));
    store.merge(&place::schema(&game), &[(key, Record::of_game(0, 1.0, 1.0))]).unwrap();
    memory.begin_game();
    assert_eq!(memory.memory(&game).probe(key).map(|record| record.games()), Some(2.0));
}

#[test]
fn an_opening_that_was_played_often_is_followed_unless_it_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = GoMemory::new(Store::new(folder.path().join("l"), 1000));
    let size = Size::square(13).unwrap();
    let empty = Game::new(size, Rules::CHINESE, 7.5);
    let (black, white) = ((Color::Black, 1.0), (Color::White, 0.0));
    assert!(memory.book(&empty, Color::Black).is_empty());
    for (first, (_, result), times) in [("D4", black, 3), ("C3", white, 4), ("G7", black, 1)] {
        for _ in 0..times {
            let mut game = empty.clone();
            game.play(Color::Black, first.parse().unwrap()).unwrap();
            memory.learn_result(&game, result);
            memory.begin_game();
        }
    }
    let mut found: Vec<String> = memory.book(&empty, Color::Black).iter().map(Move::to_string).collect();
    found.sort();
    // Three wins in all four corners; four losses and a single win are left out.
    assert_eq!(found, ["D10", "D4", "K10", "K4"]);
    assert!(memory.book(&empty, Color::White).is_empty());
}
