//! Answers: may this URL be fetched?

mod lookup;
pub(crate) mod number;
pub(crate) mod once;
pub(crate) mod pass;
pub(crate) mod status;
pub(crate) mod tester;

pub use once::FileVerdict;
pub use status::{SiteAccess, StatusMeaning, StatusPolicy};
pub use tester::VerdictReason;
