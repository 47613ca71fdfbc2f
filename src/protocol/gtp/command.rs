//! The table of commands: a row is a name, the arguments it takes, and the
//! handler.

use super::reply::Reply;
use super::{
    Request, Session, analyze, core, gogui, gomill, inspect, kata, kgs, network, play, score, setup, sgf,
    time,
};

/// A row of the table.
pub struct Command {
    /// The name, which is case-sensitive.
    pub name: &'static str,
    /// The arguments in order; those that may be left out stand in brackets.
    pub arguments: &'static str,
    /// What it does.
    pub run: fn(&mut Session, &Request) -> Reply,
}

impl Command {
    const fn new(
        name: &'static str,
        arguments: &'static str,
        run: fn(&mut Session, &Request) -> Reply,
    ) -> Self {
        Command { name, arguments, run }
    }

    /// How many arguments it needs.
    #[must_use]
    pub fn required(&self) -> usize {
        self.arguments.split_whitespace().take_while(|word| !word.starts_with('[')).count()
    }
}

/// The command of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// Every command, by subject. The first that a client knows of several for one
/// purpose is the one it uses, so their order matters within a subject.
pub const COMMANDS: &[Command] = &[
    Command::new("protocol_version", "", core::protocol_version),
    Command::new("name", "", core::name),
    Command::new("version", "", core::version),
    Command::new("known_command", "COMMAND", core::known_command),
    Command::new("list_commands", "", core::list_commands),
    Command::new("stop", "", core::stop),
    Command::new("quit", "", core::quit),
    // The board.
    Command::new("boardsize", "SIZE [HEIGHT]", setup::boardsize),
    Command::new("rectangular_boardsize", "WIDTH HEIGHT", setup::boardsize),
    Command::new("query_boardsize", "", setup::query_boardsize),
    Command::new("clear_board", "", setup::clear_board),
    Command::new("komi", "KOMI", setup::komi),
    Command::new("get_komi", "", setup::get_komi),
    Command::new("fixed_handicap", "STONES", setup::fixed_handicap),
    Command::new("place_free_handicap", "STONES", setup::place_free_handicap),
    Command::new("set_free_handicap", "VERTEX VERTEX [VERTEX...]", setup::set_free_handicap),
    Command::new("get_handicap", "", setup::get_handicap),
    // Moves.
    Command::new("play", "COLOR VERTEX", play::play),
    Command::new("genmove", "COLOR", play::genmove),
    Command::new("reg_genmove", "COLOR", play::reg_genmove),
    Command::new("undo", "", play::undo),
    Command::new("gg-undo", "[MOVES]", play::undo_several),
    // Time.
    Command::new("time_settings", "MAIN PERIOD STONES", time::time_settings),
    Command::new("time_left", "COLOR TIME STONES", time::time_left),
    Command::new("kgs-time_settings", "SYSTEM [NUMBERS...]", time::named_time_settings),
    Command::new("kata-list_time_settings", "", time::list_time_settings),
    Command::new("kata-time_settings", "SYSTEM [NUMBERS...]", time::named_time_settings),
    // The score.
    Command::new("final_score", "", score::final_score),
    Command::new("final_status", "VERTEX", score::final_status),
    Command::new("final_status_list", "STATUS", score::final_status_list),
    Command::new("estimate_score", "", score::estimate_score),
    Command::new("unconditional_status", "VERTEX", score::unconditional_status),
    // Records.
    Command::new("loadsgf", "FILE [MOVE]", sgf::load),
    Command::new("printsgf", "[FILE]", sgf::print),
    // Questions about the board.
    Command::new("showboard", "", inspect::showboard),
    Command::new("list_stones", "COLOR", inspect::list_stones),
    Command::new("color", "VERTEX", inspect::color),
    Command::new("is_legal", "COLOR VERTEX", inspect::is_legal),
    Command::new("all_legal", "COLOR", inspect::all_legal),
    Command::new("captures", "COLOR", inspect::captures),
    Command::new("countlib", "VERTEX", inspect::countlib),
    Command::new("findlib", "VERTEX", inspect::findlib),
    Command::new("last_move", "", inspect::last_move),
    Command::new("move_history", "", inspect::move_history),
    // Rules.
    Command::new("kgs-rules", "RULES", kgs::rules),
    Command::new("kata-get-rules", "", kata::get_rules),
    Command::new("kata-set-rules", "RULES", kata::set_rules),
    Command::new("kata-set-rule", "NAME VALUE", kata::set_rule),
    // Analysis.
    Command::new("kata-analyze", "[COLOR] [INTERVAL] [OPTIONS...]", analyze::kata_analyze),
    Command::new("lz-analyze", "[COLOR] [INTERVAL] [OPTIONS...]", analyze::lz_analyze),
    Command::new("kata-genmove_analyze", "[COLOR] [INTERVAL] [OPTIONS...]", analyze::kata_genmove),
    Command::new("lz-genmove_analyze", "[COLOR] [INTERVAL] [OPTIONS...]", analyze::lz_genmove),
    Command::new("kata-search_analyze", "[COLOR] [INTERVAL] [OPTIONS...]", analyze::kata_search),
    Command::new("kata-raw-nn", "[SYMMETRY]", network::raw_nn),
    Command::new("cgos-genmove_analyze", "COLOR [OPTIONS...]", analyze::cgos_genmove),
    // Servers.
    Command::new("kgs-genmove_cleanup", "COLOR", play::genmove_cleanup),
    Command::new("kgs-game_over", "", kgs::game_over),
    Command::new("kgs-chat", "KIND NAME [TEXT...]", kgs::chat),
    Command::new("cgos-opponent_name", "NAME", kgs::ignored),
    Command::new("cgos-opponent_rating", "[RATING]", kgs::ignored),
    Command::new("cgos-gameover", "[RESULT]", kgs::game_over),
    // GoGui.
    Command::new("gogui-analyze_commands", "", gogui::analyze_commands),
    Command::new("gogui-interrupt", "", kgs::ignored),
    Command::new("gogui-play_sequence", "[COLOR] [VERTEX...]", play::play_sequence),
    Command::new("gogui-setup", "[COLOR] [VERTEX...]", setup::gogui_setup),
    Command::new("gogui-setup_player", "COLOR", setup::gogui_setup_player),
    Command::new("gogui-title", "", gogui::title),
    Command::new("gogui-version", "[VERSION]", kgs::ignored),
    Command::new("tengen-gfx_search", "", gogui::search_values),
    Command::new("tengen-gfx_sequence", "", gogui::best_sequence),
    Command::new("tengen-win_rates", "", gogui::win_rates),
    Command::new("tengen-visits", "", gogui::visits),
    Command::new("tengen-priors", "", gogui::priors),
    Command::new("tengen-net_policy", "[COLOR]", network::policy),
    Command::new("tengen-net_ownership", "[COLOR]", network::ownership),
    Command::new("tengen-ownership", "", gogui::ownership),
    Command::new("tengen-territory", "", gogui::territory),
    Command::new("tengen-liberties", "", gogui::liberties),
    Command::new("tengen-playout", "[COLOR]", gogui::playout),
    Command::new("tengen-live", "[on|off]", gogui::live),
    Command::new("tengen-params", "[NAME] [VALUE]", core::parameters),
    Command::new("tengen-save_tree", "FILE", sgf::save_tree),
    // Ringmaster and others.
    Command::new("gomill-describe_engine", "", gomill::describe_engine),
    Command::new("gomill-explain_last_move", "", gomill::explain_last_move),
    Command::new("gomill-cpu_time", "", core::cpu_time),
    Command::new("cputime", "", core::cpu_time),
    Command::new("cpu_time", "", core::cpu_time),
    Command::new("clear_cache", "", core::clear_cache),
    Command::new("kata-get-param", "NAME", kata::get_param),
    Command::new("kata-set-param", "NAME VALUE", kata::set_param),
    Command::new("kata-list-params", "", kata::list_params),
];
