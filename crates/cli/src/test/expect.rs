//! `test --expect`: compares a file with what it is meant to answer.
//!
//! Invariant: a file of expectations that cannot be read, or has none, is a failure and never a success.

use std::fmt::Write as _;
use std::path::Path;

use robosieve_ask::Plan;
use robosieve_explain::target;
use robosieve_explain::{Checked, Expectation, check, expectations};

use crate::args::{TestArgs, TestForm};
use crate::exit::{Code, Failure};
use crate::report::tell_all;
use crate::text::{self, counted_len, escape, harmless};
use crate::{asked, input, marks, output};

/// The kind of what is shown, for machines.
const RULE: &str = "expectation";

/// The largest file of expectations: 8 MiB (our choice).
const MAX_BYTES: usize = 8 << 20;

pub(super) fn run(args: &TestArgs, plan: &Plan, path: &Path) -> Result<Code, Failure> {
    let Some(file) = &args.file else {
        let form = "robosieve test robots.txt --expect expectations.txt";
        return Err(Failure::Usage(format!("name the robots.txt file: `{form}`")));
    };
    input::once([file.as_path(), path].map(input::is_stdin))?;
    let expectations = read(path)?;
    let (input, found) = asked::read(file, plan, args.quiet)?;
    input.expect(&found, &plan.fail_on)?;
    let checked = check(&input.bytes, &input.plan(plan).verdicts, |agent| plan.groups_of([agent]), &expectations);
    let code = if checked.iter().all(|it| it.met) { Code::Fine } else { Code::Disallowed }.known();
    if !args.quiet {
        let documented = checked.iter().filter(|one| one.answer.who.documented().is_some());
        tell_all(&input.name, documented.map(|one| escape(one.expectation.agent.as_bytes())));
        let names = Names { robots: &input.name, expectations: &text::name_of(path) };
        output::print(&match args.format {
            _ if args.json => names.json(&checked)?,
            TestForm::Text => names.text(&checked).into_bytes(),
            TestForm::Github => names.github(&checked).into_bytes(),
        })?;
    }
    Ok(code)
}

/// Reads a file of expectations.
fn read(path: &Path) -> Result<Vec<Expectation>, Failure> {
    let file = input::read_whole(path, MAX_BYTES)?;
    let name = &file.name;
    let wrong = |message: String| Failure::Io(format!("{name}: {}", harmless(&message)));
    if file.bytes.len() > MAX_BYTES {
        return Err(wrong(format!("more than {MAX_BYTES} bytes of expectations: use several files")));
    }
    let text = str::from_utf8(&file.bytes).map_err(|_| wrong("not UTF-8: save it as UTF-8".into()))?;
    let read = expectations(text).map_err(wrong)?;
    if read.is_empty() {
        return Err(wrong("it has no expectation: write a line as `Googlebot allow /shop/`".into()));
    }
    for one in &read {
        if let Err(message) = target::check(one.url.as_bytes()) {
            return Err(wrong(format!("line {}: `{}` cannot be tested as a URL: {message}", one.line, one.url)));
        }
    }
    Ok(read)
}

/// The names of the two files.
struct Names<'n> {
    robots: &'n str,
    expectations: &'n str,
}

impl Names<'_> {
    fn text(&self, checked: &[Checked]) -> String {
        let mut out = String::new();
        for one in checked.iter().filter(|one| !one.met) {
            let _ = writeln!(out, "{}:{}: {}", self.expectations, one.expectation.line, title(one));
            let _ = writeln!(out, "- expected {}", one.expectation.word());
            let _ = writeln!(out, "+ {}: {}", one.answer.word(), one.answer.words());
        }
        let failed = checked.iter().filter(|one| !one.met).count();
        let counted = |count| counted_len(count, "expectation", "expectations");
        let _ = match failed {
            0 => writeln!(out, "{}: {} met", self.robots, counted(checked.len())),
            _ => writeln!(out, "{}: {} of {} not met", self.robots, counted(failed), checked.len()),
        };
        out
    }

    /// A mark for each that is not met, at its line of the expectations.
    fn github(&self, checked: &[Checked]) -> String {
        let unmet = checked.iter().filter(|one| !one.met);
        let mark = |one: &Checked| {
            let place = format!(",line={}", one.expectation.line);
            marks::github("error", self.expectations, &place, RULE, &self.message(one))
        };
        unmet.map(mark).collect()
    }

    /// What was expected, and what the file answers.
    fn message(&self, one: &Checked) -> String {
        let Expectation { agent, url, .. } = &one.expectation;
        let (agent, url, found) = (escape(agent.as_bytes()), escape(url.as_bytes()), one.answer.word());
        let (robots, expected) = (self.robots, one.expectation.word());
        format!("{url} is {found} for {agent}, not {expected}, in {robots}: {}", one.answer.words())
    }

    fn json(&self, checked: &[Checked]) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        for checked in checked {
            output::write_json_of_file(&mut out, self.robots, checked).map_err(|error| Failure::stdout(&error))?;
        }
        Ok(out)
    }
}

/// `Googlebot allow /shop/`, printable.
fn title(one: &Checked) -> String {
    let Expectation { agent, url, .. } = &one.expectation;
    format!("{} {} {}", escape(agent.as_bytes()), one.expectation.word(), escape(url.as_bytes()))
}
