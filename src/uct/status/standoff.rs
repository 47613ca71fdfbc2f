//! Chains of both players that share liberties: perhaps neither can attack.

use crate::go::bits::PointSet;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::Coord;
use crate::go::geometry::{G25, Geometry, Point};

type Bits = <G25 as Geometry>::Bits;

/// Chains that hang together by liberties they share with enemies.
pub(super) struct Standoff {
    /// The stones of Black's chains and of White's.
    pub chains: [Vec<Coord>; 2],
}

/// Chains with more liberties are in no standoff.
pub(super) const MOST_LIBERTIES: u32 = 4;

/// The places on `board` where chains share a liberty with an enemy chain and
/// neither is among the stones that are `alive`, those with the most stones
/// first.
pub(super) fn find(board: &Board<G25>, alive: Bits) -> Vec<Standoff> {
    let is_open = |head: Point| !alive.contains(head) && board.liberty_count(head) <= MOST_LIBERTIES;
    let mut found: Vec<Bits> = Vec::new();
    for liberty in board.empty_points().iter() {
        let heads = Board::<G25>::neighbors(liberty).into_iter().filter(|&near| board.on_board(near));
        let heads = heads.filter(|&near| !board.is_empty(near)).map(|near| board.head(near));
        let heads: Vec<Point> = heads.filter(|&head| is_open(head)).collect();
        let both = Color::BOTH.iter().all(|&c| heads.iter().any(|&head| board.color_at(head) == Some(c)));
        if both {
            let stones = heads.iter().flat_map(|&head| board.chain(head)).fold(Bits::empty(), Bits::with);
            join(&mut found, stones);
        }
    }
    let coords = |set: Bits| set.iter().map(|point| board.coord(point)).collect::<Vec<_>>();
    let standoff =
        |stones: Bits| Standoff { chains: Color::BOTH.map(|color| coords(stones.and(board.stones(color)))) };
    found.sort_by_key(|stones| std::cmp::Reverse(stones.count()));
    found.into_iter().map(standoff).collect()
}

/// Adds a place, as one with those that it shares stones with.
fn join(found: &mut Vec<Bits>, mut stones: Bits) {
    found.retain(|place| {
        let apart = !place.intersects(stones);
        if !apart {
            stones = stones.or(*place);
        }
        apart
    });
    found.push(stones);
}
