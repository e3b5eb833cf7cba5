//! Lines that need no repair cost least: instructions under valgrind, of a file compared with one that needs more
//! work.
//!
//! Invariant: no clock is read, and only two counts of the same program are compared. If valgrind is missing, the
//! test prints that and passes.
#![allow(missing_docs, clippy::arithmetic_side_effects, clippy::format_collect, clippy::unwrap_used, clippy::panic)]

mod callgrind;

use std::hint::black_box;

use callgrind::Counted;
use robosieve::agent::Interest;
use robosieve::policy::{Parser, RecordSet};
use robosieve::settings::Dialect;

/// The environment variable of a run under valgrind.
const MARK: &str = "ROBOSIEVE_PLAIN_LINES";
const LINES: usize = 300;

/// A file of well-spelled lines, or one that is parsed for a single agent; a file that needs more work; and the
/// percentage of its instructions that the first may cost.
struct Pair {
    name: &'static str,
    plain: fn(usize) -> String,
    other: fn(usize) -> String,
    dialect: Dialect,
    /// Whether the first file is parsed for one agent.
    directed: bool,
    percent: u64,
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "rules",
        plain: |n| format!("Disallow: /folder/{n}\n"),
        other: |n| format!("Disallow : /folder/{n}\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 45,
    },
    Pair {
        name: "rules, and empty lines",
        plain: |n| format!("Allow: /folder/{n}\r\n\r\n"),
        other: |n| format!("Allow : /folder/{n}\r\n\r\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 52,
    },
    Pair {
        name: "rules with stars",
        plain: |n| format!("Disallow: /folder/*{n}$\n"),
        other: |n| format!("Disallow: /folder/*%2f{n}$\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 40,
    },
    Pair {
        name: "rules with escapes",
        plain: |n| format!("Disallow: /folder/%2F{n}\n"),
        other: |n| format!("Disallow: /folder/%2f{n}\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 90,
    },
    Pair {
        name: "rules of Google's dialect",
        plain: |n| format!("Disallow: /folder/{n}\n"),
        other: |n| format!("Disallow : /folder/{n}\n"),
        dialect: Dialect::Google,
        directed: false,
        percent: 100,
    },
    Pair {
        name: "rules with stars of Google's dialect",
        plain: |n| format!("Disallow: /folder/*{n}\n"),
        other: |n| format!("Disallow: /folder/%2a{n}\n"),
        dialect: Dialect::Google,
        directed: false,
        percent: 97,
    },
    Pair {
        name: "comments on lines of their own",
        plain: |n| format!("Disallow: /folder/{n}\n# folder\n"),
        other: |n| format!("Disallow : /folder/{n} # folder\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 52,
    },
    Pair {
        name: "comments behind rules",
        plain: |n| format!("Disallow: /folder/{n} # folder\n"),
        other: |n| format!("Disallow : /folder/{n} # folder\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 70,
    },
    Pair {
        name: "sitemaps",
        plain: |n| format!("Sitemap: https://example.com/{n}\n"),
        other: |n| format!("Sitemap : https://example.com/{n}\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 60,
    },
    Pair {
        name: "records",
        plain: |n| format!("User-agent: bot-{n}\nDisallow: /\n"),
        other: |n| format!("User-agent : bot-{n}\nDisallow : /\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 53,
    },
    Pair {
        name: "rules with blanks at their ends",
        plain: |n| format!("Disallow: \t/folder/{n} \n"),
        other: |n| format!("Disallow :\t/folder/{n} \n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 70,
    },
    Pair {
        name: "paths that are read behind a record",
        plain: |n| format!("User-agent: bot-{n}\nAllow: /folder/*{n}\n"),
        other: |n| format!("User-agent: bot-{n}\nAllow : /folder/**{n}\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 72,
    },
    Pair {
        name: "markup",
        plain: |n| format!("<a>{n}</a>\n"),
        other: |n| format!("a {n}\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 50,
    },
    Pair {
        name: "words",
        plain: |n| format!("word-{n}\n"),
        other: |_| "a word\n".to_owned(),
        dialect: Dialect::Standard,
        directed: false,
        percent: 65,
    },
    Pair {
        name: "comments",
        plain: |n| format!("# folder {n}\n"),
        other: |n| format!("a folder {n}\n"),
        dialect: Dialect::Standard,
        directed: false,
        percent: 40,
    },
    Pair {
        name: "records of Google's dialect",
        plain: |n| format!("User-agent: bot-{n}\nDisallow: /\n"),
        other: |n| format!("User-agent : bot-{n}\nDisallow : /\n"),
        dialect: Dialect::Google,
        directed: false,
        percent: 100,
    },
    Pair {
        name: "records of others",
        plain: |n| {
            format!("User-agent: bot-{n}\nDisallow: /folder/{n}\n") + &"Disallow: /folder/*\n# comment\n".repeat(9)
        },
        other: |n| {
            format!("User-agent: bot-{n}\nDisallow: /folder/{n}\n") + &"Disallow: /folder/*\n# comment\n".repeat(9)
        },
        dialect: Dialect::Standard,
        directed: true,
        percent: 70,
    },
];

#[inline(never)]
fn counted_parse<'a>(parser: &Parser, input: &'a [u8]) -> RecordSet<'a> {
    black_box(parser.parse(black_box(input)))
}

fn file(line: fn(usize) -> String) -> String {
    "User-agent: *\nAllow: /\n".to_owned() + &(100..100 + LINES).map(line).collect::<String>()
}

/// The workload that the test below runs under valgrind. [bounds.time]
#[test]
#[ignore = "run by the other test of this file"]
fn workload() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    for pair in PAIRS {
        let other = Parser::new(pair.dialect.options());
        let interest = Interest::new(["MyBot"]).fallback(false);
        let plain = if pair.directed { other.clone().for_agents(interest) } else { other.clone() };
        // The first call of a function also counts its loading.
        for (parser, line) in [(&plain, pair.plain), (&other, pair.other), (&plain, pair.plain), (&other, pair.other)] {
            counted_parse(parser, file(line).as_bytes());
        }
    }
}

/// [bounds.time] [bounds.parse]
#[test]
fn plain_lines_cost_least() {
    if !cfg!(debug_assertions) {
        println!("left out: the shares are those of code that is not optimised");
        return;
    }
    let Some((counted, _)) = Counted::run("plain_lines", (MARK, "1")) else { return };
    let mut wrong = Vec::new();
    for (at, pair) in PAIRS.iter().enumerate() {
        let (plain, other) = (counted.part(4 * at + 3), counted.part(4 * at + 4));
        println!("{}: {plain} of {other}, {} %", pair.name, plain * 100 / other);
        if plain * 100 > other * pair.percent {
            wrong.push(pair.name);
        }
    }
    assert!(wrong.is_empty(), "more expensive than before, next to lines that need repair: {wrong:?}");
}
