//! The position that an engine should have, as far as its commands tell.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::read_record;
use crate::formats::sgf::{Action, GameTree, StopAt};
use crate::go::color::Color;
use crate::go::coord::{Coord, Move, Size};
use crate::go::game::Game;
use crate::go::handicap;
use crate::go::rules::{KoRule, Rules};

/// The ko rule of a suite is its engine's: whatever that accepts is legal.
const RULES: Rules = Rules { ko: KoRule::Simple, suicide: true, ..Rules::CHINESE };

/// Follows the commands that were sent.
pub(super) struct Tracker {
    folder: PathBuf,
    /// Unknown after something that could not be followed.
    pub(super) game: Option<Game>,
}

impl Tracker {
    pub(super) fn new(folder: &Path) -> Self {
        Tracker { folder: folder.to_path_buf(), game: Some(empty(19)) }
    }

    /// Takes note that `command` was answered successfully with `answer`.
    pub(super) fn note(&mut self, command: &str, answer: &str) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let Some((&name, arguments)) = words.split_first() else { return };
        let known = match name {
            "boardsize" => arguments.first().and_then(|side| side.parse().ok()).map(|side: u8| {
                self.game = Size::square(side).map(|size| Game::new(size, RULES, 0.0));
            }),
            "clear_board" => self.game.as_ref().map(Game::size).map(|size| {
                self.game = Some(Game::new(size, RULES, 0.0));
            }),
            "loadsgf" => {
                self.game = self.load(arguments);
                self.game.as_ref().map(|_| ())
            }
            "play" => self.play(arguments.first(), arguments.get(1)),
            "black" | "white" => self.play(Some(&name), arguments.first()),
            "genmove" | "kgs-genmove_cleanup" => self.play(arguments.first(), Some(&answer)),
            "undo" => self.game.as_mut().map(|game| drop(game.undo())),
            "fixed_handicap" => self.fixed_handicap(arguments),
            "set_free_handicap" => self.place_handicap(arguments),
            "place_free_handicap" => self.place_handicap(&answer.split_whitespace().collect::<Vec<_>>()),
            _ => Some(()),
        };
        if known.is_none() {
            self.game = None;
        }
    }

    fn load(&self, arguments: &[&str]) -> Option<Game> {
        let collection = read_record(&self.folder.join(arguments.first()?)).ok()?;
        let tree = collection.first_game().ok()?;
        tree.replay(stop_at(arguments.get(1).copied()), RULES, 0.0).ok()
    }

    fn play(&mut self, color: Option<&&str>, vertex: Option<&&str>) -> Option<()> {
        if vertex.is_some_and(|vertex| vertex.eq_ignore_ascii_case("resign")) {
            return Some(());
        }
        let color = parse_color(color?)?;
        let mv = Move::from_str(vertex?).ok()?;
        self.game.as_mut()?.play(color, mv).ok()
    }

    fn fixed_handicap(&mut self, arguments: &[&str]) -> Option<()> {
        let game = self.game.as_mut()?;
        let stones = handicap::fixed(game.size(), arguments.first()?.parse().ok()?)?;
        game.place_handicap(&stones).ok()
    }

    fn place_handicap(&mut self, vertices: &[&str]) -> Option<()> {
        let stones: Result<Vec<Coord>, _> = vertices.iter().map(|name| name.parse()).collect();
        self.game.as_mut()?.place_handicap(&stones.ok()?).ok()
    }
}

fn empty(side: u8) -> Game {
    Game::new(Size::square(side).expect("a size in use"), RULES, 0.0)
}

fn parse_color(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

/// Reads the second argument of `loadsgf`: a move number or a vertex.
pub(super) fn stop_at(argument: Option<&str>) -> StopAt {
    match argument {
        None => StopAt::End,
        Some(text) => match (text.parse(), text.parse()) {
            (Ok(number), _) => StopAt::BeforeMove(number),
            (_, Ok(coord)) => StopAt::BeforeVertex(coord),
            _ => StopAt::End,
        },
    }
}

/// GTP commands that bring an engine to the position of `tree` before `stop`.
///
/// # Errors
/// A record that plain moves cannot express.
pub(super) fn loading_commands(tree: &GameTree<'_>, stop: StopAt) -> Result<Vec<String>, String> {
    let size = tree.size();
    let mut commands = vec![if size.is_square() {
        format!("boardsize {}", size.width())
    } else {
        format!("rectangular_boardsize {} {}", size.width(), size.height())
    }];
    commands.push("clear_board".into());
    commands.extend(tree.komi().map(|komi| format!("komi {komi}")));
    let letter = |color| if color == Color::Black { "B" } else { "W" };
    for step in tree.main_line_until(stop) {
        match step.map_err(|error| error.to_string())?.action {
            Action::SetUp { empty, .. } if !empty.is_empty() => {
                return Err("the record takes stones off the board".into());
            }
            Action::SetUp { black, white, .. } => {
                for (color, points) in [(Color::Black, black), (Color::White, white)] {
                    commands.extend(points.iter().map(|point| format!("play {} {point}", letter(color))));
                }
            }
            Action::ToMove(_) => {}
            Action::Play(color, mv) => commands.push(format!("play {} {mv}", letter(color))),
        }
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::sgf::Collection;

    #[test]
    fn commands_are_followed() {
        let mut tracker = Tracker::new(Path::new("."));
        for (command, answer) in [
            ("boardsize 9", ""),
            ("fixed_handicap 2", "C3 G7"),
            ("play w E5", ""),
            ("genmove b", "D4"),
            ("undo", ""),
            ("final_score", "B+1"),
        ] {
            tracker.note(command, answer);
        }
        let game = tracker.game.as_ref().unwrap();
        let stones: Vec<String> = game
            .size()
            .coords()
            .filter(|&coord| game.color_at(coord).is_some())
            .map(|coord| coord.to_string())
            .collect();
        assert_eq!(stones, ["C3", "E5", "G7"]);
        tracker.note("loadsgf /no/such/file", "");
        assert!(tracker.game.is_none());
        tracker.note("boardsize 13", "");
        assert!(tracker.game.is_some());
    }

    #[test]
    fn records_become_commands() {
        let c = Collection::parse(b"(;SZ[9]KM[6.5]AB[cc]AW[gg];B[ee];W[])", "x").unwrap();
        let commands = loading_commands(&c.first_game().unwrap(), StopAt::BeforeMove(2)).unwrap();
        assert_eq!(
            commands,
            ["boardsize 9", "clear_board", "komi 6.5", "play B C7", "play W G3", "play B E5"]
        );
    }

    #[test]
    fn loading_stops_where_the_command_says() {
        assert_eq!(stop_at(Some("12")), StopAt::BeforeMove(12));
        assert_eq!(stop_at(Some("D4")), StopAt::BeforeVertex("D4".parse().unwrap()));
        assert_eq!(stop_at(None), StopAt::End);
    }
}
