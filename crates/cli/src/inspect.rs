//! `inspect`: prints an [`Inspection`].
//!
//! Invariant: all that is printed is harmless, and each value is on a line of its own.

use std::fmt::Write as _;

use robosieve_ask::Plan;
use robosieve_explain::{Inspection, Section};

use crate::args::InspectArgs;
use crate::exit::{Code, Failure};
use crate::input::{self, Folders};
use crate::ndjson::{self, Defaults, Problem, Request};
use crate::output;
use crate::report::{self, tell_documented};

pub(crate) fn run(args: &InspectArgs) -> Result<Code, Failure> {
    let agents = args.agents.given();
    let plan = Plan::new(&args.choices.0)?.for_agents(agents.clone());
    if args.ndjson {
        return ndjson::serve(Server {
            defaults: Defaults { settings: args.choices.0.clone(), agents, most_bytes: None },
        });
    }
    if agents.is_none() {
        return Err(Failure::no_agent());
    }
    let mut code = Code::Fine;
    let files = input::or_stdin(&args.files)?;
    input::expect_there(&files, Folders::Refused)?;
    for file in files {
        let done = input::read(&file, plan.max_bytes()).and_then(|input| {
            input.warn_if_empty();
            let found = input
                .plan(&plan)
                .explainer()
                .inspect(&input.bytes)
                .map_err(|refused| Failure::refused(&input.name, refused))?;
            input.warn_if_foreign(&found.report);
            tell_documented(&input.name, &found.who);
            input.expect(&found.report, &plan.fail_on)?;
            print(args.json, &input.name, &found)
        });
        code = code.after(done)?;
    }
    Ok(code)
}

fn print(as_json: bool, file: &str, found: &Inspection) -> Result<(), Failure> {
    if as_json {
        return output::print_json_of_file(file, found);
    }
    output::print(words(found, file).as_bytes())
}

/// For people.
fn words(found: &Inspection, file: &str) -> String {
    let mut out = format!("{file}: {}\n", found.heading());
    for section in found.sections() {
        let _ = match section {
            Section::Value(name, value) => writeln!(out, "  {name}: {value}"),
            Section::List(name, values) => writeln!(out, "  {name}:\n    {}", values.join("\n    ")),
        };
    }
    let _ = writeln!(out, "{}", report::full("report", &found.who, &found.report));
    out
}

struct Server {
    defaults: Defaults,
}

impl ndjson::Server for Server {
    type Answer = Inspection;

    fn answer(&mut self, request: Request<'_>) -> Result<Inspection, Problem> {
        let words = "status and forbidden are for `robosieve test`, all_agents for `robosieve filter`";
        let (plan, bytes) = self.defaults.read(request, (&["status", "forbidden", "all_agents"], words))?;
        let found = plan.explainer().inspect(&bytes)?;
        report::expect(&found.report, &plan.fail_on)?;
        Ok(found)
    }
}
