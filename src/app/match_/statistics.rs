//! What the results of a match say: score, Elo, and the sequential test.

use std::str::FromStr;

/// Two-sided 95% of a normal distribution.
const Z: f64 = 1.959_964;

/// Results of games so far, from the first engine's point of view. Games are
/// played in pairs of one opening with colours swapped, so that pairs, not
/// games, are independent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Wins, draws, losses of the first engine.
    pub games: [u32; 3],
    /// Finished pairs in which the first engine scored 0, 1/2, 1, 3/2, 2.
    pub pairs: [u32; 5],
    /// Scores, doubled, of the games of unfinished pairs, by number of pair.
    open: std::collections::BTreeMap<usize, u32>,
}

impl Tally {
    /// Counts game `index`: `Some(true)` if the first engine won it.
    pub fn add(&mut self, index: usize, first_won: Option<bool>) {
        let doubled = match first_won {
            Some(true) => 2,
            None => 1,
            Some(false) => 0,
        };
        self.games[2 - doubled as usize] += 1;
        match self.open.remove(&(index / 2)) {
            Some(other) => self.pairs[(other + doubled) as usize] += 1,
            None => drop(self.open.insert(index / 2, doubled)),
        }
    }

    /// Games played.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.games.iter().sum()
    }

    /// Points of the first engine.
    #[must_use]
    pub fn points(&self) -> f64 {
        f64::from(self.games[0]) + f64::from(self.games[1]) / 2.0
    }

    /// Share of the points that the first engine got, with its 95% interval:
    /// E. B. Wilson, "Probable inference" (1927).
    #[must_use]
    pub fn score(&self) -> (f64, [f64; 2]) {
        let n = f64::from(self.count());
        if n == 0.0 {
            return (0.5, [0.0, 1.0]);
        }
        let p = self.points() / n;
        let d = 1.0 + Z * Z / n;
        let centre = p + Z * Z / (2.0 * n);
        let radius = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        (p, [(centre - radius) / d, (centre + radius) / d])
    }

    /// Elo difference with its 95% interval, from the spread of pairs, or of
    /// games while no pair is finished. Infinite where one side has all points.
    #[must_use]
    pub fn elo(&self) -> (f64, [f64; 2]) {
        let (score, interval) = self.score();
        let (mean, variance, n) = self.pair_moments(0.0);
        if n < 2.0 || variance == 0.0 {
            return (elo_of(score), interval.map(elo_of));
        }
        let radius = Z * (variance / n).sqrt();
        (elo_of(score), [mean - radius, mean + radius].map(elo_of))
    }

    /// Mean score of a pair between 0 and 1, its variance, and the number of
    /// pairs, each kind counted at least as `least`.
    fn pair_moments(&self, least: f64) -> (f64, f64, f64) {
        let counts = self.pairs.map(|count| f64::from(count).max(least));
        let n: f64 = counts.iter().sum();
        let value = |i: usize| i as f64 / 4.0;
        let mean = counts.iter().enumerate().map(|(i, c)| c * value(i)).sum::<f64>() / n;
        let variance = counts.iter().enumerate().map(|(i, c)| c * (value(i) - mean).powi(2)).sum::<f64>() / n;
        (mean, variance, n)
    }
}

/// The Elo difference at which a player scores `score`.
fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        // The sum makes a negative zero positive.
        -400.0 * (1.0 / score - 1.0).log10() + 0.0
    }
}

/// The score that a player with an advantage of `elo` expects.
fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A sequential test of two hypotheses about the Elo difference: generalized
/// SPRT on the scores of pairs, in the normal approximation of M. Van den
/// Bergh, "A practical introduction to the GSPRT" (2018).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo: [f64; 2],
    alpha: f64,
    beta: f64,
}

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The lower hypothesis holds.
    Lower,
    /// The upper hypothesis holds.
    Upper,
}

/// Bounds that make no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a test is ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA with ELO0 < ELO1 and errors between 0 and 0.5")]
pub struct BadSprt;

impl FromStr for Sprt {
    type Err = BadSprt;

