//! The client: it makes one request with names, sockets, TLS and proxies.
//!
//! Invariant: it decides nothing about a site. It imports from `retrieve`, and from `ask` the trait of clients.

mod addresses;
mod answer;
mod client;
mod headers;
mod meter;
mod names;
mod places;
mod rounds;
mod trouble;
mod tunnel;

pub use client::Client;
pub use names::Names;
