//! Answers calls.
//!
//! Invariant: an answer is the JSON of the command, without version and file name.

use robosieve::Report;
use robosieve_explain::{FileSummary, Who};
use serde::Serialize;

use crate::error::Wrong;
use crate::frame::Frame;
use crate::settings::Settings;

/// Answers a call.
pub(crate) fn answer(frame: &Frame<'_>) -> Result<Vec<u8>, Wrong> {
    let function = frame.text("call").unwrap_or_default();
    let settings = Settings::read(frame)?;
    match function {
        "sieve" => sieve(frame.bytes("body"), &settings),
        _ => crate::pages::answer(function, frame, &settings),
    }
}

/// As JSON.
pub(crate) fn json(data: &impl Serialize) -> Result<Vec<u8>, Wrong> {
    Ok(serde_json::to_vec(data)?)
}

/// What `robosieve filter --ndjson` answers.
#[derive(Serialize)]
struct Filtered<'s> {
    text: &'s str,
    #[serde(flatten)]
    found: FileSummary,
    #[serde(flatten)]
    who: Who,
    report: &'s Report,
}

fn sieve(body: &[u8], settings: &Settings) -> Result<Vec<u8>, Wrong> {
    let sieved = settings.sieve().run(body)?;
    let who = settings.named().map_or_else(Who::all, |groups| Who::new(sieved.answered_by(), groups));
    let report = sieved.report();
    json(&Filtered { text: sieved.text().as_str(), found: FileSummary::new(report), who, report })
}
