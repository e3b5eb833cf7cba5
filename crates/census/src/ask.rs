//! Answers for URLs, crawlers and times, from the normal form.
//!
//! Invariant: an answer is that of the last observation of the site at or before the time. A text is parsed once. What
//! the texts cannot say is not known, and never allowed.

use std::borrow::Cow;
use std::collections::HashMap;
#[cfg(feature = "parquet")]
use std::collections::HashSet;
use std::io;

use robosieve::Tester;
use robosieve::agent::Interest;
use robosieve::policy::Parser;
use robosieve::settings::Options;
use robosieve::value::HttpUrl;
use robosieve_explain::Names;
use serde::{Deserialize, Serialize};

use crate::agents::Asked;
use crate::normal::{Entry, TextRow};
use crate::stored::{Read, Stored, key};
use crate::time::{digits, is_later};
use crate::view::Places;

/// A page, a crawler and a time.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The page.
    pub url: String,
    /// The crawler's product token, or `*`.
    pub agent: String,
    /// When it was fetched, as `2026`, `2026-01`, `2026-01-31` or `2026-01-31T12:00:00Z`. A part means its end. Without
    /// one, the last observation answers.
    #[serde(default)]
    pub time: Option<String>,
}

/// What a question is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answer<'a> {
    /// Whether the page may be fetched. None if it is not known.
    pub allowed: Option<bool>,
    /// The line of the policy's text that decides.
    pub line: Option<u32>,
    /// How much of the site is closed to the crawler.
    pub status: Option<&'a str>,
    /// The hash of the policy's text.
    pub hash: Option<&'a str>,
    /// The crawl of the observation: of tables their crawl, of lines the input.
    pub crawl: Option<&'a str>,
    /// The time of the observation.
    pub seen: Option<&'a str>,
}

/// A file of a site that is asked about.
struct Observed {
    /// The digits of its time.
    digits: Option<String>,
    entry: Entry,
    places: Places,
    crawl: String,
}

/// Answers questions.
#[derive(Clone, Debug)]
pub struct Asker {
    names: Names,
    options: Options,
    most: usize,
}

impl Asker {
    /// The number of observations that are held: files of the sites that are asked about. Our choice: some 4 GB.
    pub const MAX_OBSERVED: usize = 1 << 22;

    /// Reads texts with these options, which must be those that the census was made with.
    #[must_use]
    pub fn new(names: Names, options: Options) -> Self {
        let options = Options { complete: true, max_details: 0, ..options.for_verdicts() };
        Self { names, options, most: Self::MAX_OBSERVED }
    }

    /// Another number of observations than [`Asker::MAX_OBSERVED`].
    #[must_use]
    pub const fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Reads what is stored of the sites that the questions are about. Cost: reads all files, and holds the observations
    /// of these sites and their texts.
    ///
    /// # Errors
    /// If something cannot be read, or there are more observations than are held.
    pub fn read<'q>(
        &self,
        stored: &[Stored],
        questions: impl Iterator<Item = &'q Question>,
    ) -> io::Result<Observations> {
        let mut found = Observations::default();
        for question in questions {
            let site = site_of(&question.url);
            if !found.prefixes.contains_key(site) {
                let robots_txt = HttpUrl::read(format!("{site}/")).map(|url| url.robots_txt().as_str().to_owned());
                let place = robots_txt.map(|url| {
                    let next = found.sites.len();
                    *found.sites.entry(url).or_insert(next)
                });
                found.prefixes.insert(site.to_owned(), place);
            }
            if let Some(agent) = (!found.agents.contains_key(&question.agent)).then_some(&question.agent) {
                let asked =
                    if agent == "*" { Asked::everyone() } else { Asked::new(agent.as_bytes(), None, self.names) };
                found.agents.insert(agent.clone(), asked);
            }
        }
        found.observed.resize_with(found.sites.len(), Vec::new);
        let mut texts = Vec::new();
        for one in stored {
            one.each(&mut |read| self.add(read, &mut found, &mut texts))?;
        }
        for texts in texts {
            self.parse(&texts, &mut found.testers);
        }
        #[cfg(feature = "parquet")]
        {
            let policies = found.observed.iter().flatten().flat_map(|one| &one.entry.policies);
            let wanted: HashSet<u128> = policies.map(|policy| key(&policy.hash)).collect();
            for one in stored {
                one.texts(&wanted, &mut |text| self.parse(&text, &mut found.testers))?;
            }
        }
        for observed in &mut found.observed {
            // Those of one time keep their order.
            observed.sort_by(|one, other| one.digits.cmp(&other.digits));
        }
        Ok(found)
    }

    fn add(&self, read: Read<'_>, found: &mut Observations, texts: &mut Vec<TextRow>) -> io::Result<()> {
        let Read::Entry(mut entry, crawl) = read else {
            found.unread = found.unread.saturating_add(1);
            return Ok(());
        };
        if !matches!(entry.file.outcome.as_str(), "rules" | "allow-all" | "disallow-all") {
            return Ok(());
        }
        let Some(url) = entry.file.url.as_deref() else { return Ok(()) };
        let known = |url: &str| found.sites.get(url).copied();
        let place = known(url).or_else(|| known(HttpUrl::read(url)?.robots_txt().as_str()));
        let Some(observed) = place.and_then(|place| found.observed.get_mut(place)) else { return Ok(()) };
        if found.count >= self.most {
            let most = self.most;
            return Err(io::Error::other(format!(
                "more than {most} files of the sites: ask about fewer sites at once"
            )));
        }
        found.count = found.count.saturating_add(1);
        texts.append(&mut entry.texts);
        observed.push(Observed {
            digits: entry.file.time.as_deref().and_then(digits),
            places: entry.places(),
            crawl: crawl.unwrap_or(&entry.file.source).to_owned(),
            entry: *entry,
        });
        Ok(())
    }

    fn parse(&self, text: &TextRow, testers: &mut HashMap<u128, Tester<'static>>) {
        testers.entry(key(&text.hash)).or_insert_with(|| {
            let set = Parser::new(self.options.clone()).parse(text.text.as_bytes());
            Tester::new(&set, &Interest::everyone()).into_owned()
        });
    }
}

