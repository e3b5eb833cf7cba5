//! Stores of site records: in memory, in a file that programs share, and in a server that machines share.
//!
//! Invariant: a store decides nothing. It imports from `decide`, `pace` and `retrieve`.

mod memory;
pub(crate) mod open;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;
pub(crate) mod store;
#[cfg(any(feature = "sqlite", feature = "redis"))]
mod text;

pub use memory::MemoryStore;
pub use open::{SharedStore, open};
#[cfg(feature = "redis")]
pub use redis::RedisStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{Claim, SiteStore, Visit};

pub use crate::store_error::StoreError;
