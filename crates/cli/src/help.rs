//! What clap prints: help, next to the flags of the commands, the version, and mistakes of the command line; and
//! `completions`, made from the same description.
//!
//! Invariant: the file of a command in `help/` says what it does, then examples, notes and exit codes. Its layout is clap's.
//! An argument is quoted only escaped. Only an error is looked at, so a command line without one costs nothing.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory as _, Error};
use clap_complete::Shell;

use crate::exit::{self, Code, Failure};
use crate::text::{escape, harmless};
use crate::{Cli, output};

/// The description of all arguments.
#[must_use]
pub fn command() -> Command {
    let described = |root: Command, (name, text): &(&str, &'static str)| match root.find_subcommand(name) {
        Some(_) => root.mut_subcommand(name, |command| with_text(command, text)),
        None => root,
    };
    let [(_, own), texts @ ..] = &TEXTS;
    let root = texts.iter().fold(with_text(Cli::command(), own), described);
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
const FEATURES: [(&str, bool, &[&str]); 3] = [
    ("batch", cfg!(feature = "batch"), &["batch", "census"]),
    ("gate", cfg!(feature = "gate"), &["check", "fetch", "page", "serve", "site"]),
    ("signals", cfg!(feature = "signals"), &["signals"]),
];

/// Names with their files in `help/`.
macro_rules! texts {
    ($($name:literal)+) => {
        [$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/help/", $name, ".txt")).trim_ascii_end())),+]
    };
}

/// The text of the program, and of each command.
const TEXTS: [(&str, &str); 16] = texts! {
    "robosieve" "filter" "test" "explain" "lint" "inspect" "signals" "diff" "batch" "census" "fetch" "check" "site" "page"
    "serve" "completions"
};

/// Prints what clap reports. Help and version go to the standard output, styled. Errors are escaped: they may quote an
/// argument.
pub(crate) fn code_of(error: Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = anstream::stdout().write_all(error.render().ansi().to_string().as_bytes());
        return exit::code_of(Ok(Code::Fine));
    }
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(advice) = instead_of_command(word)
    {
        return exit::code_of(Err(Failure::Usage(advice)));
    }
    // What is left to end a line is clap's own.
    for line in with_quotes_escaped(error).render().to_string().lines() {
        let _ = writeln!(io::stderr().lock(), "{}", harmless(line));
    }
    exit::code_of(Ok(Code::Failed))
}

/// What to do about a word that is no command of this program.
fn instead_of_command(word: &str) -> Option<String> {
    if exit::is_url(word) {
        return Some(exit::url_advice(word));
    }
    let (feature, _, names) = FEATURES.iter().find(|(_, is_there, names)| !is_there && names.contains(&word))?;
    Some(format!(
        "this robosieve was built without {}: `cargo install --locked robosieve-cli --features {feature}` has it, \
         `--features full` has everything (in a clone: `cargo install --locked --path crates/cli --features {feature}`)",
        names.join(", ")
    ))
}

/// Escapes the quoted arguments of an error before clap formats it.
fn with_quotes_escaped(mut error: Error) -> Error {
    let escape = |text: &str| escape(text.as_bytes());
    let quotes: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| {
            let escaped = match value {
                ContextValue::String(text) => ContextValue::String(escape(text)),
                ContextValue::Strings(texts) => ContextValue::Strings(texts.iter().map(|text| escape(text)).collect()),
                ContextValue::StyledStrs(texts) => ContextValue::StyledStrs(
                    texts.iter().map(|text| StyledStr::from(escape(&text.to_string()))).collect(),
                ),
                // The usage, which has lines of its own and no values, and numbers.
                _ => return None,
            };
            Some((kind, escaped))
        })
        .collect();
    for (kind, escaped) in quotes {
        error.insert(kind, escaped);
    }
    error
}
