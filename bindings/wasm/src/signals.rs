//! [`signals`]: what may be done with a page.
//!
//! Invariant: the answer is that of the command's `signals --ndjson`, without version and id. JavaScript gives the time
//! with each call, and no more of each source than is read.

use robosieve::records::{Parser, Selection};
use robosieve::settings::OverLimit;
use robosieve_ask::{Door, Plan, Problem, Settings, agents_of, expect_status, json_error};
use robosieve_signals::Page;
use serde::Deserialize;
use serde_json::{Map, Value};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::thrown;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    url: String,
    agents: Vec<String>,
    options: Map<String, Value>,
    headers: Vec<(String, String)>,
    /// Whether each value may be that of several lines.
    joined: bool,
    time: Time,
    /// That of robots.txt.
    status: Option<u16>,
}

/// Seconds since 1970, or a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Time {
    Seconds(i64),
    Text(String),
}

/// Says what may be done with a page. A source that is not given is not there. `head` is one as it came.
///
/// # Errors
/// The number of a kind of error, and the words.
#[wasm_bindgen]
#[allow(clippy::needless_pass_by_value, reason = "arguments from JavaScript are")]
pub fn signals(
    request: &str,
    head: Option<Vec<u8>>,
    html: Option<Vec<u8>>,
    robots: Option<Vec<u8>>,
    tdmrep: Option<Vec<u8>>,
) -> Result<String, JsValue> {
    answer(request, [head, html, robots, tdmrep].each_ref().map(Option::as_deref)).map_err(|wrong| thrown(&wrong))
}

fn answer(request: &str, [head, html, robots, tdmrep]: [Option<&[u8]>; 4]) -> Result<String, Problem> {
    let value = |message: String| Problem::value(message);
    let asked: Asked = serde_json::from_str(request).map_err(|error| Problem::option(json_error(&error)))?;
    let plan = Plan::new(&Settings::read(Door::Package, &asked.options)?)?.for_agents(Some(agents_of(&asked.agents)?));
    expect_status(asked.status).map_err(|error| value(error.to_string()))?;
    let at = match &asked.time {
        Time::Seconds(seconds) => Some(*seconds),
        Time::Text(text) => robosieve_signals::time(text),
    };
    let at = at.ok_or_else(|| value("time: give a Date, or a text such as 2026-11-27T12:00:00Z".into()))?;
    let mut page = Page::new(asked.url.as_bytes()).options(plan.verdicts.clone());
    for (name, value) in &asked.headers {
        page = if asked.joined { page.joined_header(name, value) } else { page.header(name, value) };
    }
    page = if let Some(head) = head { page.head(head) } else { page };
    page = if let Some(html) = html { page.html(html) } else { page };
    page = if let Some(tdmrep) = tdmrep { page.tdmrep(tdmrep) } else { page };
    if let Some(robots) = robots {
        if plan.verdicts.over_limit == OverLimit::Refuse {
            let set = Parser::new(plan.verdicts.clone()).for_agents(plan.groups.interest().clone()).parse(robots);
            Selection::of(&set, &plan.groups).check()?;
        }
        page = page.robots(robots);
    }
    page = if let Some(status) = asked.status { page.status(status, &plan.options) } else { page };
    let answer = page.signals().answer(plan.groups.clone(), at);
    serde_json::to_string(&answer).map_err(|error| value(error.to_string()))
}
