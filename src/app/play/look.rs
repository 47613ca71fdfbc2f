//! What the terminal can show.

use std::io::{IsTerminal, stdout};

use anstyle::{Ansi256Color, Color, Style};

/// How boards are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Whether to use colours.
    pub(super) is_colored: bool,
    /// Whether characters beyond ASCII can be shown.
    pub(super) is_unicode: bool,
    /// Whether somebody watches.
    pub(super) is_terminal: bool,
}

impl Look {
    /// Letters and dots.
    #[cfg(test)]
    pub(super) const PLAIN: Look = Look { is_colored: false, is_unicode: false, is_terminal: false };

    /// What standard output can show, and NO_COLOR and the like allow.
    pub(super) fn of_stdout() -> Look {
        let choice = anstream::AutoStream::choice(&stdout());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
            let value = std::env::var(name).ok();
            value.filter(|value| !value.is_empty())
        });
        let is_utf8 = |locale: String| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        Look {
            is_colored: choice != anstream::ColorChoice::Never,
            is_unicode: locale.is_some_and(is_utf8),
            is_terminal: stdout().is_terminal(),
        }
    }

    /// `text` in a colour on a background, both of the 256 that terminals have.
    pub(super) fn paint(self, text: &str, ink: u8, ground: u8) -> String {
        if !self.is_colored {
            return text.to_owned();
        }
        let color = |number| Some(Color::Ansi256(Ansi256Color(number)));
        let style = Style::new().fg_color(color(ink)).bg_color(color(ground));
        format!("{style}{text}{style:#}")
    }
}
