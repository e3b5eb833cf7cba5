//! The peers, each asked in the fastest way that its interface has.
//!
//! Invariant: a peer's panic or error costs its answer on that file and nothing else, and is counted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use robotstxt::{DefaultMatcher, RobotsParseHandler, parse_robotstxt};

use crate::AGENT;

/// robotxt's reading of a file.
pub fn robotxt(file: &[u8]) -> robotxt::Robots {
    robotxt::Robots::parse(file, AGENT)
}

/// `texting_robots`' reading of a file, unless it fails.
#[must_use]
pub fn texting_robots(file: &[u8]) -> Option<texting_robots::Robot> {
    catch_unwind(|| texting_robots::Robot::new(AGENT, file).ok()).ok().flatten()
}

/// robotstxt's reading of a file: it calls back for each line and keeps nothing. None where it panics.
#[must_use]
pub fn robotstxt(file: &str) -> Option<usize> {
    catch_unwind(|| {
        let mut seen = Seen(0);
        parse_robotstxt(file, &mut seen);
        seen.0
    })
    .ok()
}

/// robotstxt's verdict: it reads the file again for each. None where it panics.
#[must_use]
pub fn robotstxt_verdict(file: &str, url: &str) -> Option<bool> {
    let ask = || DefaultMatcher::default().one_agent_allowed_by_robots(file, AGENT, url);
    catch_unwind(AssertUnwindSafe(ask)).ok()
}

/// Runs something while panics are not written to the standard error: peers panic on some files.
pub fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = run();
    std::panic::set_hook(hook);
    done
}

/// Counts what it is called with.
struct Seen(usize);

impl Seen {
    fn note(&mut self, value: &str) {
        self.0 = self.0.wrapping_add(value.len());
    }
}

impl RobotsParseHandler for Seen {
    fn handle_robots_start(&mut self) {}

    fn handle_robots_end(&mut self) {}

    fn handle_user_agent(&mut self, _: u32, value: &str) {
        self.note(value);
    }

    fn handle_allow(&mut self, _: u32, value: &str) {
        self.note(value);
    }

    fn handle_disallow(&mut self, _: u32, value: &str) {
        self.note(value);
    }

    fn handle_sitemap(&mut self, _: u32, value: &str) {
        self.note(value);
    }

    fn handle_unknown_action(&mut self, _: u32, _: &str, value: &str) {
        self.note(value);
    }
}
