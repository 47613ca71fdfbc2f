use clap::Parser;

use super::input::Plain;
use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

/// What is printed when `typed` is typed at `tengen play ARGUMENTS`.
fn play(arguments: &str, typed: &str) -> String {
    let line = format!("play --threads 1 --memory 8 {arguments}");
    let options = Line::try_parse_from(line.split_whitespace()).unwrap().options;
    let mut sitting: Box<dyn Sitting> = match options.kind {
        Kind::Go => Box::new(go::GoSitting::new(&options).unwrap()),
        Kind::Chess => Box::new(chess::ChessSitting::new(&options).unwrap()),
    };
    let mut out = Vec::new();
    let mut table = Table { sitting: &mut *sitting, look: Look::PLAIN, saved: None, announced: false };
    table.converse(&mut Plain(typed.as_bytes()), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_game_of_go_is_drawn_and_undone() {
    let text = play("--color both -s 5", "c3\nd3\nmoves\nundo\nboard\n");
    assert!(text.contains(" 3 . . X(O). 3"), "{text}");
    assert!(text.contains("C3 D3\n"), "{text}");
    assert!(text.ends_with(
        "    A B C D E\n  5 . . . . . 5\n  4 . . . . . 4\n  3 . .(X). . 3\n  2 . . . . . 2\n  1 . . . . . 1\n    \
         A B C D E\nKomi 7.5, prisoners of Black 0, of White 0, last move Black C3\n"
    ), "{text}");
}

#[test]
fn the_engine_answers_and_both_moves_are_taken_back() {
    let text = play("-s 5 --playouts 30", "c3\nundo\nmoves\n");
    assert!(text.contains("Tengen plays "), "{text}");
    assert!(text.contains("No moves yet."), "{text}");
}

#[test]
fn bad_input_is_explained() {
    let text = play("--color both -s 5", "i9\nt19\nc3\nc3\nlevel x\nfly\nundo 7\nundo\nundo\n");
    for part in [
        "\"i9\" is neither",
        "T19 is not on a board of 5x5",
        "C3 is not allowed: the point is occupied",
        "\"x\" is no level",
        "\"fly\" is neither",
        "nothing to take back",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_empty_board_is_anybodys() {
    let text = play("--color both -s 5", "estimate\n");
    let spread = text.split("give or take ").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(spread.is_some_and(|points| points.parse::<u32>().is_ok_and(|points| points > 10)), "{text}");
}

#[test]
fn two_passes_end_a_game_of_go() {
    let text = play("--color both -s 5 --komi 0.5", "c3\npass\npass\nd4\nscore\nresign\nundo\nmoves\n");
    assert!(text.contains("The game is over: B+24.5, Black wins"), "{text}");
    assert!(text.contains("The game is over: undo, new or quit"), "{text}");
    assert!(text.contains("Dead stones: none"), "{text}");
    assert!(text.ends_with("C3 pass\n"), "{text}");
}

#[test]
fn chess_is_understood_in_both_notations() {
    let text = play("chess --color both", "f3\ne7e5\ng4\nqh4\nmoves\nNf3\n");
    assert!(text.contains("The game is over: 0-1, mate"), "{text}");
    assert!(text.contains("1. f3 e5 2. g4 Qh4# *"), "{text}");
    let text = play("chess --color both", "d4\nd5\nNf3\na6\nNd2\nke2\nqd3\nKd7\n");
    assert!(text.contains("\"Nd2\" may mean Nbd2 or Nfd2"), "{text}");
    assert!(text.contains("\"ke2\" is neither a legal move"), "{text}");
    assert!(text.contains("Last move Kd7"), "{text}");
}

#[test]
fn the_chess_engine_answers() {
    let text = play("chess --color black --playouts 500", "e5\nresign\nresign\nhint\n");
    assert_eq!(text.matches("Tengen plays ").count(), 2, "{text}");
    assert!(text.contains("1-0, Black resigns"), "{text}");
    assert!(text.contains("8 \u{20}R") || text.contains("1  R"), "seen by Black: {text}");
}

#[test]
fn games_are_saved_and_nothing_else_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("a.sgf"), folder.path().join("b.sgf"));
    std::fs::write(&other, "dear").unwrap();
    let wrong = folder.path().join("a.PGN");
    let typed = format!(
        "c3\nsave {0}\nd3\nsave\nsave {1}\nsave {2}\n",
        own.display(),
        other.display(),
        wrong.display()
    );
    let text = play("--color both -s 5", &typed);
    assert!(text.contains("exists already") && text.contains("saved as sgf, not pgn"), "{text}");
    assert!(!wrong.exists());
    let saved = std::fs::read_to_string(own).unwrap();
    assert!(saved.contains(";B[cc]") && saved.contains(";W[dc]") && saved.contains("PB[You]"), "{saved}");
    assert_eq!(std::fs::read_to_string(other).unwrap(), "dear");
}

#[test]
fn levels_are_read() {
    assert_eq!("500".parse(), Ok(Level::Work(500)));
    assert_eq!("2.5s".parse(), Ok(Level::Time(Duration::from_millis(2500))));
    for text in ["", "0", "-1s", "s", "infs", "1e9s"] {
        assert!(text.parse::<Level>().is_err(), "{text}");
    }
}

#[test]
fn seats_are_taken() {
    assert_eq!(seats(None, Side::White, 1), [true, false]);
    assert_eq!(seats(Some(Side::White), Side::Black, 1), [false, true]);
    assert_eq!(seats(Some(Side::White), Side::White, 1), [true, false]);
    let lot = seats(Some(Side::Random), Side::White, 1);
    assert!(lot[0] != lot[1]);
}
