//! Answers: may this URL be fetched?

pub(crate) mod status;
pub(crate) mod tester;

pub use status::{Access, Forbidden, Redirected, Statuses};
pub use tester::Reason;
