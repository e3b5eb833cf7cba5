//! How long to wait between the requests to a server: lanes, their slots, and what changes them.
//!
//! Invariant: no file here knows what a robots.txt is for. It imports from no other room.

pub(crate) mod lane;
pub(crate) mod pacing;

pub use lane::{Lane, Slot, Taken};
pub use pacing::{Asked, PaceBy, Pacing, Page};
pub(crate) use pacing::{Names, hold_of, host_name};
