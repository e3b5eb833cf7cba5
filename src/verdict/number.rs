//! The number of a rule: a rule with a smaller number has precedence.
//!
//! Invariant: the number says which rule decides, whether it allows, and where it is.

use crate::path::index::NO_RULE;
use crate::policy::record::{Precedence, RuleKind};

/// The number of a rule. The smallest number of those that match decides. It begins with the rule's length or place. Then
/// follow its kind and its place, so of rules with the same rank the first in the file is reported. All lengths of 4
/// GiB and above count as equal.
#[must_use]
pub fn numbered(precedence: Precedence, length: usize, kind: RuleKind, place: u32) -> u64 {
    let first = match precedence {
        Precedence::LongestMatch => u32::MAX.saturating_sub(u32::try_from(length).unwrap_or(u32::MAX)),
        Precedence::FileOrder => place,
    };
    u64::from(first) << 32 | u64::from(kind == RuleKind::Disallow) << 31 | u64::from(place & PLACE)
}

/// The number that means "no rule".
pub const NO_NUMBER: u64 = NO_RULE;

/// The bits that hold a rule's place. They are enough: more rules would take up 100 GB.
const PLACE: u32 = u32::MAX >> 1;

/// The kind of the rule with this number.
#[must_use]
pub fn kind_of(number: u64) -> RuleKind {
    if number & u64::from(PLACE.wrapping_add(1)) == 0 { RuleKind::Allow } else { RuleKind::Disallow }
}

/// The place of the rule with this number.
#[must_use]
pub fn place_of(number: u64) -> usize {
    usize::try_from(number & u64::from(PLACE)).unwrap_or(usize::MAX)
}
