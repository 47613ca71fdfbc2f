//! Scores, statuses, passing and resigning.

use super::Client;

#[test]
fn report_31_compensation_for_handicap() {
    for (rules, score) in [("chinese", "B+77"), ("aga", "B+78"), ("tromp-taylor", "B+81")] {
        let mut client = Client::new();
        client.ask(&format!("kata-set-rules {rules}"));
        client.ask("fixed_handicap 4");
        client.ask("komi 0");
        client.play_all("w E5 b D5 w pass b F5 w pass b E6 w pass b E4 w pass b pass");
        assert_eq!(client.ask("final_score"), score, "{rules}");
    }
}

#[test]
fn report_53_an_early_score_is_an_estimate() {
    let mut client = Client::new();
    client.ask("play b E5");
    assert_ne!(client.ask("final_score"), "B+73.5");
}

#[test]
fn report_62_moves_after_the_end() {
    let mut client = Client::new();
    client.play_all("b pass w pass");
    client.ask("genmove b");
    client.ask("final_score");
}

/// A finished game: Black has the left side, White the right; a White stone is
/// dead at A9 and a Black one at J1.
const WALLS: &str = "b D1 b D2 b D3 b D4 b D5 b D6 b D7 b D8 b D9 \
                     w E1 w E2 w E3 w E4 w E5 w E6 w E7 w E8 w E9 \
                     b B5 b B2 w G5 w G8 w B8 b H2";

#[test]
fn report_52_scores_and_statuses_agree_before_and_after_passes() {
    for (rules, score) in [("chinese", "W+9"), ("japanese", "W+9")] {
        let mut client = Client::new();
        client.ask(&format!("kata-set-rules {rules}"));
        client.ask("komi 0");
        client.play_all(WALLS);
        for _ in 0..2 {
            assert_eq!(client.ask("final_score"), score, "{rules}");
            assert_eq!(client.ask("final_status_list dead"), "H2\nB8");
            assert_eq!(client.ask("final_status B8"), "dead");
            assert_eq!(client.ask("final_status_list seki"), "");
            client.play_all("b pass w pass");
        }
    }
}

/// A White stone at J5 would be taken at J4, so White fills that point before
/// the count.
#[test]
fn a_connection_that_is_still_needed_is_no_territory() {
    let mut client = Client::new();
    client.ask("komi 0");
    client.ask("kata-set-rules japanese");
    client.ask(
        "gogui-setup b A6 b B6 b C6 b D6 b E6 b F6 b G6 b H6 b J6 b H5 b C8 b G8 b E7 \
         w A5 w B5 w C5 w D5 w E5 w F5 w G5 w J5 w H4 w B3 w D3 w F3 w H3 w H2 w C2 w G2",
    );
    assert_eq!(client.ask("final_status J5"), "alive");
    assert_eq!(client.ask("final_status J4"), "dame");
    client.ask("kata-set-rules chinese");
    assert_eq!(client.ask("final_status J4"), "white_territory");
}

/// White's last dame, D4, puts D5 in atari: Black has to connect at D6, which is
/// no point of his, as if it had been played already.
#[test]
fn points_to_fill_after_the_dame_are_no_territory() {
    let mut client = Client::new();
    client.ask(
        "gogui-setup b B9 b A8 b C8 b D8 b A7 b E7 b F7 b G7 b H7 b J7 b A6 b B6 b C6 b E6 b J6 b B5 b D5 b H5 \
         b J5 b B4 w F6 w G6 w H6 w A5 w C5 w E5 w G5 w A4 w C4 w E4 w F4 w H4 w J4 w A3 w B3 w C3 w D3 w F3 \
         w G3 w H3 w A2 w C2 w G2 w C1",
    );
    for (rules, owner) in [("japanese", "dame"), ("chinese", "black_territory")] {
        client.ask(&format!("kata-set-rules {rules}"));
        assert_eq!(client.ask("final_status D4"), "dame");
        assert_eq!(client.ask("final_status D6"), owner, "{rules}");
    }
}

