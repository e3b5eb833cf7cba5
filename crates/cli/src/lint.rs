//! `lint`: tells the owner of a file what they would want to know.
//!
//! Invariant: files are printed in the order of the arguments, those of a directory by name; each finding is written as
//! soon as its file is read; SARIF is one document for all. What is printed is harmless text, and colour on a terminal.

mod characters;
mod fix;
mod human;
mod machine;

use std::io;
use std::path::{Path, PathBuf};

use robosieve::Options;
use robosieve::report::{Effect, FindingClass};
use robosieve::settings::Vocabulary;
use robosieve_ask::with_directive;
use robosieve_explain::{Lint, LintKind, Linted, Linter, Severity};

use crate::args::{LintArgs, LintFailOn, LintForm};
use crate::exit::{Code, Failure};
use crate::files::{self, Wanted};
use crate::input::{self, Folders};
use crate::text::name_of;

pub(crate) fn run(args: &LintArgs) -> Result<Code, Failure> {
    input::name_stdin(args.stdin.name.as_deref(), &args.files)?;
    if args.force && !args.fix {
        return Err(Failure::Usage("--force is for --fix".into()));
    }
    let vocabulary = args.directives.iter().try_fold(Vocabulary::default(), |words, own| with_directive(words, own));
    let options = Options { vocabulary: vocabulary.map_err(Failure::Usage)?, ..Options::default() };
    let mut run = Run {
        args,
        max_bytes: options.limits.max_bytes,
        linter: match Linter::default().options(options).only(args.only.clone()).ignore(args.ignore.clone()) {
            linter if args.force => linter.force(),
            linter if args.all => linter.show_all(),
            linter => linter,
        },
        printer: match args.format {
            LintForm::Human => Box::new(human::Pages::new(args)),
            form => Box::new(machine::Machine::new(form)),
        },
        code: Code::Fine,
    };
    let mut files = input::or_stdin(&args.files)?;
    input::expect_there(&files, Folders::Taken)?;
    let wanted = args.names.wanted()?;
    if args.fix {
        files = run.found(&files, &wanted)?;
        if let Some(code) = fix::run(&files, &run.linter, run.max_bytes)? {
            return Ok(run.code.and(code));
        }
    }
    for path in &files {
        let code = files::each(path, &wanted, |file| run.file(file))?;
        run.code = run.code.and(code);
    }
    run.printer.end().map_err(|error| Failure::stdout(&error))?;
    Ok(run.code)
}

struct Run<'r> {
    args: &'r LintArgs,
    max_bytes: usize,
    linter: Linter,
    printer: Box<dyn Printer>,
    code: Code,
}

impl Run<'_> {
    /// All files of the arguments that may be changed. Others are reported.
    fn found(&mut self, paths: &[PathBuf], wanted: &Wanted) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for path in paths {
            let code = files::each(path, wanted, |file| {
                if leads_out(path, file) {
                    let (file, folder) = (name_of(file), name_of(path));
                    return Err(Failure::Io(format!("{file}: is a link out of {folder}: name the file itself")));
                }
                files.push(file.to_owned());
                Ok(Code::Fine)
            })?;
            self.code = self.code.and(code);
        }
        Ok(files)
    }

    /// Reads and prints a file.
    fn file(&mut self, path: &Path) -> Result<Code, Failure> {
        let input = input::read_whole(path, self.max_bytes)?;
        input.expect_some()?;
        let linted = self.linter.lint(&input.bytes);
        let is_bad = linted.lints.iter().any(|lint| fails(self.args.fail_on, lint));
        let code = if is_bad { Code::Disallowed } else { Code::Fine }.known();
        self.printer.file(&input.name, &linted).map_err(|error| Failure::stdout(&error))?;
        Ok(code)
    }
}

/// Whether a file that was found in a directory is a link to something that is not in it: nobody named that.
fn leads_out(folder: &Path, file: &Path) -> bool {
    let is_inside = || Some(file.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?));
    file != folder && file.is_symlink() && is_inside() == Some(false)
}

/// Whether this lint makes the exit code 1.
fn fails(fail_on: LintFailOn, lint: &Lint) -> bool {
    match fail_on {
        LintFailOn::Never => false,
        LintFailOn::Error => lint.severity == Severity::Error,
        LintFailOn::Warning => lint.severity >= Severity::Warning,
        LintFailOn::Note => true,
        LintFailOn::Loss => {
            let is_loss = |kind| matches!(kind, LintKind::Found(kind) if kind.class() == FindingClass::Loss);
            is_loss(lint.kind) && lint.effect != Effect::None
        }
    }
}

/// Writes the findings of files, one after the other.
trait Printer {
    /// The lints of a file.
    fn file(&mut self, file: &str, linted: &Linted<'_>) -> io::Result<()>;
    /// All after the last file.
    fn end(&mut self) -> io::Result<()>;
}
