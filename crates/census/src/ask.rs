//! Answers for URLs, crawlers and times, from the normal form.
//!
//! Invariant: an answer is that of the last observation of the site at or before the time; of several that could be the
//! last, that of the strictest. A text is parsed once. What the texts cannot say is not known, and never allowed. What is
//! held is counted in bytes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use robosieve::Tester;
use robosieve::agent::Interest;
use robosieve::policy::Parser;
use robosieve::printable::escape_short;
use robosieve::settings::Options;
use robosieve_batch::{is_of_site, site_of};
use robosieve_explain::Names;
use serde::Serialize;

use crate::agents::Asked;
use crate::columns::STATUSES;
use crate::normal::{Entry, PolicyRow, TextRow};
use crate::question::{Question, page_of};
use crate::reading::Reading;
use crate::stored::{Read, Stored, key};
use crate::texts::{CLOSED, OPEN};
use crate::time::{WHOLE, digits, is_later, is_surely_later};

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

impl Answer<'_> {
    /// From what is closed to what is open. What is not known is between them.
    const fn openness(&self) -> u8 {
        match self.allowed {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        }
    }
}

/// What a file says to a crawler.
struct Said {
    /// The place of the crawler.
    agent: usize,
    status: &'static str,
    by: By,
}

enum By {
    /// The text with this key, and whether it answers as the file does.
    Text(u128, bool),
    /// All pages have this answer, if it is known.
    All(Option<bool>),
}

/// An observation of a site that is asked about.
struct Observed {
    /// The digits of its time.
    digits: Option<Box<str>>,
    seen: Option<Box<str>>,
    crawl: Arc<str>,
    /// What it says to the crawlers that are asked about for this site, in the order of their places.
    says: Vec<Said>,
    /// Whether the file is that of another URL, to which redirects led.
    is_joined: bool,
    /// Whether it is a redirect, which says nothing itself.
    is_redirect: bool,
    /// Whether it is a redirect, and something else was seen in the same second: what it leads to.
    is_followed: bool,
}

/// A site that is asked about.
#[derive(Default)]
struct Site {
    /// The places of the crawlers.
    agents: Vec<usize>,
    observed: Vec<Observed>,
}

impl Site {
    /// The observations that could be the last at or before a time. None if nothing is surely before it. A file that a
    /// redirect led to is not the last word of a site that has spoken for itself since.
    fn last(&self, most: Option<&str>) -> impl Iterator<Item = &Observed> {
        let is_before = move |digits: &str| most.is_none_or(|most| !is_later(digits, most));
        let newest_of = |is_of: fn(&Observed) -> bool| {
            let dated = self.observed.iter().filter(|one| is_of(one)).filter_map(|one| one.digits.as_deref());
            dated.filter(|digits| is_before(digits)).max()
        };
        let could_be = move |newest: Option<&str>, digits: &str| {
            if is_before(digits) {
                newest.is_none_or(|newest| !is_surely_later(newest, digits))
            } else {
                most.is_some_and(|most| !is_surely_later(digits, most))
            }
        };
        let (newest, newest_own) = (newest_of(|_| true), newest_of(|one| !one.is_joined));
        let is_known = most.is_none() || newest.is_some();
        let is_last =
            move |one: &Observed| is_known && one.digits.as_deref().is_none_or(|digits| could_be(newest, digits));
        let is_last_own = move |one: &Observed| {
            !one.is_joined && one.digits.as_deref().is_some_and(|digits| could_be(newest_own, digits))
        };
        let is_over = newest_own.is_some()
            && self.observed.iter().any(|one| one.is_joined && is_last(one))
            && !self.observed.iter().any(|one| one.is_redirect && is_last_own(one));
        let is_one = move |one: &&Observed| is_last(one) || is_over && is_last_own(one);
        self.observed.iter().filter(is_one).filter(|one| !one.is_followed)
    }
}

/// A text that policies have.
struct Text {
    hash: Box<str>,
    canonical: Box<str>,
    tester: Option<Tester<'static>>,
}

/// Answers questions.
#[derive(Clone, Debug)]
pub struct Asker {
    names: Names,
    options: Options,
    reading: Reading,
    most: u64,
}

impl Asker {
    /// What is held of the sites that are asked about, in bytes: observations and texts. Our choice.
    pub const MAX_HELD: u64 = 1 << 32;
    /// The bytes that an observation is counted as, apart from its time, and what a crawler adds.
    const OF_OBSERVED: u64 = 160;
    const OF_SAID: u64 = 64;
    /// The bytes that a text is counted as, for one of its own.
    const OF_TEXT: u64 = 17;

