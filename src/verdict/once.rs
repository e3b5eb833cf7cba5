//! One URL of a file: answered from its groups, without a tester.
//!
//! Invariant: the verdict is that of a tester of the same set and agents. A debug build makes the tester and compares.

use alloc::sync::Arc;
use core::slice::from_ref;

use crate::closed;
use crate::limits::OverLimit;
use crate::path::pattern::UrlPath;
use crate::policy::agent::Interest;
use crate::policy::options::Options;
use crate::policy::record::{DISALLOW_ALL, RecordSet, Rule};
use crate::policy::select::{AnsweredBy, Selection, answers};
use crate::verdict::lookup::{Lookup, NO_NUMBER, SHORT_PATH, best_of, can_wait, differs_early, position_of};
use crate::verdict::tester::{SiteAccess, Tester, Verdict, without_rules};

/// The answer for one URL of a file, by [`Sieve::test`](crate::Sieve::test). It has its own copy of the rule that
/// decided, and borrows only from the file.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve::verdict::SiteAccess;
/// let answer = Sieve::new(["MyBot"]).test(b"User-agent: *\nDisallow: /x\n", "/x/y")?;
/// assert_eq!((answer.allowed(), answer.verdict().line().unwrap().get()), (false, 2));
/// assert!(answer.with_access(SiteAccess::AllowAll).allowed());
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVerdict<'a> {
    rule: Option<Rule<'a>>,
    /// The verdict, if no rule decides.
    other: Verdict<'static, 'static>,
    answered_by: AnsweredBy,
    access: SiteAccess,
}

impl<'a> FileVerdict<'a> {
    /// Whether the URL may be fetched.
    #[must_use]
    pub fn allowed(&self) -> bool {
        self.verdict().allowed()
    }

    /// The verdict.
    #[must_use]
    pub const fn verdict(&self) -> Verdict<'_, 'a> {
        match (&self.rule, self.access, self.other) {
            (_, _, Verdict::NotAUrl) => Verdict::NotAUrl,
            (_, SiteAccess::AllowAll, _) => Verdict::Status(true),
            (_, SiteAccess::DisallowAll, _) => Verdict::Status(false),
            (Some(rule), ..) => Verdict::Rule(rule),
            (None, _, other) => other,
        }
    }

    /// Which groups apply: those of an agent, those for `*`, or none.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// This answer, for a file that was fetched with this access: see [`Tester::with_access`].
    #[must_use]
    pub const fn with_access(mut self, access: SiteAccess) -> Self {
        self.access = access;
        self
    }

    /// The rule that decides, or the verdict without one.
    #[inline]
    pub(crate) const fn new(rule: Option<Rule<'a>>, other: Verdict<'static, 'static>, answered_by: AnsweredBy) -> Self {
        Self { rule, other, answered_by, access: SiteAccess::Rules }
    }

    /// The answer of a set that was read for these agents.
    pub(crate) fn of(set: &RecordSet<'a>, interest: &Interest, answered_by: AnsweredBy, path: &UrlPath<'_>) -> Self {
        let (rule, other) = match decide(set, interest, answered_by, path) {
            Ok(rule) => (Some(rule.clone()), Verdict::NoRule),
            Err(other) => (None, other),
        };
        let answer = Self::new(rule, other, answered_by);
        debug_assert_eq!(
            answer.verdict(),
            Tester::new(set, interest).test_path(path),
            "a tester answers another thing"
        );
        answer
    }
}

/// The rule that decides, or the verdict without one.
type Decided<'s, 'a> = Result<&'s Rule<'a>, Verdict<'static, 'static>>;

/// Looks at the rules where they are, if a selection would only merge them.
fn decide<'s, 'a>(
    set: &'s RecordSet<'a>,
    interest: &Interest,
    answered_by: AnsweredBy,
    path: &UrlPath<'_>,
) -> Decided<'s, 'a> {
    let options = &set.options;
    let selected = || Selection::of_rules(set, interest, answered_by).decide(path);
    if options.over_limit != OverLimit::Drop || interest.agents.in_doubt_at(answered_by.preference()).is_some() {
        return selected();
    }
    let records = || set.records().filter(|record| answers(record, interest, answered_by));
    let is_incomplete = || set.is_incomplete && records().all(|record| record.rules().is_empty());
    if let Some(verdict) = without_rules(path, SiteAccess::Rules, options.robots_txt_allowed, is_incomplete) {
        return Err(verdict);
    }
    let mut comparison = Comparison { best: NO_NUMBER, expensive: 0 };
    let has_all = records().all(|record| comparison.add(record.first_rule(), record.rules(), options, path));
    if has_all { ruled(comparison.best, |place| set.rules.get(place)) } else { selected() }
}

/// Compares rules with a path, where they are.
struct Comparison {
    /// The number of the rule that decides.
    best: u64,
    /// The rules that were expensive to compare.
    expensive: usize,
}

impl Comparison {
    /// Adds rules. The first of them has this place. False if an index costs less.
    fn add(&mut self, first: usize, rules: &[Rule<'_>], options: &Options, path: &UrlPath<'_>) -> bool {
        let (first, path) = (u32::try_from(first).unwrap_or(u32::MAX), path.compared());
        let is_compared = |rule: &Rule<'_>| !differs_early(rule, path);
        if path.len() > SHORT_PATH || !can_wait(&mut self.expensive, rules, options, is_compared) {
            return false;
        }
        self.best = self.best.min(best_of(first, rules, options, path));
        true
    }
}

/// The rule with this number.
fn ruled<'s, 'a>(number: u64, rule_at: impl FnOnce(usize) -> Option<&'s Rule<'a>>) -> Decided<'s, 'a> {
    if number == NO_NUMBER {
        return Err(Verdict::NoRule);
    }
    Ok(closed::expect(rule_at(position_of(number)), || &DISALLOW_ALL))
}

impl<'s, 'a> Selection<'s, 'a> {
    /// Tests one URL as [`Tester::test`] does, without a copy of the rules. For more URLs make a [`Tester`]. Cost:
    /// compares each rule with the path, or makes an index (`[verdict.once]`).
    ///
    /// ```
    /// use robosieve::settings::Interest;
    /// use robosieve::records::{Parser, Selection};
    /// let set = Parser::default().parse(b"User-agent: *\nDisallow: /x\n");
    /// let selection = Selection::of(&set, &Interest::new(["MyBot"]));
    /// assert_eq!(selection.test("/x/y").line().unwrap().get(), 2);
    /// ```
    #[must_use]
    pub fn test(&self, url: impl AsRef<[u8]>) -> Verdict<'s, 'a> {
        let path = UrlPath::of(url.as_ref(), self.options().paths);
        self.decide(&path).map_or_else(|other| other, Verdict::Rule)
    }

    fn decide(&self, path: &UrlPath<'_>) -> Decided<'s, 'a> {
        let always = self.options().robots_txt_allowed;
        if let Some(verdict) = without_rules(path, SiteAccess::Rules, always, || self.is_incomplete()) {
            return Err(verdict);
        }
        let mut comparison = Comparison { best: NO_NUMBER, expensive: 0 };
        let mut rules = self.rules().enumerate();
        let number = if rules.all(|(place, rule)| comparison.add(place, from_ref(rule), self.options(), path)) {
            comparison.best
        } else {
            let lookup = Lookup::new(self.rules().cloned().collect(), Arc::clone(self.options));
            lookup.index().find(path.compared()).unwrap_or(NO_NUMBER)
        };
        ruled(number, |place| self.rules().nth(place))
    }
}
