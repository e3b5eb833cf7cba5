//! Answers JSON requests, one per line, in order.
//!
//! Invariant: every line that is not blank gets one answer, whatever it contains. An answer is flushed when the next
//! request has not come yet. A request changes nothing for the next one.
//!
//! ```
//! use robosieve_batch::lines::Lines;
//! use robosieve_batch::requests::{MAX_LINE, Request, serve};
//!
//! let lines = Lines::new(&b"{\"id\":1,\"robots\":\"User-agent: *\",\"agent\":\"MyBot\"}\n"[..], MAX_LINE);
//! let mut out = Vec::new();
//! serve(lines, &mut out, |mut request: Request<'_, ()>| {
//!     let length = request.source()?.bytes()?.len();
//!     Ok(std::collections::BTreeMap::from([("length", length)]))
//! })?;
//! assert_eq!(out, b"{\"v\":1,\"id\":1,\"length\":13}\n");
//! # Ok::<(), robosieve_batch::requests::ServeError>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};
use std::marker::PhantomData;

use robosieve::agent::{Agent, Agents};
use robosieve::printable::escape;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json::{self, Id, Object};
use crate::lines::{Lines, Next};
use crate::problem::Problem;

/// The longest line that is read: 64 MiB.
pub const MAX_LINE: usize = 64 << 20;

/// The agents of a request at most: each is compared with each user-agent line of the file. A crawler has a few.
pub const MAX_AGENTS: usize = 1_000;

/// The advice for an agent that names no crawler.
pub const NAME_OF_CRAWLER: &str =
    "write your crawler's product token, for example MyBot, or `*` for a crawler that no group names";

/// A request. `O` is the type of its options.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request<'a, O> {
    v: Option<u64>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    robots: Option<String>,
    robots_b64: Option<String>,
    agent: Option<String>,
    agents: Option<Vec<String>>,
    user_agent: Option<String>,
    /// A URL to test.
    pub url: Option<String>,
    /// Several URLs to test.
    pub urls: Option<Vec<String>>,
    /// A URL to test whose bytes are in base64.
    pub url_b64: Option<String>,
    /// Parsed later, so that an error in the options has its own kind.
    #[serde(borrow)]
    options: Option<&'a RawValue>,
    #[serde(skip)]
    of_type: PhantomData<O>,
}

/// The file of a request, as it came.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestSource {
    /// Text, from `robots`.
    Text(String),
    /// Base64, from `robots_b64`.
    Base64(String),
}

impl RequestSource {
    /// The file, from the two fields that a request may have it in.
    ///
    /// # Errors
    /// If there are both.
    pub(crate) fn of(text: Option<String>, base64: Option<String>) -> Result<Option<Self>, Problem> {
        match (text, base64) {
            (Some(text), None) => Ok(Some(Self::Text(text))),
            (None, Some(text)) => Ok(Some(Self::Base64(text))),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(Problem::request("give robots or robots_b64, not both")),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the text is not base64.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Problem> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Self::Base64(text) => decode("robots_b64", text).map(Cow::Owned),
        }
    }
}

/// The agents of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct RequestAgents {
    /// Names, then the User-Agent header: it is less preferred.
    names: Vec<String>,
}

impl RequestAgents {
    /// The agents that the fields of a request name, if they name some.
    ///
    /// # Errors
    /// If a name is empty or a browser's, or there are both `agent` and `agents`, or too many.
    pub fn of(
        agent: Option<String>,
        agents: Option<Vec<String>>,
        user_agent: Option<String>,
    ) -> Result<Option<Self>, Problem> {
        let names = match (agent, agents) {
            (Some(agent), None) => Some(vec![agent]),
            (None, agents) => agents,
            (Some(_), Some(_)) => return Err(Problem::request("give agent or agents, not both")),
        };
        if names.as_ref().is_some_and(Vec::is_empty) {
            return Err(Problem::request("agents is empty: name one, or leave it out"));
        }
        if names.as_ref().is_some_and(|names| names.len() > MAX_AGENTS) {
            return Err(Problem::request(format!("more than {MAX_AGENTS} agents: use several requests")));
        }
        let names: Vec<String> = names.into_iter().flatten().chain(user_agent).collect();
        // Otherwise an unset variable of the caller would select the group for `*`.
        if names.iter().any(|name| name.trim_ascii().is_empty()) {
            return Err(Problem::request(format!("an agent is empty: {NAME_OF_CRAWLER}")));
        }
        let has_some = !names.is_empty();
        let agents = Self { names };
        if let Some(agent) = agents.agents().iter().find(|agent| agent.is_browser()) {
            let name = escape(agent.as_bstr());
            return Err(Problem::request(format!("`{name}` names no crawler but a browser: {NAME_OF_CRAWLER}")));
        }
        Ok(has_some.then_some(agents))
    }

    /// The agents, most preferred first.
    #[must_use]
    pub fn agents(&self) -> Agents {
        self.names.iter().map(Agent::new).collect()
    }
}

/// Decodes the base64 of a request's field.
///
/// # Errors
/// If it is not base64. The message has the field's name.
pub fn decode(name: &str, text: &str) -> Result<Vec<u8>, Problem> {
    json::decode(text).map_err(|error| Problem::request(format!("{name} is not base64: {error}")))
}

/// The error for a request without a file.
#[must_use]
pub fn no_source() -> Problem {
    Problem::request("the file is missing: give robots, or robots_b64 for bytes")
}

