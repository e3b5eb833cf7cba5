//! `fetch`: the robots.txt of sites, as canonical text.
//!
//! Invariant: what a server sent reaches the standard output as canonical text, or as octets on request, and never a terminal as octets.

use std::io::{self, IsTerminal};
use std::path::Path;

use robosieve::{Report, Sieve};
use robosieve_gate::{Attempt, AttemptEnd, Class, Cut, Origin, Outcome, Retrieval, Retriever};
use serde::Serialize;

use super::args::FetchArgs;
use super::asker::tell_who;
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::text::{self, Message};
use crate::{input, json, output, report};

pub(super) fn run(args: &FetchArgs) -> Result<Code, Failure> {
    let origins = origins(&args.urls)?;
    if let Some(raw) = &args.raw {
        check_raw(raw, origins.len(), args.json)?;
    }
    let who = Identity::of_person(&args.who)?;
    let driver = args.net.driver(who.sent.clone())?;
    if !args.quiet {
        tell_who(&who);
    }
    let mut code = Code::Fine;
    for origin in &origins {
        let fetched = Fetched::new(driver.retrieve(origin), &who, args);
        if !args.quiet {
            exit::tell_message(&fetched.words());
        }
        let written = if args.json {
            fetched
                .json(who.sent.header())
                .map_err(|error| Failure::stdout(&error))
                .and_then(|line| output::print(&line))
        } else if args.raw.as_deref().is_some_and(input::is_stdin) {
            output::print(&fetched.retrieval.body)
        } else {
            output::print(fetched.page(origins.len() > 1).as_bytes())
        };
        written?;
        if let Some(raw) = args.raw.as_deref().filter(|raw| !input::is_stdin(raw)) {
            save(raw, &fetched.retrieval)?;
        }
        code = code.and(fetched.code());
    }
    Ok(code)
}

