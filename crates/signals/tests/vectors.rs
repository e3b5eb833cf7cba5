//! The vectors of `data/vectors.ndjson`: each has a page, a crawler and a time, the answers, and the page or the draft
//! that gives them.
//!
//! Invariant: what a vector does not name is unsaid, unlimited and not found. Without its answer, a line is a request
//! of the command.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use std::collections::BTreeMap;

use base64::Engine as _;
use robosieve::Options;
use robosieve_explain::Names;
use robosieve_signals::{Page, Use, time};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    id: u32,
    source: String,
    date: String,
    url: String,
    agent: String,
    time: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    html: Option<String>,
    html_b64: Option<String>,
    robots: Option<String>,
    status: Option<u16>,
    tdmrep: Option<String>,
    uses: BTreeMap<String, String>,
    #[serde(default)]
    limits: BTreeMap<String, Value>,
    #[serde(default)]
    findings: Vec<String>,
    #[serde(default)]
    licenses: Vec<String>,
}

/// What is found, in the form of a vector.
fn found(vector: &Vector) -> Value {
    let base64 = base64::engine::general_purpose::STANDARD;
    let html = vector.html_b64.as_ref().map(|text| base64.decode(text).unwrap());
    let html = html.as_deref().or(vector.html.as_deref().map(str::as_bytes));
    let mut page = Page::new(&vector.url);
    for (name, value) in &vector.headers {
        page = page.header(name, value);
    }
    page = if let Some(html) = html { page.html(html) } else { page };
    page = if let Some(robots) = &vector.robots { page.robots(robots) } else { page };
    page = if let Some(status) = vector.status { page.status(status, &Options::default()) } else { page };
    page = if let Some(json) = &vector.tdmrep { page.tdmrep(json) } else { page };
    let answer = page.signals().answer(Names::Known.groups([&*vector.agent]), time(&vector.time).unwrap());
    for (what, _) in &answer.uses {
        let is_said = answer.of(*what).as_str() != "unsaid";
        assert_eq!(answer.decided_by.contains_key(what.as_str()), is_said, "{what} of vector {}", vector.id);
    }
    let said = answer.uses.iter().filter(|(_, allowed)| allowed.as_str() != "unsaid");
    let uses: BTreeMap<_, _> = said.map(|(what, allowed)| (what.as_str(), allowed.as_str())).collect();
    let mut findings: Vec<&str> = answer.findings.iter().map(|one| one.kind.as_str()).collect();
    findings.sort_unstable();
    let licenses: Vec<&str> = answer.licenses.iter().map(|one| &*one.url).collect();
    json!({"uses": uses, "limits": answer.limits, "findings": findings, "licenses": licenses})
}

/// Every vector has its answers: [signals.vectors] [signals.robots-tag] [signals.words] [signals.agents]
/// [signals.ambiguous] [signals.amounts] [signals.dates] [signals.malformed] [signals.meta] [signals.head]
/// [signals.charset] [signals.usage] [signals.signal] [signals.license] [signals.tdm] [signals.tdm-file] [signals.file]
/// [signals.strictest] [signals.across] [signals.names] [signals.aside] [signals.unclosed] [usage.disallowed]
#[test]
fn vectors_have_their_answers() {
    let text = include_str!("../data/vectors.ndjson");
    let vectors: Vec<Vector> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(vectors.len() >= 150, "only {} vectors", vectors.len());
    let mut wrong = Vec::new();
    for (place, vector) in vectors.iter().enumerate() {
        assert!(vector.id as usize == place + 1 && !vector.source.is_empty() && vector.date.len() == 10);
        assert!(vector.uses.keys().all(|name| Use::ALL.iter().any(|one| one.as_str() == name)), "{}", vector.id);
        let mut findings = vector.findings.clone();
        findings.sort_unstable();
        let expected = json!({
            "uses": vector.uses, "limits": vector.limits, "findings": findings, "licenses": vector.licenses,
        });
        let found = found(vector);
        if found != expected {
            wrong.push(format!("{} ({}):\n found {found}\n wants {expected}", vector.id, vector.source));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}

/// A slip in the name of a line of the crawler's group: it allows nothing, and is found. [signals.file]
#[test]
fn a_line_with_a_slip_in_its_name_is_unknown() {
    let robots =
        "User-agent: Other\nContent-Usages: search=n\n\nUser-agent: *\nContent-Signals: ai-train=no\nContents: x\n";
    let page = Page::new("https://e.com/").robots(robots);
    let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
    let found: Vec<_> = answer.findings.iter().map(|one| (one.kind.as_str(), one.at.place)).collect();
    assert_eq!(found, [("unknown", 5)]);
}