impl<O: DeserializeOwned + Default> Request<'_, O> {
    /// Takes the file, if the request has one.
    ///
    /// # Errors
    /// If there are two.
    pub fn take_source(&mut self) -> Result<Option<RequestSource>, Problem> {
        RequestSource::of(self.robots.take(), self.robots_b64.take())
    }

    /// Takes the file.
    ///
    /// # Errors
    /// If there is none, or there are two.
    pub fn source(&mut self) -> Result<RequestSource, Problem> {
        self.take_source()?.ok_or_else(no_source)
    }

    /// Takes the agents, if the request has some.
    ///
    /// # Errors
    /// If a name is empty, or the request has both `agent` and `agents`.
    pub fn take_agents(&mut self) -> Result<Option<RequestAgents>, Problem> {
        RequestAgents::of(self.agent.take(), self.agents.take(), self.user_agent.take())
    }

    /// Takes the options; the default if the request has none.
    ///
    /// # Errors
    /// `bad-option` if they are not valid.
    pub fn take_options(&mut self) -> Result<O, Problem> {
        let Some(options) = self.options.take() else { return Ok(O::default()) };
        let options = serde_json::from_str::<Object<O>>(options.get());
        Ok(options.map_err(|error| Problem::option(format!("options: {}", json::json_error(&error))))?.0)
    }

    /// Checks that the request has no URL, for commands that test none.
    ///
    /// # Errors
    /// If it has one.
    pub fn expect_no_url(&self) -> Result<(), Problem> {
        if self.url.is_some() || self.urls.is_some() || self.url_b64.is_some() {
            return Err(Problem::request("url, urls and url_b64 are for `robosieve test`"));
        }
        Ok(())
    }
}

/// Reads a line of JSON.
///
/// # Errors
/// `bad-json` and `bad-request`, with the id of the line if it has one.
pub(crate) fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, (Option<Id<'a>>, Problem)> {
    #[derive(Deserialize)]
    struct Identified<'a> {
        #[serde(borrow)]
        id: Option<Id<'a>>,
    }
    serde_json::from_slice::<Object<T>>(line).map(|found| found.0).map_err(|error| {
        let identified = serde_json::from_slice::<Object<Identified<'_>>>(line);
        (identified.ok().and_then(|it| it.0.id), error.into())
    })
}

/// Checks the version of a request.
///
/// # Errors
/// If it is not 1.
pub(crate) fn expect_version(v: Option<u64>) -> Result<(), Problem> {
    match v {
        None | Some(1) => Ok(()),
        Some(_) => Err(Problem::request("v is the version of the requests, and has to be 1")),
    }
}

/// Why [`serve`] ended early.
#[derive(Debug)]
pub enum ServeError {
    /// The requests could not be read.
    Read(io::Error),
    /// An answer could not be written.
    Write(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "the requests cannot be read: {error}"),
            Self::Write(error) => write!(f, "an answer cannot be written: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

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

/// Answers each request, to the end of the lines. The fields of an answer are next to the version and the id.
///
/// # Errors
/// If the lines cannot be read, or an answer cannot be written.
pub fn serve<O, A: Serialize>(
    lines: Lines<impl Read>,
    out: impl Write,
    mut answer: impl FnMut(Request<'_, O>) -> Result<A, Problem>,
) -> Result<(), ServeError> {
    serve_lines(lines, out, |line| reply(line, |request: Request<'_, O>| answer(request)))
}

/// The same for requests of any kind: `answer` makes the reply to a line, with [`reply`].
///
/// # Errors
/// As for [`serve`].
pub fn serve_lines(
    mut lines: Lines<impl Read>,
    mut out: impl Write,
    mut answer: impl FnMut(&[u8]) -> io::Result<Replied>,
) -> Result<(), ServeError> {
    loop {
        let reply = match lines.next_line().map_err(ServeError::Read)? {
            Next::End => break,
            Next::TooLong => {
                let message = format!("the line is longer than {} bytes and was skipped", lines.max());
                error_line(None, Problem::new("line-too-long", message))
            }
            Next::Line(line) if line.trim_ascii().is_empty() => Ok(Vec::new()),
            Next::Line(line) => answer(line).map(|replied| replied.line),
        };
        let written = reply.and_then(|reply| out.write_all(&reply));
        written.and_then(|()| if lines.pauses() { out.flush() } else { Ok(()) }).map_err(ServeError::Write)?;
    }
    out.flush().map_err(ServeError::Write)
}

/// A request of any kind.
pub trait Numbered<'a>: Deserialize<'a> {
    /// The version that it says.
    fn version(&self) -> Option<u64>;
    /// Its id.
    fn id(&self) -> Option<Id<'a>>;
}

impl<'a, O> Numbered<'a> for Request<'a, O> {
    fn version(&self) -> Option<u64> {
        self.v
    }

    fn id(&self) -> Option<Id<'a>> {
        self.id
    }
}

/// The reply to a request.
#[derive(Debug)]
pub struct Replied {
    /// One line of JSON.
    pub line: Vec<u8>,
    /// Whether the line has a problem instead of an answer.
    pub is_problem: bool,
}

/// Answers one request, as [`serve`] does: a [`Request`], or one of another kind.
///
/// # Errors
/// If the answer is no JSON.
pub fn reply<'a, R: Numbered<'a>, A: Serialize>(
    request: &'a [u8],
    answer: impl FnOnce(R) -> Result<A, Problem>,
) -> io::Result<Replied> {
    let (id, answer) = match read::<R>(request) {
        Ok(request) => (request.id(), expect_version(request.version()).and_then(|()| answer(request))),
        Err((id, problem)) => (id, Err(problem)),
    };
    let is_problem = answer.is_err();
    let line = match answer {
        Ok(body) => json::line(&Envelope { v: 1, id, body }),
        Err(problem) => error_line(id, problem),
    };
    Ok(Replied { line: line?, is_problem })
}

fn error_line(id: Option<Id<'_>>, error: Problem) -> io::Result<Vec<u8>> {
    json::line(&Envelope { v: 1, id, body: ErrorBody { error } })
}
