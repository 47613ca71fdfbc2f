//! Time settings, and what is left.

use std::time::Duration;

use super::reply::{Failure, Reply, done, failure, text};
use super::{Request, Session};
use crate::shared::clock::{Left, TimeControl};

/// The longest time that is taken at its word; what is longer counts as this.
const LONGEST: f64 = 1e9;

/// Seconds, with a fraction or without; a negative remainder is none.
fn seconds(request: &Request, index: usize) -> Result<Duration, Failure> {
    let seconds = request.number(index, "time")?;
    Ok(Duration::from_secs_f64(seconds.clamp(0.0, LONGEST)))
}

/// Seconds of a setting, which cannot be negative.
fn setting(request: &Request, index: usize) -> Result<Duration, Failure> {
    if request.number(index, "time")? < 0.0 {
        return Err(failure("invalid time"));
    }
    seconds(request, index)
}

/// Stones or periods, perhaps written as `5.0`.
fn count(request: &Request, index: usize) -> Result<u32, Failure> {
    let count = request.number(index, "number")?;
    if (0.0..=1e6).contains(&count) { Ok(count as u32) } else { Err(failure("invalid number")) }
}

/// `time_settings MAIN PERIOD STONES` (GTP 2, section 4.2).
pub(super) fn time_settings(session: &mut Session, request: &Request) -> Reply {
    let (main, period, stones) = (setting(request, 0)?, setting(request, 1)?, count(request, 2)?);
    session.engine.set_time_control(canadian_or_absolute(main, period, stones));
    done()
}

fn canadian_or_absolute(main: Duration, period: Duration, stones: u32) -> TimeControl {
    match (period.is_zero(), stones) {
        (true, _) => TimeControl::Absolute { main },
        (false, 0) => TimeControl::None,
        (false, stones) => TimeControl::Canadian { main, period, stones },
    }
}

/// `time_left COLOR TIME STONES`.
pub(super) fn time_left(session: &mut Session, request: &Request) -> Reply {
    let (color, time, count) = (request.color(0)?, seconds(request, 1)?, count(request, 2)?);
    session.engine.set_time_left(color, Left::from_gtp(time, count));
    done()
}

/// `kgs-time_settings none | absolute S | byoyomi M P N | canadian M P N`, and
/// KataGo's further systems.
pub(super) fn named_time_settings(session: &mut Session, request: &Request) -> Reply {
    let need = |words: usize| {
        if request.words.len() > words { Ok(()) } else { Err(failure("missing time")) }
    };
    let control = match request.words[0].to_ascii_lowercase().as_str() {
        "none" => TimeControl::None,
        "absolute" => TimeControl::Absolute { main: setting(request, 1)? },
        "byoyomi" => {
            need(3)?;
            byo_yomi(setting(request, 1)?, setting(request, 2)?, count(request, 3)?)
        }
        "canadian" => {
            need(3)?;
            canadian_or_absolute(setting(request, 1)?, setting(request, 2)?, count(request, 3)?)
        }
        "fischer" => TimeControl::Fischer {
            main: setting(request, 1)?,
            increment: setting(request, 2)?,
            cap: None,
            longest: None,
        },
        "fischer-capped" => TimeControl::Fischer {
            main: setting(request, 1)?,
            increment: setting(request, 2)?,
            cap: optional_limit(request, 3)?,
            longest: optional_limit(request, 4)?,
        },
        _ => return Err(failure("unknown time system")),
    };
    session.engine.set_time_control(control);
    done()
}

fn byo_yomi(main: Duration, period: Duration, periods: u32) -> TimeControl {
    if period.is_zero() || periods == 0 {
        TimeControl::Absolute { main }
    } else {
        TimeControl::ByoYomi { main, period, periods }
    }
}

/// Seconds, where a negative number means no limit.
fn optional_limit(request: &Request, index: usize) -> Result<Option<Duration>, Failure> {
    if request.number(index, "time")? < 0.0 { Ok(None) } else { seconds(request, index).map(Some) }
}

pub(super) fn list_time_settings(_: &mut Session, _: &Request) -> Reply {
    text("none absolute byoyomi canadian fischer fischer-capped")
}
