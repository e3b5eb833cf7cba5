//! Writes answers of the gate as lines, for people and for machines.
//!
//! Invariant: one line per URL, whatever the URL and the site contain. Every answer but `allowed` says why.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use robosieve::report::FindingClass;
use robosieve_gate::ask::Reasons;
use robosieve_gate::crawl::CheckedUrl;
use robosieve_gate::decide::{Findings, InputName};
use robosieve_gate::keep::StoreError;
use robosieve_gate::origin::OriginError;
use robosieve_gate::retrieve::Attempt;
use robosieve_gate::{Answer, GateError, Moment, Why};
use serde::Serialize;
use url::Url;

use crate::exit::Code;
use crate::{json, text};

/// The longest URL in bytes: twice what RFC 9110 4.1 asks everyone to support.
pub(super) const MAX_URL: usize = 16_000;

/// A URL with its answer.
#[derive(Debug)]
pub(super) struct Answered {
    /// As it was given.
    pub(super) url: String,
    /// When it was checked.
    pub(super) now: Moment,
    pub(super) found: Result<Answer, Unusable>,
    pub(super) reasons: Reasons,
}

/// Why a URL has no answer.
#[derive(Debug)]
pub(super) enum Unusable {
    /// It has no robots.txt.
    Url(OriginError),
    /// It is not UTF-8.
    NotUtf8,
    /// It is too long: the number of its line, if nothing else says which one it is.
    TooLong(Option<u64>),
    /// --fail-on refuses the site's file.
    Refused(String),
    /// The site was asked, but what it said could not be stored.
    NotStored(String),
    /// The site could not be asked, because of trouble on our side. Try again then, if that is known.
    NotAsked(String, Option<Moment>),
}

impl Unusable {
    fn words(&self) -> String {
        match self {
            Self::Url(error) => error.to_string(),
            Self::NotUtf8 => "not UTF-8; percent-encode it".into(),
            Self::TooLong(None) => format!("longer than {MAX_URL} bytes"),
            Self::TooLong(Some(line)) => format!("input line {line}: longer than {MAX_URL} bytes"),
            Self::Refused(why) | Self::NotStored(why) | Self::NotAsked(why, None) => why.clone(),
            Self::NotAsked(why, Some(until)) => format!("{why}; try again at {until}"),
        }
    }
}

impl Answered {
    /// An answer of the gate. A file that --fail-on names is refused.
    pub(super) fn new(checked: CheckedUrl, fail_on: &[FindingClass]) -> Self {
        let CheckedUrl { url, now, answer, reasons } = checked;
        let found = match answer {
            Err(GateError::Url(error)) => Err(Unusable::Url(error)),
            Err(GateError::NotAsked { why, until }) => {
                Err(Unusable::NotAsked(format!("the site could not be asked: {why}"), Some(until)))
            }
            Err(GateError::Store(error @ StoreError::NotStored(_))) => Err(Unusable::NotStored(error.to_string())),
            Err(error) => Err(Unusable::NotAsked(error.to_string(), None)),
            Ok(answer) => match reasons.findings.as_ref().and_then(|findings| refusal(findings, fail_on)) {
                Some(why) => Err(Unusable::Refused(why)),
                None => Ok(answer),
            },
        };
        Self { url, now, found, reasons }
    }

    /// A URL that could not be checked.
    pub(super) fn unusable(url: String, why: Unusable) -> Self {
        Self { url, now: Moment::now(), found: Err(why), reasons: Reasons::default() }
    }

    /// The exit code for it.
    pub(super) fn code(&self) -> Code {
        match &self.found {
            Ok(Answer::Allowed { .. }) => Code::Fine,
            Ok(Answer::Denied { .. } | Answer::Closed { failures: 0, .. }) => Code::Disallowed,
            // Trouble on our side is no answer at all.
            Err(Unusable::NotAsked(..) | Unusable::NotStored(_)) => Code::Failed,
            Ok(_) | Err(_) => Code::Refused,
        }
    }

