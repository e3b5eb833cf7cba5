//! The retrieval machine, tested without a socket and without a clock.

mod addresses;
mod any_order;
mod body;
mod guard;
mod headers;
mod identity;
mod limits;
mod play;
mod redirects;
mod rounds;
mod trouble;
