//! What is remembered of one site, and how a retrieval changes that.
//!
//! Invariant: a record is a value; what comes after a retrieval, and what holds at a moment, are functions of it. A failure never
//! takes the place of what was known before, and is never remembered as an open site.

use std::sync::Arc;
use std::time::Duration;

use robosieve::Access;

use crate::lifetimes::Lifetimes;
use crate::moment::Moment;
use crate::policy::{Class, Meanwhile, Policy, Ruling};
use crate::reader::Contents;
use crate::retrieval::{Outcome, Retrieval};

/// What is remembered of a site. The default is a site that was never asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteRecord {
    /// What the last retrieval that was no failure showed.
    pub snapshot: Option<Snapshot>,
    /// The last attempt, whatever came of it; its time is the robots date of the IBM crawler's documentation.
    pub last: Option<Attempted>,
    /// How many attempts have failed since one did not.
    pub failures: u32,
    /// When the first of them failed.
    pub failing_since: Option<Moment>,
    /// From when on the site is to be asked again.
    pub next_attempt: Moment,
}

/// An attempt to retrieve, as it is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// When it ended.
    pub at: Moment,
    /// What it showed.
    pub outcome: Outcome,
    /// The status of the answer that counted.
    pub status: Option<u16>,
    /// Its class.
    pub class: Class,
    /// Whether what it brought had errors.
    pub has_errors: bool,
    /// What the policy of that time made of it.
    pub ruling: Ruling,
}

/// What a site said when it last could be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Whether the text counts, or the site is open or closed whatever it says.
    pub access: Access,
    /// The status it came with.
    pub status: Option<u16>,
    /// The canonical text; empty where there was none.
    pub text: Arc<str>,
    /// The report on the file, in JSON.
    pub report: Arc<str>,
    /// When it was retrieved.
    pub at: Moment,
    /// The end of its cache life.
    pub good_until: Moment,
}

/// What holds for a site at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'r> {
    /// It was never asked.
    Unknown,
    /// What it said holds, in its cache life or, as the site can't be reached, beyond it.
    Said {
        /// What it said.
        snapshot: &'r Snapshot,
        /// Whether that is beyond its cache life.
        is_stale: bool,
    },
    /// It can't be reached, and the policy opens (`true`) or closes it meanwhile.
    Meanwhile(bool),
    /// It can't be reached, and the policy wants to know before anything is fetched.
    Unreachable,
    /// It is disqualified for the time being.
    Disqualified,
    /// It is disqualified, and asked but rarely, as it failed too often.
    GivenUp,
}

impl SiteRecord {
    /// How far the clocks of those who share a store may differ. A record from beyond that was written under a wrong clock, and is
    /// not believed.
    pub const CLOCK_SKEW: Duration = Duration::from_secs(300);

    /// What is remembered after a retrieval.
    #[must_use]
    pub fn after(&self, retrieval: &Retrieval, contents: Contents, policy: &Policy, lifetimes: &Lifetimes) -> Self {
        let class = Class::of(retrieval);
        let has_errors = contents.has_errors;
        let ruling = policy.ruling(class, has_errors);
        let (at, outcome, status) = (retrieval.ended, retrieval.outcome, retrieval.status);
        let last = Attempted { at, outcome, status, class, has_errors, ruling };
        match ruling {
            Ruling::Known(access) => Self::qualified(last, access, contents, lifetimes.cache_life(retrieval.fresh_for)),
            Ruling::Unreachable | Ruling::NotNow => self.failed(last, retrieval.retry_after, lifetimes),
        }
    }

    fn qualified(last: Attempted, access: Access, contents: Contents, life: Duration) -> Self {
        let good_until = last.at.after(life);
        let Contents { text, report, .. } = contents;
        let snapshot = Snapshot { access, status: last.status, text, report, at: last.at, good_until };
        Self { snapshot: Some(snapshot), last: Some(last), failures: 0, failing_since: None, next_attempt: good_until }
    }

    fn failed(&self, last: Attempted, retry_after: Option<Duration>, lifetimes: &Lifetimes) -> Self {
        let failures = self.failures.saturating_add(1);
        let since = self.failing_since.map_or(last.at, |since| since.min(last.at));
        Self {
            snapshot: self.snapshot.clone(),
            last: Some(last),
            failures,
            failing_since: Some(since),
            next_attempt: last.at.after(lifetimes.back_off(failures, retry_after)),
        }
    }

    /// Whether the site is to be asked before anything is fetched: it never was, its time has come, the record was written under
    /// another policy, or under a clock that was ahead.
    #[must_use]
    pub fn is_due(&self, now: Moment, policy: &Policy) -> bool {
        let Some(last) = &self.last else { return true };
        now >= self.next_attempt
            || last.at > now.after(Self::CLOCK_SKEW)
            || policy.ruling(last.class, last.has_errors) != last.ruling
    }

    /// What holds now, or at the last attempt if that was later: those who waited for it asked before.
    #[must_use]
    pub fn standing(&self, now: Moment, policy: &Policy, lifetimes: &Lifetimes) -> Standing<'_> {
        let Some(last) = &self.last else { return Standing::Unknown };
        let now = now.max(last.at);
        if self.failures == 0 {
            return match &self.snapshot {
                Some(snapshot) => Standing::Said { snapshot, is_stale: now >= snapshot.good_until },
                None => Standing::Unknown,
            };
        }
        if lifetimes.is_over(self.failures) {
            return Standing::GivenUp;
        }
        if last.ruling == Ruling::NotNow {
            return Standing::Disqualified;
        }
        self.in_outage(now, policy)
    }

    fn in_outage(&self, now: Moment, policy: &Policy) -> Standing<'_> {
        let outage = policy.outage();
        let since = self.failing_since.unwrap_or(now);
        let stops_until = since.after(outage.stop);
        if now < stops_until {
            return Standing::Unreachable;
        }
        if let Some(snapshot) = &self.snapshot
            // What was open for want of a file is no copy of one: served as that, a refusal would open the site in its outage.
            && snapshot.access != Access::AllowAll
            && snapshot.at <= now.after(Self::CLOCK_SKEW)
            && now < snapshot.good_until.after(outage.stop).after(outage.last_copy)
        {
            return Standing::Said { snapshot, is_stale: now >= snapshot.good_until };
        }
        let is_long = now >= stops_until.after(outage.last_copy);
        match if is_long { outage.afterwards } else { outage.without_copy } {
            Meanwhile::Allow => Standing::Meanwhile(true),
            Meanwhile::Deny => Standing::Meanwhile(false),
            Meanwhile::NotNow => Standing::Unreachable,
        }
    }
}
