//! May this URL be fetched now?
//!
//! Around [`robosieve`], which reads and tests robots.txt files: how one is retrieved, what the retrieval says of a site, a memory
//! of sites, and the pace of requests.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod moment;
mod origin;
mod retrieval;

pub use moment::Moment;
pub use origin::{Origin, OriginError};
pub use retrieval::{Attempt, AttemptEnd, Outcome, Retrieval};
