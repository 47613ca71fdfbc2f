//! Chess games in PGN: tags, and moves as text with comments, annotations and
//! variations; from S. Edwards, "PGN Specification and Implementation Guide"
//! (1994). What a move means is for the chess layer to say.

use std::fmt;

/// Longest line that is written.
const LINE_LENGTH: usize = 79;

/// A game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// The moves and what stands between them.
    pub elements: Vec<Element>,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` where the game does not say.
    pub result: String,
}

/// A part of the moves of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A move in SAN, or whatever stood in its place.
    Move(String),
    /// A comment on what comes before it.
    Comment(String),
    /// A numeric annotation: 1 is `!`, 2 is `?`.
    Annotation(u16),
    /// A variation begins, in place of the move before it.
    Open,
    /// The variation ends.
    Close,
}

impl Game {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Gives a tag a value.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = &str> {
        let mut depth = 0_usize;
        self.elements.iter().filter_map(move |element| {
            match element {
                Element::Open => depth += 1,
                Element::Close => depth = depth.saturating_sub(1),
                Element::Move(san) if depth == 0 => return Some(san.as_str()),
                _ => {}
            }
            None
        })
    }
}

/// The games of a file. Damage is read past: an unclosed comment ends with the
/// file, a stray bracket is left out.
#[must_use]
pub fn parse(text: &str) -> Vec<Game> {
    let mut reader = Reader { rest: text.trim_start_matches('\u{feff}'), at_line_start: true };
    let mut games = Vec::new();
    let mut game = Game::default();
    let mut depth = 0_usize;
    while let Some(token) = reader.next_token() {
        match token {
            Token::Tag(name, value) => {
                if !game.elements.is_empty() {
                    finish(&mut games, &mut game, &mut depth, "*");
                }
                game.tags.push((name, value));
            }
            Token::Result(result) if depth == 0 => finish(&mut games, &mut game, &mut depth, &result),
            Token::Result(_) => {}
            Token::Element(Element::Close) if depth == 0 => {}
            Token::Element(element) => {
                match element {
                    Element::Open => depth += 1,
                    Element::Close => depth -= 1,
                    _ => {}
                }
                game.elements.push(element);
            }
        }
    }
    if !game.tags.is_empty() || !game.elements.is_empty() {
        finish(&mut games, &mut game, &mut depth, "*");
    }
    games
}

fn finish(games: &mut Vec<Game>, game: &mut Game, depth: &mut usize, result: &str) {
    let open = std::mem::take(depth);
    game.elements.extend(std::iter::repeat_n(Element::Close, open));
    result.clone_into(&mut game.result);
    games.push(std::mem::take(game));
}

enum Token {
    Tag(String, String),
    Element(Element),
    Result(String),
}

struct Reader<'a> {
    rest: &'a str,
    at_line_start: bool,
}

impl<'a> Reader<'a> {
    fn next_token(&mut self) -> Option<Token> {
        loop {
            let c = self.rest.chars().next()?;
            if self.at_line_start && c == '%' {
                self.take_until('\n');
                continue;
            }
            self.at_line_start = c == '\n';
            let token = match c {
                '[' => self.tag(),
                '{' => {
                    self.advance(1);
                    Some(comment(self.take_until('}')))
                }
                ';' => {
                    self.advance(1);
                    let text = self.take_until('\n');
                    self.at_line_start = true;
                    Some(comment(text))
                }
                '(' => self.single(Element::Open),
                ')' => self.single(Element::Close),
                '$' => self.annotation(),
                '!' | '?' => self.suffix(),
                '*' => {
                    self.advance(1);
                    Some(Token::Result("*".into()))
                }
                c if is_word(c) => self.word(),
                c => {
                    self.advance(c.len_utf8());
                    None
                }
            };
            if token.is_some() {
                return token;
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Takes the text before `end`, and `end` away; all if it is not there.
    fn take_until(&mut self, end: char) -> &'a str {
        let (text, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    fn single(&mut self, element: Element) -> Option<Token> {
        self.advance(1);
        Some(Token::Element(element))
    }

    /// Reads `[Name "value"]`; the value ends at the quote that closes it.
    fn tag(&mut self) -> Option<Token> {
        self.advance(1);
        self.take_while(char::is_whitespace);
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_').to_owned();
        self.take_while(char::is_whitespace);
        let mut value = String::new();
        if self.rest.starts_with('"') {
            let mut escaped = false;
            let mut end = self.rest.len();
            for (i, c) in self.rest.char_indices().skip(1) {
                match c {
                    '\\' if !escaped => escaped = true,
                    '"' if !escaped => {
                        end = i + 1;
                        break;
                    }
                    c => {
                        value.push(c);
                        escaped = false;
                    }
                }
            }
            self.advance(end);
        }
        self.take_until(']');
        (!name.is_empty()).then_some(Token::Tag(name, value))
    }

    fn annotation(&mut self) -> Option<Token> {
        self.advance(1);
        let digits = self.take_while(|c| c.is_ascii_digit());
        Some(Token::Element(Element::Annotation(digits.parse().ok()?)))
    }

    fn suffix(&mut self) -> Option<Token> {
        let number = match self.take_while(|c| matches!(c, '!' | '?')) {
            "!" => 1,
            "?" => 2,
            "!!" => 3,
            "??" => 4,
            "!?" => 5,
            "?!" => 6,
            _ => return None,
        };
        Some(Token::Element(Element::Annotation(number)))
    }

    /// Reads a move, a move number or a result.
    fn word(&mut self) -> Option<Token> {
        let word = self.take_while(is_word);
        if matches!(word, "1-0" | "0-1" | "1/2-1/2") {
            return Some(Token::Result(word.to_owned()));
        }
        // `12.Nf3` is a number and a move.
        let numbered = word.split_once('.').filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        let san = numbered.map_or(word, |(_, san)| san.trim_start_matches('.'));
        let begins = |c: char| c.is_alphabetic();
        let is_move = san.starts_with(begins) || san.starts_with("0-0") || san == "--";
        let is_move = is_move && !matches!(san, "e.p." | "ep");
        is_move.then(|| Token::Element(Element::Move(san.to_owned())))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '+' | '#' | '=' | '-' | '/' | '.' | ':' | '_' | '@')
}

fn comment(text: &str) -> Token {
    let words: Vec<&str> = text.split_whitespace().collect();
    Token::Element(Element::Comment(words.join(" ")))
}

impl fmt::Display for Game {
    /// Tags, a blank line, the moves, a blank line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        writeln!(f)?;
        let mut column = 0;
        for word in self.words() {
            let length = word.chars().count();
            let separator = match column {
                0 => "",
                _ if column + 1 + length > LINE_LENGTH => "\n",
                _ => " ",
            };
            column = if separator == " " { column + 1 + length } else { length };
            write!(f, "{separator}{word}")?;
        }
        writeln!(f, "\n")
    }
}

impl Game {
    /// The moves as words, with their numbers, to be laid out in lines.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut ply = self.tag("FEN").map_or(0, first_ply);
        let mut outer = Vec::new();
        let mut needs_number = true;
        for element in &self.elements {
            match element {
                Element::Move(san) => {
                    if ply.is_multiple_of(2) || needs_number {
                        words.push(format!(
                            "{}{}",
                            ply / 2 + 1,
                            if ply.is_multiple_of(2) { "." } else { "..." }
                        ));
                    }
                    words.push(san.clone());
                    ply += 1;
                    needs_number = false;
                    continue;
                }
                Element::Comment(text) => {
                    words.extend(format!("{{{}}}", text.replace('}', ")")).split(' ').map(str::to_owned));
                }
                Element::Annotation(number) => {
                    words.push(format!("${number}"));
                    continue;
                }
                Element::Open => {
                    outer.push(ply);
                    ply = ply.saturating_sub(1);
                    words.push("(".into());
                }
                Element::Close => {
                    ply = outer.pop().unwrap_or(ply);
                    words.push(")".into());
                }
            }
            needs_number = true;
        }
        words.push(if self.result.is_empty() { "*".into() } else { self.result.clone() });
        words
    }
}

/// Plies before the position that `fen` describes, by its move number.
fn first_ply(fen: &str) -> usize {
    let mut fields = fen.split_whitespace();
    let is_black = fields.nth(1) == Some("b");
    let number: usize = fields.nth(3).and_then(|field| field.parse().ok()).unwrap_or(1);
    number.clamp(1, 100_000) * 2 - 2 + usize::from(is_black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\u{feff}[Event \"a \\\"b\\\" \\\\\"]\n[White \"x]y\"]\n\n% skipped\n1.e4! {best [by] test} e5 \
        (1... c5 2. Nf3 (2. c3) d6) 2.Nf3 $14 Nc6 ; to the end (of line)\n3. O-O 0-0-0 4. e8=Q+ 1-0\n\n\
        [Event \"second\"]\n\n1. d4 d5 1/2-1/2\n1. c4 *";

    #[test]
    fn games_are_read() {
        let games = parse(TEXT);
        assert_eq!(games.len(), 3);
        let first = &games[0];
        assert_eq!(first.tag("Event"), Some(r#"a "b" \"#));
        assert_eq!(first.tag("White"), Some("x]y"));
        let moves: Vec<&str> = first.main_line().collect();
        assert_eq!(moves, ["e4", "e5", "Nf3", "Nc6", "O-O", "0-0-0", "e8=Q+"]);
        assert_eq!(first.result, "1-0");
        assert!(first.elements.contains(&Element::Comment("best [by] test".into())));
        assert!(first.elements.contains(&Element::Annotation(14)));
        assert_eq!(games[1].result, "1/2-1/2");
        assert_eq!(games[2].main_line().collect::<Vec<_>>(), ["c4"]);
    }

    #[test]
    fn games_are_written_back() {
        let games = parse(TEXT);
        let text: String = games.iter().map(Game::to_string).collect();
        assert!(
            text.contains("1. e4 $1 {best [by] test} 1... e5 ( 1... c5 2. Nf3 ( 2. c3 ) 2... d6 ) 2. Nf3")
        );
        assert!(text.lines().all(|line| line.chars().count() <= LINE_LENGTH));
        assert_eq!(parse(&text), games);
    }

    #[test]
    fn damage_is_read_past() {
        assert_eq!(parse("1. e4 (1. d4 {open").len(), 1);
        assert_eq!(parse("1. e4 ) e5 *")[0].main_line().count(), 2);
        assert!(parse("\n \n").is_empty());
    }

    #[test]
    fn numbers_follow_the_position() {
        let mut game = Game { result: "*".into(), ..Game::default() };
        game.set_tag("FEN", "8/8/8/8/8/8/8/K1k5 b - - 0 17");
        game.elements = vec![Element::Move("Kd2".into()), Element::Move("Kb2".into())];
        assert!(game.to_string().contains("17... Kd2 18. Kb2 *"));
    }

    proptest! {
        #[test]
        fn any_text_settles(text in r#"([\[\](){};%$!?*1-9. abcNO"\\\n-]){0,80}"#) {
            let written: String = parse(&text).iter().map(Game::to_string).collect();
            let again: String = parse(&written).iter().map(Game::to_string).collect();
            prop_assert_eq!(again, written);
        }
    }
}
