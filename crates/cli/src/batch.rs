//! `batch`: starts a run of [`robosieve_batch`] and prints its messages and its summary.

mod args;
mod progress;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use robosieve::report::FindingClass;
use robosieve_ask::Plan;
use robosieve_batch::files::{Apart, is_stream};
use robosieve_batch::{Batch, Error, Filter, Inputs, Output, Start, Summary, json};
use robosieve_printable::harmless_short;
use serde::Serialize;

pub(crate) use self::args::{BatchArgs, InputArgs, RunArgs};
use self::progress::Progress;
use crate::args::ReportForm;
use crate::exit::{self, Code, Failure};
use crate::input;
use crate::report::{tell_known, tell_readers};
use crate::text::{Message, counted};

pub(crate) fn run(args: &BatchArgs) -> Result<Code, Failure> {
    let agents = args.agents.given();
    if agents.is_none() && !args.all_agents {
        return Err(Failure::no_agent_of_all());
    }
    let plan = Plan::new(&args.settings()?)?.for_agents(agents.clone());
    if !args.run.quiet {
        if !plan.all_agents {
            tell_known(&plan.groups);
        }
        tell_readers(&plan, agents);
    }
    let paths = expect_inputs(&args.inputs)?;
    let filter = filter(&plan, args)?.all_urls(args.inputs.all_urls);
    let output = args.output.as_deref().filter(|path| !input::is_stdin(path));
    let to = output.map_or_else(|| Output::stream(io::stdout()), Output::path);
    let batch = Batch::new(filter, inputs(&args.inputs, &paths), to);
    finish(batch, (&args.inputs, &args.run), (&paths, Apart::default()), (output, ROBOTS_TXT))
}

/// What most runs look for.
pub(crate) const ROBOTS_TXT: &str = "a robots.txt";

/// Runs a batch to its end, and prints its summary. `apart` has what only this command reads, `output` is none for the
/// standard output, and `what` is looked for.
pub(crate) fn finish(
    batch: Batch,
    (inputs, args): (&InputArgs, &RunArgs),
    (paths, mut apart): (&[PathBuf], Apart),
    (output, what): (Option<&Path>, &str),
) -> Result<Code, Failure> {
    if paths.iter().chain(&inputs.files_from).any(|path| input::is_stdin(path)) {
        apart.reads_stdin();
    }
    if output.is_none() {
        apart.writes_stdout();
    }
    let mut batch = batch.start(match (args.resume, args.start_over) {
        (true, _) => Start::Resume,
        (_, true) => Start::Over,
        _ => Start::New,
    });
    if let Some(jobs) = args.jobs {
        batch = batch.jobs(jobs);
    }
    let batch = batch.also_uses(apart).check()?;
    let mut progress = Progress::new(paths, !args.quiet);
    // What a stream got cannot be continued.
    if let Some(output) = output.filter(|output| !is_stream(output)) {
        progress.stop_on_interrupt(output);
    }
    let done = batch.run(&mut progress);
    progress.clear();
    if let (Err(Error::Stopped), Some(output)) = (&done, output) {
        exit::interrupted(&progress::how_to_continue(output));
    }
    let summary = done?;
    report(args, &summary, what)?;
    Ok(if summary.has_failures() { Code::Refused } else { Code::Fine })
}

/// The plan as the settings of a run, with the URLs that each file is asked about.
fn filter(plan: &Plan, args: &BatchArgs) -> Result<Filter, Failure> {
    let filter = if plan.all_agents { Filter::all_agents() } else { Filter::for_agents(&plan.groups) };
    let filter = filter.options(plan.options.clone()).fail_on(plan.fail_on.iter().copied());
    if args.urls.is_empty() {
        return Ok(filter);
    }
    if plan.all_agents {
        let message = "--url asks for one crawler, and --all-agents names none: write --agent NAME, or `robosieve census \
                       --agents GPTBot,CCBot` for a table of several";
        return Err(Failure::Usage(message.into()));
    }
    let filter = filter.verdicts(plan.verdicts.clone()).urls(&args.urls);
    filter.map_err(|message| Failure::Usage(format!("--url: {message}")))
}

/// The inputs of the run.
pub(crate) fn inputs(args: &InputArgs, paths: &[PathBuf]) -> Inputs {
    let mut inputs = Inputs::new().form(args.input);
    for path in paths {
        inputs = if input::is_stdin(path) { inputs.stream("-", "stdin.txt", io::stdin()) } else { inputs.path(path) };
    }
    match &args.files_from {
        Some(list) if input::is_stdin(list) => inputs.list_stream("-", io::stdin()),
        Some(list) => inputs.list(list),
        None => inputs,
    }
}

