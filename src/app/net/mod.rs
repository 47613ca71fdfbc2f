//! `tengen net`: the files of networks, and what they are trained on.

mod pack;
mod rate;
mod samples;
mod shard;
mod show;

use std::io::Write;

use clap::{Args, Subcommand};

/// What to do with networks.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    tengen net samples --games games.txt --out shards\n  \
    tengen net pack training/master.safetensors -o my.tengen-net\n  \
    tengen net show my.tengen-net\n  \
    tengen net rate my.tengen-net --samples shards")]
pub struct NetArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Clone, Debug)]
enum What {
    /// Turns game records into positions to train on
    #[command(after_help = samples::EXAMPLES)]
    Samples(samples::SamplesArgs),
    /// Turns a trained network into the small file that play uses
    Pack(pack::PackArgs),
    /// Shows how a network was made, and its layers
    Show(show::ShowArgs),
    /// Tells how well a network foretells the moves of games held back
    #[command(after_help = rate::EXAMPLES)]
    Rate(rate::RateArgs),
}

/// Does it, and writes the report to `out`.
///
/// # Errors
/// A file cannot be read or written, or holds no network.
pub fn run(args: &NetArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.what {
        What::Samples(args) => samples::run(args, out),
        What::Pack(args) => pack::run(args, out),
        What::Show(args) => show::run(args, out),
        What::Rate(args) => rate::run(args, out),
    }
}
