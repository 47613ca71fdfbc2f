//! Whole games on the servers: the clients' own order of commands, with a
//! second engine behind the server as the opponent and as the referee of
//! legal moves.

mod common;

use common::Engine;

/// A game between the engine, which a client drives, and the opponent.
struct Server {
    engine: Engine,
    opponent: Engine,
    moves: Vec<(char, String)>,
}

const SIZE: usize = 7;

impl Server {
    fn new(options: &[&str]) -> Self {
        let options: Vec<&str> =
            ["--playouts", "60", "--resign", "0"].iter().chain(options).copied().collect();
        let opponent = Engine::start(&["--playouts", "60", "--seed", "9", "--resign", "0"]);
        Server { engine: Engine::start(&options), opponent, moves: Vec::new() }
    }

    /// Both sides hear it.
    fn tell(&mut self, line: &str) {
        self.engine.ask(line);
        self.opponent.ask(line);
    }

    fn new_game(&mut self, komi: &str) {
        self.moves.clear();
        self.tell(&format!("boardsize {SIZE}"));
        self.tell("clear_board");
        self.tell(&format!("komi {komi}"));
    }

    /// The engine's move, which the server must find legal.
    fn engine_moves(&mut self, color: char, line: &str) -> String {
        let reply = self.engine.ask(line);
        let last = reply.lines().last().unwrap();
        let vertex = last.strip_prefix("play ").unwrap_or(last).to_owned();
        self.opponent.ask(&format!("play {color} {vertex}"));
        self.moves.push((color, vertex));
        reply
    }

    fn opponent_moves(&mut self, color: char, command: &str) {
        let vertex = self.opponent.ask(&format!("{command} {color}"));
        self.engine.ask(&format!("play {color} {vertex}"));
        self.moves.push((color, vertex));
    }

    fn two_passes(&self) -> bool {
        let passes = self.moves.iter().rev().take_while(|(_, vertex)| vertex == "pass").count();
        assert!(self.moves.len() < 400, "games end");
        passes >= 2
    }

    fn next(&self, first: char) -> char {
        match self.moves.last() {
            None => first,
            Some(('b', _)) => 'w',
            Some(_) => 'b',
        }
    }

    /// The dead stones, every one of which must be there.
    fn dead(&mut self) -> Vec<String> {
        let list = self.engine.ask("final_status_list dead");
        let dead: Vec<String> = list.split_whitespace().map(str::to_owned).collect();
        for vertex in &dead {
            assert_ne!(self.opponent.ask(&format!("color {vertex}")), "empty", "{vertex} is dead");
        }
        dead
    }

    fn ends(self) {
        let Server { mut engine, .. } = self;
        assert_eq!(engine.ask("quit"), "");
        let (rest, status, _) = engine.close();
        assert_eq!((rest.as_str(), status), ("", Some(0)));
    }
}

/// A KGS game from the first move to two passes, with `time_left` after each
/// move of the engine, as kgsGtp says it.
fn play_kgs(server: &mut Server, own: char, first: char) {
    let mut left = 60.0;
    while !server.two_passes() {
        let color = server.next(first);
        if color == own {
            server.engine_moves(color, &format!("genmove {color}"));
            left -= 0.5;
            server.engine.ask(&format!("time_left {own} {} 0", left as u32));
        } else {
            server.opponent_moves(color, "genmove");
        }
    }
}

#[test]
fn kgs_games_with_undo_chat_dispute_and_a_second_game() {
    let mut server = Server::new(&["--kgs-chat"]);
    let commands = server.engine.ask("list_commands");
    assert!(commands.lines().any(|name| name == "kgs-chat"));
    server.engine.ask("name");
    server.engine.ask("version");

    server.tell("kgs-rules chinese");
    server.new_game("5.5");
    server.engine.ask("kgs-time_settings byoyomi 60 5 3");
    server.engine_moves('b', "genmove b");
    server.engine.ask("time_left b 59 0");
    server.opponent_moves('w', "genmove");
    let said = server.engine.ask("kgs-chat game somebody how do you stand?");
    assert!(said.len() <= 1000 && said.contains('%') && !said.contains(char::is_control), "{said}");
    // The opponent takes a move back: one undo for each node.
    for _ in 0..2 {
        server.tell("undo");
        server.moves.pop();
    }
    play_kgs(&mut server, 'b', 'b');
    server.dead();

    // A dispute: the passes go back, and each side takes what is dead.
    for _ in 0..2 {
        server.tell("undo");
        server.moves.pop();
    }
    while !server.two_passes() {
        match server.next('b') {
            'b' => drop(server.engine_moves('b', "kgs-genmove_cleanup b")),
            color => server.opponent_moves(color, "kgs-genmove_cleanup"),
        }
    }
    let dead = server.dead();
    let white: Vec<_> =
        dead.iter().filter(|v| server.opponent.ask(&format!("color {v}")) == "white").collect();
    assert_eq!(white, Vec::<&String>::new(), "everything dead was taken before the pass");
    server.engine.ask("kgs-game_over");

    // The same process plays on: White, Japanese rules, a game taken up again.
    server.tell("kgs-rules japanese");
    server.new_game("0.5");
    server.engine.ask("kgs-time_settings canadian 60 30 10");
    server.tell("set_free_handicap c3 e5");
    for (color, vertex) in [('w', "e3"), ('b', "pass"), ('w', "c5")] {
        server.tell(&format!("play {color} {vertex}"));
        server.moves.push((color, vertex.into()));
    }
    play_kgs(&mut server, 'w', 'w');
    server.dead();
    server.engine.ask("kgs-game_over");
    server.ends();
}

