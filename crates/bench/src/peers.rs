//! The peers, each called through its fastest interface.
//!
//! Invariant: if a peer panics or fails, only its answer on that file is lost, and the failure is counted.

use std::panic::{AssertUnwindSafe, catch_unwind};

use robotstxt::{DefaultMatcher, RobotsParseHandler, parse_robotstxt};

use crate::AGENT;

/// robotxt parses a file.
pub fn robotxt(file: &[u8]) -> robotxt::Robots {
    robotxt::Robots::parse(file, AGENT)
}

/// fast-robots parses a file; `None` if that is no UTF-8.
#[must_use]
pub fn fast_robots(file: &[u8]) -> Option<fast_robots::RobotsTxt<'_>> {
    fast_robots::RobotsTxt::parse_bytes(file).ok()
}

/// `texting_robots` parses a file; `None` if it fails.
#[must_use]
pub fn texting_robots(file: &[u8]) -> Option<texting_robots::Robot> {
    catch_unwind(|| texting_robots::Robot::new(AGENT, file).ok()).ok().flatten()
}

/// robotstxt parses a file: it calls back for each line and keeps nothing. `None` if it panics.
#[must_use]
pub fn robotstxt(file: &str) -> Option<usize> {
    catch_unwind(|| {
        let mut seen = Seen(0);
        parse_robotstxt(file, &mut seen);
        seen.0
    })
    .ok()
}

/// robotstxt's verdict: it parses the file for each verdict. `None` if it panics.
#[must_use]
pub fn robotstxt_verdict(file: &str, url: &str) -> Option<bool> {
    let ask = || DefaultMatcher::default().one_agent_allowed_by_robots(file, AGENT, url);
    catch_unwind(AssertUnwindSafe(ask)).ok()
}

/// Runs code without writing panics to the standard error: peers panic on some files.
pub fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = run();
    std::panic::set_hook(hook);
    done
}

/// Counts the callbacks.
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
