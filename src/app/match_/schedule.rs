//! Which games are played, by whom, and when they are enough.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use super::clock::Usage;
use super::ledger::{GameLine, Ledger};
use super::statistics::Tally;
use super::table::Table;
use super::{Contest, EngineSpec, Match, MatchError, Outcome, Watcher, chess_game, go_game};
use crate::app::engine_process::EngineError;

/// A game that was played, with its record.
type Played = Result<(GameLine, String), MatchError>;

impl Match {
    /// Plays what is not in `finished`, at most until the sequential test
    /// decides, and keeps it in `ledger`. Gives all games, old ones first.
    pub(super) fn play(
        &self,
        mut finished: Vec<GameLine>,
        ledger: Option<&mut Ledger>,
    ) -> Result<Vec<GameLine>, MatchError> {
        let done: BTreeSet<usize> = finished.iter().map(|line| line.game).collect();
        let waiting: Vec<usize> = (0..self.games).filter(|game| !done.contains(game)).rev().collect();
        let names = [self.specs[0].name.as_str(), &self.specs[1].name];
        let table = Table::new(names, self.games, &finished, self.concurrency.min(waiting.len()));
        let queue = Mutex::new(waiting);
        let result = std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for worker in 0..self.concurrency {
                let (sender, queue, table) = (sender.clone(), &queue, &table);
                scope.spawn(move || self.work(worker, queue, &sender, table));
            }
            drop(sender);
            let kept = self.keep(receiver.into_iter(), &mut finished, ledger, &table, &queue);
            clear(&queue);
            kept
        });
        table.clear();
        result.map(|()| finished)
    }

    /// Plays games from the queue until it is empty.
    fn work(&self, worker: usize, queue: &Mutex<Vec<usize>>, sender: &Sender<Played>, table: &Table) {
        loop {
            let next = queue.lock().map_or(None, |mut waiting| waiting.pop());
            let Some(game) = next else { return };
            let players = self.players(game).map(|spec| spec.name.as_str());
            table.begin(worker, game, players);
            let played = self.play_one(game, &|moves| table.moved(worker, moves));
            table.end(worker);
            let failed = played.is_err();
            if sender.send(played).is_err() || failed {
                return;
            }
        }
    }

    /// Takes in games as they end. Empties the queue when they are enough.
    fn keep(
        &self,
        games: impl Iterator<Item = Played>,
        finished: &mut Vec<GameLine>,
        mut ledger: Option<&mut Ledger>,
        table: &Table,
        queue: &Mutex<Vec<usize>>,
    ) -> Result<(), MatchError> {
        let mut tally = Tally::default();
        finished.iter().for_each(|line| tally.add(line.game, line.first_won()));
        if self.is_decided(&tally) {
            clear(queue);
        }
        let mut failure = Ok(());
        for played in games {
            let (line, record) = match played {
                Ok(played) => played,
                Err(error) => {
                    clear(queue);
                    failure = Err(error);
                    continue;
                }
            };
            if let Some(ledger) = ledger.as_deref_mut()
                && let Err(error) = ledger.add(&line, &record)
            {
                clear(queue);
                failure = Err(error.into());
            }
            tally.add(line.game, line.first_won());
            table.show(&tally, &line, self.sprt.as_ref());
            finished.push(line);
            if self.is_decided(&tally) {
                clear(queue);
            }
        }
        failure
    }

    fn is_decided(&self, tally: &Tally) -> bool {
        self.sprt.is_some_and(|sprt| sprt.decision(tally).is_some())
    }

    /// Who plays a game, the first mover first.
    fn players(&self, game: usize) -> [&EngineSpec; 2] {
        let [first, second] = &self.specs;
        if game % 2 == 1 { [second, first] } else { [first, second] }
    }

    fn play_one(&self, game: usize, watcher: Watcher<'_>) -> Played {
        let swapped = game % 2 == 1;
        let [first, second] = &self.specs;
        let specs = self.players(game);
        let (outcome, opening_plies) = match &self.contest {
            Contest::Go(settings, openings) => {
                let opening = &openings[game / 2 % openings.len()];
                (go_game::play(settings, &self.limits, specs, opening, watcher, game), opening.len())
            }
            Contest::Chess(openings) => {
                let opening = &openings[game / 2 % openings.len()];
                (chess_game::play(&self.limits, specs, opening, watcher), opening.moves.len())
            }
        };
        let outcome =
            outcome.map_err(|error: EngineError| MatchError::Engine(format!("game {game}"), error))?;
        let Outcome { winner, result, reason, moves, usage, record } = outcome;
        let [mover, replier]: [Usage; 2] = usage;
        let line = GameLine {
            game,
            first: first.name.clone(),
            second: second.name.clone(),
            swapped,
            winner: winner.map_or("draw", |player| specs[player].name.as_str()).to_owned(),
            result,
            reason,
            opening_plies,
            moves,
            usage: if swapped { [replier, mover] } else { [mover, replier] },
        };
        Ok((line, record))
    }
}

fn clear(queue: &Mutex<Vec<usize>>) {
    if let Ok(mut waiting) = queue.lock() {
        waiting.clear();
    }
}

/// Score and Elo, each with its interval, in a line.
pub(super) fn describe(tally: &Tally) -> String {
    let (score, [low, high]) = tally.score();
    let (elo, [elo_low, elo_high]) = tally.elo();
    let [wins, draws, losses] = tally.games;
    format!(
        "+{wins} ={draws} -{losses}, {:.1}% [{:.1}, {:.1}], Elo {elo:+.0} [{elo_low:+.0}, {elo_high:+.0}]",
        100.0 * score,
        100.0 * low,
        100.0 * high
    )
}
