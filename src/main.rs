//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tengen::app::cli::{EngineArgs, LearnFlags, LogArgs};
use tengen::app::{
    analyze, bench, config, gtp, learn, manual, match_, net, play, regress, selfplay, train, uci, xboard,
};

/// A Go engine with Monte Carlo tree search, and a chess engine on the same
/// tables.
#[derive(Parser)]
#[command(version, about, after_help = EXAMPLES)]
struct Cli {
    /// Read the configuration from a file, instead of the platform's folder
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    #[command(flatten)]
    log: LogArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plays Go for GoGui, Sabaki, KGS, CGOS, OGS and regression runners (GTP 2)
    #[command(after_help = GTP_EXAMPLES)]
    Gtp(EngineArgs),
    /// Plays chess for UCI clients
    #[command(after_help = "Example: printf 'position startpos\\ngo depth 10\\n' | tengen uci")]
    Uci(LearnFlags),
    /// Plays chess for xboard and its like (protocol version 2)
    #[command(after_help = "Example: xboard -fcp 'tengen xboard'")]
    Xboard(LearnFlags),
    /// Fits parameters from games
    Train(train::TrainArgs),
    /// Evaluates every move of game records
    Analyze(Box<analyze::Options>),
    /// Measures speed
    Bench(bench::BenchArgs),
    /// Lets two engines play each other
    Match(Box<match_::Options>),
    /// Turns games into training positions, packs a network, shows what is in one
    Net(net::NetArgs),
    /// Looks after the learning file
    Learn(learn::LearnArgs),
    /// Plays against you in the terminal, Go or chess
    Play(Box<play::Options>),
    /// Runs regression suites against a GTP engine
    Regress(regress::Options),
    /// Plays games against itself, for training
    Selfplay(selfplay::Options),
    /// Shows the configuration
    Config(config::ConfigArgs),
    /// Prints completions for a shell
    Completions(manual::CompletionsArgs),
    /// Prints the manual, or writes its pages
    Man(manual::ManArgs),
}

const EXAMPLES: &str = "\
Examples:
  tengen play                          a game of Go in the terminal
  tengen gtp --threads 2 --time 5      an engine for a Go client
  tengen match --help                  how to let two engines play

Exit status: 0 for success; 1 where tests or comparisons turned out badly; 2 for wrong options, and for
files and engines that cannot be used. A reader who closes the pipe early is no error.";

const GTP_EXAMPLES: &str = "\
Examples:
  tengen gtp                                 all cores, 2 seconds a move until a clock is set
  tengen gtp --ponder --rules japanese       for a server with Japanese rules
  tengen gtp --threads 1 --playouts 2000     the same game every time
  printf 'boardsize 9\\ngenmove b\\n' | tengen gtp";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{}", told(&error));
            ExitCode::from(2)
        }
    }
}

/// An error with its causes, each told once: some name their causes themselves.
fn told(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Whether whoever read our output has gone away.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_pipe))
}

/// Carries out the command line.
fn run() -> anyhow::Result<ExitCode> {
    let line: Vec<_> = std::env::args_os().collect();
    let matches = config::parse(&Cli::command(), &line).unwrap_or_else(|error| {
        clap::Error::raw(clap::error::ErrorKind::Io, format!("{error}\n")).exit();
    });
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    cli.log.start()?;
    let out = &mut std::io::stdout();
    match cli.command {
        Command::Gtp(args) => gtp::run(args.settings()?)?,
        Command::Uci(flags) => uci::run(&flags)?,
        Command::Analyze(options) => analyze::run(&options, out)?,
        Command::Xboard(flags) => xboard::run(&flags)?,
        Command::Bench(args) => return Ok(status(bench::run(&args, out)?)),
        Command::Train(args) => train::run(&args, out)?,
        Command::Match(options) => drop(match_::run(&options, out)?),
        Command::Play(options) => play::run(&options)?,
        Command::Learn(args) => return Ok(status(learn::run(&args, out)?)),
        Command::Net(args) => net::run(&args, out)?,
        Command::Regress(options) => return Ok(status(regress::run(&options, out)?.is_good())),
        Command::Selfplay(options) => selfplay::run(&options, out)?,
        Command::Config(args) => config::run(&args, &Cli::command(), cli.config, out)?,
        Command::Completions(args) => manual::completions(&args, Cli::command(), out)?,
        Command::Man(args) => manual::man(&args, Cli::command(), out)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The exit status of tests and comparisons.
fn status(is_good: bool) -> ExitCode {
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
