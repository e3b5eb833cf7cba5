//! Answers: may this URL be fetched?

pub(crate) mod status;
pub(crate) mod tester;

pub use status::{SiteAccess, StatusMeaning, StatusPolicy};
pub use tester::VerdictReason;
