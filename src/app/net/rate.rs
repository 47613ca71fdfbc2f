//! `tengen net rate`: how well a network, as it plays, foretells the moves of
//! games that were held back from training.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;

use super::shard::Held;
use crate::app::{cli, progress};
use crate::net::evaluate::Evaluator;
use crate::net::network::Network;
use crate::net::{self, PLANES};

pub(super) const EXAMPLES: &str = "\
Examples:
  tengen net rate --samples samples                 the network in the program
  tengen net rate my.tengen-net --samples samples --json";

/// Rows that one thread takes at a time.
const CHUNK: usize = 64;

#[derive(Args, Clone, Debug)]
pub(super) struct RateArgs {
    /// The network; without one, that in the program
    #[arg(value_name = "FILE")]
    network: Option<PathBuf>,
    /// A folder that `tengen net samples` wrote
    #[arg(long, value_name = "DIR")]
    samples: PathBuf,
    /// Average over the symmetries of the board, as play does at the root
    #[arg(long)]
    all_ways: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How often the moves that were played were among the likeliest, over some
/// positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Rating {
    positions: usize,
    /// Mean of minus the logarithm of the probability of the move played.
    cross_entropy: f64,
    /// Shares of the positions, 0 to 1.
    top_1: f64,
    top_5: f64,
    top_10: f64,
}

/// [`Rating`] before it is divided by the number of positions.
#[derive(Clone, Copy, Default)]
struct Sums {
    positions: usize,
    cross_entropy: f64,
    within: [usize; 3],
}

impl Sums {
    const TOPS: [usize; 3] = [1, 5, 10];

    /// Adds a position where the move played had probability `chance`, and
    /// `better` moves more.
    fn note(&mut self, chance: f32, better: usize) {
        self.positions += 1;
        self.cross_entropy -= f64::from(chance.max(1e-9)).ln();
        for (count, top) in self.within.iter_mut().zip(Self::TOPS) {
            *count += usize::from(better < top);
        }
    }

    fn add(mut self, other: &Sums) -> Sums {
        self.positions += other.positions;
        self.cross_entropy += other.cross_entropy;
        self.within.iter_mut().zip(other.within).for_each(|(sum, count)| *sum += count);
        self
    }

    fn rating(&self) -> Rating {
        let all = self.positions.max(1) as f64;
        let [top_1, top_5, top_10] = self.within.map(|count| count as f64 / all);
        Rating { positions: self.positions, cross_entropy: self.cross_entropy / all, top_1, top_5, top_10 }
    }
}

/// Rates a network on the positions held back.
pub(super) fn run(args: &RateArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let net = match &args.network {
        Some(path) => cli::read_network(path).map(Arc::new).with_context(|| path.display().to_string())?,
        None => net::embedded().context("this program has no network in it")?,
    };
    let files = held_files(&args.samples)?;
    let bar = progress::bar(None, "{spinner} {pos} positions {elapsed}");
    let mut found: BTreeMap<String, BTreeMap<String, Sums>> = BTreeMap::new();
    for path in &files {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let held = Held::read(&bytes).with_context(|| path.display().to_string())?;
        let by_source = found.entry(held.size.to_string()).or_default();
        for (source, sums) in rate(&net, &held, args.all_ways, &bar) {
            let name = held.sources.get(usize::from(source)).cloned().unwrap_or_default();
            let known = by_source.entry(name).or_default();
            *known = known.add(&sums);
        }
    }
    bar.finish_and_clear();
    let ratings = found.into_iter().map(|(size, by_source)| {
        let all = by_source.values().fold(Sums::default(), |all, sums| all.add(sums));
        let rows = by_source.iter().map(|(name, sums)| (name.clone(), sums.rating()));
        let rows: Vec<(String, Rating)> =
            std::iter::once(("all".to_owned(), all.rating())).chain(rows).collect();
        (size, rows)
    });
    report(&ratings.collect(), args.json, out)
}