/// Each once, in the order given.
fn origins(urls: &[String]) -> Result<Vec<Origin>, Failure> {
    let mut origins = Vec::new();
    for url in urls {
        let origin =
            Origin::of(url).map_err(|error| Failure::Usage(format!("{}: {error}", text::escape(url.as_bytes()))))?;
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    Ok(origins)
}

fn check_raw(raw: &Path, sites: usize, json: bool) -> Result<(), Failure> {
    if sites > 1 {
        return Err(Failure::Usage(format!(
            "--raw takes the octets of one site, and these are {sites}: fetch them one at a time"
        )));
    }
    if input::is_stdin(raw) && json {
        return Err(Failure::Usage(
            "--raw - and --json both want the standard output: name a file for the octets".into(),
        ));
    }
    if input::is_stdin(raw) && io::stdout().is_terminal() {
        return Err(Failure::Usage(
            "a server's octets may do anything to a terminal: name a file, or pipe them on".into(),
        ));
    }
    Ok(())
}

/// Nothing takes the place of a file where there was no answer.
fn save(raw: &Path, retrieval: &Retrieval) -> Result<(), Failure> {
    match retrieval.outcome {
        Outcome::Rules | Outcome::Truncated => output::replace(raw, &retrieval.body),
        Outcome::NoRules | Outcome::Unavailable | Outcome::Unreachable => {
            exit::tell(&format!("{} was left as it is, for no octets came", text::name_of(raw)));
            Ok(())
        }
    }
}

/// A retrieval, and what it says.
struct Fetched {
    retrieval: Retrieval,
    /// None where there was no file, or one that broke off: its rules are not all there are.
    sieved: Option<(String, Report)>,
}

impl Fetched {
    fn new(retrieval: Retrieval, who: &Identity, args: &FetchArgs) -> Self {
        let everyone = who.agents.iter().next().is_none();
        let sieve = if everyone { Sieve::all_agents() } else { Sieve::for_agents(who.agents.clone()) };
        let sieve = sieve.dialect(args.dialect.unwrap_or_default());
        let has_file = retrieval.outcome == Outcome::Rules || retrieval.cut == Some(Cut::AtCap);
        // No limit's policy is to refuse, so that nothing is.
        let sieved = has_file.then(|| sieve.run(retrieval.whole_lines()).ok()).flatten();
        let sieved = sieved.map(|sieved| (sieved.text().as_str().to_owned(), retrieval.report(&sieved)));
        Self { retrieval, sieved }
    }

    fn code(&self) -> Code {
        match (self.retrieval.outcome, self.retrieval.cut) {
            (Outcome::Rules, _) | (Outcome::Truncated, Some(Cut::AtCap)) => Code::Fine,
            (Outcome::NoRules, _) => Code::Disallowed,
            _ => Code::Refused,
        }
    }

    /// The text, below a comment that says whose it is where there are several.
    fn page(&self, several: bool) -> String {
        let text = self.sieved.as_ref().map_or("", |sieved| sieved.0.as_str());
        if several {
            format!("# {}\n{text}\n", text::escape(self.retrieval.origin.robots_txt().as_bytes()))
        } else {
            text.into()
        }
    }

    /// How it went, for people.
    fn words(&self) -> Message {
        let retrieval = &self.retrieval;
        let status = retrieval.status.map_or("no status".to_owned(), |status| format!("status {status}"));
        let mut words = Message::new(&format!(
            "{}: {} ({status}, {})",
            retrieval.origin.robots_txt(),
            outcome(retrieval),
            Class::of(retrieval)
        ));
        words.extend(retrieval.redirects.iter().map(|to| format!("redirected to {to}")));
        words.extend(retrieval.attempts.iter().map(attempt_words));
        if let Some((_, found)) = &self.sieved {
            let octets = text::counted_len(retrieval.body.len(), "octet", "octets");
            words.add(&format!("{octets}, {}", report::exactness(found)));
        } else if !retrieval.body.is_empty() {
            words.add("what came of it is not all the rules, so none are shown; --raw has the octets");
        }
        words
    }

    fn json(&self, user_agent: &str) -> io::Result<Vec<u8>> {
        let retrieval = &self.retrieval;
        json::line(&Line {
            v: 1,
            origin: retrieval.origin.to_string(),
            user_agent,
            outcome: retrieval.outcome,
            class: Class::of(retrieval),
            cut: retrieval.cut,
            status: retrieval.status,
            redirects: &retrieval.redirects,
            attempts: retrieval.attempts.iter().map(Try::of).collect(),
            fresh_for_s: retrieval.fresh_for.map(|duration| duration.as_secs()),
            retry_after_s: retrieval.retry_after.map(|duration| duration.as_secs()),
            began: retrieval.began.as_millis(),
            took_ms: u64::try_from(retrieval.ended.since(retrieval.began).as_millis()).unwrap_or(u64::MAX),
            octets: retrieval.body.len(),
            text: self.sieved.as_ref().map(|sieved| sieved.0.as_str()),
            report: self.sieved.as_ref().map(|sieved| &sieved.1),
        })
    }
}

fn outcome(retrieval: &Retrieval) -> &'static str {
    match (retrieval.outcome, retrieval.cut) {
        (Outcome::Rules, _) => "rules",
        (Outcome::NoRules, _) => "no rules",
        (Outcome::Unavailable, _) => "unavailable",
        (Outcome::Unreachable, _) => "unreachable",
        (Outcome::Truncated, Some(Cut::AtCap)) => "cut by us",
        (Outcome::Truncated, _) => "broken off",
    }
}

fn attempt_words(attempt: &Attempt) -> String {
    let address = attempt.address.map_or("name".to_owned(), |address| address.to_string());
    match &attempt.end {
        AttemptEnd::Status(status) => format!("{address}: status {status}"),
        AttemptEnd::Failed(why) => format!("{address}: {why}"),
    }
}

/// Version 1 of the fields.
#[derive(Serialize)]
struct Line<'a> {
    v: u8,
    origin: String,
    user_agent: &'a str,
    outcome: Outcome,
    class: Class,
    cut: Option<Cut>,
    status: Option<u16>,
    redirects: &'a [String],
    attempts: Vec<Try<'a>>,
    fresh_for_s: Option<u64>,
    retry_after_s: Option<u64>,
    began: u64,
    took_ms: u64,
    octets: usize,
    text: Option<&'a str>,
    report: Option<&'a Report>,
}

#[derive(Serialize)]
struct Try<'a> {
    address: Option<String>,
    status: Option<u16>,
    error: Option<&'a str>,
}

impl<'a> Try<'a> {
    fn of(attempt: &'a Attempt) -> Self {
        let address = attempt.address.map(|address| address.to_string());
        match &attempt.end {
            AttemptEnd::Status(status) => Self { address, status: Some(*status), error: None },
            AttemptEnd::Failed(why) => Self { address, status: None, error: Some(why) },
        }
    }
}
