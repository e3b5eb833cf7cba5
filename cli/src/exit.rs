//! How the command ends: its exit codes, and errors that say where and what to do.
//!
//! Invariant: every way out is a [`Code`]; every message goes to the standard error as printable ASCII, and each of its lines
//! begins with `robosieve: ` or, below that, with two blanks, whatever it quotes; a closed pipe is no error, and nobody to tell
//! it to.
//!
//! | Code | Meaning |
//! |---|---|
//! | 0 | fine; `test`, `check`: all URLs are allowed; `diff`: nothing changed |
//! | 1 | `test`, `check`: a URL is disallowed; `diff`: something changed; `fetch`, `site`: there is none |
//! | 2 | the command line or a file cannot be used |
//! | 3 | refused, because a limit cost the file something: `--on-over-limit refuse`, or `widen` where nothing can be widened; `fetch`, `check`, `crawl-check`: not to be learnt now; `batch`: some input could not be processed |

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::ContextValue;
use robosieve::Refused;

use crate::text::{self, Message};

/// How a command ended. The greater one counts where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// All went well.
    Fine,
    /// A URL is disallowed, or a policy changed.
    Disallowed,
    /// A file could not be used, and it has been told.
    Failed,
    /// A file was refused, or a site can't be learnt of now, and it has been told.
    Refused,
}

impl Code {
    const fn number(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Disallowed => 1,
            Self::Failed => 2,
            Self::Refused => 3,
        }
    }

    /// What this and one more file came to, whose failure is told; a closed pipe is the end of all.
    pub(crate) fn after(self, done: Result<(), Failure>) -> Result<Self, Failure> {
        match done {
            Ok(()) => Ok(self),
            Err(Failure::ClosedPipe) => Err(Failure::ClosedPipe),
            Err(failure) => Ok(self.and(failure.tell())),
        }
    }

    /// What two files came to: a failure is worse than a refusal, since it is nobody's policy.
    pub(crate) fn and(self, other: Self) -> Self {
        let weight = |code| match code {
            Self::Fine => 0,
            Self::Disallowed => 1,
            Self::Refused => 2,
            Self::Failed => 3,
        };
        if weight(self) >= weight(other) { self } else { other }
    }
}

/// Why a command could not go on, each in one line: what would end it is escaped when it is told.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for what cannot be done.
    Usage(String),
    /// The command line is not that of the run that it continues.
    OtherRun {
        /// Of what run, and what to do.
        message: String,
        then: String,
        now: String,
    },
    /// A file or a stream cannot be used.
    Io(String),
    /// The caller's policy refuses the file.
    Refused(String),
    /// Nobody reads the standard output any more.
    ClosedPipe,
}

impl Failure {
    /// An error of the standard output.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::Io(format!("the standard output cannot be written: {error}"))
        }
    }

    /// An error of the standard input.
    pub(crate) fn stdin(error: &io::Error) -> Self {
        Self::Io(format!("the standard input cannot be read: {error}"))
    }

    /// An error of a file, with what to do about it.
    pub(crate) fn file(path: &Path, error: &io::Error, what_to_do: &str) -> Self {
        Self::Io(format!("{}: {error}; {what_to_do}", text::name_of(path)))
    }

    /// A refused file. The name is escaped already.
    pub(crate) fn refused(file: &str, refused: Refused) -> Self {
        Self::Refused(format!("{file}: {refused}"))
    }

    /// Tells about it, and says what code it makes.
    pub(crate) fn tell(&self) -> Code {
        match self {
            Self::Usage(message) => {
                tell_message(&Message::new(message).with("try `robosieve help`, or the command with `--help`"));
                Code::Failed
            }
            Self::OtherRun { message, then, now } => {
                let pair = Message::new(message).with(&format!("then: {then}"));
                tell_message(&pair.with(&format!("now:  {now}")));
                Code::Failed
            }
            Self::Io(message) => {
                tell(message);
                Code::Failed
            }
            Self::Refused(message) => {
                tell(message);
                Code::Refused
            }
            Self::ClosedPipe => Code::Fine,
        }
    }
}

/// Writes a message of one line to the standard error; where that is closed too, there is nobody to tell.
pub(crate) fn tell(line: &str) {
    tell_message(&Message::new(line));
}

/// The same for one that may have several.
pub(crate) fn tell_message(message: &Message) {
    let _ = writeln!(io::stderr().lock(), "robosieve: {message}");
}

/// Writes a line of JSON, which is ASCII already, to the standard error.
pub(crate) fn print_json(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", text::escape(line.as_bytes()));
}

/// What a command came to.
pub(crate) fn code_of(outcome: Result<Code, Failure>) -> ExitCode {
    let code = outcome.unwrap_or_else(|failure| failure.tell());
    ExitCode::from(code.number())
}

/// Help and version go to the standard output as clap styles them; an error may quote an argument, and is escaped.
pub(crate) fn code_of_clap(error: clap::Error) -> ExitCode {
    if error.use_stderr() {
        // What is left to end a line is clap's own.
        for line in with_quotes_escaped(error).render().to_string().lines() {
            let _ = writeln!(io::stderr().lock(), "{}", text::escape(line.as_bytes()));
        }
        return ExitCode::from(Code::Failed.number());
    }
    let _ = error.print();
    ExitCode::from(Code::Fine.number())
}

/// The same error, with what it quotes of the command line escaped before clap makes lines of it.
fn with_quotes_escaped(mut error: clap::Error) -> clap::Error {
    let escape = |text: &str| text::escape(text.as_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_worse_than_a_refusal() {
        assert_eq!(Code::Fine.and(Code::Refused), Code::Refused);
        assert_eq!(Code::Failed.and(Code::Refused), Code::Failed);
        assert_eq!(Code::Refused.and(Code::Failed), Code::Failed);
        assert_eq!(Code::Disallowed.and(Code::Fine), Code::Disallowed);
    }
}
