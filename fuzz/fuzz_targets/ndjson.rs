//! The front end of `robosieve filter --ndjson` and `test --ndjson`: for any bytes, each line gets one answer.
//!
//! The modules are those of the command. Only the function that answers a request is written here, from the same
//! parts as the command's.

#![no_main]
#![allow(dead_code, unreachable_pub, clippy::pedantic)]

#[path = "../../crates/cli/src/choices.rs"]
mod choices;
#[path = "../../crates/cli/src/exit.rs"]
mod exit;
#[path = "../../crates/cli/src/help.rs"]
mod help;
#[path = "../../crates/cli/src/lines.rs"]
mod lines;
#[path = "../../crates/cli/src/ndjson.rs"]
mod ndjson;
#[path = "../../crates/cli/src/output.rs"]
mod output;
#[path = "../../crates/cli/src/plan.rs"]
mod plan;
#[path = "../../crates/cli/tests/properties/requests.rs"]
mod requests;
#[path = "../../crates/cli/src/text.rs"]
mod text;

use choices::Choices;
use libfuzzer_sys::fuzz_target;
use lines::Lines;
use ndjson::{Defaults, Problem, Request, Server, answer_all, decode};
use plan::Plan;
use robosieve::{Agents, Report};
use serde::Serialize;

/// Longer lines are skipped, as the command skips those of more than 64 MiB.
const MAX_LINE: usize = 1_000;

struct Both(Defaults);

#[derive(Serialize)]
struct Answer {
    text: String,
    report: Report,
    allowed: Vec<bool>,
}

impl Server for Both {
    type Answer = Answer;

    fn answer(&mut self, mut request: Request<'_>) -> Result<Answer, Problem> {
        let source = request.source()?;
        let asking = request.take_agents()?;
        let choices = request.take_options()?.over(&self.0.choices);
        let plan = Plan::new(&choices, self.0.agents(asking.as_ref())?)?;
        let bytes = source.bytes()?;
        let sieved = plan.sieve().run(&bytes)?;
        let (tester, _) = plan.tester(&bytes)?;
        let mut urls: Vec<Vec<u8>> = request.urls.take().unwrap_or_default().into_iter().map(Into::into).collect();
        urls.extend(request.url.take().map(Into::into));
        urls.extend(request.url_b64.take().map(|url| decode("url_b64", &url)).transpose()?);
        let allowed = urls.iter().map(|url| tester.is_allowed(url)).collect();
        Ok(Answer { text: sieved.text().as_str().to_owned(), report: sieved.report().clone(), allowed })
    }
}

/// The output of the front end for some lines.
fn answers(input: &[u8]) -> Vec<u8> {
    let defaults = Defaults { choices: Choices::default(), agents: Some(Agents::new(["MyBot"])) };
    let mut out = Vec::new();
    answer_all(Lines::new(input, MAX_LINE), &mut out, Both(defaults)).expect("a vector takes all");
    out
}

fuzz_target!(|input: &[u8]| requests::each_line_gets_one_answer(input, MAX_LINE, &answers));
