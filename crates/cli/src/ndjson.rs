//! The flag --ndjson: a command answers requests from the standard input.
//!
//! Invariant: the command line has the defaults for each request, and no request changes them.

use robosieve::Agents;
use robosieve_ask::{Plan, Settings, Wrong};
pub(crate) use robosieve_batch::Problem;
use robosieve_batch::requests;
pub(crate) use robosieve_batch::requests::{RequestAgents, RequestSource, decode, no_source};
use serde::Serialize;

use crate::exit::{Code, Failure};
use crate::{lines, output};

/// A request to any of the commands.
pub(crate) type Request<'a> = requests::Request<'a, Settings>;

/// The defaults from the command line.
#[derive(Debug)]
pub(crate) struct Defaults {
    pub(crate) settings: Settings,
    /// `None` if the command line names no agent.
    pub(crate) agents: Option<Agents>,
    /// The bytes of a file that a request may want read at most, if its sender is not trusted.
    pub(crate) most_bytes: Option<usize>,
}

/// An option that cannot be taken.
pub(crate) fn wrong(wrong: Wrong) -> Problem {
    Problem::option(wrong.message)
}

impl Defaults {
    /// What the options of a request mean, laid over those of the command line.
    pub(crate) fn plan(&self, own: &Settings) -> Result<Plan, Problem> {
        let plan = Plan::new(&own.clone().over(&self.settings)).map_err(wrong)?;
        match self.most_bytes {
            Some(most) if plan.max_bytes() > most => {
                Err(Problem::option(format!("max_bytes: at most {most} bytes of a file are read here")))
            }
            _ => Ok(plan),
        }
    }

    /// The agents of the request, or else those of the command line.
    pub(crate) fn agents(&self, own: Option<&RequestAgents>) -> Result<Agents, Problem> {
        own.map(RequestAgents::agents).or_else(|| self.agents.clone()).ok_or_else(|| {
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
    let done = requests::serve(lines::of_stdin(), output::stdout(), |request| server.answer(request));
    done.map(|()| Code::Fine).map_err(|error| match error {
        requests::ServeError::Read(error) => Failure::stdin(&error),
        requests::ServeError::Write(error) => Failure::stdout(&error),
    })
}
