//! Every limit at 0, 1, N-1, N, N+1 and the largest number, on a file with exactly N of what it limits: alone, and
//! with all other limits at 1. Also where a cut falls, byte by byte.
//!
//! Invariant: the table has a row for each field of [`Limits`], in their order.

use robosieve::records::PathPattern;
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Limits, OverLimit, PathForm, TextForm};
use robosieve::{Options, Sieve, Sieved};

use crate::checked::{ALL, Choices, lines};
use crate::{limited, sieved};

/// The N of each file. It is more than the bytes of the shortest text, which is allowed under any limit.
const N: usize = 28;

/// The limits under which some may be kept if not all are.
const COUNTS: [&str; 3] = ["max_records", "max_lines", "max_user_agents"];

/// A limit.
struct Row {
    name: &'static str,
    /// A file with exactly N of what is limited, and a line after that.
    file: fn() -> String,
    /// The number of them in the result.
    left: fn(&Sieved<'_>) -> usize,
    kind: FindingKind,
}

/// The line after what is dropped.
const AFTER: &str = "Sitemap: https://e.com/\n";
const BEHIND_RULE: &str = "Disallow: /z\nSitemap: https://e.com/\n";

fn table() -> [Row; 8] {
    [
        Row {
            name: "max_bytes",
            file: || format!("User-agent: *\nAllow: /{}\n", "a".repeat(N - "User-agent: *\nAllow: /\n".len())),
            left: |sieved| if sieved.text().contains("Allow: /a") { N } else { 0 },
            kind: FindingKind::InputCut,
        },
        Row {
            name: "max_records",
            file: || (0..N).map(|n| format!("User-agent: bot-{n:02}\nDisallow: /{n}\n")).collect::<String>() + AFTER,
            left: |sieved| sieved.records().records().len(),
            kind: FindingKind::TooManyRecords,
        },
        Row {
            name: "max_lines",
            file: || {
                "User-agent: a\n".to_owned() + &(0..N).map(|n| format!("Disallow: /{n}\n")).collect::<String>() + AFTER
            },
            left: |sieved| rules(sieved).len(),
            kind: FindingKind::TooManyLines,
        },
        Row {
            name: "max_user_agents",
            file: || (0..N).map(|n| format!("User-agent: bot-{n:02}\n")).collect::<String>() + "Disallow: /\n" + AFTER,
            left: |sieved| sieved.records().records().map(|record| record.agents().len()).sum(),
            kind: FindingKind::TooManyAgents,
        },
        Row {
            name: "max_directive_length",
            file: || format!("User-agent: a\n{}: x\n{BEHIND_RULE}", "x".repeat(N)),
            left: |sieved| if sieved.text().contains("Xx") { N } else { 0 },
            kind: FindingKind::DirectiveTooLong,
        },
        Row {
            name: "max_name_length",
            file: || format!("User-agent: {}\nUser-agent: b\n{BEHIND_RULE}", "a".repeat(N)),
            left: |sieved| if sieved.text().contains("aaaa") { N } else { 0 },
            kind: FindingKind::NameTooLong,
        },
        Row {
            name: "max_value_length",
            file: || format!("User-agent: a\nDisallow: /{}\n{BEHIND_RULE}", "a".repeat(N - 1)),
            left: |sieved| rules(sieved).iter().map(String::len).filter(|&length| length > 2).sum(),
            kind: FindingKind::ValueTooLong,
        },
        Row {
            name: "max_wildcards",
            file: || format!("User-agent: a\nDisallow: /{}\n{BEHIND_RULE}", "*a".repeat(N)),
            left: |sieved| rules(sieved).iter().map(|rule| rule.matches('*').count()).sum(),
            kind: FindingKind::TooManyWildcards,
        },
    ]
}

/// The patterns in the result.
fn rules(sieved: &Sieved<'_>) -> Vec<String> {
    let rules = sieved.records().records().flat_map(|record| record.rules());
    rules.map(|rule| rule.pattern().as_bstr().to_string()).collect()
}

/// The interesting values of a limit.
const VALUES: [usize; 6] = [0, 1, N - 1, N, N + 1, usize::MAX];

fn with(row: &Row, value: usize, others: Limits) -> Limits {
    let mut limits = others;
    *limits.named_mut(row.name).unwrap() = value;
    limits
}

/// Sieves for all agents, with unknown lines kept.
fn sieve(limits: Limits, over_limit: OverLimit) -> Sieve {
    let options = Options { limits, over_limit, keep_unknown: true, ..Options::default() };
    Sieve::all_agents().options(options)
}

/// What is exactly at a limit is kept. What is over it is lost and reported, and nothing after it is lost:
/// [limit.after-normalising] [limit.own-line] [limit.bytes] [limit.records] [limit.lines] [limit.user-agents]
/// [limit.directive-length] [limit.name-length] [limit.value-length] [limit.wildcards]
#[test]
fn each_limit_alone() {
    assert_eq!(table().map(|row| row.name), Limits::NAMES);
    for row in table() {
        let file = (row.file)();
        for value in VALUES {
            let sieved = sieve(with(&row, value, Limits::DEFAULT), OverLimit::Drop).filter(file.as_bytes()).unwrap();
            let left = (row.left)(&sieved);
            let expected = match value {
                _ if value >= N => N,
                _ if COUNTS.contains(&row.name) => value,
                _ => 0,
            };
            assert_eq!(left, expected, "{} at {value}: {}", row.name, sieved.text());
            let is_reported =
                sieved.report().count(row.kind) > 0 || sieved.report().count(FindingKind::TextTooLong) > 0;
            assert_eq!(is_reported, value < N, "{} at {value}: {:?}", row.name, sieved.report());
            if row.kind == FindingKind::InputCut {
                continue;
            }
            // A limit on lines also applies to lines of the file, and one on values to the sitemap's value.
            let fits = value >= 14 || !matches!(row.name, "max_value_length" | "max_lines" | "max_directive_length");
            let text = sieved.text();
            assert!(text.contains(AFTER) || !fits || value == 0, "{} at {value} lost the sitemap: {text}", row.name);
            assert!(text.contains("/z") || !file.contains("/z") || value < 10, "{} at {value}: {text}", row.name);
        }
    }
}

/// All properties are true with all other limits at 1 and without other limits, under each policy for exceeded
/// limits. [limit.after-normalising] [over-limit.refuse] [over-limit.widen] [report.exact] [text.idempotent]
#[test]
fn each_limit_with_all_others_at_one() {
    let mut one = Limits::NONE;
    for name in Limits::NAMES {
        *one.named_mut(name).unwrap() = 1;
    }
    let readable = Limits { max_bytes: 512_000, max_directive_length: 32, ..one };
    for row in table() {
        // Uses all files, since each loses something different if the other limits are 1.
        for file in table().iter().map(|row| (row.file)()).chain([ODD.to_owned()]) {
            for others in [one, readable, Limits::NONE] {
                for (at, value) in VALUES.into_iter().enumerate() {
                    let dialect = [Dialect::Standard, Dialect::Google, Dialect::Processor][at % 3];
                    let options = Options { limits: with(&row, value, others), ..dialect.options() };
                    let mut choices = Choices::new(options, &["a", "bot-03"]);
                    choices.options.keep_unknown = at % 2 == 0;
                    choices.form = if at % 2 == 0 { TextForm::Faithful } else { TextForm::Portable };
                    for (_, property) in ALL {
                        property(file.as_bytes(), &choices);
                    }
                }
            }
        }
    }
}

/// A little of everything.
const ODD: &str = "\u{feff}Useragent: *\r\nDisallow: /*a*b$\r\nAllow /%e3%83%84\rDisallow:\n  Allow: /x\nCrawl-delay: 1.5\n\
    User-agent: a\nContent-Signal: a=b,\n c=d\nDisallow: /\u{e9}%2a\nAllow: /dir/index.html\nDisallow: /\nSitemap: HTTP://E.com\n";

/// A cut at any byte keeps the whole lines before it, and is reported. It never keeps half a line, an escape, a
/// character or a CRLF. [limit.bytes] [line.end] [logical.not-read]
#[test]
fn a_cut_falls_on_the_end_of_a_line() {
    let input =
        "User-agent: *\r\nDisallow: /%e3%83%84\r\nAllow: /\u{30c4}\u{30c4}\rDisallow: /%2A*b$\n\r\nAllow: /b\r\n"
            .as_bytes();
    let whole = Sieve::new(["MyBot"]);
    for max_bytes in 0..=input.len() + 1 {
        // Checks only the parser's cut: the text has a separate limit.
        let choices = Choices::new(limited(Limits { max_bytes, ..Limits::DEFAULT }), &[]);
        lines::cover(input, &choices);
        lines::agree(input, &choices);
        let parser = choices.parser();
        let set = parser.parse(input);
        let kept: Vec<&[u8]> = set.records().flat_map(|it| it.rules()).map(|rule| rule.pattern().as_bytes()).collect();
        let lines = whole_lines(input, max_bytes);
        let expected = whole.filter(lines).unwrap();
        let rules = expected.records().records().flat_map(|record| record.rules());
        assert_eq!(kept, rules.map(|rule| rule.pattern().as_bytes()).collect::<Vec<_>>(), "at {max_bytes}");
        let is_cut = input[lines.len()..].iter().any(|byte| !matches!(byte, b'\r' | b'\n'));
        let is_reported = set.report().count(FindingKind::InputCut) == 1;
        assert!(is_reported || !is_cut, "a cut at {max_bytes} is not reported");
        assert!(!is_reported || lines.len() < input.len(), "reported a cut that did not happen at {max_bytes}");
    }
}

/// The whole lines among the first bytes, found by a simple scan.
fn whole_lines(input: &[u8], max: usize) -> &[u8] {
    let is_end = |at: usize| input.get(at).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
    let end = (0..=max.min(input.len())).rev().find(|&at| at == 0 || is_end(at) || is_end(at - 1)).unwrap();
    &input[..end]
}

/// A Disallow is cut without changing the meaning of its beginning, at every length and number of stars:
/// [over-limit.widen]
#[test]
fn a_widened_rule_is_cut_between_bytes() {
    for path in
        ["/%E3%83%84/a%2Ab", "/a*b*%2A$c*", "*/x$*y$", "/$$$$%24", "/%%34%31", "/%E3*%83*%84", "/a%2", "/%25%32%41"]
    {
        let input = format!("User-agent: *\nDisallow: {path}\n");
        let whole = PathPattern::new(path.as_bytes(), PathForm::default());
        for max in 1..=path.len() {
            for limits in [
                Limits { max_value_length: max, ..Limits::DEFAULT },
                Limits { max_wildcards: max - 1, ..Limits::DEFAULT },
                Limits { max_value_length: max, max_wildcards: max / 2, ..Limits::DEFAULT },
            ] {
                let widened = sieved(Options { over_limit: OverLimit::Widen, ..limited(limits) }, &input);
                let cut = rules(&widened).remove(0);
                let is_front = whole.as_bytes().starts_with(cut.as_bytes());
                assert!(is_front || cut == "/", "{path} became {cut}");
                if cut.len() == whole.len() || cut == "/" {
                    continue;
                }
                assert!(cut.len() <= limits.max_value_length, "{path} became {cut}");
                let after = &whole.as_bytes()[cut.len()..];
                for within in 1..=2.min(cut.len()) {
                    let around = [&cut.as_bytes()[cut.len() - within..], after].concat();
                    let is_escape =
                        around[0] == b'%' && around.len() > 2 && around[1..3].iter().all(u8::is_ascii_hexdigit);
                    assert!(!is_escape, "{path} was cut within an escape: {cut}");
                }
                assert!(!cut.ends_with('$'), "{path} was cut so that it is anchored: {cut}");
            }
        }
    }
}
