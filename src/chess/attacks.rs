//! Which squares a piece attacks: tables made once.
//!
//! Leapers, lines and reaches on an empty board are made at compile time, the
//! sliders' tables at the first use: one entry for each occupancy of the
//! squares that matter, found by the processor's bit extraction (PEXT). An entry
//! is 16 bits, spread over the reach of the piece by the opposite instruction
//! (PDEP), so that the whole fits where the processor finds it quickly.
//! Without that instruction the attacks are computed by subtraction
//! (o^(o-2r), Leitner's "hyperbola quintessence"), with the same results.

use super::bitboard::Bitboard;
use super::types::{Color, Kind, Square};

type PerSquare = [Bitboard; 64];

const ROOK_STEPS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Walks from `square` in one direction, up to `limit` steps, until the edge
/// or the first occupied square, which is included.
const fn ray(square: usize, step: (i8, i8), occupied: u64, limit: u32) -> u64 {
    let (mut file, mut rank) = ((square & 7) as i8, (square >> 3) as i8);
    let (mut set, mut steps) = (0u64, 0);
    while steps < limit {
        file += step.0;
        rank += step.1;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            break;
        }
        let bit = 1u64 << (rank * 8 + file);
        set |= bit;
        if occupied & bit != 0 {
            break;
        }
        steps += 1;
    }
    set
}

const fn rays(square: usize, steps: &[(i8, i8)], occupied: u64, limit: u32) -> u64 {
    let (mut set, mut i) = (0, 0);
    while i < steps.len() {
        set |= ray(square, steps[i], occupied, limit);
        i += 1;
    }
    set
}

const fn per_square(steps: &[(i8, i8)], limit: u32) -> PerSquare {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(rays(square, steps, 0, limit));
        square += 1;
    }
    table
}

static KNIGHT: PerSquare = per_square(&KNIGHT_STEPS, 1);
static KING: PerSquare = per_square(&KING_STEPS, 1);
static PAWN: [PerSquare; 2] = [per_square(&[(-1, 1), (1, 1)], 1), per_square(&[(-1, -1), (1, -1)], 1)];
static ROOK_REACH: PerSquare = per_square(&ROOK_STEPS, 8);
static BISHOP_REACH: PerSquare = per_square(&BISHOP_STEPS, 8);
static LINES: Lines = Lines::new();

struct Lines {
    between: [PerSquare; 64],
    through: [PerSquare; 64],
}

impl Lines {
    const fn new() -> Lines {
        let mut lines = Lines { between: [[Bitboard::EMPTY; 64]; 64], through: [[Bitboard::EMPTY; 64]; 64] };
        let mut from = 0;
        while from < 64 {
            let mut direction = 0;
            while direction < 8 {
                lines.add(from, KING_STEPS[direction]);
                direction += 1;
            }
            from += 1;
        }
        lines
    }

    const fn add(&mut self, from: usize, step: (i8, i8)) {
        let ahead = ray(from, step, 0, 8);
        let line = ahead | ray(from, (-step.0, -step.1), 0, 8) | 1 << from;
        let mut rest = ahead;
        while rest != 0 {
            let to = rest.trailing_zeros() as usize;
            let short = ray(from, step, 1 << to, 8);
            self.between[from][to] = Bitboard(short & !(1 << to));
            self.through[from][to] = Bitboard(line);
            rest &= rest - 1;
        }
    }
}

/// What a knight attacks.
#[must_use]
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// What a king attacks.
#[must_use]
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// What a pawn of `color` attacks.
#[must_use]
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// What a rook would attack on an empty board.
#[must_use]
#[inline]
pub fn rook_reach(square: Square) -> Bitboard {
    ROOK_REACH[square.index()]
}

/// What a bishop would attack on an empty board.
#[must_use]
#[inline]
pub fn bishop_reach(square: Square) -> Bitboard {
    BISHOP_REACH[square.index()]
}

/// The squares strictly between two squares of one line; none if they share
/// no line.
#[must_use]
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    LINES.between[a.index()][b.index()]
}

/// The whole line through two squares; none if they share no line.
#[must_use]
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINES.through[a.index()][b.index()]
}

