//! A report in words: whether the result is exact, the most important findings, and why a caller refuses a file.
//!
//! Invariant: the words have the count and direction of all losses and suspects. They never say only "exact" for a file
//! with suspects. They contain nothing of the file. The first of the caller's classes that has findings is the
//! reason of a refusal. A file that was not read has no loss and no kind.

use robosieve::report::{Effect, Finding, FindingClass, FindingKind, InputKind, Report};

use crate::counted::counted;
use crate::who::Who;

/// The most important parts of a report in lines, for people: the exactness, whose group applies, and the number of
/// other findings of each class; then the first losses that have an effect, and the first suspects, of each at most
/// five.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve_explain::{Who, summary_lines};
///
/// let sieved = Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisalow: /x\n").unwrap();
/// assert_eq!(summary_lines(&Who::all(), sieved.report()), ["exact (all groups); 1 repair"]);
/// ```
#[must_use]
pub fn summary_lines(who: &Who, report: &Report) -> Vec<String> {
    let losses = shown(report, FindingClass::Loss, all_losses(report), report.first_loss());
    let suspects = shown(report, FindingClass::Suspect, suspects_of_lines(report), report.first_suspect());
    let others = classes(report);
    let others = if others.is_empty() { String::new() } else { format!("; {others}") };
    let first = format!("{} ({}){others}", exactness(report), who.words());
    let flags = if losses.has_details && suspects.has_details { "" } else { " --max-findings none" };
    let hidden = losses.hidden.saturating_add(suspects.hidden);
    let hidden = (hidden > 0).then(|| format!("and {hidden} more; `--report text{flags}` shows them"));
    let lines = losses.lines.iter().chain(&suspects.lines).map(ToString::to_string);
    [first].into_iter().chain(lines).chain(hidden).collect()
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

/// Of `count` findings of a class. The details may have been full before the first of them came.
fn shown(report: &Report, class: FindingClass, count: u64, first: Option<Finding>) -> Shown {
    /// The most findings of a class that a summary has in detail.
    const MOST: usize = 5;
    let is_one = |finding: &&Finding| {
        let kind = finding.kind;
        kind.class() == class && !is_of_file(kind) && (class == FindingClass::Suspect || finding.effect != Effect::None)
    };
    let mut lines: Vec<Finding> = report.details().iter().filter(is_one).copied().collect();
    let has_details = u64::try_from(lines.len()).is_ok_and(|details| details >= count);
    if lines.is_empty() {
        lines.extend(first.filter(|finding| !is_of_file(finding.kind)));
    }
    lines.sort_by_key(|finding| {
        DIRECTIONS.iter().position(|&direction| direction == finding.effect).unwrap_or(usize::MAX)
    });
    lines.truncate(MOST);
    let hidden = count.saturating_sub(u64::try_from(lines.len()).unwrap_or(u64::MAX));
    Shown { lines, hidden, has_details }
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
    let widened = [FindingKind::Widened, FindingKind::AllowOutranked, FindingKind::AllDisallowed];
    let has_widened = widened.iter().any(|&kind| report.count(kind) > 0);
    let (allow, allows) = if has_widened {
        ("rule dropped or widened", "rules dropped or widened")
    } else {
        ("Allow rule dropped", "Allow rules dropped")
    };
    let words = [
        (Effect::MorePermissive, "Disallow rule dropped", "Disallow rules dropped", "is more permissive"),
        (Effect::Either, "other loss", "other losses", "may permit more or less"),
        (Effect::MoreRestrictive, allow, allows, "is more restrictive"),
    ];
    let found = words.into_iter().filter(|(effect, ..)| report.losses(*effect) > 0);
    let found =
        found.map(|(effect, one, many, is)| format!("{}: result {is}", counted(report.losses(effect), one, many)));
    found.collect::<Vec<_>>().join("; ")
}

/// The number of findings of a class.
fn count_of(report: &Report, class: FindingClass) -> u64 {
    report.counts().filter(|(kind, _)| kind.class() == class).map(|(_, count)| count).sum()
}

/// The number of findings of the other classes, in words.
fn classes(report: &Report) -> String {
    let undirected = count_of(report, FindingClass::Loss).saturating_sub(all_losses(report));
    let words = [
        (count_of(report, FindingClass::Note), "note", "notes"),
        (count_of(report, FindingClass::Repair), "repair", "repairs"),
        (count_of(report, FindingClass::Ignored), "line or value left out", "lines or values left out"),
        (undirected, "loss that changes no verdict", "losses that change no verdict"),
    ];
    let found: Vec<String> =
        words.iter().filter(|word| word.0 > 0).map(|word| counted(word.0, word.1, word.2)).collect();
    found.join(", ")
}

/// Why a file is refused that must have no findings of these classes; `None` if it has none. Losses without an effect
/// do not count. `is_whole` says whether the file is complete: the missing part of any other is a loss.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve::report::FindingClass;
/// use robosieve_explain::refusal;
///
/// let sieved = Sieve::new(["MyBot"]).filter(b"<!DOCTYPE html>").unwrap();
/// let why = refusal(sieved.report(), true, &[FindingClass::Suspect]).unwrap();
/// assert!(why.starts_with("refused (fail-on suspect): the input looks like an HTML page"));
/// assert_eq!(refusal(sieved.report(), true, &[FindingClass::Loss, FindingClass::Repair]), None);
/// ```
#[must_use]
pub fn refusal(report: &Report, is_whole: bool, classes: &[FindingClass]) -> Option<String> {
    classes.iter().find_map(|&class| {
        let listed = || report.details().iter().copied().find(|finding| finding.kind.class() == class);
        let first = match class {
            FindingClass::Loss if !is_whole => return Some("refused (fail-on loss): the file is not whole".into()),
            FindingClass::Loss if report.is_exact() => return None,
            FindingClass::Loss => report.first_loss(),
            // One without an effect is a reason, too.
            FindingClass::Suspect => report.first_suspect().or_else(listed),
            _ => listed(),
        };
        let why = match (report.input(), count_of(report, class)) {
            (_, 0) => return None,
            (kind, _) if class == FindingClass::Suspect && !kind.may_be_robots_txt() => {
                format!("the input looks like {kind}")
            }
            (_, count) => match class {
                FindingClass::Loss => counted(count, "loss", "losses"),
                FindingClass::Suspect => counted(count, "suspect", "suspects"),
                FindingClass::Repair => counted(count, "repair", "repairs"),
                FindingClass::Ignored | FindingClass::Note => counted(count, "finding", "findings"),
            },
        };
        let first = first.map(|finding| format!("; {finding}")).unwrap_or_default();
        Some(format!("refused (fail-on {class}): {why}{first}"))
    })
}

/// Whether anything was lost, how many suspects there are, and what the file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FileSummary {
    /// Whether no loss has an effect. False for a file that is refused.
    pub exact: bool,
    /// The number of suspects.
    pub suspects: u64,
    /// What the file looks like. None if no file was read.
    pub input: Option<InputKind>,
}

