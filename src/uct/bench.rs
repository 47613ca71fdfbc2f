//! A fixed piece of work, whose result tells whether anything changed.

use std::sync::Arc;

use super::report::Report;
use super::search::{Request, Settings, new_search};
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Game;
use crate::go::rules::Rules;
use crate::net::network::Network;
use crate::playout::Policy;
use crate::shared::control::{Limits, StopFlag};
use crate::shared::hash::mix;

/// Board side, simulations, policy, and the moves that lead to the position,
/// by column and row, Black first.
type Position = (u8, u64, Policy, &'static [(u8, u8)]);

const POSITIONS: [Position; 5] = [
    (9, 400, Policy::Light, &[]),
    (9, 400, Policy::Heavy, &[(4, 4), (2, 3), (6, 5), (3, 6), (3, 3), (3, 2)]),
    (5, 300, Policy::Heavy, &[(2, 2), (1, 2), (2, 3), (1, 1)]),
    (13, 150, Policy::Heavy, &[(3, 3), (9, 9), (3, 9), (9, 3)]),
    (19, 100, Policy::Heavy, &[(3, 15), (15, 3), (15, 15), (3, 3), (2, 5), (5, 2)]),
];

/// One number over searches of fixed positions: chosen moves, visits, sizes of
/// trees, scores. The same on every machine; a change of how Go is searched or
/// played out changes it, and so does another network.
#[must_use]
pub fn signature(net: Option<&Arc<Network>>) -> u64 {
    POSITIONS.iter().fold(0, |sum, position| fold(sum, &search(position, net)))
}

fn search(&(side, simulations, policy, moves): &Position, net: Option<&Arc<Network>>) -> Report {
    let size = Size::square(side).expect("sides in the table are valid");
    let mut game = Game::new(size, Rules::CHINESE, 7.0);
    for &(x, y) in moves {
        let played = game.play(game.to_move(), Move::Play(Coord { x, y }));
        debug_assert!(played.is_ok(), "moves in the table are legal");
    }
    let settings = Settings { policy, memory_mib: 32, net: net.cloned(), ..Settings::default() };
    let request = Request {
        game: &game,
        to_move: game.to_move(),
        limits: Limits::nodes(simulations),
        stop: &StopFlag::new(),
        report_every: None,
        settings: &settings,
        allowed: &[],
    };
    new_search(size).search(&request, &mut |_| {})
}

fn fold(sum: u64, report: &Report) -> u64 {
    let add = |sum: u64, word: u64| mix(sum.rotate_left(5) ^ word);
    let mv = |mv: Move| mv.coord().map_or(u64::MAX, |at| u64::from(at.x) << 8 | u64::from(at.y));
    let mut sum = add(sum, mv(report.best));
    for word in [report.tree_nodes, report.root_visits, report.simulations] {
        sum = add(sum, word);
    }
    sum = add(sum, (report.score_mean * 1e3).round() as i64 as u64);
    report.moves.iter().fold(sum, |sum, child| add(add(sum, mv(child.mv)), child.visits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_repeats() {
        let net = crate::net::embedded();
        assert_eq!(signature(net.as_ref()), signature(net.as_ref()));
        assert_ne!(signature(net.as_ref()), signature(None));
    }
}
