//! Game records: read, written, and the search tree as one.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};

use super::reply::{Failure, Reply, done, failure, text};
use super::{Request, Session};
use crate::formats::sgf::{Collection, Record, StopAt};
use crate::go::coord::Coord;
use crate::go::game::Game;
use crate::uct::report::Report;

/// `loadsgf FILE [N | VERTEX]`: the position before move N, or before the first
/// move on a point; beyond the end, the end.
pub(super) fn load(session: &mut Session, request: &Request) -> Reply {
    let (file, stop) = file_and_stop(request)?;
    let bytes = fs::read(&file).map_err(|error| {
        tracing::warn!("{file}: {error}");
        failure("cannot load file")
    })?;
    let game = read_game(&bytes, &file, stop, session.engine.game()).map_err(|error| {
        tracing::warn!(%error, "cannot load file");
        failure("cannot load file")
    })?;
    let to_move = game.to_move();
    session.engine.set_game(game);
    text(to_move.to_string().to_lowercase())
}

/// The file's name may hold blanks; a number or a vertex at its end is where
/// to stop, unless a file has that in its name.
fn file_and_stop(request: &Request) -> Result<(String, StopAt), Failure> {
    let whole = request.text();
    let Some((last, name)) = request.words.split_last().filter(|(_, name)| !name.is_empty()) else {
        return Ok((whole, StopAt::End));
    };
    let stop = if let Ok(number) = last.parse::<u32>() {
        StopAt::BeforeMove(number)
    } else if let Ok(coord) = last.parse::<Coord>() {
        StopAt::BeforeVertex(coord)
    } else {
        return Ok((whole, StopAt::End));
    };
    if fs::metadata(&whole).is_ok() { Ok((whole, StopAt::End)) } else { Ok((name.join(" "), stop)) }
}

/// Reads the main line of the first game in a file.
fn read_game(bytes: &[u8], name: &str, stop: StopAt, present: &Game) -> anyhow::Result<Game> {
    let collection = Collection::parse(bytes, name)?;
    let tree = collection.first_game()?;
    let rules = tree.rules().unwrap_or_else(|| present.rules());
    Ok(tree.replay(stop, rules, present.komi())?)
}

/// `printsgf [FILE]`: the game as SGF, into a file or as the reply.
pub(super) fn print(session: &mut Session, request: &Request) -> Reply {
    let collection = Record::of_game(session.engine.game()).finish();
    if !request.words.is_empty() {
        write_file(&request.text(), &collection)?;
        return done();
    }
    let mut bytes = Vec::new();
    collection.write_to(&mut bytes).map_err(|_| failure("cannot write"))?;
    text(String::from_utf8_lossy(&bytes))
}

fn write_file(name: &str, collection: &Collection) -> Result<(), Failure> {
    let write = || {
        let mut out = BufWriter::new(File::create(name)?);
        collection.write_to(&mut out)?;
        out.flush()
    };
    write().map_err(|_| failure("cannot write file"))
}

/// `tengen-save_tree FILE`: the game with the moves of the last search as
/// variations.
pub(super) fn save_tree(session: &mut Session, request: &Request) -> Reply {
    let report = session.engine.last_report().ok_or_else(|| failure("no search yet"))?;
    let before = session.engine.searched_game();
    let mut record = Record::of_game(&before);
    add_variations(&mut record, report);
    write_file(&request.text(), &record.finish())?;
    done()
}

