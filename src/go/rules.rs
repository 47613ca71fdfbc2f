//! Rule sets.

use super::color::Color;

/// Which repetitions of a position are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only retaking a single stone at once.
    Simple,
    /// Any earlier arrangement of stones, whoever moved.
    PositionalSuperko,
    /// Any earlier arrangement of stones with the same player to move.
    SituationalSuperko,
}

/// What counts at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Living stones and the points they surround.
    Area,
    /// Surrounded points and prisoners; nothing in seki.
    Territory,
}

/// What White receives for Black's handicap stones, under area scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// A point for each stone.
    Stones,
    /// A point for each stone but the first.
    StonesButOne,
}

/// A rule set. The names and their meanings follow KataGo's summary of the
/// rules in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The ko rule.
    pub ko: KoRule,
    /// How the score is counted.
    pub scoring: Scoring,
    /// Whether a player may take away the own last liberty of several stones.
    pub suicide: bool,
    /// Compensation for handicap stones.
    pub handicap_bonus: HandicapBonus,
}

impl Rules {
    /// Area scoring, a point for each handicap stone; simple ko, as the rule
    /// is kept in practice.
    pub const CHINESE: Rules = Rules {
        ko: KoRule::Simple,
        scoring: Scoring::Area,
        suicide: false,
        handicap_bonus: HandicapBonus::Stones,
    };
    /// As Chinese, with positional superko: on KGS and OGS.
    pub const CHINESE_SUPERKO: Rules = Rules { ko: KoRule::PositionalSuperko, ..Rules::CHINESE };
    /// Territory scoring, simple ko.
    pub const JAPANESE: Rules = Rules {
        ko: KoRule::Simple,
        scoring: Scoring::Territory,
        suicide: false,
        handicap_bonus: HandicapBonus::Zero,
    };
    /// As Japanese, for our purposes.
    pub const KOREAN: Rules = Rules::JAPANESE;
    /// Area scoring, situational superko, a point for each handicap stone but one.
    pub const AGA: Rules = Rules {
        ko: KoRule::SituationalSuperko,
        scoring: Scoring::Area,
        suicide: false,
        handicap_bonus: HandicapBonus::StonesButOne,
    };
    /// Area scoring, situational superko, suicide allowed.
    pub const NEW_ZEALAND: Rules = Rules {
        ko: KoRule::SituationalSuperko,
        scoring: Scoring::Area,
        suicide: true,
        handicap_bonus: HandicapBonus::Zero,
    };
    /// Area scoring, positional superko, suicide allowed.
    pub const TROMP_TAYLOR: Rules = Rules {
        ko: KoRule::PositionalSuperko,
        scoring: Scoring::Area,
        suicide: true,
        handicap_bonus: HandicapBonus::Zero,
    };
    /// As Tromp-Taylor, without suicide: on CGOS.
    pub const CGOS: Rules = Rules { suicide: false, ..Rules::TROMP_TAYLOR };
    /// Area scoring, positional superko, suicide allowed, no handicap bonus,
    /// close to what Ing's rules come to.
    pub const ING: Rules = Rules { ..Rules::TROMP_TAYLOR };

    /// Every named rule set.
    pub const NAMED: [(&str, Rules); 14] = [
        ("chinese", Rules::CHINESE),
        ("chinese-ogs", Rules::CHINESE_SUPERKO),
        ("chinese-kgs", Rules::CHINESE_SUPERKO),
        ("japanese", Rules::JAPANESE),
        ("korean", Rules::KOREAN),
        ("aga", Rules::AGA),
        ("new_zealand", Rules::NEW_ZEALAND),
        ("tromp-taylor", Rules::TROMP_TAYLOR),
        ("cgos", Rules::CGOS),
        ("ing", Rules::ING),
        // What others call them: KataGo's clients, and game records.
        ("bga", Rules::AGA),
        ("french", Rules::AGA),
        ("nz", Rules::NEW_ZEALAND),
        ("goe", Rules::ING),
    ];

    /// The rule set called `name`; case, `-`, `_` and blanks do not matter.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Rules> {
        let plain = |text: &str| {
            text.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect::<String>()
        };
        let wanted = plain(name);
        Self::NAMED.iter().find(|(known, _)| plain(known) == wanted).map(|&(_, rules)| rules)
    }

    /// The first of the names for these rules, if they have one.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        Self::NAMED.iter().find(|(_, rules)| rules == self).map(|&(name, _)| name)
    }

    /// Points that White receives for `stones` handicap stones.
    #[must_use]
    pub fn handicap_points(&self, stones: usize) -> f64 {
        let points = match self.handicap_bonus {
            HandicapBonus::Zero => 0,
            HandicapBonus::Stones => stones,
            HandicapBonus::StonesButOne => stones.saturating_sub(1),
        };
        points as f64
    }

    /// The player who moves first when Black has `handicap` stones.
    #[must_use]
    pub fn first_player(handicap: usize) -> Color {
        if handicap > 0 { Color::White } else { Color::Black }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Rules::CHINESE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_spelling() {
        assert_eq!(Rules::by_name("Tromp Taylor"), Some(Rules::TROMP_TAYLOR));
        assert_eq!(Rules::by_name("new-zealand"), Some(Rules::NEW_ZEALAND));
        assert_eq!(Rules::by_name("chess"), None);
        // q5Go sends the first, game records have the others.
        assert_eq!(Rules::by_name("bga"), Some(Rules::AGA));
        assert_eq!(Rules::by_name("NZ"), Some(Rules::NEW_ZEALAND));
        assert_eq!(Rules::by_name("GOE"), Some(Rules::ING));
        assert_eq!(Rules::JAPANESE.name(), Some("japanese"));
    }
}
