//! [`Request`]: what is asked about one file, as JSON: every door that reads requests reads this one.
//!
//! Invariant: a request is an object in which each name is known and stands once, and an error names the field. A field
//! that a door does nothing with is an error there: it is never left out of the answer silently.
//!
//! ```
//! use robosieve_ask::{Request, read};
//!
//! let line = br#"{"id":1,"robots":"User-agent: *","agent":"MyBot","options":{"fold":false}}"#;
//! let mut request: Request<'_> = read(line)?;
//! assert_eq!(request.options.take().unwrap().flag("fold"), Some(false));
//! assert_eq!(request.take_agents()?.unwrap().iter().count(), 1);
//!
//! let wrong = read::<Request<'_>>(br#"{"id":1,"robots":"","agent":true}"#).unwrap_err();
//! assert_eq!((wrong.kind, &*wrong.message), ("bad-request", "agent: expected a string, found boolean `true` at column 32"));
//! # Ok::<(), robosieve_ask::Problem>(())
//! ```

use robosieve::Agents;
use robosieve::settings::Agent;
use robosieve_printable::escape;
use serde::Deserialize;

use crate::json::{Id, json_error};
use crate::problem::Problem;
use crate::settings::Settings;

/// The agents of a request at most: each is compared with each user-agent line of the file. A crawler has a few.
pub const MAX_AGENTS: usize = 1_000;

/// The advice for an agent that names no crawler.
pub const NAME_OF_CRAWLER: &str =
    "write your crawler's product token, for example MyBot, or `*` for a crawler that no group names";

/// A request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a JSON object")]
pub struct Request<'a> {
    /// Its version.
    pub v: Option<u64>,
    /// Its id, which the answer repeats.
    #[serde(borrow)]
    pub id: Option<Id<'a>>,
    robots: Option<String>,
    robots_b64: Option<String>,
    agent: Option<String>,
    agents: Option<Vec<String>>,
    user_agent: Option<String>,
    /// A URL to test; of a record, the file's.
    pub url: Option<String>,
    /// Several URLs to test.
    pub urls: Option<Vec<String>>,
    /// A URL to test whose bytes are in base64.
    pub url_b64: Option<String>,
    /// How the file is read.
    pub options: Option<Settings>,
    /// When the file of a record came.
    pub time: Option<String>,
    /// The status that the file of a record came with.
    pub status: Option<u16>,
    /// Where a redirect in its place leads.
    pub location: Option<String>,
    /// Whether the file of a record is not whole.
    pub truncated: Option<bool>,
}

/// Reads a line of JSON as an object of one kind. An error names the field.
///
/// # Errors
/// `bad-json`, `bad-request`, and `bad-option` for what is wrong in the field `options`.
pub fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Problem> {
    if let Some(at) = array_at(line) {
        return Err(Problem::request(format!("expected a JSON object, found an array{}", place(at))));
    }
    // Only an error is looked at once more: the place costs time.
    serde_json::from_slice(line).map_err(|error| named::<T>(line).unwrap_or_else(|| of_json(&error)))
}

/// Where a line has an array instead of an object. serde would assign its items to the fields by position, and every value
/// is to have a name.
fn array_at(line: &[u8]) -> Option<usize> {
    let at = line.iter().position(|byte| !b" \t\r\n".contains(byte))?;
    (line.get(at) == Some(&b'[')).then_some(at)
}

/// A request is one line, so its own number of lines says nothing.
fn place(column: usize) -> String {
    if column > 0 { format!(" at column {column}") } else { String::new() }
}

/// The error of a line with the field that it is in, if it is in one.
fn named<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<Problem> {
    let mut reader = serde_json::Deserializer::from_slice(line);
    let error = serde_path_to_error::deserialize::<_, T>(&mut reader).err()?;
    let field = error.path().to_string();
    let error = error.into_inner();
    let is_unknown = error.to_string().starts_with("unknown field") || error.to_string().starts_with("duplicate field");
    if !error.is_data() || field == "." || is_unknown {
        return None;
    }
    if field.split('.').next() == Some("options") {
        return Some(Problem::option(format!("options: {}", json_error(&error))));
    }
    Some(Problem::request(format!("{}: {}", escape(field.as_bytes()), of_json(&error))))
}

/// An error of a line.
fn of_json(error: &serde_json::Error) -> Problem {
    let words = format!("{}{}", json_error(error), place(error.column()));
    if error.is_data() {
        return Problem::request(words);
    }
    Problem::new("bad-json", format!("this line is not a JSON object: {words}"))
}

/// The id of a line, if it has one that can be repeated.
#[must_use]
pub fn id_of(line: &[u8]) -> Option<Id<'_>> {
    #[derive(Deserialize)]
    struct Identified<'a> {
        #[serde(borrow)]
        id: Option<Id<'a>>,
    }
    read::<Identified<'_>>(line).ok().and_then(|found| found.id)
}

