//! Counts of what a gate did since it was made: answers by kind, and retrievals by outcome.
//!
//! Invariant: counting takes no lock and changes no answer.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ask::Answer;
use crate::retrieve::Retrieval;

/// The kinds of answers: those of [`Answer::kind`].
const ANSWERS: [&str; 7] = ["allowed", "denied", "closed", "not-now", "not-asked", "store-failed", "no-url"];

/// The outcomes of retrievals: the names of [`Outcome`](crate::retrieve::Outcome) in JSON.
const OUTCOMES: [&str; 7] = ["rules", "no-rules", "unavailable", "unreachable", "truncated", "unchanged", "not-asked"];

/// What a gate did, as [`Core::counts`](crate::Core::counts) returns it.
#[derive(Debug, Default)]
pub struct Counts {
    answers: [AtomicU64; ANSWERS.len()],
    retrievals: [AtomicU64; OUTCOMES.len()],
}

impl Counts {
    /// The answers, by kind.
    pub fn answers(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        ANSWERS.into_iter().zip(self.answers.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    /// The retrievals of robots.txt files, by outcome.
    pub fn retrievals(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        OUTCOMES.into_iter().zip(self.retrievals.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    pub(super) fn answer(&self, answer: &Answer) {
        one(&self.answers, ANSWERS.iter().position(|name| *name == answer.kind()));
    }

    /// A retrieval that was put off counts when it is made.
    pub(super) fn retrieval(&self, retrieval: &Retrieval) {
        if retrieval.not_before.is_none() {
            let outcome = serde_json::to_value(retrieval.outcome).unwrap_or_default();
            one(&self.retrievals, OUTCOMES.iter().position(|name| outcome == *name));
        }
    }
}

fn one(counts: &[AtomicU64], at: Option<usize>) {
    if let Some(count) = at.and_then(|at| counts.get(at)) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}
