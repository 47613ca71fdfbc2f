//! Whole records, named by the public reports of faults that they guard against.

use super::*;
use crate::go::color::Color::{Black, White};
use crate::go::coord::{Coord, Move, Size};
use crate::go::rules::Rules;
use proptest::prelude::*;

fn parse(text: &str) -> Collection {
    Collection::parse(text.as_bytes(), "test.sgf").unwrap()
}

/// The main line as text: `+b A1 w B2 -C3` for set-up, `b A1` for a move.
fn line(collection: &Collection) -> String {
    let game = collection.first_game().unwrap();
    let mut words = Vec::new();
    for step in game.main_line() {
        match step.unwrap().action {
            Action::Play(Black, mv) => words.push(format!("b {mv}")),
            Action::Play(White, mv) => words.push(format!("w {mv}")),
            Action::ToMove(color) => words.push(format!("to move: {color}")),
            Action::SetUp { black, white, empty } => {
                for (sign, points) in [("+b", black), ("+w", white), ("-", empty)] {
                    words.extend(points.iter().map(|point| format!("{sign} {point}")));
                }
            }
        }
    }
    words.join(", ")
}

#[test]
fn report_86_escapes() {
    let c = parse(r"(;SZ[19]C[\];B[aa];W[bb])");
    assert_eq!(c.text(c.roots()[0], "C").unwrap(), "];B[aa");
    assert_eq!(line(&c), "w B18");
    let c = parse(r"(;SZ[19]C[\\\];B[aa];W[bb])");
    assert_eq!(c.text(c.roots()[0], "C").unwrap(), r"\];B[aa");
}

#[test]
fn report_88_unescaped_bracket() {
    let c = parse("(;FF[4]GM[1]SZ[9]US[club[3d]]KM[6.5];B[ee]PB[foo [1k] bar];W[dd])");
    let game = c.first_game().unwrap();
    assert_eq!(game.komi(), Some(6.5));
    assert_eq!(c.text(game.root(), "US").unwrap(), "club[3d]");
    assert_eq!(line(&c), "b E5, w D6");
    let again = parse(&c.to_string());
    assert_eq!(again.text(again.roots()[0], "US").unwrap(), "club[3d]");
    assert_eq!(c.warnings()[0].kind, WarningKind::UnescapedBracket);
}

#[test]
fn report_89_odd_passes() {
    assert_eq!(line(&parse("(;SZ[9];B[ee];W[``];B[  ];W[];B[tt])")), "b E5, w pass, b pass, w pass, b pass");
    assert_eq!(line(&parse("(;SZ[21];B[tt])")), "b U2");
}

#[test]
fn report_91_and_92_set_up_then_moves() {
    assert_eq!(line(&parse("(;SZ[19]AB[dd];B[pd];W[pp])")), "+b D16, b Q16, w Q4");
    let c = parse("(;SZ[19]HA[7]KM[0]AB[dp][pd][dd][pp][jj][dj][pj])");
    let game = c.first_game().unwrap();
    assert_eq!((game.handicap(), game.declared_handicap(), game.komi()), (7, 7, Some(0.0)));
}

#[test]
fn handicap_is_what_stands_on_the_board() {
    for (text, stones) in [
        ("(;HA[3]AB[dd][pp])", 2),
        ("(;AB[dd][pp][dp])", 3),
        ("(;HA[2];B[dd])", 0),
        ("(;AB[dd][pp]AW[dp])", 0),
        ("(;SZ[9];AB[cc][gg];W[ee])", 2),
    ] {
        assert_eq!(parse(text).first_game().unwrap().handicap(), stones, "{text}");
    }
}

#[test]
fn report_94_repeated_property_is_joined() {
    assert_eq!(line(&parse("(;SZ[9]AB[ee]AB[ef]AW[ed])")), "+b E5, +b E4, +w E6");
}

#[test]
fn report_95_compressed_points() {
    assert_eq!(line(&parse("(;SZ[9]AB[aa:bb][ee])")), "+b A8, +b B8, +b A9, +b B9, +b E5");
}

