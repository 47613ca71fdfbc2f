//! One game of a collection, read as Go.

use std::borrow::Cow;

use super::error::{SgfError, SgfErrorKind};
use super::point::{parse_move, parse_points};
use super::result::GameResult;
use super::tree::{Collection, NodeId};
use super::value::unescape;
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::rules::Rules;

/// The size of a board whose record names none.
const DEFAULT_SIDE: u8 = 19;

/// A game of a [`Collection`].
#[derive(Clone, Copy, Debug)]
pub struct GameTree<'a> {
    collection: &'a Collection,
    root: NodeId,
    size: Size,
}

/// What happens in a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Stones are put on the board or taken from it, whatever stands there.
    SetUp {
        /// Points that become black.
        black: Vec<Coord>,
        /// Points that become white.
        white: Vec<Coord>,
        /// Points that become empty.
        empty: Vec<Coord>,
    },
    /// The record names the player whose turn it is.
    ToMove(Color),
    /// A move.
    Play(Color, Move),
}

/// A step of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node that it comes from; a node may hold several steps.
    pub node: NodeId,
    /// How many moves, passes included, the game has with this step.
    pub number: u32,
    /// What happens.
    pub action: Action,
}

/// How far to follow a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// To its end.
    End,
    /// Before the move of this number, the first being 1.
    BeforeMove(u32),
    /// Before the first move on this point; to the end if there is none.
    BeforeVertex(Coord),
}

impl Collection {
    /// The games, each of them an error if it is not of Go or on no board of
    /// ours.
    pub fn games(&self) -> impl Iterator<Item = Result<GameTree<'_>, SgfError>> + '_ {
        self.roots().iter().map(|&root| GameTree::new(self, root))
    }

    /// The first game.
    pub fn first_game(&self) -> Result<GameTree<'_>, SgfError> {
        match self.roots().first() {
            Some(&root) => GameTree::new(self, root),
            None => Err(SgfError {
                name: self.name().to_owned(),
                place: super::Place { line: 1, column: 1 },
                kind: SgfErrorKind::NoGame,
            }),
        }
    }
}

impl<'a> GameTree<'a> {
    fn new(collection: &'a Collection, root: NodeId) -> Result<Self, SgfError> {
        let game = collection.text(root, "GM").unwrap_or_default();
        if !matches!(game.trim(), "" | "1") {
            return Err(collection.error_at(root, SgfErrorKind::OtherGame(game.into_owned())));
        }
        let size = read_size(collection, root)?;
        Ok(GameTree { collection, root, size })
    }

