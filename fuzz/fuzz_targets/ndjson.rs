//! The front end of `robosieve filter --ndjson` and `test --ndjson`: for any bytes, each line gets one answer.
//!
//! Options and plan are those of the command. Only the function that answers a request is written here.

#![no_main]
#![allow(missing_docs)]

#[path = "../../crates/cli/tests/cli/requests.rs"]
mod requests;

use libfuzzer_sys::fuzz_target;
use robosieve::Agents;
use robosieve::report::Report;
use robosieve_ask::{Plan, Problem};
use robosieve_batch::lines::Lines;
use robosieve_batch::requests::{Request, decode, serve, whole};
use serde::Serialize;

/// Longer lines are skipped, as the command skips those of more than 64 MiB.
const MAX_LINE: usize = 1_000;

#[derive(Serialize)]
struct Answer {
    text: String,
    report: Report,
    allowed: Vec<bool>,
}

fn answer(mut request: Request<'_>) -> Result<Answer, Problem> {
    let bytes = whole(request.take_source()?)?;
    let agents = request.take_agents()?.unwrap_or_else(|| Agents::new(["MyBot"]));
    let plan = Plan::new(&request.options.take().unwrap_or_default())?.for_agents(Some(agents));
    let sieved = plan.sieve().filter(&bytes)?;
    let asked = plan.asked(&bytes)?;
    let mut urls: Vec<Vec<u8>> = request.urls.take().unwrap_or_default().into_iter().map(Into::into).collect();
    urls.extend(request.url.take().map(Into::into));
    urls.extend(request.url_b64.take().map(|url| decode("url_b64", &url)).transpose()?);
    let allowed = urls.iter().map(|url| asked.answer(url).allowed).collect();
    Ok(Answer { text: sieved.text().to_owned(), report: sieved.report().clone(), allowed })
}

/// The output of the front end for some lines.
fn answers(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    serve(Lines::new(input, MAX_LINE), &mut out, answer).expect("a vector takes all");
    out
}

fuzz_target!(|input: &[u8]| requests::each_line_gets_one_answer(input, MAX_LINE, &answers));
