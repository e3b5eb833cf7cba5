//! `signals`: what may be done with a page, by its headers, its HTML head, `tdmrep.json` and robots.txt.
//!
//! Invariant: nothing is fetched. The answer is that of [`robosieve_signals`]; it is for people to read and for programs
//! to act on, so the exit code does not depend on it. With --ndjson, each line that is not blank gets one answer, in order,
//! with its id, and no request changes the next one.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueHint};
use robosieve::Agents;
use robosieve_ask::Plan;
use robosieve_batch::json::Id;
use robosieve_batch::requests::{Numbered, expect_status, named_agents, reply, serve_lines};
use robosieve_explain::target;
use robosieve_signals::{Allowed, Answer, Finding, License, Limits, Page};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::args::AgentArgs;
use crate::choices::{Flags, Reading, Statuses};
use crate::exit::{self, Code, Failure};
use crate::input::{self, Folders, Input};
use crate::ndjson::{self, Problem, decode};
use crate::output::{self, Line, Named};
use crate::shade::{self, HEADING, LOST, OURS};
use crate::{asked, text};

#[derive(Debug, Args)]
pub(crate) struct SignalsArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// The page's URL, or its path
    #[arg(value_name = "URL", value_hint = ValueHint::Url, required_unless_present = "ndjson")]
    url: Option<OsString>,
    /// Its response headers, as `curl -D FILE` writes them; `-` is the standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    headers: Option<PathBuf>,
    /// The page itself, if it is HTML
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// The robots.txt of its host
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    robots: Option<PathBuf>,
    /// The /.well-known/tdmrep.json of its host
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tdmrep: Option<PathBuf>,
    /// When the page was fetched, for example 2026-11-27T12:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<i64>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "ndjson")]
    json: bool,
    /// Answer requests from the standard input: one JSON object per line
    #[arg(long, conflicts_with_all = ["url", "headers", "html", "robots", "tdmrep"])]
    ndjson: bool,
    #[command(flatten)]
    statuses: Flags<Statuses>,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}

/// Reads a time.
fn time(text: &str) -> Result<i64, String> {
    robosieve_signals::time(text).ok_or_else(|| "write a time as 2026-11-27T12:00:00Z".into())
}

impl SignalsArgs {
    /// The time that was given, or else the clock's.
    fn at(&self) -> i64 {
        let now =
            || SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|now| i64::try_from(now.as_secs()).ok());
        self.time.or_else(now).unwrap_or_default()
    }
}

pub(crate) fn run(args: &SignalsArgs) -> Result<Code, Failure> {
    let plan = Plan::new(&args.choices.0.clone().over(&args.statuses.0))?.for_agents(args.agents.given());
    if args.ndjson {
        return serve(&plan, args.agents.given().as_ref(), args.at());
    }
    if args.agents.is_empty() {
        return Err(Failure::no_agent());
    }
    let files = [&args.headers, &args.html, &args.robots, &args.tdmrep].map(Option::as_ref);
    if files.iter().all(Option::is_none) && plan.status.is_none() {
        let message =
            "name what is known of the page: --headers, --html, --robots, --status, --tdmrep, or several of them";
        return Err(Failure::Usage(message.into()));
    }
    asked::check(args.url.as_deref(), "name it with the flag that says what it is, as `--robots robots.txt`")?;
    let files: Vec<&PathBuf> = files.into_iter().flatten().collect();
    input::once(files.iter().map(|file| input::is_stdin(file)))?;
    input::expect_there(files, Folders::Refused)?;

    // One byte more than is read of a page, so that what is cut is known.
    let most = Limits::DEFAULT.max_html_bytes.saturating_add(1);
    let read = |file: &Option<PathBuf>| file.as_ref().map(|file| input::read(file, most)).transpose();
    let (headers, html, tdmrep) = (read(&args.headers)?, read(&args.html)?, read(&args.tdmrep)?);
    tell_strange(headers.as_ref(), "header", is_head);
    tell_strange(html.as_ref(), "element of HTML", |bytes| bytes.contains(&b'<'));
    tell_strange(tdmrep.as_ref(), "JSON", |bytes| serde_json::from_slice::<IgnoredAny>(bytes).is_ok());
    let robots = args.robots.as_ref().map(|file| asked::read(file, &plan, false)).transpose()?;
    let url = args.url.as_ref().map(|url| url.as_encoded_bytes()).unwrap_or_default();
    let page = Page::new(url);
    let page = headers.iter().fold(page, |page, input| page.head(&input.bytes));
    let page = html.iter().fold(page, |page, input| page.html(&input.bytes));
    let mut page = tdmrep.iter().fold(page, |page, input| page.tdmrep(&input.bytes));
    if let Some((input, found)) = &robots {
        input.expect(found, &plan.fail_on)?;
        page = page.robots(&input.bytes).options(input.plan(&plan).verdicts.clone());
    }
    if let Some(status) = plan.status {
        page = page.status(status, &plan.options);
    }
    let answer = page.signals().answer(&plan.groups, args.at());
    print(args.json, &text::escape(url), &answer)?;
    Ok(Code::Fine)
}

/// Says that a file is probably another one than its flag names: it says nothing then, which looks like silence.
fn tell_strange(input: Option<&Input>, what: &str, is_one: impl Fn(&[u8]) -> bool) {
    let Some(Input { bytes, name, .. }) = input else { return };
    if bytes.trim_ascii().is_empty() {
        exit::tell(&format!("{name} is empty, so it says nothing; check what wrote it"));
    } else if !is_one(bytes) {
        exit::tell(&format!("{name} has no {what}, so it says nothing; check which file it is"));
    }
}

