//! `fetch`: prints the robots.txt of sites as canonical text.
//!
//! Invariant: a server's bytes are printed only on request, and never to a terminal. A text is printed only if the gate
//! would answer by it.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::Path;

use robosieve::report::Report;
use robosieve::{Sieve, closed};
use robosieve_ask::Plan;
use robosieve_explain::{FileSummary, refusal};
use robosieve_gate::Origin;
use robosieve_gate::decide::{Class, Lifetimes, Policy, Reader, RetrievalReport, SiteRecord};
use robosieve_gate::retrieve::{Cut, Outcome, Retrieval};
use serde::Serialize;
use url::Url;

use super::args::FetchArgs;
use super::asker::{Asker, allowing, passing, tell_who};
use super::identity::Identity;
use crate::exit::{self, Code, Failure};
use crate::text::{self, Message};
use crate::{input, output, report};

pub(super) fn run(args: &FetchArgs) -> Result<Code, Failure> {
    let origins = origins(&args.urls)?;
    if let Some(raw) = &args.raw {
        check_raw(raw, origins.len(), args.json)?;
    }
    let who = Identity::of_person(&args.who)?;
    let gate = passing(&who, &args.net)?;
    if !args.quiet {
        tell_who(&who);
        args.net.tell_proxies()?;
    }
    let mut code = Code::Fine;
    for origin in &origins {
        let retrieval = retrieve(&gate, origin)?;
        let fetched = Fetched::new(retrieval, &who, args)?;
        if !args.quiet {
            exit::tell_message(&fetched.words());
            if let Some(flag) = allowing(fetched.retrieval.trouble()) {
                exit::tell(&format!("{origin}: {}; {flag} allows it", fetched.retrieval.words()));
            }
        }
        if let Some(why) = &fetched.refusal {
            exit::tell(&format!("{}: {why}", fetched.retrieval.origin.robots_txt()));
        }
        let written = if args.json {
            output::print_line(&fetched.line(who.sent.header()))
        } else if args.raw.as_deref().is_some_and(input::is_stdin) {
            output::print(bytes(&fetched.retrieval).unwrap_or_default())
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

/// Retrieves a file, with each request in the turn of the server that gets it.
pub(super) fn retrieve(gate: &Asker, origin: &Origin) -> Result<Retrieval, Failure> {
    gate.block_on(gate.retrieve(origin)).map_err(|error| Failure::Io(format!("no place to wait: {error}")))
}

/// The sites of the URLs, in order, each once.
pub(super) fn origins(urls: &[String]) -> Result<Vec<Origin>, Failure> {
    let mut origins = Vec::new();
    for url in urls {
        expect_no_file(url)?;
        let origin = Origin::of(&with_scheme(url))
            .map_err(|error| Failure::Usage(format!("{}: {error}", text::escape(url.as_bytes()))))?;
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    Ok(origins)
}

/// What the gate would know of the site after what was retrieved, if nothing else were known. The gate decides by it,
/// so that no command shows as rules what another does not go by.
pub(super) fn site_of(retrieval: &Retrieval, reader: &Reader) -> SiteRecord {
    let (policy, lifetimes) = (Policy::default(), Lifetimes::default());
    SiteRecord::default().after(retrieval, reader.read(retrieval), &policy, &lifetimes)
}

/// What came of a retrieval: a line, and what led to it.
pub(super) fn retrieval_words(retrieval: &Retrieval, has_rules: bool) -> (String, impl Iterator<Item = String>) {
    let status = retrieval.status.map_or("no status".to_owned(), |status| format!("status {status}"));
    let outcome = outcome(retrieval, has_rules);
    let class = Class::of(retrieval).words(retrieval.status);
    let more = retrieval.redirects.iter().map(|to| format!("redirected to {to}")).chain(retrieval.error.clone());
    (format!("{}: {outcome} ({status}, {class})", retrieval.origin.robots_txt()), more)
}

/// The bytes of a file, whole or not. 202, 204 and 205 have none: what comes with them is something else.
fn bytes(retrieval: &Retrieval) -> Option<&[u8]> {
    let is_read = matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated);
    (is_read && Class::of(retrieval) != Class::NoContent).then_some(&retrieval.body)
}

/// Ends of files' names that no host has.
const ENDS: [&str; 9] = [".txt", ".gz", ".zst", ".html", ".json", ".ndjson", ".csv", ".xml", ".warc"];

/// Refuses the name of a file where a site is expected.
pub(super) fn expect_no_file(url: &str) -> Result<(), Failure> {
    let name = url.to_ascii_lowercase();
    if url.contains("://") || !ENDS.iter().any(|end| name.ends_with(end)) {
        return Ok(());
    }
    let file = text::escape(url.as_bytes());
    Err(Failure::Usage(format!(
        "{file}: this is the name of a file, and this command asks sites: `robosieve lint {file}` and `robosieve test \
         --agent MyBot {file} /path` read a robots.txt, `robosieve check --agent MyBot - < {file}` a list of URLs"
    )))
}

/// A URL as it is named on the command line: a host alone, which is a site, is asked by https.
pub(super) fn with_scheme(url: &str) -> Cow<'_, str> {
    let is_host = !url.contains("://")
        && !url.starts_with(['/', '\\'])
        && !url.contains('@')
        && Url::parse(&format!("https://{url}")).is_ok_and(|url| matches!(url.path(), "" | "/"));
    if is_host { Cow::Owned(format!("https://{url}/")) } else { Cow::Borrowed(url) }
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

/// Without a file, the existing one stays unchanged.
fn save(raw: &Path, retrieval: &Retrieval) -> Result<(), Failure> {
    if let Some(bytes) = bytes(retrieval) {
        return output::replace(raw, bytes);
    }
    exit::tell(&format!("{} is unchanged, because no file came", text::name_of(raw)));
    Ok(())
}

/// A retrieval and its text.
struct Fetched {
    retrieval: Retrieval,
    /// `None` if there was no file or it is incomplete: some rules would be missing.
    sieved: Option<(String, Report)>,
    /// Whether its text is shown as the rules of the site.
    has_rules: bool,
    /// Why --fail-on withholds its text.
    refusal: Option<String>,
}

impl Fetched {
    fn new(retrieval: Retrieval, who: &Identity, args: &FetchArgs) -> Result<Self, Failure> {
        let groups = &who.groups;
        let everyone = groups.agents.iter().next().is_none();
        let sieve = if everyone { Sieve::all_agents() } else { Sieve::for_agents(groups.interest().clone()) };
        let base_url = retrieval.origin.robots_txt().parse().ok();
        let options = groups.options(args.dialect.unwrap_or_default().options());
        let has_rules =
            site_of(&retrieval, &Reader::new(groups.agents.clone()).options("", options.clone())).has_rules();
        let sieve = sieve.options(options).with(|options| options.base_url = base_url);
        let is_whole = retrieval.outcome == Outcome::Rules || retrieval.cut == Some(Cut::AtCap);
        // Also of what is no robots.txt, to say what it looks like.
        let sieved = (is_whole && bytes(&retrieval).is_some()).then(|| {
            // Rules over a limit are dropped here, so that no file is refused.
            let sieved = sieve.filter(retrieval.whole_lines()).ok();
            let sieved = sieved.map(|sieved| (sieved.text().to_owned(), retrieval.report(&sieved)));
            closed::expect(sieved, || (closed::TEXT.to_owned(), Report::default()))
        });
        let classes = Plan::new(&args.fail_on.0)?.fail_on;
        let refusal = sieved.as_ref().and_then(|(_, found)| refusal(found, true, &classes));
        Ok(Self { retrieval, sieved, has_rules, refusal })
    }

    fn code(&self) -> Code {
        if self.refusal.is_some() {
            return Code::Refused;
        }
        match self.retrieval.outcome {
            Outcome::Rules if self.has_rules => Code::Fine,
            Outcome::NoRules => Code::Disallowed,
            // Trouble of ours, or an address that the guard refuses.
            Outcome::NotAsked => Code::Failed,
            _ => Code::Refused,
        }
    }

    fn text(&self) -> Option<&str> {
        self.sieved.as_ref().filter(|_| self.has_rules && self.refusal.is_none()).map(|sieved| sieved.0.as_str())
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
        let (first, more) = retrieval_words(retrieval, self.has_rules);
        let mut words = Message::new(&first);
        words.extend(more);
        if let Some((_, found)) = &self.sieved {
            let bytes = text::counted_len(retrieval.body.len(), "byte", "bytes");
            words.add(&format!("{bytes}, {}", report::exactness(found)));
            if !self.has_rules {
                words.add("it is no robots.txt, so no rules are shown; use --raw for the bytes");
            }
        } else if bytes(retrieval).is_some_and(|bytes| !bytes.is_empty()) {
            words.add("the file is incomplete, so no rules are shown; use --raw for the bytes");
        }
        words
    }

    fn line<'a>(&'a self, user_agent: &'a str) -> Line<'a> {
        Line {
            v: 1,
            retrieval: RetrievalReport::new(&self.retrieval, user_agent),
            text: self.text(),
            found: self.sieved.as_ref().map(|sieved| FileSummary::new(&sieved.1)),
            report: self.sieved.as_ref().map(|sieved| &sieved.1),
        }
    }
}

fn outcome(retrieval: &Retrieval, has_rules: bool) -> &'static str {
    match (retrieval.outcome, retrieval.cut) {
        (Outcome::Rules, _) if has_rules => "rules",
        (Outcome::Rules, _) => "not the file",
        (Outcome::Truncated, Some(Cut::AtCap)) if !has_rules => "not the file",
        (Outcome::NoRules, _) => "no rules",
        (Outcome::Unavailable, _) => "unavailable",
        (Outcome::Unreachable, _) => "unreachable",
        (Outcome::Unchanged, _) => "unchanged",
        (Outcome::NotAsked, _) => "not asked",
        (Outcome::Truncated, Some(Cut::AtCap)) => "cut by us",
        (Outcome::Truncated, _) => "broken off",
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
}
