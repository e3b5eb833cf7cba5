//! What a gate does, as events of `tracing`.
//!
//! Invariant: an event changes nothing. Texts from servers and URLs have no control characters, and a URL has no user
//! and no password. Without the feature `tracing`, nothing is here.

use robosieve_printable::{escape, harmless_at_most};
use tracing::Level;
use url::Url;

use crate::ask::Answer;
use crate::retrieve::{Outcome, Retrieval};

/// The target of all events: they can be chosen by it.
const TARGET: &str = "robosieve_gate";

/// The most bytes of a URL in an event. Our choice.
const MOST: usize = 2_000;

/// A retrieval has ended.
pub(super) fn retrieved(retrieval: &Retrieval) {
    if !tracing::event_enabled!(target: TARGET, Level::INFO) {
        return;
    }
    let Retrieval { origin, outcome, status, waited, redirects, requests, error, .. } = retrieval;
    let (took, bytes, error) = (retrieval.took(), retrieval.body.len(), error.as_deref().unwrap_or_default());
    let (took_ms, waited_ms) = (took.as_millis(), waited.as_millis());
    if let Some(until) = retrieval.not_before {
        tracing::debug!(target: TARGET, %origin, %until, "a request for robots.txt has no slot soon");
    } else if *outcome == Outcome::NotAsked {
        tracing::warn!(target: TARGET, %origin, why = error, "the site could not be asked");
    } else {
        let redirects = redirects.len();
        tracing::info!(target: TARGET, %origin, ?outcome, status, error, requests, redirects, bytes, took_ms, waited_ms, "robots.txt retrieved");
    }
}

/// A question has its answer.
pub(super) fn answered(url: &str, answer: &Answer) {
    let answer = (answer.kind(), escape(answer.why.as_bytes()));
    if answer.0 == "store-failed" {
        tracing::warn!(target: TARGET, url = shown(url), error = answer.1, "the store failed");
    } else if tracing::event_enabled!(target: TARGET, Level::DEBUG) {
        tracing::debug!(target: TARGET, url = shown(url), answer = answer.1, "answered");
    }
}

/// A URL without user and password.
fn shown(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return harmless_at_most(url, MOST) };
    let (_, _) = (url.set_username(""), url.set_password(None));
    harmless_at_most(url.as_str(), MOST)
}
