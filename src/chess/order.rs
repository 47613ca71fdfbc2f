//! The order in which moves are tried: the table's move, captures that win,
//! killers, quiet moves by history, captures that lose.

use std::mem::MaybeUninit;

use super::bitboard::Bitboard;
use super::movegen::{Generator, MAX_MOVES, MoveList};
use super::position::Position;
use super::see;
use super::types::{Color, Kind, Move};

/// A history counter stays within plus and minus this.
const HISTORY_LIMIT: i32 = 16_384;
/// Kinds and colours of pieces, by squares.
const PIECE_SQUARES: usize = 12 * 64;

/// A piece on a square, or going there: an index of continuation history.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move: before the first, or a null move.
    pub const NONE: PieceTo = PieceTo(PIECE_SQUARES as u16);

    /// For a move that is about to be played in `position`.
    #[must_use]
    #[inline]
    pub fn of(position: &Position, mv: Move) -> PieceTo {
        let kind = position.kind_on(mv.from()).unwrap_or(Kind::Pawn);
        let piece = position.side().index() * 6 + kind.index();
        PieceTo((piece << 6 | mv.to().index()) as u16)
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What earlier search has shown about moves, by what moved where.
pub struct Histories {
    /// By side, from and to, and which of these the opponent attacks.
    quiet: Box<[[i16; 4 * 4096]; 2]>,
    capture: Box<[i16]>,
    /// By an earlier move and the one to be judged; after no move, all are 0.
    continuation: Box<[[i16; PIECE_SQUARES]]>,
}

impl Default for Histories {
    fn default() -> Self {
        Histories {
            quiet: Box::new([[0; 4 * 4096]; 2]),
            capture: vec![0; PIECE_SQUARES * 6].into(),
            continuation: vec![[0; PIECE_SQUARES]; PIECE_SQUARES + 1].into(),
        }
    }
}

/// Moves a counter towards its limit; the nearer it is, the less.
#[inline]
fn adjust(counter: &mut i16, bonus: i32) {
    let old = i32::from(*counter);
    *counter = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
}

/// What the worth of a quiet move depends on besides the move.
#[derive(Clone, Copy)]
pub struct Context {
    /// The moves one, two and four plies before.
    pub before: [PieceTo; 3],
    /// What the opponent attacks.
    pub threats: Bitboard,
}

impl Default for Context {
    fn default() -> Self {
        Context { before: [PieceTo::NONE; 3], threats: Bitboard::EMPTY }
    }
}

impl Default for PieceTo {
    fn default() -> Self {
        PieceTo::NONE
    }
}

impl Histories {
    #[inline]
    fn butterfly(mv: Move, threats: Bitboard) -> usize {
        let fled = usize::from(threats.contains(mv.from()));
        let exposed = usize::from(threats.contains(mv.to()));
        (fled << 1 | exposed) << 12 | usize::from(mv.to_bits()) & 4095
    }

    #[inline]
    fn capture_index(position: &Position, mv: Move) -> usize {
        let victim = position.captured(mv).unwrap_or(Kind::Pawn);
        PieceTo::of(position, mv).index() * 6 + victim.index()
    }

    /// What is known of a quiet move, from about -49,000 to 49,000.
    #[must_use]
    #[inline]
    pub fn quiet(&self, position: &Position, context: Context, mv: Move) -> i32 {
        self.of_quiets(position, context)(mv)
    }

    /// [`Histories::quiet`] for one move after another.
    #[inline]
    fn of_quiets(&self, position: &Position, context: Context) -> impl Fn(Move) -> i32 {
        let quiet = &self.quiet[position.side().index()];
        let [one, two, four] = context.before.map(|earlier| &self.continuation[earlier.index()]);
        move |mv| {
            let piece = PieceTo::of(position, mv).index();
            i32::from(quiet[Self::butterfly(mv, context.threats)])
                + i32::from(one[piece])
                + i32::from(two[piece])
                + i32::from(four[piece])
        }
    }

    /// What is known of a capture.
    #[must_use]
    #[inline]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        i32::from(self.capture[Self::capture_index(position, mv)])
    }

    /// What is known of a move of either sort.
    #[must_use]
    #[inline]
    pub fn of(&self, position: &Position, context: Context, mv: Move) -> i32 {
        if position.is_noisy(mv) { self.capture(position, mv) } else { self.quiet(position, context, mv) }
    }

    pub(super) fn reward_quiet(&mut self, position: &Position, context: Context, mv: Move, bonus: i32) {
        let side: Color = position.side();
        adjust(&mut self.quiet[side.index()][Self::butterfly(mv, context.threats)], bonus);
        let piece = PieceTo::of(position, mv).index();
        self.reward_after(&context.before, piece, bonus);
    }

    fn reward_after(&mut self, before: &[PieceTo], piece: usize, bonus: i32) {
        for earlier in before.iter().filter(|&&earlier| earlier != PieceTo::NONE) {
            adjust(&mut self.continuation[earlier.index()][piece], bonus);
        }
    }

    /// Learns that nothing good was found against `mv`, which was a move.
    pub fn reward_reply(&mut self, before: [PieceTo; 2], mv: PieceTo, bonus: i32) {
        self.reward_after(&before, mv.index(), bonus);
    }

    /// Learns that `best` refuted, and that those tried before it did not.
    pub fn learn(&mut self, position: &Position, context: Context, best: Move, tried: &[Move], depth: i32) {
        let bonus = (180 * depth - 60).min(1800);
        let best_is_noisy = position.is_noisy(best);
        if !best_is_noisy {
            self.reward_quiet(position, context, best, bonus);
        } else {
            adjust(&mut self.capture[Self::capture_index(position, best)], bonus);
        }
        for &mv in tried.iter().filter(|&&mv| mv != best) {
            if position.is_noisy(mv) {
                adjust(&mut self.capture[Self::capture_index(position, mv)], -bonus);
            } else if !best_is_noisy {
                self.reward_quiet(position, context, mv, -bonus);
            }
        }
    }

    /// Halves everything, before the search of another position.
    pub fn fade(&mut self) {
        let all = self.quiet.iter_mut().flatten().chain(self.capture.iter_mut());
        all.chain(self.continuation.iter_mut().flatten()).for_each(|counter| *counter /= 2);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Table,
    MakeNoisy,
    GoodNoisy,
    Killers,
    MakeQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Ranks compared at a time.
const LANES: usize = 8;
/// Below every rank.
const TAKEN: i32 = i32::MIN;

/// A number by which moves are ordered: by score, which has 23 bits, then as
/// they were generated.
#[inline]
fn rank(score: i32, index: usize) -> i32 {
    score << 8 | (255 - index as i32)
}

/// Gives the moves of one position in the order to try them.
pub struct Picker<'a> {
    position: &'a Position,
    generator: &'a Generator<'a>,
    stage: Stage,
    table_move: Move,
    killers: [Move; 2],
    next_killer: usize,
    quiets: bool,
    context: Context,
    list: MoveList,
    /// One for each move of `list`, made by [`rank`], once they have been
    /// scored, and [`TAKEN`] up to a multiple of [`LANES`].
    ranks: [MaybeUninit<i32>; MAX_MOVES],
    next: usize,
    bad: [Move; 64],
    bad_len: usize,
}

impl<'a> Picker<'a> {
    /// All moves. `table_move` and `killers` may be anything.
    #[must_use]
    #[inline]
    pub fn new(
        position: &'a Position,
        generator: &'a Generator<'a>,
        table_move: Move,
        killers: [Move; 2],
        context: Context,
    ) -> Picker<'a> {
        Picker {
            position,
            generator,
            stage: Stage::Table,
            table_move,
            killers,
            next_killer: 0,
            quiets: true,
            context,
            list: MoveList::new(),
            ranks: [const { MaybeUninit::uninit() }; MAX_MOVES],
            next: 0,
            bad: [Move::NONE; 64],
            bad_len: 0,
        }
    }

    /// Captures and promotions only, those that lose included.
    #[must_use]
    #[inline]
    pub fn noisy_only(position: &'a Position, generator: &'a Generator<'a>, table_move: Move) -> Picker<'a> {
        let table_move = if position.is_noisy(table_move) { table_move } else { Move::NONE };
        let mut picker = Picker::new(position, generator, table_move, [Move::NONE; 2], Context::default());
        picker.quiets = false;
        picker
    }

    /// Leaves out the quiet moves that are still to come.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.quiets = false;
    }

    /// Whether the moves that come now are captures that lose.
    #[must_use]
    #[inline]
    pub fn is_at_bad_captures(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// The next move.
    #[inline]
    pub fn next(&mut self, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::MakeNoisy;
                    if self.table_move.is_some() && self.generator.is_legal(self.table_move) {
                        return Some(self.table_move);
                    }
                    self.table_move = Move::NONE;
                }
                Stage::MakeNoisy => {
                    self.make_noisy(histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.good_noisy() {
                    Some(mv) => return Some(mv),
                    None => self.stage = if self.quiets { Stage::Killers } else { Stage::BadNoisy },
                },
                Stage::Killers => match self.killer() {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::MakeQuiet,
                },
                Stage::MakeQuiet => {
                    if self.quiets {
                        self.make_quiet(histories);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.quiet() {
                    Some(mv) => return Some(mv),
                    None => {
                        self.next = 0;
                        self.stage = Stage::BadNoisy;
                    }
                },
                Stage::BadNoisy => {
                    if self.next < self.bad_len {
                        self.next += 1;
                        return Some(self.bad[self.next - 1]);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn make_noisy(&mut self, histories: &Histories) {
        self.generator.noisy(&mut self.list);
        let position = self.position;
        self.rank_all(|mv| {
            let victim = position.captured(mv).map_or(0, |kind| see::VALUES[kind.index()]);
            let promoted = match mv.promoted() {
                Some(Kind::Queen) => 900,
                Some(_) => -2000,
                None => 0,
            };
            16 * (victim + promoted) + histories.capture(position, mv) / 4
        });
    }

    #[inline]
    fn rank_all(&mut self, score: impl Fn(Move) -> i32) {
        for (index, &mv) in self.list.iter().enumerate() {
            self.ranks[index].write(rank(score(mv), index));
        }
        let len = self.list.len();
        self.ranks[len..len.next_multiple_of(LANES)].fill(MaybeUninit::new(TAKEN));
    }

    /// Takes the best of the moves not yet taken; gives its score too.
    #[inline]
    fn take_best(&mut self) -> Option<(Move, i32)> {
        let len = self.list.len().next_multiple_of(LANES);
        // SAFETY: `rank_all` has ranked every move of the list, and filled up.
        let ranks = unsafe { self.ranks[..len].assume_init_mut() };
        let mut best = [TAKEN; LANES];
        for some in ranks.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                best[lane] = best[lane].max(some[lane]);
            }
        }
        let best = best.into_iter().fold(TAKEN, i32::max);
        if best == TAKEN {
            return None;
        }
        let index = 255 - (best & 255) as usize;
        ranks[index] = TAKEN;
        Some((self.list[index], best >> 8))
    }

    fn good_noisy(&mut self) -> Option<Move> {
        while let Some((mv, score)) = self.take_best() {
            if mv == self.table_move {
                continue;
            }
            let threshold = -score / 64;
            if see::wins_at_least(self.position, mv, threshold.clamp(-120, 120)) {
                return Some(mv);
            }
            if self.bad_len < self.bad.len() {
                self.bad[self.bad_len] = mv;
                self.bad_len += 1;
            }
        }
        self.next = 0;
        None
    }

    fn killer(&mut self) -> Option<Move> {
        while self.next_killer < 2 && self.quiets {
            let mv = self.killers[self.next_killer];
            self.next_killer += 1;
            let usable = mv.is_some() && mv != self.table_move && !self.position.is_noisy(mv);
            if usable && self.generator.is_legal(mv) {
                return Some(mv);
            }
            self.killers[self.next_killer - 1] = Move::NONE;
        }
        None
    }

    fn make_quiet(&mut self, histories: &Histories) {
        self.list = MoveList::new();
        self.generator.quiet(&mut self.list);
        self.rank_all(histories.of_quiets(self.position, self.context));
    }

    fn quiet(&mut self) -> Option<Move> {
        while self.quiets {
            let (mv, _) = self.take_best()?;
            if mv != self.table_move && !self.killers.contains(&mv) {
                return Some(mv);
            }
        }
        None
    }
}
