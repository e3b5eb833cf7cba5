//! Reads questions and jobs from stdin, and writes a line for each.
//!
//! `{"id": "...", "file_base64": "...", "agent": "...", "url": "..."}` is answered with `{"id": "...", "allow": true}`,
//! `{"robots_b64": "...", "tests": [["agent", ["url", ...]], ...]}` with `["0101", ...]`, a letter per URL: 1 allowed,
//! 0 disallowed, E error.

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{json, Value};
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What a tester found out about a file for an agent.
#[derive(Default)]
pub struct Found {
    /// An answer for each URL; `None` is an error.
    pub allowed: Vec<Option<bool>>,
    /// The crawl delay, if the tester can tell it: `Some(None)` is "no delay".
    pub delay: Option<Option<f64>>,
    pub sitemaps: Option<Vec<String>>,
    /// Why there is no answer.
    pub error: String,
}

/// The tester refuses the file.
pub fn refused(urls: &[&str], error: impl std::fmt::Display) -> Found {
    Found { allowed: vec![None; urls.len()], error: error.to_string(), ..Found::default() }
}

pub type Tester = fn(&[u8], &str, &[&str]) -> Found;

/// The path of a URL with its query, for testers that are asked with a path.
pub fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    match rest.find(['/', '?']) {
        Some(at) if rest[at..].starts_with('/') => rest[at..].to_owned(),
        Some(at) => format!("/{}", &rest[at..]),
        None => "/".to_owned(),
    }
}

/// Some testers panic on some files. That is an answer, too: an error.
fn ask(tester: Tester, robots: &[u8], agent: &str, urls: &[&str]) -> Result<Found, String> {
    catch_unwind(AssertUnwindSafe(|| tester(robots, agent, urls))).map_err(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
        format!("panic: {}", message.chars().take(200).collect::<String>())
    })
}

fn answer_question(tester: Tester, question: &Value) -> Value {
    let id = &question["id"];
    let robots = STANDARD.decode(question["file_base64"].as_str().unwrap()).unwrap();
    let url = question["url"].as_str().unwrap();
    match ask(tester, &robots, question["agent"].as_str().unwrap(), &[url]) {
        Err(error) => json!({"id": id, "error": error}),
        Ok(Found { allowed, error, .. }) if allowed[0].is_none() => {
            json!({"id": id, "error": error.chars().take(300).collect::<String>()})
        }
        Ok(Found { allowed, delay, sitemaps, .. }) => {
            let mut answer = json!({"id": id, "allow": allowed[0]});
            if let Some(delay) = delay {
                answer["crawl_delay"] = json!(delay);
            }
            if let Some(sitemaps) = sitemaps {
                answer["sitemaps"] = json!(sitemaps);
            }
            answer
        }
    }
}

fn letter(allowed: &Option<bool>) -> char {
    match allowed {
        Some(true) => '1',
        Some(false) => '0',
        None => 'E',
    }
}

fn answer_job(tester: Tester, job: &Value) -> Value {
    let robots = STANDARD.decode(job["robots_b64"].as_str().unwrap()).unwrap();
    let answer = |test: &Value| {
        let agent = test[0].as_str().unwrap();
        let urls: Vec<&str> = test[1].as_array().unwrap().iter().map(|url| url.as_str().unwrap()).collect();
        match ask(tester, &robots, agent, &urls) {
            Ok(found) => found.allowed.iter().map(letter).collect::<String>(),
            Err(_) => "E".repeat(urls.len()),
        }
    };
    job["tests"].as_array().unwrap().iter().map(answer).collect()
}

pub fn run(tester: Tester) -> io::Result<()> {
    std::panic::set_hook(Box::new(|_| {})); // their messages are in the answers
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let answer =
            if message["tests"].is_array() { answer_job(tester, &message) } else { answer_question(tester, &message) };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
