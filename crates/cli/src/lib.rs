//! The command `robosieve`: sanitize, test and explain untrusted robots.txt files. It is a library for its program, and for
//! what makes its manual pages.
//!
//! Invariant: nothing is decided here. Arguments are parsed, one command runs, and its result becomes the exit code. A
//! command is a variant of `Command` here, and a line of `run_command`.

mod args;
mod asked;
#[cfg(feature = "batch")]
mod batch;
#[cfg(feature = "batch")]
mod census;
mod choices;
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
mod ndjson;
mod output;
mod report;
mod shade;
#[cfg(feature = "signals")]
mod signals;
mod test;
mod text;

use std::process::ExitCode;

use clap::{FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;
use robosieve_batch::json;

pub use help::command;

use crate::args::{AgentArgs, DiffArgs, ExplainArgs, FilterArgs, InspectArgs, LintArgs, TestArgs};
use crate::choices::{Flags, Reading};
use crate::exit::{Code, Failure};
use crate::shade::Color;

/// Sanitize, test and explain untrusted robots.txt files.
#[derive(Debug, Parser)]
#[command(name = "robosieve", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
// The flags of a command are made when it is used, after what stands here: their struct must have no doc comment.
#[command(defer = true)]
enum Command {
    /// Print the canonical text of a file, for one crawler or for all
    Filter(Box<FilterArgs>),
    /// Say whether a crawler may fetch URLs, and which line decides
    Test(Box<TestArgs>),
    /// Show a file line by line, with meanings and findings
    Explain(Box<ExplainArgs>),
    /// Show what the owner of a file should fix
    Lint(Box<LintArgs>),
    /// Show everything in a file that applies to a crawler
    Inspect(Box<InspectArgs>),
    /// Show how the policy changed between two files, ignoring spelling
    Diff(Box<DiffArgs>),
    /// Say what may be done with a page, and who says so
    #[cfg(feature = "signals")]
    Signals(Box<signals::SignalsArgs>),
    /// Filter archives, directories and lists of files
    #[cfg(feature = "batch")]
    Batch(Box<batch::BatchArgs>),
    /// Make a table: how much files close to which crawlers
    #[cfg(feature = "batch")]
    Census(Box<census::CensusArgs>),
    #[cfg(feature = "gate")]
    #[command(flatten)]
    Gate(gate::GateCommand),
    /// Print a completion script for a shell
    Completions {
        /// Shell to write the script for
        shell: Shell,
    },
}

impl Command {
    /// The requested agents, how files are read, and whether --quiet is set. `None` for the commands that use the
    /// network, which have flags of their own, and for those without an agent.
    fn agents(&self) -> Option<(&AgentArgs, &Flags<Reading>, bool)> {
        Some(match self {
            Self::Filter(args) => (&args.agents, &args.choices, args.quiet),
            Self::Test(args) => (&args.agents, &args.choices, args.quiet),
            Self::Explain(args) => (&args.agents, &args.choices, false),
            Self::Inspect(args) => (&args.agents, &args.choices, false),
            Self::Diff(args) => (&args.agents, &args.choices, args.quiet),
            #[cfg(feature = "signals")]
            Self::Signals(args) => (&args.agents, &args.choices, false),
            #[cfg(feature = "batch")]
            Self::Batch(args) => (&args.agents, &args.choices, args.run.quiet),
            #[cfg(feature = "batch")]
            Self::Census(_) => return None,
            #[cfg(feature = "gate")]
            Self::Gate(_) => return None,
            Self::Lint(_) | Self::Completions { .. } => return None,
        })
    }
}

/// Runs the command with the arguments of the program.
#[must_use]
pub fn run() -> ExitCode {
    match command().try_get_matches().and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => {
            shade::choose(cli.color);
            exit::code_of(run_command(cli.command))
        }
        Err(error) => help::code_of(error),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
