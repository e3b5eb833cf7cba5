//! The peers as testers of the suite: `tester NAME`. A question a line, an answer a line, as suite/README.md describes.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a question that is none ends the program"
)]

use std::io::{self, BufRead as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use url::Url;

/// What a peer says of a file, an agent and a URL: the answer, or why there is none.
type Peer = fn(&[u8], &str, &str) -> Result<Value, String>;

/// The path of a URL with its query, for peers that are asked with a path.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let from = rest.find(['/', '?']).map_or("", |at| rest.get(at..).unwrap());
    if from.starts_with('/') { from.to_owned() } else { format!("/{from}") }
}

fn robotxt(file: &[u8], agent: &str, url: &str) -> Result<Value, String> {
    let rules = robotxt::Robots::parse(file, agent);
    let url = Url::parse(url).map_err(|error| error.to_string())?;
    let sitemaps: Vec<_> = rules.sitemaps().iter().map(Url::to_string).collect();
    let delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
    Ok(json!({"allow": rules.is_url_allowed(&url), "crawl_delay": delay, "sitemaps": sitemaps}))
}

fn texting_robots(file: &[u8], agent: &str, url: &str) -> Result<Value, String> {
    let robot = texting_robots::Robot::new(agent, file).map_err(|error| error.to_string())?;
    Ok(json!({"allow": robot.allowed(url), "crawl_delay": robot.delay, "sitemaps": robot.sitemaps}))
}

fn fast_robots(file: &[u8], agent: &str, url: &str) -> Result<Value, String> {
    let parsed = fast_robots::RobotsTxt::parse_bytes(file).map_err(|error| error.to_string())?;
    Ok(json!({"allow": parsed.is_allowed(agent, &path_of(url))}))
}

fn answer(peer: Peer, question: &Value) -> Value {
    let text = |name: &str| question[name].as_str().unwrap();
    let file = BASE64_STANDARD.decode(text("file_base64")).unwrap();
    // Some peers panic on some files. That is an answer, too: an error.
    let found = catch_unwind(AssertUnwindSafe(|| peer(&file, text("agent"), text("url"))));
    let mut answer = match found {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => json!({"error": error}),
        Err(_) => json!({"error": "it panics"}),
    };
    answer["id"] = question["id"].clone();
    answer
}

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1);
    let peer: Peer = match name.as_deref() {
        Some("robotxt") => robotxt,
        Some("texting_robots") => texting_robots,
        Some("fast-robots") => fast_robots,
        other => panic!("no such tester: {other:?}"),
    };
    std::panic::set_hook(Box::new(|_| {}));
    for line in io::stdin().lock().lines() {
        writeln!(io::stdout(), "{}", answer(peer, &serde_json::from_str(&line?)?))?;
    }
    Ok(())
}
