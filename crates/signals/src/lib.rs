//! What may be done with a page: all that its headers, its HTML head, `/.well-known/tdmrep.json` and robots.txt say of
//! it, as one answer.
//!
//! A [`Page`] takes what is known, as untrusted bytes. [`Signals`] are what the sources say, each statement with its
//! place, whom it is for, and since when. An [`Answer`] is for a crawler and a time: yes, no or unsaid for each
//! [`Use`], and the place that decided. The strictest statement counts, and a value that is not written as its document says
//! never allows anything.
//!
//! ```
//! use robosieve_explain::Names;
//! use robosieve_signals::{Allowed, Page, Use};
//!
//! let page = Page::new("/a").header("X-Robots-Tag", "googlebot: noindex");
//! let of = |agent| page.signals().answer(Names::Known.groups([agent]), 0).of(Use::Index);
//! assert_eq!((of("Googlebot"), of("MyBot")), (Allowed::No, Allowed::Unsaid));
//! ```
//!
//! # What it does not do
//! It fetches nothing, and runs no script. Attributes of elements in the body (`data-nosnippet`, `rel="nofollow"`) are
//! not read. A licence is named, and not understood.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod answer;
mod broken;
mod date;
mod directives;
mod finding;
mod head;
mod limits;
mod link;
mod page;
mod preference;
mod record;
mod response;
mod robots;
mod robots_tag;
mod statement;
mod tags;
mod tdm;
mod uses;

pub use answer::{Amounts, Answer, Decided, Signals};
pub use date::time;
pub use directives::{Directive, Forbidden, Meaning};
pub use finding::{Finding, FindingKind};
pub use limits::Limits;
pub use page::Page;
pub use statement::{License, Place, Said, Source, Statement};
pub use uses::{Allowed, Amount, Use};

/// Runs the example in README.md as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
