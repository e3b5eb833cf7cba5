//! What is known of a site, as an answer to a URL.
//!
//! Invariant: nothing here is changed or stored. A slot is taken by the caller, and only for a URL that is allowed.
#![allow(clippy::result_large_err, reason = "what is no answer yet is no error")]

use robosieve::Verdict;
use url::Url;

use crate::ask::known::Known;
use crate::ask::{Answer, Settings};
use crate::decide::{Class, Snapshot, Standing};
use crate::moment::Moment;
use crate::pace::Asked;

/// What a site asks for that says or does not say anything.
const NOTHING: &Asked = &Asked { crawl_delay: None, rates: Vec::new() };

/// Whether a URL may be fetched, by what and at which pace; or the answer that keeps it out.
pub(super) fn judge<'k>(
    settings: &Settings,
    known: &'k Known,
    url: &Url,
    now: Moment,
) -> Result<(Option<&'k Snapshot>, &'k Asked), Answer> {
    let record = &known.record;
    let (until, failures) = (record.next_attempt, record.failures);
    let (status, class) = record.last.map_or((None, Class::NoAnswer), |last| (last.status, last.class));
    let standing = record.standing(now, &settings.policy, &settings.lifetimes);
    match (standing, &record.snapshot) {
        (Standing::Fresh | Standing::Stale, Some(snapshot)) => {
            denial(known, snapshot, url, until).map_or(Ok((Some(snapshot), &known.asked)), Err)
        }
        (Standing::OpenMeanwhile, _) => Ok((None, NOTHING)),
        (Standing::ClosedMeanwhile, _) => Err(Answer::closed(status, failures, until)),
        (Standing::Disqualified, _) => Err(Answer::kept_out("disqualified", class, failures, until)),
        (Standing::GivenUp, _) => Err(Answer::kept_out("given-up", class, failures, until)),
        _ => Err(Answer::kept_out("unreachable", class, failures, until)),
    }
}

/// The answer that denies a URL, if the site's rules or its status disallow it.
fn denial(known: &Known, snapshot: &Snapshot, url: &Url, until: Moment) -> Option<Answer> {
    let verdict = known.tester.test(url.as_str().as_bytes());
    if verdict.allowed() {
        return None;
    }
    Some(match verdict {
        Verdict::Rule(rule) => {
            let text = [rule.kind().name().as_bytes(), b": ", rule.pattern().as_bytes()].concat();
            Answer::denied(&text, rule.line())
        }
        Verdict::NoRule | Verdict::RobotsTxt | Verdict::Status(_) | Verdict::Incomplete | Verdict::NotAUrl => {
            Answer::closed(snapshot.status, 0, until)
        }
    })
}
