//! `test --expect`: compares a file with what it is meant to answer.
//!
//! Invariant: a file of expectations that cannot be read, or has none, is a failure and never a success.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use robosieve_ask::Plan;
use robosieve_explain::target;
use robosieve_explain::{Checked, Expectation, check, expectations};
use serde::Deserialize;
use serde_json::json;

use super::strangers::Strangers;
use crate::args::{TestArgs, TestForm};
use crate::exit::{Code, Failure};
use crate::marks::{self, Sarif};
use crate::report::tell_all;
use crate::text::{self, counted_len, escape, harmless};
use crate::{asked, input, output};

/// The kind of what is shown, for machines.
const RULE: &str = "expectation";

/// The largest file of expectations: 8 MiB (our choice).
const MAX_BYTES: usize = 8 << 20;

pub(super) fn run(args: &TestArgs, plan: &Plan, path: &Path) -> Result<Code, Failure> {
    let Some(file) = &args.file else {
        let form = "robosieve test robots.txt --expect expectations.txt";
        return Err(Failure::Usage(format!("name the robots.txt file: `{form}`")));
    };
    if args.format == TestForm::Csv {
        return Err(Failure::Usage("--format csv is for answers and tables: use json with --expect".into()));
    }
    input::once([file.as_path(), path].map(input::is_stdin))?;
    let expectations = read(path)?;
    let (input, found) = asked::read(file, plan, args.quiet)?;
    input.expect(&found, &plan.fail_on)?;
    let checked = check(&input.bytes, &input.plan(plan).verdicts, |agent| plan.groups_of(agent), &expectations);
    let code = if checked.iter().all(|it| it.met) { Code::Fine } else { Code::Disallowed }.known();
    if !args.quiet {
        let documented = checked.iter().filter(|one| one.answer.who.documented().is_some());
        tell_all(&input.name, documented.map(|one| escape(one.expectation.agent.as_bytes())));
        let mut strangers = Strangers::new(plan);
        for one in &checked {
            strangers.add(one.expectation.url.as_bytes());
        }
        strangers.tell();
        let names = Names { robots: &input.name, expectations: &text::name_of(path) };
        output::print(&match args.format {
            TestForm::Text => names.text(&checked).into_bytes(),
            TestForm::Tap => names.tap(&checked).into_bytes(),
            TestForm::Junit => names.junit(&checked)?.into_bytes(),
            TestForm::Json | TestForm::Csv => names.json(&checked)?,
            TestForm::Github => names.github(&checked).into_bytes(),
            TestForm::Sarif => names.sarif(&checked).map_err(|error| Failure::stdout(&error))?,
        })?;
    }
    Ok(code)
}

