//! What clap reports: help, the version, and mistakes of the command line.
//!
//! Invariant: an argument is quoted only escaped. Only an error is looked at here, so a command line without one costs
//! nothing.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

use crate::exit::{self, Code, Failure};
use crate::help::FEATURES;
use crate::text::{escape, harmless};

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
