//! Making a record of a game.

use std::collections::BTreeMap;

use super::point::point_text;
use super::result::GameResult;
use super::tree::{Collection, NodeId};
use super::value::{escape, escape_half};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::{Event, Game};

/// A mark on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A cross.
    Cross,
    /// Territory of a player.
    Territory(Color),
}

/// Names of rules, and what FF[4] calls them.
const STANDARD_RULES: [(&str, &str); 4] =
    [("japanese", "Japanese"), ("aga", "AGA"), ("new_zealand", "NZ"), ("ing", "GOE")];

/// A record being made: a tree of one game, and the node that moves are
/// added to.
#[derive(Clone, Debug)]
pub struct Record {
    collection: Collection,
    root: NodeId,
    node: NodeId,
    size: Size,
}

impl Record {
    /// An empty record on a board of `size`.
    #[must_use]
    pub fn new(size: Size) -> Self {
        let mut collection = Collection::new("");
        let root = collection.add_game();
        let side = if size.is_square() {
            size.width().to_string()
        } else {
            format!("{}:{}", size.width(), size.height())
        };
        for (name, value) in [("FF", "4"), ("GM", "1"), ("CA", "UTF-8"), ("SZ", &side)] {
            collection.add_raw(root, name, value);
        }
        let program = concat!("Tengen:", env!("CARGO_PKG_VERSION"));
        collection.add_raw(root, "AP", program);
        Record { collection, root, node: root, size }
    }

    /// The record of a game so far: its terms, set-up and moves.
    #[must_use]
    pub fn of_game(game: &Game) -> Self {
        let mut record = Record::new(game.size());
        record.komi(game.komi());
        if let Some(rules) = game.rules().name() {
            record.rules(rules);
        }
        if !game.handicap().is_empty() {
            record.handicap(game.handicap());
        }
        let mut placed = Vec::new();
        for event in game.events() {
            match event {
                Event::Move(color, mv) => {
                    record.set_up_anew(&mut placed);
                    record.play(*color, *mv);
                }
                Event::Setup(stones) => placed.extend_from_slice(stones),
            }
        }
        record.set_up_anew(&mut placed);
        record.turn_of(game);
        record
    }

    /// Writes what was set up since the last move, and forgets it: of several
    /// stones on a point the last, because in one node each point may stand
    /// only once.
    fn set_up_anew(&mut self, placed: &mut Vec<(Coord, Option<Color>)>) {
        if placed.is_empty() {
            return;
        }
        if self.node != self.root || self.collection.property(self.root, "AB").is_some() {
            self.add_node();
        }
        let last: BTreeMap<Coord, Option<Color>> = placed.drain(..).collect();
        let of = |wanted| -> Vec<Coord> {
            last.iter().filter(|&(_, stone)| *stone == wanted).map(|(&coord, _)| coord).collect()
        };
        self.set_up(&of(Some(Color::Black)), &of(Some(Color::White)), &of(None));
    }

    /// Says whose turn it is at the end of a game, unless a reader knows it
    /// from the last move or from the handicap.
    fn turn_of(&mut self, game: &Game) {
        let to_move = game.to_move();
        let is_known = match game.events().last() {
            Some(Event::Move(color, _)) => to_move == color.opponent(),
            Some(Event::Setup(_)) => false,
            None => (to_move == Color::White) == (game.handicap().len() >= 2),
        };
        if is_known {
            return;
        }
        if matches!(game.events().last(), Some(Event::Move(..))) {
            self.add_node();
        }
        self.to_move(to_move);
    }

    /// Goes on in the tree `collection`, from `node`, of a game whose root is
    /// `root` and whose board is of `size`.
    #[must_use]
    pub fn within(collection: Collection, root: NodeId, node: NodeId, size: Size) -> Self {
        Record { collection, root, node, size }
    }

    /// Names komi.
    pub fn komi(&mut self, komi: f64) -> &mut Self {
        self.info("KM", &komi.to_string())
    }