#[test]
fn report_97_space_and_parentheses() {
    for text in [
        "\n\n(;SZ[9];B[ee])",
        "( ; SZ [9] ; B\n[ee]\r\n)",
        "(;SZ[9];B[ee]))",
        "(;SZ[9];B[ee]",
        "(;SZ[9];B[ee",
        "Hello (again)\n(;SZ[9];B[ee])trailing",
        "(;B[ee]SZ[9])",
        "(;PlayerBlack[x]SiZe[9];Black[ee])",
        "(;sz[9];b[ee])",
        "(;SZ[9];B[E5])",
        "(;SZ[9]junk;B[ee])",
    ] {
        assert_eq!(line(&parse(text)), "b E5", "{text}");
    }
}

#[test]
fn report_98_nodes_after_the_game() {
    let c = parse("(;SZ[9];B[ee];W[];B[];W[];C[end];B[aa];KTV[xx:yy])");
    assert_eq!(line(&c), "b E5, w pass, b pass, w pass, b A9");
}

#[test]
fn report_100_deep_variations() {
    let mut deep = String::from("(;SZ[19]");
    deep.push_str(&"(;B[aa];W[bb]".repeat(20_000));
    deep.push_str(&"(;C[x])".repeat(20_000));
    deep.push_str(&")".repeat(20_001));
    let c = parse(&deep);
    assert_eq!(c.node_count(), 60_001);
    assert_eq!(c.first_game().unwrap().main_nodes().count(), 40_002);
    let again = parse(&c.to_string());
    assert_eq!(again.node_count(), 60_001);
}

#[test]
fn report_101_empty_komi() {
    assert_eq!(parse("(;KM[]RE[unknown];B[pc])").first_game().unwrap().komi(), None);
    assert_eq!(parse("(;KM[6,5];B[pc])").first_game().unwrap().komi(), Some(6.5));
    assert_eq!(parse("(;KM[0]AP[foxwq])").first_game().unwrap().komi(), None);
    assert_eq!(parse("(;KM[0]AP[foxwq]HA[2]AB[dd][pp])").first_game().unwrap().komi(), Some(0.0));
}

#[test]
fn report_103_sizes() {
    assert_eq!(parse("(;SZ[19:13])").first_game().unwrap().size(), Size::new(19, 13).unwrap());
    let error = parse("(;GM[1]\n ;SZ[53])").first_game().unwrap_err();
    assert_eq!(error.to_string(), "test.sgf:2:2: board size \"53\" is not supported");
}

#[test]
fn report_104_encodings() {
    let name = "古力与李世石在黑番对局中白棋弃子争先的经过";
    let record = |name: &str| format!("(;GM[1]SZ[9]PB[{name}]C[围棋是中国古代的一种棋类游戏];B[ee])");
    let player = |bytes: &[u8]| {
        let c = Collection::parse(bytes, "x").unwrap();
        let name = c.first_game().unwrap().player(Black).unwrap().into_owned();
        (name, line(&c), c)
    };
    assert_eq!(player(&encoding_rs::GB18030.encode(&record(name)).0).0, name);
    let utf_16: Vec<u8> = record(name).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(player(&utf_16).0, name);
    let marked: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf_16.iter().copied()).collect();
    assert_eq!(player(&marked).0, name);
    let marked = ["\u{feff}", &record(name)].concat();
    assert_eq!(player(marked.as_bytes()).0, name);
    let labelled = record(name).replace("GM[1]", "CA[gb2312]");
    let (from_label, moves, c) = player(&encoding_rs::GBK.encode(&labelled).0);
    assert_eq!((from_label.as_str(), moves.as_str()), (name, "b E5"));
    assert!(c.to_string().contains("CA[UTF-8]"), "written as UTF-8, and said so");
}

