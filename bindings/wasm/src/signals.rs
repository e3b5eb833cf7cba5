//! What may be done with a page.
//!
//! Invariant: the answer is that of the command's `signals --ndjson`, without version and id. JavaScript gives the time
//! with each call, and no more of each source than is read.

use robosieve::policy::{Parser, Selection};
use robosieve::settings::OverLimit;
use robosieve_ask::{Wrong, WrongKind};
use robosieve_signals::Page;

use crate::frame::Frame;
use crate::plan;

/// Answers a call.
pub(crate) fn answer(frame: &Frame<'_>) -> Result<Vec<u8>, Wrong> {
    let wrong = |message: String| Wrong { kind: WrongKind::Value, message };
    let plan = plan::of(frame)?;
    let at = frame.text("time").and_then(|time| match frame.text("time_is") {
        Some("seconds") => time.parse().ok(),
        _ => robosieve_signals::time(time),
    });
    let at = at.ok_or_else(|| wrong("time: give a Date, or a text such as 2026-11-27T12:00:00Z".into()))?;
    let given = |name: &str| frame.all(name).next();
    let mut page = Page::new(frame.bytes("url")).options(plan.verdicts.clone());
    for (name, value) in frame.all("header_name").zip(frame.all("header_value")) {
        page = page.header(name, value);
    }
    page = if let Some(head) = given("head") { page.head(head) } else { page };
    page = if let Some(html) = given("html") { page.html(html) } else { page };
    page = if let Some(tdmrep) = given("tdmrep") { page.tdmrep(tdmrep) } else { page };
    if let Some(robots) = given("robots") {
        if plan.verdicts.over_limit == OverLimit::Refuse {
            let set = Parser::new(plan.verdicts.clone()).for_agents(plan.groups.interest().clone()).parse(robots);
            Selection::of(&set, &plan.groups).check()?;
        }
        page = page.robots(robots);
    }
    let answer = page.signals().answer(plan.groups.clone(), at);
    serde_json::to_vec(&answer).map_err(|error| wrong(error.to_string()))
}
