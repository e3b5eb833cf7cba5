//! Reads files and the standard input.
//!
//! Invariant: at most `max_bytes` and 16 bytes more are read, or unpacked, for any length of the input: see
//! [`read_file`]. Of a packed file that ends early, each question gets the options for a part of a file.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, IsTerminal, StdinLock};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use robosieve::report::{FindingClass, Report};
use robosieve_ask::{Plan, Problem};
use robosieve_batch::files::{self, Apart};
use robosieve_batch::lines::Lines;
use robosieve_batch::requests::MAX_LINE;
use robosieve_batch::unpack::{Unpacked, read_file, unpack_bytes};
use robosieve_explain::refusal;

use crate::exit::{self, Code, Failure};
use crate::text;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Input {
    /// The name in messages.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether the bytes are all of it, as far as its packing shows.
    pub(crate) is_whole: bool,
    is_stdin: bool,
}

/// The lines of the standard input: requests, and URLs.
pub(crate) fn stdin_lines() -> Lines<StdinLock<'static>> {
    Lines::new(io::stdin().lock(), MAX_LINE)
}

/// What the standard input is called in messages, if not `-`.
static STDIN_NAME: OnceLock<String> = OnceLock::new();

/// Gives the standard input a name, once. It must be read: it is one of the files, or there are none.
pub(crate) fn name_stdin(name: Option<&Path>, files: &[PathBuf]) -> Result<(), Failure> {
    let Some(name) = name else { return Ok(()) };
    if !files.is_empty() && !files.iter().any(|file| is_stdin(file)) {
        return Err(Failure::Usage("--stdin-filename names the standard input: write `-` as FILE to read that".into()));
    }
    STDIN_NAME.get_or_init(|| text::name_of(name));
    Ok(())
}

impl Input {
    /// A file that is not read, because its status decides, or it is not there.
    pub(crate) fn not_to_be_had(path: &Path) -> Self {
        Self { name: text::name_of(path), bytes: Vec::new(), is_whole: true, is_stdin: false }
    }

    /// A file that was read. If it is only a part, that is said, also if the command is quiet.
    fn of(name: String, file: Unpacked<'static>) -> Self {
        if let Some(format) = file.ends_early {
            exit::tell(&format!(
                "{name}: the {format} data ends early, so this is only a part of the file: what it does not say counts as \
                 disallowed; get it once more"
            ));
        }
        Self { is_whole: file.is_whole(), is_stdin: false, name, bytes: file.bytes.into_owned() }
    }

    /// The plan for this file.
    pub(crate) fn plan<'p>(&self, plan: &'p Plan) -> Cow<'p, Plan> {
        if self.is_whole { Cow::Borrowed(plan) } else { Cow::Owned(plan.clone().incomplete()) }
    }

    /// Whether this is the standard input, and it is empty. A failed download has the same effect.
    fn is_empty_stdin(&self) -> bool {
        self.is_stdin && self.bytes.is_empty()
    }

    /// Refuses the file if --fail-on says so. An empty standard input counts as suspect: perhaps a download failed.
    pub(crate) fn expect(&self, report: &Report, fail_on: &[FindingClass]) -> Result<(), Failure> {
        let name = &self.name;
        let refusal = if self.is_empty_stdin() && fail_on.contains(&FindingClass::Suspect) {
            Some("refused (fail-on suspect): the standard input is empty".to_owned())
        } else {
            refusal(report, self.is_whole, fail_on)
        };
        refusal.map_or(Ok(()), |why| Err(Failure::Refused(format!("{name}: {why}"))))
    }

    /// Warns about a file that looks like something else.
    pub(crate) fn warn_if_foreign(&self, report: &Report) {
        let kind = report.input();
        if !kind.may_be_robots_txt() {
            exit::tell(&format!("{}: the input looks like {kind}", self.name));
        }
    }

    /// Refuses an empty standard input, where a finding is the answer: none would look like a file without a mistake.
    pub(crate) fn expect_some(&self) -> Result<(), Failure> {
        if self.is_empty_stdin() {
            let message = "the standard input is empty: if it was piped in from a download, that may have failed";
            return Err(Failure::Io(message.into()));
        }
        Ok(())
    }

    /// Warns about an empty standard input. An empty file is valid, and allows everything.
    pub(crate) fn warn_if_empty(&self) {
        if self.is_empty_stdin() {
            exit::tell(
                "the standard input is empty, and an empty robots.txt allows everything: if it was piped in from a download, \
                 that may have failed",
            );
        }
    }
}

/// Whether the path means the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Takes note that a command reads this file, or the standard input for `-`.
pub(crate) fn reads(apart: &mut Apart, path: &Path) {
    if is_stdin(path) { apart.reads_stdin() } else { apart.reads(path) }
}

/// The same of what it writes, for `-` to the standard output.
#[cfg(feature = "gate")]
pub(crate) fn writes(apart: &mut Apart, path: &Path) {
    if is_stdin(path) { apart.writes_stdout() } else { apart.writes(path) }
}

/// The files to read. If none is named: the standard input, unless it is a terminal.
pub(crate) fn or_stdin(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if files.is_empty() {
        refuse_terminal("a robots.txt FILE")?;
        return Ok(vec![PathBuf::from("-")]);
    }
    once(files.iter().map(|file| is_stdin(file)))?;
    Ok(files.to_vec())
}

