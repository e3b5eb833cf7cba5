//! What may be done with a page, by its own words and the robots.txt that is remembered of its site.
//!
//! Invariant: nothing is retrieved and nothing changes. What the gate would not fetch has no use left, and a robots.txt of
//! which something was lost allows nothing.

use std::collections::BTreeMap;

use robosieve::agent::Interest;
use robosieve::report::FindingKind;
use robosieve_signals::{Answer as Uses, Page};
use serde::Deserialize;
use url::Url;

use super::judge::judge;
use super::{AT_ONCE, GateCore};
use crate::ask::answer::{Answer, GateError};
use crate::moment::Moment;
use crate::origin::{Origin, OriginError};

impl GateCore {
    /// What may be done with a page that was fetched: what its headers, its HTML and `tdmrep.json` say, joined with the
    /// robots.txt that is remembered of its site, for this gate's crawler, now. The page has a whole URL; a robots.txt
    /// that it has is replaced. Retrieves nothing: of a site that is not remembered, and of one that is closed, no use is
    /// left. Cost: reads robots.txt for each page.
    ///
    /// ```
    /// use robosieve::agent::Agents;
    /// use robosieve_gate::retrieve::Fetched;
    /// use robosieve_gate::{GateCore, MemoryStore, Moment, Origin};
    /// use robosieve_signals::{Allowed, Page, Use};
    ///
    /// let (core, now) = (GateCore::new(MemoryStore::default(), Agents::new(["MyBot"])), Moment::now());
    /// let origin = Origin::of("https://example.com/")?;
    /// let came = Fetched::new(200, "User-agent: *\nDisallow: /private\nContent-Signal: ai-train=no\n");
    /// core.learn(&origin, came.retrieval(&origin), now)?;
    /// let page = Page::new("https://example.com/a").header("X-Robots-Tag", "noarchive");
    /// let answer = core.signals(&page, now)?;
    /// assert_eq!([Use::Fetch, Use::Archive].map(|one| answer.of(one)), [Allowed::Yes, Allowed::No]);
    /// assert_eq!(answer.decided_by["ai-training"].text, "Content-Signal: ai-train=no");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the URL is not absolute or not http or https, or if the store fails.
    pub fn signals(&self, page: &Page<'_>, now: Moment) -> Result<Uses, GateError> {
        let url = str::from_utf8(page.url()).ok().and_then(|url| Url::parse(url).ok()).ok_or(OriginError::NoUrl)?;
        let origin = Origin::of_url(&url)?;
        let terms = self.terms.of(&origin);
        let at = i64::try_from(now.since(Moment::from_millis(0)).as_secs()).unwrap_or(i64::MAX);
        let answer = |page: Page<'_>| Ok(page.signals().answer(Interest::new(terms.reader.agents().clone()), at));
        let page = page.clone();
        if terms.ignores_robots_txt {
            return answer(page.robots(""));
        }
        let known = match self.ready.get(&origin) {
            Some(known) => known,
            None => match self.stored(&origin)? {
                Some(record) => self.make_ready(&origin, record),
                None => return answer(page.closed("robots.txt is not known: ask the gate before the page is fetched")),
            },
        };
        let decided = judge(terms, &known, &url, now, |_| Ok(AT_ONCE))?;
        let [of_texts, of_files] = terms.reader.readings().map(Clone::clone);
        match (decided, self.said(&origin, &known, now)) {
            (decided @ (Answer::Closed { .. } | Answer::NotNow { .. }), _) => answer(page.closed(&decided.to_string())),
            (_, None) => answer(page.robots("")),
            (_, Some(snapshot)) => match (Kept::of(&snapshot.report), &snapshot.raw) {
                // Then it decides as the text does, and has all values.
                (Kept::Whole | Kept::Changed, Some(raw)) => answer(page.robots(raw).options(of_files)),
                (Kept::Whole, None) => answer(page.robots(&*snapshot.text).options(of_texts)),
                _ => answer(page.part_of_robots(&*snapshot.text).options(of_texts)),
            },
        }
    }
}

/// What a text has of its file, by the report.
enum Kept {
    Whole,
    /// Its rules decide as those of the file, but a value was left out or repaired.
    Changed,
    Part,
}

impl Kept {
    fn of(report: &str) -> Self {
        #[derive(Deserialize)]
        struct Report {
            exact: bool,
            counts: BTreeMap<String, u64>,
        }
        let is_changed = |counts: &BTreeMap<String, u64>| {
            let kinds = [FindingKind::InvalidValue, FindingKind::RepairedValue];
            kinds.iter().any(|kind| counts.get(kind.as_str()).is_some_and(|count| *count > 0))
        };
        // A store may have been changed by hand.
        match serde_json::from_str(report) {
            Ok(Report { exact: true, counts }) if is_changed(&counts) => Self::Changed,
            Ok(Report { exact: true, .. }) => Self::Whole,
            _ => Self::Part,
        }
    }
}
