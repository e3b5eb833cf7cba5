//! A library report in words: one line where all is well, the losses where not, and all of it on request.
//!
//! Invariant: a summary names every loss at least by its count and direction; nothing of the input is in it.

use robosieve::{Class, Effect, Finding, Report};
use serde::Serialize;

use crate::text::{Message, counted, counted_len};
use crate::who::Who;

/// Losses that a summary shows in detail.
const SHOWN: usize = 5;

/// A few lines: whether the result is exact, and the first losses if not. The file's name is escaped already.
pub(crate) fn summary(file: &str, who: &Who, report: &Report) -> Message {
    let mut head = format!("{file}: {} ({})", exactness(report), who.words());
    let rest = classes(report);
    if !rest.is_empty() {
        head = format!("{head}; {rest}");
    }
    let mut summary = Message::new(&head);
    if !report.is_exact() {
        let losses: Vec<Finding> = effective_losses(report);
        summary.extend(losses.iter().take(SHOWN).map(ToString::to_string));
        summary.extend(more_losses(report, &losses));
    }
    summary
}

/// How many losses a summary does not show, and how to see them: the report has no more of them than its details.
fn more_losses(report: &Report, detailed: &[Finding]) -> Option<String> {
    let less = |all: u64, count: usize| all.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
    let all: u64 = DIRECTIONS.iter().map(|direction| report.losses(direction.0)).sum();
    let more = less(all, detailed.len().min(SHOWN));
    let flags = if less(all, detailed.len()) > 0 { "--report text --max-findings none" } else { "--report text" };
    (more > 0).then(|| format!("and {more} more; `{flags}` shows them"))
}

/// All counts, and all findings that the report kept in detail.
pub(crate) fn full(file: &str, who: &Who, report: &Report) -> Message {
    let mut message = Message::new(&format!("{file}: {} ({})", exactness(report), who.words()));
    message.extend(report.counts().map(|(kind, count)| format!("{count:>7}  {} [{}]", kind.text(), kind.clause())));
    message.extend(report.details().iter().map(ToString::to_string));
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

/// The most dangerous first.
const DIRECTIONS: [(Effect, &str); 3] = [
    (Effect::MorePermissive, "may permit more"),
    (Effect::Either, "may permit more or less"),
    (Effect::MoreRestrictive, "may permit less"),
];

/// `exact`, or how many losses there are in each direction.
pub(crate) fn exactness(report: &Report) -> String {
    if report.is_exact() {
        return "exact".into();
    }
    let losses: Vec<String> = DIRECTIONS
        .iter()
        .filter(|direction| report.losses(direction.0) > 0)
        .map(|direction| format!("{} that {}", counted(report.losses(direction.0), "loss", "losses"), direction.1))
        .collect();
    format!("not exact: {}", losses.join(", "))
}

/// The most dangerous first, and then by line.
fn effective_losses(report: &Report) -> Vec<Finding> {
    let has_effect = |finding: &&Finding| finding.kind.class() == Class::Loss && finding.effect != Effect::None;
    let mut detailed: Vec<Finding> = report.details().iter().filter(has_effect).copied().collect();
    detailed.sort_by_key(|finding| DIRECTIONS.iter().position(|direction| direction.0 == finding.effect));
    // The details may have been full before the first loss came.
    if detailed.is_empty() { report.first_loss().into_iter().collect() } else { detailed }
}

fn classes(report: &Report) -> String {
    let count_of =
        |class| report.counts().filter(|(kind, _)| kind.class() == class).map(|(_, count)| count).sum::<u64>();
    let directed = DIRECTIONS.iter().map(|direction| report.losses(direction.0)).sum();
    let words = [
        (count_of(Class::Note), "note", "notes"),
        (count_of(Class::Repair), "repair", "repairs"),
        (count_of(Class::Ignored), "line or value left out", "lines or values left out"),
        (
            count_of(Class::Loss).saturating_sub(directed),
            "loss that changes no verdict",
            "losses that change no verdict",
        ),
    ];
    let found: Vec<String> =
        words.iter().filter(|word| word.0 > 0).map(|word| counted(word.0, word.1, word.2)).collect();
    found.join(", ")
}

/// `3 rules`, and the like, for headings.
pub(crate) fn rules(count: usize) -> String {
    counted_len(count, "rule", "rules")
}
