//! The drivers: they carry out the machine's steps with names, sockets, TLS and time.
//!
//! Invariant: a driver decides nothing about a site. It imports from `retrieve` only.

#[cfg(feature = "async-driver")]
mod async_driver;
#[cfg(feature = "_net")]
mod cached_names;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "_net")]
mod fixed_names;
mod identity;
#[cfg(feature = "_net")]
mod lacking;
#[cfg(feature = "_net")]
mod names;
#[cfg(feature = "_net")]
mod tls;
#[cfg(feature = "_net")]
mod tunnel;

#[cfg(feature = "async-driver")]
pub use async_driver::AsyncDriver;
#[cfg(feature = "_net")]
pub use cached_names::CachedNames;
#[cfg(feature = "driver")]
pub use driver::{Clock, Driver, SystemClock, TimeOuts};
#[cfg(feature = "_net")]
pub use fixed_names::FixedNames;
pub use identity::{CrawlerIdentity, IdentityError};
#[cfg(feature = "_net")]
pub use names::{LookUpError, Resolver, SystemResolver};
#[cfg(feature = "_net")]
pub use tls::CertificateError;
