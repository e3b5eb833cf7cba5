//! A hardened filter and tester for robots.txt files that come from anywhere on the web.
//!
//! Takes untrusted bytes. Returns a small, bounded, canonical text, made so that other robots.txt testers read it in the
//! same way; a report of what was changed and with what effect; and answers to "may this agent fetch this URL?".
//!
//! ```
//! let file = b"User-agent: mybot\nDisalow: /private # keep out\nAllow: /private/hours\n";
//! let sieve = robosieve::Sieve::new(["MyBot"]);
//! let sieved = sieve.filter(file).unwrap(); // By default nothing is refused.
//! assert_eq!(sieved.text(), "User-agent: *\nAllow: /private/hours\nDisallow: /private\n");
//! assert!(sieved.report().is_exact());
//! let tester = sieve.tester(file).unwrap();
//! assert!(!tester.is_allowed("https://shop.example/private/x"));
//! assert_eq!(tester.test("/private/hours").to_string(), "allowed by line 3: Allow: /private/hours");
//! ```
//!
//! # The parts
//! A [`Sieve`] has the agents and the [`Options`]: [`Sieve::filter`] makes a text, [`Sieve::tester`] makes verdicts, and
//! [`Sieve::test`] answers one URL. They are made of these parts, in the order of processing. Each can be used alone:
//!
//! | part | from | to |
//! |---|---|---|
//! | [`Parser`] | bytes | [`RecordSet`]: records (groups), rules, extension lines, findings |
//! | [`Parser::parse_lines`] | bytes | the same set, and [`lines::FileLines`]: the logical lines of the file |
//! | [`Selection`] | a set | the rules and lines for some [`Agents`] |
//! | [`RecordSet::filter_for`](records::RecordSet::filter_for), [`RecordSet::filter_all`](records::RecordSet::filter_all) | a set | a smaller set |
//! | [`RecordSet::to_text`] | a set | the canonical text, as a `String` |
//! | [`Tester`] | a set | a [`Verdict`] for a URL |
//!
//! A [`Dialect`] is a named set of [`Options`]: RFC 9309, Google's parser, or ranvis/robots-txt-processor, the PHP
//! filter that this design is based on. SPEC.md defines every behaviour in a named clause. Each finding has the name of
//! its clause.
//!
//! A file is taken as `&[u8]`, since the results borrow from it: [`Sieved::into_owned`], [`RecordSet::into_owned`] and
//! [`Tester::into_owned`] copy what they need. URLs, names and values, which are not borrowed, can be anything that has
//! bytes.
//!
//! The crate root has the names that every caller needs. [`settings`] says how a file is read and for whom, [`report`]
//! what was changed, [`records`] what the file has, [`lines`] each of its lines, [`values`] what lines that are no rules
//! mean, and [`mod@verdict`] why a URL may be fetched. A [`Record`] is what RFC 9309 calls a group.
//!
//! The plain way through the crate is its meaning. What is only faster stands next to it in a file `fast.rs`, which says
//! what test compares both. A reader who skips these has read the library. Read it in this order: `report`, `options` and
//! `limits`; `syntax/grammar`, `logical` and `names`; `path/pattern` and `glob`; `policy/record`, `parse` and `select`;
//! `text/write` and `policy/order`; `verdict/tester` and `lookup`; then `text/minimise`.
//!
//! # Untrusted input
//! Parsing is total: no input causes an error, a panic or recursion. There is no `unsafe` code. Time and memory of each
//! step are bounded by the bytes that are read, at most [`Limits::max_bytes`]: by default a file takes up 14 MiB in a set,
//! and 28 MiB while its portable text is written. SPEC.md has all bounds, at `[bounds.parse]`, and how they are measured.
//! Patterns are matched without backtracking: their literals are searched from left to right, and each is taken at its
//! leftmost place. A report counts every finding and keeps the details of the first [`Report::DEFAULT_DETAILS`]. With
//! [`Limits::NONE`], and so in the Google dialect, memory grows in proportion to the input. Then limit the input yourself.
//!
//! # What it does not protect from
//! The library fetches nothing and follows no redirects. It does not say whether a rule makes sense. A text does not
//! contain rules that exceed a limit. If a Disallow is lost in this way, the text allows what it forbids. So check
//! [`Report::is_exact`], or choose [`OverLimit::Widen`] or [`OverLimit::Refuse`]. A verdict of [`Sieve::tester`] uses all
//! rules within [`Limits::max_bytes`].
//!
//! # What later versions may add
//! Enums that grow with a new dialect, directive or check are `non_exhaustive`, and so are the structs of results.
//! Structs of settings ([`Limits`], [`Options`] and their parts) are not, because callers write
//! `Limits { max_lines: 100, ..Limits::DEFAULT }`, which `non_exhaustive` would forbid. A later version may add a setting
//! all the same. So end each literal of settings with `..`.
//!
//! # Features
//! | feature | what it adds |
//! |---|---|
//! | `std` (default) | run-time detection of vector instructions; without it the crate is `no_std` with `alloc` |
//! | `serde` | `Serialize` for reports and typed values; both ways for limits and for choices with names |
//! | `arbitrary` | `Arbitrary` for [`Options`] and all their parts |
//! | `url` | [`HttpUrl`](values::HttpUrl) from a `url::Url` |
//!
//! [`Dialect`]: settings::Dialect
//! [`Limits`]: settings::Limits
//! [`Limits::NONE`]: settings::Limits::NONE
//! [`Limits::max_bytes`]: settings::Limits::max_bytes
//! [`OverLimit::Refuse`]: settings::OverLimit::Refuse
//! [`OverLimit::Widen`]: settings::OverLimit::Widen
//! [`Parser`]: records::Parser
//! [`Parser::parse_lines`]: records::Parser::parse_lines
//! [`Record`]: records::Record
//! [`RecordSet`]: records::RecordSet
//! [`RecordSet::into_owned`]: records::RecordSet::into_owned
//! [`RecordSet::to_text`]: records::RecordSet::to_text
//! [`Report::DEFAULT_DETAILS`]: report::Report::DEFAULT_DETAILS
//! [`Report::is_exact`]: report::Report::is_exact
//! [`Selection`]: records::Selection
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[doc(hidden)]
pub mod closed;
mod error;
mod limits;
pub mod report;
mod sieve;

