//! What is known of a site, as an answer to a URL.
//!
//! Invariant: nothing here is changed or stored. A slot is taken by the caller, and only for a URL that is allowed.

use std::time::Duration;

use robosieve::printable::escape_at_most;
use robosieve::verdict::VerdictReason;
use url::Url;

use crate::ask::answer::{Answer, GateError, Why};
use crate::ask::known::Known;
use crate::decide::lifetimes::Lifetimes;
use crate::decide::policy::Policy;
use crate::decide::site::{Snapshot, Standing};
use crate::moment::Moment;
use crate::pace::pacing::Asked;

/// What is known of a site, as an answer to a URL. `allowed` takes its slot.
pub(super) fn judge(
    (policy, lifetimes): (&Policy, &Lifetimes),
    known: &Known,
    url: &Url,
    now: Moment,
    allowed: impl FnOnce(&Asked) -> Result<Answer, GateError>,
) -> Result<Answer, GateError> {
    let record = &known.record;
    let until = record.next_attempt;
    let (status, class) = record.last.map_or((None, None), |last| (last.status, Some(last.class)));
    let class = class.unwrap_or(crate::decide::Class::NoAnswer);
    let failures = record.failures;
    let not_now = |why| Ok(Answer::NotNow { until, why });
    match record.standing(now, policy, lifetimes) {
        Standing::Said { snapshot, .. } => {
            denial(known, snapshot, url, until).map_or_else(|| allowed(&known.asked), Ok)
        }
        Standing::Meanwhile(true) => allowed(&Asked::default()),
        Standing::Meanwhile(false) => Ok(Answer::Closed { status, failures, until }),
        Standing::Unknown | Standing::Unreachable => not_now(Why::Unreachable { class, failures }),
        Standing::Disqualified => not_now(Why::Disqualified { class, failures }),
        Standing::GivenUp => not_now(Why::GivenUp { failures }),
    }
}

/// The same answer, where the site asks for a longer interval than it gets.
pub(super) fn where_shortened(answer: Answer, asks: Option<Duration>) -> Answer {
    match (answer, asks) {
        (Answer::Allowed { wait, ignored, .. }, asks @ Some(_)) => Answer::Allowed { wait, ignored, shortened: asks },
        (answer, _) => answer,
    }
}

/// The bytes of a rule in an answer. A file may have a rule as long as the whole file, and each URL has an answer.
const SHOWN: usize = 2_000;

/// The answer that denies a URL, if the site's rules or its status disallow it.
fn denial(known: &Known, snapshot: &Snapshot, url: &Url, until: Moment) -> Option<Answer> {
    let verdict = known.tester.test(url.as_str().as_bytes());
    if verdict.allowed() {
        return None;
    }
    Some(match verdict.reason() {
        VerdictReason::Rule(rule) => Answer::Denied {
            // The text in a store may have been changed by hand.
            rule: escape_at_most(&[rule.kind().as_str().as_bytes(), b": ", rule.pattern().as_bytes()].concat(), SHOWN),
            line: rule.line(),
        },
        VerdictReason::NoRule
        | VerdictReason::RobotsTxt
        | VerdictReason::Status(_)
        | VerdictReason::Incomplete
        | VerdictReason::NotAUrl => Answer::Closed { status: snapshot.status, failures: 0, until },
    })
}
