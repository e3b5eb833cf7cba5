//! How long to wait between the requests to a server: lanes, their slots, and what changes them.
//!
//! Invariant: no file here knows what a robots.txt is for. It imports from no other room.

pub(crate) mod lane;
pub(crate) mod names;
pub(crate) mod pacing;

pub use lane::{Lane, Slot, Taken};
pub(crate) use names::{Names, hold_of};
pub(crate) use pacing::host_name;
pub use pacing::{Asked, PaceBy, Pacing, Page};
