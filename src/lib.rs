//! A hardened filter and tester for robots.txt files that come from anywhere on the web.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod agent;
mod canonical;
mod dialect;
mod directive;
mod error;
mod filter;
mod grammar;
mod limits;
mod octets;
mod parse;
mod pattern;
mod record;
mod report;
mod select;
mod sieve;
mod sniff;
mod status;
mod tester;
mod value;

pub use agent::{Agent, AgentForm, AgentName, Agents, ProductToken};
pub use canonical::{CanonicalText, Newline, write};
pub use dialect::Dialect;
pub use directive::{Directive, Leniency, Scope, ValueForm, Vocabulary, known_directives, misspellings};
pub use error::{ConfigError, Refused};
pub use filter::{filter_all, filter_for};
pub use grammar::{LineForm, LineStyle};
pub use limits::{Limits, OverLimit};
pub use parse::{Options, Parser};
pub use pattern::{PathEncoding, PathForm, PathPattern, UrlPath};
pub use record::{AgentLine, Extension, Precedence, Reading, Record, RecordSet, Rule, RuleKind};
pub use report::{Class, Effect, Finding, FindingKind, Report};
pub use select::{AnsweredBy, Interest, Selection};
pub use sieve::{Sieve, Sieved, sieve};
pub use status::{Access, Forbidden};
pub use tester::{Reason, Tester, Verdict};
pub use value::{CleanParam, ContentUse, CrawlDelay, HttpUrl, RequestRate, VisitTime};
