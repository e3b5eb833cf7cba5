//! A report in words: whether the result is exact, and the most important findings.
//!
//! Invariant: the words have the count and direction of all losses and suspects. They never say only "exact" for a file
//! with suspects. They contain nothing of the file.

use robosieve::Report;
use robosieve::report::{Effect, Finding, FindingClass, FindingKind};

use crate::who::Who;

/// The most important parts of a report.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve_explain::ReportSummary;
///
/// let sieved = Sieve::new(["MyBot"]).run(b"User-agent: *\nDisalow: /x\n").unwrap();
/// let summary = ReportSummary::new(sieved.report());
/// assert_eq!((summary.exactness.as_str(), summary.others.as_str()), ("exact", "1 repair"));
/// assert!(summary.findings.is_empty(), "neither a loss nor a suspect");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportSummary {
    /// `exact`, or the losses in each direction; then the suspects, if there are any.
    pub exactness: String,
    /// The number of other findings of each class; empty if there are none.
    pub others: String,
    /// The first losses that have an effect, and then the first suspects; of each at most [`ReportSummary::SHOWN`].
    pub findings: Vec<Finding>,
    /// The number of losses and suspects that are not among [`ReportSummary::findings`].
    pub hidden: u64,
    /// Whether the report has the details of all losses and suspects.
    pub has_details: bool,
}

impl ReportSummary {
    /// The most losses, and the most suspects, that a summary has in detail.
    pub const SHOWN: usize = 5;

    /// Summarises a report.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        let losses = Shown::new(report, FindingClass::Loss, all_losses(report), report.first_loss());
        let suspects = Shown::new(report, FindingClass::Suspect, suspects_of_lines(report), report.first_suspect());
        Self {
            exactness: exactness(report),
            others: classes(report),
            hidden: losses.hidden.saturating_add(suspects.hidden),
            has_details: losses.has_details && suspects.has_details,
            findings: losses.lines.into_iter().chain(suspects.lines).collect(),
        }
    }

    /// The summary in lines, for people: the first has the exactness and whose group applies.
    #[must_use]
    pub fn lines(&self, who: &Who) -> Vec<String> {
        let others = if self.others.is_empty() { String::new() } else { format!("; {}", self.others) };
        let first = format!("{} ({}){others}", self.exactness, who.words());
        let flags = if self.has_details { "" } else { " --max-findings none" };
        let hidden = (self.hidden > 0).then(|| format!("and {} more; `--report text{flags}` shows them", self.hidden));
        [first].into_iter().chain(self.findings.iter().map(ToString::to_string)).chain(hidden).collect()
    }
}

/// A whole report in lines, for people: all counts, and all findings that it kept in detail: losses, suspects, and the
/// others, each by line.
#[must_use]
pub fn report_lines(who: &Who, report: &Report) -> Vec<String> {
    let mut lines = vec![format!("{} ({})", exactness(report), who.words())];
    lines.extend(report.counts().map(|(kind, count)| format!("{count:>7}  {} [{}]", kind.text(), kind.clause())));
    let mut details: Vec<&Finding> = report.details().iter().collect();
    details.sort_by_key(|finding| match finding.kind.class() {
        FindingClass::Loss => 0,
        FindingClass::Suspect => 1,
        FindingClass::Repair | FindingClass::Ignored | FindingClass::Note => 2,
    });
    lines.extend(details.into_iter().map(ToString::to_string));
    let hidden = report.total().saturating_sub(u64::try_from(report.details().len()).unwrap_or(u64::MAX));
    if hidden > 0 {
        lines
            .push(format!("and {}; `--max-findings none` shows all", counted(hidden, "more finding", "more findings")));
    }
    lines
}

/// The findings of a class that a summary shows.
struct Shown {
    /// The most dangerous first, and then by line.
    lines: Vec<Finding>,
    /// How many more there are.
    hidden: u64,
    /// Whether the report has the details of all.
    has_details: bool,
}

impl Shown {
    /// Of `count` findings of a class. The details may have been full before the first of them came.
    fn new(report: &Report, class: FindingClass, count: u64, first: Option<Finding>) -> Self {
        let is_one = |finding: &&Finding| {
            let kind = finding.kind;
            kind.class() == class
                && !is_of_file(kind)
                && (class == FindingClass::Suspect || finding.effect != Effect::None)
        };
        let mut lines: Vec<Finding> = report.details().iter().filter(is_one).copied().collect();
        let has_details = u64::try_from(lines.len()).is_ok_and(|details| details >= count);
        if lines.is_empty() {
            lines.extend(first.filter(|finding| !is_of_file(finding.kind)));
        }
        let rank = |effect| DIRECTIONS.iter().position(|&direction| direction == effect).unwrap_or(DIRECTIONS.len());
        lines.sort_by_key(|finding| rank(finding.effect));
        lines.truncate(ReportSummary::SHOWN);
        let hidden = count.saturating_sub(u64::try_from(lines.len()).unwrap_or(u64::MAX));
        Self { lines, hidden, has_details }
    }
}

