//! Who goes and asks: the seam between the gate and a network.
//!
//! Invariant: a retriever always comes back with a [`Retrieval`]; that nobody answered is one too.

use crate::origin::Origin;
use crate::retrieval::Retrieval;

/// Retrieves the robots.txt of a site, however long that takes.
pub trait Retriever {
    /// Asks once, with whatever redirects and second rounds belong to it.
    fn retrieve(&self, origin: &Origin) -> Retrieval;
}
