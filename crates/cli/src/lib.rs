//! The command `robosieve`: sanitize, test and explain untrusted robots.txt files. It is a library for its program, and for
//! what makes its manual pages.
//!
//! Invariant: nothing is decided here. Arguments are parsed, one command runs, and its result becomes the exit code.

mod args;
mod asked;
#[cfg(feature = "batch")]
mod batch;
#[cfg(feature = "batch")]
mod census;
mod choices;
mod command;
mod diff;
mod exit;
mod explain;
mod files;
mod filter;
#[cfg(feature = "gate")]
mod gate;
mod help;
mod input;
mod inspect;
mod lint;
mod marks;
mod mistake;
mod ndjson;
mod output;
mod report;
mod shade;
#[cfg(feature = "signals")]
mod signals;
mod test;
mod text;
mod urls;

use std::process::ExitCode;

use clap::FromArgMatches as _;
use robosieve_batch::json;

pub use help::command;

use crate::command::{Cli, Command};
use crate::exit::{Code, Failure};

/// Runs the command with the arguments of the program.
#[must_use]
pub fn run() -> ExitCode {
    match command().try_get_matches().and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => {
            shade::choose(cli.color);
            exit::code_of(run_command(cli.command))
        }
        Err(error) => mistake::code_of(error),
    }
}

fn run_command(command: Command) -> Result<Code, Failure> {
    if let Some((agents, choices, is_quiet)) = command.agents() {
        agents.expect_names()?;
        agents.warnings(choices)?.iter().filter(|_| !is_quiet).for_each(|warning| exit::tell(warning));
    }
    match command {
        Command::Filter(args) => filter::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Diff(args) => diff::run(&args),
        #[cfg(feature = "signals")]
        Command::Signals(args) => signals::run(&args),
        #[cfg(feature = "batch")]
        Command::Batch(args) => batch::run(&args),
        #[cfg(feature = "batch")]
        Command::Census(args) => census::run(&args),
        #[cfg(feature = "gate")]
        Command::Gate(command) => gate::run(&command),
        Command::Completions { shell } => help::completions(shell),
    }
}
