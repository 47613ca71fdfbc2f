//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tengen::app::cli::{EngineArgs, LogArgs};
use tengen::app::{analyze, bench, gtp, learn, match_, regress, train, uci, xboard};

/// A Go engine with Monte Carlo tree search, and a chess engine on the same
/// tables.
#[derive(Parser)]
#[command(version, about, after_help = "Example: tengen gtp --threads 2 --time 5")]
struct Cli {
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
    Uci,
    /// Plays chess for xboard and its like (protocol version 2)
    Xboard,
    /// Fits parameters from games
    Train(train::TrainArgs),
    /// Evaluates every move of game records
    Analyze(Box<analyze::Options>),
    /// Measures speed
    Bench(bench::BenchArgs),
    /// Lets two engines play each other
    Match(Box<match_::Options>),
    /// Looks after the learning file
    Learn(learn::LearnArgs),
    /// Runs regression suites against a GTP engine
    Regress(regress::Options),
}

const GTP_EXAMPLES: &str = "\
Examples:
  tengen gtp                                 all cores, 2 seconds a move until a clock is set
  tengen gtp --ponder --rules japanese       for a server with Japanese rules
  tengen gtp --threads 1 --playouts 2000     the same game every time
  printf 'boardsize 9\\ngenmove b\\n' | tengen gtp";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// Carries out the command line. Exit status 1 is for tests that failed, 2
/// for what could not be done at all.
fn run() -> anyhow::Result<ExitCode> {
    let cli = Cli::parse();
    cli.log.start()?;
    let out = &mut std::io::stdout();
    match cli.command {
        Command::Gtp(args) => gtp::run(args.settings()?)?,
        Command::Uci => uci::run()?,
        Command::Analyze(options) => analyze::run(&options, out)?,
        Command::Xboard => xboard::run()?,
        Command::Bench(args) => bench::run(&args, out)?,
        Command::Train(args) => train::run(&args, out)?,
        Command::Match(options) => drop(match_::run(&options, out)?),
        Command::Learn(args) => learn::run(&args, out)?,
        Command::Regress(options) => {
            let is_good = regress::run(&options, out)?.is_good();
            return Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}
