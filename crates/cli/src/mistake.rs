//! Mistakes of the command line: what clap reports, and what to write instead.
//!
//! Invariant: an argument is quoted only escaped, and what is proposed is there in this program. Only an error is looked
//! at here, so a command line without one costs nothing.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::exit::{self, Code, Failure};
use crate::help::{self, FEATURES, Length};
use crate::shade;
use crate::text::{escape, harmless};

/// Prints what clap reports. Help and version go to the standard output, styled. Errors are escaped: they may quote an
/// argument.
pub(crate) fn code_of(mut error: Error) -> ExitCode {
    if !error.use_stderr() {
        let help = help::printed(&error.render().ansi().to_string(), shade::limit());
        let _ = anstream::stdout().write_all(help.as_bytes());
        return exit::code_of(Ok(Code::Fine));
    }
    if let Some(advice) = advice(&error) {
        return exit::code_of(Err(Failure::Usage(advice)));
    }
    // `-- --json` is hardly ever what was meant.
    let is_dashes = |tip: &StyledStr| tip.to_string().starts_with("to pass '");
    if matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(tips)) if tips.iter().all(is_dashes)) {
        error.remove(ContextKind::Suggested);
    }
    // What is left to end a line is clap's own.
    for line in with_quotes_escaped(error).render().to_string().lines() {
        let line = line.replace("invalid digit found in string", "write a whole number, for example 10");
        let _ = writeln!(io::stderr().lock(), "{}", harmless(&line));
    }
    exit::code_of(Ok(Code::Failed))
}

/// Refuses a flag that has one dash instead of two: `-agent MyBot` would be the agent `gent`, and a file `MyBot`. Cost:
/// describes all commands, if there is a word such as this.
pub(crate) fn expect_dashes() -> Result<(), Failure> {
    let words = || std::env::args_os().skip(1).take_while(|word| word != "--");
    let name_of = |word: &OsString| {
        let name = word.to_str()?.strip_prefix('-')?.split('=').next()?.to_owned();
        let is_long = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        (is_long && !name.starts_with('-')).then_some(name)
    };
    let Some(word) = words().find(|word| name_of(word).is_some()) else { return Ok(()) };
    let mut root = help::command(Some(Length::Long));
    root.build();
    let command = words().fold(&root, inner);
    match name_of(&word).filter(|name| command.get_arguments().any(|arg| arg.get_long() == Some(name))) {
        Some(name) => Err(Failure::Usage(format!("-{name}: write `--{name}`, with two dashes"))),
        None => Ok(()),
    }
}

/// The command that a word means: the innermost, as in `census ask`.
fn inner(command: &Command, word: OsString) -> &Command {
    command.find_subcommand(word).unwrap_or(command)
}

/// What to do, if that is known better than by clap.
fn advice(error: &Error) -> Option<String> {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) {
        return instead_of_command(word);
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let mut root = help::command(Some(Length::Long));
    root.build();
    let command = std::env::args_os().skip(1).take_while(|word| word != &**flag).fold(&root, inner);
    #[cfg(feature = "batch")]
    if command.get_name() == "census"
        && let Some(word) = std::env::args_os().skip_while(|word| word != "census").nth(1)
        && let Some(meant) = word.to_str().and_then(crate::census::meant)
    {
        return Some(meant);
    }
    instead_of_flag(command, flag).map(|advice| format!("{}: {advice}", escape(flag.as_bytes())))
}

/// What to do about a word that is no command of this program.
fn instead_of_command(word: &str) -> Option<String> {
    let absent = FEATURES.iter().find(|(_, is_there, names)| !is_there && names.contains(&word));
    if let Some((feature, _, names)) = absent {
        return Some(format!(
            "this robosieve was built without {}: `cargo install --locked robosieve-cli --features {feature}` has it, \
             `--features full` has everything (in a clone: `cargo install --locked --path crates/cli --features \
             {feature}`)",
            names.join(", ")
        ));
    }
    if exit::is_url(word) {
        return Some(exit::url_advice(word));
    }
    let is_file = word.contains(['.', '/']) || Path::new(word).exists();
    is_file.then(|| {
        let name = escape(word.as_bytes());
        format!("a command comes first: `robosieve lint {name}`, `robosieve test --agent MyBot {name} /path`")
    })
}

/// Forms of an output, as flags of some commands and as values of `--format` in others.
const FORMS: [&str; 12] =
    ["json", "csv", "ndjson", "html", "svg", "sarif", "github", "tap", "junit", "parquet", "text", "format"];

/// What to do about a flag that this command has not.
fn instead_of_flag(command: &Command, flag: &str) -> Option<String> {
    let find = |long: &str| command.get_arguments().find(|arg| arg.get_long() == Some(long));
    let name = command.get_name();
    let word = flag.trim_start_matches('-');
    if word == flag {
        find("files-from")?;
        return Some(if exit::is_url(word) {
            "this command reads a list of URLs: `robosieve check URL` asks for one, `--files-from FILE` names a list"
                .into()
        } else {
            "this command takes no names: write `--files-from` before that of a list".into()
        });
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return Some("no number here is below 0, and a file of this name is written with `./` before it".into());
    }
    match word {
        "a" | "agent" if name == "lint" => return Some("lint looks at all crawlers: leave it out".into()),
        "a" | "agent" if find("agents").is_some() => {
            return Some("this command takes a list of crawlers: write `--agents GPTBot,CCBot`".into());
        }
        "a" | "agent" | "agents" if name == "ask" => return Some("agents stand in the questions".into()),
        "port" if find("listen").is_some() => return Some("write `--listen 127.0.0.1:PORT`".into()),
        "V" | "version" => return Some("the version is that of all commands: `robosieve --version`".into()),
        "url" | "urls" if command.get_positionals().any(|arg| arg.get_id() == "urls") => {
            return Some("URLs are written without a flag, after the file if there is one".into());
        }
        "o" | "output" if find("output").is_none() => {
            return Some("this command writes to the standard output: write `> FILE` after it".into());
        }
        _ => {}
    }
    if !FORMS.contains(&word) {
        return None;
    }
    let values = find("format").map(Arg::get_possible_values).unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("`--format {}`", value.get_name())).collect();
    let wanted = format!("`--format {word}`");
    if values.contains(&wanted) {
        return Some(format!("write {wanted}"));
    }
    let is_form = |arg: &Arg| !arg.get_action().takes_values();
    let flags = FORMS.iter().filter(|form| **form != "format" && find(form).is_some_and(is_form));
    let forms: Vec<String> = flags.map(|form| format!("`--{form}`")).chain(values).collect();
    Some(if forms.is_empty() {
        "this command has one form of output, text".into()
    } else {
        format!("the forms of this command's output have {}", forms.join(", "))
    })
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
