//! `filter`: turns files into canonical text and reports the losses.
//!
//! Invariant: for a file that fails or is refused, nothing is written to the standard output or to a file. The others
//! are written anyway, and the exit code reports the failure.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use robosieve::report::Report;
use robosieve_ask::{Filtered, Plan};
use robosieve_batch::files::Apart;

use crate::args::{FilterArgs, ReportForm};
use crate::exit::{self, Code, Failure};
use crate::input::{self, Folders};
use crate::ndjson::{self, Defaults};
use crate::report::{self, Who, tell_documented, tell_readers};
use crate::{output, text};

pub(crate) fn run(args: &FilterArgs) -> Result<Code, Failure> {
    let agents = args.agents.given();
    let settings = args.settings()?;
    // Usage errors come before any reading.
    let plan = Plan::new(&settings)?.for_agents(agents.clone());
    if args.ndjson {
        return serve(&Defaults { settings, agents });
    }
    if agents.is_none() && !args.all_agents {
        return Err(Failure::no_agent_of_all());
    }
    let targets = targets(args)?;
    input::expect_there(targets.iter().map(|(file, _)| file), Folders::Refused)?;
    expect_places(&targets, args.report_to.as_deref())?;
    if let Some(directory) = &args.output_dir {
        fs::create_dir_all(directory)
            .map_err(|error| Failure::file(directory, &error, "name a directory that can be written"))?;
    }
    if !args.quiet {
        tell_readers(&plan, agents);
    }
    let mut job = Job { args, plan, reports: Vec::new(), has_read: false };
    let each = |code: Code, (file, target): &Target| code.after(job.filter(file, target.as_deref()));
    let code = targets.iter().try_fold(Code::Fine, each)?;
    // Without a file that could be read, an older report stays.
    if let Some(path) = args.report_to.as_ref().filter(|_| job.has_read) {
        output::replace(path, &job.reports)?;
    }
    Ok(code)
}

/// A file to read, and the file to write. `None` is the standard output.
type Target = (PathBuf, Option<PathBuf>);

/// Checks that each text and the report go to different files, even by different paths. Otherwise one replaces another.
fn expect_places(targets: &[Target], report_to: Option<&Path>) -> Result<(), Failure> {
    if report_to.is_some_and(input::is_stdin) {
        let message = "--report-to names a file: leave it out, and --report FORM writes to the standard error";
        return Err(Failure::Usage(message.into()));
    }
    if report_to.is_none() && targets.iter().all(|(_, target)| target.is_none()) {
        return Ok(());
    }
    let mut apart = Apart::default();
    for (file, target) in targets {
        input::reads(&mut apart, file);
        if let Some(path) = target {
            apart.writes(path);
        }
    }
    if let Some(path) = report_to {
        apart.writes(path);
    }
    apart.check().map_err(|clash| Failure::Usage(clash.to_string()))
}

/// The files to read, each with its target.
fn targets(args: &FilterArgs) -> Result<Vec<Target>, Failure> {
    let files = input::or_stdin(&args.files)?;
    if let Some(directory) = &args.output_dir {
        return targets_in(directory, files);
    }
    if files.len() > 1 {
        if let Some(word) = files.iter().find(|file| !input::is_stdin(file) && !file.exists()) {
            let word = crate::text::name_of(word);
            return Err(Failure::Usage(format!(
                "{word}: no such file; a name with blanks needs quotes: --agent 'My Bot'"
            )));
        }
        let flag = if args.output.is_some() {
            "--output is for the text of one FILE"
        } else {
            "each text needs a file of its own"
        };
        return Err(Failure::Usage(format!("{flag}: write several texts to a directory with --output-dir DIR")));
    }
    Ok(files.into_iter().map(|file| (file, args.output.clone().filter(|path| !input::is_stdin(path)))).collect())
}

fn targets_in(directory: &Path, files: Vec<PathBuf>) -> Result<Vec<Target>, Failure> {
    let mut names = BTreeMap::new();
    let mut targets = Vec::new();
    for file in files {
        let Some(name) = file.file_name().filter(|_| !input::is_stdin(&file)).map(ToOwned::to_owned) else {
            let name = text::name_of(&file);
            return Err(Failure::Usage(format!("--output-dir needs file names, and {name} has none: use --output")));
        };
        if let Some(other) = names.insert(name.clone(), file.clone()) {
            let (other, file) = (text::name_of(&other), text::name_of(&file));
            return Err(Failure::Usage(format!(
                "{other} and {file} have the same file name in --output-dir: filter them separately"
            )));
        }
        targets.push((file, Some(directory.join(name))));
    }
    Ok(targets)
}

struct Job<'j> {
    args: &'j FilterArgs,
    plan: Plan,
    /// The content for --report-to.
    reports: Vec<u8>,
    /// Whether any file could be read.
    has_read: bool,
}

impl Job<'_> {
    fn filter(&mut self, file: &Path, target: Option<&Path>) -> Result<Code, Failure> {
        let input = input::read(file, self.plan.options.limits.max_bytes)?;
        self.has_read = true;
        if !self.args.quiet {
            input.warn_if_empty();
        }
        let plan = input.plan(&self.plan);
        let sieved = plan.sieve().filter(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
        let (report, answered_by) = (sieved.report().clone(), sieved.answered_by());
        let refusal = input.expect(&report, &self.plan.fail_on);
        if refusal.is_ok() {
            let text = plan.text(sieved);
            let bytes = text.as_bytes();
            match (&self.args.output_dir, target) {
                (Some(directory), Some(path)) => {
                    output::replace_in(directory, path.file_name().unwrap_or_default(), bytes)?;
                }
                (None, Some(path)) => output::replace(path, bytes)?,
                (_, None) => output::print(bytes)?,
            }
        }
        let who = self.plan.who(answered_by);
        self.report(&input.name, &who, &report);
        refusal.map(|()| Code::Fine)
    }

    fn report(&mut self, file: &str, who: &Who, report: &Report) {
        if !self.args.quiet {
            tell_documented(file, who);
        }
        match (&self.args.report_to, self.args.report) {
            (Some(_), Some(ReportForm::Json)) => self.reports.extend(report::json(file, who, report)),
            (Some(_), _) => self.reports.extend(format!("{}\n", report::full(file, who, report)).into_bytes()),
            (None, Some(ReportForm::Json)) => return exit::print_json(&report::json(file, who, report)),
            (None, Some(ReportForm::Text)) => return exit::tell_message(&report::full(file, who, report)),
            (None, None) => {}
        }
        if !self.args.quiet {
            exit::tell_message(&report::summary(file, who, report));
        }
    }
}

/// Answers requests for the text of a file.
fn serve(defaults: &Defaults) -> Result<Code, Failure> {
    let others = (&["status", "forbidden"][..], "status and forbidden are for `robosieve test`");
    ndjson::serve(|request| {
        let (plan, bytes) = defaults.read(request, others)?;
        let filtered = Filtered::new(&plan, &bytes)?;
        report::expect(&filtered.report, &plan.fail_on)?;
        Ok(filtered)
    })
}
