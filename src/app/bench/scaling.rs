//! `tengen bench scaling`: what more threads bring.

use std::io;

use clap::{Args, ValueEnum};

use super::playouts::{self, PlayoutsArgs};
use super::search::{self, SearchArgs};
use super::sheet::{OutputArgs, Sheet};
use crate::playout::Policy;

/// What is done by more and more threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Work {
    /// Games of their own.
    Playouts,
    /// Searches of one tree.
    Search,
}

/// Plays and searches with 1 to N threads.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  tengen bench scaling\n  \
    tengen bench scaling --threads 8 --size 19 --work search --seconds 5 --json\n\n\
    Speed-ups are by wall time: other programs on the machine take from them.")]
pub(super) struct ScalingArgs {
    /// The most threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Side of the board
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=25))]
    size: u8,
    /// Seconds for each number of threads
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// What to do; both without it
    #[arg(long, value_enum)]
    work: Option<Work>,
    /// How the moves of playouts are chosen: light or heavy
    #[arg(long, default_value_t = Policy::Heavy)]
    policy: Policy,
    #[command(flatten)]
    output: OutputArgs,
}

/// Measures, and writes the figures to `out`. Gives whether a comparison
/// turned out well.
pub(super) fn run(args: &ScalingArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let most = args.threads.map_or(cores, usize::from);
    let mut sheet = Sheet::new("scaling");
    sheet
        .setting("size", args.size)
        .setting("seconds", args.seconds)
        .setting("policy", args.policy.to_string())
        .setting("cores", cores);
    for (work, name) in [(Work::Playouts, "playouts"), (Work::Search, "search")] {
        if args.work.is_some_and(|wanted| wanted != work) {
            continue;
        }
        let mut alone = None;
        for threads in 1..=most {
            let [by_cpu, by_wall] = rates(args, work, threads)?;
            let speedup = by_wall / alone.get_or_insert(by_wall).max(1e-9);
            let noun = if threads == 1 { "thread" } else { "threads" };
            let label = |what: &str| format!("{name}, {threads} {noun}, {what}");
            let key = |what: &str| format!("{name}_{threads}_{what}");
            sheet
                .rate(&key("per_second"), &label("wall"), by_wall)
                .rate(&key("per_cpu_second"), &label("CPU"), by_cpu)
                .figure(&key("speedup"), &label("speed-up"), speedup, 2, "times");
        }
    }
    sheet.finish(&args.output, out)
}

/// Playouts or simulations for a second of processor and wall time.
fn rates(args: &ScalingArgs, work: Work, threads: usize) -> anyhow::Result<[f64; 2]> {
    match work {
        Work::Playouts => {
            let own = PlayoutsArgs::of(args.size, threads, args.seconds, args.policy);
            Ok(playouts::measure(&own)?.rates())
        }
        Work::Search => {
            let own = SearchArgs::of(args.size, threads, args.seconds, args.policy);
            Ok(search::measure(&own)?.rates())
        }
    }
}
