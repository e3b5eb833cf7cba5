//! The command line: which command runs, with which flags.
//!
//! Invariant: a command is a line here, and one of `main`'s.

use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::args::{AgentArgs, DiffArgs, ExplainArgs, FilterArgs, InspectArgs, LintArgs, TestArgs};
use crate::choices::{Flags, Reading};
#[cfg(feature = "gate")]
use crate::gate;
use crate::shade::Color;
#[cfg(feature = "signals")]
use crate::signals;
#[cfg(feature = "batch")]
use crate::{batch, census};

/// Sanitize, test and explain untrusted robots.txt files.
#[derive(Debug, Parser)]
#[command(name = "robosieve", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
// The flags of a command are made when it is used, after what stands here: their struct must have no doc comment.
#[command(defer = true)]
pub(crate) enum Command {
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
    pub(crate) fn agents(&self) -> Option<(&AgentArgs, &Flags<Reading>, bool)> {
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
            Self::Lint(_) => return None,
            #[cfg(feature = "gate")]
            Self::Gate(_) => return None,
            Self::Completions { .. } => return None,
        })
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