/// The files of positions held back.
fn held_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let is_held = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains("-held-") && name.ends_with(".safetensors")
    };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_held).collect();
    files.sort();
    if files.is_empty() {
        bail!("no positions that were held back in {}", folder.display());
    }
    Ok(files)
}

/// Rates the rows of a file, by source.
fn rate(net: &Arc<Network>, held: &Held, all_ways: bool, bar: &ProgressBar) -> BTreeMap<u8, Sums> {
    let points = held.size.points();
    let rows: Vec<usize> = (0..held.plays.len()).filter(|&row| held.plays[row] >= 0).collect();
    let parts: Vec<BTreeMap<u8, Sums>> = rows
        .par_chunks(CHUNK)
        .map_init(
            || (Evaluator::new(net.clone()), vec![0; points * PLANES]),
            |(evaluator, planes), rows| {
                let mut sums: BTreeMap<u8, Sums> = BTreeMap::new();
                for &row in rows {
                    unpack(&held.planes[row * points..][..points], planes);
                    let said = if all_ways {
                        evaluator.evaluate_all_ways(planes, held.size)
                    } else {
                        evaluator.evaluate(planes, held.size)
                    };
                    let played = held.plays[row] as usize;
                    let chance = said.policy.get(played).copied().unwrap_or(said.pass);
                    let others = said.policy.iter().chain([&said.pass]);
                    let better = others.filter(|&&other| other > chance).count();
                    sums.entry(held.source_of[row]).or_default().note(chance, better);
                }
                bar.inc(rows.len() as u64);
                sums
            },
        )
        .collect();
    let mut all: BTreeMap<u8, Sums> = BTreeMap::new();
    for (source, sums) in parts.iter().flatten() {
        let known = all.entry(*source).or_default();
        *known = known.add(sums);
    }
    all
}

/// The planes of each point from its bits.
fn unpack(bits: &[u32], planes: &mut [u8]) {
    for (cell, bits) in planes.chunks_exact_mut(PLANES).zip(bits) {
        for (plane, value) in cell.iter_mut().enumerate() {
            *value = (bits >> plane & 1) as u8;
        }
    }
}

type Ratings = BTreeMap<String, Vec<(String, Rating)>>;

fn report(ratings: &Ratings, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(ratings.values().any(|rows| rows[0].1.positions > 0), "no move was played from any position");
    if json {
        let by_name: BTreeMap<&String, BTreeMap<&String, &Rating>> = ratings
            .iter()
            .map(|(size, rows)| (size, rows.iter().map(|(name, rating)| (name, rating)).collect()))
            .collect();
        writeln!(out, "{}", serde_json::to_string(&by_name)?)?;
        return Ok(());
    }
    for (size, rows) in ratings {
        let [a, b, c, d, e] = ["positions", "cross-entropy", "first", "within 5", "within 10"];
        writeln!(out, "{size:<16}{a:>10}{b:>15}{c:>9}{d:>10}{e:>11}")?;
        for (name, r) in rows {
            let [first, five, ten] =
                [r.top_1, r.top_5, r.top_10].map(|share| format!("{:.1}%", 100.0 * share));
            writeln!(
                out,
                "{name:<16}{:>10}{:>15.3}{first:>9}{five:>10}{ten:>11}",
                r.positions, r.cross_entropy
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_become_shares() {
        let mut sums = Sums::default();
        sums.note(0.5, 0);
        sums.note(0.25, 4);
        let found = sums.add(&sums).rating();
        assert_eq!((found.positions, found.top_1, found.top_5, found.top_10), (4, 0.5, 1.0, 1.0));
        assert!((found.cross_entropy - 1.5 * f64::ln(2.0)).abs() < 1e-6);
    }

    #[test]
    fn bits_become_planes() {
        let mut planes = vec![9; 2 * PLANES];
        unpack(&[1 << 3 | 1 << 31, 0], &mut planes);
        let set: Vec<usize> = (0..planes.len()).filter(|&at| planes[at] == 1).collect();
        assert_eq!(set, [3, 31]);
        assert_eq!(planes.iter().map(|&value| u32::from(value)).sum::<u32>(), 2);
    }
}
