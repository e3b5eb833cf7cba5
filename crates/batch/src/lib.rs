//! Filters millions of robots.txt files: reads archives, directories and streams, and makes one record and one
//! canonical text of each file.
//!
//! Three layers, each usable alone:
//!
//! | layer | from | to |
//! |---|---|---|
//! | [`Items`] | one archive, file or stream, from any reader | [`Item`]s, one at a time |
//! | [`Filter`] | an item | a [`Record`]: the outcome, its report, its text |
//! | [`Batch`] | [`Inputs`] of any number | an [`Output`], with threads, in order, resumable |
//!
//! A distributed engine that hands out whole archives uses the first two layers in each worker:
//!
//! ```
//! use robosieve_batch::{Filter, Form, Summary};
//!
//! let filter = Filter::new(["MyBot"]);
//! let mut summary = Summary::default();
//! let archive: &[u8] = b"nonsense\nWARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
//! for item in filter.items("crawl.warc.gz", archive).form(Form::Warc) {
//!     let done = filter.run(item);
//!     summary.add(&done);
//!     if let Some(record) = done.record() {
//!         // Corrupt data is a row, not a failed task.
//!         assert_eq!(record.error.as_ref().unwrap().kind, "bad-record");
//!     }
//! }
//! assert_eq!((summary.records, summary.skipped["warcinfo"]), (1, 1));
//! ```
//!
//! # Bounds
//! Memory depends on the number of threads, not on the inputs. Of a file, `max_bytes` bytes of the options are read,
//! at most [`Filter::MAX_BYTES`]. Of a line or an archive's block, six times that plus 64 KiB are kept. SPEC.md has
//! all bounds under `[batch.bounds]`. README.md documents the fields of a record.
//!
//! # What it does not do
//! The crate prints nothing and ends no process: it reports progress to an [`Observer`], and returns an [`Error`] if
//! a run fails.
//!
//! Data flows in one direction: inputs -> items -> (threads) filter -> sink, with its journal. Links within a
//! directory are not followed. Nothing is written outside the output.
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

pub mod files;
pub mod json;
pub mod lines;
pub mod printable;
pub mod requests;
pub mod stream;
pub mod unpack;
pub mod warc;

/// The README's example of the library is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod archived;
mod cut;
mod error;
mod filter;
mod http;
mod inputs;
mod item;
mod items;
mod journal;
mod member;
mod mirror;
mod names;
mod output;
mod part;
mod piece;
mod pieces;
mod pool;
mod problem;
mod record;
mod request;
mod run;
mod sink;
mod summary;
mod window;

pub use archived::Archived;
pub use error::Error;
pub use filter::{Done, Filter};
pub use inputs::Inputs;
pub use item::{Form, Item};
pub use items::Items;
pub use journal::Start;
pub use output::Output;
pub use problem::Problem;
pub use record::{Outcome, Policy, Record};
pub use robosieve_explain::Who;
pub use run::{Batch, Checked, Observer};
pub use summary::{Findings, Slow, Summary};
