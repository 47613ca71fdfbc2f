//! Chess rules against other programs: published perft numbers, whole suites
//! where they are at hand, and cozy-chess in random games.

use std::path::PathBuf;

use tengen::chess::movegen::Generator;
use tengen::chess::perft;
use tengen::chess::position::Position;
use tengen::shared::rng::Rng;

fn position(fen: &str) -> Position {
    Position::parse_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

#[test]
fn well_known_perft_numbers() {
    // From the start position, Kiwipete and the other positions every engine
    // author uses; the last two are of Chess960.
    let known: [(&str, u32, u64); 9] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89_890),
        ("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1", 3, 761),
        ("bnrbqkrn/pppppppp/8/8/8/8/PPPPPPPP/BNRBQKRN w KQkq - 0 1", 3, 8_860),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 3, 12_189),
    ];
    for (fen, depth, nodes) in known {
        assert_eq!(perft::bulk(&position(fen), depth), nodes, "{fen}");
        assert_eq!(perft::full(&position(fen), depth.min(3)), perft::bulk(&position(fen), depth.min(3)));
    }
}

/// A file of the developers' shared data, if there is any here.
fn shared(path: &str) -> Option<String> {
    let Some(root) = std::env::var_os("TENGEN_SHARED") else {
        let mut stderr = std::io::stderr();
        std::io::Write::write_fmt(
            &mut stderr,
            format_args!("SKIPPED: TENGEN_SHARED is not set, so {path} was not checked\n"),
        )
        .expect("standard error takes a line");
        return None;
    };
    let path = PathBuf::from(root).join(path);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Checks every depth of a suite's lines whose count is at most `limit`.
fn check_suite(path: &str, limit: u64) {
    let Some(text) = shared(path) else { return };
    let mut checked = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut parts = line.split(';');
        let fen = parts.next().unwrap_or_default();
        for part in parts {
            let mut words = part.split_whitespace();
            let (depth, nodes) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let depth: u32 = depth.trim_start_matches('D').parse().expect("a depth");
            let nodes: u64 = nodes.parse().expect("a count");
            if nodes <= limit {
                assert_eq!(perft::bulk(&position(fen), depth), nodes, "{fen} depth {depth}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{path} holds a suite");
}

#[test]
fn suites_shallow() {
    check_suite("data/chess/perftsuite.epd", 20_000);
    check_suite("data/chess/frcperftsuite.epd", 1_000);
}

#[test]
#[ignore = "minutes: every depth of both suites"]
fn suites_whole() {
    check_suite("data/chess/perftsuite.epd", u64::MAX);
    check_suite("data/chess/frcperftsuite.epd", 20_000_000);
}

fn names(position: &Position) -> Vec<String> {
    let mut names: Vec<String> = position.legal_moves().iter().map(|mv| mv.uci(true)).collect();
    names.sort();
    names
}

fn oracle_names(board: &cozy_chess::Board) -> Vec<String> {
    let mut names = Vec::new();
    board.generate_moves(|moves| {
        names.extend(moves.into_iter().map(|mv| mv.to_string()));
        false
    });
    names.sort();
    names
}

/// Random games from all Chess960 start positions and ordinary chess: the
/// moves are those of cozy-chess, the two stages of generation give the same
/// moves as one, and the way back passes the same keys.
#[test]
fn random_games_agree_with_another_generator() {
    let mut rng = Rng::new(11, 0);
    for game in 0..120u32 {
        let start = cozy_chess::Board::chess960_startpos(game * 8 % 960);
        let mut board = start.clone();
        let mut here = position(&format!("{start:#}"));
        let mut line = vec![here];
        for _ in 0..120 {
            assert_eq!(names(&here), oracle_names(&board), "{here:?}");
            let generator = Generator::new(&here);
            let (mut noisy, mut quiet) = (Default::default(), Default::default());
            generator.noisy(&mut noisy);
            generator.quiet(&mut quiet);
            assert!(noisy.iter().all(|&mv| here.is_noisy(mv)));
            assert!(quiet.iter().all(|&mv| !here.is_noisy(mv)));
            assert_eq!(noisy.len() + quiet.len(), generator.count(), "{here:?}");
            assert_eq!(here.checkers(), generator.checkers());
            let moves = here.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[rng.below(moves.len())];
            board.play_unchecked(mv.uci(true).parse().expect("a move"));
            here.play_unchecked(mv);
            line.push(here);
        }
        while let Some(back) = line.pop() {
            assert_eq!(back.key(), back.key_from_scratch());
            let reread = position(&back.fen());
            assert_eq!(reread.key(), back.key(), "{back:?}");
            assert_eq!(reread.fen(), back.fen());
            let predicted = line.last().and_then(|before| {
                let moves = before.legal_moves();
                moves.iter().copied().find(|&mv| before.after(mv).key() == back.key())
            });
            assert_eq!(predicted.is_some(), !line.is_empty());
        }
    }
}

/// Bits that no legal move has are refused, whatever they are.
#[test]
fn any_sixteen_bits_are_judged() {
    let fens = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    ];
    for fen in fens {
        let position = position(fen);
        let moves = position.legal_moves();
        let generator = Generator::new(&position);
        for bits in 0..=u16::MAX {
            let mv = tengen::chess::types::Move::from_bits(bits);
            assert_eq!(generator.is_legal(mv), moves.contains(&mv), "{mv:?} in {fen}");
        }
    }
}

#[test]
fn impossible_positions_are_refused() {
    let refused = [
        "",
        "1",
        "startpos",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkz - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/N2NNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "kk6/8/8/8/8/8/8/K7 w - - 0 1",
        "P6k/8/8/8/8/8/8/K7 w - - 0 1",
        "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "8/8/8/3kK3/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
        "é7/8/8/8/8/8/8/8 w - - 0 1",
    ];
    for fen in refused {
        assert!(Position::parse_fen(fen).is_err(), "{fen}");
    }
    let dropped = position("2k5/8/3K4/1p6/p7/P7/1B6/8 b KQkq - 0 1");
    assert_eq!(dropped.fen(), "2k5/8/3K4/1p6/p7/P7/1B6/8 b - - 0 1");
}

#[test]
fn cases_of_other_programs() {
    let Some(text) = shared("cases/chess/cases.json") else { return };
    let cases: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut checked = 0;
    for case in cases.as_array().expect("a list").iter().filter(|case| case["fen"].is_string()) {
        let here = position(case["fen"].as_str().unwrap_or_default());
        for (depth, nodes) in case["perft"].as_array().into_iter().flatten().enumerate() {
            assert_eq!(perft::bulk(&here, depth as u32 + 1), nodes.as_u64().expect("a count"), "{case}");
        }
        let moves: Vec<String> = here.legal_moves().iter().map(|mv| mv.uci(false)).collect();
        let listed = |key: &str, mv: &serde_json::Value| {
            assert_eq!(moves.iter().any(|known| mv == known), key == "must", "{case}");
        };
        for key in ["must", "mustnot"] {
            case[key].as_array().into_iter().flatten().for_each(|mv| listed(key, mv));
        }
        checked += 1;
    }
    assert!(checked > 5);
}
