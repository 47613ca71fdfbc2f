//! Results as a page for people, with a picture of each position that went
//! wrong: expected points in green, the answer in red.

use std::fmt::Write;

use super::{Counts, SuiteResult, TestResult, Verdict};
use crate::app::board_svg::{BoardPicture, escape_xml};
use crate::go::coord::{Coord, Size};

const STYLE: &str = "body{font:15px sans-serif;margin:2em;max-width:70em}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}\
td:first-child,th:first-child{text-align:left}\
.test{display:inline-block;vertical-align:top;margin:0 2em 2em 0;max-width:32em}\
code{background:#eee;padding:0 .2em}.known{color:#777}";

/// The whole page.
pub(super) fn render(engine: &str, suites: &[SuiteResult]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Regression tests</title>\
         <style>{STYLE}</style></head><body>\n<h1>Regression tests</h1>\n<p><code>{}</code></p>\n",
        escape_xml(engine)
    );
    page.push_str(&table(suites));
    for suite in suites {
        let failed: Vec<&TestResult> = suite.tests.iter().filter(|t| t.verdict != Verdict::Pass).collect();
        if failed.is_empty() {
            continue;
        }
        push(&mut page, format_args!("<h2>{}</h2>\n", escape_xml(&suite.file.display().to_string())));
        for test in failed {
            page.push_str(&failure(test));
        }
    }
    page.push_str("</body></html>\n");
    page
}

fn table(suites: &[SuiteResult]) -> String {
    let mut table = String::from(
        "<table><tr><th>suite</th><th>tests</th><th>passed</th><th>failed</th><th>errors</th>\
         <th>unexpected passes</th><th>unexpected failures</th></tr>\n",
    );
    let mut row = |name: &str, c: Counts| {
        push(
            &mut table,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escape_xml(name),
                c.tests,
                c.passed,
                c.failed,
                c.errors,
                c.unexpected_passes,
                c.unexpected_failures
            ),
        );
    };
    for suite in suites {
        row(&suite.file.display().to_string(), Counts::of(&suite.tests));
    }
    row("all", Counts::of(suites.iter().flat_map(|suite| &suite.tests)));
    table.push_str("</table>\n");
    table
}

fn failure(test: &TestResult) -> String {
    let class = if test.is_surprise() { "test" } else { "test known" };
    let known = if test.is_known_failure { " (known failure)" } else { "" };
    let mut html = format!(
        "<div class=\"{class}\"><h3>{}{known}</h3><p>line {}: <code>{}</code><br>expected <code>{}</code>, \
         got <code>{}</code></p>\n",
        escape_xml(&test.id),
        test.line,
        escape_xml(&test.command),
        escape_xml(&test.expected),
        escape_xml(&test.answer)
    );
    if let Some(game) = &test.position {
        let mut picture = BoardPicture::of_game(game);
        for coord in points(&test.expected, game.size()) {
            picture.mark(coord, "", "#080");
        }
        for coord in points(&test.answer, game.size()) {
            picture.mark(coord, "✗", "#c00");
        }
        html.push_str(&picture.to_svg());
    }
    html.push_str("</div>\n");
    html
}

/// The points that `text` names between anything else.
fn points(text: &str, size: Size) -> Vec<Coord> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.parse().ok()).filter(|&coord| size.contains(coord)).collect()
}

/// Writing to a string cannot fail.
fn push(page: &mut String, piece: std::fmt::Arguments<'_>) {
    let _ = page.write_fmt(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_in_patterns() {
        let size = Size::square(9).unwrap();
        let names: Vec<String> = points("!(D4|E5)|Z9 x", size).iter().map(Coord::to_string).collect();
        assert_eq!(names, ["D4", "E5"]);
    }
}