/// Whether a suspect is about the whole file: the summary says what that looks like.
const fn is_of_file(kind: FindingKind) -> bool {
    matches!(kind, FindingKind::NotRobotsTxt | FindingKind::Utf16)
}

/// How many losses have an effect.
fn all_losses(report: &Report) -> u64 {
    DIRECTIONS.iter().fold(0, |sum, &direction| sum.saturating_add(report.losses(direction)))
}

/// How many suspects are about lines.
fn suspects_of_lines(report: &Report) -> u64 {
    let of_file = report.count(FindingKind::NotRobotsTxt).saturating_add(report.count(FindingKind::Utf16));
    report.suspects().saturating_sub(of_file)
}

/// The most dangerous first.
const DIRECTIONS: [Effect; 3] = [Effect::MorePermissive, Effect::Either, Effect::MoreRestrictive];

/// `exact`, or the losses in each direction; then the suspects, if there are any.
#[must_use]
pub fn exactness(report: &Report) -> String {
    let losses = losses(report);
    match (suspects(report), losses.is_empty()) {
        (None, true) => "exact".into(),
        (None, false) => format!("not exact: {losses}"),
        (Some(suspects), true) => format!("nothing lost, but {suspects}"),
        (Some(suspects), false) => format!("not exact: {losses}; {suspects}"),
    }
}

/// What the input looks like, if not a robots.txt, and the number of suspect lines.
fn suspects(report: &Report) -> Option<String> {
    let looks = (!report.input().may_be_robots_txt()).then(|| format!("the input looks like {}", report.input()));
    let of_lines = suspects_of_lines(report);
    let permissive = report.suspects_with(Effect::MorePermissive);
    let lines = (of_lines > 0).then(|| match permissive {
        0 => counted(of_lines, "suspect line", "suspect lines"),
        _ => format!("{}: {permissive} may permit more than meant", counted(of_lines, "suspect line", "suspect lines")),
    });
    let words: Vec<String> = looks.into_iter().chain(lines).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// The number of losses in each direction, with their effect; empty if there are none.
fn losses(report: &Report) -> String {
    let in_direction = |effect| Some(report.losses(effect)).filter(|&count| count > 0);
    let widened = [FindingKind::Widened, FindingKind::AllowOutranked, FindingKind::AllDisallowed];
    let has_widened = widened.iter().any(|&kind| report.count(kind) > 0);
    let (allow, allows) = if has_widened {
        ("rule dropped or widened", "rules dropped or widened")
    } else {
        ("Allow rule dropped", "Allow rules dropped")
    };
    let permissive = in_direction(Effect::MorePermissive).map(|count| {
        format!("{}: result is more permissive", counted(count, "Disallow rule dropped", "Disallow rules dropped"))
    });
    let either = in_direction(Effect::Either)
        .map(|count| format!("{}: result may permit more or less", counted(count, "other loss", "other losses")));
    let restrictive = in_direction(Effect::MoreRestrictive)
        .map(|count| format!("{}: result is more restrictive", counted(count, allow, allows)));
    [permissive, either, restrictive].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The number of findings of the other classes.
fn classes(report: &Report) -> String {
    let count_of =
        |class| report.counts().filter(|(kind, _)| kind.class() == class).map(|(_, count)| count).sum::<u64>();
    let directed = all_losses(report);
    let words = [
        (count_of(FindingClass::Note), "note", "notes"),
        (count_of(FindingClass::Repair), "repair", "repairs"),
        (count_of(FindingClass::Ignored), "line or value left out", "lines or values left out"),
        (
            count_of(FindingClass::Loss).saturating_sub(directed),
            "loss that changes no verdict",
            "losses that change no verdict",
        ),
    ];
    let found: Vec<String> =
        words.iter().filter(|word| word.0 > 0).map(|word| counted(word.0, word.1, word.2)).collect();
    found.join(", ")
}

/// `1 record`, `2 records`.
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The same for a length.
pub(crate) fn counted_len(count: usize, one: &str, many: &str) -> String {
    counted(u64::try_from(count).unwrap_or(u64::MAX), one, many)
}
