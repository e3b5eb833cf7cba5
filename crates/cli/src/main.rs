//! The command `robosieve`: sanitize, test and explain untrusted robots.txt files.
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
#[cfg(feature = "batch")]
mod history;
mod ignored;
mod input;
mod inspect;
mod lint;
mod marks;
mod mistake;
mod ndjson;
mod output;
mod report;
mod schema;
mod shade;
mod shell;
#[cfg(feature = "signals")]
mod signals;
mod test;
mod text;
mod urls;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use robosieve_batch::json;

use crate::command::{Cli, Command};
use crate::exit::{Code, Failure};
use crate::help::Length;

fn main() -> ExitCode {
    help::describe_by(Cli::command);
    match help::command(Length::asked()).try_get_matches().and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => {
            shade::choose(cli.color);
            exit::code_of(mistake::expect_dashes().and_then(|()| run(cli.command)))
        }
        Err(error) => mistake::code_of(error),
    }
}

fn run(command: Command) -> Result<Code, Failure> {
    if let Some((agents, is_quiet)) = command.agents() {
        agents.expect_names()?;
        agents.warnings().iter().filter(|_| !is_quiet).for_each(|warning| exit::tell(warning));
    }
    match command {
        Command::Filter(args) => filter::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Usage(args) => urls::usage(&args),
        Command::Diff(args) => diff::run(&args),
        #[cfg(feature = "signals")]
        Command::Signals(args) => signals::run(&args),
        #[cfg(feature = "batch")]
        Command::Batch(args) => batch::run(&args),
        #[cfg(feature = "batch")]
        Command::Census(args) => census::run(&args),
        #[cfg(feature = "batch")]
        Command::History(args) => history::run(&args),
        #[cfg(feature = "gate")]
        Command::Gate(command) => gate::run(&command),
        Command::Schema { name } => schema::run(name.as_deref()),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { command, all } => shell::man(command.as_deref(), all.as_deref()),
    }
}