/// White's E3 puts two chains of Black's in atari at C1: to take the dead stone
/// at C2 there is to fill a point, too.
#[test]
fn to_take_a_dead_stone_is_to_fill_a_point() {
    let mut client = Client::new();
    client.ask("komi 6.5");
    client.ask("kata-set-rules japanese");
    client.ask(
        "gogui-setup b D9 b E9 b F9 b B8 b F8 b A7 b E7 b F7 b G7 b H7 b E6 b J6 b F5 b G5 b H5 b G4 b B3 b C3 b H3 \
         b J3 b A2 b B2 b D2 b E2 b J2 b D1 w C9 w C8 w D8 w E8 w B7 w C7 w D7 w A6 w D6 w B5 w E5 w A4 w B4 w C4 w D4 \
         w E4 w F4 w A3 w D3 w F3 w G3 w C2 w F2 w G2 w H2 w E1 w F1 w G1 w J1",
    );
    assert_eq!(client.ask("final_status C2"), "dead");
    assert_eq!(client.ask("final_status C1"), "dame");
    assert_eq!(client.ask("final_score"), "W+1.5");
}

/// Whoever plays the dame at J1 can be taken there: nobody has to fill a point
/// because of it.
#[test]
fn a_dame_that_would_be_taken_forces_nothing() {
    let mut client = Client::new();
    client.ask("komi 0.5");
    client.ask("kata-set-rules japanese");
    client.ask(
        "gogui-setup b A9 b C9 b B8 b C8 b D8 b C7 b B6 b D6 b C5 b D5 b E5 b F4 b F3 b G3 b F2 b H2 b G1 b H1 \
         w D9 w E9 w E8 w D7 w E7 w E6 w F6 w F5 w G5 w G4 w H4 w H3 w J2 w F1",
    );
    assert_eq!(client.ask("final_status_list dame"), "J1");
    assert_eq!(client.ask("final_status E1"), "black_territory");
    assert_eq!(client.ask("final_status J3"), "white_territory");
    assert_eq!(client.ask("final_score"), "B+11.5");
}

/// White's four stones on the left are connected with the others by the dead
/// ones at A6 and B6, which can be taken at any time.
#[test]
fn stones_that_dead_ones_connect_are_in_no_seki() {
    let mut client = Client::new();
    client.ask("kata-set-rules japanese");
    client.ask(
        "gogui-setup b J7 b A6 b B6 b D6 b G6 b H6 b J6 b C5 b D5 b F5 b E4 b G4 b C3 b D3 b A2 b B2 w E8 w F8 w H8 \
         w J8 w A7 w B7 w C7 w D7 w G7 w H7 w C6 w E6 w F6 w B5 w B4 w C4 w B3",
    );
    assert_eq!(client.ask("final_status_list seki"), "");
    assert_eq!(client.ask("final_status_list dead"), "A6 B6");
}

/// Black's A2 is in atari, but only dead stones could take it at A1.
#[test]
fn dead_stones_threaten_nothing() {
    let mut client = Client::new();
    client.ask("komi 0");
    client.ask("kata-set-rules japanese");
    client.play_all(
        "b D1 b D2 b D3 b D4 b D5 b D6 b D7 b D8 b D9 b B7 b A4 b B4 b C3 b C2 b B1 b A2 w A3 w B2 \
         w E1 w E2 w E3 w E4 w E5 w E6 w E7 w E8 w E9 w G5 w G8 w G2",
    );
    assert_eq!(client.ask("final_status A3"), "dead");
    assert_eq!(client.ask("final_status A1"), "black_territory");
}

/// Black's A9 and B8 are dead though B9 is still open, and between living stones
/// of both.
#[test]
fn dead_stones_among_dame_are_prisoners() {
    for (rules, score) in [("japanese", "W+23.5"), ("chinese", "W+22.5")] {
        let mut client = Client::new();
        client.ask("komi -3.5");
        client.ask(&format!("kata-set-rules {rules}"));
        for (turn, at) in "F5 C2 D3 D2 E3 E2 C3 F3 F4 G3 G4 H4 H5 H3 D7 E7 E8 F8 F7 E6 G8 D8 F9 C7 C6 D6 B6 B7 A7 \
                           A8 A6 C5 B8 B5 A9 C8 B2 A5 B3 F6 G6 E4 E5 D4 C4 D5 G5 B1 C1 D1 F2 G2 G1 F1 J4 J3 J5 A8 \
                           A7 A6 A4 B4 A2 A3 D9 A1 C9 A8"
            .split_whitespace()
            .enumerate()
        {
            client.ask(&format!("play {} {at}", ["b", "w"][turn % 2]));
        }
        assert_eq!(client.ask("final_status_list dead").split_whitespace().count(), 3);
        assert_eq!(client.ask("final_score"), score, "{rules}");
    }
}

