//! The summary of a run, for people.

use std::collections::BTreeMap;

use robosieve::report::FindingClass;
use robosieve_batch::Summary;
use robosieve_printable::harmless_short;

use crate::text::{Message, counted};

/// The bytes of a URL that are shown at most.
const SHOWN: usize = 160;

/// The message. `what` was looked for.
pub(super) fn of(summary: &Summary, what: &str) -> Message {
    let mut message = Message::new(&format!(
        "{} in {:.1} s: {} in, {} of text out",
        counted(summary.records, "record", "records"),
        summary.seconds,
        bytes(summary.bytes_in),
        bytes(summary.bytes_out)
    ));
    if summary.records == 0 {
        message.add(&format!("no input has {what}: they are empty, or --input names another form than theirs"));
    }
    let outcomes: Vec<String> =
        summary.outcomes.iter().map(|(outcome, count)| format!("{count} {}", outcome.as_str())).collect();
    message.extend((!outcomes.is_empty()).then(|| format!("outcomes: {}", outcomes.join(", "))));
    let mut list = |name: &str, counts: &BTreeMap<String, u64>| {
        let words: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        message.extend((!words.is_empty()).then(|| format!("{name}: {}", words.join(", "))));
    };
    list("failures", &summary.failures);
    list("skipped", &summary.skipped);
    list("look like something else", &summary.inputs);
    list("incomplete", &summary.truncated);
    list("suspects", &summary.of_class(FindingClass::Suspect));
    list("repairs", &summary.of_class(FindingClass::Repair));
    list("left out", &summary.of_class(FindingClass::Ignored));
    list("losses", &summary.of_class(FindingClass::Loss));
    if summary.inexact > 0 {
        let losses = &summary.losses;
        message.add(&format!(
            "not exact: {} ({} permit more, {} permit less, {} either)",
            counted(summary.inexact, "text", "texts"),
            losses.more_permissive,
            losses.more_restrictive,
            losses.either
        ));
    }
    message.extend(summary.slowest.first().map(|slow| {
        let url = slow.url.as_deref().map(|url| format!(" ({})", harmless_short(url, SHOWN))).unwrap_or_default();
        format!("slowest: {:.1} ms, {}{url}", slow.seconds * 1000.0, slow.name)
    }));
    message
}

/// A number of bytes with a unit.
#[allow(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
fn bytes(count: u64) -> String {
    match count {
        0..=9_999 => format!("{count} bytes"),
        10_000..=9_999_999 => format!("{:.1} kB", count as f64 / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
