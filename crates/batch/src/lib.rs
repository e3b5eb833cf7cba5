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
//! # Features
//! `archives` (default): archives, directories and runs over them. Without it there is only what single files and requests
//! need: [`files`], [`json`], [`lines`], [`requests`] and [`unpack`], which then reads no zstd. Building it takes half the
//! time.
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
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

#[cfg(feature = "archives")]
mod archives;
pub mod files;
pub mod json;
pub mod lines;
mod packed;
pub mod requests;
pub mod stream;
pub mod unpack;
mod window;

/// The README's example of the library is a test.
#[cfg(all(doctest, feature = "archives"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "archives")]
pub use archives::{
    Batch, Checked, Done, Error, Filter, Findings, Form, Inputs, Item, Items, Observer, Outcome, Output, Policy,
    Record, Slow, Start, Summary, Table, wacz, warc,
};
pub use robosieve_ask::Problem;
pub use robosieve_explain::Who;
