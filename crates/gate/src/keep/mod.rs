//! Stores of site records: in memory, in a file that programs share, and in a server that machines share. They are
//! opened by their names.
//!
//! Invariant: a store decides nothing. It imports from `decide`, `pace` and `retrieve`. A name with `://` is never
//! taken for a file.

mod memory;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;
pub(crate) mod store;

use std::path::Path;
use std::sync::Arc;

pub use memory::MemoryStore;
pub(crate) use memory::{Weight, sized};
#[cfg(feature = "redis")]
pub use redis::RedisStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{Claim, Store, Visit};

use crate::error::Error;

/// A store that threads and gates share. The stores here become one by themselves; wrap one of your own in
/// [`Arc::new`].
pub type SharedStore = Arc<dyn Store>;

macro_rules! shared {
    ($store:ty) => {
        impl From<$store> for SharedStore {
            fn from(store: $store) -> Self {
                Arc::new(store)
            }
        }
    };
}
shared!(MemoryStore);
#[cfg(feature = "sqlite")]
shared!(SqliteStore);
#[cfg(feature = "redis")]
shared!(RedisStore);

/// Opens a store: the URL of a server (`redis://`, `rediss://`, `unix://`), or the name of a file.
///
/// # Errors
/// If the store can't be used, or if this program was built without its kind.
pub fn open(name: impl AsRef<Path>) -> Result<SharedStore, Error> {
    let name = name.as_ref();
    let parts = name.to_str().and_then(|name| name.split_once("://").map(|(scheme, _)| (scheme, name)));
    match parts {
        #[cfg(feature = "redis")]
        Some(("redis" | "rediss" | "unix" | "redis+unix", url)) => Ok(RedisStore::open(url)?.into()),
        Some((scheme, _)) => Err(Error::store(format!("this program has no stores by {scheme}://"))),
        #[cfg(feature = "sqlite")]
        None => Ok(SqliteStore::open(name)?.into()),
        #[cfg(not(feature = "sqlite"))]
        None => Err(Error::store("this program has no stores in files")),
    }
}
