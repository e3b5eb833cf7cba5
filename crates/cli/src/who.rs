//! Whose group a tester uses.

use robosieve::verdict::SiteAccess;
use robosieve::{Interest, Tester};
pub(crate) use robosieve_explain::{Answer, Who};

/// Whose group a tester uses.
pub(crate) fn who_answers(tester: &Tester<'_>, interest: &Interest, access: SiteAccess) -> Who {
    if access == SiteAccess::Rules { Who::new(tester.answered_by(), interest) } else { Who::status() }
}
