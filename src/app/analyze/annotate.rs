//! Writing an analysis into the record.

use super::Options;
use super::evaluate::{Analysis, Evaluated, Evaluation};
use crate::formats::sgf::{Collection, Mark, NodeId, Record};
use crate::go::color::Color;
use crate::go::coord::Size;

/// Moves of a better line that are shown.
const LINE_LENGTH: usize = 10;
/// Ownership from which a point is marked, of 100.
const OWNED: i8 = 60;

/// Adds comments, win rates for the graphs of readers that know SBKV, marks on
/// bad moves, and better lines as variations, to the game that begins at `root`
/// on a board of `size`.
pub(super) fn annotate(
    collection: Collection,
    (root, size): (NodeId, Size),
    analysis: &Analysis,
    options: &Options,
) -> Collection {
    let mut record = Record::within(collection, root, root, size);
    for evaluated in &analysis.moves {
        record.go_to(evaluated.node);
        note_move(&mut record, evaluated, options.mistake / 100.0);
        if options.ownership {
            mark_ownership(&mut record, &evaluated.after, size);
        }
        if evaluated.loss() >= options.mistake / 100.0 {
            add_better_line(&mut record, evaluated);
        }
    }
    record.finish()
}

fn note_move(record: &mut Record, evaluated: &Evaluated, mistake: f64) {
    let after = &evaluated.after;
    record.property("SBKV", &format!("{:.2}", after.black_wins * 100.0));
    let mut comment = format!("Tengen: {}", standing(after));
    let loss = evaluated.loss();
    if loss >= mistake {
        comment += &format!("\nThe move lost {:.1}%.", loss * 100.0);
        // BM[2] means: very bad for the player.
        record.property("BM", if loss >= 2.0 * mistake { "2" } else { "1" });
    }
    let better = evaluated.better_line();
    if let Some(best) = better.first() {
        comment += &format!("\nThe search prefers {best}.");
    }
    comment += &expectation(evaluated);
    record.comment(&comment);
}

/// What the network expected instead of the move, or of it.
fn expectation(evaluated: &Evaluated) -> String {
    const SHOWN: usize = 3;
    let expected = &evaluated.before.expected;
    let percent = |p: f32| format!("{:.0}%", p * 100.0);
    let own = expected.iter().find(|(mv, _)| *mv == evaluated.mv.to_string());
    let likely: Vec<String> =
        expected.iter().take(SHOWN).map(|(mv, p)| format!("{mv} {}", percent(*p))).collect();
    match own {
        _ if expected.is_empty() => String::new(),
        Some((_, p)) => format!("\nThe network gave it {}; it expected {}.", percent(*p), likely.join(", ")),
        None => format!("\nThe network gave it under 1%; it expected {}.", likely.join(", ")),
    }
}

/// `Black 54.3%, score B+2.1 (1000 visits)`.
pub(super) fn standing(evaluation: &Evaluation) -> String {
    let (letter, margin) =
        if evaluation.score >= 0.0 { ('B', evaluation.score) } else { ('W', -evaluation.score) };
    format!(
        "Black {:.1}%, score {letter}+{margin:.1} ({} visits)",
        evaluation.black_wins * 100.0,
        evaluation.visits
    )
}

fn mark_ownership(record: &mut Record, evaluation: &Evaluation, size: Size) {
    for (coord, &owner) in size.coords().zip(&evaluation.ownership) {
        if owner >= OWNED {
            record.mark(Mark::Territory(Color::Black), coord);
        } else if owner <= -OWNED {
            record.mark(Mark::Territory(Color::White), coord);
        }
    }
}

/// Adds the better line as a variation beside the move.
fn add_better_line(record: &mut Record, evaluated: &Evaluated) {
    let line = evaluated.better_line();
    let Some(parent) = record.collection().parent(evaluated.node).filter(|_| !line.is_empty()) else {
        return;
    };
    record.go_to(parent);
    let mut color = evaluated.color;
    for (i, &mv) in line.iter().take(LINE_LENGTH).enumerate() {
        record.play(color, mv);
        if i == 0 {
            record.comment(&format!("Tengen: instead of {}. {}", evaluated.mv, standing(&evaluated.before)));
        }
        color = color.opponent();
    }
}
