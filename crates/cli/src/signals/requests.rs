//! `signals --ndjson`: a request has all that is known of a page.
//!
//! Invariant: each line that is not blank gets one answer, in order, with its id. No request changes the next one.

use std::borrow::Cow;

use robosieve::agent::Agents;
use robosieve_ask::Plan;
use robosieve_batch::json::Id;
use robosieve_batch::requests::{Numbered, reply_to, serve_lines};
use robosieve_explain::target;
use robosieve_signals::{Answer, Page};
use serde::Deserialize;

use crate::exit::{Code, Failure};
use crate::ndjson::{self, Problem, RequestAgents, decode};
use crate::{lines, output};

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

impl<'a> Numbered<'a> for Request<'a> {
    fn version(&self) -> Option<u64> {
        self.v
    }

    fn id(&self) -> Option<Id<'a>> {
        self.id
    }
}

/// Answers all requests of the standard input. The agents and the time of the command line are for requests that have
/// none.
pub(super) fn serve(plan: &Plan, agents: Option<&Agents>, at: i64) -> Result<Code, Failure> {
    let reply = |line: &[u8]| reply_to(line, |request| answer(request, plan, agents, at));
    ndjson::end(serve_lines(lines::of_stdin(), output::stdout(), reply))
}

fn answer(
    mut request: Request<'_>,
    plan: &Plan,
    agents: Option<&Agents>,
    default_time: i64,
) -> Result<Answer, Problem> {
    let missing = || Problem::request("the agent is missing: give agent or agents, or start the command with --agent");
    let own = RequestAgents::of(request.agent.take(), request.agents.take(), None)?;
    let agents = own.map(|own| own.agents()).or_else(|| agents.cloned()).ok_or_else(missing)?;
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

/// The bytes of one of two fields.
fn bytes<'r>(name: &str, text: Option<&'r String>, base64: Option<&String>) -> Result<Option<Cow<'r, [u8]>>, Problem> {
    match (text, base64) {
        (Some(_), Some(_)) => Err(Problem::request(format!("give {name} or {name}_b64, not both"))),
        (Some(text), None) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
        (None, Some(text)) => decode(&format!("{name}_b64"), text).map(|bytes| Some(Cow::Owned(bytes))),
        (None, None) => Ok(None),
    }
}
