//! Opens a store by its name: a file, or the URL of a server.
//!
//! Invariant: a name with `://` is never taken for a file.

use std::path::Path;
use std::sync::Arc;

use crate::keep::memory::MemoryStore;
use crate::keep::store::SiteStore;
use crate::store_error::StoreError;

/// A store that threads and gates share. The stores here become one by themselves; wrap one of your own in [`Arc::new`].
pub type SharedStore = Arc<dyn SiteStore>;

impl From<MemoryStore> for SharedStore {
    fn from(store: MemoryStore) -> Self {
        Arc::new(store)
    }
}

#[cfg(feature = "sqlite")]
impl From<super::SqliteStore> for SharedStore {
    fn from(store: super::SqliteStore) -> Self {
        Arc::new(store)
    }
}

#[cfg(feature = "redis")]
impl From<super::RedisStore> for SharedStore {
    fn from(store: super::RedisStore) -> Self {
        Arc::new(store)
    }
}

/// Opens a store: the URL of a server (`redis://`, `rediss://`, `unix://`), or the name of a file.
///
/// # Errors
/// If the store can't be used, or if this program was built without its kind.
pub fn open(name: impl AsRef<Path>) -> Result<SharedStore, StoreError> {
    let name = name.as_ref();
    let parts = name.to_str().and_then(|name| name.split_once("://").map(|(scheme, _)| (scheme, name)));
    match parts {
        #[cfg(feature = "redis")]
        Some(("redis" | "rediss" | "unix" | "redis+unix", url)) => Ok(super::RedisStore::open(url)?.into()),
        Some((scheme, _)) => Err(StoreError::Failed(format!("this program has no stores by {scheme}://"))),
        #[cfg(feature = "sqlite")]
        None => Ok(super::SqliteStore::open(name)?.into()),
        #[cfg(not(feature = "sqlite"))]
        None => Err(StoreError::Failed("this program has no stores in files".into())),
    }
}