    /// Reads texts with these options, which must be those that the census was made with.
    #[must_use]
    pub fn new(names: Names, options: Options) -> Self {
        let reading = Reading::of(&options, names);
        let options = Options { complete: true, max_details: 0, ..options.for_verdicts() };
        Self { names, options, reading, most: Self::MAX_HELD }
    }

    /// Another number of bytes than [`Asker::MAX_HELD`].
    #[must_use]
    pub const fn most(mut self, most: u64) -> Self {
        self.most = most;
        self
    }

    /// Reads what is stored of the sites that the questions are about. Cost: reads all files, and holds what the
    /// observations of these sites say to the crawlers that are asked about, and these texts.
    ///
    /// # Errors
    /// If something cannot be read, or more than [`Asker::MAX_HELD`] would be held.
    pub fn read<'q>(
        &self,
        stored: &[Stored],
        questions: impl Iterator<Item = &'q Question>,
    ) -> io::Result<Observations> {
        let mut asking = self.begin(questions);
        let hosts = asking.hosts();
        let hosts: HashSet<&str> = hosts.iter().map(String::as_str).collect();
        for one in stored {
            one.each_of(&hosts, &mut |read| asking.add(read, one.path()))?;
        }
        let wanted: Vec<Box<str>> = asking.wanted().map(Into::into).collect();
        let wanted: HashSet<&str> = wanted.iter().map(|hash| &**hash).collect();
        for one in stored {
            one.texts(&wanted, &mut |text| asking.add_text(&text))?;
        }
        Ok(asking.finish())
    }

    /// Begins to read what is stored of the sites that the questions are about: the caller gives the files.
    ///
    /// ```
    /// use robosieve_census::{AgentList, Asker, Census, Question, Read, Seen};
    /// use robosieve_explain::Names;
    ///
    /// let question = Question::new("https://e.com/a", "GPTBot", None).unwrap();
    /// let mut asking = Asker::new(Names::Known, Default::default()).begin([&question].into_iter());
    /// assert_eq!(asking.hosts().into_iter().collect::<Vec<_>>(), ["e.com"]);
    /// let seen = Seen { url: Some("https://e.com/robots.txt"), ..Seen::default() };
    /// let entry = Census::new(AgentList::read("*")?).entry(&seen, b"User-agent: *\nDisallow: /a", true);
    /// asking.add(Read::Entry(Box::new(entry), Some("CC-MAIN-2026-04")), "tables".as_ref())?;
    /// assert_eq!(asking.finish().answer(&question).allowed, Some(false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn begin<'q>(&self, questions: impl Iterator<Item = &'q Question>) -> Asking {
        let mut found = Observations {
            sites: HashMap::new(),
            places: HashMap::new(),
            agents: Vec::new(),
            crawls: HashSet::new(),
            texts: HashMap::new(),
            all: [self.tester(OPEN), self.tester(CLOSED)],
            held: 0,
            observed: 0,
            undated: 0,
            unread: 0,
            first_unread: Vec::new(),
        };
        for question in questions {
            let next = found.agents.len();
            let agent = *found.places.entry(question.agent().to_owned()).or_insert(next);
            if agent == next {
                let name = question.agent();
                let asked = || Asked::new(name.as_bytes(), None, self.names);
                found.agents.push(if name == "*" { Asked::everyone() } else { asked() });
            }
            if let Some(site) = site_of(question.url()) {
                found.sites.entry(site).or_default().agents.push(agent);
            }
        }
        for site in found.sites.values_mut() {
            site.agents.sort_unstable();
            site.agents.dedup();
        }
        Asking { asker: self.clone(), found }
    }

    fn tester(&self, text: &str) -> Tester<'static> {
        let set = Parser::new(self.options.clone()).parse(text.as_bytes());
        Tester::new(&set, &Interest::everyone()).into_owned()
    }
}

/// Reads what is stored of the sites that questions are about, file by file, in any order.
pub struct Asking {
    asker: Asker,
    found: Observations,
}

impl Asking {
    /// The hosts of the sites, as [`FileRow::host`](crate::normal::FileRow::host) has them: other files need not be
    /// given.
    #[must_use]
    pub fn hosts(&self) -> HashSet<String> {
        self.found.sites.keys().filter_map(|site| page_of(site)).map(|site| site.host().to_owned()).collect()
    }

