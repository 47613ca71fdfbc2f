//! The command line.

use clap::{Parser, Subcommand};
use tengen::app::cli::{EngineArgs, LogArgs};
use tengen::app::{bench, gtp, uci};

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
    /// Measures speed
    Bench(bench::BenchArgs),
}

const GTP_EXAMPLES: &str = "\
Examples:
  tengen gtp                                 all cores, 2 seconds a move until a clock is set
  tengen gtp --ponder --rules japanese       for a server with Japanese rules
  tengen gtp --threads 1 --playouts 2000     the same game every time
  printf 'boardsize 9\\ngenmove b\\n' | tengen gtp";

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    cli.log.start()?;
    match cli.command {
        Command::Gtp(args) => gtp::run(args.settings()?),
        Command::Uci => uci::run(),
        Command::Bench(args) => bench::run(&args, &mut std::io::stdout().lock()),
    }
}
