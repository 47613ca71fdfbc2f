//! The live table of a match on standard error: the games that are being
//! played, the results, and how far the match is. Where standard error is no
//! terminal, a line for each finished game.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ledger::GameLine;
use super::schedule::describe;
use super::statistics::{Sprt, Tally};

/// Columns of a name.
const NAME: usize = 20;

/// How often running times are drawn anew.
const TICK: Duration = Duration::from_secs(1);

pub(super) struct Table {
    bars: MultiProgress,
    /// Names of the columns.
    head: ProgressBar,
    /// The running game of each worker.
    games: Vec<ProgressBar>,
    results: ProgressBar,
    score: ProgressBar,
    progress: ProgressBar,
    is_live: bool,
}

impl Table {
    pub(super) fn new(names: [&str; 2], games: usize, finished: &[GameLine], workers: usize) -> Self {
        let is_live = std::io::stderr().is_terminal();
        let target = if is_live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bars = MultiProgress::with_draw_target(target);
        let line = |template: &str| {
            let bar = bars.add(ProgressBar::new(games as u64));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        };
        let head = line("{msg}");
        head.set_message(format!(
            "{:>6}  {:<NAME$}  {:<NAME$}  {:>5}",
            "game", "moves first", "second", "moves"
        ));
        let running: Vec<ProgressBar> = (0..workers).map(|_| line("{msg} {elapsed:>8}")).collect();
        let results = line("{msg}");
        let score = line("{msg}");
        let progress = line("{bar:40} {pos}/{len} games, {elapsed} gone, {eta} to go");
        progress.set_position(finished.len() as u64);
        progress.reset_eta();
        if is_live {
            [&head, &progress].into_iter().chain(&running).for_each(|bar| bar.enable_steady_tick(TICK));
        }
        let table = Table { bars, head, games: running, results, score, progress, is_live };
        let mut tally = Tally::default();
        finished.iter().for_each(|line| tally.add(line.game, line.first_won()));
        table.summarize(names, &tally, None);
        table
    }

    /// A worker begins a game between `players`, the first mover first.
    pub(super) fn begin(&self, worker: usize, game: usize, players: [&str; 2]) {
        let Some(bar) = self.games.get(worker) else { return };
        let [first, second] = players;
        bar.reset_elapsed();
        bar.set_prefix(format!("{game:>6}  {first:<NAME$.NAME$}  {second:<NAME$.NAME$}"));
        self.moved(worker, 0);
    }

    /// A worker's game has so many moves.
    pub(super) fn moved(&self, worker: usize, moves: usize) {
        if let Some(bar) = self.games.get(worker) {
            bar.set_message(format!("{}  {moves:>5}", bar.prefix()));
        }
    }

    /// A worker's game is over.
    pub(super) fn end(&self, worker: usize) {
        if let Some(bar) = self.games.get(worker) {
            bar.set_message("");
        }
    }

    /// Tells the result of a game, and what all of them come to.
    pub(super) fn show(&self, tally: &Tally, line: &GameLine, sprt: Option<&Sprt>) {
        let names = [line.first.as_str(), &line.second];
        let [black, white] = if line.swapped { [names[1], names[0]] } else { names };
        let told = format!(
            "game {}: {black} - {white} {} ({}), {} moves",
            line.game,
            line.result,
            line.reason,
            line.moves.len()
        );
        if self.is_live {
            // A terminal that is gone is nothing to stop a match for.
            let _ = self.bars.println(told);
        } else {
            let _ = writeln!(std::io::stderr(), "{told}; {}", describe(tally));
        }
        self.summarize(names, tally, sprt);
        self.progress.inc(1);
    }

    fn summarize(&self, [first, second]: [&str; 2], tally: &Tally, sprt: Option<&Sprt>) {
        self.results.set_message(format!("{first} against {second}: {}", describe(tally)));
        let test = sprt.map_or(String::new(), |sprt| {
            let [low, high] = sprt.bounds();
            format!("LLR {:.2} [{low:.2}, {high:.2}], ", sprt.ratio(tally))
        });
        self.score.set_message(format!("{test}pairs {:?}", tally.pairs));
    }

    /// Takes the table away.
    pub(super) fn clear(&self) {
        let lines = [&self.head, &self.results, &self.score, &self.progress];
        lines.into_iter().chain(&self.games).for_each(ProgressBar::finish_and_clear);
        // Only drawing can fail.
        let _ = self.bars.clear();
    }
}
