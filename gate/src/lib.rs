//! May this URL be fetched now?
//!
//! Around [`robosieve`], which reads and tests robots.txt files: how one is retrieved, what the retrieval says of a site, a memory
//! of sites, and the pace of requests.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
#[cfg(feature = "driver")]
mod driver;
mod freshness;
mod head;
mod hop;
mod identity;
mod limits;
mod machine;
mod moment;
mod origin;
mod retrieval;
mod retriever;

pub use address::{AddressGuard, AddressKind};
#[cfg(feature = "driver")]
pub use driver::{Clock, Driver, Resolver, RootError, SystemClock, SystemResolver, TimeOuts};
pub use head::Head;
pub use identity::{CrawlerIdentity, IdentityError};
pub use limits::RetrievalLimits;
pub use machine::{Event, Machine, Step};
pub use moment::Moment;
pub use origin::{Origin, OriginError};
pub use retrieval::{Attempt, AttemptEnd, Outcome, Retrieval};
pub use retriever::Retriever;
