//! The gate: a question about a URL goes in, an answer or a request for the site's robots.txt comes out.
//!
//! Invariant: it imports from every room but `net`, and no room below imports from it but for the trait of clients.

mod about;
pub(crate) mod answer;
pub(crate) mod core;
mod counts;
mod errand;
mod flight;
#[cfg(feature = "async")]
pub(crate) mod gate;
mod known;
mod learn;
mod question;
#[cfg(feature = "tracing")]
mod trace;

pub use self::core::{Ask, Core, Settings};
pub use answer::{Action, Answer, Wanted};
pub use counts::Counts;
pub use errand::{Errand, Next};
#[cfg(feature = "async")]
pub use gate::{Fetch, Gate};
