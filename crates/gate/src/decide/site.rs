//! The site record: what is remembered of one site, and how a retrieval changes it.
//!
//! Invariant: a site record is a value. The next site record and the answer at a moment are computed from it. A failure
//! never replaces what was known before, and is never remembered as an open site.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use robosieve::verdict::SiteAccess;
use serde::Serialize as _;

use crate::decide::policy::{Class, Outage, Policy, Ruling};
use crate::decide::{Contents, Lifetimes};
use crate::moment::Moment;
use crate::retrieve::{Outcome, Retrieval, Validators};

/// What is remembered of a site. The default is a site that was never requested.
///
/// A store of one's own keeps it with serde, or field by field.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[must_use]
pub struct SiteRecord {
    /// The result of the last retrieval that was not a failure.
    pub snapshot: Option<Snapshot>,
    /// The last attempt, successful or not. Its time is the robots date of the IBM crawler's documentation.
    pub last: Option<Attempted>,
    /// The number of consecutive failures.
    pub failures: u32,
    /// When the first of them failed.
    pub failing_since: Option<Moment>,
    /// When robots.txt is to be requested again.
    pub next_attempt: Moment,
    /// How the last retrieval ended, if it failed, for people.
    pub error: Option<Arc<str>>,
    /// How many requests it made, if it failed.
    pub requests: usize,
}

/// A retrieval, as it is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attempted {
    /// When it ended.
    pub at: Moment,
    /// Its outcome.
    pub outcome: Outcome,
    /// The status of the response that decided the outcome.
    pub status: Option<u16>,
    /// Its class.
    pub class: Class,
    /// Whether its contents had errors.
    pub has_errors: bool,
    /// The ruling of the policy at that time.
    pub ruling: Ruling,
}

/// What a site said when it last gave a usable answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// Whether the text counts, or the whole site is open or closed. In a store it has the name of its ruling.
    #[serde(with = "Access")]
    pub access: SiteAccess,
    /// The status of that response.
    pub status: Option<u16>,
    /// The canonical text; empty if there was none.
    pub text: Arc<str>,
    /// The report on the file, in JSON.
    pub report: Arc<str>,
    /// When it was retrieved.
    pub at: Moment,
    /// The end of its cache life.
    pub good_until: Moment,
    /// What identifies this version of the file in a conditional request.
    pub validators: Validators,
}

/// The state of a site at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It was never requested, or under a clock that was ahead: it is requested before anything is fetched.
    Unknown,
    /// What its snapshot says is valid.
    Fresh,
    /// The snapshot is used beyond its life, because the site can't be reached; or it is requested first, because it is
    /// due.
    Stale,
    /// Open, because it can't be reached.
    OpenMeanwhile,
    /// Closed, because it can't be reached.
    ClosedMeanwhile,
    /// Not known, because it can't be reached: nothing is fetched until it can.
    Unreachable,
    /// Disqualified until the next attempt.
    Disqualified,
    /// Disqualified after too many failures, and requested rarely.
    GivenUp,
    /// Open, because its robots.txt is ignored.
    Ignored,
}

impl Standing {
    /// What it means, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Unknown => "it was never requested, or under a clock that was ahead; it is requested first",
            Self::Fresh => "its last answer is valid",
            Self::Stale => "its last rules are used, because it is due or cannot be reached",
            Self::OpenMeanwhile => "it cannot be reached, and the policy allows everything",
            Self::ClosedMeanwhile => "it cannot be reached, and the policy disallows everything",
            Self::Unreachable => "it cannot be reached, and nothing may be fetched until it answers",
            Self::Disqualified => "nothing may be fetched until the next attempt",
            Self::GivenUp => "it failed too often",
            Self::Ignored => "its robots.txt is ignored and not requested, as you have set",
        }
    }
}