    /// Names the rules: by the word of the SGF standard, if it has one.
    pub fn rules(&mut self, name: &str) -> &mut Self {
        let word = STANDARD_RULES.iter().find(|(ours, _)| *ours == name).map_or(name, |&(_, word)| word);
        self.info("RU", word)
    }

    /// Names a player.
    pub fn player(&mut self, color: Color, name: &str) -> &mut Self {
        self.info(["PB", "PW"][color.index()], name)
    }

    /// Gives the result.
    pub fn result(&mut self, result: &GameResult) -> &mut Self {
        self.info("RE", &result.to_string())
    }

    /// Gives the root the property `name` with the one value `text`.
    pub fn info(&mut self, name: &str, text: &str) -> &mut Self {
        self.collection.set_text(self.root, name, text);
        self
    }

    /// Puts handicap stones into the root.
    pub fn handicap(&mut self, stones: &[Coord]) -> &mut Self {
        if stones.len() >= 2 {
            self.info("HA", &stones.len().to_string());
        }
        self.set_up(stones, &[], &[])
    }

    /// Sets up stones, or takes them away, in the current node.
    pub fn set_up(&mut self, black: &[Coord], white: &[Coord], empty: &[Coord]) -> &mut Self {
        for (name, points) in [("AB", black), ("AW", white), ("AE", empty)] {
            for &point in points {
                self.point(name, point);
            }
        }
        self
    }

    /// Says whose turn it is.
    pub fn to_move(&mut self, color: Color) -> &mut Self {
        self.collection.set_text(self.node, "PL", color_letter(color));
        self
    }

    /// Adds a move behind the current node, as its last variation, and makes
    /// it current.
    pub fn play(&mut self, color: Color, mv: Move) -> NodeId {
        let node = self.add_node();
        let point = point_text(mv.coord(), self.size);
        self.collection.add_raw(node, color_letter(color), &point);
        node
    }

    /// Adds an empty node behind the current one and makes it current.
    pub fn add_node(&mut self) -> NodeId {
        self.node = self.collection.add_child(self.node);
        self.node
    }

    /// The current node.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Makes `node` current: the next move begins a variation if `node` has a
    /// continuation.
    pub fn go_to(&mut self, node: NodeId) -> &mut Self {
        self.node = node;
        self
    }

    /// Adds `text` to the comment of the current node, on a new line if there
    /// is one already.
    pub fn comment(&mut self, text: &str) -> &mut Self {
        let old = self.collection.text(self.node, "C").map(|old| format!("{}\n{text}", old.trim_end()));
        self.collection.set_text(self.node, "C", old.as_deref().unwrap_or(text));
        self
    }

    /// Gives the current node the property `name` with the one value `text`.
    pub fn property(&mut self, name: &str, text: &str) -> &mut Self {
        self.collection.set_text(self.node, name, text);
        self
    }

    /// Writes a label on a point.
    pub fn label(&mut self, coord: Coord, text: &str) -> &mut Self {
        let raw = format!("{}:{}", point_text(coord, self.size), escape_half(text));
        self.collection.add_raw(self.node, "LB", &raw);
        self
    }

    /// Marks a point.
    pub fn mark(&mut self, mark: Mark, coord: Coord) -> &mut Self {
        let name = match mark {
            Mark::Circle => "CR",
            Mark::Square => "SQ",
            Mark::Triangle => "TR",
            Mark::Cross => "MA",
            Mark::Territory(Color::Black) => "TB",
            Mark::Territory(Color::White) => "TW",
        };
        self.point(name, coord);
        self
    }

    fn point(&mut self, name: &str, coord: Coord) {
        let text = point_text(coord, self.size);
        self.collection.add_raw(self.node, name, &escape(&text));
    }

    /// The tree so far.
    #[must_use]
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// The tree.
    #[must_use]
    pub fn finish(self) -> Collection {
        self.collection
    }
}

fn color_letter(color: Color) -> &'static str {
    ["B", "W"][color.index()]
}
