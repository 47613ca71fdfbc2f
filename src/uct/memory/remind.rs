//! How hints reach the tree: nodes that are made get them with their other
//! priors, and nodes that an earlier search made are told.

use std::collections::HashSet;
use std::sync::Arc;

use super::hints::Hints;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::geometry::{Geometry, Point};
use crate::go::zobrist::side_key;
use crate::uct::child::Prior;
use crate::uct::node::NodeId;
use crate::uct::prior::PriorSource;
use crate::uct::simulate::PASS;
use crate::uct::tree::Tree;

/// Priors from hints where there are any, and from another source.
pub struct Reminded<G: Geometry> {
    hints: Arc<Hints>,
    otherwise: Box<dyn PriorSource<G>>,
}

impl<G: Geometry> Reminded<G> {
    /// Adds `hints` to what `otherwise` thinks.
    #[must_use]
    pub fn new(hints: Arc<Hints>, otherwise: Box<dyn PriorSource<G>>) -> Self {
        Reminded { hints, otherwise }
    }
}

impl<G: Geometry> PriorSource<G> for Reminded<G> {
    fn rate(&mut self, board: &Board<G>, color: Color, point: Point) -> Prior {
        let general = self.otherwise.rate(board, color, point);
        let key = (board.key() ^ side_key(color), board.coord(point));
        let Some(hint) = self.hints.get(&key) else { return general };
        let weight = general.weight + hint.weight;
        let value =
            (general.value * general.weight + hint.value * hint.weight) / weight.max(f32::MIN_POSITIVE);
        Prior { value, weight }
    }
}

/// Gives the nodes of `tree` that are reached from `root` by hinted moves the
/// priors that they would get if they were made now. Telling them twice is as
/// good as once. Nodes that a network was asked about keep its opinion.
pub fn tell<G: Geometry>(
    tree: &Tree,
    root: (NodeId, &Board<G>, Color),
    hints: &Hints,
    priors: &mut dyn PriorSource<G>,
    amaf_weight: f32,
) {
    let (node, board, to_move) = root;
    let mut seen = HashSet::new();
    let mut stack = vec![(node, board.clone(), to_move)];
    while let Some((node, board, color)) = stack.pop() {
        if node == NodeId::NONE || !seen.insert(node) {
            continue;
        }
        let is_advised = tree.node(node).advice().is_some();
        for child in tree.children(tree.node(node)).unwrap_or(&[]) {
            if child.mv() == PASS {
                continue;
            }
            let point = Point::from_index(child.mv().into());
            if !hints.contains_key(&(board.key() ^ side_key(color), board.coord(point))) {
                continue;
            }
            if !is_advised {
                child.revise(priors.rate(&board, color, point), amaf_weight);
            }
            let mut after = board.clone();
            after.play(point, color);
            stack.push((child.node(), after, color.opponent()));
        }
    }
}
