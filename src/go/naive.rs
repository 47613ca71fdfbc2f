//! A slow board without any derived state, to compare the fast one with.

use std::collections::HashSet;

use fixedbitset::FixedBitSet;

use super::color::Color;
use super::coord::{Coord, Size};
use super::zobrist;
use crate::shared::hash::Key;

/// A position as two sets of stones; everything else is found by flood fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveBoard {
    size: Size,
    stones: [FixedBitSet; 2],
    ko: Option<Coord>,
    captured: [u32; 2],
}

impl NaiveBoard {
    /// An empty board.
    #[must_use]
    pub fn new(size: Size) -> Self {
        let none = || FixedBitSet::with_capacity(size.points());
        NaiveBoard { size, stones: [none(), none()], ko: None, captured: [0; 2] }
    }

    /// The stone at `coord`.
    #[must_use]
    pub fn color_at(&self, coord: Coord) -> Option<Color> {
        Color::BOTH.into_iter().find(|color| self.stones[color.index()].contains(self.size.index(coord)))
    }

    /// The point that may not be retaken at once.
    #[must_use]
    pub fn ko(&self) -> Option<Coord> {
        self.ko
    }

    /// How many stones `color` has taken.
    #[must_use]
    pub fn captured(&self, color: Color) -> u32 {
        self.captured[color.index()]
    }

    /// The points connected to `coord` that are like it (a chain, or an empty
    /// region), and the points around them.
    #[must_use]
    pub fn region(&self, coord: Coord) -> (HashSet<Coord>, HashSet<Coord>) {
        let kind = self.color_at(coord);
        let (mut inside, mut around) = (HashSet::from([coord]), HashSet::new());
        let mut unseen = vec![coord];
        while let Some(point) = unseen.pop() {
            for near in self.size.neighbors(point) {
                if self.color_at(near) != kind {
                    around.insert(near);
                } else if inside.insert(near) {
                    unseen.push(near);
                }
            }
        }
        (inside, around)
    }

    /// The liberties of the chain at `coord`.
    #[must_use]
    pub fn liberties(&self, coord: Coord) -> HashSet<Coord> {
        self.region(coord).1.into_iter().filter(|&near| self.color_at(near).is_none()).collect()
    }

    fn take(&mut self, chain: &HashSet<Coord>, owner: Color) {
        chain.iter().for_each(|&stone| self.stones[owner.index()].remove(self.size.index(stone)));
        self.captured[owner.opponent().index()] += chain.len() as u32;
    }

    /// Puts a stone on `coord`, outside the rules of play.
    pub fn put(&mut self, coord: Coord, color: Color) {
        self.stones[color.index()].insert(self.size.index(coord));
        self.stones[color.opponent().index()].remove(self.size.index(coord));
    }

    /// Passes.
    pub fn pass(&mut self) {
        self.ko = None;
    }

    /// Plays if that is legal under the rule of simple ko; says whether it
    /// was. With `suicide`, chains of two stones or more may be taken by their
    /// own side.
    pub fn play(&mut self, coord: Coord, color: Color, suicide: bool) -> bool {
        let enemy = color.opponent();
        if self.color_at(coord).is_some() {
            return false;
        }
        let before = self.clone();
        self.stones[color.index()].insert(self.size.index(coord));
        let mut taken = HashSet::new();
        for near in self.size.neighbors(coord) {
            if self.color_at(near) == Some(enemy) && self.liberties(near).is_empty() {
                let chain = self.region(near).0;
                self.take(&chain, enemy);
                taken.extend(chain);
            }
        }
        let (chain, _) = self.region(coord);
        let liberties = self.liberties(coord);
        let retakes = before.ko == Some(coord) && taken.len() == 1;
        if retakes || (liberties.is_empty() && (!suicide || chain.len() == 1)) {
            *self = before;
            return false;
        }
        if liberties.is_empty() {
            self.take(&chain, color);
        }
        let single = taken.len() == 1 && chain.len() == 1 && liberties == taken;
        self.ko = if single { taken.into_iter().next() } else { None };
        true
    }

    /// The key of the stones, from scratch.
    #[must_use]
    pub fn key(&self) -> Key {
        self.size.coords().fold(0, |key, coord| match self.color_at(coord) {
            Some(color) => key ^ zobrist::stone_key(coord, color),
            None => key,
        })
    }

    /// Tromp-Taylor area: Black's minus White's.
    #[must_use]
    pub fn area_score(&self) -> i32 {
        self.size.coords().map(|coord| self.owner(coord).map_or(0, Color::sign)).sum()
    }

    fn owner(&self, coord: Coord) -> Option<Color> {
        if let Some(color) = self.color_at(coord) {
            return Some(color);
        }
        let (_, around) = self.region(coord);
        let colors: HashSet<Color> = around.into_iter().filter_map(|near| self.color_at(near)).collect();
        if colors.len() == 1 { colors.into_iter().next() } else { None }
    }
}
