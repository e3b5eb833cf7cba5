//! What help says about the commands, next to their flags; and `completions`, made from the same description.
//!
//! Invariant: the file of a command in `help/` says what it does, then examples, notes and exit codes. Its layout is clap's.

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use crate::command::Cli;
use crate::exit::{Code, Failure};
use crate::output;

/// The description of all arguments.
#[must_use]
pub fn command() -> Command {
    let described = |root: Command, (name, text): &(&str, &'static str)| {
        if root.get_name() == *name {
            with_text(root, text)
        } else if root.find_subcommand(name).is_some() {
            root.mut_subcommand(name, |command| with_text(command, text))
        } else {
            root
        }
    };
    let root = TEXTS.iter().fold(Cli::command(), described);
    let absent: Vec<&str> = FEATURES.iter().filter(|one| !one.1).flat_map(|one| one.2).copied().collect();
    if absent.is_empty() {
        return root;
    }
    root.after_help(format!("Not in this program, and each says how to get it: {}", absent.join(", ")))
}

/// `completions`: prints a script for a shell.
pub(crate) fn completions(shell: Shell) -> Result<Code, Failure> {
    // In memory first, because the generator panics if a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "robosieve", &mut script);
    output::print(&script)?;
    Ok(Code::Fine)
}

/// The text before the examples is about the command; the rest comes after its flags.
fn with_text(command: Command, text: &'static str) -> Command {
    let (about, rest) = text.split_at(text.find("Examples:\n").unwrap_or_default());
    let command = command.after_long_help(rest);
    if about.is_empty() { command } else { command.long_about(about.trim_ascii_end()) }
}

/// Features, whether this program has them, and their commands.
pub(crate) const FEATURES: [(&str, bool, &[&str]); 3] = [
    ("batch", cfg!(feature = "batch"), &["batch", "census"]),
    ("gate", cfg!(feature = "gate"), &["check", "fetch", "page", "serve", "site"]),
    ("signals", cfg!(feature = "signals"), &["signals"]),
];

/// The text of a file in `help/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/help/", $name, ".txt")).trim_ascii_end()
    };
}

/// The text of each command.
const TEXTS: [(&str, &str); 16] = [
    ("robosieve", text!("robosieve")),
    ("filter", text!("filter")),
    ("test", text!("test")),
    ("explain", text!("explain")),
    ("lint", text!("lint")),
    ("inspect", text!("inspect")),
    ("signals", text!("signals")),
    ("diff", text!("diff")),
    ("batch", text!("batch")),
    ("census", text!("census")),
    ("fetch", text!("fetch")),
    ("check", text!("check")),
    ("site", text!("site")),
    ("page", text!("page")),
    ("serve", text!("serve")),
    ("completions", text!("completions")),
];
