//! The tree search: simulations of a fixed number from fixed positions, with
//! a fresh tree each time. Each bench asserts what it computes.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tengen::go::color::Color;
use tengen::go::coord::Size;
use tengen::go::game::Game;
use tengen::go::rules::Rules;
use tengen::playout::Policy;
use tengen::shared::control::{Limits, StopFlag};
use tengen::uct::report::Report;
use tengen::uct::search::{Request, Search, Settings, new_search};

fn search(search: &mut dyn Search, game: &Game, settings: &Settings, simulations: u64) -> Report {
    let request = Request {
        game,
        to_move: Color::Black,
        limits: Limits::nodes(simulations),
        stop: &StopFlag::new(),
        report_every: None,
        settings,
        allowed: &[],
    };
    search.clear();
    search.search(&request, &mut |_| {})
}

fn search_benches(criterion: &mut Criterion, side: u8, simulations: u64) {
    let size = Size::square(side).unwrap();
    let game = Game::new(size, Rules::CHINESE, 7.0);
    let mut group = criterion.benchmark_group(format!("search {side}x{side}"));
    group.throughput(Throughput::Elements(simulations)).sample_size(20);
    for policy in [Policy::Light, Policy::Heavy] {
        let settings = Settings { policy, memory_mib: 64, ..Settings::default() };
        let mut searcher = new_search(size);
        let expected = search(&mut *searcher, &game, &settings, simulations);
        group.bench_function(policy.to_string(), |bench| {
            bench.iter(|| {
                let report = search(&mut *searcher, black_box(&game), &settings, simulations);
                assert_eq!((report.best, report.tree_nodes), (expected.best, expected.tree_nodes));
            });
        });
    }
    group.finish();
}

fn all_sizes(criterion: &mut Criterion) {
    search_benches(criterion, 9, 1000);
    search_benches(criterion, 13, 500);
    search_benches(criterion, 19, 200);
}

criterion_group!(benches, all_sizes);
criterion_main!(benches);