#[test]
fn report_104_shift_jis_brackets() {
    // The second bytes of these characters are a backslash and a bracket.
    let text = "(;GM[1]SZ[9]PB[ソ構]C[表];B[ee])";
    let bytes = encoding_rs::SHIFT_JIS.encode(text).0.into_owned();
    let c = Collection::parse(&bytes, "x").unwrap();
    assert_eq!(line(&c), "b E5");
    assert_eq!(c.first_game().unwrap().player(Black).unwrap(), "ソ構");
    assert_eq!(c.encoding(), "Shift_JIS");
}

#[test]
fn korean_and_damaged_text_leave_the_moves() {
    let text = "(;GM[1]SZ[9]PB[이세돌 구단]PW[조훈현 구단]EV[바둑 대회 결승전];B[ee])";
    let mut bytes = encoding_rs::EUC_KR.encode(text).0.into_owned();
    let c = Collection::parse(&bytes, "x").unwrap();
    assert_eq!(c.first_game().unwrap().player(Black).unwrap(), "이세돌 구단");
    bytes[15] = 0xFF;
    bytes[16] = 0x80;
    assert_eq!(line(&Collection::parse(&bytes, "x").unwrap()), "b E5");
}

#[test]
fn errors_name_file_line_and_column() {
    for text in ["", ";;)", "B[aa]", "(", "()", "(hello)"] {
        let error = Collection::parse(text.as_bytes(), "a.sgf").unwrap_err();
        assert_eq!(error.to_string(), "a.sgf:1:1: no game record: there is no \"(;\"", "{text:?}");
    }
    let c = parse("(;SZ[9];B[ee]\n;W[dd]B[zx];W[aa])");
    let steps: Vec<_> = c.first_game().unwrap().main_line().collect();
    assert_eq!(steps.len(), 4, "steps go on after an error");
    let error = steps[2].as_ref().unwrap_err();
    assert_eq!(error.to_string(), "test.sgf:2:7: \"zx\" is not a point of the board");
    assert!(parse("(;GM[2])").first_game().is_err());
}

#[test]
fn report_59_illegal_moves_can_be_named() {
    let c = parse("(;SZ[9];B[ee]\n;W[ee])");
    let game = c.first_game().unwrap();
    let step = game.main_line().nth(1).unwrap().unwrap();
    assert_eq!(game.illegal(&step).to_string(), "test.sgf:2:1: move 2, White E5, is illegal");
}

#[test]
fn both_colors_in_a_node_and_set_up_in_mid_game() {
    let c = parse("(;SZ[9];B[aa]W[bb];AB[cc]AE[aa]PL[W];W[dd])");
    assert_eq!(line(&c), "b A9, w B8, +b C7, - A9, to move: White, w D6");
}

#[test]
fn lines_stop_before_a_move_or_a_vertex() {
    let c = parse("(;SZ[9]AB[aa];B[ee];AW[bb];W[dd];B[ff])");
    let game = c.first_game().unwrap();
    let steps = |stop| game.main_line_until(stop).count();
    assert_eq!(steps(StopAt::End), 5);
    assert_eq!(steps(StopAt::BeforeMove(1)), 1);
    assert_eq!(steps(StopAt::BeforeMove(2)), 3);
    assert_eq!(steps(StopAt::BeforeMove(99)), 5);
    assert_eq!(steps(StopAt::BeforeVertex("F4".parse().unwrap())), 4);
}

#[test]
fn variations_keep_their_order() {
    let text = "(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd])(;W[ee](;B[ff])(;B[gg])))";
    let c = parse(text);
    let plain: String = c.to_string().split_whitespace().collect();
    assert_eq!(plain, text);
    let fork = c.first_game().unwrap().main_nodes().nth(1).unwrap();
    let second = c.children(fork).nth(1).unwrap();
    assert_eq!(c.first_game().unwrap().line_to(second).count(), 2);
}

