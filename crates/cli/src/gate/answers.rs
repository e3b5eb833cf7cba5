//! Writes answers of the gate as lines: words for people, and the gate's own JSON.
//!
//! Invariant: one line per URL, for any URL and any site. Every answer but `allowed` says why.

use std::io;
use std::time::Duration;

use robosieve_gate::{Answer, Ask, Moment};

use super::asker::{Asker, allowing};
use crate::exit::Code;
use crate::output::{Line, Named};
use crate::{json, text};

/// The longest URL in bytes: twice what RFC 9110 4.1 asks everyone to support.
pub(super) const MAX_URL: usize = 16_000;

/// A URL with its answer.
#[derive(Debug)]
pub(super) struct Answered {
    /// As it was given.
    url: String,
    /// When it was checked.
    now: Moment,
    answer: Answer,
}

/// Why a line is no URL.
pub(super) const NOT_UTF8: &str = "not UTF-8; percent-encode it";

pub(super) fn too_long() -> String {
    format!("longer than {MAX_URL} bytes")
}

impl Answered {
    /// Asks the gate about a URL.
    pub(super) async fn ask(gate: &Asker, url: String) -> Self {
        if url.len() > MAX_URL {
            return Self::unusable(url.chars().take(80).collect(), &too_long());
        }
        let mut answer = gate.ask(&url, Ask::Slot).await;
        if let Some(flag) = allowing(answer.error.as_deref()) {
            answer.why = format!("{}; {flag} allows it", answer.why);
        }
        Self { url, now: gate.now(), answer }
    }

    /// A line that is no URL.
    pub(super) fn unusable(url: String, why: &str) -> Self {
        Self { url, now: Moment::now(), answer: Answer::no_url(why) }
    }

    /// `allowed`, `denied`, `closed`, `not-now`, `not-asked` or `unusable`.
    fn verdict(&self) -> &'static str {
        match self.answer.kind() {
            "store-failed" => "not-asked",
            "no-url" => "unusable",
            kind => kind,
        }
    }

    /// The exit code for it.
    pub(super) fn code(&self) -> Code {
        match self.verdict() {
            "allowed" => Code::Fine,
            "denied" => Code::Disallowed,
            "closed" if self.answer.failures == Some(0) => Code::Disallowed,
            // Trouble on our side is no answer at all.
            "not-asked" => Code::Failed,
            _ => Code::Refused,
        }
    }

    /// The line for people: verdict, URL and reason, separated by tabs.
    pub(super) fn line(&self) -> Vec<u8> {
        let url = text::escape(self.url.as_bytes());
        format!("{}\t{url}\t{}\n", self.verdict(), text::harmless(&self.words())).into_bytes()
    }

    /// Why, for people.
    fn words(&self) -> String {
        let Answer { wait, why, until, error, .. } = &self.answer;
        match self.verdict() {
            "allowed" => {
                let more = why.find(" (").and_then(|at| why.get(at..)).unwrap_or_default();
                if wait.is_zero() {
                    return format!("now{more}");
                }
                format!("in {} s, at {}{more}", in_seconds(*wait), self.now.after(*wait))
            }
            "denied" => {
                let (line, rule) =
                    (self.answer.line.unwrap_or_default(), self.answer.rule.as_deref().unwrap_or_default());
                format!("line {line}: {rule}")
            }
            "closed" | "not-now" => {
                let words = ["closed: ", "not now: "].iter().find_map(|start| why.strip_prefix(start));
                let error = error.as_ref().map_or(String::new(), |error| format!(" ({error})"));
                let until = match until {
                    Some(Moment::NEVER) => "; it is left alone until `robosieve site URL --clear`".into(),
                    Some(until) => format!("; try again at {until}"),
                    None => String::new(),
                };
                format!("{}{error}{until}", words.unwrap_or(why))
            }
            _ => until.map_or_else(|| why.clone(), |until| format!("{why}; try again at {until}")),
        }
    }

    /// The line of JSON.
    pub(super) fn json(&self) -> io::Result<Vec<u8>> {
        json::line(&Line::of(Named::Url(&self.url), &self.answer))
    }
}

/// `2`, `0.5`: at most three digits after the point.
fn in_seconds(duration: Duration) -> String {
    let text = format!("{:.3}", duration.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
