//! What the evaluation counts. A term is one number that is counted for each
//! side and has one weight in the middlegame and one in the endgame; terms of
//! a kind form a group, such as mobility by number of squares.

/// A group of terms: where it begins among all terms, and how many it has.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The index of its first term.
    pub first: usize,
    /// How many terms it has.
    pub len: usize,
}

macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $len:expr;)*) => {
        groups!(@place 0; $($(#[$doc])* $name: $len;)*);
        /// Every group, with its name.
        pub const GROUPS: &[(&str, Group)] = &[$((stringify!($name), $name)),*];
    };
    (@place $first:expr; $(#[$doc:meta])* $name:ident: $len:expr; $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: Group = Group { first: $first, len: $len };
        groups!(@place $name.first + $name.len; $($rest)*);
    };
    (@place $first:expr;) => {
        /// How many terms there are.
        pub const COUNT: usize = $first;
    };
}

groups! {
    /// Pawn to queen.
    MATERIAL: 5;
    /// By kind, rank and distance from the edge file.
    PLACE: 6 * 32;
    /// By squares a knight can go to.
    KNIGHT_MOBILITY: 9;
    /// By squares a bishop can go to.
    BISHOP_MOBILITY: 14;
    /// By squares a rook can go to.
    ROOK_MOBILITY: 15;
    /// By squares a queen can go to.
    QUEEN_MOBILITY: 28;
    /// Two bishops or more.
    BISHOP_PAIR: 1;
    /// A bishop, by own pawns on squares of its colour.
    BISHOP_PAWNS: 9;
    /// A knight, then a bishop, no enemy pawn can chase: loose, supported.
    OUTPOST: 4;
    /// A minor piece right behind a pawn.
    SHIELDED_MINOR: 1;
    /// A rook on a file without own pawns: with enemy pawns, without.
    ROOK_FILE: 2;
    /// A pawn without neighbours: on a closed file, on a half-open one.
    ISOLATED: 2;
    /// A pawn that lags behind its neighbours: on a closed file, half-open.
    BACKWARD: 2;
    /// A pawn behind another of its side.
    DOUBLED: 1;
    /// A pawn with a neighbour beside it, by rank.
    PHALANX: 8;
    /// A pawn defended by another, by rank.
    SUPPORTED: 8;
    /// A passed pawn, by rank.
    PASSED: 8;
    /// A passed pawn that cannot step forward, by rank.
    PASSED_BLOCKED: 8;
    /// A passed pawn whose next square the enemy does not attack, by rank.
    PASSED_SAFE: 8;
    /// A far advanced passed pawn, by the own king's distance.
    PASSED_OWN_KING: 8;
    /// A far advanced passed pawn, by the enemy king's distance.
    PASSED_ENEMY_KING: 8;
    /// A rook behind a passed pawn.
    PASSED_ROOK: 1;
    /// A pawn attacks a piece, by its kind.
    PAWN_THREAT: 5;
    /// A minor piece attacks a piece, by its kind.
    MINOR_THREAT: 5;
    /// A rook attacks a piece, by its kind.
    ROOK_THREAT: 5;
    /// The king attacks an undefended piece.
    KING_THREAT: 1;
    /// An attacked piece without defence.
    HANGING: 1;
    /// A pawn that can attack a piece by a safe step.
    PUSH_THREAT: 1;
    /// The own pawn before the king, by distance from the edge and rank.
    SHELTER: 4 * 8;
    /// The enemy pawn before the king, by distance from the edge and rank.
    STORM: 4 * 8;
    /// Pieces that attack squares around the enemy king, knight to queen.
    RING_ATTACK: 4;
    /// A check that costs nothing, by knight to queen.
    SAFE_CHECK: 4;
    /// Danger to the enemy king in units of attack.
    DANGER: 40;
    /// Safe squares in the centre behind the own pawns.
    SPACE: 1;
    /// The right to move.
    TEMPO: 1;
}
