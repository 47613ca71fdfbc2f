//! What all games of a match have in common. It is kept beside them, so that
//! a match does not go on under other terms.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::go_game::GoSettings;
use super::{Contest, Limits, Match};

/// Values by the names of their options.
pub(super) type Terms = BTreeMap<String, String>;

impl Match {
    /// What must stay the same when the match goes on: all but the number of
    /// games, how many are played at a time, when they are enough, and how
    /// long is waited for an answer.
    pub(super) fn terms(&self) -> Terms {
        let mut terms = Terms::new();
        let mut put = |name: &str, value: String| drop(terms.insert(name.to_owned(), value));
        for (which, spec) in ["first", "second"].into_iter().zip(&self.specs) {
            put(which, spec.command.clone());
            put(&format!("{which}-protocol"), format!("{:?}", spec.protocol).to_lowercase());
            put(&format!("{which}-setup"), spec.setup.join("; "));
        }
        match &self.contest {
            Contest::Go(settings, openings) => {
                let GoSettings { size, komi, rules: _, rules_name, referee, resign: _, judge } = settings;
                put("size", size.to_string());
                put("komi", komi.to_string());
                put("rules", rules_name.clone());
                put("referee", referee.clone().unwrap_or_default());
                let judge = judge.as_ref().map(|judge| (&judge.command, judge.lead, judge.moves));
                put("judge", judge.as_ref().map(shown).unwrap_or_default());
                put("openings", fingerprint(openings));
            }
            Contest::Chess(openings) => put("openings", fingerprint(openings)),
        }
        let Limits { time, nodes, depth, cpu_clock, max_moves, resign, draw, claims, environment, .. } =
            &self.limits;
        put("time", shown(time));
        put("nodes", nodes.as_ref().map(shown).unwrap_or_default());
        put("depth", depth.as_ref().map(shown).unwrap_or_default());
        put("cpu-clock", cpu_clock.to_string());
        put("max-moves", max_moves.to_string());
        put("resign", resign.as_ref().map(shown).unwrap_or_default());
        put("draw", draw.as_ref().map(shown).unwrap_or_default());
        put("no-claims", (!claims).to_string());
        put("preload", environment.iter().map(|(_, value)| value.as_str()).collect());
        terms
    }
}

fn shown(value: &impl Debug) -> String {
    format!("{value:?}")
}

/// How many openings there are, and a number that changes with any of them.
fn fingerprint<T: Debug>(openings: &[T]) -> String {
    let mut hasher = DefaultHasher::new();
    shown(&openings).hash(&mut hasher);
    format!("{} ({:016x})", openings.len(), hasher.finish())
}