    /// The collection.
    #[must_use]
    pub fn collection(&self) -> &'a Collection {
        self.collection
    }

    /// The first node.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let text = self.collection.property(self.root, name)?.values().next().map(unescape)?;
        (!text.trim().is_empty()).then_some(text)
    }

    /// Komi, unless the record has none or nothing that makes sense.
    #[must_use]
    pub fn komi(&self) -> Option<f64> {
        let komi = parse_komi(&self.text("KM")?)?;
        let by_fox = self.text("AP").is_some_and(|program| program.to_lowercase().starts_with("foxwq"));
        let is_even = self.declared_handicap() < 2 && self.handicap() == 0;
        // Fox writes 0 into professional games that were played with komi.
        (komi != 0.0 || !by_fox || !is_even).then_some(komi)
    }

    /// Handicap stones on the board at the start, whatever HA says.
    #[must_use]
    pub fn handicap(&self) -> usize {
        let placed = self.main_line().take_while(|step| {
            step.as_ref().is_ok_and(|step| matches!(step.action, Action::SetUp { .. } | Action::ToMove(_)))
        });
        let mut stones = 0;
        for step in placed.flatten() {
            if let Action::SetUp { black, white, .. } = step.action {
                if !white.is_empty() {
                    return 0;
                }
                stones += black.len();
            }
        }
        if stones >= 2 || self.declared_handicap() > 0 { stones } else { 0 }
    }

    /// The number of handicap stones that HA claims. Where it is not
    /// [`GameTree::handicap`], the stones are right, or there are none and
    /// the fixed places are meant.
    #[must_use]
    pub fn declared_handicap(&self) -> usize {
        self.text("HA").and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// The rules that the record names, if they are known.
    #[must_use]
    pub fn rules(&self) -> Option<Rules> {
        Rules::by_name(&self.text("RU")?)
    }

    /// The name of a player.
    #[must_use]
    pub fn player(&self, color: Color) -> Option<Cow<'a, str>> {
        self.text(["PB", "PW"][color.index()])
    }

    /// The result.
    #[must_use]
    pub fn result(&self) -> GameResult {
        self.text("RE").map_or(GameResult::Unknown, |text| GameResult::parse(&text))
    }

    /// The nodes of the main line.
    pub fn main_nodes(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        let collection = self.collection;
        std::iter::successors(Some(self.root), |&node| collection.first_child(node))
    }

    /// The steps of the main line. A step that names a point off the board is
    /// an error; the steps before it can be used.
    pub fn main_line(&self) -> impl Iterator<Item = Result<Step, SgfError>> + use<'a> {
        self.steps(self.main_nodes())
    }

    /// The steps of the main line before `stop`.
    pub fn main_line_until(&self, stop: StopAt) -> impl Iterator<Item = Result<Step, SgfError>> + use<'a> {
        let is_before = move |step: &Step| match (&step.action, stop) {
            (Action::Play(..), StopAt::BeforeMove(number)) => step.number < number,
            (Action::Play(_, mv), StopAt::BeforeVertex(coord)) => *mv != Move::Play(coord),
            _ => true,
        };
        self.main_line().take_while(move |step| step.as_ref().map_or(true, is_before))
    }

    /// The steps from the root to `node`.
    pub fn line_to(&self, node: NodeId) -> impl Iterator<Item = Result<Step, SgfError>> + use<'a> {
        let parent = |&node: &NodeId| self.collection.parent(node);
        let mut nodes: Vec<NodeId> = std::iter::successors(Some(node), parent).collect();
        nodes.reverse();
        self.steps(nodes.into_iter())
    }

    fn steps<I: Iterator<Item = NodeId>>(
        &self,
        nodes: I,
    ) -> impl Iterator<Item = Result<Step, SgfError>> + use<'a, I> {
        let game = *self;
        let mut number = 0;
        nodes.flat_map(move |node| {
            let mut steps = Vec::new();
            let failure = game.read_node(node, &mut number, &mut steps).err();
            steps.into_iter().map(Ok).chain(failure.map(Err))
        })
    }

    /// Appends the steps of one node: stones first, then moves in their order.
    fn read_node(&self, node: NodeId, number: &mut u32, steps: &mut Vec<Step>) -> Result<(), SgfError> {
        let set_up = |name| self.points(node, name);
        let (black, white, empty) = (set_up("AB")?, set_up("AW")?, set_up("AE")?);
        if !(black.is_empty() && white.is_empty() && empty.is_empty()) {
            steps.push(Step { node, number: *number, action: Action::SetUp { black, white, empty } });
        }
        if let Some(color) = self.collection.text(node, "PL").and_then(|text| parse_color(&text)) {
            steps.push(Step { node, number: *number, action: Action::ToMove(color) });
        }
        for property in self.collection.properties(node) {
            let color = match property.name() {
                "B" => Color::Black,
                "W" => Color::White,
                _ => continue,
            };
            for value in property.values() {
                let mv = parse_move(value, self.size).ok_or_else(|| self.bad_point(&property, value))?;
                *number += 1;
                steps.push(Step { node, number: *number, action: Action::Play(color, mv) });
            }
        }
        Ok(())
    }

    /// The points of all properties called `name` in `node`.
    pub fn points(&self, node: NodeId, name: &str) -> Result<Vec<Coord>, SgfError> {
        let mut points = Vec::new();
        for property in self.collection.properties(node).filter(|p| p.name() == name) {
            for value in property.values() {
                parse_points(value, self.size, &mut points)
                    .ok_or_else(|| self.bad_point(&property, value))?;
            }
        }
        Ok(points)
    }

    fn bad_point(&self, property: &super::Property<'_>, value: &str) -> SgfError {
        SgfError {
            name: self.collection.name().to_owned(),
            place: self.collection.property_place(property),
            kind: SgfErrorKind::Point(value.chars().take(20).collect()),
        }
    }

    /// The error for a step that plays a move which the rules forbid; any
    /// other step is never illegal.
    #[must_use]
    pub fn illegal(&self, step: &Step) -> SgfError {
        let (color, mv) = match step.action {
            Action::Play(color, mv) => (color, mv),
            Action::SetUp { .. } | Action::ToMove(_) => (Color::Black, Move::Pass),
        };
        let kind = SgfErrorKind::IllegalMove { number: step.number, color, mv };
        self.collection.error_at(step.node, kind)
    }
}

