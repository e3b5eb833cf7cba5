//! Why a caller refuses a file.
//!
//! Invariant: the first of the caller's classes that has findings is the reason. The message contains nothing of the
//! file.

use robosieve::Report;
use robosieve::report::FindingClass;

/// Why a file is refused that must have no findings of these classes; `None` if it has none. Losses without an effect
/// do not count. `is_whole` says whether the file is complete: the missing part of any other is a loss.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve::report::FindingClass;
/// use robosieve_explain::refusal;
///
/// let sieved = Sieve::new(["MyBot"]).run(b"<!DOCTYPE html>").unwrap();
/// let why = refusal(sieved.report(), true, &[FindingClass::Suspect]).unwrap();
/// assert!(why.starts_with("refused (fail-on suspect): the input looks like an HTML page"));
/// assert_eq!(refusal(sieved.report(), true, &[FindingClass::Loss, FindingClass::Repair]), None);
/// ```
#[must_use]
pub fn refusal(report: &Report, is_whole: bool, classes: &[FindingClass]) -> Option<String> {
    classes.iter().find_map(|&class| {
        let is_one = |kind: robosieve::report::FindingKind| kind.class() == class;
        let count: u64 = report.counts().filter(|(kind, _)| is_one(*kind)).map(|(_, count)| count).sum();
        let listed = || report.details().iter().copied().find(|finding| is_one(finding.kind));
        let first = match class {
            FindingClass::Loss if !is_whole => return Some("refused (fail-on loss): the file is not whole".into()),
            FindingClass::Loss if report.is_exact() => return None,
            FindingClass::Loss => report.first_loss(),
            // One without an effect is a reason, too.
            FindingClass::Suspect => report.first_suspect().or_else(listed),
            _ => listed(),
        };
        let why = match (report.input(), count) {
            (_, 0) => return None,
            (kind, _) if class == FindingClass::Suspect && !kind.may_be_robots_txt() => {
                format!("the input looks like {kind}")
            }
            (_, 1) => format!("1 {}", words(class).0),
            (_, count) => format!("{count} {}", words(class).1),
        };
        let first = first.map(|finding| format!("; {finding}")).unwrap_or_default();
        Some(format!("refused (fail-on {class}): {why}{first}"))
    })
}

/// One finding of a class, and several.
const fn words(class: FindingClass) -> (&'static str, &'static str) {
    match class {
        FindingClass::Loss => ("loss", "losses"),
        FindingClass::Suspect => ("suspect", "suspects"),
        FindingClass::Repair => ("repair", "repairs"),
        FindingClass::Ignored | FindingClass::Note => ("finding", "findings"),
    }
}
