//! The interface for retrieving a site's robots.txt.
//!
//! Invariant: a retrieval returns no error. A failure is an outcome.

use crate::origin::Origin;
use crate::retrieval::Retrieval;

/// Retrieves the robots.txt of an origin. The driver does this, or a test double.
pub trait Retriever {
    /// Makes one whole retrieval, with all its attempts, redirects and waits.
    fn retrieve(&self, origin: &Origin) -> Retrieval;
}