    /// `allowed`, `denied`, `closed`, `not-now`, `not-asked`, `not-stored`, `refused` or `unusable`.
    pub(super) const fn verdict(&self) -> &'static str {
        match &self.found {
            Ok(answer) => answer.as_str(),
            Err(Unusable::Refused(_)) => "refused",
            Err(Unusable::NotAsked(..)) => "not-asked",
            Err(Unusable::NotStored(_)) => "not-stored",
            Err(_) => "unusable",
        }
    }

    /// When it may be fetched.
    pub(super) fn at(&self) -> Option<Moment> {
        match self.found {
            Ok(Answer::Allowed { wait, .. }) => Some(self.now.after(wait)),
            _ => None,
        }
    }

    /// The URL as a client sends it, in the form in which it was tested.
    fn target(&self) -> Option<String> {
        let mut url = Url::parse(&self.url).ok().filter(|_| self.found.is_ok())?;
        url.set_fragment(None);
        // Fails for URLs without a host only, which have no answer.
        let (_, _) = (url.set_username(""), url.set_password(None));
        Some(url.into())
    }

    /// The line for `--urls`: the URL as a client sends it, if it may be fetched.
    pub(super) fn target_line(&self) -> Vec<u8> {
        let url = self.at().and_then(|_| self.target());
        url.map_or(Vec::new(), |url| (text::escape(url.as_bytes()) + "\n").into_bytes())
    }

    /// Why, for people.
    fn words(&self) -> String {
        match &self.found {
            Ok(Answer::Allowed { wait, ignored, shortened }) => {
                let why = if *ignored { " (robots.txt is ignored for this host)" } else { "" };
                let asks = shortened.map(|asks| format!(" (the site asks for {} s between two)", in_seconds(asks)));
                let why = format!("{}{why}", asks.unwrap_or_default());
                if wait.is_zero() {
                    return format!("now{why}");
                }
                format!("in {} s, at {}{why}", in_seconds(*wait), self.now.after(*wait))
            }
            Ok(Answer::Denied { rule, line }) => format!("line {line}: {rule}"),
            Ok(answer) => {
                let words = answer.to_string();
                let words = words.split_once(": ").map_or(words.as_str(), |parts| parts.1);
                let why = self.reason().map_or(String::new(), |why| format!(" ({why})"));
                match answer.until() {
                    Some(Moment::NEVER) => {
                        format!("{words}{why}; it is left alone until `robosieve site HOST --clear`")
                    }
                    Some(until) => format!("{words}{why}; try again at {until}"),
                    None => format!("{words}{why}"),
                }
            }
            Err(unusable) => unusable.words(),
        }
    }

    /// The last attempt at the site that failed, by address.
    fn reason(&self) -> Option<String> {
        let last = self.reasons.attempts.last()?;
        let address = last.address.map_or(String::new(), |address| format!("{address}: "));
        Some(format!("{address}{}", last.end.words()))
    }

    /// The line for people: verdict, URL and reason, separated by tabs.
    pub(super) fn line(&self) -> Vec<u8> {
        let url = text::escape(self.url.as_bytes());
        let insecure = if self.reasons.insecure { " (its certificates are not checked)" } else { "" };
        format!("{}\t{url}\t{}{insecure}\n", self.verdict(), text::harmless(&self.words())).into_bytes()
    }

    /// The line of JSON.
    pub(super) fn json(&self) -> io::Result<Vec<u8>> {
        let mut line = Fields {
            v: 1,
            url: &self.url,
            target: self.target(),
            verdict: self.verdict(),
            message: self.words(),
            exact: self.reasons.findings.as_ref().map(|found| found.exact),
            suspects: self.reasons.findings.as_ref().map(|found| found.suspects),
            input: self.reasons.findings.as_ref().map(|found| &found.input),
            lost: self.reasons.findings.as_ref().map(|found| &found.lost).filter(|lost| !lost.is_empty()),
            attempts: &self.reasons.attempts,
            insecure: self.reasons.insecure,
            ..Fields::default()
        };
        match &self.found {
            Ok(Answer::Allowed { wait, ignored, shortened }) => {
                line.asks_ms = shortened.map(millis);
                line.why = ignored.then_some("ignored");
                line.wait_ms = Some(millis(*wait));
                line.at = self.at();
            }
            Ok(Answer::Denied { rule, line: number }) => (line.rule, line.line) = (Some(rule.as_str()), Some(*number)),
            Ok(Answer::Closed { status, failures, until }) => {
                (line.why, line.status) = (Some(if *failures == 0 { "status" } else { "unreachable" }), *status);
                (line.failures, line.until) = (Some(*failures), Some(*until));
            }
            Ok(Answer::NotNow { until, why }) => {
                let until = Some(*until).filter(|until| *until < Moment::NEVER);
                (line.why, line.until, line.failures) = (Some(why.as_str()), until, why.failures());
                if let Why::CrawlDelay { asks } = why {
                    line.asks_ms = Some(millis(*asks));
                }
            }
            // An answer of a later version has the name and the words that it brings.
            Ok(_) => {}
            Err(Unusable::Refused(_)) => line.why = Some("fail-on"),
            Err(Unusable::NotStored(_)) => line.why = Some("own-trouble"),
            Err(Unusable::NotAsked(_, until)) => (line.why, line.until) = (Some("own-trouble"), *until),
            Err(_) => line.why = Some("url"),
        }
        json::line(&line)
    }
}