/// Checks the version of a request.
///
/// # Errors
/// If it is not 1.
pub fn expect_version(v: Option<u64>) -> Result<(), Problem> {
    match v {
        None | Some(1) => Ok(()),
        Some(_) => Err(Problem::request("v is the version of the requests, and has to be 1")),
    }
}

/// Checks the status of a response, if there is one.
///
/// # Errors
/// If HTTP has no such status.
pub fn expect_status(status: Option<u16>) -> Result<(), Problem> {
    match status {
        None | Some(100..=999) => Ok(()),
        Some(_) => Err(Problem::request("status has to be an HTTP status, from 100 to 999")),
    }
}

/// Checks the name of an agent. A header is one as well.
///
/// # Errors
/// What to write instead of an empty name, which would select the group for `*`; of a browser's; and of several names in
/// one, `several` says how they are given.
pub fn expect_name(name: &[u8], several: &str) -> Result<(), String> {
    if name.trim_ascii().is_empty() {
        return Err(format!("an agent is empty: {NAME_OF_CRAWLER}"));
    }
    if Agent::new(name).is_browser() {
        return Err(format!("`{}` names no crawler but a browser: {NAME_OF_CRAWLER}", escape(name)));
    }
    // The comment of a header may have some.
    let before_comment = name.split(|byte| *byte == b'(').next().unwrap_or_default();
    if before_comment.contains(&b',') {
        return Err(format!("`{}` is a list of names: {several}", escape(name)));
    }
    Ok(())
}

/// The file of a request, as it came.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestSource {
    /// Text, from `robots`.
    Text(String),
    /// Base64, from `robots_b64`.
    Base64(String),
}

/// The agents that the fields of a request name, the most preferred first, if they name some. A header is less preferred
/// than names.
///
/// # Errors
/// If a name is none, or there are both `agent` and `agents`, or too many.
pub fn named_agents(
    agent: Option<String>,
    agents: Option<Vec<String>>,
    user_agent: Option<String>,
) -> Result<Option<Agents>, Problem> {
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
    for name in &names {
        expect_name(name.as_bytes(), "give `agents`, an array").map_err(Problem::request)?;
    }
    Ok(if names.is_empty() { None } else { Some(names.iter().map(Agent::new).collect()) })
}

impl Request<'_> {
    /// Takes the file, if the request has one.
    ///
    /// # Errors
    /// If there are two.
    pub fn take_source(&mut self) -> Result<Option<RequestSource>, Problem> {
        let text = self.robots.take().map(RequestSource::Text);
        match (text, self.robots_b64.take().map(RequestSource::Base64)) {
            (Some(_), Some(_)) => Err(Problem::request("give robots or robots_b64, not both")),
            (text, base64) => Ok(text.or(base64)),
        }
    }

    /// The error for a request without a file.
    #[must_use]
    pub fn no_source() -> Problem {
        Problem::request("the file is missing: give robots, or robots_b64 for bytes")
    }

    /// Takes the agents, if the request has some.
    ///
    /// # Errors
    /// If a name is none, or the request has both `agent` and `agents`.
    pub fn take_agents(&mut self) -> Result<Option<Agents>, Problem> {
        named_agents(self.agent.take(), self.agents.take(), self.user_agent.take())
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

    /// Checks that the request is a question, and no record of an archive.
    ///
    /// # Errors
    /// If it has a field of a record.
    pub fn expect_question(&self) -> Result<(), Problem> {
        let fields = [
            ("time", self.time.is_some()),
            ("status", self.status.is_some()),
            ("location", self.location.is_some()),
            ("truncated", self.truncated.is_some()),
        ];
        match fields.iter().find(|field| field.1) {
            Some(("status", _)) => {
                Err(Problem::request("status is one of the `options` here, and for `robosieve batch`"))
            }
            Some((name, _)) => Err(Problem::request(format!("{name} is for `robosieve batch`"))),
            None => Ok(()),
        }
    }

    /// Checks that the request is a record of an archive: whose rules count and how files are read is the same for all of
    /// a run.
    ///
    /// # Errors
    /// If it has a field of a question, or a status that is none.
    pub fn expect_record(&self) -> Result<(), Problem> {
        let fields = [
            ("agent", self.agent.is_some()),
            ("agents", self.agents.is_some()),
            ("user_agent", self.user_agent.is_some()),
            ("urls", self.urls.is_some()),
            ("url_b64", self.url_b64.is_some()),
            ("options", self.options.as_ref().is_some_and(|options| *options != Settings::default())),
        ];
        if let Some((name, _)) = fields.iter().find(|field| field.1) {
            return Err(Problem::request(format!("{name} is the same for all records of a run: use the flags")));
        }
        expect_status(self.status)
    }
}
