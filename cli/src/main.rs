//! The command of robosieve: sanitize, test and explain robots.txt files that nobody vouches for.
//!
//! Invariant: nothing is decided here; arguments are read, one command runs, and what it returns becomes the exit code.

mod args;
mod batch;
mod choices;
mod diff;
mod exit;
mod explain;
mod filter;
#[cfg(feature = "gate")]
mod gate;
mod help;
mod id;
mod input;
mod inspect;
mod json;
mod lines;
mod ndjson;
mod object;
mod output;
mod page;
mod plan;
mod report;
mod shell;
mod test;
mod text;
mod who;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{AgentArgs, Cli, Command};
use crate::exit::{Code, Failure};

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => exit::code_of(run(cli.command)),
        Err(error) => exit::code_of_clap(error),
    }
}

fn run(command: Command) -> Result<Code, Failure> {
    if command.told_agents().is_some_and(AgentArgs::has_header) {
        exit::tell(
            "an --agent looks like a whole User-Agent header, of which only the first word counts: use --user-agent",
        );
    }
    match command {
        Command::Filter(args) => filter::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Batch(args) => batch::run(&args),
        #[cfg(feature = "gate")]
        Command::Gate(command) => gate::run(&command),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { command } => shell::man(command.as_deref()),
    }
}
