//! The drivers: they carry out the machine's steps with names, sockets, TLS and time.
//!
//! Invariant: a driver decides nothing about a site. It imports from `retrieve` only.

#[cfg(feature = "async-driver")]
mod async_driver;
#[cfg(feature = "driver")]
mod driver;
mod identity;
#[cfg(feature = "_net")]
mod tls;
#[cfg(feature = "_net")]
mod tunnel;

#[cfg(feature = "async-driver")]
pub use async_driver::AsyncDriver;
#[cfg(feature = "driver")]
pub use driver::{Clock, Driver, FixedNames, LookUpError, Resolver, SystemClock, SystemResolver, TimeOuts};
pub use identity::{CrawlerIdentity, IdentityError};
#[cfg(feature = "_net")]
pub use tls::CertificateError;
