//! Answers JSON requests, one per line, in order.
//!
//! Invariant: every line that is not blank gets one answer, also if it is no request. An answer is flushed when the
//! next request has not come yet. A request changes nothing for the next one. What a request is, the crate
//! `robosieve-ask` says.
//!
//! ```
//! use robosieve_batch::lines::Lines;
//! use robosieve_batch::requests::{self, MAX_LINE, Request};
//!
//! let lines = Lines::new(&b"{\"id\":1,\"robots\":\"User-agent: *\",\"agent\":\"MyBot\"}\n"[..], MAX_LINE);
//! let mut out = Vec::new();
//! requests::serve(lines, &mut out, |mut request: Request<'_>| {
//!     let length = requests::whole(request.take_source()?)?.len();
//!     Ok(std::collections::BTreeMap::from([("length", length)]))
//! })?;
//! assert_eq!(out, b"{\"v\":1,\"id\":1,\"length\":13}\n");
//! # Ok::<(), robosieve_batch::requests::ServeError>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};

use robosieve_ask::Problem;
pub use robosieve_ask::{
    MAX_AGENTS, NAME_OF_CRAWLER, Request, RequestSource, expect_name, expect_status, expect_version, id_of,
    named_agents, read,
};
use serde::{Deserialize, Serialize};

use crate::json::{self, Id};
use crate::lines::{Lines, Next};

/// The longest line that is read: 64 MiB.
pub const MAX_LINE: usize = 64 << 20;

/// The bytes of a file that a request has.
///
/// # Errors
/// If the text is not base64.
pub fn bytes(source: &RequestSource) -> Result<Cow<'_, [u8]>, Problem> {
    match source {
        RequestSource::Text(text) => Ok(Cow::Borrowed(text.as_bytes())),
        RequestSource::Base64(text) => decode("robots_b64", text).map(Cow::Owned),
    }
}

/// The file of a request, taken from it.
///
/// # Errors
/// If there is none, or it is not base64.
pub fn whole(source: Option<RequestSource>) -> Result<Vec<u8>, Problem> {
    match source.ok_or_else(Request::no_source)? {
        RequestSource::Text(text) => Ok(text.into_bytes()),
        source @ RequestSource::Base64(_) => Ok(bytes(&source)?.into_owned()),
    }
}

/// Decodes the base64 of a request's field.
///
/// # Errors
/// If it is not base64. The message has the field's name.
pub fn decode(name: &str, text: &str) -> Result<Vec<u8>, Problem> {
    json::decode(text).map_err(|error| Problem::request(format!("{name} is not base64: {error}")))
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
pub fn serve<A: Serialize>(
    lines: Lines<impl Read>,
    out: impl Write,
    mut answer: impl FnMut(Request<'_>) -> Result<A, Problem>,
) -> Result<(), ServeError> {
    serve_lines(lines, out, |line| reply(line, |request: Request<'_>| answer(request)))
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
    /// The version that it says, and its id.
    fn numbers(&self) -> (Option<u64>, Option<Id<'a>>);
}

impl<'a> Numbered<'a> for Request<'a> {
    fn numbers(&self) -> (Option<u64>, Option<Id<'a>>) {
        (self.v, self.id)
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
        Ok(request) => {
            let (version, id) = request.numbers();
            (id, expect_version(version).and_then(|()| answer(request)))
        }
        Err(bad) => (id_of(request), Err(bad)),
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
