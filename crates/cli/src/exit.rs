//! Exit codes and error messages. A message says where the problem is and what to do.
//!
//! Invariant: the program always ends with a [`Code`]. Every message goes to the standard error, harmless.
//! Each line begins with `robosieve: ` or, for more lines, with two spaces. A closed pipe is not an error, and no
//! message is written then, but a result that is known keeps its code. `help/robosieve.txt` says what the codes mean.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use robosieve::settings::Refused;

use crate::text::{self, Message, Stream};

/// How a command ended. Of several results, the worst is used. A failure is worse than a refusal, because no policy
/// asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Code {
    /// Success.
    Fine,
    /// A URL is disallowed, a policy changed, or what was asked for is not there.
    Disallowed,
    /// A file was refused, or a site is unreachable; the message was written.
    Refused,
    /// A file could not be used; the message was written.
    Failed,
}

/// The worst result so far.
static KNOWN: Mutex<Code> = Mutex::new(Code::Fine);

impl Code {
    const fn number(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Disallowed => 1,
            Self::Failed => 2,
            Self::Refused => 3,
        }
    }

    /// Adds the result of one more file, and writes its failure. Returns an error only for a closed pipe.
    pub(crate) fn after(self, done: Result<Self, Failure>) -> Result<Self, Failure> {
        match done {
            Ok(code) => Ok(self.and(code)),
            Err(Failure::ClosedPipe) => Err(Failure::ClosedPipe),
            Err(failure) => Ok(self.and(failure.tell())),
        }
    }

    /// Combines the results of two files.
    pub(crate) fn and(self, other: Self) -> Self {
        self.max(other).known()
    }

    /// Takes note of the result, before anything is printed: a closed pipe then does not hide it.
    pub(crate) fn known(self) -> Self {
        self.worst();
        self
    }

    /// The worst result so far, with this one.
    fn worst(self) -> Self {
        let mut worst = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        *worst = self.max(*worst);
        *worst
    }
}

/// Why a command could not continue, in one line. Line ends in it are escaped when it is written.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line cannot be used.
    Usage(String),
    /// A file or a stream cannot be used.
    Io(String),
    /// The caller's policy refuses the file.
    Refused(String),
    /// The standard output is closed.
    ClosedPipe,
}

impl Failure {
    /// No agent was named.
    pub(crate) fn no_agent() -> Self {
        Self::Usage("name an agent: `--agent MyBot`, your crawler's product token".into())
    }

    /// Neither an agent nor --all-agents was named.
    pub(crate) fn no_agent_of_all() -> Self {
        let message =
            "name an agent: `--agent MyBot` keeps the group for your crawler, `--all-agents` keeps all groups";
        Self::Usage(message.into())
    }

    /// An error of the standard output.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::Io(format!("cannot write the standard output: {error}"))
        }
    }

    /// An error of the standard input.
    pub(crate) fn stdin(error: &io::Error) -> Self {
        Self::Io(format!("cannot read the standard input: {error}"))
    }

    /// An error of a file, with advice. A URL in its place is named as such.
    pub(crate) fn file(path: &Path, error: &io::Error, what_to_do: &str) -> Self {
        let name = text::name_of(path);
        if is_url(&name) && error.kind() == io::ErrorKind::NotFound {
            return Self::Usage(url_advice(&name));
        }
        Self::Io(format!("{name}: {error}; {what_to_do}"))
    }

    /// A refused file. The name is escaped already.
    pub(crate) fn refused(file: &str, refused: Refused) -> Self {
        Self::Refused(format!("{file}: {refused}"))
    }

    /// Writes the message and returns the exit code.
    pub(crate) fn tell(&self) -> Code {
        match self {
            Self::Usage(message) => {
                tell_message(&Message::new(message).with("try `robosieve help`, or the command with `--help`"));
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
            Self::ClosedPipe => Code::Fine.worst(),
        }
        .known()
    }
}

/// Whether a word of the command line is the URL of a site.
pub(crate) fn is_url(word: &str) -> bool {
    let begins = |scheme: &str| word.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    begins("http://") || begins("https://")
}

/// What to do with a URL where a file is expected.
pub(crate) fn url_advice(url: &str) -> String {
    let url = text::escape(url.as_bytes());
    let mut words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let command = words.find(|word| !word.starts_with('-')).unwrap_or_default();
    if matches!(&*command, "batch" | "census") {
        return format!(
            "{url}: this is a URL, and {command} reads files and directories: download it first, for example with `curl -fO URL`"
        );
    }
    let (command, more) = match &*command {
        "test" => (&*command, ". URLs to test come after the robots.txt file"),
        "filter" | "inspect" | "lint" | "explain" => (&*command, ""),
        _ => ("COMMAND", ""),
    };
    format!(
        "{url}: this is a URL, not a file. `robosieve fetch URL` retrieves the robots.txt of its site, `curl -sSfL URL | \
         robosieve {command} -` gives it to a command that reads files{more}"
    )
}

impl From<robosieve_ask::Problem> for Failure {
    fn from(problem: robosieve_ask::Problem) -> Self {
        Self::Usage(problem.message)
    }
}

/// Writes a message of one line to the standard error. Ignores a closed standard error.
pub(crate) fn tell(line: &str) {
    tell_message(&Message::new(line));
}

/// Writes a message of one or more lines to the standard error.
pub(crate) fn tell_message(message: &Message) {
    let _ = writeln!(io::stderr().lock(), "{}", message.shown(text::terminal(Stream::Error)));
}

/// Writes a line of JSON, which is ASCII already, to the standard error.
pub(crate) fn print_json(line: &[u8]) {
    let _ = io::stderr().lock().write_all(line);
}

/// The result of a command.
pub(crate) fn code_of(outcome: Result<Code, Failure>) -> ExitCode {
    let code = outcome.unwrap_or_else(|failure| failure.tell());
    ExitCode::from(code.number())
}

/// Ends the program after an interrupt, as shells expect it: with 128 and the number of the signal.
#[cfg(feature = "batch")]
pub(crate) fn interrupted(message: &str) -> ! {
    tell(message);
    std::process::exit(130)
}
