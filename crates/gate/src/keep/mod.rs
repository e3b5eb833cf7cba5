//! Stores of site records: in memory, and in a file that programs share.
//!
//! Invariant: a store decides nothing. It imports from `decide`, `pace` and `retrieve`.

mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
pub(crate) mod store;

pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{SiteStore, Visit};

pub use crate::store_error::StoreError;
