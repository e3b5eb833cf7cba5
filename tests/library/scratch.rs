//! Which files a [`Scratch`] filters without an allocation.
//!
//! Invariant: the lists here contain exactly the files of the corpus that allocate, with the reason.

use std::collections::BTreeSet;

use allocation_counter::measure;
use robosieve::{Sieve, scratch::Scratch};

use crate::common::name_of;
use crate::files::files_of;

/// The names of plain and wild files of `corpus/`, by the reason why they allocate.
const ALLOCATE: &[(&str, &[&str])] = &[
    (
        "a path is encoded, decoded or given a slash",
        &[
            "bidi-mark-in-path.txt",
            "blanks-in-paths.txt",
            "escapes.txt",
            "latin1.txt",
            "nbsp-around-values.txt",
            "no-leading-slash.txt",
            "non-ascii-paths.txt",
            "quoted-values.txt",
            "regular-expressions.txt",
            "templates.txt",
            "url-as-path.txt",
        ],
    ),
    ("another value is rewritten", &["all-extensions.txt", "extensions.txt", "sitemap-odd-address.txt"]),
    ("runs of stars", &["many-stars.txt"]),
    ("a value for one of several agents", &["crawl-delay-between-agents.txt"]),
    ("lines of others that are also for the agent", &["news-ai-agents.txt", "no-agent.txt"]),
    ("suspect lines", &["misspelt-names.txt", "sitemap-behind-allow.txt", "stray-words.txt"]),
];

/// [scratch.steady]
#[test]
fn usual_files_allocate_nothing() {
    let files = files_of(&["plain", "wild"]);
    let sieve = Sieve::new(["MyBot"]);
    let mut scratch = Scratch::new();
    let mut allocate = BTreeSet::new();
    for round in ["warm up", "count"] {
        for (path, file) in &files {
            let counted = measure(|| drop(sieve.run_with(&mut scratch, file).unwrap()));
            if round == "count" && counted.count_total > 0 {
                allocate.insert(name_of(path));
            }
        }
    }
    let expected: BTreeSet<&str> = ALLOCATE.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    assert_eq!(allocate, expected);
    assert!(allocate.len() * 3 < files.len(), "{} of {} files allocate", allocate.len(), files.len());
}

/// [scratch.steady]
#[test]
fn each_kind_of_line_allocates_nothing() {
    const FILE: &str = "\u{FEFF}# a comment\r\nDisallow: /nobody\nUseragent: Other, MyBot # and\nCrawl-delay: 2.50\n\
        Content-Signal: ai-train=no\n\
        Disalow: /a\nallow: /b*c$\nno field\nDisallow /c\nDisallow:\n\nUser-agent: Other\nContent-Signal: ai-train=no\nDisallow: /\n\n\
        User-agent: *\nRequest-rate: 1/10m 0600-0845\nContent-Signal: Search=yes,ai-train=no\nDisallow: /a\n\
        Clean-param: a&b /c\nAllow: /a\nUnknown: 1\nSitemap: https://example.com/b\nCrawl-delay: 1\nCrawl-delay: 2\n\
        User-agent: *\nDisallow: /d\nSitemap: https://example.com/a\nSitemap: https://example.com/b\n";
    let mut scratch = Scratch::new();
    for agent in ["MyBot", "Nobody", "Other"] {
        let sieve = Sieve::new([agent]);
        let filter = |scratch: &mut Scratch| sieve.run_with(scratch, FILE.as_bytes()).unwrap().text().as_str().len();
        assert!(filter(&mut scratch) > 100);
        let counted = measure(|| {
            filter(&mut scratch);
        });
        assert_eq!(counted.count_total, 0, "{agent}: {}", sieve.run(FILE.as_bytes()).unwrap().text());
    }
}
