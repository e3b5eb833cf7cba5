//! Counts of what a gate did.
//!
//! Invariant: counting takes no lock and changes no answer. A count only grows, and stops at the largest number.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

use crate::ask::answer::{Answer, GateError, Why};
use crate::pace::pacing::Page;
use crate::retrieve::retrieval::{Outcome, Retrieval};

/// What a gate did since it was made, as [`GateCore::metrics`](crate::GateCore::metrics) returns it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metrics {
    /// The answers to questions that take a slot ([`GateCore::ask`](crate::GateCore::ask),
    /// [`GateCore::start`](crate::GateCore::start)).
    pub answers: AnswerCounts,
    /// The answers to questions that take none ([`GateCore::ask_permission`](crate::GateCore::ask_permission)).
    pub permissions: AnswerCounts,
    /// Where what is known of a site came from, for each question.
    pub known_from: KnownFrom,
    /// The retrievals of robots.txt files.
    pub retrievals: RetrievalCounts,
    /// The pages that were reported ([`GateCore::observe`](crate::GateCore::observe)).
    pub pages: PageCounts,
}

/// Answers, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AnswerCounts {
    /// Allowed, by the site's robots.txt or because it has none.
    pub allowed: u64,
    /// Allowed, because robots.txt is ignored for the host.
    pub ignored: u64,
    /// Denied by a rule.
    pub denied: u64,
    /// The whole site is closed.
    pub closed: u64,
    /// Not now: the site can't be reached.
    pub unreachable: u64,
    /// Not now: the site is disqualified.
    pub disqualified: u64,
    /// Not now: the site failed too often.
    pub given_up: u64,
    /// Not now, because of the pace: the slot is later, or too many requests run or wait.
    pub paced: u64,
    /// Not now, because too many lanes have slots in the future: this one has no room.
    pub crowded: u64,
    /// No answer: trouble on our side.
    pub not_asked: u64,
    /// No answer: the store failed.
    pub store_failed: u64,
    /// No answer: the URL has no robots.txt.
    pub unusable: u64,
    /// The allowed ones that have to wait.
    pub waits: u64,
    /// The sum of these waits in milliseconds.
    pub waits_ms: u64,
}

/// Where what is known of a site came from. The first two are the hits of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KnownFrom {
    /// From memory, ready to answer.
    pub memory: u64,
    /// From the store.
    pub store: u64,
    /// From a retrieval that the question led to, or waited for.
    pub retrieval: u64,
}

/// Retrievals by outcome. One that is put off, because a request of it has no turn soon, counts only when it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetrievalCounts {
    /// [`Outcome::Rules`].
    pub rules: u64,
    /// [`Outcome::NoRules`].
    pub no_rules: u64,
    /// [`Outcome::Unavailable`].
    pub unavailable: u64,
    /// [`Outcome::Unreachable`].
    pub unreachable: u64,
    /// [`Outcome::Truncated`].
    pub truncated: u64,
    /// [`Outcome::Unchanged`].
    pub unchanged: u64,
    /// [`Outcome::NotAsked`].
    pub not_asked: u64,
    /// The attempts of all retrievals, by address.
    pub attempts: u64,
    /// The redirects that were followed.
    pub redirects: u64,
    /// The bytes of the decoded bodies.
    pub bytes: u64,
    /// The time that they took, in milliseconds.
    pub took_ms: u64,
}

/// Pages by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PageCounts {
    /// A status below 400.
    pub good: u64,
    /// 429 and 503, which slow the lane down.
    pub busy: u64,
    /// Any other status of 400 and above.
    pub failed: u64,
    /// No response.
    pub no_response: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The time that they took, in milliseconds.
    pub took_ms: u64,
}

/// Which questions an answer is counted with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question {
    ForSlot,
    ForPermission,
}

/// Defines counters that threads share, and their values at a moment.
macro_rules! counters {
    ($name:ident => $values:ident { $($field:ident),* $(,)? }) => {
        #[derive(Debug, Default)]
        pub(crate) struct $name { $(pub(crate) $field: Counter),* }

        impl $name {
            fn values(&self) -> $values {
                $values { $($field: self.$field.get()),* }
            }
        }
    };
}