impl FileSummary {
    /// By the report of a file.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        Self { exact: report.is_exact(), suspects: report.suspects(), input: Some(report.input()) }
    }

    /// Of an answer for which no file was read.
    pub const NO_FILE: Self = Self { exact: true, suspects: 0, input: None };
}

/// A finding on a known line, in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedFinding {
    /// What was found.
    pub kind: FindingKind,
    /// What this means for the result.
    pub class: FindingClass,
    /// How it changes the result.
    pub effect: Effect,
    /// The clause of SPEC.md.
    pub clause: &'static str,
    /// The kind in words.
    pub text: &'static str,
}

impl From<Finding> for ExplainedFinding {
    fn from(finding: Finding) -> Self {
        let Finding { kind, effect, .. } = finding;
        Self { kind, class: kind.class(), effect, clause: kind.clause(), text: kind.text() }
    }
}

impl ExplainedFinding {
    /// In words: what was found, its effect if it has one, and the clause.
    #[must_use]
    pub fn words(&self) -> String {
        let effect = match self.effect {
            Effect::None => String::new(),
            effect => format!(" ({effect})"),
        };
        format!("{}{effect} [{}]", self.text, self.clause)
    }

    /// Whether it says that its line was left out.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        use FindingKind::{AgentWithoutToken, AlmostDirective, RuleWithoutAgent};
        matches!(self.class, FindingClass::Ignored | FindingClass::Loss)
            || matches!(self.kind, AgentWithoutToken | AlmostDirective | RuleWithoutAgent)
    }
}
