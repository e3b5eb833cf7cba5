//! The driver: it carries out the machine's steps with names, sockets, TLS and time.
//!
//! Invariant: it decides nothing about a site. It imports from `retrieve` only.

mod cached_names;
mod driver;
mod exchange;
mod meter;
mod names;
mod tls;
mod trouble;
mod tunnel;

pub use cached_names::{CachedNames, FixedNames};
pub use driver::{Clock, Driver, Sleep};
pub use names::{LookUpError, Resolver, SystemResolver};
pub use tls::CertificateError;
