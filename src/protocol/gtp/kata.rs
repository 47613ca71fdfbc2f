//! KataGo's commands for rules and parameters.

use serde_json::{Map, Value, json};

use super::reply::{Failure, Reply, done, failure, text};
use super::{Request, Session};
use crate::go::rules::{HandicapBonus, KoRule, Rules, Scoring};

const KO: [(&str, KoRule); 4] = [
    ("SIMPLE", KoRule::Simple),
    ("POSITIONAL", KoRule::PositionalSuperko),
    ("SITUATIONAL", KoRule::SituationalSuperko),
    ("SPIGHT", KoRule::SituationalSuperko),
];
const SCORING: [(&str, Scoring); 2] = [("AREA", Scoring::Area), ("TERRITORY", Scoring::Territory)];
const BONUS: [(&str, HandicapBonus); 3] =
    [("0", HandicapBonus::Zero), ("N", HandicapBonus::Stones), ("N-1", HandicapBonus::StonesButOne)];

/// The name of `value` in one of the tables above.
fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

/// The value that JSON names in one of the tables above.
fn named<T: Copy>(table: &[(&str, T)], value: &Value) -> Result<T, Failure> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let found = table.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text));
    found.map(|&(_, value)| value).ok_or_else(|| failure(format!("invalid rule value {text}")))
}

/// KataGo's name for whether points in a seki count.
fn tax(rules: Rules) -> &'static str {
    if rules.scoring == Scoring::Territory { "SEKI" } else { "NONE" }
}

pub(super) fn get_rules(session: &mut Session, _: &Request) -> Reply {
    let rules = session.engine.game().rules();
    text(json!({
        "ko": name_of(&KO, &rules.ko),
        "scoring": name_of(&SCORING, &rules.scoring),
        "suicide": rules.suicide,
        "tax": tax(rules),
        "whiteHandicapBonus": name_of(&BONUS, &rules.handicap_bonus),
        "friendlyPassOk": true,
        "hasButton": false,
    }))
}

/// A name, or the JSON form, whose missing fields are as in Tromp-Taylor rules.
pub(super) fn set_rules(session: &mut Session, request: &Request) -> Reply {
    let told = request.text();
    let rules = if told.trim_start().starts_with('{') {
        let fields: Map<String, Value> = serde_json::from_str(&told).map_err(|_| failure("invalid rules"))?;
        // The tax is judged by the scoring, wherever that stands.
        let (taxes, others): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| *name == "tax");
        let mut told = others.into_iter().chain(taxes);
        told.try_fold(Rules::TROMP_TAYLOR, |rules, (name, value)| with_rule(rules, name, value))?
    } else {
        Rules::by_name(&told).ok_or_else(|| failure("unknown rules"))?
    };
    session.engine.set_rules(rules);
    done()
}

pub(super) fn set_rule(session: &mut Session, request: &Request) -> Reply {
    let told = &request.words[1];
    let value = serde_json::from_str(told).unwrap_or_else(|_| Value::String(told.clone()));
    let rules = with_rule(session.engine.game().rules(), &request.words[0], &value)?;
    session.engine.set_rules(rules);
    done()
}

/// The rules with one of them changed. Rules that Tengen has no choice in are
/// accepted only as they are.
fn with_rule(rules: Rules, name: &str, value: &Value) -> Result<Rules, Failure> {
    let unsupported = || failure(format!("unsupported value for {name}"));
    match name {
        "ko" => Ok(Rules { ko: named(&KO, value)?, ..rules }),
        "scoring" => Ok(Rules { scoring: named(&SCORING, value)?, ..rules }),
        "suicide" | "multiStoneSuicideLegal" => {
            Ok(Rules { suicide: value.as_bool().ok_or_else(unsupported)?, ..rules })
        }
        "whiteHandicapBonus" => Ok(Rules { handicap_bonus: named(&BONUS, value)?, ..rules }),
        "tax" if value.as_str() == Some(tax(rules)) => Ok(rules),
        "hasButton" if value == &Value::Bool(false) => Ok(rules),
        "friendlyPassOk" if value.is_boolean() => Ok(rules),
        "tax" | "hasButton" | "friendlyPassOk" => Err(unsupported()),
        _ => Err(failure(format!("unknown rule {name}"))),
    }
}

/// KataGo's names for what Tengen has too, with Tengen's.
const PARAMETERS: [(&str, &str); 3] =
    [("maxVisits", "playouts"), ("maxTime", "time"), ("numSearchThreads", "threads")];

fn own_name(name: &str) -> &str {
    PARAMETERS.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours)
}

pub(super) fn list_params(_: &mut Session, _: &Request) -> Reply {
    text(PARAMETERS.map(|(name, _)| name).join(" "))
}

pub(super) fn get_param(session: &mut Session, request: &Request) -> Reply {
    let name = own_name(&request.words[0]);
    let found = session.engine.parameters().into_iter().find(|parameter| parameter.name == name);
    text(found.ok_or_else(|| failure("invalid parameter"))?.value)
}

pub(super) fn set_param(session: &mut Session, request: &Request) -> Reply {
    let name = own_name(&request.words[0]).to_owned();
    session.engine.set_parameter(&name, &request.words[1]).map_err(|_| failure("invalid parameter"))?;
    done()
}
