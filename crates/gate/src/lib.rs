//! Decides whether a crawler may fetch a URL now.
//!
//! This crate builds on [`robosieve`], which reads and tests robots.txt files. It retrieves them, decides what a
//! retrieval means for the site, remembers sites, and paces requests.
//!
//! Invariant: only `Gate` and the client read a clock. Everything else gets the time from the caller.
//!
//! # A crawler
//! [`Settings`] make a [`Core`] over a store, and `Gate` is the core with a client: `Client`, or a closure over your own, as
//! here. Your own client keeps its connections and speaks HTTP/2 if it can; the gate sees the raw answers.
//!
#![cfg_attr(feature = "async", doc = "```")]
#![cfg_attr(not(feature = "async"), doc = "```ignore")]
//! use robosieve::Agents;
//! use robosieve_gate::retrieve::{Fetched, Request};
//! use robosieve_gate::{Core, Gate, MemoryStore, Settings};
//! # mod client {
//! #     pub struct Response { pub status: u16, pub headers: Vec<(String, Vec<u8>)>, pub body: Vec<u8> }
//! #     pub async fn get(_: &str) -> Result<Response, String> {
//! #         Ok(Response { status: 200, headers: Vec::new(), body: b"User-agent: *\nDisallow: /private\n".to_vec() })
//! #     }
//! # }
//! # async fn run() {
//! let fetch = |request: Request| async move {
//!     // Your client: it follows no redirect, and sends the headers of `request.held`.
//!     match client::get(request.url.as_str()).await {
//!         Ok(response) => {
//!             let headers = response.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
//!             Fetched::new(response.status, response.body).headers(headers)
//!         }
//!         Err(why) => Fetched::failed(&why),
//!     }
//! };
//! let gate = Gate::new(fetch, Core::new(Settings::new(Agents::new(["MyBot"])), MemoryStore::default()));
//! let answer = gate.turn("https://example.com/a").await;
//! if answer.is_allowed() {
//!     println!("fetch it now"); // the slot is yours
//! } else {
//!     println!("{answer}");
//! }
//! # }
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
//! # runtime.block_on(run());
//! ```
//!
//! `Client` (the feature `driver`) is a client over hyper and rustls. [`Core`] needs neither a client nor a runtime.
//!
// The README's example is a test.
#![cfg_attr(all(doctest, feature = "driver", feature = "sqlite"), doc = include_str!("../README.md"))]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

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
