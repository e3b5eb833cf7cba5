//! All that is said of a page, and the one answer for an agent at a time.
//!
//! Invariant: of several statements the strictest counts, and each answer has the place that decided it. Where
//! robots.txt closes the page, no use is left. Where something was not read, nothing is allowed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use robosieve::{Agents, Options};
use robosieve_explain::Groups;
use serde::{Serialize, Serializer};

use crate::date;
use crate::finding::{Finding, FindingKind};
use crate::record::Record;
use crate::robots::{self, Robots};
use crate::statement::{License, Place, Said, Source, Statement};
use crate::uses::{Allowed, Amount, Use};

/// What all sources of a [`Page`](crate::Page) say.
#[derive(Clone, Debug)]
pub struct Signals<'p> {
    url: Cow<'p, [u8]>,
    record: Record,
    robots: Option<Robots<'p>>,
    options: Cow<'p, Options>,
}

/// What may be done with a page, for an agent, at a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The answer for each use.
    #[serde(serialize_with = "in_order")]
    pub uses: Vec<(Use, Allowed)>,
    /// The place that decided, by the name of the use, for those that are not unsaid.
    pub decided_by: BTreeMap<&'static str, Decided>,
    /// How much may be shown.
    pub limits: Amounts,
    /// The licences that are named. Nothing is fetched, and no answer follows from them.
    pub licenses: Vec<License>,
    /// What is worth knowing about the sources.
    pub findings: Vec<Finding>,
    /// The number of findings that are not listed.
    pub more_findings: usize,
}

/// The place that decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Decided {
    /// The source and the place in it.
    #[serde(flatten)]
    pub at: Place,
    /// The words that say so, escaped.
    pub text: String,
}

/// How much may be shown. None: nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Amounts {
    /// The characters of a snippet; -1 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_snippet: Option<i64>,
    /// The largest preview of an image: `none`, `standard` or `large`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_image_preview: Option<&'static str>,
    /// The seconds of a preview of a video; -1 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_video_preview: Option<i64>,
    /// The earliest date from which on the page may not be shown, as RFC 3339 writes it.
    #[serde(rename = "unavailable_after", skip_serializing_if = "Option::is_none")]
    pub unavailable_after: Option<String>,
    /// The extent of use: `immediate`, `reference` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<&'static str>,
}

