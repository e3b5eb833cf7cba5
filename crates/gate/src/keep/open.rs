//! Opens a store by its name: a file, or the URL of a server.
//!
//! Invariant: a name with `://` is never taken for a file.

use std::path::Path;

use crate::keep::store::SiteStore;
use crate::store_error::StoreError;

/// A store that threads share.
pub type SharedStore = Box<dyn SiteStore + Send + Sync>;

/// Opens a store: the URL of a server (`redis://`, `rediss://`, `unix://`), or the name of a file.
///
/// # Errors
/// If the store can't be used, or if this program was built without its kind.
pub fn open(name: impl AsRef<Path>) -> Result<SharedStore, StoreError> {
    let name = name.as_ref();
    let parts = name.to_str().and_then(|name| name.split_once("://").map(|(scheme, _)| (scheme, name)));
    match parts {
        #[cfg(feature = "redis")]
        Some(("redis" | "rediss" | "unix" | "redis+unix", url)) => Ok(Box::new(super::RedisStore::open(url)?)),
        Some((scheme, _)) => Err(StoreError::Failed(format!("this program has no stores by {scheme}://"))),
        #[cfg(feature = "sqlite")]
        None => Ok(Box::new(super::SqliteStore::open(name)?)),
        #[cfg(not(feature = "sqlite"))]
        None => Err(StoreError::Failed("this program has no stores in files".into())),
    }
}