/// The size in the root, or wherever the main line first names one.
fn read_size(collection: &Collection, root: NodeId) -> Result<Size, SgfError> {
    let nodes = std::iter::successors(Some(root), |&node| collection.first_child(node));
    let found = nodes.filter_map(|node| Some((node, collection.text(node, "SZ")?))).next();
    let Some((node, text)) = found.filter(|(_, text)| !text.trim().is_empty()) else {
        return Ok(Size::square(DEFAULT_SIDE).expect("19x19 is a size"));
    };
    parse_size(&text).ok_or_else(|| collection.error_at(node, SgfErrorKind::Size(text.into_owned())))
}

fn parse_size(text: &str) -> Option<Size> {
    let mut sides = text.split([':', 'x', 'X']).map(|side| side.trim().parse::<u8>().ok());
    let width = sides.next()??;
    let height = sides.next().unwrap_or(Some(width))?;
    Size::new(width, height).filter(|_| sides.next().is_none())
}

fn parse_color(text: &str) -> Option<Color> {
    match text.trim().chars().next()?.to_ascii_lowercase() {
        'b' | '1' => Some(Color::Black),
        'w' | '2' => Some(Color::White),
        _ => None,
    }
}

/// Reads komi: a number, perhaps with a comma for the point or a unit behind
/// it; hundredths as 375 or 750; and stones counted once, as 3.75 for 7.5.
pub(crate) fn parse_komi(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".");
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let mut komi: f64 = text[..end].parse().ok()?;
    if text[end..].contains(['半', '½']) && komi.fract() == 0.0 {
        komi += 0.5_f64.copysign(komi);
    }
    if komi.abs() >= 100.0 && komi.fract() == 0.0 {
        komi /= 100.0;
    }
    let in_quarters = komi.fract().abs();
    Some(if in_quarters == 0.25 || in_quarters == 0.75 { komi * 2.0 } else { komi })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_is_understood_as_people_write_it() {
        for (text, komi) in [
            ("6.5", Some(6.5)),
            ("6,5", Some(6.5)),
            ("375", Some(7.5)),
            ("750", Some(7.5)),
            ("650", Some(6.5)),
            ("325", Some(6.5)),
            ("550", Some(5.5)),
            ("3.75", Some(7.5)),
            ("0", Some(0.0)),
            ("-3.5", Some(-3.5)),
            ("5目半", Some(5.5)),
            ("6.5 points", Some(6.5)),
            ("none", None),
            ("", None),
        ] {
            assert_eq!(parse_komi(text), komi, "{text:?}");
        }
    }

    #[test]
    fn sizes_are_squares_or_pairs() {
        // Report 103: forms of SZ.
        assert_eq!(parse_size("19:13"), Size::new(19, 13));
        assert_eq!(parse_size("9x9"), Size::square(9));
        assert_eq!(parse_size(" 9 "), Size::square(9));
        for text in ["foo", "53", "0", "-9", "9:", "9:9:9", "19:1"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
