//! What a robots.txt file means, as data: line by line, and to an agent.
//!
//! [`Explainer::page`] explains each line of a file. [`Explainer::inspect`] lists all that the file says to an agent.
//! Both describe what [`Sieve`](robosieve::Sieve) makes of the file with the same options.
//!
//! ```
//! use robosieve_explain::{Explainer, Meaning};
//!
//! let page = Explainer::new(["MyBot"]).page(b"User-agent: *\nDisallow:\n  /x\nFoo: bar\n");
//! let words: Vec<String> = page.lines.iter().map(|line| line.words()).collect();
//! let expected = ["user agent: all other crawlers", "rule, read as Disallow: /x", "continues line 2", "left out"];
//! assert_eq!(words, expected);
//! assert_eq!(page.lines[2].meaning, Meaning::Continued { of: 2 });
//! ```
//!
//! # Bounds
//! Time grows in proportion to the bytes that are read: at most `max_bytes` of the options. A page also has the lines
//! after `max_bytes`, as [`Meaning::NotRead`]; limit the input if it can be long. A page holds some 300 bytes for each
//! line. A [`Tree`] has at most 300 nodes. [`AgentsDiff`] has limits of its own. The
//! data hold text that is safe to print, of [`robosieve_printable`], apart from [`PageLine::bytes`].
//!
//! # Features
//! `serde`: `Serialize` for all data.
//!
//! # What it does not do
//! It prints nothing, and it opens no file and no connection. It reads no line itself: the lines are those of
//! [`Parser::parse_lines`](robosieve::records::Parser::parse_lines).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod target;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod answer;
mod asked;
#[cfg(feature = "serde")]
mod changes;
mod compare;
mod counted;
mod crawlers;
mod draft;
mod expect;
mod explainer;
mod inspection;
#[allow(clippy::similar_names, reason = "a lint is at a line")]
mod lint;
mod names;
mod page;
mod reading;
mod report;
mod table;
mod tree;
mod who;
mod why;

use std::num::NonZeroU32;

pub use answer::{Answer, AnswerRule};
pub use asked::{Asked, BadUrl, Tested};
#[cfg(feature = "serde")]
pub use changes::Changes;
pub use compare::{AgentsChange, AgentsDiff, GroupUsed, changed_at};
pub use counted::{counted, counted_len, listed};
pub use crawlers::Crawler;
pub use draft::{LeftOut, Meaning, PageLine};
pub use expect::{Checked, Expectation, check, expectations};
pub use explainer::{Explainer, Standing};
pub use inspection::{InspectedDelay, InspectedLine, InspectedRule, Inspection, NamedAgent, Section};
pub use lint::{Columns, Edit, Fix, Fixed, Lint, LintKind, Linted, Linter, Severity};
pub use names::{Groups, Names};
pub use page::Page;
pub use report::{ExplainedFinding, FileSummary, exactness, refusal, report_lines, summary_lines};
pub use tree::{Tree, TreeNode, TreeRule};
pub use who::{Who, tester};
pub use why::{DialectAnswer, MatchingRule, Why, pattern_in_words};

/// A line of a file; none for what stands on none.
pub(crate) type LineNumber = Option<NonZeroU32>;

/// The number of a line, for people; 0 for none.
pub(crate) fn number(line: LineNumber) -> u32 {
    line.map_or(0, NonZeroU32::get)
}