counters!(Answers => AnswerCounts {
    allowed, ignored, denied, closed, unreachable, disqualified, given_up, paced, crowded, not_asked, store_failed,
    unusable, waits, waits_ms,
});
counters!(Sources => KnownFrom { memory, store, retrieval });
counters!(Retrievals => RetrievalCounts {
    rules, no_rules, unavailable, unreachable, truncated, unchanged, not_asked, attempts, redirects, bytes, took_ms,
});
counters!(Pages => PageCounts { good, busy, failed, no_response, bytes, took_ms });

/// A number that threads count up together.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn add(&self, more: u64) {
        let sum = |before: u64| Some(before.saturating_add(more));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of a core.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    answers: Answers,
    permissions: Answers,
    pub(crate) known_from: Sources,
    retrievals: Retrievals,
    pages: Pages,
}

impl Counters {
    pub(crate) fn values(&self) -> Metrics {
        Metrics {
            answers: self.answers.values(),
            permissions: self.permissions.values(),
            known_from: self.known_from.values(),
            retrievals: self.retrievals.values(),
            pages: self.pages.values(),
        }
    }

    pub(crate) fn answer(&self, question: Question, answer: &Answer) {
        let counts = self.of(question);
        let counter = match answer {
            Answer::Allowed { ignored, wait, .. } => {
                if !wait.is_zero() {
                    counts.waits.one();
                    counts.waits_ms.add(millis(*wait));
                }
                if *ignored { &counts.ignored } else { &counts.allowed }
            }
            Answer::Denied { .. } => &counts.denied,
            Answer::Closed { .. } => &counts.closed,
            Answer::NotNow { why, .. } => match why {
                Why::Unreachable { .. } => &counts.unreachable,
                Why::Disqualified { .. } => &counts.disqualified,
                Why::GivenUp { .. } => &counts.given_up,
                Why::Crowded => &counts.crowded,
                Why::Pace | Why::InFlight | Why::Queue | Why::CrawlDelay { .. } => &counts.paced,
            },
        };
        counter.one();
    }

    pub(crate) fn error(&self, question: Question, error: &GateError) {
        let counts = self.of(question);
        let counter = match error {
            GateError::Url(_) => &counts.unusable,
            GateError::Store(_) => &counts.store_failed,
            GateError::NotAsked { .. } => &counts.not_asked,
        };
        counter.one();
    }

    const fn of(&self, question: Question) -> &Answers {
        match question {
            Question::ForSlot => &self.answers,
            Question::ForPermission => &self.permissions,
        }
    }

    pub(crate) fn retrieval(&self, retrieval: &Retrieval) {
        let counts = &self.retrievals;
        counts.redirects.add(length(retrieval.redirects.len()));
        if retrieval.not_before.is_some() {
            // It begins anew later, and is counted then. The last attempt was not made; it got as far as those before.
            return counts.attempts.add(length(retrieval.attempts.len().saturating_sub(1)));
        }
        let counter = match retrieval.outcome {
            Outcome::Rules => &counts.rules,
            Outcome::NoRules => &counts.no_rules,
            Outcome::Unavailable => &counts.unavailable,
            Outcome::Unreachable => &counts.unreachable,
            Outcome::Truncated => &counts.truncated,
            Outcome::Unchanged => &counts.unchanged,
            Outcome::NotAsked => &counts.not_asked,
        };
        counter.one();
        counts.attempts.add(length(retrieval.attempts.len()));
        counts.bytes.add(length(retrieval.body.len()));
        counts.took_ms.add(millis(retrieval.ended.since(retrieval.began)));
    }

    pub(crate) fn page(&self, page: &Page) {
        let counts = &self.pages;
        let counter = match page.status {
            None => &counts.no_response,
            Some(429 | 503) => &counts.busy,
            Some(400..) => &counts.failed,
            Some(_) => &counts.good,
        };
        counter.one();
        counts.bytes.add(page.bytes);
        counts.took_ms.add(millis(page.took));
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn length(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
