//! Files that were parsed once, for any agents: those of `robotsParser`.
//!
//! Invariant: the space that they take is bounded. The oldest is dropped when another needs its space; JavaScript then
//! parses it again. Answers never depend on what is here.

use std::collections::VecDeque;

use robosieve::agent::{Agent, AnsweredBy, Interest};
use robosieve::policy::{Parser, RecordSet, Selection};
use robosieve::settings::Options;
use robosieve::Tester;
use robosieve_ask::Plan;
use serde::Serialize;

/// The answer for a file that is not here any more.
pub(crate) const NOT_HERE: u32 = u32::MAX;

/// The space for all files, in bytes. It is estimated.
const SPACE: usize = 64 << 20;

/// The number of agents of a file whose testers are kept. With more, the oldest is dropped.
const MAX_TESTERS: usize = 16;

/// The files, in the order in which they were parsed. Their numbers follow one another.
#[derive(Default)]
pub(crate) struct Files {
    parsed: VecDeque<File>,
    /// The number of the first.
    first: u32,
    space: usize,
}

/// What borrows from the bytes of a file: its groups, and the testers that were made.
struct Groups<'a> {
    set: RecordSet<'a>,
    /// Their numbers follow one another.
    testers: VecDeque<(Vec<u8>, Tester<'a>)>,
    /// The number of the first tester.
    first: u32,
}

self_cell::self_cell!(
    struct File {
        owner: Vec<u8>,
        #[not_covariant]
        dependent: Groups,
    }
);

impl Files {
    /// Parses a file, and returns its number.
    pub(crate) fn parse(&mut self, body: &[u8], site: &[u8], complete: bool) -> u32 {
        // As every door reads a file for which no option was given. Its report is not asked for.
        let base_url = str::from_utf8(site).ok().and_then(|site| site.parse().ok());
        let options = Options { base_url, complete, max_details: 0, ..Plan::default().verdicts };
        let read = body.get(..options.limits.max_bytes.saturating_add(16)).unwrap_or(body);
        self.make_space(space(read.len()));
        let parser = Parser::new(options);
        let file =
            File::new(read.to_vec(), |body| Groups { set: parser.parse(body), testers: VecDeque::new(), first: 0 });
        let at = u32::try_from(self.parsed.len()).unwrap_or(u32::MAX);
        let mut number = self.first.wrapping_add(at);
        if number == NOT_HERE {
            *self = Self::default();
            number = 0;
        }
        self.space = self.space.saturating_add(space(file.borrow_owner().len()));
        self.parsed.push_back(file);
        number
    }

    fn make_space(&mut self, wanted: usize) {
        while self.space.saturating_add(wanted) > SPACE
            && let Some(oldest) = self.parsed.pop_front()
        {
            self.space = self.space.saturating_sub(space(oldest.borrow_owner().len()));
            self.first = self.first.wrapping_add(1);
        }
    }

    fn file(&mut self, number: u32) -> Option<&mut File> {
        let at = number.checked_sub(self.first)?;
        self.parsed.get_mut(usize::try_from(at).ok()?)
    }

    /// The number of the tester for an agent. It is made when it is asked for first.
    pub(crate) fn tester(&mut self, number: u32, name: &[u8]) -> Option<u32> {
        Some(self.file(number)?.with_dependent_mut(|_, groups| groups.number_of(name)))
    }

    /// A verdict of a tester; see [`packed`].
    pub(crate) fn ask(&mut self, number: u32, tester: u32, url: &[u8]) -> Option<u32> {
        self.file(number)?.with_dependent(|_, groups| {
            let at = usize::try_from(tester.checked_sub(groups.first)?).ok()?;
            groups.testers.get(at).map(|(_, tester)| packed(tester, url))
        })
    }

    /// The crawl delay of an agent in seconds; negative if there is none.
    pub(crate) fn crawl_delay(&mut self, number: u32, name: &[u8]) -> Option<f64> {
        let interest = interest(name);
        Some(self.file(number)?.with_dependent(|_, groups| {
            let delay = Selection::of(&groups.set, &interest).values().crawl_delay();
            delay.map_or(-1.0, |delay| delay.as_duration().as_secs_f64())
        }))
    }

    /// What the file says to all, as JSON.
    pub(crate) fn about(&mut self, number: u32) -> Option<Vec<u8>> {
        #[derive(Serialize)]
        struct About {
            sitemaps: Vec<String>,
            host: Option<String>,
        }
        self.file(number)?.with_dependent(|_, groups| {
            let sitemaps = groups.set.sitemaps().iter().map(ToString::to_string).collect();
            serde_json::to_vec(&About { sitemaps, host: groups.set.host() }).ok()
        })
    }
}

impl Groups<'_> {
    fn number_of(&mut self, name: &[u8]) -> u32 {
        let at = self.testers.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            if self.testers.len() >= MAX_TESTERS {
                self.testers.pop_front();
                self.first = self.first.wrapping_add(1);
            }
            self.testers.push_back((name.to_vec(), Tester::new(&self.set, &interest(name))));
            self.testers.len().saturating_sub(1)
        });
        self.first.wrapping_add(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

/// What a file and its groups may take. A short rule takes many times its bytes.
const fn space(bytes: usize) -> usize {
    bytes.saturating_mul(12).saturating_add(1_000)
}

/// The agent with this name; without a name, a crawler that no group names.
fn interest(name: &[u8]) -> Interest {
    if name == b"*" { Interest::everyone() } else { Interest::new(Agent::new(name)) }
}

/// A verdict as a number: bit 0 is set if the URL is allowed, bit 1 if a group names the agent. Above is the line that
/// decides, or 0.
fn packed(tester: &Tester<'_>, url: &[u8]) -> u32 {
    const MOST: u32 = (u32::MAX >> 2) - 1;
    let verdict = tester.test(url);
    let line = verdict.line().unwrap_or(0).min(MOST);
    let is_named = matches!(tester.answered_by(), AnsweredBy::Agent(_));
    line << 2 | u32::from(is_named) << 1 | u32::from(verdict.allowed())
}