/// Adds each move of a report with what is expected to follow it.
fn add_variations(record: &mut Record, report: &Report) {
    let root = record.node();
    for found in report.moves.iter().filter(|found| found.visits > 0) {
        record.go_to(root);
        let mut color = report.to_move;
        for (depth, &mv) in found.pv.iter().enumerate() {
            record.play(color, mv);
            color = color.opponent();
            if depth == 0 {
                record.comment(&format!(
                    "{} visits, {:.1}% for {}, score {:+.1}",
                    found.visits,
                    found.win_rate * 100.0,
                    report.to_move,
                    found.score_mean
                ));
            }
        }
    }
    record.go_to(root);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::color::Color;
    use crate::go::coord::Move;
    use crate::go::rules::Rules;

    fn read(sgf: &str, stop: StopAt) -> anyhow::Result<Game> {
        let present = Game::new(crate::go::coord::Size::square(19).unwrap(), Rules::CHINESE, 7.5);
        read_game(sgf.as_bytes(), "test.sgf", stop, &present)
    }

    #[test]
    fn loading_stops_before_a_move() {
        let sgf = "(;SZ[9]KM[6.5];B[ee];W[ce];B[])";
        let moves = |stop| read(sgf, stop).unwrap().moves().count();
        assert_eq!(moves(StopAt::BeforeMove(1)), 0);
        assert_eq!(moves(StopAt::BeforeMove(3)), 2);
        assert_eq!(moves(StopAt::BeforeMove(99)), 3);
        assert_eq!(moves(StopAt::BeforeVertex("C5".parse().unwrap())), 1);
    }

    #[test]
    fn report_59_an_illegal_move_in_a_record_is_refused() {
        let error = read("(;SZ[9];B[ee]\n;W[ee])", StopAt::End).err().unwrap().to_string();
        assert!(error.starts_with("test.sgf:2"), "{error}");
    }

    #[test]
    fn report_92_handicap_stones_are_kept() {
        let game = read("(;SZ[9]HA[2]AB[cg][gc];W[ee])", StopAt::End).unwrap();
        assert_eq!((game.handicap().len(), game.to_move()), (2, Color::Black));
        assert_eq!(game.color_at("C3".parse().unwrap()), Some(Color::Black));
    }

    #[test]
    fn a_game_comes_back_from_its_record() {
        let game = read("(;SZ[9]KM[5.5]AB[aa]AW[bb]PL[W];W[ee];B[])", StopAt::End).unwrap();
        let mut bytes = Vec::new();
        Record::of_game(&game).finish().write_to(&mut bytes).unwrap();
        let again = read(&String::from_utf8(bytes).unwrap(), StopAt::End).unwrap();
        assert_eq!(game.events(), again.events());
        assert_eq!(again.komi(), 5.5);
        assert_eq!(again.last_move(), Some((Color::Black, Move::Pass)));
    }

    /// The game as its own record gives it.
    fn again(game: &Game) -> Game {
        read(&Record::of_game(game).finish().to_string(), StopAt::End).unwrap()
    }

    #[test]
    fn stones_and_turn_come_back_whatever_was_set_up() {
        for sgf in [
            "(;SZ[9]AB[aa]AW[bb]PL[W])",
            "(;SZ[9]AB[aa]AW[bb]PL[B])",
            "(;SZ[9]AB[aa][bb]PL[B])",
            "(;SZ[9]HA[2]AB[cg][gc])",
            "(;SZ[9]HA[2]AB[cg][gc];AE[cg]AW[aa])",
            "(;SZ[9]AW[aa];AB[aa];AB[bb])",
            "(;SZ[9]AB[aa:cc]AE[bb];W[ee];AW[bb]AE[aa])",
            "(;SZ[9];B[ee];PL[B])",
            "(;SZ[9];B[ee];W[aa];AE[ee])",
            "(;SZ[9]PL[W])",
        ] {
            let game = read(sgf, StopAt::End).unwrap();
            let again = again(&game);
            assert_eq!(again.to_move(), game.to_move(), "{sgf}");
            for coord in game.size().coords() {
                assert_eq!(again.color_at(coord), game.color_at(coord), "{sgf} {coord}");
            }
        }
    }

    #[test]
    fn no_point_stands_twice_in_a_node() {
        let game = read("(;SZ[9]AB[aa:cc]AE[bb];AW[aa])", StopAt::End).unwrap();
        let record = Record::of_game(&game).finish();
        let tree = record.first_game().unwrap();
        let names = ["AB", "AW", "AE"];
        let mut points: Vec<_> =
            names.iter().flat_map(|name| tree.points(tree.root(), name).unwrap()).collect();
        points.sort();
        points.dedup();
        assert_eq!(points.len(), 9);
        let values = |name| record.values(tree.root(), name).count();
        assert_eq!(names.map(values), [7, 1, 1]);
    }

    #[test]
    fn rules_are_read_and_written_in_the_words_of_the_standard() {
        for (word, rules) in [("Japanese", Rules::JAPANESE), ("NZ", Rules::NEW_ZEALAND), ("AGA", Rules::AGA)]
        {
            let game = read(&format!("(;SZ[9]RU[{word}])"), StopAt::End).unwrap();
            assert_eq!(game.rules(), rules);
            let record = Record::of_game(&game).finish().to_string();
            assert!(record.contains(&format!("RU[{word}]")), "{record}");
        }
        let rules = |sgf| read(sgf, StopAt::End).unwrap().rules();
        assert_eq!(rules("(;SZ[9]RU[GOE])"), Rules::ING);
        assert_eq!(rules("(;SZ[9]RU[tromp-taylor])"), Rules::TROMP_TAYLOR);
        assert_eq!(rules("(;SZ[9]RU[of my own])"), Rules::CHINESE);
    }
}
