//! The result of a game, in the forms that people write it.

use std::fmt;

use crate::go::color::Color;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameResult {
    /// A player won.
    Win(Color, Margin),
    /// Nobody won.
    Draw,
    /// The game does not count.
    Void,
    /// The record does not say.
    Unknown,
}

/// How a game was won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// By points, more than zero.
    Points(f64),
    /// The opponent resigned.
    Resignation,
    /// The opponent ran out of time.
    Time,
    /// The opponent broke a rule or was absent.
    Forfeit,
    /// Not known.
    Unknown,
}

impl GameResult {
    /// The result for a score of `points`, Black minus White.
    #[must_use]
    pub fn by_score(points: f64) -> Self {
        if points > 0.0 {
            GameResult::Win(Color::Black, Margin::Points(points))
        } else if points < 0.0 {
            GameResult::Win(Color::White, Margin::Points(-points))
        } else {
            GameResult::Draw
        }
    }

    /// The winner, if there is one.
    #[must_use]
    pub fn winner(&self) -> Option<Color> {
        match self {
            GameResult::Win(color, _) => Some(*color),
            _ => None,
        }
    }

    /// Reads the value of RE: `B+3.5`, `W+R`, `W`, `B+time`, `0`, `draw`,
    /// `White wins by resignation`, and the beginnings of the Chinese,
    /// Japanese and Korean forms. What is not understood is unknown.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        if matches!(text.as_str(), "0" | "draw" | "jigo" | "tie" | "和棋" | "和局" | "持碁") {
            return GameResult::Draw;
        }
        if text == "void" {
            return GameResult::Void;
        }
        winner(&text).map_or(GameResult::Unknown, |(color, rest)| GameResult::Win(color, margin(rest)))
    }
}

fn winner(text: &str) -> Option<(Color, &str)> {
    const NAMES: [(&str, Color); 9] = [
        ("black", Color::Black),
        ("white", Color::White),
        ("黑", Color::Black),
        ("黒", Color::Black),
        ("흑", Color::Black),
        ("白", Color::White),
        ("백", Color::White),
        ("b", Color::Black),
        ("w", Color::White),
    ];
    let (color, rest) =
        NAMES.iter().find_map(|&(name, color)| Some((color, text.strip_prefix(name)?.trim_start())))?;
    let is_short = text.starts_with(['b', 'w']) && rest.starts_with(char::is_alphabetic);
    (!is_short || rest.starts_with("win") || rest.starts_with("by")).then_some((color, rest))
}

fn margin(rest: &str) -> Margin {
    let rest = rest.trim_start_matches("wins").trim_start_matches("win").trim();
    let rest = rest.trim_start_matches("by").trim_start_matches('+').trim();
    let number: String = rest
        .chars()
        .skip_while(|c| !c.is_ascii_digit() && !c.is_alphabetic())
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    if let Ok(points) = number.replace(',', ".").parse::<f64>() {
        return if points > 0.0 { Margin::Points(points) } else { Margin::Unknown };
    }
    match rest.chars().next() {
        Some('r' | '中') => Margin::Resignation,
        Some('t') => Margin::Time,
        Some('f') => Margin::Forfeit,
        _ => Margin::Unknown,
    }
}

impl fmt::Display for GameResult {
    /// As FF\[4\] has it: `B+3.5`, `W+R`, `0`, `Void`, `?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameResult::Draw => f.write_str("0"),
            GameResult::Void => f.write_str("Void"),
            GameResult::Unknown => f.write_str("?"),
            GameResult::Win(color, margin) => {
                f.write_str(if *color == Color::Black { "B+" } else { "W+" })?;
                match margin {
                    Margin::Points(points) => write!(f, "{points}"),
                    Margin::Resignation => f.write_str("R"),
                    Margin::Time => f.write_str("T"),
                    Margin::Forfeit => f.write_str("F"),
                    Margin::Unknown => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_in_use_are_understood() {
        for (text, standard) in [
            ("B+3.5", "B+3.5"),
            ("w+0,5", "W+0.5"),
            ("W+Resign", "W+R"),
            ("B+time", "B+T"),
            ("W+Forfeit", "W+F"),
            ("W", "W+"),
            ("B+", "B+"),
            ("draw", "0"),
            ("Jigo", "0"),
            ("0", "0"),
            ("Void", "Void"),
            ("?", "?"),
            ("", "?"),
            ("unknown", "?"),
            ("bad", "?"),
            ("White wins by 2.5", "W+2.5"),
            ("Black wins by resignation", "B+R"),
            ("B wins by resignation", "B+R"),
            ("黑中盘胜", "B+R"),
            ("白中押し勝ち", "W+R"),
        ] {
            assert_eq!(GameResult::parse(text).to_string(), standard, "{text:?}");
        }
    }

    #[test]
    fn scores_become_results() {
        assert_eq!(GameResult::by_score(-2.5).to_string(), "W+2.5");
        assert_eq!(GameResult::by_score(31.0).to_string(), "B+31");
        assert_eq!(GameResult::by_score(0.0), GameResult::Draw);
    }
}