/// Whether a file begins as a response does.
fn is_head(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| matches!(byte, b'\r' | b'\n')).find(|line| !line.trim_ascii().is_empty());
    let line = line.unwrap_or_default();
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let name = line.split(|byte| *byte == b':').next().filter(|name| name.len() < line.len());
    let is_name = |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    line.starts_with(b"HTTP/") || bytes.starts_with(b"\xFF\xFE") || name.is_some_and(is_name)
}

/// Prints an answer; for people each use on a line, with the place that decided.
fn print(as_json: bool, url: &str, answer: &Answer) -> Result<(), Failure> {
    if as_json {
        return output::print_line(&Line::of(Named::Url(url), answer));
    }
    shade::print(|out| {
        let width = shade::limit();
        writeln!(out, "{HEADING}{}{HEADING:#}", shade::wrapped(url, 0, 0, width))?;
        for (what, allowed) in &answer.uses {
            let style = match allowed {
                Allowed::Yes => OURS,
                Allowed::No => LOST,
                Allowed::Unsaid => HEADING,
            };
            let by = answer.decided_by.get(what.as_str());
            let by = by.map(|by| format!(" ({}: {})", by.at, by.text)).unwrap_or_default();
            let rest = shade::wrapped(&by, 20, 2, width);
            writeln!(out, "  {what:<12} {style}{}{style:#}{rest}", allowed.as_str())?;
        }
        let below = limits(answer).into_iter().chain(answer.findings.iter().map(Finding::words));
        for line in below {
            writeln!(out, "  {}", shade::wrapped(&line, 2, 2, width))?;
        }
        match answer.more_findings {
            0 => Ok(()),
            more => writeln!(out, "  and {more} more findings"),
        }
    })
}

/// The limits and the licences.
fn limits(answer: &Answer) -> Vec<String> {
    let limits = &answer.limits;
    let number = |name: &str, number: Option<i64>| number.map(|number| format!("{name}: {number}"));
    let name = |name: &str, text: Option<&str>| text.map(|text| format!("{name}: {text}"));
    let all = [
        number("max-snippet", limits.max_snippet),
        name("max-image-preview", limits.max_image_preview),
        number("max-video-preview", limits.max_video_preview),
        name("unavailable_after", limits.unavailable_after.as_deref()),
        name("extent", limits.extent),
    ];
    let address = |one: &License| if one.url.is_empty() { format!("in {}", one.at) } else { one.url.clone() };
    let licenses = answer.licenses.iter().map(|one| format!("license: {}", address(one)));
    all.into_iter().flatten().chain(licenses).collect()
}

/// All that is known of a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a JSON object")]
struct Request<'a> {
    v: Option<u64>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    url: String,
    agent: Option<String>,
    agents: Option<Vec<String>>,
    time: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    html: Option<String>,
    html_b64: Option<String>,
    robots: Option<String>,
    robots_b64: Option<String>,
    status: Option<u16>,
    tdmrep: Option<String>,
    tdmrep_b64: Option<String>,
}

impl<'a> Numbered<'a> for Request<'a> {
    fn numbers(&self) -> (Option<u64>, Option<Id<'a>>) {
        (self.v, self.id)
    }
}

/// Answers all requests of the standard input. The agents and the time of the command line are for requests that have
/// none.
fn serve(plan: &Plan, agents: Option<&Agents>, at: i64) -> Result<Code, Failure> {
    let reply = |line: &[u8]| reply(line, |request| answer(request, plan, agents, at));
    ndjson::end(serve_lines(input::stdin_lines(), output::stdout(), reply))
}

fn answer(
    mut request: Request<'_>,
    plan: &Plan,
    agents: Option<&Agents>,
    default_time: i64,
) -> Result<Answer, Problem> {
    let missing = || Problem::request("the agent is missing: give agent or agents, or start the command with --agent");
    let own = named_agents(request.agent.take(), request.agents.take(), None)?;
    let agents = own.or_else(|| agents.cloned()).ok_or_else(missing)?;
    expect_status(request.status)?;
    target::check(request.url.as_bytes()).map_err(|message| Problem::new("bad-url", format!("url: {message}")))?;
    let at = request.time.as_deref().map(time).transpose().map_err(|why| Problem::request(format!("time: {why}")))?;
    let (html, robots, tdmrep) = (
        bytes("html", request.html.take(), request.html_b64.take())?,
        bytes("robots", request.robots.take(), request.robots_b64.take())?,
        bytes("tdmrep", request.tdmrep.take(), request.tdmrep_b64.take())?,
    );
    let page = Page::new(&request.url).options(plan.verdicts.clone());
    let page = request.headers.iter().fold(page, |page, (name, value)| page.header(name, value));
    let page = html.iter().fold(page, Page::html);
    let page = robots.iter().fold(page, Page::robots);
    let page = request.status.iter().fold(page, |page, status| page.status(*status, &plan.options));
    let page = tdmrep.iter().fold(page, Page::tdmrep);
    let groups = plan.clone().for_agents(Some(agents)).groups;
    Ok(page.signals().answer(&groups, at.unwrap_or(default_time)))
}

/// The bytes of one of two fields.
fn bytes(name: &str, text: Option<String>, base64: Option<String>) -> Result<Option<Vec<u8>>, Problem> {
    match (text, base64) {
        (Some(_), Some(_)) => Err(Problem::request(format!("give {name} or {name}_b64, not both"))),
        (text, None) => Ok(text.map(String::into_bytes)),
        (None, Some(text)) => decode(&format!("{name}_b64"), &text).map(Some),
    }
}