/// Bytes -> lines: what the file begins with, names of fields, and the grammar of a line; and host names as ASCII.
///
/// Imports nothing of the other folders.
mod syntax {
    pub(crate) mod bytes;
    pub(crate) mod dictionary;
    #[cfg(test)]
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::inline_always, clippy::expect_used)]
    mod every_line;
    pub(crate) mod fast;
    pub(crate) mod glued;
    pub(crate) mod google;
    pub(crate) mod grammar;
    pub(crate) mod logical;
    pub(crate) mod names;
    pub(crate) mod preamble;
    pub(crate) mod punycode;
    pub(crate) mod sort;
    pub(crate) mod wide;
}

/// Paths of rules and of URLs: how they are normalised, when one matches the other, and which of many rules does.
mod path {
    pub(crate) mod containment;
    pub(crate) mod glob;
    pub(crate) mod index;
    pub(crate) mod pattern;
    pub(crate) mod search;
}

/// Lines -> groups: agents, rules and values of a file, and those of them that count for some agents.
mod policy {
    pub(crate) mod address;
    pub(crate) mod agent;
    pub(crate) mod budget;
    pub(crate) mod content_use;
    pub(crate) mod doubt;
    pub(crate) mod fast;
    pub(crate) mod filter;
    pub(crate) mod header;
    pub(crate) mod lines;
    pub(crate) mod options;
    pub(crate) mod order;
    pub(crate) mod parse;
    pub(crate) mod record;
    pub(crate) mod select;
    pub(crate) mod suspect;
    pub(crate) mod value;
    pub(crate) mod values;
}

/// Groups -> canonical text.
mod text {
    pub(crate) mod fast;
    pub(crate) mod heads;
    pub(crate) mod minimise;
    #[cfg(test)]
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::unwrap_used)]
    mod naive;
    pub(crate) mod write;
}

/// Answers: may this URL be fetched?
pub mod verdict {
    pub(crate) mod lookup;
    pub(crate) mod once;
    pub(crate) mod pass;
    pub(crate) mod tester;
    pub use once::FileVerdict;
    pub use tester::SiteAccess;
}

pub use policy::agent::Agents;
pub use policy::options::Options;
pub use report::Report;
pub use sieve::{Sieve, Sieved};
pub use verdict::tester::{Tester, Verdict};

/// How a file is read, for whom, and what is said of settings and files that are refused.
pub mod settings {
    pub use crate::error::ConfigError;
    pub use crate::limits::{Limits, OverLimit};
    pub use crate::path::glob::PathForm;
    pub use crate::policy::agent::{Agent, Interest};
    pub use crate::policy::options::{Dialect, For, Precedence, TextForm};
    pub use crate::report::finding::Refused;
    pub use crate::syntax::grammar::Style;
    pub use crate::syntax::names::{DirectiveScope, Leniency, Vocabulary};
}

/// The groups of a file and their lines, which of them apply, and the text of a set.
pub mod records {
    pub use crate::path::pattern::PathPattern;
    pub use crate::policy::parse::Parser;
    pub use crate::policy::record::{AgentLine, ExtensionLine, Record, RecordSet, Rule};
    pub use crate::policy::select::{AnsweredBy, Selection};
    pub use crate::syntax::names::{Directive, RuleKind};
}

/// The logical lines of a file, by [`Parser::parse_lines`](records::Parser::parse_lines).
pub mod lines {
    pub use crate::policy::lines::{FileLines, KeptPart, LineMeaning, LogicalLine};
    pub use crate::syntax::glued::Part;
}

/// Values of lines that are neither user-agent lines nor rules, and the values for one agent.
pub mod values {
    pub use crate::policy::address::HttpUrl;
    pub use crate::policy::content_use::{ContentUse, Label, Purpose, Use};
    pub use crate::policy::value::{CleanParam, CrawlDelay, RequestRate, VisitTime};
    pub use crate::policy::values::AgentValues;
}

/// What `robosieve-diff` and `robosieve-explain` are made of, apart from the interface. It can change with any version.
#[doc(hidden)]
pub mod parts {
    pub use crate::path::glob::{Literals, is_unit, matches, written};
    pub use crate::path::pattern::UrlPath;
    pub use crate::policy::value::canonical;
    pub use crate::syntax::bytes::{is_hex, is_unreserved, is_url_byte, percent_encoded, unhex};
    pub use crate::syntax::names::{is_one_edit, known_directives, misspellings, nearest_directive};
    pub use crate::verdict::lookup::{NO_NUMBER, kind_of, numbered, position_of};
}

/// Runs the example in README.md as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