    /// Reads `0,5` or `0,5,0.05,0.05`.
    fn from_str(text: &str) -> Result<Self, BadSprt> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
        let (low, high, alpha, beta) = match numbers.map_err(|_| BadSprt)?[..] {
            [low, high] => (low, high, 0.05, 0.05),
            [low, high, alpha, beta] => (low, high, alpha, beta),
            _ => return Err(BadSprt),
        };
        let is_error = |p: f64| p > 0.0 && p < 0.5;
        let is_test = low < high && is_error(alpha) && is_error(beta);
        if is_test { Ok(Sprt { elo: [low, high], alpha, beta }) } else { Err(BadSprt) }
    }
}

impl Sprt {
    /// The log-likelihood ratio at which the test ends, below and above.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The log-likelihood ratio of the upper against the lower hypothesis.
    #[must_use]
    pub fn ratio(&self, tally: &Tally) -> f64 {
        /// Stands for a kind of pair that was not seen yet: as much as keeps a
        /// few pairs that happen to be alike from deciding anything.
        const UNSEEN: f64 = 0.5;
        if tally.pairs.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let (mean, variance, n) = tally.pair_moments(UNSEEN);
        let [low, high] = self.elo.map(score_of);
        n * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }

    /// The decision, once there is one.
    #[must_use]
    pub fn decision(&self, tally: &Tally) -> Option<Decision> {
        let [low, high] = self.bounds();
        match self.ratio(tally) {
            ratio if ratio <= low => Some(Decision::Lower),
            ratio if ratio >= high => Some(Decision::Upper),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(pairs: [u32; 5]) -> Tally {
        Tally { pairs, ..Tally::default() }
    }

    #[test]
    fn pairs_are_put_together() {
        let mut tally = Tally::default();
        for (index, won) in [(0, Some(true)), (3, None), (1, Some(true)), (2, Some(false)), (4, None)] {
            tally.add(index, won);
        }
        assert_eq!(tally.games, [2, 2, 1]);
        assert_eq!(tally.pairs, [0, 1, 0, 0, 1]);
        assert_eq!(tally.points(), 3.0);
    }

    #[test]
    fn intervals_follow_wilson() {
        let mut tally = Tally::default();
        (0..20).for_each(|i| tally.add(i, Some(i < 15)));
        let (score, [low, high]) = tally.score();
        assert_eq!(score, 0.75);
        assert!((low - 0.531).abs() < 1e-3 && (high - 0.888).abs() < 1e-3, "{low} {high}");
        assert!((elo_of(0.75) - 190.8).abs() < 0.1);
        assert_eq!(elo_of(1.0), f64::INFINITY);
    }

    #[test]
    fn the_test_decides_for_what_it_sees() {
        let sprt: Sprt = "0,10".parse().unwrap();
        assert_eq!(sprt.decision(&Tally::default()), None);
        assert_eq!(sprt.decision(&tally([100, 200, 400, 260, 160])), Some(Decision::Upper));
        assert_eq!(sprt.decision(&tally([160, 260, 400, 200, 100])), Some(Decision::Lower));
        assert_eq!(sprt.decision(&tally([1, 2, 4, 2, 2])), None);
        for few in [[0, 0, 2, 0, 0], [0, 0, 0, 0, 3], [3, 0, 0, 0, 0], [0, 0, 0, 3, 0]] {
            let wide: Sprt = "0,50".parse().unwrap();
            assert_eq!(wide.decision(&tally(few)), None, "{few:?}");
        }
        assert!((sprt.bounds()[1] - 2.944).abs() < 1e-3);
        let (mean, variance, n) = tally([10, 20, 40, 20, 10]).pair_moments(0.0);
        assert_eq!((mean, n), (0.5, 100.0));
        assert!((variance - 0.075).abs() < 1e-12);
    }

    #[test]
    fn bounds_are_checked() {
        for text in ["", "5,0", "0,5,0.5,0.1", "0", "a,b", "0,5,0.05"] {
            assert_eq!(text.parse::<Sprt>(), Err(BadSprt), "{text}");
        }
    }
}
