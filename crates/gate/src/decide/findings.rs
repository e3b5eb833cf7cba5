//! What was found in the file that a site's rules come from. It is read from the stored report.
//!
//! Invariant: a store may have been changed by hand. A report that can't be read gives no findings.

use std::collections::BTreeMap;

use robosieve::printable::harmless;
use robosieve::report::{FindingClass, FindingKind};
use serde::{Deserialize, Serialize};

/// What was found in a site's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Whether nothing was lost: the rules decide as the file does.
    pub exact: bool,
    /// What was lost to a limit or to the parser: how many of each kind, by the names of
    /// [`FindingKind`](robosieve::report::FindingKind).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lost: BTreeMap<String, u64>,
    /// Why the options refused the whole file, if they did. Everything is disallowed then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The number of suspects: the file or a line of it looks like something else than it is read as.
    pub suspects: u64,
    /// The number of lines that were read differently from their spelling.
    #[serde(skip)]
    pub repairs: u64,
    /// What the file looks like.
    pub input: InputName,
}

/// What a file looks like, by the names of [`InputKind`](robosieve::report::InputKind).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputName {
    /// `text`, `html`, `image` …
    pub kind: String,
    /// `png` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

impl InputName {
    /// Whether the file may be a robots.txt file.
    #[must_use]
    pub fn may_be_robots_txt(&self) -> bool {
        matches!(self.kind.as_str(), "text" | "empty")
    }
}

/// The part of a report that is read.
#[derive(Deserialize)]
struct Report {
    exact: bool,
    suspects: u64,
    input: InputName,
    counts: BTreeMap<String, u64>,
}

/// The report on a file that the options refuse.
#[derive(Deserialize)]
struct Refused {
    refused: String,
}

impl Findings {
    /// What was lost, for people: `2 rule-too-long, 1 input-cut`. `None` if nothing was.
    #[must_use]
    pub fn lost_words(&self) -> Option<String> {
        if let Some(why) = &self.refused {
            return Some(format!("the whole file, which was refused: {why}"));
        }
        let parts: Vec<_> = self.lost.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if parts.is_empty() { None } else { Some(parts.join(", ")) }
    }

    /// Reads the findings from a report in JSON.
    pub(crate) fn of_report(report: &str) -> Option<Self> {
        if let Ok(Refused { refused }) = serde_json::from_str(report) {
            let input = InputName { kind: "text".into(), format: None };
            let refused = Some(harmless(&refused).into_owned());
            return Some(Self { exact: false, lost: BTreeMap::new(), refused, suspects: 0, repairs: 0, input });
        }
        let report: Report = serde_json::from_str(report).ok()?;
        let losses = FindingKind::ALL.iter().filter(|kind| kind.class() == FindingClass::Loss);
        let lost = losses.filter_map(|kind| Some((kind.as_str().to_owned(), *report.counts.get(kind.as_str())?)));
        let lost = lost.filter(|(_, count)| *count > 0).collect();
        let of_repairs = FindingKind::ALL.iter().filter(|kind| kind.class() == FindingClass::Repair);
        let repairs = of_repairs.filter_map(|kind| report.counts.get(kind.as_str()));
        let repairs = repairs.fold(0_u64, |sum, count| sum.saturating_add(*count));
        Some(Self { exact: report.exact, lost, refused: None, suspects: report.suspects, repairs, input: report.input })
    }
}
