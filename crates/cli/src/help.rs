//! What help says about the commands.
//!
//! Invariant: the file of a command in `help/` says what it does, with examples and the exit codes. `-h` fits on a
//! screen of 24 lines and 80 columns: the flags that most users need, each with the first clause of its help. `--help`
//! shows all, wrapped by the width of the terminal; indented lines of a file in `help/` keep their shape. Shells call
//! the command in loops, so help is shaped only where it is asked for.

use std::ffi::OsString;

use clap::{Arg, Command, CommandFactory as _};

use crate::args::Cli;

/// How much help shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// `-h`, and no arguments at all
    Short,
    /// `--help`, and a manual page
    Long,
}

impl Length {
    /// What the arguments ask for, if they ask for help.
    pub(crate) fn asked() -> Option<Self> {
        let args: Vec<OsString> = std::env::args_os().skip(1).take_while(|arg| arg != "--").collect();
        // Also `-qh`. Only help looks at this, so another flag with an `h` does no harm.
        let is_short = |arg: &[u8]| matches!(arg, [b'-', byte, ..] if *byte != b'-') && arg.contains(&b'h');
        if args.is_empty() || args.iter().any(|arg| is_short(arg.as_encoded_bytes())) {
            Some(Self::Short)
        } else {
            // The flag and the command. A value that is the same word does no harm.
            args.iter().any(|arg| arg == "--help" || arg == "help").then_some(Self::Long)
        }
    }
}

/// A blank that clap does not wrap at. What is printed has usual blanks instead: see [`printed`].
const KEPT: &str = "\u{a0}";

/// The description of all arguments. The flags below a heading are rarely needed. The flags of a command are described
/// when it is parsed, or built.
pub(crate) fn command(length: Option<Length>) -> Command {
    let mut command = Cli::command();
    let Some(length) = length else { return command };
    if length == Length::Short {
        command.build();
    }
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let shape = |command: Command| {
        let command = described(command);
        if length == Length::Short { short(command) } else { command }
    };
    names.iter().fold(shape(command), |command, name| command.mut_subcommand(name, shape))
}

/// With the text of its file.
fn described(command: Command) -> Command {
    let Some((_, text)) = TEXTS.iter().find(|(name, _)| *name == command.get_name()) else {
        let text = command.get_after_long_help().map(|text| shaped(&text.to_string()));
        return if let Some(text) = text { command.after_long_help(text) } else { command };
    };
    let about = text.find(EXAMPLES).and_then(|at| text.get(..at)).unwrap_or_default();
    let command = command.after_long_help(shaped(text.get(about.len()..).unwrap_or_default()));
    if about.is_empty() { command } else { command.long_about(shaped(about.trim_ascii_end())) }
}

/// What follows the words about a command.
const EXAMPLES: &str = "Examples:\n";

fn short(command: Command) -> Command {
    let template = "{about}\n{usage-heading} {usage}\n\n{all-args}";
    command.help_template(template).mut_args(|arg| {
        if arg.get_help_heading().is_some() {
            return arg.hide(true);
        }
        let help = arg.get_help().map(|help| first_clause(&help.to_string()).to_owned());
        let has_value = arg.get_action().takes_values();
        let arg: Arg = if has_value { arg.hide_possible_values(true).hide_default_value(true) } else { arg };
        if let Some(help) = help { arg.help(help) } else { arg }
    })
}

/// The first clause of a sentence.
fn first_clause(text: &str) -> &str {
    let ends = ["; ", ". ", ": ", ", for example", " ["];
    let end = ends.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// Joins the lines of each paragraph, so that clap wraps it. Indented lines keep their shape.
fn shaped(text: &str) -> String {
    let mut out = String::new();
    let mut is_open = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if is_prose && is_open {
            out.push(' ');
        } else if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&if is_prose { line.to_owned() } else { line.replace(' ', KEPT) });
        is_open = is_prose;
    }
    out
}

/// Help as it is printed.
pub(crate) fn printed(help: &str) -> String {
    help.replace(KEPT, " ")
}

/// The text of a file in `help/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/help/", $name, ".txt")).trim_ascii_end()
    };
}

#[cfg(feature = "gate")]
pub(crate) use text;

/// The text of each command: what it does, and then its examples and notes.
const TEXTS: [(&str, &str); 14] = [
    ("robosieve", text!("robosieve")),
    ("filter", text!("filter")),
    ("test", text!("test")),
    ("explain", text!("explain")),
    ("lint", text!("lint")),
    ("inspect", text!("inspect")),
    ("usage", text!("usage")),
    ("diff", text!("diff")),
    ("batch", text!("batch")),
    ("census", text!("census")),
    ("history", text!("history")),
    ("schema", text!("schema")),
    ("completions", text!("completions")),
    ("man", text!("man")),
];
