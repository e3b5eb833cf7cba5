//! The library's report, as messages and JSON.
//!
//! Invariant: what a message says comes from [`ReportSummary`], or it is the whole report. It contains nothing of the
//! input.

use robosieve::Report;
use robosieve::report::{Finding, FindingClass};
pub(crate) use robosieve_explain::exactness;
use robosieve_explain::{ReportSummary, refusal};
use serde::Serialize;

use crate::exit;
use crate::ndjson::Problem;
use crate::text::{Message, counted, counted_len};
use crate::who::Who;

/// A few lines: whether the result is exact, then the first losses and suspects, if there are any. The file's name is
/// escaped already.
pub(crate) fn summary(file: &str, who: &Who, report: &Report) -> Message {
    let summary = ReportSummary::new(report);
    let others = if summary.others.is_empty() { String::new() } else { format!("; {}", summary.others) };
    let mut message = Message::new(&format!("{file}: {} ({}){others}", summary.exactness, who.words()));
    message.extend(summary.findings.iter().map(ToString::to_string));
    let (hidden, flags) = (summary.hidden, if summary.has_details { "" } else { " --max-findings none" });
    message.extend((hidden > 0).then(|| format!("and {hidden} more; `--report text{flags}` shows them")));
    message
}

/// All counts, and all findings that the report kept in detail: losses, suspects, and the others, each by line.
pub(crate) fn full(file: &str, who: &Who, report: &Report) -> Message {
    let mut message = Message::new(&format!("{file}: {} ({})", exactness(report), who.words()));
    message.extend(report.counts().map(|(kind, count)| format!("{count:>7}  {} [{}]", kind.text(), kind.clause())));
    let mut details: Vec<&Finding> = report.details().iter().collect();
    details.sort_by_key(|finding| match finding.kind.class() {
        FindingClass::Loss => 0,
        FindingClass::Suspect => 1,
        FindingClass::Repair | FindingClass::Ignored | FindingClass::Note => 2,
    });
    message.extend(details.into_iter().map(ToString::to_string));
    let hidden = report.total().saturating_sub(u64::try_from(report.details().len()).unwrap_or(u64::MAX));
    if hidden > 0 {
        message
            .add(&format!("and {}; `--max-findings none` shows all", counted(hidden, "more finding", "more findings")));
    }
    message
}

/// The report for machines.
#[derive(Serialize)]
pub(crate) struct ReportLine<'r> {
    v: u8,
    file: &'r str,
    #[serde(flatten)]
    who: &'r Who,
    #[serde(flatten)]
    report: &'r Report,
}

impl<'r> ReportLine<'r> {
    pub(crate) const fn new(file: &'r str, who: &'r Who, report: &'r Report) -> Self {
        Self { v: 1, file, who, report }
    }
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
