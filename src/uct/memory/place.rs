//! Where the knowledge of a position is kept.

use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Game;
use crate::go::geometry::Geometry;
use crate::go::rules::{Rules, Scoring};
use crate::go::symmetry::{SymmetricKeys, Symmetry};
use crate::go::zobrist::{fingerprint, stone_key};
use crate::shared::hash::Key;
use crate::shared::learn::{Record, Schema};

/// Bounds of the classes of komi, White's points. Within a class games are
/// about equally hard to win, so that their records serve each other.
const KOMI_BOUNDS: [f64; 6] = [-9.0, -5.0, -2.0, 2.0, 5.0, 9.0];

/// The terms that Go records depend on: size, how points are counted, suicide
/// and the class of komi. Ko rules differ too rarely to matter.
#[must_use]
pub fn schema(game: &Game) -> Schema {
    terms(game.size(), game.rules(), game.total_komi())
}

/// The same for a game that has not begun; `komi` includes the points for
/// handicap stones.
#[must_use]
pub fn terms(size: Size, rules: Rules, komi: f64) -> Schema {
    let scoring = match rules.scoring {
        Scoring::Area => "area",
        Scoring::Territory => "territory",
    };
    let suicide = if rules.suicide { " suicide" } else { "" };
    let class = KOMI_BOUNDS.iter().filter(|&&bound| komi >= bound).count();
    let komi = match class {
        0 => format!("..{}", KOMI_BOUNDS[0]),
        last if last == KOMI_BOUNDS.len() => format!("{}..", KOMI_BOUNDS[last - 1]),
        class => format!("{}..{}", KOMI_BOUNDS[class - 1], KOMI_BOUNDS[class]),
    };
    Schema::new("go", &format!("{size} {scoring}{suicide} komi={komi}"), fingerprint())
}

/// The image under which a position is kept: its key, and the way there.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The key that the record has.
    pub key: Key,
    size: Size,
    symmetry: Symmetry,
}

impl Place {
    /// Of the position on `board` with `to_move` to move; `None` where the
    /// stones do not tell all, because of a ko or a pass.
    pub fn of<G: Geometry>(board: &Board<G>, to_move: Color) -> Option<Place> {
        let stones_tell_all = board.ko_point().is_none() && board.passes() == 0;
        stones_tell_all.then(|| Place::smallest(board.size(), &keys(board, to_move)))
    }

    fn smallest(size: Size, keys: &SymmetricKeys) -> Place {
        let (key, symmetry) = keys.smallest();
        Place { key, size, symmetry }
    }

    /// The number of `mv` in the image.
    #[must_use]
    pub fn number(&self, mv: Move) -> u16 {
        match mv {
            // The image of a rectangle is the same rectangle: sizes agree.
            Move::Play(coord) => self.size.index(self.symmetry.apply(self.size, coord)) as u16,
            Move::Pass => self.size.points() as u16,
        }
    }

    /// The move that has `number` in the image, if there is one.
    #[must_use]
    pub fn named(&self, number: u16) -> Option<Move> {
        if number == Record::NO_MOVE {
            return None;
        }
        if usize::from(number) == self.size.points() {
            return Some(Move::Pass);
        }
        let image = self.size.coords().nth(number.into())?;
        Some(Move::Play(self.symmetry.inverse().apply(self.size, image)))
    }
}

fn keys<G: Geometry>(board: &Board<G>, to_move: Color) -> SymmetricKeys {
    let color_at = |coord: Coord| board.color_at(board.point(coord));
    let stones = board.size().coords().filter_map(|coord| Some((coord, color_at(coord)?)));
    SymmetricKeys::new(board.size(), stones, to_move)
}

/// A move to a known position.
#[derive(Clone, Copy, Debug)]
pub struct KnownMove {
    /// Where the stone goes.
    pub coord: Coord,
    /// Where the position after it is kept.
    pub place: Place,
    /// What is known of that position; its values are for the opponent.
    pub record: Record,
}

/// How records are looked up.
pub type Probe<'a> = dyn Fn(Key) -> Option<Record> + 'a;

/// The moves of `color` that lead to known positions, captures among them.
pub fn known_moves<G: Geometry>(probe: &Probe<'_>, board: &Board<G>, color: Color) -> Vec<KnownMove> {
    let here = keys(board, color);
    let mut found = Vec::new();
    for coord in board.size().coords() {
        let point = board.point(coord);
        if !board.is_legal(point, color, false) {
            continue;
        }
        let captures = board.resulting_key(point, color) != board.key() ^ stone_key(coord, color);
        let place = if captures {
            let mut after = board.clone();
            after.play(point, color);
            Place::of(&after, color.opponent())
        } else {
            let mut there = here;
            there.toggle_stone(coord, color);
            there.toggle_turn();
            Some(Place::smallest(board.size(), &there))
        };
        let known = place.and_then(|place| Some((place, probe(place.key)?)));
        found.extend(known.map(|(place, record)| KnownMove { coord, place, record }));
    }
    found
}
