//! One JSON request a line in, one answer a line out, in order.
//!
//! Invariant: each line that is not blank gets one answer, whatever it holds; answers are flushed whenever the next
//! request has not come yet; a request changes nothing for the next one.

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Write};

use robosieve::report::Finding;
use robosieve::{Agent, Agents, ConfigError, Refused};
use robosieve_batch::json::{self, Id, Object};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choices::Choices;
use crate::exit::{Code, Failure};

use crate::lines::{self, Lines, MAX_LINE, Next};
use crate::output;

/// A request to any of the commands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request<'a> {
    v: Option<u64>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    robots: Option<String>,
    robots_b64: Option<String>,
    agent: Option<String>,
    agents: Option<Vec<String>>,
    user_agent: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) urls: Option<Vec<String>>,
    pub(crate) url_b64: Option<String>,
    /// Read for itself, so that what is wrong in it is told from a request that is none.
    #[serde(borrow)]
    options: Option<&'a RawValue>,
}

/// The id of what may be no request.
#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
}

/// The file of a request, as it came.
#[derive(Debug, PartialEq)]
pub(crate) enum Source {
    Text(String),
    Base64(String),
}

impl Source {
    pub(crate) fn bytes(&self) -> Result<Cow<'_, [u8]>, Problem> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Self::Base64(text) => decode("robots_b64", text).map(Cow::Owned),
        }
    }
}

/// The agents of a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Asking {
    names: Vec<String>,
    /// A whole User-Agent header, less preferred than the names.
    header: Option<String>,
}

impl Asking {
    /// The preferred first.
    fn agents(&self) -> Agents {
        let sent = self.header.iter().map(|header| Agent::from_header(header));
        self.names.iter().map(Agent::new).chain(sent).collect()
    }
}

/// Bytes of a request.
pub(crate) fn decode(name: &str, text: &str) -> Result<Vec<u8>, Problem> {
    json::decode(text).map_err(|error| Problem::request(format!("{name} is no base64: {error}")))
}

impl Request<'_> {
    /// The file, if the request has one.
    pub(crate) fn take_source(&mut self) -> Result<Option<Source>, Problem> {
        match (self.robots.take(), self.robots_b64.take()) {
            (Some(text), None) => Ok(Some(Source::Text(text))),
            (None, Some(text)) => Ok(Some(Source::Base64(text))),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(Problem::request("give robots or robots_b64, not both")),
        }
    }

    /// The file.
    pub(crate) fn source(&mut self) -> Result<Source, Problem> {
        self.take_source()?.ok_or_else(|| Problem::request("the file is missing: give robots, or robots_b64 for bytes"))
    }

    /// The agents as the request has them, if it has some.
    pub(crate) fn take_agents(&mut self) -> Result<Option<Asking>, Problem> {
        let names = match (self.agent.take(), self.agents.take()) {
            (Some(agent), None) => Some(vec![agent]),
            (None, agents) => agents,
            (Some(_), Some(_)) => return Err(Problem::request("give agent or agents, not both")),
        };
        if names.as_ref().is_some_and(Vec::is_empty) {
            return Err(Problem::request("agents is empty: name one, or leave it out"));
        }
        let header = self.user_agent.take();
        // A variable that was not set would read the file as any crawler may.
        if names.iter().flatten().chain(&header).any(|name| name.trim_ascii().is_empty()) {
            return Err(Problem::request(
                "an agent is empty: write your crawler's product token, for example MyBot, or `*` for a crawler that no group names",
            ));
        }
        let has_some = names.is_some() || header.is_some();
        Ok(has_some.then(|| Asking { names: names.unwrap_or_default(), header }))
    }

    /// The options, which are those of the command line where the request has none.
    pub(crate) fn take_options(&mut self) -> Result<Choices, Problem> {
        let Some(options) = self.options.take() else { return Ok(Choices::default()) };
        let options = serde_json::from_str::<Object<Choices>>(options.get());
        let options = options.map_err(|error| Problem::option(format!("options: {error}")))?.0;
        if options.status.is_some_and(|status| !(100..=999).contains(&status)) {
            return Err(Problem::option("status has to be an HTTP status, from 100 to 999"));
        }
        Ok(options)
    }

    /// That it has no URL, for commands that test none.
    pub(crate) fn expect_no_url(&self) -> Result<(), Problem> {
        if self.url.is_some() || self.urls.is_some() || self.url_b64.is_some() {
            return Err(Problem::request("url, urls and url_b64 are for `robosieve test`"));
        }
        Ok(())
    }
}

