//! `signals --ndjson`: a request has all that is known of a page.
//!
//! Invariant: each line that is not blank gets one answer, in order, with its id. No request changes the next one.

use std::borrow::Cow;
use std::io::Write as _;

use robosieve::agent::{Agent, Agents};
use robosieve_ask::Plan;
use robosieve_batch::json::{self, Id, Object};
use robosieve_batch::requests::{MAX_AGENTS, NAME_OF_CRAWLER, decode};
use robosieve_explain::target;
use robosieve_signals::{Answer, Page};
use serde::{Deserialize, Serialize};

use crate::exit::{Code, Failure};
use crate::lines::{self, Next};
use crate::ndjson::Problem;
use crate::output;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
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
    tdmrep: Option<String>,
    tdmrep_b64: Option<String>,
}

#[derive(Serialize)]
struct Reply<'a> {
    v: u8,
    id: Option<Id<'a>>,
    #[serde(flatten)]
    body: Body,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body {
    Answer(Box<Answer>),
    Error { error: Problem },
}

/// Answers all requests of the standard input. The agents and the time of the command line are for requests that have
/// none.
pub(super) fn serve(plan: &Plan, agents: Option<&Agents>, at: i64) -> Result<Code, Failure> {
    let mut lines = lines::of_stdin();
    let mut out = output::stdout();
    loop {
        let most = lines.max();
        let line = match lines.next_line().map_err(|error| Failure::stdin(&error))? {
            Next::End => break,
            Next::TooLong => {
                let message = format!("the line is longer than {most} bytes and was skipped");
                json::line(&Reply { v: 1, id: None, body: Body::Error { error: Problem::request(message) } })
            }
            Next::Line(line) if line.trim_ascii().is_empty() => continue,
            Next::Line(line) => json::line(&reply(line, plan, agents, at)),
        };
        let written = line.and_then(|line| out.write_all(&line));
        let written = written.and_then(|()| if lines.pauses() { out.flush() } else { Ok(()) });
        written.map_err(|error| Failure::stdout(&error))?;
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(Code::Fine)
}

fn reply<'a>(line: &'a [u8], plan: &Plan, agents: Option<&Agents>, at: i64) -> Reply<'a> {
    /// The id of a line that is no request.
    #[derive(Deserialize)]
    struct Identified<'a> {
        #[serde(borrow)]
        id: Option<Id<'a>>,
    }
    let (id, answer) = match serde_json::from_slice::<Object<Request<'a>>>(line) {
        Ok(Object(request)) => (request.id, answer(&request, plan, agents, at)),
        Err(error) => {
            let identified = serde_json::from_slice::<Object<Identified<'a>>>(line);
            (identified.ok().and_then(|found| found.0.id), Err(error.into()))
        }
    };
    let body = answer.map_or_else(|error| Body::Error { error }, |answer| Body::Answer(Box::new(answer)));
    Reply { v: 1, id, body }
}

fn answer(request: &Request<'_>, plan: &Plan, agents: Option<&Agents>, default_time: i64) -> Result<Answer, Problem> {
    if !matches!(request.v, None | Some(1)) {
        return Err(Problem::request("v is the version of the requests, and has to be 1"));
    }
    let missing = || Problem::request("the agent is missing: give agent or agents, or start the command with --agent");
    let agents = own_agents(request)?.or_else(|| agents.cloned()).ok_or_else(missing)?;
    target::check(request.url.as_bytes()).map_err(|message| Problem::url(format!("url: {message}")))?;
    let bad_time = || Problem::request("time: write a time as 2026-11-27T12:00:00Z");
    let at = request.time.as_ref().map(|text| robosieve_signals::time(text).ok_or_else(bad_time)).transpose()?;
    let (html, robots, tdmrep) = (
        bytes("html", request.html.as_ref(), request.html_b64.as_ref())?,
        bytes("robots", request.robots.as_ref(), request.robots_b64.as_ref())?,
        bytes("tdmrep", request.tdmrep.as_ref(), request.tdmrep_b64.as_ref())?,
    );
    let mut page = Page::new(&request.url).options(plan.verdicts.clone());
    for (name, value) in &request.headers {
        page = page.header(name, value);
    }
    if let Some(html) = &html {
        page = page.html(html);
    }
    if let Some(robots) = &robots {
        page = page.robots(robots);
    }
    if let Some(tdmrep) = &tdmrep {
        page = page.tdmrep(tdmrep);
    }
    let groups = plan.clone().for_agents(Some(agents)).groups;
    Ok(page.signals().answer(&groups, at.unwrap_or(default_time)))
}

/// The agents of a request.
fn own_agents(request: &Request<'_>) -> Result<Option<Agents>, Problem> {
    let names: Vec<&String> = match (&request.agent, &request.agents) {
        (Some(_), Some(_)) => return Err(Problem::request("give agent or agents, not both")),
        (None, None) => return Ok(None),
        (agent, agents) => agent.iter().chain(agents.iter().flatten()).collect(),
    };
    if names.is_empty() || names.len() > MAX_AGENTS {
        return Err(Problem::request(format!("agents: name 1 to {MAX_AGENTS}, or leave it out")));
    }
    let agents: Agents = names.into_iter().map(Agent::new).collect();
    // Otherwise an unset variable of the caller would select what is said to all.
    if agents.iter().any(|agent| agent.as_bstr().trim_ascii().is_empty() || agent.is_browser()) {
        return Err(Problem::request(format!("an agent names no crawler: {NAME_OF_CRAWLER}")));
    }
    Ok(Some(agents))
}

/// The bytes of one of two fields.
fn bytes<'r>(name: &str, text: Option<&'r String>, base64: Option<&String>) -> Result<Option<Cow<'r, [u8]>>, Problem> {
    match (text, base64) {
        (Some(_), Some(_)) => Err(Problem::request(format!("give {name} or {name}_b64, not both"))),
        (Some(text), None) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
        (None, Some(text)) => decode(&format!("{name}_b64"), text).map(|bytes| Some(Cow::Owned(bytes))),
        (None, None) => Ok(None),
    }
}