/// Calls `each` with each of these files, or with the standard input. One that fails is reported, and costs itself.
pub(crate) fn each_named(
    files: &[PathBuf],
    mut each: impl FnMut(&Path) -> Result<Code, Failure>,
) -> Result<Code, Failure> {
    let files = or_stdin(files)?;
    expect_there(&files, Folders::Refused)?;
    files.iter().try_fold(Code::Fine, |code, file| code.after(each(file)))
}

/// Refuses to read the standard input twice. Says of each name whether it means that.
pub(crate) fn once(are_stdin: impl IntoIterator<Item = bool>) -> Result<(), Failure> {
    if are_stdin.into_iter().filter(|is_stdin| *is_stdin).count() > 1 {
        return Err(Failure::Usage("`-` is the standard input, which can be read only once: use `-` once".into()));
    }
    Ok(())
}

/// Refuses a standard input that is a terminal: the user probably forgot a file name.
pub(crate) fn refuse_terminal(what: &str) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::Usage(format!(
            "name {what}, or pipe it in: the standard input is a terminal (use `-` to read from it anyway)"
        )));
    }
    Ok(())
}

/// Whether the command takes a directory for its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folders {
    Taken,
    Refused,
}

/// Checks that what the command line names is there, and can be opened, before anything is read, answered or written.
/// What is no regular file is not opened: a pipe has one reader.
pub(crate) fn expect_there<'p>(paths: impl IntoIterator<Item = &'p PathBuf>, folders: Folders) -> Result<(), Failure> {
    let bad = |path: &PathBuf| (!is_stdin(path)).then(|| openable(path, folders).err()).flatten();
    let mut bad = paths.into_iter().filter_map(bad);
    let Some(first) = bad.next() else { return Ok(()) };
    Err(match (first, bad.count()) {
        (Failure::Io(message), more @ 1..) => Failure::Io(format!(
            "{message} ({} cannot be used either)",
            text::counted_len(more, "other name", "other names")
        )),
        (failure, _) => failure,
    })
}

fn openable(path: &Path, folders: Folders) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::file(path, &error, what_to_do(&error));
    match fs::metadata(path).map_err(failed)? {
        found if found.is_dir() && folders == Folders::Refused => Err(is_folder(path)),
        found if found.is_dir() => fs::read_dir(path).map(drop).map_err(failed),
        found if found.is_file() => File::open(path).map(drop).map_err(failed),
        _ => Ok(()),
    }
}

fn is_folder(path: &Path) -> Failure {
    let (name, inside) = (text::name_of(path), path.join("robots.txt"));
    let such_as = if inside.is_file() { format!(", for example {}", text::name_of(&inside)) } else { String::new() };
    let readers =
        if cfg!(feature = "batch") { "`robosieve batch`, `lint` and `test`" } else { "`robosieve lint` and `test`" };
    Failure::Io(format!("{name}: is a directory; name a file in it{such_as} ({readers} read directories)"))
}

/// Reads a file, or the standard input for `-`.
pub(crate) fn read(path: &Path, max_bytes: usize) -> Result<Input, Failure> {
    if is_stdin(path) {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData => Failure::file(path, &error, what_to_do(&error)),
            _ => Failure::stdin(&error),
        };
        let file = read_file(io::stdin(), max_bytes).map_err(failed)?;
        let name = STDIN_NAME.get().map_or("-", String::as_str);
        return Ok(Input { is_stdin: true, ..Input::of(name.into(), file) });
    }
    let failed = |error: io::Error| Failure::file(path, &error, what_to_do(&error));
    let file = File::open(path).map_err(failed)?;
    let name = text::name_of(path);
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(is_folder(path));
    }
    if files::is_stdout(path) {
        return Err(Failure::Usage(format!(
            "{name} is also the standard output, which replaces it: write to another file"
        )));
    }
    let file = read_file(file, max_bytes).map_err(failed)?;
    Ok(Input::of(name, file))
}

/// Reads a file of which a part is of no use.
pub(crate) fn read_whole(path: &Path, max_bytes: usize) -> Result<Input, Failure> {
    let input = read(path, max_bytes)?;
    if input.is_whole {
        return Ok(input);
    }
    Err(Failure::Io(format!("{}: only a part of it is there, which is of no use here", input.name)))
}

/// Unpacks the bytes of a request, if they are packed. Also returns the plan for them.
pub(crate) fn unpacked(bytes: Cow<'_, [u8]>, plan: Plan) -> Result<(Plan, Cow<'_, [u8]>), Problem> {
    let file = unpack_bytes(bytes, plan.options.limits.max_bytes)
        .map_err(|error| Problem::request(format!("the file {error}")))?;
    let plan = if file.is_whole() { plan } else { plan.incomplete() };
    Ok((plan, file.bytes))
}

/// What to do about a file that cannot be read.
pub(crate) fn what_to_do(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::InvalidData => "get it once more, or unpack it and see",
        io::ErrorKind::NotFound => "check the path, or use `-` for the standard input",
        io::ErrorKind::PermissionDenied => "you need the right to read it",
        _ => "check that it is a file that can be read",
    }
}
