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
//! Invariant: only the drivers, [`FetchWith`] and [`Crawl`] read a clock. Everything else gets the time from the caller.
// The README's example is a test.
#![cfg_attr(all(doctest, feature = "driver", feature = "sqlite"), doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod ask;
mod by_host;
mod crawl;
mod decide;
mod keep;
mod moment;
mod net;
mod origin;
mod pace;
mod retrieve;
mod run_clock;
mod store_error;

#[cfg(feature = "async")]
pub use ask::AsyncGate;
pub use ask::{
    Answer, AnswerCounts, Cleared, Flight, Gate, GateCore, GateError, HostSettings, KnownFrom, Metrics, Next,
    OverrideError, Overrides, PageCounts, Pending, RetrievalCounts, Why,
};
pub use crawl::{CheckedUrl, CheckedUrls, Crawl};
pub use decide::{
    AttemptReport, Attempted, Class, Contents, Findings, InputName, Lifetimes, Meanwhile, Outage, Policy, Preset,
    Reader, RetrievalReport, Ruling, SiteRecord, SiteReport, Snapshot, Standing, StandingName, UnknownPreset,
};
#[cfg(feature = "sqlite")]
pub use keep::SqliteStore;
pub use keep::{MemoryStore, SiteStore, Visit};
pub use moment::Moment;
#[cfg(feature = "async-driver")]
pub use net::AsyncDriver;
#[cfg(feature = "_net")]
pub use net::{CachedNames, CertificateError, FixedNames, LookUpError, Resolver, SystemResolver};
#[cfg(feature = "driver")]
pub use net::{Clock, Driver, SystemClock, TimeOuts};
pub use net::{CrawlerIdentity, IdentityError};
pub use origin::{NoSite, Origin, OriginError, SiteSelector};
pub use pace::{Asked, Change, Lane, LaneError, Lanes, NoSlot, OverMax, Pace, PaceBy, Pacing, Page};
#[cfg(feature = "async")]
pub use retrieve::AsyncRetriever;
pub use retrieve::{
    AddressGuard, AddressKind, AtOnce, Attempt, AttemptEnd, Cut, Event, FetchWith, Fetched, Head, HeaderError, Machine,
    Outcome, OwnHeaders, Request, Retrieval, RetrievalLimits, Retriever, Step, Turn, Turns, Validators,
};
#[cfg(feature = "_net")]
pub use retrieve::{ClientCertificate, ConnectionError, Connections, HostConnection, Proxies, Proxy, ProxyError};
pub use run_clock::RunClock;
pub use store_error::StoreError;
