//! The flag --ndjson: a command answers requests from the standard input.
//!
//! Invariant: the command line has the defaults for each request, and no request changes them.

use robosieve::Agents;
pub(crate) use robosieve_ask::Problem;
use robosieve_ask::{Door, Plan, Settings};
use robosieve_batch::requests::{self, ServeError};
pub(crate) use robosieve_batch::requests::{Request, RequestSource, bytes, decode};
use serde::Serialize;

use crate::exit::{Code, Failure};
use crate::{input, output};

/// The defaults from the command line.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) settings: Settings,
    /// `None` if the command line names no agent.
    pub(crate) agents: Option<Agents>,
}

impl Defaults {
    /// What the options of a request mean, laid over those of the command line.
    pub(crate) fn plan(&self, own: &Settings) -> Result<Plan, Problem> {
        Plan::new(&own.clone().over(&self.settings))
    }

    /// The plan and the file of a request about a whole file. `others` are options of other commands, and what to say of
    /// them.
    pub(crate) fn read(&self, mut request: Request<'_>, others: (&[&str], &str)) -> Result<(Plan, Vec<u8>), Problem> {
        request.expect_question()?;
        request.expect_no_url()?;
        let source = request.take_source()?.ok_or_else(Request::no_source)?;
        let names = request.take_agents()?;
        let mut own = request.options.take().unwrap_or_default();
        if others.0.iter().any(|name| own.has(name)) {
            return Err(Problem::option(others.1));
        }
        if names.is_some() {
            if own.flag("all_agents") == Some(true) {
                return Err(Problem::request("give agents or all_agents, not both"));
            }
            own.set(Door::Request, "all_agents", false)?;
        }
        let settings = own.over(&self.settings);
        let keeps_all = settings.flag("all_agents").unwrap_or(false);
        let agents = if keeps_all { None } else { Some(self.agents(names)?) };
        let plan = Plan::new(&settings)?.for_agents(agents);
        let (plan, bytes) = input::unpacked(bytes(&source)?, plan)?;
        Ok((plan, bytes.into_owned()))
    }

    /// The agents of the request, or else those of the command line.
    pub(crate) fn agents(&self, own: Option<Agents>) -> Result<Agents, Problem> {
        own.or_else(|| self.agents.clone()).ok_or_else(|| {
            Problem::request(
                "the agent is missing: give agent, agents or user_agent, or start the command with --agent",
            )
        })
    }
}

/// Answers all requests of the standard input.
pub(crate) fn serve<A: Serialize>(answer: impl FnMut(Request<'_>) -> Result<A, Problem>) -> Result<Code, Failure> {
    end(requests::serve(input::stdin_lines(), output::stdout(), answer))
}

/// What a command that has answered all requests ends with.
pub(crate) fn end(done: Result<(), ServeError>) -> Result<Code, Failure> {
    done.map(|()| Code::Fine).map_err(|error| match error {
        ServeError::Read(error) => Failure::stdin(&error),
        ServeError::Write(error) => Failure::stdout(&error),
    })
}
