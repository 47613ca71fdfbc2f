//! The board's basic operations: play, undo, copy, legality, score and the light
//! playout.
//! Each bench asserts what it computes.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tengen::go::board::Board;
use tengen::go::color::Color;
use tengen::go::coord::{Move, Size};
use tengen::go::game::Game;
use tengen::go::geometry::{G9, G13, G19, Geometry, Point};
use tengen::go::rules::Rules;
use tengen::playout::light;
use tengen::shared::rng::Rng;

/// A game of random legal moves that fill no eye.
fn game<G: Geometry>(side: u8) -> (Board<G>, Vec<(Point, Color)>) {
    let empty = Board::<G>::new(Size::square(side).unwrap());
    let mut moves = Vec::new();
    light::play_out_with(&mut empty.clone(), Color::Black, &mut Rng::new(5, 0), |point, color| {
        moves.push((point, color));
    });
    (empty, moves)
}

fn replay<G: Geometry>(empty: &Board<G>, moves: &[(Point, Color)]) -> Board<G> {
    let mut board = empty.clone();
    moves.iter().for_each(|&(point, color)| board.play(point, color));
    board
}

fn board_benches<G: Geometry>(criterion: &mut Criterion, side: u8) {
    let (empty, moves) = game::<G>(side);
    let last = replay(&empty, &moves);
    let middle = replay(&empty, &moves[..moves.len() / 2]);
    let mut group = criterion.benchmark_group(format!("{side}x{side}"));
    group.bench_function("play a game", |bench| {
        bench.iter(|| assert_eq!(replay(&empty, black_box(&moves)).key(), last.key()));
    });
    let mut whole = Game::new(empty.size(), Rules::CHINESE, 0.0);
    for &(point, color) in &moves {
        whole.play(color, Move::Play(empty.coord(point))).expect("light playouts keep to simple ko");
    }
    group.bench_function("undo the last of the game's moves", |bench| {
        let earlier = replay(&empty, &moves[..moves.len() - 1]).key();
        bench.iter_batched_ref(
            || whole.clone(),
            |game| {
                game.undo();
                assert_eq!(game.board().key(), earlier);
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("copy", |bench| {
        let mut board = empty.clone();
        bench.iter(|| {
            board.copy_from(black_box(&middle));
            assert_eq!(board.key(), middle.key());
        });
    });
    let legal =
        |board: &Board<G>| board.points().filter(|&point| board.is_legal(point, Color::Black, false)).count();
    let expected = legal(&middle);
    group.bench_function("count legal moves", |bench| {
        bench.iter(|| assert_eq!(legal(black_box(&middle)), expected));
    });
    group.bench_function("area score", |bench| {
        bench.iter(|| assert_eq!(black_box(&last).area_score(), last.area_score()));
    });
    group.bench_function("light playout", |bench| {
        let (mut board, mut rng) = (empty.clone(), Rng::new(1, 0));
        bench.iter(|| {
            board.copy_from(&empty);
            let outcome = light::play_out(&mut board, Color::Black, &mut rng);
            assert!(outcome.score.unsigned_abs() as usize <= empty.size().points());
        });
    });
    group.finish();
}

fn all_sizes(criterion: &mut Criterion) {
    board_benches::<G9>(criterion, 9);
    board_benches::<G13>(criterion, 13);
    board_benches::<G19>(criterion, 19);
}

criterion_group!(benches, all_sizes);
criterion_main!(benches);
