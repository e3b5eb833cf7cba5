//! The library is held to the vectors of `suite/`: `cargo test --test suite`.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robosieve::settings::{Agent, Dialect};
use robosieve::{Agents, Sieve};
use serde_json::Value;

/// Vectors whose answer of RFC 9309 is not ours, on purpose: SPEC.md gives the reason in [path.encode].
const DEVIATIONS: [&str; 2] = ["encoding.table.002", "encoding.table.003"];

/// All vectors, in the order of the files' names.
fn vectors() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/vectors");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let lines = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    let vectors: Vec<Value> = lines
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>())
        .collect();
    assert!(vectors.len() >= 1500, "only {} vectors were found", vectors.len());
    vectors
}

fn text<'a>(vector: &'a Value, name: &str) -> &'a str {
    vector[name].as_str().unwrap_or_else(|| panic!("{}: {name} is missing", vector["id"]))
}

fn file(vector: &Value) -> Vec<u8> {
    if let Some(base64) = vector["file_base64"].as_str() {
        return BASE64_STANDARD.decode(base64).unwrap();
    }
    let repeat = &vector["file_repeat"];
    if repeat.is_null() {
        return text(vector, "file").into();
    }
    let times = usize::try_from(repeat["times"].as_u64().unwrap()).unwrap();
    [text(repeat, "head"), &text(repeat, "body").repeat(times), text(repeat, "tail")].concat().into()
}

fn answer(vector: &Value, dialect: Dialect) -> &'static str {
    let agent = match vector["header"].as_str() {
        Some(header) => Agent::new(header),
        None => Agent::new(text(vector, "agent")),
    };
    let agents: Agents = [agent].into_iter().collect();
    let file = file(vector);
    let tester = Sieve::new(agents).options(dialect).tester(&file).unwrap();
    if tester.test(text(vector, "url")).allowed() { "allow" } else { "disallow" }
}

/// The vectors that are answered otherwise than this column says: their names, files and URLs.
fn differences(dialect: Dialect, column: &str) -> Vec<String> {
    let wrong = |vector: &Value| {
        let (found, expected) = (answer(vector, dialect), text(vector, column));
        let file = vector["file"].as_str().unwrap_or("a file that is not shown");
        (found != expected).then(|| format!("{} {found} {file:?} {}", text(vector, "id"), text(vector, "url")))
    };
    // Google's parser compares the whole text that a caller gives with names, so a header has the groups for `*` there.
    let is_header = |vector: &Value| vector["tags"].as_array().unwrap().iter().any(|tag| tag == "header");
    let is_read = |vector: &&Value| dialect != Dialect::Google || !is_header(vector);
    vectors().iter().filter(is_read).filter_map(wrong).collect()
}

/// [rule.longest] [path.match] [record.merge] [agent.token] [line.end] and each other clause that a vector names
#[test]
fn the_standard_dialect_answers_as_the_suite_says() {
    let wrong = differences(Dialect::Standard, "robosieve");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// [google.line] [google.name] [google.agent] [google.path]
#[test]
fn the_google_dialect_answers_as_googles_parser() {
    let wrong = differences(Dialect::Google, "google");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What RFC 9309 demands or recommends is answered so, except for the deviations of SPEC.md: [path.encode]
#[test]
fn the_standard_dialect_follows_the_rfc() {
    let is_other = |vector: &&Value| {
        let demanded = text(&vector["rfc"], "answer");
        demanded != "either" && demanded != answer(vector, Dialect::Standard)
    };
    let vectors = vectors();
    let found: Vec<_> = vectors.iter().filter(is_other).map(|vector| text(vector, "id")).collect();
    assert_eq!(found, DEVIATIONS);
}