/// Adds to the message what to do.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        const FIX: &str = "no incomplete file has its final name; fix the problem, and continue with --resume";
        let usage = |what: &str| Self::Usage(format!("{error}{what}"));
        let io = |what: &str| Self::Io(format!("{error}; {what}"));
        match &error {
            Error::AnswersNowhere => usage(": write records, as in -o FILE.ndjson"),
            Error::NotResumable => usage(": --resume and --start-over need -o, with a file or a directory"),
            Error::Interrupted(_) => usage(": give --resume to continue it, or --start-over to begin again"),
            Error::NoJournal { .. } | Error::OtherInputs(_) | Error::OnlyOnce | Error::Damaged(..) => {
                usage("; begin again with --start-over")
            }
            Error::OtherSettings(_) => usage("; give the same arguments, or begin again with --start-over"),
            Error::Input(path, error) => Self::file(path, error, input::what_to_do(error)),
            _ if error.is_usage() => usage(""),
            Error::NothingRead(_) => io("check the inputs"),
            Error::Open(path, error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = path.parent().map(crate::text::name_of).unwrap_or_default();
                Self::Io(format!("{folder}: there is no such directory; make it first"))
            }
            Error::Open(..) => io("check that its directory exists and can be written"),
            Error::Directory(..) => io("name a place that can be written"),
            Error::Write(..) | Error::Journal(_) => io(FIX),
            Error::Stream(error) => Self::stdout(error),
            _ => Self::Io(error.to_string()),
        }
    }
}

/// The named inputs. Checks that there is at least one, or a list.
pub(crate) fn expect_inputs(args: &InputArgs) -> Result<Vec<PathBuf>, Failure> {
    let stdins = args.inputs.iter().chain(&args.files_from).filter(|path| input::is_stdin(path)).count();
    if stdins > 1 {
        let message = "`-` is the standard input, which can be read only once: use it as an INPUT or for --files-from";
        return Err(Failure::Usage(message.into()));
    }
    if args.files_from.is_some() {
        return Ok(args.inputs.clone());
    }
    if args.inputs.is_empty() {
        input::refuse_terminal("an INPUT: a directory, a .warc, .warc.gz, .warc.zst or .ndjson file")?;
    }
    input::or_stdin(&args.inputs)
}

/// Writes the summary to the standard error.
fn report(args: &RunArgs, summary: &Summary, what: &str) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'s> {
        v: u8,
        summary: &'s Summary,
    }
    if args.summary == Some(ReportForm::Json) {
        let line = json::line(&Line { v: 1, summary }).map_err(|error| Failure::stdout(&error))?;
        exit::print_json(&line);
    } else if !args.quiet {
        exit::tell_message(&words(summary, what));
    }
    Ok(())
}

/// The bytes of a URL that are shown at most.
const SHOWN: usize = 160;

/// The summary of a run, for people. `what` was looked for.
fn words(summary: &Summary, what: &str) -> Message {
    let mut message = Message::new(&format!(
        "{} in {:.1} s: {} in, {} of text out",
        counted(summary.records, "record", "records"),
        summary.seconds,
        bytes(summary.bytes_in),
        bytes(summary.bytes_out)
    ));
    if summary.records == 0 {
        message.add(&format!("no input has {what}: they are empty, or --input names another form than theirs"));
    }
    let outcomes: Vec<String> =
        summary.outcomes.iter().map(|(outcome, count)| format!("{count} {}", outcome.as_str())).collect();
    message.extend((!outcomes.is_empty()).then(|| format!("outcomes: {}", outcomes.join(", "))));
    let mut list = |name: &str, counts: &BTreeMap<String, u64>| {
        let words: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        message.extend((!words.is_empty()).then(|| format!("{name}: {}", words.join(", "))));
    };
    list("failures", &summary.failures);
    list("skipped", &summary.skipped);
    list("look like something else", &summary.inputs);
    list("incomplete", &summary.truncated);
    list("suspects", &summary.of_class(FindingClass::Suspect));
    list("repairs", &summary.of_class(FindingClass::Repair));
    list("left out", &summary.of_class(FindingClass::Ignored));
    list("losses", &summary.of_class(FindingClass::Loss));
    if summary.inexact > 0 {
        let losses = &summary.losses;
        message.add(&format!(
            "not exact: {} ({} permit more, {} permit less, {} either)",
            counted(summary.inexact, "text", "texts"),
            losses.more_permissive,
            losses.more_restrictive,
            losses.either
        ));
    }
    message.extend(summary.slowest.first().map(|slow| {
        let url = slow.url.as_deref().map(|url| format!(" ({})", harmless_short(url, SHOWN))).unwrap_or_default();
        format!("slowest: {:.1} ms, {}{url}", slow.seconds * 1000.0, slow.name)
    }));
    message
}

/// A number of bytes with a unit.
#[allow(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
fn bytes(count: u64) -> String {
    match count {
        0..=9_999 => format!("{count} bytes"),
        10_000..=9_999_999 => format!("{:.1} kB", count as f64 / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
