//! The flag --ndjson: a command answers requests from the standard input.
//!
//! Invariant: the command line has the defaults for each request, and no request changes them.

use robosieve::Agents;
pub(crate) use robosieve_ask::Problem;
use robosieve_ask::{Door, Plan, Settings};
use robosieve_batch::requests;
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
    /// The bytes of a file that a request may want read at most, if its sender is not trusted.
    pub(crate) most_bytes: Option<usize>,
}

impl Defaults {
    /// What the options of a request mean, laid over those of the command line.
    pub(crate) fn plan(&self, own: &Settings) -> Result<Plan, Problem> {
        let mut settings = own.clone().over(&self.settings);
        let plan = Plan::new(&settings)?;
        match self.most_bytes.filter(|most| plan.max_bytes() > *most) {
            // The dialect has a higher limit, or none, which is no wish of the request.
            Some(most) if !settings.has("max_bytes") => {
                settings.set(Door::Request, "max_bytes", most)?;
                Plan::new(&settings)
            }
            Some(most) => Err(Problem::option(format!("max_bytes: at most {most} bytes of a file are read here"))),
            None => Ok(plan),
        }
    }

    /// The plan and the file of a request about a whole file. `others` are options of other commands, and what to say of
    /// them.
    pub(crate) fn read(&self, mut request: Request<'_>, others: (&[&str], &str)) -> Result<(Plan, Vec<u8>), Problem> {
        request.expect_question()?;
        request.expect_no_url()?;
        let source = request.take_source()?.ok_or_else(Request::no_source)?;
        let names = request.take_agents()?;
        let mut own = std::mem::take(&mut request.options);
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
        let plan = self.plan(&settings)?.for_agents(agents);
        let (plan, bytes) = input::unpacked(bytes(&source)?, plan)?;
        let bytes = bytes.into_owned();
        Ok((plan, bytes))
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

/// A command that answers requests.
pub(crate) trait Server {
    type Answer: Serialize;

    fn answer(&mut self, request: Request<'_>) -> Result<Self::Answer, Problem>;
}

/// Answers all requests of the standard input.
pub(crate) fn serve(mut server: impl Server) -> Result<Code, Failure> {
    end(requests::serve(input::stdin_lines(), output::stdout(), |request| server.answer(request)))
}

/// What a command that has answered all requests ends with.
pub(crate) fn end(done: Result<(), requests::ServeError>) -> Result<Code, Failure> {
    done.map(|()| Code::Fine).map_err(|error| match error {
        requests::ServeError::Read(error) => Failure::stdin(&error),
        requests::ServeError::Write(error) => Failure::stdout(&error),
    })
}