/// Stones that share liberties with a group of one eye are in no seki if the
/// group can take them: Black C1 takes B1, B1 takes B2, and C9 takes C8. Black
/// has to play B1 when White has A3, and fills but that one point.
#[test]
fn stones_that_can_be_taken_are_in_no_seki() {
    let ends = [
        (
            "chinese",
            6.5,
            "B2 B1 C2",
            "B+6.5",
            "J9 A5 E6 E4 D4 D5 E5 F4 D3 C5 D6 C6 C7 B7 B8 C8 D7 D8 E8 B9 A9 A8 G5 G4 H4 H3 H5 E2 D2 G2 B4 B2 B3 \
             C2 D1 E1 E3 F3 A2 B1 B5 B6 A4 C4 C3 A6 F5 E9 F9 F8 D9 C9 E9 G9 E7 H7 G8 G7 F7 H8 H9 H6 J6 J4 J5 J3 \
             J1 H1 F2 F1 H2 J2 F6 J8 G9 pass G6 pass J7 pass A1 A3 A1 pass A2 A3 A2",
        ),
        (
            "japanese",
            6.5,
            "B2",
            "W+2.5",
            "C7 E4 F5 F4 G4 G3 G5 D6 D7 E6 F7 E7 E8 F8 G8 C6 B6 B5 B7 H3 B4 A5 C4 C5 E5 D4 D5 C3 B3 B2 D3 E3 C2 \
             F6 G7 G6 H6 H5 E2 F3 H7 F2 J5 H4 A2 E1 D2 J4 J6 D8 F9 B8 C8 A7 B9 A6 A8 A4",
        ),
        (
            "aga",
            -3.5,
            "C8",
            "B+29.5",
            "F6 B1 D6 D4 F4 C6 C7 C5 D7 B7 B8 B6 E3 D3 D2 C2 E2 G5 F5 G7 G6 H6 H5 G4 H7 H8 J6 J7 J8 H9 G8 \
             F8 F7 G9 G7 J9 J7 A8 B9 C8 D8 D5 F9 E9 E8 G9 D9 E4 G3 E5 E6 D1 E1 C1",
        ),
    ];
    for (rules, komi, dead, score, moves) in ends {
        let mut client = Client::new();
        client.ask(&format!("komi {komi}"));
        client.ask(&format!("kata-set-rules {rules}"));
        for (turn, at) in moves.split_whitespace().enumerate() {
            client.ask(&format!("play {} {at}", ["b", "w"][turn % 2]));
        }
        assert_eq!(client.ask("final_status_list seki"), "", "{rules}");
        let listed = client.ask("final_status_list dead");
        assert!(listed.lines().any(|chain| chain == dead), "{rules}: {listed}");
        assert_eq!(client.ask("final_score"), score, "{rules}");
    }
}

/// Black has one eye at the top; before White fills its liberties O19 and T19 he
/// has to connect at M19 and T16.
#[test]
fn stones_are_connected_before_liberties_are_filled() {
    let mut client = Client::new();
    client.ask("boardsize 19");
    let mut place = |color: char, at: &str| {
        at.split(' ').for_each(|at| assert_eq!(client.ask(&format!("play {color} {at}")), ""));
    };
    place('b', "P19 S19 N18 O18 P18 Q18 R18 S18 P17 Q17 S17");
    place('w', "N19 Q19 M18 T18 M17 N17 O17 R17 T17 O16 P16 Q16 R16 S16 A16 A14 A12");
    for column in ('A'..='T').filter(|&column| column != 'I') {
        place('w', &format!("{column}10"));
        place('b', &format!("{column}9 {column}2"));
    }
    assert_eq!(client.ask("final_status S18"), "dead");
    assert_eq!(client.ask("final_status_list seki"), "");
    assert_eq!(client.ask("final_score"), "W+26.5");
}