/// What a command starts from: its command line.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) choices: Choices,
    /// None where none was named.
    pub(crate) agents: Option<Agents>,
}

impl Defaults {
    /// The agents to ask for: the request's, or else those of the command line.
    pub(crate) fn agents(&self, own: Option<&Asking>) -> Result<Agents, Problem> {
        own.map(Asking::agents).or_else(|| self.agents.clone()).ok_or_else(|| {
            Problem::request(
                "the agent is missing: give agent, agents or user_agent, or start the command with --agent",
            )
        })
    }
}

/// Why there is no answer.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<Finding>,
}

impl Problem {
    /// The line is JSON, and no request that can be answered.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self { kind: "bad-request", message: message.into(), finding: None }
    }

    /// An option that is unknown, has no such value, or does nothing here.
    pub(crate) fn option(message: impl Into<String>) -> Self {
        Self { kind: "bad-option", message: message.into(), finding: None }
    }

    /// The policy of the caller refuses the file.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { kind: "refused", message: message.into(), finding: None }
    }

    /// The value to test is not a URL.
    pub(crate) fn url(message: impl Into<String>) -> Self {
        Self { kind: "bad-url", message: message.into(), finding: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        let kind = if error.is_data() { "bad-request" } else { "bad-json" };
        Self { kind, message: error.to_string(), finding: None }
    }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        Self::option(error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self { kind: "refused", message: refused.to_string(), finding: Some(refused.finding) }
    }
}

/// A command that answers requests.
pub(crate) trait Server {
    /// Its answer.
    type Answer: Serialize;

    /// Answers a request.
    fn answer(&mut self, request: Request<'_>) -> Result<Self::Answer, Problem>;
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    v: u8,
    id: Option<Id<'a>>,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize)]
struct ErrorBody {
    error: Problem,
}

/// Answers requests to the end of the standard input.
pub(crate) fn serve(server: impl Server) -> Result<Code, Failure> {
    answer_all(lines::of_stdin(), output::stdout(), server)
}

/// Answers requests to the end of some lines.
pub(crate) fn answer_all(
    mut lines: Lines<impl Read>,
    mut out: impl Write,
    mut server: impl Server,
) -> Result<Code, Failure> {
    loop {
        let reply = match lines.next_line().map_err(|error| Failure::stdin(&error))? {
            Next::End => break,
            Next::TooLong => {
                let message = format!("the line is longer than {MAX_LINE} bytes and was skipped");
                error_line(None, Problem { kind: "line-too-long", message, finding: None })
            }
            Next::Line(line) if line.trim_ascii().is_empty() => Ok(Vec::new()),
            Next::Line(line) => reply(&mut server, line),
        };
        let written = reply.and_then(|reply| out.write_all(&reply));
        let flushed = written.and_then(|()| if lines.pauses() { out.flush() } else { Ok(()) });
        flushed.map_err(|error| Failure::stdout(&error))?;
    }
    out.flush().map_err(|error| Failure::stdout(&error))?;
    Ok(Code::Fine)
}

fn reply(server: &mut impl Server, line: &[u8]) -> std::io::Result<Vec<u8>> {
    let (id, answer) = match read(line) {
        Ok(request) => (request.id, check(&request).and_then(|()| server.answer(request))),
        // What is no request may still have an id.
        Err(problem) => {
            (serde_json::from_slice::<Object<Identified<'_>>>(line).ok().and_then(|it| it.0.id), Err(problem))
        }
    };
    match answer {
        Ok(body) => json::line(&Envelope { v: 1, id, body }),
        Err(problem) => error_line(id, problem),
    }
}

fn error_line(id: Option<Id<'_>>, error: Problem) -> std::io::Result<Vec<u8>> {
    json::line(&Envelope { v: 1, id, body: ErrorBody { error } })
}

fn read(line: &[u8]) -> Result<Request<'_>, Problem> {
    Ok(serde_json::from_slice::<Object<Request<'_>>>(line)?.0)
}

/// What its types do not say.
fn check(request: &Request<'_>) -> Result<(), Problem> {
    if request.v.is_some_and(|v| v != 1) {
        return Err(Problem::request("v is the version of the requests, and has to be 1"));
    }
    Ok(())
}