/// The name, as in JSON.
impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl SiteRecord {
    /// How far the clocks of programs that share a store may differ. A site record further in the future was written
    /// under a wrong clock and is not used.
    pub const CLOCK_SKEW: Duration = Duration::from_secs(300);

    /// The site record after a retrieval.
    pub fn after(&self, retrieval: &Retrieval, contents: Contents, policy: &Policy, lifetimes: &Lifetimes) -> Self {
        if retrieval.outcome == Outcome::NotAsked {
            // Trouble on our side says nothing about the site.
            return self.clone();
        }
        if retrieval.outcome == Outcome::Unchanged {
            return self.confirmed(retrieval, policy, lifetimes);
        }
        let class = Class::of(retrieval);
        let has_errors = contents.has_errors;
        let ruling = policy.ruling(class, has_errors);
        let (at, outcome, status) = (retrieval.ended, retrieval.outcome, retrieval.status);
        let last = Attempted { at, outcome, status, class, has_errors, ruling };
        let is_no_file = ruling == Ruling::KeepCopy && !contents.may_be_file;
        let counts = match ruling {
            // A copy that is held counts instead.
            Ruling::KeepCopy if is_no_file && self.usable_copy(at, &policy.outage()).is_some() => Ruling::Unreachable,
            Ruling::KeepCopy => Ruling::Rules,
            ruling => ruling,
        };
        // The server says when to come back. Until then it is not open, under any policy.
        let is_put_off = class == Class::TooManyRequests && retrieval.retry_after.is_some();
        let Some(access) = counts.access().filter(|_| !is_put_off) else {
            return self.failed(last, retrieval, lifetimes);
        };
        let (access, validators) = match access {
            // Nor is it a copy for later.
            SiteAccess::Rules if is_no_file => (SiteAccess::AllowAll, Validators::default()),
            access => (access, retrieval.validators.clone()),
        };
        let good_until = at.after(lifetimes.cache_life(retrieval.fresh_for));
        let Contents { text, report, .. } = contents;
        Self::known(last, Snapshot { access, status, text, report, at, good_until, validators })
    }

    /// This record, with the times of another program's lifetimes cut to these. A store may be shared with programs
    /// that keep a file for longer.
    pub fn within(mut self, lifetimes: &Lifetimes) -> Self {
        let most = lifetimes.longest();
        if lifetimes.is_abandoned(self.failures) {
            self.next_attempt = Moment::NEVER;
        } else if let Some(last) = &self.last {
            let life = if self.failures == 0 { most.0 } else { most.1 };
            self.next_attempt = self.next_attempt.min(last.at.after(life));
        }
        if let Some(copy) = &mut self.snapshot {
            copy.good_until = copy.good_until.min(copy.at.after(most.0));
        }
        self
    }

    /// Whether the rules of a file answer for the site, and not a ruling on an answer that was no file. Of a record
    /// with one retrieval only ([`SiteRecord::after`] on the default), it says what that retrieval brought.
    pub fn has_rules(&self) -> bool {
        let copy = self.snapshot.as_ref().filter(|_| self.failures == 0);
        copy.is_some_and(|copy| copy.access == SiteAccess::Rules)
    }

    /// The copy that counts while the site can't be reached, if it is not too old. An answer that opened the site
    /// without a file is not a copy: used as one, a refusal would open the site during an outage.
    fn usable_copy(&self, now: Moment, outage: &Outage) -> Option<&Snapshot> {
        self.snapshot.as_ref().filter(|copy| {
            copy.access != SiteAccess::AllowAll
                && copy.at <= now.after(Self::CLOCK_SKEW)
                && now < copy.good_until.after(outage.stop).after(outage.last_copy)
        })
    }

    /// What to make the next request conditional with: the validators of the copy, if the last attempt brought or
    /// confirmed it and the policy still reads it as then.
    pub fn held(&self, policy: &Policy) -> Validators {
        let copy = self.snapshot.as_ref().filter(|copy| copy.access == SiteAccess::Rules && self.failures == 0);
        let is_valid = |last: &Attempted| policy.ruling(last.class, last.has_errors) == last.ruling;
        let copy = copy.filter(|_| self.last.as_ref().is_some_and(is_valid));
        copy.map(|copy| copy.validators.clone()).unwrap_or_default()
    }

    /// The site record after a 304. If nothing was asked that it could answer, it is no answer.
    fn confirmed(&self, retrieval: &Retrieval, policy: &Policy, lifetimes: &Lifetimes) -> Self {
        let (at, outcome, status) = (retrieval.ended, retrieval.outcome, retrieval.status);
        let (Some(copy), Some(last), false) = (&self.snapshot, self.last, self.held(policy).is_empty()) else {
            let (outcome, class) = (Outcome::Unreachable, Class::ServerError);
            let ruling = policy.ruling(class, false);
            let last = Attempted { at, outcome, status, class, has_errors: false, ruling };
            return self.failed(last, retrieval, lifetimes);
        };
        let before = copy.good_until.since(copy.at);
        let life = lifetimes.cache_life(Some(retrieval.fresh_for.unwrap_or(before)));
        let good_until = at.after(life);
        let own = Some(&retrieval.validators).filter(|own| !own.is_empty());
        let validators = own.unwrap_or(&copy.validators).clone();
        Self::known(Attempted { at, outcome, status, ..last }, Snapshot { at, good_until, validators, ..copy.clone() })
    }

    fn known(last: Attempted, snapshot: Snapshot) -> Self {
        Self { next_attempt: snapshot.good_until, snapshot: Some(snapshot), last: Some(last), ..Self::default() }
    }

    fn failed(&self, last: Attempted, retrieval: &Retrieval, lifetimes: &Lifetimes) -> Self {
        let failures = self.failures.saturating_add(1);
        let since = self.failing_since.map_or(last.at, |since| since.min(last.at));
        Self {
            snapshot: self.snapshot.clone(),
            last: Some(last),
            failures,
            failing_since: Some(since),
            next_attempt: last.at.after(lifetimes.back_off(failures, retrieval.retry_after)).min(Moment::NEVER),
            error: Some(retrieval.words().into()),
            requests: retrieval.requests,
        }
    }

    /// Whether robots.txt must be requested before anything is fetched: it never was, its time has come, or the site
    /// record was written under another policy or under a clock that was ahead. A site that is left alone is never due.
    pub fn is_due(&self, now: Moment, policy: &Policy, lifetimes: &Lifetimes) -> bool {
        if lifetimes.is_abandoned(self.failures) {
            return false;
        }
        let Some(last) = &self.last else { return true };
        now >= self.next_attempt || self.is_ahead(now) || policy.ruling(last.class, last.has_errors) != last.ruling
    }

    /// Whether it was written under a clock that was ahead. Then nothing that it says counts.
    fn is_ahead(&self, now: Moment) -> bool {
        self.last.as_ref().is_some_and(|last| last.at > now.after(Self::CLOCK_SKEW))
    }

    /// The state now for a caller that asks anew: what is due counts only while the site can't be reached.
    pub(crate) fn standing_anew(&self, now: Moment, policy: &Policy, lifetimes: &Lifetimes) -> Standing {
        let is_due = self.is_due(now, policy, lifetimes);
        match self.standing(now, policy, lifetimes) {
            _ if is_due && self.is_ahead(now) => Standing::Unknown,
            Standing::Fresh if is_due => Standing::Stale,
            standing => standing,
        }
    }

    /// The state now, or at the last attempt if that was later. Callers that waited for the attempt called before it
    /// ended.
    pub fn standing(&self, now: Moment, policy: &Policy, lifetimes: &Lifetimes) -> Standing {
        let Some(last) = &self.last else { return Standing::Unknown };
        let now = now.max(last.at);
        if self.failures == 0 {
            return self.snapshot.as_ref().map_or(Standing::Unknown, |copy| copy.standing(now));
        }
        if lifetimes.is_over(self.failures) {
            return Standing::GivenUp;
        }
        // A failure whose ruling is an answer: the server named a time (429 with Retry-After), or confirmed nothing
        // (304).
        if last.ruling == Ruling::NotNow || last.ruling.access().is_some() {
            return Standing::Disqualified;
        }
        self.in_outage(now, &policy.outage())
    }

    fn in_outage(&self, now: Moment, outage: &Outage) -> Standing {
        if now < self.failing_since.unwrap_or(now).after(outage.stop) {
            return Standing::Unreachable;
        }
        if let Some(copy) = self.usable_copy(now, outage) {
            return copy.standing(now);
        }
        match outage.without_copy {
            Ruling::Allow => Standing::OpenMeanwhile,
            Ruling::Deny => Standing::ClosedMeanwhile,
            _ => Standing::Unreachable,
        }
    }
}

impl Snapshot {
    fn standing(&self, now: Moment) -> Standing {
        if now < self.good_until { Standing::Fresh } else { Standing::Stale }
    }
}

/// An access by the name of its ruling.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "SiteAccess")]
enum Access {
    #[serde(rename = "rules")]
    Rules,
    #[serde(rename = "allow")]
    AllowAll,
    #[serde(rename = "deny")]
    DisallowAll,
}
