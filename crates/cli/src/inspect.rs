//! `inspect`: prints an [`Inspection`].
//!
//! Invariant: all that is printed is harmless, and each value is on a line of its own.

use std::fmt::Write as _;

use robosieve_ask::Plan;
use robosieve_explain::{Inspection, Section};

use crate::args::InspectArgs;
use crate::exit::{Code, Failure};
use crate::input;
use crate::ndjson::{self, Defaults};
use crate::output;
use crate::report::{self, tell_documented};

pub(crate) fn run(args: &InspectArgs) -> Result<Code, Failure> {
    let agents = args.agents.given();
    let plan = Plan::new(&args.choices.0)?.for_agents(agents.clone());
    if args.ndjson {
        return serve(&Defaults { settings: args.choices.0.clone(), agents });
    }
    if agents.is_none() {
        return Err(Failure::no_agent());
    }
    input::each_named(&args.files, |file| {
        let input = input::read(file, plan.options.limits.max_bytes)?;
        input.warn_if_empty();
        let found = input.plan(&plan).explainer().inspect(&input.bytes);
        let found = found.map_err(|refused| Failure::refused(&input.name, refused))?;
        input.warn_if_foreign(&found.report);
        tell_documented(&input.name, &found.who);
        input.expect(&found.report, &plan.fail_on)?;
        if args.json {
            output::print_json_of_file(&input.name, &found)?;
        } else {
            output::print(words(&found, &input.name).as_bytes())?;
        }
        Ok(Code::Fine)
    })
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

/// Answers requests for all that a file says.
fn serve(defaults: &Defaults) -> Result<Code, Failure> {
    let words = "status and forbidden are for `robosieve test`, all_agents for `robosieve filter`";
    ndjson::serve(|request| {
        let (plan, bytes) = defaults.read(request, (&["status", "forbidden", "all_agents"], words))?;
        let found = plan.explainer().inspect(&bytes)?;
        report::expect(&found.report, &plan.fail_on)?;
        Ok(found)
    })
}
