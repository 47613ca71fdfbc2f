//! Files of labels: for each position the number of its game and of the moves
//! before it, and what `training/data.py` calls a teacher's labels. Values are
//! Black's.

use std::fs;
use std::path::Path;

use anyhow::Context;
use safetensors::{Dtype, serialize_to_file, tensor::TensorView};

use super::game::{Label, Played};

/// A position before a move, and the game that it is of.
struct Row<'a> {
    number: usize,
    ply: usize,
    game: &'a Played,
    label: &'a Label,
}

impl<'a> Row<'a> {
    fn all(number: usize, game: &'a Played) -> impl Iterator<Item = Row<'a>> {
        game.labels.iter().enumerate().map(move |(ply, label)| Row { number, ply, game, label })
    }
}

/// Writes the labels of games, of which the first has number `first`.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, first: usize, games: &[Played]) -> anyhow::Result<()> {
    let rows: Vec<Row<'_>> = (first..).zip(games).flat_map(|(number, game)| Row::all(number, game)).collect();
    let count = rows.len();
    let points = games.first().map_or(0, |game| game.line.size.points());
    let bytes = |part: fn(&Row<'_>) -> Vec<u8>| -> Vec<u8> { rows.iter().flat_map(part).collect() };
    let columns = [
        ("game", Dtype::I32, vec![count], bytes(|row| (row.number as i32).to_le_bytes().into())),
        ("ply", Dtype::I16, vec![count], bytes(|row| (row.ply as i16).to_le_bytes().into())),
        ("komi", Dtype::F32, vec![count], bytes(|row| (row.game.komi as f32).to_le_bytes().into())),
        ("policy", Dtype::U8, vec![count, points + 1], bytes(|row| roots(&row.label.policy))),
        ("ownership", Dtype::I8, vec![count, points], bytes(|row| hundredths(&row.game.ownership))),
        ("lead", Dtype::I16, vec![count], bytes(|row| tenths(mean(row.label.score, row.game.score)))),
        ("win", Dtype::U16, vec![count], bytes(|row| share(mean(row.label.win_rate, row.game.won())))),
    ];
    let mut views = Vec::with_capacity(columns.len());
    for (name, dtype, shape, bytes) in &columns {
        views.push((*name, TensorView::new(*dtype, shape.clone(), bytes)?));
    }
    let fresh = path.with_extension("new");
    serialize_to_file(views, None, &fresh)?;
    fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

/// What was thought and what came of it, half each: the one is biased, the
/// other noisy.
fn mean(thought: f64, became: f64) -> f64 {
    0.5 * (thought + became)
}

/// 255 times the root of each probability.
fn roots(policy: &[f32]) -> Vec<u8> {
    policy.iter().map(|part| (part.sqrt() * 255.0).round() as u8).collect()
}

fn hundredths(ownership: &[f32]) -> Vec<u8> {
    ownership.iter().flat_map(|owner| ((owner * 100.0).round() as i8).to_le_bytes()).collect()
}

fn tenths(points: f64) -> Vec<u8> {
    ((points * 10.0).round() as i16).to_le_bytes().into()
}

fn share(rate: f64) -> Vec<u8> {
    ((rate.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes().into()
}