/// What sliders attack. A copy is one pointer, or nothing at all where no
/// table is needed: take it once, use it for many squares.
#[derive(Clone, Copy)]
pub struct Sliders(#[cfg(target_feature = "bmi2")] &'static extracted::Tables);

#[cfg(target_feature = "bmi2")]
mod extracted {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};
    use std::sync::LazyLock;

    use super::{BISHOP_STEPS, Bitboard, ROOK_STEPS, Sliders, Square, rays};

    #[derive(Clone, Copy, Default)]
    struct Part {
        mask: u64,
        reach: u64,
        offset: u32,
    }

    pub struct Tables {
        rook: [Part; 64],
        bishop: [Part; 64],
        /// Attacked squares among those reached, the lowest in the lowest bit.
        attacks: Vec<u16>,
    }

    static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

    /// The squares whose occupancy matters: those reached, less the edges that
    /// end the rays.
    fn relevant(square: usize, steps: &[(i8, i8)]) -> u64 {
        let (file, rank) = (square & 7, square >> 3);
        let mut edges = 0;
        for (edge, home) in [(0, rank), (7, rank)] {
            edges |= if edge == home { 0 } else { Bitboard::rank(edge).0 };
        }
        for (edge, home) in [(0, file), (7, file)] {
            edges |= if edge == home { 0 } else { Bitboard::file(edge).0 };
        }
        rays(square, steps, 0, 8) & !edges
    }

    impl Tables {
        fn new() -> Tables {
            let mut tables =
                Tables { rook: [Part::default(); 64], bishop: [Part::default(); 64], attacks: Vec::new() };
            for square in 0..64 {
                tables.rook[square] = tables.add(square, &ROOK_STEPS);
                tables.bishop[square] = tables.add(square, &BISHOP_STEPS);
            }
            tables
        }

        fn add(&mut self, square: usize, steps: &[(i8, i8)]) -> Part {
            let part = Part {
                mask: relevant(square, steps),
                reach: rays(square, steps, 0, 8),
                offset: self.attacks.len() as u32,
            };
            for index in 0..1u64 << part.mask.count_ones() {
                // SAFETY: this module is compiled only where BMI2 is present.
                let occupied = unsafe { _pdep_u64(index, part.mask) };
                let attacks = rays(square, steps, occupied, 8);
                // SAFETY: as above.
                self.attacks.push(unsafe { _pext_u64(attacks, part.reach) } as u16);
            }
            part
        }

        #[inline]
        fn find(&self, part: Part, occupied: Bitboard) -> Bitboard {
            // SAFETY: this module is compiled only where BMI2 is present.
            let index = unsafe { _pext_u64(occupied.0, part.mask) } as usize + part.offset as usize;
            debug_assert!(index < self.attacks.len());
            // SAFETY: `add` has pushed one entry for each subset of the mask
            // from `offset` on, and the extracted index numbers these subsets.
            let attacks = unsafe { *self.attacks.get_unchecked(index) };
            // SAFETY: this module is compiled only where BMI2 is present.
            Bitboard(unsafe { _pdep_u64(attacks.into(), part.reach) })
        }
    }

    impl Sliders {
        /// The tables, made at the first call.
        #[must_use]
        #[inline]
        pub fn get() -> Sliders {
            Sliders(&TABLES)
        }

        /// What a rook attacks; pieces on `occupied` stop it.
        #[must_use]
        #[inline]
        pub fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
            self.0.find(self.0.rook[square.index()], occupied)
        }

        /// What a bishop attacks; pieces on `occupied` stop it.
        #[must_use]
        #[inline]
        pub fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
            self.0.find(self.0.bishop[square.index()], occupied)
        }
    }
}

#[cfg(not(target_feature = "bmi2"))]
impl Sliders {
    /// The empty token: nothing is tabulated.
    #[must_use]
    #[inline]
    pub fn get() -> Sliders {
        Sliders()
    }

    /// What a rook attacks; pieces on `occupied` stop it.
    #[must_use]
    #[inline]
    pub fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        let file = Bitboard::file(square.file()).0;
        let rank = Bitboard::rank(square.rank()).0;
        Bitboard(subtract(square, occupied.0, file) | subtract(square, occupied.0, rank))
    }

    /// What a bishop attacks; pieces on `occupied` stop it.
    #[must_use]
    #[inline]
    pub fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        let up = ray(square.index(), (1, 1), 0, 8) | ray(square.index(), (-1, -1), 0, 8);
        let down = BISHOP_REACH[square.index()].0 & !up;
        Bitboard(subtract(square, occupied.0, up) | subtract(square, occupied.0, down))
    }
}

/// The attacks along one line by subtraction, in both directions.
#[cfg(not(target_feature = "bmi2"))]
#[inline]
fn subtract(square: Square, occupied: u64, line: u64) -> u64 {
    let (slider, blockers) = (1u64 << square.index(), occupied & line);
    let ahead = blockers.wrapping_sub(slider << 1);
    let behind = blockers.reverse_bits().wrapping_sub(slider.reverse_bits() << 1).reverse_bits();
    (ahead ^ behind) & line & !slider
}

impl Sliders {
    /// What a queen attacks; pieces on `occupied` stop it.
    #[must_use]
    #[inline]
    pub fn queen(self, square: Square, occupied: Bitboard) -> Bitboard {
        self.rook(square, occupied) | self.bishop(square, occupied)
    }

    /// What a piece other than a pawn attacks.
    #[must_use]
    #[inline]
    pub fn piece(self, kind: Kind, square: Square, occupied: Bitboard) -> Bitboard {
        match kind {
            Kind::Pawn => Bitboard::EMPTY,
            Kind::Knight => knight(square),
            Kind::Bishop => self.bishop(square, occupied),
            Kind::Rook => self.rook(square, occupied),
            Kind::Queen => self.queen(square, occupied),
            Kind::King => king(square),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::rng::Rng;

    #[test]
    fn sliders_agree_with_walking() {
        let mut rng = Rng::new(3, 0);
        let sliders = Sliders::get();
        for _ in 0..200 {
            let occupied = rng.next_u64() & rng.next_u64();
            for square in Square::all() {
                let walk = |steps: &[(i8, i8)]| Bitboard(rays(square.index(), steps, occupied, 8));
                assert_eq!(sliders.rook(square, Bitboard(occupied)), walk(&ROOK_STEPS));
                assert_eq!(sliders.bishop(square, Bitboard(occupied)), walk(&BISHOP_STEPS));
            }
        }
    }

    #[test]
    fn lines_join_what_reaches() {
        for (a, b) in Square::all().flat_map(|a| Square::all().map(move |b| (a, b))) {
            let joined = (rook_reach(a) | bishop_reach(a)).contains(b);
            assert_eq!(line(a, b).any(), joined);
            assert_eq!(line(a, b).contains(a) && line(a, b).contains(b), joined);
            assert_eq!(between(a, b), between(b, a));
            assert_eq!(between(a, b).count(), if joined { a.distance(b) - 1 } else { 0 });
        }
    }
}
