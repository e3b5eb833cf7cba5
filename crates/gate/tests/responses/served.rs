//! The table as a server for clients in other languages, which compare themselves with the gate.
//!
//! Invariant: `others.tsv` has which of them may differ: the client, `closes` or `reads`, why, and the responses.

use std::collections::BTreeMap;

use serde_json::json;

use crate::Site;
use crate::cases::all;

/// What is asked of each site: the one is closed by `RULES`.
pub(crate) const PAGES: [&str; 2] = ["/secret", "/page"];

const OTHERS: &str = include_str!("others.tsv");

/// Serves each response, as `NAME.test` on a port of loopback, until the input ends. Prints a line of JSON for each: the
/// pages that the gate allows, and which clients may differ. Then comes an empty object. [gate.fetched]
#[test]
#[ignore = "a server for the tests of Python and JavaScript"]
fn each_response() {
    let site = Site::new(all);
    let mut others: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in OTHERS.lines() {
        let [client, how, _, names] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        for name in names.split(' ') {
            assert!(site.cases.contains_key(name), "{name} is no response");
            others.entry(name).or_default().push(format!("{client} {how}"));
        }
    }
    let allowed = site.each(16, |name| site.allowed(name, &PAGES));
    println!();
    for (name, pages) in allowed {
        let (url, others) = (format!("http://{name}.test:{}", site.port), others.get(name.as_str()));
        println!("{}", json!({ "name": name, "url": url, "pages": pages, "others": others.unwrap_or(&Vec::new()) }));
    }
    println!("{{}}");
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}

/// README.md has each kind of difference, and how many responses it has.
#[test]
fn the_readme_has_who_differs() {
    for line in OTHERS.lines() {
        let [client, how, why, names] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let row = format!("| {client} {how} | {why} | {} |", names.split(' ').count());
        assert!(include_str!("../../README.md").contains(&row), "{row}");
    }
}