/// What is known of the sites that are asked about.
#[derive(Default)]
pub struct Observations {
    /// The site of each beginning of a URL. None if it is no URL of a site.
    prefixes: HashMap<String, Option<usize>>,
    /// By the URL of robots.txt.
    sites: HashMap<String, usize>,
    agents: HashMap<String, Asked>,
    observed: Vec<Vec<Observed>>,
    testers: HashMap<u128, Tester<'static>>,
    count: usize,
    /// The number of lines that were none of the normal form.
    pub unread: u64,
}

impl Observations {
    /// The number of files, and of distinct texts.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.count, self.testers.len())
    }

    /// The answer to a question: one of those that these were read for, or else nothing is known. Cost: the match of the
    /// URL, and some look-ups.
    #[must_use]
    pub fn answer(&self, question: &Question) -> Answer<'_> {
        self.known(question).unwrap_or_default()
    }

    fn known(&self, question: &Question) -> Option<Answer<'_>> {
        let site = site_of(&question.url);
        let observed = self.observed.get((*self.prefixes.get(site)?)?)?;
        let one = match &question.time {
            None => observed.last(),
            Some(time) => {
                let most = digits(time)?;
                let is_before = |one: &&Observed| one.digits.as_deref().is_some_and(|digits| !is_later(digits, &most));
                observed.iter().rev().find(is_before)
            }
        }?;
        let file = &one.entry.file;
        let answer = Answer { crawl: Some(&one.crawl), seen: file.time.as_deref(), ..Answer::default() };
        let asked = self.agents.get(&question.agent)?;
        let Some(found) = one.entry.found(&one.places, asked) else {
            // The HTTP status decided.
            return Some(Answer { allowed: file.root, status: Some(&file.status), ..answer });
        };
        let Cow::Borrowed(policy) = found.policy else {
            // No rule is for the crawler, or its name is one of those that are not listed.
            let status = if found.policy.root == Some(true) { "none" } else { "unknown" };
            return Some(Answer { allowed: found.policy.root, status: Some(status), ..answer });
        };
        let answer = Answer { status: Some(&policy.status), hash: Some(&policy.hash), ..answer };
        let Some(tester) = self.testers.get(&key(&policy.hash)) else { return Some(answer) };
        let path = question.url.get(site.len()..).filter(|path| path.starts_with(['/', '?'])).unwrap_or("/");
        let verdict = tester.test(path);
        // What the text leaves out could close the page.
        let allowed = Some(verdict.allowed()).filter(|allowed| !allowed || policy.exact);
        Some(Answer { allowed, line: verdict.line(), ..answer })
    }
}

/// The scheme and the authority of a URL.
fn site_of(url: &str) -> &str {
    let Some(start) = url.find("://").map(|at| at.saturating_add(3)) else { return url };
    let end = url.get(start..).and_then(|rest| rest.find(['/', '?', '#']));
    end.and_then(|end| url.get(..start.saturating_add(end))).unwrap_or(url)
}
