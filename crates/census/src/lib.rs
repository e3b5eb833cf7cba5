//! Who closes whom: a table with a row for each robots.txt file and crawler, over whole crawls.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`AgentList`] | names, files of names, the table of known crawlers | the crawlers that are asked about |
//! | [`Census`] | a file and what is known of it | its rows |
//! | [`columns`] | | the names, types, meanings and sources of the columns |
//!
//! A [`Census`] is a [`Table`](robosieve_batch::Table) of a [`Filter`](robosieve_batch::Filter), so it reads what
//! robosieve-batch reads, with its threads, its order, its bounds and its journal.
//!
//! ```
//! use std::sync::Arc;
//! use robosieve_batch::Filter;
//! use robosieve_census::{AgentList, Census, Rows};
//!
//! let census = Census::new(AgentList::read("GPTBot, *")?).rows(Rows::Agents);
//! let filter = Filter::all_agents().table(Arc::new(census));
//! let lines = "{\"robots\":\"User-agent: gptbot\\nDisallow: /\",\"url\":\"https://e.com/robots.txt\"}\n";
//! let rows = filter.items("lines", lines.as_bytes()).filter_map(|item| filter.run(item).into_record()?.rows);
//! let rows = String::from_utf8(rows.flatten().collect())?;
//! let statuses = rows.lines().map(|row| row.split("\"status\":").nth(1).unwrap().split(',').next().unwrap());
//! assert_eq!(statuses.collect::<Vec<_>>(), ["\"all\"", "\"none\""]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod agents;
mod answer;
mod ask;
mod cells;
mod census;
pub mod columns;
#[cfg(feature = "parquet")]
mod expected;
mod file_row;
mod groups;
pub mod history;
#[cfg(feature = "parquet")]
mod lock;
mod names;
pub mod normal;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod question;
mod reading;
mod repeated;
mod schemas;
mod stored;
#[cfg(feature = "parquet")]
pub mod tables;
mod texts;
mod time;
mod view;

pub use agents::{AgentList, AgentsError};
pub use ask::{Answer, Asker, Asking, Observations};
pub use cells::{Cell, Form, Held};
pub use census::{Census, Rows, Seen};
#[cfg(feature = "parquet")]
pub use expected::{Compared, Differs, Expected};
#[cfg(feature = "parquet")]
pub use lock::Lock;
pub use normal::Entry;
pub use parts::Parts;
pub use question::Question;
pub use reading::Reading;
pub use schemas::schemas;
pub use stored::{Read, Stored};
#[cfg(feature = "parquet")]
pub use tables::{TableForm, Tables, Taken, Written};
pub use time::digits;
pub use view::{Said, View};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