fn in_order<S: Serializer>(uses: &[(Use, Allowed)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(uses.iter().copied())
}

impl Answer {
    /// The answer for a use.
    #[must_use]
    pub fn of(&self, what: Use) -> Allowed {
        self.uses.iter().find(|(one, _)| *one == what).map_or(Allowed::Unsaid, |(_, allowed)| *allowed)
    }
}

impl<'p> Signals<'p> {
    pub(crate) fn new(url: &'p [u8], record: Record, robots: Option<Robots<'p>>, options: &'p Options) -> Self {
        Self { url: Cow::Borrowed(url), record, robots, options: Cow::Borrowed(options) }
    }

    /// The same, with its own copy of the URL and of robots.txt: what was read of the page stays, the page need not.
    #[must_use]
    pub fn into_owned(self) -> Signals<'static> {
        Signals {
            url: Cow::Owned(self.url.into_owned()),
            record: self.record,
            robots: self.robots.map(Robots::into_owned),
            options: Cow::Owned(self.options.into_owned()),
        }
    }

    /// What headers, HTML and `tdmrep.json` say, in the order of the sources. robots.txt is read for each answer.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        &self.record.statements
    }

    /// What was found while reading these, up to the limit.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.record.findings
    }

    /// Whether a limit cut something. Then nothing is allowed.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.record.is_cut()
    }

    /// The answer for a crawler's names, of a page that was fetched at this time, in seconds since 1970. Several names
    /// are one crawler: what is said to any of them holds. Cost: reads robots.txt, and the statements once for each
    /// use.
    #[must_use]
    pub fn answer(&self, groups: impl Into<Groups>, at: i64) -> Answer {
        let groups = groups.into();
        let mut record = self.record.clone();
        let agents: &Agents = &groups.agents;
        record.statements.retain(|one| one.holds(agents, i64::MAX));
        let is_open = self
            .robots
            .as_ref()
            .is_none_or(|robots| robots::read(robots, &self.url, &self.options, &groups, &mut record));
        find_across(&mut record, is_open, at);
        let unavailable_after = record.statements.iter().filter_map(|one| one.from).min();
        record.statements.retain(|one| one.holds(agents, at));

        let statements = std::mem::take(&mut record.statements);
        let is_left =
            |one: &Statement| !one.said.allows() || one.said == Said::Yes(Use::Fetch) || !record.is_in_doubt(one);
        record.statements = statements.into_iter().filter(is_left).collect();
        // What was not read may forbid it; fetching is robots.txt's alone.
        if record.is_unsure(None) {
            let is_certain = |one: &Statement| one.said == Said::Yes(Use::Fetch) || !one.said.allows();
            record.statements.retain(is_certain);
        }
        if record.is_unsure(Some(Source::RobotsTxt)) {
            record.statements.retain(|one| one.said != Said::Yes(Use::Fetch));
        }
        let mut limits = amounts(&record.statements);
        limits.unavailable_after = unavailable_after.map(date::text_of);
        let mut answer = Answer {
            uses: Vec::new(),
            decided_by: BTreeMap::new(),
            limits,
            licenses: record.licenses,
            findings: record.findings,
            more_findings: record.more_findings,
        };
        for what in Use::ALL {
            let find = |said: Said| record.statements.iter().find(|one| one.said == said);
            let closed = if is_open { None } else { find(Said::No(Use::Fetch)) };
            let no = closed.or_else(|| find(Said::No(what)));
            let yes = || find(Said::Yes(what));
            let (allowed, by) = match (no, no.is_none().then(yes).flatten()) {
                (Some(no), _) => (Allowed::No, Some(no)),
                (None, Some(yes)) => (Allowed::Yes, Some(yes)),
                (None, None) => (Allowed::Unsaid, None),
            };
            answer.uses.push((what, allowed));
            let decided = by.map(|by| Decided { at: by.at, text: by.text.clone() });
            answer.decided_by.extend(decided.map(|decided| (what.as_str(), decided)));
        }
        answer
    }
}

fn amounts(statements: &[Statement]) -> Amounts {
    let least = |wanted: Amount| {
        let all = statements.iter().filter_map(|one| match one.said {
            Said::AtMost(amount, number) if amount == wanted => Some(number),
            _ => None,
        });
        all.min()
    };
    let number = |amount| least(amount).map(|number| if number == Amount::UNLIMITED { -1 } else { i64::from(number) });
    let name =
        |amount: Amount| least(amount).and_then(|place| amount.names().get(usize::try_from(place).ok()?).copied());
    Amounts {
        max_snippet: number(Amount::Snippet),
        max_image_preview: name(Amount::ImagePreview),
        max_video_preview: number(Amount::VideoPreview),
        unavailable_after: None,
        extent: name(Amount::Extent),
    }
}

/// What is found only where several sources are there: words that nobody sees, that contradict each other, or that stand in
/// one of them. These findings change no answer.
///
/// Adds the findings. `is_open`: whether robots.txt lets the page be fetched. Cost: the statements once for each use.
fn find_across(record: &mut Record, is_open: bool, at: i64) {
    let statements = std::mem::take(&mut record.statements);
    let is_page = |one: &&Statement| matches!(one.at.source, Source::Header | Source::Html);
    let is_said = |said: Said| move |one: &&Statement| one.said == said && one.from.is_none_or(|from| from <= at);
    if let Some(first) = statements.iter().find(is_page).filter(|_| !is_open) {
        record.find_of(FindingKind::Unseen, first);
    }
    for what in Use::ALL {
        let no = statements.iter().find(is_said(Said::No(what)));
        let yes = statements.iter().find(is_said(Said::Yes(what)));
        if let (Some(no), Some(_)) = (no, yes) {
            record.find_of(FindingKind::Contradiction, no);
        }
    }
    record.statements = statements;
}
