//! `lint`: tells the owner of a file what they would want to know.
//!
//! Invariant: each file is printed on its own, in the order of the arguments; SARIF is one document for all. What is
//! printed is harmless text, and colour on a terminal.

mod fix;
mod github;
mod human;
mod sarif;

use std::io::Write as _;

use robosieve::Options;
use robosieve::report::{Effect, FindingClass};
use robosieve_explain::{CountedLints, Lint, LintKind, Linted, Linter, Severity};
use serde::Serialize;

use crate::args::{LintArgs, LintFailOn, LintForm};
use crate::exit::{Code, Failure};
use crate::input::{self, Input};
use crate::{choices, json, output, shade};

pub(crate) fn run(args: &LintArgs) -> Result<Code, Failure> {
    let options = Options {
        vocabulary: choices::vocabulary_with(&args.directives)?,
        base_url: args.base_url.clone(),
        ..Options::default()
    };
    let max_bytes = options.limits.max_bytes;
    let linter = Linter::default().options(options);
    let mut log = sarif::Log::default();
    let mut code = Code::Fine;
    let files = input::or_stdin(&args.files)?;
    if args.fix || args.diff {
        if let Some(code) = fix::run(args, &files, &linter, max_bytes)? {
            return Ok(code);
        }
    }
    for file in &files {
        let mut found = Code::Fine;
        let done = input::read(file, max_bytes).and_then(|input| {
            input.warn_if_empty();
            let linted = linter.lint(&input.bytes);
            if linted.lints().iter().any(|lint| fails(args.fail_on, lint)) {
                found = Code::Disallowed;
            }
            match args.format {
                LintForm::Human => print_human(args, &input, &linted),
                LintForm::Json => print_json(&input, &linted),
                LintForm::Github => output::print(github::commands(&input.name, &linted).as_bytes()),
                LintForm::Sarif => {
                    log.add(&input.name, &linted);
                    Ok(())
                }
            }
        });
        code = code.after(done)?.and(found);
    }
    if args.format == LintForm::Sarif {
        output::print(&json::line(&log).map_err(|error| Failure::stdout(&error))?)?;
    }
    Ok(code)
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

fn print_human(args: &LintArgs, input: &Input, linted: &Linted<'_>) -> Result<(), Failure> {
    let most = if args.all { usize::MAX } else { human::SHOWN };
    let page = human::page(&input.name, linted, most, args.unsafe_fixes);
    shade::print(args.color, |out| write!(out, "{page}"))
}

fn print_json(input: &Input, linted: &Linted<'_>) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct JsonLints<'l> {
        v: u8,
        file: &'l str,
        #[serde(flatten)]
        counted: CountedLints<'l>,
    }
    let lints = JsonLints { v: 1, file: &input.name, counted: linted.counted() };
    output::print(&json::line(&lints).map_err(|error| Failure::stdout(&error))?)
}
