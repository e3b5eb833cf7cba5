//! `test` with a directory or a list of files: the same URLs for each.
//!
//! Invariant: a line for each file and URL, in the order of the list, a directory's by name. A file that cannot be read,
//! or is refused, is reported, and makes the exit code that of the failure; the others are answered.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use robosieve_ask::Plan;
use robosieve_batch::lines::{Lines, Next, listed};

use super::{About, Printer};
use crate::args::TestArgs;
use crate::asked;
use crate::exit::{self, Code, Failure};
use crate::files::{self, Wanted};
use crate::input::{self, Folders};
use crate::report::tell_all;
use crate::text::{counted, escape, name_of};

/// The longest name in a list, in bytes: as in batches.
const MAX_NAME: usize = 1 << 16;

pub(super) fn run(args: &TestArgs, plan: &Plan) -> Result<Code, Failure> {
    let first = args.file.as_deref().filter(|_| args.files_from.is_some()).map(Path::as_os_str);
    let urls: Vec<&OsStr> = first.into_iter().chain(args.urls.iter().map(AsRef::as_ref)).collect();
    if urls.is_empty() || urls.iter().any(|url| *url == "-") {
        let form = "robosieve test --agent MyBot --files-from LIST URL...";
        return Err(Failure::Usage(format!("name the URLs for all files as arguments: `{form}`")));
    }
    let form = if args.files_from.is_some() {
        "with --files-from only URLs are named, and the list has the files"
    } else {
        super::FILE_FIRST
    };
    asked::check(urls.iter().copied(), form)?;
    let wanted = args.names.wanted()?;
    let mut many = Many {
        plan,
        urls,
        wanted: &wanted,
        printer: Printer::new(args, true),
        answered: 0,
        doubted: 0,
        documented: false,
    };
    let list = args.files_from.iter().filter(|list| !input::is_stdin(list));
    input::expect_there(list, Folders::Refused)?;
    let code = match &args.files_from {
        None => many.each(args.file.as_deref().unwrap_or(Path::new("")))?,
        Some(list) if input::is_stdin(list) => many.list(list, io::stdin())?,
        Some(list) => {
            let opened = File::open(list).map_err(|error| Failure::file(list, &error, "check the path"))?;
            many.list(list, opened)?
        }
    };
    many.printer.code = many.printer.code.and(code);
    many.finish(args.quiet, args.files_from.as_ref().or(args.file.as_ref()))
}

struct Many<'m> {
    plan: &'m Plan,
    urls: Vec<&'m OsStr>,
    wanted: &'m Wanted,
    printer: Printer<'m>,
    /// Files that were answered for.
    answered: u64,
    /// Files whose answers may differ from what their owners meant.
    doubted: u64,
    /// Whether a group applies that the name alone does not say.
    documented: bool,
}

impl Many<'_> {
    /// Answers for the files of a list.
    fn list(&mut self, list: &Path, reader: impl Read) -> Result<Code, Failure> {
        let mut lines = Lines::new(reader, MAX_NAME).checked();
        let mut code = Code::Fine;
        loop {
            let name = match lines.next_line().map_err(|error| Failure::file(list, &error, "check the list"))? {
                Next::End => return Ok(code),
                Next::TooLong => Err(format!("a name is longer than {MAX_NAME} bytes")),
                Next::Line(b"") => continue,
                Next::Line(b"-") => Err("`-` is no file".into()),
                Next::Line(line) => listed(line),
            };
            code = code.after(match name {
                Ok(name) => self.each(&name),
                Err(message) => Err(Failure::Io(format!("{}: {message}", name_of(list)))),
            })?;
        }
    }

    /// Answers for a file, or for the files of a directory.
    fn each(&mut self, path: &Path) -> Result<Code, Failure> {
        files::each(path, self.wanted, |file| self.file(file))
    }

    fn file(&mut self, path: &Path) -> Result<Code, Failure> {
        // A pipe would be waited for. What is not there is reported when it is read.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(files::no_file(path));
        }
        let input = input::read(path, self.plan.options.limits.max_bytes)?;
        let asked =
            input.plan(self.plan).asked(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
        let report = asked.report();
        input.expect(report, &self.plan.fail_on)?;
        if !report.is_exact() || report.has_suspects() {
            self.doubted = self.doubted.saturating_add(1);
        }
        self.answered = self.answered.saturating_add(1);
        self.documented |= asked.who().documented().is_some();
        let about = About { file: &input.name, asked };
        self.urls.iter().try_for_each(|url| self.printer.test(&about, url.as_encoded_bytes()))?;
        Ok(Code::Fine)
    }

    fn finish(self, is_quiet: bool, from: Option<&PathBuf>) -> Result<Code, Failure> {
        if self.answered == 0 && self.printer.code == Code::Fine {
            let name = from.map_or_else(String::new, |list| name_of(list));
            return Err(Failure::Io(format!("{name}: there is no file: nothing was answered; check the list")));
        }
        if !is_quiet && self.doubted > 0 {
            let files = counted(self.doubted, "file is", "files are");
            exit::tell(&format!("{files} suspect or not exact, so results may differ; see `robosieve lint`"));
        }
        if !is_quiet && self.documented {
            tell_all("all files", self.plan.groups.agents.iter().map(|agent| escape(agent.as_bstr())));
        }
        self.printer.finish()
    }
}
