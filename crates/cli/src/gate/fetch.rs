//! `fetch`: prints the robots.txt of sites as canonical text.
//!
//! Invariant: a server's bytes are printed only on request, and never to a terminal.

use std::io::{self, IsTerminal};
use std::path::Path;

use robosieve::{Report, Sieve, closed};
use robosieve_explain::FileSummary;
use robosieve_explain::refusal;
use robosieve_gate::ask::Overrides;
use robosieve_gate::decide::{Class, RetrievalReport};
use robosieve_gate::origin::SiteSelector;
use robosieve_gate::retrieve::{Attempt, AttemptEnd, Cut, Outcome, Retrieval, Retriever};
use robosieve_gate::{Answer, Driver, GateCore, MemoryStore, Next, Origin};
use serde::Serialize;

use super::args::FetchArgs;
use super::asker::tell_who;
use super::identity::Identity;
use super::overrides;
use crate::exit::{self, Code, Failure};
use crate::text::{self, Message};
use crate::{input, json, output, report};

pub(super) fn run(args: &FetchArgs) -> Result<Code, Failure> {
    let origins = origins(&args.urls)?;
    if let Some(raw) = &args.raw {
        check_raw(raw, origins.len(), args.json)?;
    }
    let who = Identity::of_person(&args.who)?;
    let file = args.overrides.as_deref();
    let hosts = file.map(overrides::read).transpose()?.unwrap_or_default();
    let driver = args.net.driver(who.sent.clone(), |all| overrides::connections(file, &hosts, all))?;
    if !args.quiet {
        tell_who(&who);
        args.net.tell_proxies()?;
        overrides::warn_of_insecure(&hosts);
    }
    // It remembers no site, only when each server got a request.
    let paced = GateCore::new(MemoryStore::default(), who.groups.agents.clone());
    let mut code = Code::Fine;
    for origin in &origins {
        let retrieval = retrieve(&paced, &driver, origin);
        let fetched = Fetched { insecure: is_insecure(&hosts, &retrieval), ..Fetched::new(retrieval, &who, args)? };
        if !args.quiet {
            exit::tell_message(&fetched.words());
        }
        if let Some(why) = &fetched.refusal {
            exit::tell(&format!("{}: {why}", fetched.retrieval.origin.robots_txt()));
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

/// Whether the certificates of a host that was asked are not checked: of the site, or of a redirect's target.
fn is_insecure(hosts: &Overrides, retrieval: &Retrieval) -> bool {
    let of = |origin: &Origin| hosts.of(origin).is_some_and(|own| own.insecure);
    of(&retrieval.origin) || retrieval.redirects.iter().any(|url| Origin::of(url).is_ok_and(|origin| of(&origin)))
}

/// Retrieves a file, with each request in the turn of the server that gets it.
pub(super) fn retrieve(core: &GateCore<MemoryStore>, driver: &Driver, origin: &Origin) -> Retrieval {
    /// So often, a retrieval that has no turn soon begins anew.
    const MOST: usize = 3;
    let page = format!("{origin}/");
    for _ in 0..MOST {
        let now = core.now();
        match core.ask_permission(&page, now) {
            Ok(Next::Retrieve(flight)) => {
                let start = flight.starts_at().unwrap_or(now);
                driver.wait(start.since(now));
                let found = driver.retrieve_in_turn(origin, flight.held(), &core.turns(&flight, start));
                let Some(until) = found.not_before else { return found };
                drop(flight);
                driver.wait(until.since(core.now()));
            }
            Ok(Next::Answer(Answer::NotNow { until, .. })) => driver.wait(until.since(now)),
            // Nobody else is asking, and nothing is known.
            Ok(Next::Answer(_) | Next::Wait(_)) | Err(_) => break,
        }
    }
    let now = core.now();
    Retrieval::of(origin.clone(), Outcome::NotAsked, None, Vec::new(), now)
}

/// The sites of the URLs, in order, each once.
pub(super) fn origins(urls: &[String]) -> Result<Vec<Origin>, Failure> {
    let mut origins = Vec::new();
    for url in urls {
        let of = if is_host(url) { Origin::of(&format!("https://{url}")) } else { Origin::of(url) };
        let origin = of.map_err(|error| Failure::Usage(format!("{}: {error}", text::escape(url.as_bytes()))))?;
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    Ok(origins)
}

/// What came of a retrieval, in a line, and whether there are rules to show: those of a file, or of a site without one.
pub(super) fn retrieval_words(retrieval: &Retrieval) -> (String, bool) {
    let has_file = retrieval.outcome == Outcome::Rules || retrieval.cut == Some(Cut::AtCap);
    let mut words = vec![headline(retrieval)];
    words.extend(retrieval.redirects.iter().map(|to| format!("redirected to {to}")));
    if !has_file {
        words.extend(retrieval.attempts.iter().map(attempt_words));
    }
    (words.join("; "), has_file)
}

/// What came of a retrieval.
fn headline(retrieval: &Retrieval) -> String {
    let status = retrieval.status.map_or("no status".to_owned(), |status| format!("status {status}"));
    format!("{}: {} ({status}, {})", retrieval.origin.robots_txt(), outcome(retrieval), Class::of(retrieval))
}

/// Whether it is a host, which is a site, as for `site`.
fn is_host(url: &str) -> bool {
    !url.contains("://")
        && !url.starts_with(['/', '\\'])
        && !url.contains('@')
        && matches!(url.parse(), Ok(SiteSelector::Host { .. }))
}

fn check_raw(raw: &Path, sites: usize, json: bool) -> Result<(), Failure> {
    if sites > 1 {
        return Err(Failure::Usage(format!("--raw is for one site, and there are {sites}: fetch them one at a time")));
    }
    if input::is_stdin(raw) && json {
        return Err(Failure::Usage(
            "--raw - and --json both write to the standard output: name a file for the bytes".into(),
        ));
    }
    if input::is_stdin(raw) && io::stdout().is_terminal() {
        return Err(Failure::Usage("a server's bytes can control a terminal: name a file, or pipe the output".into()));
    }
    Ok(())
}

/// Without a response, the existing file stays unchanged.
fn save(raw: &Path, retrieval: &Retrieval) -> Result<(), Failure> {
    match retrieval.outcome {
        Outcome::Rules | Outcome::Truncated => output::replace(raw, &retrieval.body),
        _ => {
            exit::tell(&format!("{} is unchanged, because no bytes were received", text::name_of(raw)));
            Ok(())
        }
    }
}

/// A retrieval and its text.
struct Fetched {
    retrieval: Retrieval,
    /// `None` if there was no file or it is incomplete: some rules would be missing.
    sieved: Option<(String, Report)>,
    /// Why --fail-on withholds its text.
    refusal: Option<String>,
    /// Whether the certificates of its host are not checked.
    insecure: bool,
}

impl Fetched {
    fn new(retrieval: Retrieval, who: &Identity, args: &FetchArgs) -> Result<Self, Failure> {
        let groups = &who.groups;
        let everyone = groups.agents.iter().next().is_none();
        let sieve = if everyone { Sieve::all_agents() } else { Sieve::for_agents(groups.interest().clone()) };
        let base_url = retrieval.origin.robots_txt().parse().ok();
        let sieve = sieve.options(groups.options(args.dialect.unwrap_or_default().options())).base_url(base_url);
        let has_file = retrieval.outcome == Outcome::Rules || retrieval.cut == Some(Cut::AtCap);
        let sieved = has_file.then(|| {
            // Rules over a limit are dropped here, so that no file is refused.
            let sieved = sieve.run(retrieval.whole_lines()).ok();
            let sieved = sieved.map(|sieved| (sieved.text().as_str().to_owned(), retrieval.report(&sieved)));
            closed::expect(sieved, || (closed::TEXT.to_owned(), Report::default()))
        });
        let classes = args.fail_on.fail_on()?;
        let refusal = sieved.as_ref().and_then(|(_, found)| refusal(found, true, &classes));
        Ok(Self { retrieval, sieved, refusal, insecure: false })
    }

    fn code(&self) -> Code {
        if self.refusal.is_some() {
            return Code::Refused;
        }
        match (self.retrieval.outcome, self.retrieval.cut) {
            (Outcome::Rules, _) => Code::Fine,
            (Outcome::NoRules, _) => Code::Disallowed,
            _ => Code::Refused,
        }
    }

    fn text(&self) -> Option<&str> {
        self.sieved.as_ref().filter(|_| self.refusal.is_none()).map(|sieved| sieved.0.as_str())
    }

    /// The text; with several sites, below a comment that names the site.
    fn page(&self, several: bool) -> String {
        let text = self.text().unwrap_or_default();
        if several {
            format!("# {}\n{text}\n", text::escape(self.retrieval.origin.robots_txt().as_bytes()))
        } else {
            text.into()
        }
    }

    /// The message about the retrieval.
    fn words(&self) -> Message {
        let retrieval = &self.retrieval;
        let mut words = Message::new(&headline(retrieval));
        words.extend(retrieval.redirects.iter().map(|to| format!("redirected to {to}")));
        words.extend(retrieval.attempts.iter().map(attempt_words));
        if self.insecure {
            words.add("the certificates of a host that was asked are not checked, as you have set");
        }
        if let Some((_, found)) = &self.sieved {
            let bytes = text::counted_len(retrieval.body.len(), "byte", "bytes");
            words.add(&format!("{bytes}, {}", report::exactness(found)));
        } else if !retrieval.body.is_empty() {
            words.add("the file is incomplete, so no rules are shown; use --raw for the bytes");
        }
        words
    }

    fn json(&self, user_agent: &str) -> io::Result<Vec<u8>> {
        let retrieval = &self.retrieval;
        json::line(&Line {
            v: 1,
            retrieval: RetrievalReport::new(retrieval, user_agent),
            text: self.text(),
            found: self.sieved.as_ref().map(|sieved| FileSummary::new(&sieved.1)),
            report: self.sieved.as_ref().map(|sieved| &sieved.1),
            insecure: self.insecure,
        })
    }
}

fn outcome(retrieval: &Retrieval) -> &'static str {
    match (retrieval.outcome, retrieval.cut) {
        (Outcome::Rules, _) => "rules",
        (Outcome::NoRules, _) => "no rules",
        (Outcome::Unavailable, _) => "unavailable",
        (Outcome::Unreachable, _) => "unreachable",
        (Outcome::Unchanged, _) => "unchanged",
        (Outcome::NotAsked, _) => "not asked",
        (Outcome::Truncated, Some(Cut::AtCap)) => "cut by us",
        (Outcome::Truncated, _) => "broken off",
    }
}

fn attempt_words(attempt: &Attempt) -> String {
    let address = attempt.address.map_or("name".to_owned(), |address| address.to_string());
    match &attempt.end {
        AttemptEnd::Status(status) => format!("{address}: status {status}"),
        AttemptEnd::Failed(why) => format!("{address}: {why}"),
        AttemptEnd::NotAsked(why) => format!("{address}: not asked: {why}"),
    }
}

/// Version 1 of the fields.
#[derive(Serialize)]
struct Line<'a> {
    v: u8,
    #[serde(flatten)]
    retrieval: RetrievalReport<'a>,
    text: Option<&'a str>,
    #[serde(flatten)]
    found: Option<FileSummary>,
    report: Option<&'a Report>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    insecure: bool,
}