/// Version 1 of the fields. Moments are milliseconds since 1970.
#[derive(Default, Serialize)]
struct Fields<'a> {
    v: u8,
    url: &'a str,
    target: Option<String>,
    verdict: &'static str,
    rule: Option<&'a str>,
    line: Option<u32>,
    wait_ms: Option<u64>,
    at: Option<Moment>,
    until: Option<Moment>,
    why: Option<&'static str>,
    status: Option<u16>,
    failures: Option<u32>,
    message: String,
    exact: Option<bool>,
    suspects: Option<u64>,
    input: Option<&'a InputName>,
    /// The interval that the site asks for, if it is over the longest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    asks_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<&'a BTreeMap<String, u64>>,
    /// Whether the certificates of its host are not checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    insecure: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    attempts: &'a [Attempt],
}

/// The warning about a file, if there is one.
pub(super) fn doubts(findings: &Findings) -> Option<String> {
    suspects(findings)
        .or_else(|| (!findings.exact).then(|| format!("the result is not exact: lost {}", lost(findings))))
}

fn lost(findings: &Findings) -> String {
    findings.lost_words().unwrap_or_else(|| "something to a limit".into())
}

fn suspects(findings: &Findings) -> Option<String> {
    let InputName { kind, format } = &findings.input;
    let format = format.as_ref().map(|format| format!(" ({format})")).unwrap_or_default();
    if findings.input.may_be_robots_txt() {
        (findings.suspects > 0)
            .then(|| format!("the file has {}", text::counted(findings.suspects, "suspect", "suspects")))
    } else {
        Some(format!("the file looks like {kind}{format}, not like a robots.txt"))
    }
}

/// Why --fail-on refuses a file, if it does.
fn refusal(findings: &Findings, fail_on: &[FindingClass]) -> Option<String> {
    fail_on.iter().find_map(|what| {
        let (name, why) = match what {
            FindingClass::Suspect => ("suspect", suspects(findings)),
            FindingClass::Loss => ("loss", (!findings.exact).then(|| format!("lost {}", lost(findings)))),
            FindingClass::Repair => ("repair", (findings.repairs > 0).then(|| "the file was repaired".into())),
            FindingClass::Note | FindingClass::Ignored => return None,
        };
        why.map(|why| format!("refused (fail-on {name}): {why}"))
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// `2`, `0.5`: at most three digits after the point.
fn in_seconds(duration: Duration) -> String {
    let text = format!("{:.3}", duration.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
