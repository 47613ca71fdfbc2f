//! `tengen bench net`: how long the network takes for a position.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;

use super::sheet::{OutputArgs, Sheet};
use crate::app::cli::NetChoice;
use crate::go::board::Board;
use crate::go::color::Color;
use crate::go::coord::Size;
use crate::go::geometry::{G9, G13, G19, G25, Geometry, Point};
use crate::net::Kernel;
use crate::net::evaluate::Evaluator;
use crate::net::features::{HISTORY, PLANES, extract_with};
use crate::net::network::Network;
use crate::playout::Policy;
use crate::playout::reading::Reader;
use crate::shared::cpu;
use crate::shared::rng::Rng;

/// Positions between two looks at the clock.
const BATCH: u64 = 20;

#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: tengen bench net --size 19 --net my.tengen-net --json")]
pub(super) struct NetArgs {
    /// Side of the board, 2 to 25.
    #[arg(long, default_value_t = 19)]
    size: u8,
    /// How long to measure each kernel.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    #[command(flatten)]
    net: NetChoice,
    #[command(flatten)]
    output: OutputArgs,
}

/// Processor time for a position, in microseconds.
struct Figures {
    /// To turn it into the network's input.
    features: f64,
    /// To evaluate that, by each kernel.
    kernels: Vec<(Kernel, f64)>,
}

/// Measures, and writes the figures to `out`. Gives whether a comparison
/// turned out well.
pub(super) fn run(args: &NetArgs, out: &mut impl io::Write) -> anyhow::Result<bool> {
    let size = Size::square(args.size).context("the size must be from 2 to 25")?;
    let seconds = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let net = args.net.load().context("there is no network to measure; name one with --net")?;
    let figures = match args.size {
        ..=9 => measure::<G9>(&net, size, seconds),
        10..=13 => measure::<G13>(&net, size, seconds),
        14..=19 => measure::<G19>(&net, size, seconds),
        _ => measure::<G25>(&net, size, seconds),
    }?;
    let mut sheet = Sheet::new("net");
    sheet
        .setting("size", args.size)
        .setting("channels", net.channels())
        .setting("blocks", net.blocks())
        .figure("features_us", "features", figures.features, 1, "us");
    for (kernel, time) in figures.kernels {
        sheet.figure(&format!("{kernel}_us"), &format!("network, {kernel}"), time, 1, "us");
    }
    sheet.finish(&args.output, out)
}

/// A position in the middle of a game of playout moves, and its last moves.
fn position<G: Geometry>(size: Size) -> (Board<G>, Color, Vec<Option<Point>>) {
    let empty = Board::<G>::new(size);
    let mut played = Vec::new();
    Policy::Heavy.rollout().play_out(&mut empty.clone(), Color::Black, &mut Rng::new(1, 1), &mut played);
    played.truncate(size.points() / 3);
    let mut board = empty;
    played.iter().for_each(|played| board.play(played.point, played.color));
    let to_move = played.last().map_or(Color::Black, |last| last.color.opponent());
    let last = played.iter().rev().take(HISTORY).map(|played| Some(played.point));
    (board, to_move, last.collect())
}

fn measure<G: Geometry>(net: &Arc<Network>, size: Size, seconds: Duration) -> anyhow::Result<Figures> {
    let (board, color, last) = position::<G>(size);
    let (mut reader, mut planes) = (Reader::new(), vec![0; size.points() * PLANES]);
    let features = timed(seconds, || extract_with(&board, color, &last, &mut reader, &mut planes));
    let mut kernels = Vec::new();
    let mut first = None;
    for kernel in Kernel::available() {
        let mut evaluator = Evaluator::with_kernel(net.clone(), kernel);
        let said = evaluator.evaluate(&planes, size).clone();
        ensure!(first.get_or_insert(said.clone()) == &said, "{kernel} disagrees with the plain kernel");
        let time = timed(seconds, || {
            evaluator.evaluate(&planes, size);
        });
        kernels.push((kernel, time));
    }
    Ok(Figures { features, kernels })
}

/// Microseconds of CPU time that `work` takes, over as many repetitions as fit
/// into `seconds`.
fn timed(seconds: Duration, mut work: impl FnMut()) -> f64 {
    let (start, before) = (Instant::now(), cpu::process_time());
    let mut count = 0;
    loop {
        (0..BATCH).for_each(|_| work());
        count += BATCH;
        if start.elapsed() >= seconds {
            return (cpu::process_time() - before).as_secs_f64() * 1e6 / count as f64;
        }
    }
}
