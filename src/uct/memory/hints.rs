//! What memory says of the moves near the root, as priors.

use std::collections::{HashMap, HashSet};

use super::lesson::UNIT;
use super::place::{KnownMove, Probe, known_moves};
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Size};
use crate::go::geometry::Geometry;
use crate::go::zobrist::side_key;
use crate::shared::hash::Key;
use crate::shared::learn::Record;
use crate::uct::child::Prior;
use crate::uct::params::SearchParams;

/// What is expected of moves in positions near the root, for their player.
pub type Hints = HashMap<(Key, Coord), Prior>;

/// Plies from the root within which known positions are looked up.
const REACH: usize = 5;
/// Positions whose moves are looked up for one search at most.
const MOST_POSITIONS: usize = 160;
/// The most simulations that earlier searches of a position count for.
const MOST_SEARCH_WEIGHT: f32 = 16.0;
/// What a move gains that everybody chose.
const POPULARITY: f32 = 0.5;
/// Games through a position after which half of that is gained.
const POPULARITY_GAMES: f32 = 100.0;
/// The side of the board that [`Weights`] are meant for.
const USUAL_SIDE: f32 = 9.0;
/// More than this does not fit into a node beside the other priors.
const MOST_EVER: f32 = 200.0;

/// What a memory weighs, in simulations.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// A game through a position.
    pub game: f32,
    /// All together, at most.
    pub most: f32,
}

impl Weights {
    /// As the parameters say, for a board of `size`: on a large one moves
    /// differ less, and it takes more simulations to tell them apart.
    #[must_use]
    pub fn new(params: &SearchParams, size: Size) -> Self {
        let most = params.memory_most as f32 * (f32::from(size.longer_side()) / USUAL_SIDE).max(1.0);
        Weights { game: params.memory_game as f32, most: most.min(MOST_EVER) }
    }
}

/// What `probe` knows of the moves of `color` on `board`, and of those after
/// them.
pub fn find<G: Geometry>(probe: &Probe<'_>, board: &Board<G>, color: Color, weights: Weights) -> Hints {
    let mut hints = Hints::new();
    let mut seen = HashSet::new();
    let mut queue = vec![(board.clone(), color, 0)];
    let mut next = 0;
    while let Some((board, color, ply)) = queue.get(next).cloned() {
        next += 1;
        let known = known_moves(probe, &board, color);
        let games = distinct_games(&known);
        for KnownMove { coord, record, .. } in &known {
            hints.insert((board.key() ^ side_key(color), *coord), prior(record, games, weights));
            if ply + 1 < REACH && queue.len() < MOST_POSITIONS {
                let mut after = board.clone();
                after.play(after.point(*coord), color);
                if seen.insert((after.key(), color)) {
                    queue.push((after, color.opponent(), ply + 1));
                }
            }
        }
    }
    hints
}

/// Games through a position by these moves, mirror images counted once.
pub(super) fn distinct_games(known: &[KnownMove]) -> f32 {
    let mut seen = HashSet::new();
    known.iter().filter(|known| seen.insert(known.place.key)).map(|known| known.record.games()).sum()
}

/// What the record of the position after a move says of the move, for its
/// player: the mean of earlier searches and of games, the games weighing more,
/// and more for a move that was often chosen where `games` were played.
fn prior(record: &Record, games: f32, weights: Weights) -> Prior {
    let searched = (record.effort as f32).sqrt().min(MOST_SEARCH_WEIGHT);
    let played = record.games() * weights.game;
    let weight = searched + played;
    if weight <= 0.0 {
        return Prior { value: 0.5, weight: 0.0 };
    }
    let search_value = 1.0 - f32::from(record.score) / UNIT as f32;
    let won = record.losses * weights.game;
    let mean = (search_value * searched + won) / weight;
    let share = (record.games() / games.max(f32::MIN_POSITIVE)).min(1.0);
    let chosen = POPULARITY * share.sqrt() * games / (games + POPULARITY_GAMES);
    Prior { value: (mean + chosen).clamp(0.0, 1.0), weight: weight.min(weights.most) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::learn::Bound;

    fn prior(record: &Record, games: f32) -> Prior {
        super::prior(record, games, Weights { game: 40.0, most: 120.0 })
    }

    #[test]
    fn games_outweigh_searches_and_the_weight_is_capped() {
        let searched = Record::of_search(0, (0.4 * UNIT) as i16, 1000, Bound::Exact);
        let alone = prior(&searched, 0.0);
        assert!((alone.value - 0.6).abs() < 1e-3 && alone.weight <= MOST_SEARCH_WEIGHT, "{alone:?}");
        // The opponent, who is to move there, has won.
        let lost = prior(&searched.merged(Record::of_game(0, 1.0, 1.0)), 1.0);
        assert!(lost.value < 0.25 && lost.weight > alone.weight, "{lost:?}");
        let often = prior(&searched.merged(Record::of_game(0, 0.0, 500.0)), 500.0);
        assert!(often.value > 0.95 && often.weight == 120.0, "{often:?}");
        assert_eq!(super::prior(&searched, 0.0, Weights { game: 0.0, most: 0.0 }).weight, 0.0);
    }

    #[test]
    fn what_is_often_chosen_is_preferred_at_equal_results() {
        let even = |games: f32| Record { wins: games / 2.0, losses: games / 2.0, ..Record::EMPTY };
        assert!(prior(&even(80.0), 100.0).value > prior(&even(20.0), 100.0).value + 0.05);
        assert!(prior(&even(1.0), 2.0).value < 0.52, "a few games are no fashion");
    }
}
