//! The numbers that shape a search, by name.

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// There is no such parameter.
    #[error("unknown parameter {0}")]
    Unknown(String),
    /// The text is no number, or one outside the range.
    #[error("{name} takes a number from {min} to {max}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
}

/// One parameter, for listings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its value.
    pub value: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

macro_rules! params {
    ($($(#[doc = $about:literal])+ $name:ident: $default:literal in $min:literal ..= $max:literal;)+) => {
        /// Every parameter of the search. The table in this file gives
        /// defaults and ranges.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct SearchParams {
            $($(#[doc = $about])+ pub $name: f64,)+
        }

        impl Default for SearchParams {
            fn default() -> Self {
                SearchParams { $($name: $default,)+ }
            }
        }

        impl SearchParams {
            /// All parameters with their values.
            #[must_use]
            pub fn list(&self) -> Vec<Param> {
                vec![$(Param {
                    name: stringify!($name),
                    about: concat!($($about),+).trim_ascii(),
                    value: self.$name,
                    min: f64::from($min as f32),
                    max: f64::from($max as f32),
                },)+]
            }

            fn slot(&mut self, name: &str) -> Option<&mut f64> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

params! {
    /// Visits at which AMAF values and real ones weigh the same.
    rave_equivalence: 3000.0 in 1.0 ..= 1e9;
    /// Moves after which an AMAF sample has lost its weight, in board areas.
    rave_horizon: 1.5 in 0.01 ..= 100.0;
    /// Factor of the upper confidence term of selection.
    exploration: 0.0 in 0.0 ..= 10.0;
    /// Value of a move without visits, AMAF samples or prior.
    first_play_urgency: 1.1 in 0.0 ..= 10.0;
    /// Visits that a position needs before its moves enter the tree.
    expand_visits: 4.0 in 1.0 ..= 1000.0;
    /// The same where playouts are light, and cost less than a place in the
    /// tree.
    light_expand_visits: 8.0 in 1.0 ..= 1000.0;
    /// Simulations that the even prior of each move is worth.
    prior_even: 10.0 in 0.0 ..= 100.0;
    /// Factor on the weights of tactical and pattern priors.
    prior_scale: 1.0 in 0.0 ..= 10.0;
    /// AMAF samples for each simulation that a prior is worth.
    prior_amaf: 1.0 in 0.0 ..= 10.0;
    /// Share of the score, against winning, in what a simulation is worth.
    score_share: 0.04 in 0.0 ..= 1.0;
    /// Score, in sides of the board, that is worth half of the score's share.
    score_scale: 1.0 in 0.01 ..= 100.0;
    /// Points, in sides of the board, by which the player to move is expected
    /// to lose when he begins to play for the score.
    behind_from: 1.5 in 0.0 ..= 100.0;
    /// Share of the score in what a simulation is worth then.
    behind_share: 0.25 in 0.0 ..= 1.0;
    /// Visits at which the network is asked about a position; at once at the
    /// root and after each move from it.
    net_visits: 8.0 in 1.0 ..= 1e9;
    /// Simulations that the network's opinion of a move is worth, times the
    /// root of the move's probability.
    net_policy_weight: 40.0 in 0.0 ..= 200.0;
    /// Factor of the network's probabilities in selection.
    net_exploration: 0.2 in 0.0 ..= 10.0;
    /// Share of the network's win rate, against that of playouts, in the value
    /// of a position, on 9x9.
    net_value_9x9: 0.25 in 0.0 ..= 1.0;
    /// The same on 19x19.
    net_value_19x19: 0.5 in 0.0 ..= 1.0;
    /// Simulations that a remembered game through a move counts for.
    memory_game: 40.0 in 0.0 ..= 200.0;
    /// The most simulations that a memory counts for, on 9x9.
    memory_most: 120.0 in 0.0 ..= 200.0;
    /// Simulations between two looks at the clock and the stop flag.
    check_every: 16.0 in 1.0 ..= 100000.0;
}

impl SearchParams {
    /// The value of parameter `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.list().iter().find(|param| param.name == name).map(|param| param.value)
    }

    /// Sets parameter `name` to what `text` says.
    ///
    /// # Errors
    /// An unknown name, or a value that is no number in the parameter's range;
    /// nothing is changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        let unknown = || ParamError::Unknown(name.to_owned());
        let param = self.list().into_iter().find(|param| param.name == name).ok_or_else(unknown)?;
        let range = ParamError::Range { name: param.name, min: param.min, max: param.max };
        let value: f64 = text.trim().parse().map_err(|_| range.clone())?;
        if !(value >= param.min && value <= param.max) {
            return Err(range);
        }
        if let Some(slot) = self.slot(name) {
            *slot = value;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_can_be_set_within_its_range() {
        for param in SearchParams::default().list() {
            let mut params = SearchParams::default();
            assert!(param.value >= param.min && param.value <= param.max, "{}", param.name);
            params.set(param.name, &param.max.to_string()).unwrap();
            assert_eq!(params.get(param.name), Some(param.max));
            assert!(params.set(param.name, "NaN").is_err());
            assert!(params.set(param.name, &(param.min - 1.0).to_string()).is_err());
            assert_eq!(params.get(param.name), Some(param.max));
            assert!(!param.about.is_empty());
        }
        assert!(SearchParams::default().set("depth", "1").is_err());
    }
}
