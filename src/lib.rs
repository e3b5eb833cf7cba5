//! A hardened filter and tester for robots.txt files that come from anywhere on the web.
//!
//! Bytes nobody vouches for go in; out come a small, bounded, canonical text that other robots.txt testers read the same way,
//! a report of what was changed and what that costs, and answers to "may this agent fetch this URL?".
//!
//! ```
//! let input = b"\xEF\xBB\xBFUseragent: *\r\nDisallow: /tmp # scratch\r\nDisallow: /%7Eann\r\n";
//! let sieved = robosieve::sieve(input, &["MyBot"]);
//!
//! assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /~ann\nDisallow: /tmp\n");
//! assert!(sieved.report().is_exact());
//! let verdict = sieved.tester();
//! assert!(!verdict.is_allowed("https://example.com/tmp/a.html"));
//! assert!(verdict.is_allowed("https://example.com/"));
//! ```
//!
//! # The parts
//! [`sieve()`] and [`Sieve`] are the front door: one call with safe defaults, and a builder with every choice. Behind it stand the
//! parts, each usable alone, in the order in which bytes pass them:
//!
//! | part | from | to |
//! |---|---|---|
//! | [`Parser`] | octets | [`RecordSet`]: records, rules, extension lines, findings |
//! | [`Selection`] | a set | what it says to some [`Agents`] |
//! | [`filter_for`], [`filter_all`] | a set | a smaller set |
//! | [`write()`] | a set | [`CanonicalText`] |
//! | [`Tester`] | a set | a [`Verdict`] for a URL |
//!
//! A [`Dialect`] is a bundle of [`Options`]: the standard's reading, Google's, or the PHP filter's that the design comes from.
//! SPEC.md names every behaviour; findings carry the name of their clause.
//!
//! # Untrusted input
//! Parsing is total: no input fails, panics or recurses, and there is no `unsafe` code. SPEC.md gives the bounds and says how
//! they are measured; in short, with *n* octets read (at most [`Limits::max_bytes`]) and *u* octets of a URL:
//!
//! | step | octets looked at | octets held, at most | by default |
//! |---|---|---|---|
//! | parsing | each of *n* in 600 instructions at most | 40 *n* | 6 MiB |
//! | filtering | what is kept; sorting agents, where all are | 24 *n* | 2 MiB |
//! | the text | what is kept; sorting it | 24 *n* | 2 MiB |
//! | the portable text | the same, and [`CanonicalText::MAX_WORK`] pairs of rules | 72 *n* | 2 MiB |
//! | making a tester | what is kept; sorting it | 40 *n* | 2 MiB |
//! | a verdict | 2 *u*, and 36 *u* for each rule with stars that begins as the path does | 7 *u*, or nothing; 4 *u* more for a long path | the same |
//! | a [`Diff`] | two portable texts, and [`Diff::MAX_WORK`] pairs of a URL and a rule with stars | 72 *n* of both files | 8 MiB |
//!
//! Where lines of a name of one letter are kept ([`Options::keep_unknown`], names of your own), parsing holds 80 *n*, 24 MiB by
//! default, and filtering as much. A pattern is matched without backtracking: its literals are searched from left to right,
//! each the leftmost place first. A report counts every finding and keeps the first [`Report::DEFAULT_DETAILS`] in detail. With
//! [`Limits::NONE`], and so in the Google dialect, memory grows with the input, in proportion: bound the input itself.
//!
//! # What it does not protect from
//! It does not fetch anything, and does not follow redirects. It does not say whether a rule is wise. A limit that costs a
//! Disallow opens what that forbids: ask [`Report::is_exact`], or choose [`OverLimit::Widen`] or [`OverLimit::Refuse`].
//!
//! # Features
//! `std` (default): run-time detection of vector instructions; without it the crate is `no_std` with `alloc`. `serde`:
//! `Serialize` for reports and typed values, and for the options both ways. `arbitrary`: for fuzzing.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod agent;
mod canonical;
mod dialect;
mod diff;
mod directive;
mod error;
mod filter;
mod glob;
mod grammar;
mod grams;
mod growth;
mod limits;
mod minimise;
mod octets;
mod options;
mod order;
mod parse;
mod pattern;
mod record;
mod relate;
mod report;
mod room;
mod select;
mod sieve;
mod sniff;
mod status;
mod tester;
mod trie;
mod value;

pub use agent::{Agent, AgentForm, AgentName, Agents, Interest, ProductToken};
pub use canonical::{CanonicalText, Form, Newline, TextForm, write};
pub use dialect::Dialect;
pub use diff::{ChangedLine, ChangedRule, Diff, Flip};
pub use directive::{Directive, Leniency, Scope, ValueForm, Vocabulary, known_directives, misspellings};
pub use error::{ConfigError, Refused};
pub use filter::{filter_all, filter_for};
pub use grammar::{LineForm, LineStyle};
pub use limits::{Limits, OverLimit};
pub use options::Options;
pub use parse::Parser;
pub use pattern::{PathEncoding, PathForm, PathPattern, UrlPath};
pub use record::{AgentLine, Extension, Precedence, Reading, Record, RecordSet, Rule, RuleKind};
pub use report::{Class, Effect, Finding, FindingKind, Report};
pub use select::{AnsweredBy, Selection};
pub use sieve::{Sieve, Sieved, sieve};
pub use status::{Access, Forbidden};
pub use tester::{Reason, Tester, Verdict};
pub use value::{CleanParam, ContentUse, CrawlDelay, HttpUrl, RequestRate, VisitTime};

/// The README's example of the library is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
