//! One retrieval of a robots.txt: its limits, its result, and the judge of what came. No socket is opened.
//!
//! Invariant: it uses no socket, and no clock but for the caller's client. It imports from no other room.

pub(crate) mod address;
pub(crate) mod coding;
pub(crate) mod drive;
pub(crate) mod fetch_with;
pub(crate) mod fetched;
pub(crate) mod follow;
pub(crate) mod head;
pub(crate) mod identity;
pub(crate) mod limits;
pub(crate) mod own_headers;
#[cfg(feature = "driver")]
pub(crate) mod proxy;
pub(crate) mod retrieval;
pub(crate) mod retriever;
pub(crate) mod validators;

pub use address::{AddressGuard, AddressKind};
pub use fetch_with::FetchWith;
pub use fetched::Fetched;
pub use follow::{Follow, Then};
pub use head::Head;
pub use identity::{CrawlerIdentity, IdentityError};
pub use limits::{RetrievalLimits, TimeOuts};
pub use own_headers::{HeaderError, OwnHeaders};
#[cfg(feature = "driver")]
pub use proxy::{Proxies, Proxy, ProxyError};
pub use retrieval::{Attempt, AttemptEnd, Cut, Outcome, Retrieval};
#[cfg(feature = "async")]
pub use retriever::AsyncRetriever;
pub use retriever::{AtOnce, Request, Retriever, Turn, Turns};
pub use validators::Validators;
