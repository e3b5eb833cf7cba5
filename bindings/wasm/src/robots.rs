//! [`Robots`]: a file that was parsed once, for any agents: those of `robotsParser`.
//!
//! Invariant: answers depend on the file, the agent and the URL only. What is kept of other agents is bounded.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::num::NonZeroU32;

use robosieve::records::{AnsweredBy, Parser, RecordSet, Selection};
use robosieve::settings::{Agent, Interest};
use robosieve::{Options, Tester};
use wasm_bindgen::prelude::wasm_bindgen;

/// The number of agents whose testers are kept. With more, the one that was not asked for longest is dropped.
const MAX_TESTERS: usize = 16;
/// A byte order mark, a line end, and another character of UTF-32: a longer file is cut.
const MORE: usize = 16;

/// What borrows from the bytes of a file: its groups, and testers, of which the first is asked.
struct Groups<'a> {
    set: RecordSet<'a>,
    testers: RefCell<VecDeque<(String, Tester<'a>)>>,
}

self_cell::self_cell!(
    struct File {
        owner: Vec<u8>,
        #[not_covariant]
        dependent: Groups,
    }
);

/// A file.
#[wasm_bindgen]
pub struct Robots(File);

#[wasm_bindgen]
impl Robots {
    /// Parses a file of this site, as every door reads one for which no option was given.
    #[must_use]
    pub fn parse(mut body: Vec<u8>, site: &str, complete: bool) -> Self {
        let base_url = site.parse().ok();
        let options = Options { base_url, complete, max_details: 0, ..Options::default().for_verdicts() };
        body.truncate(options.limits.max_bytes.saturating_add(MORE));
        let parser = Parser::new(options);
        Self(File::new(body, |body| Groups { set: parser.parse(body), testers: RefCell::default() }))
    }

    /// Makes an agent the one that verdicts are for. `*` is a crawler that no group names.
    pub fn choose(&self, agent: &str) {
        self.0.with_dependent(|_, groups| {
            let mut testers = groups.testers.borrow_mut();
            let known = testers.iter().position(|(known, _)| known == agent).and_then(|at| testers.remove(at));
            let tester = known.unwrap_or_else(|| (agent.to_owned(), Tester::new(&groups.set, &interest(agent))));
            testers.push_front(tester);
            testers.truncate(MAX_TESTERS);
        });
    }

    /// The verdict on a URL as a number: bit 0 is set if it is allowed, bit 1 if a group names the agent. Above is the line
    /// that decides, or 0.
    #[must_use]
    pub fn verdict(&self, url: &str) -> u32 {
        const MOST: u32 = (u32::MAX >> 2) - 1;
        self.0.with_dependent(|_, groups| {
            groups.testers.borrow().front().map_or(0, |(_, tester)| {
                let verdict = tester.test(url);
                let line = verdict.line().map_or(0, NonZeroU32::get).min(MOST);
                let is_named = matches!(tester.answered_by(), AnsweredBy::Agent(_));
                line << 2 | u32::from(is_named) << 1 | u32::from(verdict.allowed())
            })
        })
    }

    /// The crawl delay of an agent in seconds.
    #[must_use]
    pub fn crawl_delay(&self, agent: &str) -> Option<f64> {
        self.0.with_dependent(|_, groups| {
            let delay = Selection::of(&groups.set, &interest(agent)).values().crawl_delay();
            delay.map(|delay| delay.as_duration().as_secs_f64())
        })
    }

    /// The URLs of the sitemaps.
    #[must_use]
    pub fn sitemaps(&self) -> Vec<String> {
        self.0.with_dependent(|_, groups| groups.set.sitemaps().iter().map(ToString::to_string).collect())
    }

    /// The main host of the site.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        self.0.with_dependent(|_, groups| groups.set.host())
    }
}

fn interest(agent: &str) -> Interest {
    if agent == "*" { Interest::everyone() } else { Interest::new(Agent::new(agent)) }
}