#[test]
fn report_61_a_settled_japanese_game_is_passed() {
    let mut client = Client::new();
    client.ask("kata-set-rules japanese");
    client.play_all(WALLS);
    client.ask("play b pass");
    assert_eq!(client.ask("genmove w"), "pass");
}

#[test]
fn report_25_and_64_nobody_resigns_early_with_handicap() {
    let mut client = Client::new();
    client.ask("boardsize 13");
    client.ask("fixed_handicap 9");
    client.ask("komi 0.5");
    assert_ne!(client.ask("genmove w"), "resign");
}

/// Black's corner and White's next to it have an eye each and share a
/// liberty: whoever fills it is taken. Around them both players live.
const SEKI: &str = "b B1 b A2 b B2 b C2 w D1 w D2 w E2 w F2 w F1 \
                    w A3 w B3 w C3 w C4 w C5 w C6 w C7 w A5 w B5 w B7 \
                    b D3 b E3 b F3 b G1 b G2 b G3 b D4 b D5 b D6 b D7 b E5 b F5 b G5 b E7 b F7";

#[test]
fn report_58_eyes_in_seki_count_under_area_scoring_only() {
    for (rules, score) in [("chinese", "B+6"), ("japanese", "B+2")] {
        let mut client = Client::new();
        client.ask("boardsize 7");
        client.ask("komi 0");
        client.ask(&format!("kata-set-rules {rules}"));
        client.ask(&format!("gogui-setup {SEKI}"));
        assert_eq!(client.ask("final_status_list dead"), "");
        assert_eq!(client.ask("final_status_list seki").split_whitespace().count(), 9);
        assert_eq!(client.ask("final_status C1"), "dame");
        // What is listed is what is counted.
        let eye = if rules == "chinese" { "black_territory" } else { "dame" };
        assert_eq!(client.ask("final_status A1"), eye);
        assert!(client.ask(&format!("final_status_list {eye}")).split(' ').any(|point| point == "A1"));
        assert_eq!(client.ask("final_score"), score, "{rules}");
    }
}

/// White's stones in the corner are dead, but taking them from the wrong side
/// gives Black's away.
#[test]
fn a_clean_up_loses_nothing() {
    let mut client = Client::new();
    client.ask("komi 0");
    client.ask(
        "gogui-setup b D9 b F9 b H9 b A8 b E8 b G8 b H8 b J8 b B7 b C7 b E7 b F7 b H7 b A6 b D6 b F6 b A5 \
         b B5 b C5 b D5 b F5 b C4 b F4 b F3 b G3 b F2 b G2 b H2 b J2 b G1 w B9 w B8 w C8 w D8 w D7 w G7 w J7 \
         w E6 w G6 w H6 w J6 w E5 w G5 w H5 w A4 w B4 w D4 w E4 w G4 w J4 w B3 w C3 w E3 w H3 w J3 w C2 w E2 \
         w D1 w E1 w F1",
    );
    let before = (client.ask("final_score"), client.ask("final_status_list dead"));
    assert_ne!(before.1, "");
    let mut passes = 0;
    for turn in 0..100 {
        let mv = client.ask(["kgs-genmove_cleanup w", "kgs-genmove_cleanup b"][turn % 2]);
        passes = if mv == "pass" { passes + 1 } else { 0 };
        if passes == 2 {
            break;
        }
    }
    assert_eq!(passes, 2);
    assert_eq!((client.ask("final_score"), client.ask("final_status_list dead")), (before.0, String::new()));
}

#[test]
fn report_34_equal_areas_are_a_draw() {
    let mut client = Client::new();
    client.ask("boardsize 2");
    client.ask("komi 0");
    client.play_all("b pass w pass");
    assert_eq!(client.ask("final_score"), "0");
}

#[test]
fn report_19_tiny_boards_are_played_to_the_end() {
    for size in ["2", "3", "4", "5", "2 3"] {
        let mut client = Client::new();
        client.ask(&format!("boardsize {size}"));
        let mut passes = 0;
        for turn in 0..200 {
            let mv = client.ask(["genmove b", "genmove w"][turn % 2]);
            passes = if mv == "pass" { passes + 1 } else { 0 };
            if passes == 2 || mv == "resign" {
                break;
            }
            assert!(turn < 150, "{size}: games end");
        }
    }
}

