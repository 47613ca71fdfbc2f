//! Results as JUnit XML, which continuous integration servers read. Known
//! failures that fail are skipped tests there.

use std::fmt::Write;

use super::{Counts, SuiteResult, TestResult, Verdict};
use crate::app::board_svg::escape_xml;

/// The whole document.
pub(super) fn render(suites: &[SuiteResult]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for suite in suites {
        let counts = Counts::of(&suite.tests);
        let name = escape_xml(&suite.file.display().to_string());
        let known = counts.failed - counts.unexpected_failures;
        let time: f64 = suite.tests.iter().map(|test| test.time.as_secs_f64()).sum();
        // Writing to a string cannot fail.
        let _ = writeln!(
            xml,
            "<testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{known}\" time=\"{time:.3}\">",
            counts.tests, counts.unexpected_failures, counts.errors
        );
        for test in &suite.tests {
            xml.push_str(&render_test(&name, test));
        }
        xml.push_str("</testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn render_test(suite: &str, test: &TestResult) -> String {
    let name = escape_xml(&format!("{} {}", test.id, test.command));
    let head =
        format!("<testcase classname=\"{suite}\" name=\"{name}\" time=\"{:.3}\"", test.time.as_secs_f64());
    let message =
        escape_xml(&format!("line {}: expected [{}], got {}", test.line, test.expected, test.answer));
    match (test.verdict, test.is_known_failure) {
        (Verdict::Pass, _) => format!("{head}/>\n"),
        (Verdict::Fail, true) => {
            format!("{head}><skipped message=\"known failure: {message}\"/></testcase>\n")
        }
        (Verdict::Fail, false) => format!("{head}><failure message=\"{message}\"/></testcase>\n"),
        (Verdict::Error, _) => format!("{head}><error message=\"{message}\"/></testcase>\n"),
    }
}
