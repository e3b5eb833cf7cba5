//! A site that is ready to answer: its site record, a tester with the rules of its text, and what it answers to a URL.
//!
//! Invariant: it is made once for each site record and shared between threads. Nothing in it changes. A slot is taken
//! by the caller, and only for a URL that is allowed.
#![allow(clippy::result_large_err, reason = "what is no answer yet is no error")]

use std::sync::Arc;

use quick_cache::sync::Cache;
use robosieve::records::RecordSet;
use robosieve::settings::Interest;
use robosieve::verdict::SiteAccess;
use robosieve::{Tester, Verdict};
use url::Url;

use crate::ask::{Answer, Settings};
use crate::decide::{Class, Reader, SiteRecord, Snapshot, Standing};
use crate::keep::{Weight, sized};
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::Asked;

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) record: SiteRecord,
    pub(crate) tester: Tester<'static>,
    pub(crate) asked: Asked,
}

impl Known {
    /// Cost: parsing the site record's text.
    pub(crate) fn new(record: SiteRecord, reader: &Reader) -> Self {
        let set = match &record.snapshot {
            Some(snapshot) if snapshot.access == SiteAccess::Rules => reader.records(&snapshot.text),
            _ => RecordSet::default(),
        };
        // Without a snapshot the tester is not used.
        let access = record.snapshot.as_ref().map_or(SiteAccess::DisallowAll, |snapshot| snapshot.access);
        let tester = Tester::new(&set, &Interest::everyone()).with_access(access);
        Self { tester, asked: Asked::by(&set), record }
    }
}

/// The memory for sites that are ready.
pub(crate) type Ready = Cache<Origin, Arc<Known>, Weight<Origin, Arc<Known>>>;

/// A text takes so many times its length, with the rules made from it and the index of these. Counted: 14 for the
/// shortest rules with stars.
const READ: usize = 16;

/// 32 MiB: each part of the memory has at least so much, if there is so much. A file of 512,000 bytes takes 8 MiB.
const PART: u64 = 32 << 20;

/// A memory of that many bytes. Sites weigh by what grows with what a server sends.
pub(crate) fn ready(bytes: u64) -> Ready {
    let weigh = Weight(|_, known: &Arc<Known>| {
        let of = |kept: &Snapshot| kept.text.len().saturating_mul(READ).saturating_add(kept.report.len());
        known.record.snapshot.as_ref().map_or(0, of).saturating_add(2_000)
    });
    sized(bytes, PART, weigh)
}

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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::moment::Moment;
    use crate::retrieve::retrieval::{Outcome, Retrieval};

    /// A file of 512,000 bytes is ready, with any number of cores: the parts do not depend on them. [gate.ready]
    #[test]
    fn the_largest_files_are_ready() {
        let reader = Reader::new(robosieve::Agents::new(["MyBot"]));
        let body = "User-agent: *\n".to_owned() + &"Disallow: /\u{e9}\u{e9}\u{e9}\n".repeat(28_000);
        let body = body.get(..512_000).unwrap_or(&body).to_owned();
        for bytes in [32 << 20, 33 << 20, 128 << 20, 1 << 30, 64 << 30] {
            let ready = ready(bytes);
            for number in 0..3 {
                let origin = Origin::of(&format!("https://{number}.example/")).unwrap();
                let retrieval = Retrieval::of(origin.clone(), Outcome::Rules, Some(200), body.clone(), Moment::now());
                let contents = reader.read(&retrieval);
                let (policy, lifetimes) = Default::default();
                let record = SiteRecord::default().after(&retrieval, contents, &policy, &lifetimes);
                let known = Arc::new(Known::new(record, &reader));
                ready.insert(origin.clone(), known);
                assert!(ready.get(&origin).is_some(), "{bytes} bytes, site {number}");
            }
        }
    }
}