    /// Adds a file. `from` is what it was read from.
    ///
    /// # Errors
    /// If more than [`Asker::MAX_HELD`] would be held, or the file was read with other options.
    pub fn add(&mut self, read: Read<'_>, from: &Path) -> io::Result<()> {
        let found = &mut self.found;
        let (entry, crawl) = match read {
            Read::Entry(entry, crawl) => (entry, crawl),
            Read::Unread(number) => {
                found.unread = found.unread.saturating_add(1);
                if found.first_unread.len() < Observations::MAX_UNREAD {
                    found.first_unread.push((from.to_owned(), number));
                }
                return Ok(());
            }
        };
        let url = entry.file.url.as_deref().filter(|url| is_of_site(url));
        let Some(site) = url.and_then(site_of) else { return Ok(()) };
        let Some(site) = found.sites.get_mut(&site) else { return Ok(()) };
        self.asker.reading.expect(&entry)?;
        let places = entry.places();
        let says: Vec<Said> = site
            .agents
            .iter()
            .filter_map(|agent| found.agents.get(*agent).map(|asked| said(*agent, &entry, entry.found(&places, asked))))
            .collect();
        let seen = entry.file.time.as_deref();
        let digits = seen.and_then(digits).map(String::into_boxed_str);
        let crawl = crawl.unwrap_or(&entry.file.source);
        let is_new = !found.crawls.contains(crawl);
        if is_new {
            found.crawls.insert(crawl.into());
        }
        let bytes =
            [seen.map_or(0, str::len), if is_new { crawl.len() } else { 0 }].iter().map(|len| u64_of(*len)).sum();
        let held = Asker::OF_SAID.saturating_mul(u64_of(says.len())).saturating_add(Asker::OF_OBSERVED);
        let keys: Vec<u128> = says.iter().filter_map(Said::text).collect();
        found.undated = found.undated.saturating_add(digits.is_none().into());
        found.observed = found.observed.saturating_add(1);
        let crawl = found.crawls.get(crawl).map_or_else(|| crawl.into(), Arc::clone);
        let file = &entry.file;
        let is_redirect = file.outcome == "redirect" && file.root.is_none() && entry.policies.is_empty();
        let (seen, is_joined) = (seen.map(Into::into), file.redirects > 0);
        site.observed.push(Observed { digits, seen, crawl, says, is_joined, is_redirect, is_followed: false });
        self.hold(held.saturating_add(bytes))?;
        for key in keys {
            if let Some(policy) = entry.policies.iter().find(|policy| self::key(&policy.hash) == Some(key)) {
                let text = || Text { hash: policy.hash.as_str().into(), canonical: Box::default(), tester: None };
                self.found.texts.entry(key).or_insert_with(text);
            }
            if let Some(text) = entry.texts.iter().find(|text| self::key(&text.hash) == Some(key)) {
                self.add_text(text)?;
            }
        }
        Ok(())
    }

    /// The hashes of the texts that were not given yet: of tables, they come after the files.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        self.found.texts.values().filter(|text| text.tester.is_none()).map(|text| &*text.hash)
    }

    /// Adds a text. It is parsed if a policy has it, once.
    ///
    /// # Errors
    /// Those of [`Asking::add`].
    pub fn add_text(&mut self, text: &TextRow) -> io::Result<()> {
        let Some(known) = key(&text.hash).and_then(|key| self.found.texts.get_mut(&key)) else { return Ok(()) };
        if known.tester.is_some() {
            return Ok(());
        }
        // A damaged text could open what its file closes.
        if *known.hash != *text.hash || crate::file_row::hash(&text.text) != text.hash {
            let hash = escape_short(text.hash.as_bytes());
            return Err(io::Error::other(format!("a text does not match its hash {hash}: it was changed")));
        }
        known.tester = Some(self.asker.tester(&text.text));
        known.canonical = text.text.as_str().into();
        self.hold(Asker::OF_TEXT.saturating_mul(u64_of(text.text.len())))
    }

    fn hold(&mut self, bytes: u64) -> io::Result<()> {
        self.found.held = self.found.held.saturating_add(bytes);
        if self.found.held <= self.asker.most {
            return Ok(());
        }
        let most = self.asker.most;
        Err(io::Error::other(format!(
            "what is stored of the sites takes more than {most} bytes: ask about fewer at once"
        )))
    }

    /// What is known of the sites.
    #[must_use]
    pub fn finish(self) -> Observations {
        let mut found = self.found;
        for site in found.sites.values_mut() {
            // Those of one time keep their order.
            site.observed.sort_by(|one, other| one.digits.cmp(&other.digits));
            let others = site.observed.iter().filter(|one| !one.is_redirect).filter_map(|one| one.digits.clone());
            let others: HashSet<Box<str>> = others.filter(|digits| digits.len() == WHOLE).collect();
            for one in site.observed.iter_mut().filter(|one| one.is_redirect) {
                one.is_followed = one.digits.as_ref().is_some_and(|digits| others.contains(digits));
            }
        }
        found
    }
}

impl Said {
    const fn text(&self) -> Option<u128> {
        match self.by {
            By::Text(key, _) => Some(key),
            By::All(_) => None,
        }
    }
}

