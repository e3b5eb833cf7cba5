//! The testers from crates.io. Usage: `suite-rust-testers NAME` (the names are at the end of this file).

mod adapter;

use adapter::{path_of, refused, Found};
use url::Url;

fn texting_robots(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    match texting_robots::Robot::new(agent, robots) {
        Ok(robot) => Found {
            allowed: urls.iter().map(|url| Some(robot.allowed(url))).collect(),
            delay: Some(robot.delay.map(f64::from)),
            sitemaps: Some(robot.sitemaps),
            ..Found::default()
        },
        Err(error) => refused(urls, error),
    }
}

fn robotxt(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    let rules = robotxt::Robots::parse(robots, agent);
    Found {
        allowed: urls.iter().map(|url| Url::parse(url).ok().map(|url| rules.is_url_allowed(&url))).collect(),
        delay: Some(rules.crawl_delay().map(|delay| delay.as_secs_f64())),
        sitemaps: Some(rules.sitemaps().iter().map(Url::to_string).collect()),
        ..Found::default()
    }
}

/// This crate parses again for each URL, and needs text.
fn robotstxt(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    let text = String::from_utf8_lossy(robots);
    let decide = |url: &&str| Some(robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(&text, agent, url));
    Found { allowed: urls.iter().map(decide).collect(), ..Found::default() }
}

/// A later copy of `robotstxt`.
fn robotstxt_with_cache(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    let text = String::from_utf8_lossy(robots);
    let mut matcher = robotstxt_with_cache::DefaultCachingMatcher::new(robotstxt_with_cache::DefaultMatcher::default());
    matcher.parse(&text);
    Found {
        allowed: urls.iter().map(|url| Some(matcher.one_agent_allowed_by_robots(agent, url))).collect(),
        ..Found::default()
    }
}

/// It is asynchronous, but a file in memory never waits.
fn cylon(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    match futures_executor::block_on(cylon::Compiler::new(agent).compile(robots)) {
        Ok(compiled) => Found {
            allowed: urls.iter().map(|url| Some(compiled.allow(path_of(url)))).collect(),
            delay: Some(compiled.delay().map(|seconds| seconds as f64)),
            ..Found::default()
        },
        Err(error) => refused(urls, error),
    }
}

fn roboto(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    let text = String::from_utf8_lossy(robots);
    match (text.parse::<roboto::Robots>(), agent.parse()) {
        (Err(error), _) => refused(urls, error),
        (_, Err(error)) => refused(urls, error),
        (Ok(parsed), Ok(agent)) => Found {
            allowed: urls.iter().map(|url| Some(parsed.is_allowed(&agent, &path_of(url)))).collect(),
            ..Found::default()
        },
    }
}

/// It takes UTF-8 only, and a path.
fn fast_robots(robots: &[u8], agent: &str, urls: &[&str]) -> Found {
    match fast_robots::RobotsTxt::parse_bytes(robots) {
        Ok(parsed) => Found {
            allowed: urls.iter().map(|url| Some(parsed.is_allowed(agent, &path_of(url)))).collect(),
            ..Found::default()
        },
        Err(error) => refused(urls, error),
    }
}

fn main() -> std::io::Result<()> {
    adapter::run(match std::env::args().nth(1).as_deref() {
        Some("texting_robots") => texting_robots,
        Some("robotxt") => robotxt,
        Some("robotstxt") => robotstxt,
        Some("robotstxt-with-cache") => robotstxt_with_cache,
        Some("cylon") => cylon,
        Some("roboto") => roboto,
        Some("fast-robots") => fast_robots,
        other => panic!("no such tester: {other:?}"),
    })
}