/// Reads a file of expectations: lines, or by its name TOML or JSON.
fn read(path: &Path) -> Result<Vec<Expectation>, Failure> {
    /// `[[expect]]` tables.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Tables {
        expect: Vec<Expectation>,
    }
    let file = input::read_whole(path, MAX_BYTES)?;
    let name = &file.name;
    let wrong = |message: String| Failure::Io(format!("{name}: {}", harmless(&message)));
    if file.bytes.len() > MAX_BYTES {
        return Err(wrong(format!("more than {MAX_BYTES} bytes of expectations: use several files")));
    }
    let text = str::from_utf8(&file.bytes).map_err(|_| wrong("not UTF-8: save it as UTF-8".into()))?;
    let extension = path.extension().map(OsStr::to_ascii_lowercase);
    let read = match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::from_str(text).map(|tables: Tables| tables.expect).map_err(|error| error.to_string()),
        Some("json") => serde_json::from_str(text).map_err(|error| error.to_string()),
        _ => expectations(text).map_err(|error| error.to_string()),
    };
    let read = read.map_err(|message| wrong(message.trim_end().replace('\n', "; ")))?;
    if read.is_empty() {
        return Err(wrong("it has no expectation: write a line as `Googlebot allow /shop/`".into()));
    }
    for (place, one) in (1_usize..).zip(&read) {
        if let Err(message) = target::check(one.url.as_bytes()) {
            let place = if one.line > 0 { format!("line {}", one.line) } else { format!("expectation {place}") };
            return Err(wrong(format!("{place}: `{}` cannot be tested as a URL: {message}", one.url)));
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
    /// Where an expectation stands.
    fn place(&self, one: &Checked) -> String {
        match one.expectation.line {
            0 => self.expectations.to_owned(),
            line => format!("{}:{line}", self.expectations),
        }
    }

    fn text(&self, checked: &[Checked]) -> String {
        let mut out = String::new();
        for one in checked.iter().filter(|one| !one.met) {
            let Expectation { expect, .. } = one.expectation;
            let _ = writeln!(out, "{}: {}", self.place(one), title(one));
            let _ = writeln!(out, "- expected {}", expect.word());
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

    fn tap(&self, checked: &[Checked]) -> String {
        let mut out = format!("TAP version 14\n1..{}\n", checked.len());
        for (number, one) in (1_usize..).zip(checked) {
            let word = if one.met { "ok" } else { "not ok" };
            let title = title(one).replace('\\', "\\\\").replace('#', "\\#");
            let _ = writeln!(out, "{word} {number} - {title}");
            if !one.met {
                let quoted = |text: &str| format!("{text:?}");
                let _ = writeln!(out, "  ---\n  at: {}", quoted(&self.place(one)));
                let _ = writeln!(out, "  expected: {}", one.expectation.expect.word());
                let _ = writeln!(out, "  found: {}", one.answer.word());
                let _ = writeln!(out, "  why: {}\n  ...", quoted(&one.answer.words()));
            }
        }
        out
    }

    fn junit(&self, checked: &[Checked]) -> Result<String, Failure> {
        let mut suite = TestSuite::new(self.robots);
        for one in checked {
            let status = if one.met {
                TestCaseStatus::success()
            } else {
                let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
                failed.set_message(format!("expected {}", one.expectation.expect.word()));
                failed.set_description(format!("{}: {}", one.answer.word(), one.answer.words()));
                failed
            };
            let mut case = TestCase::new(title(one), status);
            case.set_classname(self.place(one));
            suite.add_test_case(case);
        }
        let mut report = Report::new("robosieve test");
        report.add_test_suite(suite);
        report.to_string().map_err(|error| Failure::Io(format!("cannot write JUnit XML: {error}")))
    }

    /// A mark for each that is not met, at its line of the expectations.
    fn github(&self, checked: &[Checked]) -> String {
        let unmet = checked.iter().filter(|one| !one.met);
        let mark = |one: &Checked| {
            let place =
                if one.expectation.line > 0 { format!(",line={}", one.expectation.line) } else { String::new() };
            marks::github("error", self.expectations, &place, RULE, &self.message(one))
        };
        unmet.map(mark).collect()
    }

    fn sarif(&self, checked: &[Checked]) -> io::Result<Vec<u8>> {
        let (mut out, mut log) = (Vec::new(), Sarif::default());
        Sarif::begin(&mut out)?;
        for one in checked.iter().filter(|one| !one.met) {
            let region = json!({"startLine": one.expectation.line.max(1)});
            let result = marks::result("error", &self.message(one), self.expectations, &region);
            log.add(&mut out, RULE, "An answer is not as expected", result)?;
        }
        log.end(&mut out)?;
        Ok(out)
    }

    /// What was expected, and what the file answers.
    fn message(&self, one: &Checked) -> String {
        let Expectation { agent, expect, url, .. } = &one.expectation;
        let (agent, url, found) = (escape(agent.as_bytes()), escape(url.as_bytes()), one.answer.word());
        format!("{url} is {found} for {agent}, not {}, in {}: {}", expect.word(), self.robots, one.answer.words())
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
    let Expectation { agent, expect, url, .. } = &one.expectation;
    format!("{} {} {}", escape(agent.as_bytes()), expect.word(), escape(url.as_bytes()))
}
