//! The judge of retrievals, tested without a socket and without a clock.

mod guard;
mod headers;
mod limits;
mod play;
mod trouble;
