//! `tengen learn`: a look at the learning file, and its care.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::shared::learn::{Store, Summary, default_path};

/// What to do with the learning file.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen learn verify --file games.learn")]
pub struct LearnArgs {
    /// The learning file [default: in the platform's data folder]
    #[arg(long, value_name = "FILE", global = true)]
    file: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    /// Counts records and games, for each game and its terms
    Stats,
    /// Inspects every page and record; exit status 2 if one is damaged
    Verify,
    /// Takes out the least valuable records until N are left at most
    Prune {
        /// Records to keep
        #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        max: u64,
    },
}

/// Carries out one of the actions.
///
/// # Errors
/// There is no file, it cannot be used, or it is damaged.
pub fn run(args: &LearnArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = args.file.clone().or_else(default_path);
    let path =
        path.ok_or_else(|| anyhow::anyhow!("no folder for data is known; name the file with --file"))?;
    let store = Store::new(path, u64::MAX);
    match args.action {
        Action::Stats => table(&store.summaries()?, out)?,
        Action::Verify => {
            let verdict = store.verify()?;
            writeln!(
                out,
                "{} records sound, {} torn, {} orphans",
                verdict.sound, verdict.torn, verdict.orphans
            )?;
            anyhow::ensure!(verdict.is_good(), "{} is damaged", store.path().display());
        }
        Action::Prune { max } => {
            store.summaries()?;
            writeln!(out, "{} records taken out", store.prune(max)?)?;
        }
    }
    Ok(())
}

fn table(summaries: &[Summary], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{:>10} {:>10} {:>10}  kept for", "records", "searched", "games")?;
    for summary in summaries {
        let Summary { schema, records, searched, games } = summary;
        writeln!(out, "{records:>10} {searched:>10} {games:>10.1}  {schema}")?;
    }
    Ok(())
}
