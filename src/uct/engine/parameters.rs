//! The engine's settings by name, to list and to change.

use std::str::FromStr;
use std::time::Duration;

use super::Engine;

/// Settings that are on or off.
const SWITCHES: [&str; 1] = ["ponder"];

/// A setting by name, for listings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value, as [`Engine::set_parameter`] reads it.
    pub value: String,
    /// Whether it is a switch: 1 for on, 0 for off.
    pub is_switch: bool,
}

/// The parameter is unknown, or cannot have the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// No such parameter.
    #[error("unknown parameter {0}")]
    Unknown(String),
    /// The value does not fit.
    #[error("invalid value for {0}")]
    Invalid(String),
}

impl Engine {
    /// Every parameter with its value.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let own = [
            ("threads", self.settings.search.threads.to_string()),
            ("memory_mib", self.settings.search.memory_mib.to_string()),
            ("seed", self.settings.search.seed.to_string()),
            ("playouts", self.settings.playouts.unwrap_or(0).to_string()),
            ("time", self.settings.time.as_secs_f64().to_string()),
            ("ponder", u8::from(self.settings.ponder).to_string()),
            ("resign", self.settings.resign.to_string()),
            ("lag_ms", self.settings.lag.as_millis().to_string()),
        ];
        let search = self.settings.search.params.list().into_iter().map(|p| (p.name, p.value.to_string()));
        own.into_iter()
            .chain(search)
            .map(|(name, value)| Parameter { name, value, is_switch: SWITCHES.contains(&name) })
            .collect()
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// The parameter is unknown, or cannot have the value; nothing has changed
    /// then.
    pub fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let settings = &mut self.settings;
        match name {
            "threads" => settings.search.threads = within(name, value, 1..=1024)?,
            "memory_mib" => settings.search.memory_mib = within(name, value, 2..=1 << 20)?,
            "seed" => settings.search.seed = within(name, value, 0..=u64::MAX)?,
            "playouts" => {
                let count: u64 = within(name, value, 0..=u64::MAX)?;
                settings.playouts = (count > 0).then_some(count);
            }
            "time" => settings.time = Duration::from_secs_f64(within(name, value, 0.001..=1e6)?),
            "ponder" => settings.ponder = within(name, value, 0..=1)? == 1,
            "resign" => settings.resign = within(name, value, 0.0..=0.5)?,
            "lag_ms" => settings.lag = Duration::from_millis(within(name, value, 0..=60_000)?),
            _ => {
                let known = settings.search.params.get(name).is_some();
                settings.search.params.set(name, value).map_err(|_| match known {
                    true => ParameterError::Invalid(name.into()),
                    false => ParameterError::Unknown(name.into()),
                })?;
            }
        }
        Ok(())
    }
}

/// Reads a value within bounds.
fn within<T: FromStr + PartialOrd>(
    name: &str,
    text: &str,
    bounds: std::ops::RangeInclusive<T>,
) -> Result<T, ParameterError> {
    let value = text.parse().ok().filter(|value| bounds.contains(value));
    value.ok_or_else(|| ParameterError::Invalid(name.into()))
}