#[test]
fn a_record_is_made_and_read_back() {
    let mut record = Record::new(Size::new(13, 9).unwrap());
    let at = |name: &str| name.parse::<Coord>().unwrap();
    record.komi(6.5).rules("Chinese").player(Black, "a]b\\").handicap(&[at("C3"), at("K7")]);
    let first = record.play(White, Move::Play(at("E5")));
    record.comment("one").comment("two").label(at("A1"), "x:]").mark(Mark::Territory(White), at("B1"));
    record.play(Black, Move::Pass);
    record.go_to(first);
    record.play(Black, Move::Play(at("A1")));
    let text = record.finish().to_string();
    let c = parse(&text);
    let game = c.first_game().unwrap();
    assert_eq!(game.komi(), Some(6.5));
    assert_eq!(game.player(Black).unwrap(), "a]b\\");
    assert_eq!(line(&c), "+b C3, +b K7, w E5, b pass");
    let node = game.main_nodes().nth(1).unwrap();
    assert_eq!(c.text(node, "C").unwrap(), "one\ntwo");
    let label = c.values(node, "LB").next().unwrap();
    assert_eq!(split_composed(label).map(|(_, text)| unescape(text).into_owned()), Some("x:]".into()));
    assert_eq!(c.children(node).count(), 2);
}

#[test]
fn properties_are_replaced_and_removed() {
    let mut c = parse("(;C[a]SZ[9]C[b]KM[1])");
    let root = c.roots()[0];
    c.set_text(root, "C", "new");
    c.remove(root, "KM");
    c.add_text(root, "N", "n");
    assert_eq!(c.to_string(), "(;SZ[9]C[new]N[n])\n");
}

/// Depth, and names with values.
type NodeText = (usize, Vec<(String, Vec<String>)>);

/// All that a collection says, to compare.
fn dump(c: &Collection) -> Vec<NodeText> {
    let mut nodes = Vec::new();
    let mut stack: Vec<(usize, NodeId)> = c.roots().iter().rev().map(|&root| (0, root)).collect();
    while let Some((depth, node)) = stack.pop() {
        let own = |p: Property<'_>| {
            (p.name().to_owned(), p.values().map(|raw| unescape(raw).into_owned()).collect())
        };
        nodes.push((depth, c.properties(node).map(own).collect()));
        let children: Vec<_> = c.children(node).collect();
        stack.extend(children.into_iter().rev().map(|child| (depth + 1, child)));
    }
    nodes
}

/// The cases handed out with the project: each with the stones that must
/// stand at the end.
#[test]
fn shared_cases_have_the_expected_stones() {
    let Some(shared) = std::env::var_os("TENGEN_SHARED") else {
        skip("TENGEN_SHARED is not set: the shared SGF cases are not tested");
        return;
    };
    let folder = std::path::Path::new(&shared).join("cases/sgf");
    let cases = std::fs::read(folder.join("expected.json")).unwrap();
    let cases: Vec<serde_json::Value> = serde_json::from_slice(&cases).unwrap();
    for case in cases {
        let file = case["file"].as_str().unwrap();
        let parsed = Collection::parse(&std::fs::read(folder.join(file)).unwrap(), file);
        assert_eq!(parsed.is_err(), case["error"].as_bool().unwrap_or(false), "{file}");
        if let Ok(collection) = parsed {
            check_case(&case, &collection);
            let again = Collection::parse(collection.to_string().as_bytes(), file).unwrap();
            assert_eq!(without_encoding(&again), without_encoding(&collection), "{file}");
        }
    }
}

/// The nodes, without the property that writing may change.
fn without_encoding(c: &Collection) -> Vec<NodeText> {
    let mut nodes = dump(c);
    nodes.iter_mut().for_each(|(_, properties)| properties.retain(|(name, _)| name != "CA"));
    nodes
}

