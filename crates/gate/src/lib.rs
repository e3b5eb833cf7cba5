//! Decides whether a crawler may fetch a URL now.
//!
//! This crate builds on [`robosieve`], which reads and tests robots.txt files. It retrieves them, decides what a
//! retrieval means for the site, remembers sites, and paces requests.
//!
//! Invariant: only `Gate` and the client read a clock. Everything else gets the time from the caller.
//!
#![cfg_attr(all(feature = "driver", feature = "sqlite"), doc = include_str!("../README.md"))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![allow(clippy::must_use_candidate, reason = "types say it that are lost if nobody uses them")]

pub mod ask;
pub mod decide;
mod error;
pub mod keep;
mod moment;
#[cfg(feature = "driver")]
pub mod net;
pub mod origin;
pub mod pace;
pub mod retrieve;

pub use ask::{Action, Answer, Ask, Core, Errand, Next, Settings};
#[cfg(feature = "async")]
pub use ask::{Fetch, Gate};
pub use error::Error;
pub use keep::MemoryStore;
#[cfg(feature = "redis")]
pub use keep::RedisStore;
#[cfg(feature = "sqlite")]
pub use keep::SqliteStore;
pub use moment::{Moment, RunClock};
#[cfg(feature = "driver")]
pub use net::Client;
pub use origin::Origin;
pub use retrieve::CrawlerIdentity;
