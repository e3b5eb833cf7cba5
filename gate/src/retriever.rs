//! Who can retrieve a site's robots.txt.
//!
//! Invariant: a retrieval cannot fail; that nothing came is an outcome.

use crate::origin::Origin;
use crate::retrieval::Retrieval;

/// Retrieves the robots.txt of an origin: the driver, or a stand-in for tests.
pub trait Retriever {
    /// One whole retrieval, with all its tries, redirects and waits.
    fn retrieve(&self, origin: &Origin) -> Retrieval;
}