#[test]
fn report_46_and_61_only_eyes_are_left() {
    for rules in ["chinese", "japanese", "tromp-taylor"] {
        let mut client = Client::new();
        client.ask("boardsize 5");
        client.ask("komi 0.5");
        client.ask(&format!("kata-set-rules {rules}"));
        client.ask("gogui-setup b A4 b B5 b B4 b C5 b C4 b C3 b B3 b B2 b A2 b B1 b C2 b C1 b A3 w D5 w D4 w D3 w D2 w D1 w E4 w E2");
        client.ask("gogui-setup_player b");
        assert_eq!(client.ask("genmove b"), "pass", "{rules}");
        assert_eq!(client.ask("genmove w"), "pass", "{rules}");
    }
}

/// Both walls, and a White stone that is dead, but counts as alive where
/// nobody asks.
#[test]
fn report_55_dead_stones_are_taken_where_all_count_as_alive() {
    let mut client = Client::new();
    client.ask("kata-set-rules tromp-taylor");
    client.ask("komi -12");
    client.play_all(
        "b D1 b D2 b D3 b D4 b D5 b D6 b D7 b D8 b D9 b B5 b B2 \
         w E1 w E2 w E3 w E4 w E5 w E6 w E7 w E8 w E9 w B8 w pass",
    );
    let mv = client.ask("genmove b");
    assert!(["A8", "C8", "B7", "B9"].contains(&mv.as_str()), "{mv}");
}

/// A living group with one eye space of four, in a position without other
/// questions: its points are its owner's, and it is no prisoner.
#[test]
fn a_group_with_one_big_eye_lives() {
    // A straight four in the corner, and a zigzag four on the edge.
    let straight = "w B1 w B2 w B3 w B4 w B5 w A5 b C1 b C2 b C3 b C4 b C5 b C6 b B6 b A6 b F5 b G3 b G7";
    let zigzag = "b A1 b A2 b A3 b A4 b A6 b A8 b B3 b B4 b B5 b B6 b B7 b B8 b B9 b C4 b C6 b C8 b D4 b D5 \
                  b D6 b D7 b D8 b D9 b E4 b E6 b E8 b F4 b F5 b F6 b F7 b F8 b F9 b G1 b G2 b G3 b G4 b G6 \
                  b G8 b H1 b H2 b H3 b H4 b H5 b H6 b H7 b H8 b H9 b J2 b J4 b J6 b J8 \
                  w B1 w B2 w C2 w C3 w D3 w E1 w E3 w F1 w F2 w F3";
    for (position, score) in [(straight, "B+61"), (zigzag, "B+53")] {
        for rules in ["chinese", "japanese"] {
            let mut client = Client::new();
            client.ask("boardsize 9");
            client.ask("komi 0");
            client.ask(&format!("kata-set-rules {rules}"));
            client.ask(&format!("gogui-play_sequence {position} w pass b pass"));
            assert_eq!(client.ask("final_status_list dead"), "", "{rules}");
            assert_eq!(client.ask("final_status_list seki"), "", "{rules}");
            if rules == "chinese" {
                assert_eq!(client.ask("final_score"), score);
                assert_eq!(client.ask("final_status_list dame"), "");
            }
        }
    }
}

/// White's six points in the corner are lost if Black begins, and nobody does:
/// the stones are alive, so the points are theirs.
#[test]
fn an_enclosed_region_is_no_dame() {
    let mut client = Client::new();
    client.ask("komi 0");
    client.ask("kata-set-rules chinese");
    client.ask(
        "gogui-setup w A3 w B3 w C3 w D3 w D2 w D1 b A4 b B4 b C4 b D4 b E4 b E3 b E2 b E1 b A6 b B6 b C6 b D6 \
         b E6 b F6 b G6 b H6 b J6 b G1 b G2 b G3 b G4 b G5 b G7 b G8 b G9 b C8 b J3",
    );
    assert_eq!(client.ask("final_status A3"), "alive");
    assert_eq!(client.ask("final_status A1"), "white_territory");
    assert_eq!(client.ask("final_status_list dame"), "");
}
