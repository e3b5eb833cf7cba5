//! The library's report, as messages and JSON.
//!
//! Invariant: what a message says comes from [`ReportSummary`], or it is the whole report. It contains nothing of the
//! input.

use robosieve::report::{FindingClass, Report};
pub(crate) use robosieve_explain::exactness;
use robosieve_explain::{ReportSummary, refusal, report_lines};
use serde::Serialize;

use crate::ndjson::Problem;
use crate::text::{Message, counted_len};
use crate::who::Who;
use crate::{exit, output};

/// A few lines: whether the result is exact, then the first losses and suspects, if there are any. The file's name is
/// escaped already.
pub(crate) fn summary(file: &str, who: &Who, report: &Report) -> Message {
    message(file, ReportSummary::new(report).lines(who))
}

/// All counts, and all findings that the report kept in detail.
pub(crate) fn full(file: &str, who: &Who, report: &Report) -> Message {
    message(file, report_lines(who, report))
}

fn message(file: &str, lines: Vec<String>) -> Message {
    let mut lines = lines.into_iter();
    let mut message = Message::new(&format!("{file}: {}", lines.next().unwrap_or_default()));
    message.extend(lines);
    message
}

/// The report for machines, as a line of JSON.
pub(crate) fn json(file: &str, who: &Who, report: &Report) -> String {
    #[derive(Serialize)]
    struct Found<'r> {
        #[serde(flatten)]
        who: &'r Who,
        #[serde(flatten)]
        report: &'r Report,
    }
    let mut line = Vec::new();
    // Writing to memory does not fail.
    let _ = output::write_json_of_file(&mut line, file, &Found { who, report });
    String::from_utf8(line).unwrap_or_default().trim_end().to_owned()
}

/// Refuses the file of a request if --fail-on says so.
pub(crate) fn expect(report: &Report, fail_on: &[FindingClass]) -> Result<(), Problem> {
    refusal(report, true, fail_on).map_or(Ok(()), |why| Err(Problem::refused(why)))
}

/// Warns about losses to a limit, with their consequence, and about suspects, with what to do.
pub(crate) fn tell_doubts(file: &str, report: &Report, consequence: &str, advice: &str) {
    let exactness = exactness(report);
    if !report.is_exact() {
        exit::tell(&format!("{file}: {exactness}, so {consequence}"));
    } else if report.has_suspects() {
        exit::tell(&format!("{file}: {exactness}; the file is read as robots.txt anyway{advice}"));
    }
}

/// `3 rules`, and the like, for headings.
pub(crate) fn rules(count: usize) -> String {
    counted_len(count, "rule", "rules")
}
