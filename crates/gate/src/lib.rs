//! Decides whether a crawler may fetch a URL now.
//!
//! This crate builds on [`robosieve`], which reads and tests robots.txt files. It retrieves them, decides what a
//! retrieval means for the site, remembers sites, and paces requests.
//!
//! # Parts
//! | part | purpose |
//! |---|---|
//! | [`Gate`] | the entry point: takes a URL and a moment, returns an [`Answer`] |
//! | [`GateCore`] | the same without a network: [`GateCore::ask`] and [`GateCore::learn`] |
//! | `AsyncGate` | the same for async code over tokio; needs the cargo feature `async` |
//! | [`Crawl`] | checks many URLs with several threads, in order |
//! | [`Retriever`] | makes a [`Retrieval`] |
//! | [`Policy`] | what a retrieval means, by [`Class`] and [`Ruling`]; five [`Preset`]s |
//! | [`SiteRecord`], [`Lifetimes`] | what is remembered of a site, and for how long it is valid |
//! | [`SiteStore`] | where that is kept: [`MemoryStore`], `SqliteStore` |
//! | [`Pace`], [`Pacing`] | how long to wait between requests |
//! | [`Reader`] | the crawler's agents and its options for reading |
//! | [`Overrides`] | what is different for single hosts |
//! | [`Metrics`] | counts of what a gate did |
//!
//! Only the driver and [`Crawl`] read a clock. Everything else gets the time from the caller.
// The README's example is a test.
#![cfg_attr(all(doctest, feature = "driver", feature = "sqlite"), doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
mod answer;
#[cfg(feature = "async-driver")]
mod async_driver;
#[cfg(feature = "async")]
mod async_gate;
mod crawl;
#[cfg(feature = "driver")]
mod driver;
mod fetched;
mod findings;
mod flight;
mod freshness;
mod gate;
mod gate_core;
mod head;
mod hop;
mod identity;
mod known;
mod lane;
mod lanes;
mod lifetimes;
mod limits;
mod machine;
mod memory;
mod metrics;
mod moment;
mod origin;
mod overrides;
mod pace;
mod pacing;
mod policy;
mod reader;
mod retrieval;
mod retrieval_report;
mod retriever;
mod run_clock;
mod site;
mod site_report;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod validators;

pub use address::{AddressGuard, AddressKind};
pub use answer::{Answer, GateError, Why};
#[cfg(feature = "async-driver")]
pub use async_driver::AsyncDriver;
#[cfg(feature = "async")]
pub use async_gate::{AsyncGate, AsyncRetriever};
pub use crawl::{CheckedUrl, CheckedUrls, Crawl};
#[cfg(feature = "driver")]
pub use driver::{Clock, Driver, FixedNames, LookUpError, Resolver, RootError, SystemClock, SystemResolver, TimeOuts};
pub use fetched::{FetchWith, Fetched};
pub use findings::{Findings, InputName};
pub use flight::{Flight, Pending};
pub use gate::Gate;
pub use gate_core::{Cleared, GateCore, Next};
pub use head::Head;
pub use identity::{CrawlerIdentity, IdentityError};
pub use lane::Lane;
pub use lanes::{Change, LaneError, Lanes};
pub use lifetimes::Lifetimes;
pub use limits::RetrievalLimits;
pub use machine::{Event, Machine, Step};
pub use memory::MemoryStore;
pub use metrics::{AnswerCounts, KnownFrom, Metrics, PageCounts, RetrievalCounts};
pub use moment::Moment;
pub use origin::{NoSite, Origin, OriginError, SiteSelector};
pub use overrides::{HostSettings, OverrideError, Overrides};
pub use pace::{NoSlot, Pace};
pub use pacing::{Asked, PaceBy, Pacing, Page};
pub use policy::{Class, Meanwhile, Outage, Policy, Preset, Ruling, UnknownPreset};
pub use reader::{Contents, Reader};
pub use retrieval::{Attempt, AttemptEnd, Cut, Outcome, Retrieval};
pub use retrieval_report::{AttemptReport, RetrievalReport};
pub use retriever::Retriever;
pub use run_clock::RunClock;
pub use site::{Attempted, SiteRecord, Snapshot, Standing};
pub use site_report::{SiteReport, StandingName};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{SiteStore, StoreError, Visit};
pub use validators::Validators;