fn check_case(case: &serde_json::Value, collection: &Collection) {
    let is_lenient = case["lenient"].as_bool().unwrap_or(false);
    let game = collection.first_game().and_then(|tree| tree.replay(StopAt::End, Rules::CHINESE, 7.5));
    let game = match game {
        Ok(game) => game,
        Err(_) if is_lenient => return,
        Err(error) => panic!("{error}"),
    };
    for (key, color) in [("black", Black), ("white", White)] {
        let Some(wanted) = case[key].as_array() else { continue };
        let mut wanted: Vec<String> = wanted.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        let on_board = game.size().coords().filter(|&coord| game.color_at(coord) == Some(color));
        let mut stones: Vec<String> = on_board.map(|coord| coord.to_string()).collect();
        wanted.sort();
        stones.sort();
        assert_eq!(stones, wanted, "{} {key}", collection.name());
    }
    if let Some(size) = case["size"].as_u64() {
        assert_eq!(u64::from(game.size().width()), size, "{}", collection.name());
    }
    if let Some(comment) = case["comment"].as_str() {
        let nodes = collection.first_game().unwrap().main_nodes().collect::<Vec<_>>();
        let found = nodes.iter().any(|&node| collection.text(node, "C").is_some_and(|c| c == comment));
        assert!(found, "{}: the comment", collection.name());
    }
    if let Some(komi) = case["komi"].as_f64() {
        assert_eq!(collection.first_game().unwrap().komi(), Some(komi), "{}", collection.name());
    }
    if let Some(next) = case["next"].as_str() {
        assert_eq!(game.to_move(), if next == "b" { Black } else { White }, "{}", collection.name());
    }
}

/// Says on stderr that a test did not run.
fn skip(why: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

proptest! {
    #[test]
    fn any_text_round_trips(names in prop::collection::vec("[A-Z]{1,3}", 1..6),
                            texts in prop::collection::vec(any::<String>(), 1..6),
                            shape in prop::collection::vec(0usize..4, 0..12)) {
        let mut c = Collection::new("made");
        let mut nodes = vec![c.add_game()];
        c.set_text(nodes[0], "CA", "UTF-8");
        for (i, &up) in shape.iter().enumerate() {
            let parent = nodes[nodes.len() - 1 - up.min(nodes.len() - 1)];
            let node = c.add_child(parent);
            nodes.push(node);
            let text = texts[i % texts.len()].replace("\r\n", "\n").replace("\n\r", "\n").replace('\r', "\n");
            c.add_text(node, &names[i % names.len()], &text);
        }
        let again = Collection::parse(c.to_string().as_bytes(), "again").unwrap();
        prop_assert_eq!(dump(&again), dump(&c));
    }

    #[test]
    fn whatever_is_read_is_written_back(text in r"\(;([ABWD;()\[\]\\:efgh \n]|\[|\]){0,60}") {
        let c = Collection::parse(text.as_bytes(), "x").unwrap();
        let again = Collection::parse(c.to_string().as_bytes(), "y").unwrap();
        prop_assert_eq!(dump(&again), dump(&c));
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut text = b"(;".to_vec();
        text.extend(bytes);
        if let Ok(c) = Collection::parse(&text, "x") {
            let _ = c.first_game().map(|game| (game.komi(), game.handicap(), game.main_line().count()));
            let _ = c.to_string();
        }
    }

    #[test]
    fn damaged_records_are_read_without_harm(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 1..20),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = include_bytes!("../../../sgf/walls.sgf").to_vec();
        for (at, kind, byte) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, byte),
                _ => bytes.insert(at, b"[]();\\:BWA"[usize::from(byte) % 10]),
            }
        }
        bytes.truncate(end.index(bytes.len()).max(bytes.len() / 2));
        if let Ok(c) = Collection::parse(&bytes, "damaged.sgf") {
            let again = Collection::parse(c.to_string().as_bytes(), "again.sgf").unwrap();
            prop_assert_eq!(without_encoding(&again), without_encoding(&c));
            let game = c.first_game().and_then(|game| game.replay(StopAt::End, Rules::CHINESE, 7.5));
            prop_assert!(game.is_err() || game.is_ok_and(|game| game.events().len() <= bytes.len()));
        }
    }
}
