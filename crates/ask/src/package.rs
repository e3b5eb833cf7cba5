//! [`ask`]: the border of the packages for Python and JavaScript. A request is JSON, and so is its answer.
//!
//! Invariant: a name that does not exist, and a value of another type, is an error that says what to write instead. A part
//! of a file that cannot matter is not read.
//!
//! ```
//! let request = r#"{"ask":{"test":{"urls":["/x"]}},"agents":["MyBot"],"options":{"limits":{"max_bytes":100}}}"#;
//! let answer = robosieve_ask::ask(request, b"User-agent: *\nDisallow: /x", b"")?;
//! assert!(answer.contains(r#""allowed":false"#));
//! # Ok::<(), robosieve_ask::Wrong>(())
//! ```

use robosieve::Agents;
use robosieve::settings::Agent;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::plan::Plan;
use crate::question::{Question, answer};
use crate::request::NAME_OF_CRAWLER;
use crate::rows::Door;
use crate::settings::Settings;
use crate::wrong::Wrong;

/// A byte order mark, a line end, and another character of UTF-32: a longer file is cut.
const MORE: usize = 16;

/// What is asked about a file, for whom, and how the file is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    ask: Question,
    agents: Option<Vec<String>>,
    #[serde(default)]
    options: Map<String, Json>,
}

/// Answers a question about a file, as JSON. `new` is the newer file of a comparison.
///
/// # Errors
/// If the request is none, or its options refuse the file.
pub fn ask(request: &str, body: &[u8], new: &[u8]) -> Result<String, Wrong> {
    let mut reader = serde_json::Deserializer::from_str(request);
    let asked: Asked = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (place, why) = (error.path().to_string(), crate::json_error(error.inner()));
        Wrong::of_type(if place == "." { why } else { format!("{place}: {why}") })
    })?;
    let agents = asked.agents.as_deref().map(agents_of).transpose()?;
    let plan = Plan::new(&Settings::read(Door::Package, &asked.options)?)?;
    let plan = plan.for_agents(agents);
    let most = plan.max_bytes().saturating_add(MORE);
    let (body, new) = (body.get(..most).unwrap_or(body), new.get(..most).unwrap_or(new));
    let json = answer(&plan, &asked.ask, body, new)?;
    String::from_utf8(json).map_err(|error| Wrong::of_value(error.to_string()))
}

/// The agents with these names, the preferred first.
///
/// # Errors
/// If there is none, or one is empty: it would select the group for `*`.
pub fn agents_of(names: &[String]) -> Result<Agents, Wrong> {
    if names.is_empty() || names.iter().any(|name| name.trim_ascii().is_empty()) {
        let what = if names.is_empty() { "agents is empty" } else { "an agent is empty" };
        return Err(Wrong::of_value(format!("{what}: {NAME_OF_CRAWLER}")));
    }
    Ok(names.iter().map(Agent::new).collect())
}