/// What a file says to a crawler, in short.
fn said(agent: usize, entry: &Entry, found: Option<crate::view::Found<'_>>) -> Said {
    let word = |status: &str| STATUSES.iter().find(|known| **known == status).copied().unwrap_or("unknown");
    let Some(found) = found else {
        // The HTTP status decided. After 429 and in a redirect, nobody knows.
        let file = &entry.file;
        if file.outcome == "rules" {
            return Said { agent, status: word(&file.status), by: By::All(None) };
        }
        let is_known = file.root == Some(false) || file.http_status != Some(429);
        return Said { agent, status: word(&file.status), by: By::All(file.root.filter(|_| is_known)) };
    };
    let by = match &found.policy {
        // An error page would open a site that never opened.
        policy if policy.status == "not-robots" => By::All(None),
        Cow::Borrowed(PolicyRow { hash, exact, .. }) => key(hash).map_or(By::All(None), |key| By::Text(key, *exact)),
        // No rule is for the crawler, or its name is one of those that are not listed.
        Cow::Owned(policy) => By::All(policy.root),
    };
    Said { agent, status: word(&found.policy.status), by }
}

fn u64_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// What is known of the sites that are asked about.
pub struct Observations {
    sites: HashMap<String, Site>,
    /// The places of the crawlers, by name.
    places: HashMap<String, usize>,
    agents: Vec<Asked>,
    crawls: HashSet<Arc<str>>,
    texts: HashMap<u128, Text>,
    /// What allows everything, and what allows nothing.
    all: [Tester<'static>; 2],
    /// What is held, in bytes, as it is counted.
    pub held: u64,
    /// The number of observations.
    pub observed: u64,
    /// The number of observations without a time that can be read. Each of them could be the last.
    pub undated: u64,
    /// The number of lines that were none of the normal form.
    pub unread: u64,
    /// The first of them, at most [`Observations::MAX_UNREAD`]: the file, and the number of the line.
    pub first_unread: Vec<(PathBuf, u64)>,
}

impl Observations {
    /// The number of lines that are named because they are none of the normal form. Our choice.
    pub const MAX_UNREAD: usize = 10;

    /// The answer to a question: one of those that these were read for, or else nothing is known. Cost: some look-ups,
    /// and the match of the URL for each observation that could be the last.
    #[must_use]
    pub fn answer(&self, question: &Question) -> Answer<'_> {
        self.known(question).unwrap_or_default()
    }

    /// The time of the first observation of the site that is surely later than that of the question.
    #[must_use]
    pub fn next_time(&self, question: &Question) -> Option<&str> {
        let most = question.time().and_then(digits)?;
        // They are in the order of their times.
        let is_next = |one: &&Observed| one.digits.as_ref().is_some_and(|digits| is_surely_later(digits, &most));
        self.site(question)?.observed.iter().find(is_next)?.seen.as_deref()
    }

    /// The text with this hash, if an observation has it.
    #[must_use]
    pub fn text(&self, hash: &str) -> Option<&str> {
        let text = self.texts.get(&key(hash)?)?;
        text.tester.is_some().then_some(&*text.canonical)
    }

    fn site(&self, question: &Question) -> Option<&Site> {
        self.sites.get(&site_of(question.url())?)
    }

    fn known(&self, question: &Question) -> Option<Answer<'_>> {
        let site = self.site(question)?;
        let agent = *self.places.get(question.agent())?;
        let most = question.time().and_then(digits);
        let answers = site.last(most.as_deref()).filter_map(|one| self.said(one, agent, question.url()));
        answers.reduce(|one, later| if later.openness() <= one.openness() { later } else { one })
    }

    fn said<'a>(&'a self, one: &'a Observed, agent: usize, url: &str) -> Option<Answer<'a>> {
        let place = one.says.binary_search_by_key(&agent, |said| said.agent).ok()?;
        let said = one.says.get(place)?;
        let (status, crawl, seen) = (Some(said.status), Some(&*one.crawl), one.seen.as_deref());
        let answer = Answer { status, crawl, seen, ..Answer::default() };
        Some(match said.by {
            By::All(all) => {
                let [open, closed] = &self.all;
                Answer { allowed: all.map(|all| if all { open } else { closed }.is_allowed(url)), ..answer }
            }
            By::Text(key, is_exact) => {
                let text = self.texts.get(&key)?;
                let answer = Answer { hash: Some(&text.hash), ..answer };
                let Some(tester) = &text.tester else { return Some(answer) };
                let verdict = tester.test(url);
                // What the text leaves out could close the page.
                let allowed = Some(verdict.allowed()).filter(|allowed| !allowed || is_exact);
                Answer { allowed, line: verdict.line(), ..answer }
            }
        })
    }
}
