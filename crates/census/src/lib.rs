//! Which sites close to which crawlers: a table with a row for each robots.txt file and answer, over whole crawls.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`AgentList`] | names, files of names, the table of known crawlers | the crawlers that are asked about |
//! | [`Census`] | a file and what is known of it | its rows |
//!
//! A [`Census`] is a [`Table`](robosieve_batch::Table) of a [`Filter`](robosieve_batch::Filter), so it reads what
//! robosieve-batch reads, with its threads, its order, its bounds and its journal. README.md has the columns.
//!
//! ```
//! use std::sync::Arc;
//! use robosieve_batch::Filter;
//! use robosieve_census::{AgentList, Census};
//!
//! let census = Census::new(AgentList::read("*, GPTBot, CCBot")?);
//! let filter = Filter::all_agents().table(Arc::new(census));
//! let lines = "{\"robots\":\"User-agent: gptbot\\nDisallow: /\",\"url\":\"https://e.com/robots.txt\"}\n";
//! let rows = filter.items("lines", lines.as_bytes()).filter_map(|item| filter.run(item).into_record()?.rows);
//! let rows = String::from_utf8(rows.flatten().collect())?;
//! let answers = rows.lines().map(|row| row.split("\"agents\":").nth(1).unwrap().split(",\"root\"").next().unwrap());
//! assert_eq!(answers.collect::<Vec<_>>(), [
//!     r#"["*","CCBot"],"named":false,"line":null,"status":"none""#,
//!     r#"["GPTBot"],"named":true,"line":1,"status":"all""#,
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod agents;
mod answer;
mod census;
mod groups;
mod host;
mod row;

pub use agents::{AgentList, AgentsError};
pub use census::Census;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
