//! The output is harmless to terminals, logs, readers that split lines, and clients that fetch a sitemap.

use robosieve::records::{Directive, RecordSet, Selection};
use robosieve::report::Report;
use robosieve::settings::OverLimit;

use super::Choices;

/// `[harmless.bytes]`, `[harmless.lines]`, `[harmless.urls]`: texts, values and messages.
pub fn output(input: &[u8], choices: &Choices) {
    for over_limit in [OverLimit::Drop, OverLimit::Refuse, OverLimit::Widen] {
        let choices = choices.over_limit(over_limit);
        for sieve in [choices.sieve(), choices.sieve_all()] {
            match sieve.filter(input) {
                Ok(sieved) => {
                    text(sieved.text(), choices.crlf);
                    lines(sieved.records());
                    messages(sieved.report());
                }
                Err(refused) => plain(refused.to_string().as_bytes()),
            }
        }
    }
    let set = choices.parser().parse(input);
    lines(&set);
    messages(&set.report());
    messages(Selection::of(&set, &choices.interest()).report());
}

/// Printable ASCII and the chosen line end: no other controls, and nothing outside ASCII.
fn text(text: &str, crlf: bool) {
    for line in text.split(if crlf { "\r\n" } else { "\n" }) {
        plain(line.as_bytes());
        if let Some(url) = line.strip_prefix("Sitemap: ") {
            address(url);
        }
    }
}

/// The data that a caller reads from a set contains no line ends either.
fn lines(set: &RecordSet<'_>) {
    for record in set.records() {
        record.agents().iter().for_each(|agent| plain(agent.name()));
        record.rules().iter().for_each(|rule| plain(rule.to_string().as_bytes()));
        for line in record.extensions() {
            plain(line.name());
            plain(line.value());
        }
    }
    for line in set.file_lines() {
        plain(line.name());
        plain(line.value());
        if line.directive() == Directive::Sitemap {
            address(&line.value().to_string());
        }
    }
    set.sitemaps().iter().for_each(|url| address(url.as_str()));
    set.host().iter().for_each(|host| plain(host.as_bytes()));
}

/// Messages contain no byte of the input.
fn messages(report: &Report) {
    for finding in report.details().iter().chain(&report.first_loss()) {
        plain(finding.to_string().as_bytes());
    }
    report.to_string().lines().for_each(|line| plain(line.as_bytes()));
    plain(format!("{report:?}").as_bytes());
}

fn plain(bytes: &[u8]) {
    let stray = bytes.iter().find(|byte| !matches!(byte, b' '..=b'~'));
    assert_eq!(stray, None, "in {:?}", String::from_utf8_lossy(bytes));
}

/// An absolute URL of http or https, with a host.
fn address(url: &str) {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    assert!(host.contains(|c: char| c.is_ascii_alphanumeric()), "no absolute URL: {url:?}");
    assert!(!url.contains([' ', '"', '<', '>', '\\', '#']), "not written as a URL is: {url:?}");
}
