//! One retrieval of a robots.txt: its limits, its result, and the judge of what came. No socket is opened.
//!
//! Invariant: it uses no socket and no clock. It imports from no other room.

pub(crate) mod address;
pub(crate) mod coding;
pub(crate) mod fetched;
pub(crate) mod follow;
pub(crate) mod head;
pub(crate) mod identity;
#[cfg(feature = "driver")]
pub(crate) mod proxy;
pub(crate) mod retrieval;

pub use address::AddressGuard;
pub use fetched::Fetched;
#[cfg(feature = "driver")]
pub(crate) use fetched::NoResponse;
pub use follow::{Follow, Request, RetrievalLimits, Then};
pub use head::Validators;
pub use identity::CrawlerIdentity;
#[cfg(feature = "driver")]
pub use proxy::{Proxies, Proxy};
pub use retrieval::{Cut, Outcome, Retrieval};
