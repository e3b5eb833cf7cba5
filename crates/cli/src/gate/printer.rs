//! Prints the answers of `check` and `crawl-check`, and counts them.
//!
//! Invariant: one line of output per URL. Each site with a suspect or incomplete file is reported once, at most
//! [`MOST`] sites in all; so memory is bounded for any number of URLs.

use std::collections::BTreeSet;
use std::io::{BufWriter, StdoutLock, Write};

use indicatif::ProgressBar;
use robosieve::report::FindingClass;
use robosieve_gate::crawl::CheckedUrl;
use robosieve_gate::decide::Findings;
use robosieve_gate::{Moment, Origin};

use super::answers::{Answered, doubts};
use super::feed::NoUrl;
use crate::exit::{self, Code, Failure};
use crate::{output, text};

/// The maximum number of sites whose file is reported.
const MOST: usize = 20;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    /// Only the allowed URLs.
    Urls,
    Nothing,
}

pub(super) struct Printer {
    form: Form,
    is_quiet: bool,
    fail_on: Vec<FindingClass>,
    /// The sites whose file was reported.
    told: BTreeSet<String>,
    pub(super) tally: Tally,
    pub(super) bar: ProgressBar,
    out: BufWriter<StdoutLock<'static>>,
}

impl Printer {
    pub(super) fn new(form: Form, is_quiet: bool, fail_on: Vec<FindingClass>, bar: ProgressBar) -> Self {
        let (told, tally, out) = (BTreeSet::new(), Tally::default(), output::stdout());
        Self { form, is_quiet, fail_on, told, tally, bar, out }
    }

    pub(super) fn add(&mut self, found: Result<CheckedUrl, NoUrl>) -> Result<(), Failure> {
        let answered = match found {
            Ok(checked) => Answered::new(checked, &self.fail_on),
            Err(NoUrl::Line(url, why)) => Answered::unusable(url, why),
            Err(NoUrl::Input(message)) => return Err(Failure::Io(message)),
        };
        if let Some(findings) = answered.reasons.findings.as_ref().filter(|_| !self.is_quiet) {
            self.tell(&answered.url, findings);
        }
        self.tally.count(&answered);
        let line = match self.form {
            Form::Text => Ok(answered.line()),
            Form::Json => answered.json(),
            Form::Urls => Ok(answered.target_line()),
            Form::Nothing => return Ok(()),
        };
        line.and_then(|line| self.out.write_all(&line)).map_err(|error| Failure::stdout(&error))
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::stdout(&error))
    }

    /// Reports what is wrong with the file of a URL's site, unless that was reported before.
    fn tell(&mut self, url: &str, findings: &Findings) {
        let (Some(why), Ok(origin)) = (doubts(findings), Origin::of(url)) else { return };
        let site = origin.robots_txt();
        if self.told.len() > MOST || self.told.contains(&site) {
            return;
        }
        let message = if self.told.len() < MOST {
            format!("{site}: {why}")
        } else {
            "and more sites; --json has `input`, `suspects` and `exact` for each URL".into()
        };
        self.bar.suspend(|| exit::tell(&message));
        self.told.insert(site);
    }
}

/// The number of answers, and the exit code.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) all: u64,
    verdicts: [(&'static str, u64); 8],
    last: Option<Moment>,
    pub(super) code: Code,
}

impl Default for Tally {
    fn default() -> Self {
        let names = ["allowed", "denied", "closed", "not-now", "not-asked", "not-stored", "refused", "unusable"];
        let verdicts = names.map(|verdict| (verdict, 0));
        Self { all: 0, verdicts, last: None, code: Code::Fine }
    }
}

impl Tally {
    fn count(&mut self, answered: &Answered) {
        self.all = self.all.saturating_add(1);
        if let Some(entry) = self.verdicts.iter_mut().find(|entry| entry.0 == answered.verdict()) {
            entry.1 = entry.1.saturating_add(1);
        }
        self.last = self.last.max(answered.at());
        self.code = self.code.and(answered.code());
    }

    /// The number of URLs with each verdict.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.verdicts.iter().copied()
    }

    /// The number of allowed URLs.
    pub(super) fn allowed(&self) -> u64 {
        self.of("allowed")
    }

    fn of(&self, verdict: &str) -> u64 {
        self.verdicts.iter().find(|entry| entry.0 == verdict).map_or(0, |entry| entry.1)
    }

    /// The summary for people.
    pub(super) fn words(&self, requests: &str) -> String {
        let counts = self.verdicts.iter().filter(|entry| entry.1 > 0);
        let counts: Vec<String> = counts.map(|(verdict, count)| format!("{count} {verdict}")).collect();
        let counts = if counts.is_empty() { "nothing to do".to_owned() } else { counts.join(", ") };
        let last = self.last.map_or(String::new(), |last| format!("; the last may be fetched at {last}"));
        let again =
            if self.of("not-asked") > 0 { "; run the command again with the URLs that are not-asked" } else { "" };
        format!("{} checked: {counts}; {requests}{last}{again}", text::counted(self.all, "URL", "URLs"))
    }
}
