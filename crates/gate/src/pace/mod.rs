//! How long to wait between the requests to a server: lanes, their slots, and what changes them.
//!
//! Invariant: no file here knows what a robots.txt is for. It imports from no other room.

pub(crate) mod lane;
pub(crate) mod lanes;
pub(crate) mod pacing;
pub(crate) mod slots;

pub use lane::{Hold, Lane};
pub use lanes::{Change, LaneError, Lanes};
pub use pacing::{Asked, OverMax, PaceBy, Pacing, Page};
pub use slots::{NoSlot, Pace};
