//! One URL of a file: answered from its groups, without a tester.
//!
//! Invariant: the verdict is that of a tester of the same set and agents. A debug build makes the tester and compares.

use crate::closed;
use crate::limits::OverLimit;
use crate::path::pattern::UrlPath;
use crate::policy::agent::Interest;
use crate::policy::record::{RecordSet, Rule};
use crate::policy::select::{DISALLOW_ALL, Selection, answers, who_answers};
use crate::verdict::lookup::{Lookup, NeedsIndex, best_of};
use crate::verdict::number::place_of;
use crate::verdict::status::SiteAccess;
use crate::verdict::tester::{Tester, Verdict, VerdictReason, settled};

/// The answer for one URL of a file, by [`Sieve::test`](crate::Sieve::test). It has its own copy of the rule that
/// decided, and borrows only from the file.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve::verdict::SiteAccess;
/// let answer = Sieve::new(["MyBot"]).test(b"User-agent: *\nDisallow: /x\n", "/x/y")?;
/// assert_eq!((answer.allowed(), answer.verdict().line()), (false, Some(2)));
/// assert!(answer.with_access(SiteAccess::AllowAll).allowed());
/// # Ok::<(), robosieve::Refused>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVerdict<'a> {
    rule: Option<Rule<'a>>,
    /// The reason, if it is no rule.
    other: VerdictReason<'static, 'static>,
    access: SiteAccess,
}

impl<'a> FileVerdict<'a> {
    /// Whether the URL may be fetched.
    #[must_use]
    pub fn allowed(&self) -> bool {
        self.verdict().allowed()
    }

    /// The verdict, with its reason.
    #[must_use]
    pub const fn verdict(&self) -> Verdict<'_, 'a> {
        let reason = match (&self.rule, self.access, self.other) {
            (_, _, VerdictReason::NotAUrl) => VerdictReason::NotAUrl,
            (_, SiteAccess::AllowAll, _) => VerdictReason::Status(true),
            (_, SiteAccess::DisallowAll, _) => VerdictReason::Status(false),
            (Some(rule), ..) => VerdictReason::Rule(rule),
            (None, _, other) => other,
        };
        Verdict { reason }
    }

    /// The same for a file that was fetched with this access; as [`Tester::with_access`].
    #[must_use]
    pub const fn with_access(mut self, access: SiteAccess) -> Self {
        self.access = access;
        self
    }

    /// The answer of a set that was read for these agents.
    pub(crate) fn of(set: &RecordSet<'a>, interest: &Interest, path: &UrlPath<'_>) -> Self {
        let (rule, other) = match decide(set, interest, path) {
            Ok(rule) => (Some(rule.clone()), VerdictReason::NoRule),
            Err(other) => (None, other),
        };
        let answer = Self { rule, other, access: SiteAccess::Rules };
        debug_assert_eq!(
            answer.verdict(),
            Tester::new(set, interest).test_path(path),
            "a tester answers another thing"
        );
        answer
    }
}

/// The rule that decides, or the reason for a verdict without one.
type Decided<'s, 'a> = Result<&'s Rule<'a>, VerdictReason<'static, 'static>>;

/// Looks at the rules where they are, if a selection would only merge them.
fn decide<'s, 'a>(set: &'s RecordSet<'a>, interest: &Interest, path: &UrlPath<'_>) -> Decided<'s, 'a> {
    let (reading, answered_by) = (&set.reading, who_answers(set, interest));
    let selected = || Selection::of_rules(set, interest).decide(path);
    if reading.over_limit != OverLimit::Drop || interest.agents.in_doubt_at(answered_by.place()).is_some() {
        return selected();
    }
    let records = || set.records().filter(|record| answers(record, interest, answered_by));
    let is_incomplete = || reading.is_incomplete && records().all(|record| record.rules().is_empty());
    if let Some(reason) = settled(path, SiteAccess::Rules, reading, is_incomplete) {
        return Err(reason);
    }
    match best_of(records().flat_map(|record| record.rules()), reading, path.compared()) {
        Ok(found) => found.map(|(_, rule)| rule).ok_or(VerdictReason::NoRule),
        Err(NeedsIndex) => selected(),
    }
}

impl<'s, 'a> Selection<'s, 'a> {
    /// Tests one URL as [`Tester::test`] does, without a copy of the rules. For more URLs make a [`Tester`]. Cost:
    /// compares each rule with the path, or makes an index (`[verdict.once]`).
    ///
    /// ```
    /// use robosieve::{Interest, Parser, Selection};
    /// let set = Parser::default().parse(b"User-agent: *\nDisallow: /x\n");
    /// let selection = Selection::of(&set, &Interest::new(["MyBot"]));
    /// assert_eq!(selection.test("/x/y").line(), Some(2));
    /// ```
    #[must_use]
    pub fn test(&self, url: impl AsRef<[u8]>) -> Verdict<'s, 'a> {
        let path = UrlPath::of(url.as_ref(), self.reading().paths);
        Verdict { reason: self.decide(&path).map_or_else(|other| other, VerdictReason::Rule) }
    }

    fn decide(&self, path: &UrlPath<'_>) -> Decided<'s, 'a> {
        if let Some(reason) = settled(path, SiteAccess::Rules, self.reading(), || self.is_incomplete()) {
            return Err(reason);
        }
        if let Ok(found) = best_of(self.rules(), self.reading(), path.compared()) {
            return found.map(|(_, rule)| rule).ok_or(VerdictReason::NoRule);
        }
        let lookup = Lookup::new(self.rules().cloned().collect(), *self.reading());
        let number = lookup.index().find(path.compared()).ok_or(VerdictReason::NoRule)?;
        Ok(closed::expect(self.rules().nth(place_of(number)), || &DISALLOW_ALL))
    }
}