#[test]
fn kgs_hands_out_free_handicap_stones() {
    let mut server = Server::new(&[]);
    assert!(!server.engine.ask("list_commands").lines().any(|name| name == "kgs-chat"));
    server.tell("kgs-rules aga");
    server.new_game("0.5");
    server.engine.ask("kgs-time_settings none");
    let stones = server.engine.ask("place_free_handicap 3");
    assert_eq!(stones.split_whitespace().count(), 3);
    server.opponent.ask(&format!("set_free_handicap {stones}"));
    play_kgs(&mut server, 'b', 'w');
    server.dead();
    server.engine.ask("kgs-game_over");
    server.ends();
}

#[test]
fn cgos_games_with_both_clients() {
    let mut server = Server::new(&["--rules", "cgos"]);
    let commands = server.engine.ask("list_commands");
    assert!(commands.lines().any(|name| name == "cgos-genmove_analyze"));
    for own in ['w', 'b'] {
        server.new_game("6.5");
        server.engine.ask("time_settings 300 0 0");
        server.engine.ask("cgos-opponent_name somebody");
        server.engine.ask("cgos-opponent_rating 1800?");
        let mut left = 300;
        while !server.two_passes() {
            let color = server.next('b');
            if color != own {
                server.opponent_moves(color, "genmove");
                continue;
            }
            server.engine.ask(&format!("time_left {own} {left} 0"));
            let reply = server.engine_moves(color, &format!("cgos-genmove_analyze {own}"));
            left -= 1;
            let lines: Vec<&str> = reply.lines().collect();
            let json: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
            assert!(json.is_object() && lines.len() == 2 && lines[1].starts_with("play "), "{reply}");
        }
        server.engine.ask("cgos-gameover B+3.5");
    }
    // The older client reads one line and a blank for everything.
    server.new_game("6.5");
    server.engine.ask("time_settings 300 0 0");
    while !server.two_passes() {
        if server.next('b') == 'b' {
            server.engine.ask("time_left b 300 0");
            assert_eq!(server.engine_moves('b', "genmove b").lines().count(), 1);
        } else {
            server.opponent_moves('w', "genmove");
        }
    }
    server.ends();
}

#[test]
fn an_ogs_game_with_lines_that_come_in_pairs() {
    let mut server = Server::new(&[]);
    let commands = server.engine.ask("list_commands");
    assert!(commands.lines().any(|name| name == "kata-list_time_settings"));
    assert!(server.engine.ask("kata-list_time_settings").contains("fischer-capped"));
    server.new_game("0.5");
    let stones = server.engine.ask("place_free_handicap 2");
    assert_eq!(stones.split_whitespace().count(), 2);
    server.opponent.ask(&format!("set_free_handicap {stones}"));
    while !server.two_passes() {
        let color = server.next('w');
        if color == 'w' {
            server.opponent_moves('w', "genmove");
            continue;
        }
        let clock = "kata-time_settings fischer-capped 60 5 120 -1\r\n";
        server
            .engine
            .send(&format!("{clock}time_left black 58.5 0\r\ntime_left white 60 0\r\ngenmove b\r\n"));
        for _ in 0..3 {
            assert_eq!(server.engine.reply(), "= ");
        }
        let vertex = server.engine.reply().trim_start_matches("= ").to_owned();
        server.opponent.ask(&format!("play b {vertex}"));
        server.moves.push(('b', vertex));
    }
    let score = server.engine.ask("final_score");
    assert!(score == "0" || score.starts_with(['B', 'W']), "{score}");
    server.ends();
}
