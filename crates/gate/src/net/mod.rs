//! The driver: it carries out the machine's steps with names, sockets, TLS and time.
//!
//! Invariant: it decides nothing about a site. It imports from `retrieve` only.

#[cfg(feature = "driver")]
mod cached_names;
#[cfg(feature = "driver")]
mod clock;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "driver")]
mod exchange;
#[cfg(feature = "driver")]
mod fixed_names;
mod identity;
#[cfg(feature = "driver")]
mod meter;
#[cfg(feature = "driver")]
mod names;
#[cfg(feature = "driver")]
mod tls;
#[cfg(feature = "driver")]
mod trouble;
#[cfg(feature = "driver")]
mod tunnel;

#[cfg(feature = "driver")]
pub use cached_names::CachedNames;
#[cfg(feature = "driver")]
pub use clock::{Clock, Sleep};
#[cfg(feature = "driver")]
pub use driver::Driver;
#[cfg(feature = "driver")]
pub use fixed_names::FixedNames;
pub use identity::{CrawlerIdentity, IdentityError};
#[cfg(feature = "driver")]
pub use names::{LookUpError, Resolver, SystemResolver};
#[cfg(feature = "driver")]
pub use tls::CertificateError;
