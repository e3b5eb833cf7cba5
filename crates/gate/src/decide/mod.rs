//! What a retrieval means for a site, and what is remembered of it.
//!
//! Invariant: no file here paces, stores or asks. Of the rooms, it imports from `retrieve` only.

pub(crate) mod lifetimes;
pub(crate) mod policy;
pub(crate) mod reader;
pub(crate) mod reports;
pub(crate) mod site;

pub use lifetimes::Lifetimes;
pub use policy::{Class, Policy, Preset, Ruling};
pub use reader::{Contents, Reader};
pub use reports::{RetrievalReport, SiteReport, SiteRule};
pub use site::{Attempted, SiteRecord, Snapshot, Standing};
