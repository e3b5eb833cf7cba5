//! The retrieval machine, tested without a socket and without a clock.

mod addresses;
mod any_order;
mod guard;
mod headers;
mod limits;
mod play;
mod redirects;
mod rounds;
mod trouble;
