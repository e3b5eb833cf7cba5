//! `batch`: inputs of any number and size -> records and texts, at the machine's speed.
//!
//! Invariant: the output depends on the inputs and the command line only, not on the number of threads, nor on how often the
//! run was interrupted. Data goes one way: [`source`] (with [`stream`] and [`warc`]) -> [`pool`] -> [`work`] (with [`http`])
//! -> [`sink`] (with [`part`], [`mirror`] and [`journal`]).

mod http;
mod journal;
mod mirror;
mod part;
mod pool;
mod progress;
mod record;
mod sink;
pub(crate) mod source;
mod stream;
mod summary;
mod warc;
mod window;
mod work;

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

use self::journal::{Journal, Paths, Start};
use self::mirror::Mirror;
use self::part::{Packing, Part};
use self::progress::Progress;
use self::sink::{Lines, Parts, Sink};
use self::source::Inputs;
use self::summary::Summary;
use self::work::{Texts, Work};
use crate::args::{BatchArgs, SummaryForm};
use crate::exit::{self, Code, Failure};
use crate::plan::Plan;
use crate::{input, json, output, text};

/// Octets of a file that are read, however high --max-bytes is, and also where a dialect has no limit: memory is bounded here.
const MAX_BYTES: usize = 16 << 20;

pub(crate) fn run(args: &BatchArgs) -> Result<Code, Failure> {
    let agents = (!args.agents.is_empty()).then(|| args.agents.agents());
    if agents.is_none() && !args.all_agents {
        return Err(Failure::Usage(
            "say for whom: `--agent MyBot` keeps what the files say to your crawler, `--all-agents` keeps it all"
                .into(),
        ));
    }
    let mut plan =
        Plan::new(&args.choices(), agents.unwrap_or_default()).map_err(|error| Failure::Usage(error.to_string()))?;
    plan.options.limits.max_bytes = plan.max_bytes().min(MAX_BYTES);
    let inputs = expect_inputs(args)?;
    let places = Places::new(args, &inputs)?;
    let start = match (args.resume, args.start_over) {
        (true, _) => Start::Resume,
        (_, true) => Start::Over,
        _ => Start::New,
    };
    let journal = match &places.paths {
        Some(paths) => Journal::open(paths, settings(args, &plan, &inputs), start)?,
        None if start == Start::New => Journal::default(),
        None => {
            let message =
                "what goes to a pipe can't be continued: --resume and --start-over need -o, with a file or a directory";
            return Err(Failure::Usage(message.into()));
        }
    };
    if let Some(paths) = places.paths.as_ref().filter(|_| journal.is_done) {
        sink::give_names(paths, places.records.as_deref())?;
        return conclude(args, &journal.summary);
    }
    if args.resume && journal.records == 0 {
        exit::tell("no interrupted run has come far enough to be continued: beginning at the beginning");
    }
    let read = Arc::new(AtomicU64::new(0));
    let reading = Inputs {
        paths: inputs.clone(),
        list: args.files_from.clone().map(|list| (list, args.null)),
        form: args.input,
        max_bytes: plan.max_bytes(),
        start: journal.place,
        own: places.own(),
        read: Arc::clone(&read),
    };
    let work = Work::new(plan, places.texts, args.all_urls);
    let is_fresh = journal.records == 0;
    let sink = places.open(journal, args).inspect_err(|_| {
        // A run that has not begun is none to be continued.
        places.paths.iter().filter(|_| is_fresh).for_each(Paths::remove);
    })?;
    let progress = Progress::new(&inputs, !args.quiet);
    let done = drive(args, reading, work, sink, &progress, &read);
    progress.clear();
    conclude(args, &done?.summary)
}

fn conclude(args: &BatchArgs, summary: &Summary) -> Result<Code, Failure> {
    report(args, summary)?;
    Ok(if summary.has_failures() { Code::Refused } else { Code::Fine })
}

/// Reads, works and writes, to the end.
fn drive(
    args: &BatchArgs,
    inputs: Inputs,
    work: Work,
    mut sink: Sink,
    progress: &Progress,
    read: &AtomicU64,
) -> Result<Journal, Failure> {
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    let mut ordered = pool::start(jobs, move |feed| inputs.read(feed), move |item| work.on(item));
    // Files of their own are not counted as they are read.
    let mut octets = 0_u64;
    while let Some(items) = ordered.next(|| sink.idle())? {
        for item in items {
            if item.place.record == 0 {
                octets = octets.saturating_add(item.input.octets.unwrap_or(0));
            }
            sink.take(item, |message| progress.tell(message))?;
        }
        progress.set(octets.saturating_add(read.load(Ordering::Relaxed)), sink.journal.records);
    }
    if !ordered.is_complete() {
        return Err(Failure::Io("a thread of this program failed: please report that, with the inputs".into()));
    }
    sink.finish()
}

/// The inputs that are named: at least one, or a list.
fn expect_inputs(args: &BatchArgs) -> Result<Vec<PathBuf>, Failure> {
    let stdins = args.inputs.iter().chain(&args.files_from).filter(|path| input::is_stdin(path)).count();
    if stdins > 1 {
        let message =
            "`-` stands for the standard input, which can be read once: as an INPUT or as the list of --files-from";
        return Err(Failure::Usage(message.into()));
    }
    let inputs = match &args.files_from {
        Some(list) if !input::is_stdin(list) && fs::metadata(list).is_err() => {
            return Err(Failure::Usage(format!("{}: there is no such list of files", text::name_of(list))));
        }
        Some(_) => args.inputs.clone(),
        None => {
            let what = "an INPUT: a directory, a .warc, .warc.gz, .warc.zst or .ndjson file";
            if args.inputs.is_empty() {
                input::refuse_terminal(what)?;
            }
            input::or_stdin(&args.inputs)?
        }
    };
    if inputs.iter().any(|path| input::is_stdin(path)) && args.inputs.is_empty() {
        input::refuse_terminal("an INPUT")?;
    }
    Ok(inputs)
}

/// All of the command line that the output depends on, a line each.
fn settings(args: &BatchArgs, plan: &Plan, inputs: &[PathBuf]) -> Vec<String> {
    let mut settings = vec![
        format!("robosieve {}", env!("CARGO_PKG_VERSION")),
        format!("reading {plan:?}"),
        format!("input {:?}, all URLs {}, files from {:?}", args.input, args.all_urls, args.files_from),
        format!("output {:?}, records {:?}, dedup {}", args.output, args.records, args.dedup),
    ];
    settings.extend(inputs.iter().map(|path| format!("INPUT {}", text::name_of(path))));
    settings
}

/// Where all is written.
struct Places {
    /// The directory of texts.
    directory: Option<PathBuf>,
    /// The file of records; none for the standard output, if there is no directory.
    records: Option<PathBuf>,
    packing: Packing,
    texts: Texts,
    /// None where nothing can be continued.
    paths: Option<Paths>,
}

impl Places {
    fn new(args: &BatchArgs, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let output = args.output.as_deref().filter(|path| !input::is_stdin(path));
        let as_records = output.is_none_or(|path| Packing::of_name(path).is_some() || is_stream(path));
        let (directory, records) = match (output, &args.records) {
            (Some(output), records) if !as_records => (Some(output.to_owned()), records.clone()),
            (_, Some(_)) => {
                let message =
                    "--records is for a directory of texts: -o is a file of records already, or the standard output";
                return Err(Failure::Usage(message.into()));
            }
            (output, None) => (None, output.map(Path::to_owned)),
        };
        expect_packing(records.as_deref(), args.records.is_some())?;
        if let Some(file) = directory.as_deref().filter(|path| path.is_file()) {
            return Err(Failure::Usage(format!(
                "{}: is a file: name a directory for the texts, or a file of records, which is called .ndjson",
                text::name_of(file)
            )));
        }
        let texts = match &directory {
            None => Texts::Records,
            Some(_) if args.dedup => Texts::Store,
            Some(_) => Texts::Files,
        };
        let packing = records.as_deref().and_then(Packing::of_name).unwrap_or(Packing::None);
        let paths = match directory.as_ref().or(records.as_ref()) {
            Some(path) if !is_stream(path) => {
                let unnamed =
                    || Failure::Usage(format!("{}: name a file or a directory below it", text::name_of(path)));
                Some(Paths::new(path, records.as_deref()).ok_or_else(unnamed)?)
            }
            _ => None,
        };
        let places = Self { directory, records, packing, texts, paths };
        places.expect_apart(inputs)?;
        places.expect_summary_apart(args.summary_to.as_deref(), inputs)?;
        Ok(places)
    }

    /// The summary comes last, and would replace what it is written over.
    fn expect_summary_apart(&self, summary: Option<&Path>, inputs: &[PathBuf]) -> Result<(), Failure> {
        let Some(summary) = summary.filter(|path| !is_stream(path)) else { return Ok(()) };
        let Some(place) = output::place(summary) else { return Ok(()) };
        let mut taken = self.own().into_iter().chain(inputs.iter().filter_map(|input| input.canonicalize().ok()));
        if taken.any(|other| other == place) {
            return Err(Failure::Usage(format!(
                "{}: is read or written by this run already: choose another file for --summary-to",
                text::name_of(summary)
            )));
        }
        Ok(())
    }

    /// What is written must not be read, nor one of them be the other.
    fn expect_apart(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        for output in self.directory.iter().chain(&self.records) {
            let Some(place) = output::place(output).or_else(|| output.canonicalize().ok()) else { continue };
            for input in inputs.iter().filter(|input| !input::is_stdin(input)) {
                let Ok(read) = input.canonicalize() else { continue };
                if place.starts_with(&read) {
                    let (output, input) = (text::name_of(output), text::name_of(input));
                    return Err(Failure::Usage(format!(
                        "{output} is in the INPUT {input}, or is it: it would be read while it is written; choose a place outside"
                    )));
                }
            }
        }
        if self.texts == Texts::Files {
            return expect_names(inputs);
        }
        Ok(())
    }

    /// The files that no input may be.
    fn own(&self) -> Vec<PathBuf> {
        let part = self.paths.iter().filter_map(|paths| paths.part.as_ref());
        part.chain(&self.records).filter_map(|path| output::place(path)).collect()
    }

    fn open(&self, journal: Journal, args: &BatchArgs) -> Result<Sink, Failure> {
        let lines = self.lines(&journal)?;
        let failed = |path: &Path, error: &io::Error| Failure::file(path, error, "name a place that can be written");
        let mirror = match &self.directory {
            Some(directory) => Some(Mirror::new(directory).map_err(|error| failed(directory, &error))?),
            None => None,
        };
        let parts = Parts {
            journal,
            paths: self.paths.clone(),
            lines,
            mirror,
            is_store: self.texts == Texts::Store,
            is_dedup: args.dedup && self.texts == Texts::Records,
            checkpoint: Duration::from_secs(args.checkpoint),
        };
        Sink::new(parts).map_err(|error| {
            let path = self.paths.as_ref().map(|paths| paths.hashes.clone()).unwrap_or_default();
            Failure::file(&path, &error, "it goes with the journal: begin again with --start-over")
        })
    }

    fn lines(&self, journal: &Journal) -> Result<Lines, Failure> {
        let stream = |stream: Box<dyn Write>| Lines::Stream(BufWriter::with_capacity(1 << 16, stream));
        let Some(records) = &self.records else {
            return Ok(if self.directory.is_some() { Lines::None } else { stream(Box::new(io::stdout())) });
        };
        let failed =
            |error: io::Error| Failure::file(records, &error, "check that its directory exists and can be written");
        if is_stream(records) {
            return Ok(stream(Box::new(OpenOptions::new().write(true).open(records).map_err(failed)?)));
        }
        let part = self.paths.as_ref().and_then(|paths| paths.part.clone()).unwrap_or_default();
        let opened = Part::open(&part, self.packing, journal.octets).map_err(failed)?;
        Ok(Lines::Part(Box::new(opened), records.clone()))
    }
}

/// Whether the path is a device or a pipe, which is written to and never replaced.
fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn expect_packing(records: Option<&Path>, is_flag: bool) -> Result<(), Failure> {
    match records {
        Some(path) if is_flag && Packing::of_name(path).is_none() => Err(Failure::Usage(format!(
            "{}: records are NDJSON: call the file .ndjson, .ndjson.gz or .ndjson.zst",
            text::name_of(path)
        ))),
        Some(path) if fs::metadata(path).is_ok_and(|found| found.is_dir()) => {
            Err(Failure::Usage(format!("{}: is a directory; name a file in it", text::name_of(path))))
        }
        _ => Ok(()),
    }
}

/// That inputs side by side have names that differ, as each is a name in the directory of texts.
fn expect_names(inputs: &[PathBuf]) -> Result<(), Failure> {
    let mut names = std::collections::BTreeMap::new();
    for input in inputs.iter().filter(|_| inputs.len() > 1) {
        let Some(name) = input.file_name() else { continue };
        let Some(other) = names.insert(name, input) else { continue };
        let (other, input) = (text::name_of(other), text::name_of(input));
        return Err(Failure::Usage(format!(
            "{other} and {input} would become the same in the output: give each its own run"
        )));
    }
    Ok(())
}

/// Writes the summary where it is wanted.
fn report(args: &BatchArgs, summary: &Summary) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Line<'s> {
        v: u8,
        summary: &'s Summary,
    }
    let form = args.summary.unwrap_or(SummaryForm::Text);
    let json = || -> Result<String, Failure> {
        let line = json::line(&Line { v: 1, summary }).map_err(|error| Failure::stdout(&error))?;
        Ok(String::from_utf8(line).unwrap_or_default().trim_end().to_owned())
    };
    match (&args.summary_to, form) {
        (Some(path), SummaryForm::Json) => return output::replace(path, format!("{}\n", json()?).as_bytes()),
        (Some(path), SummaryForm::Text) => return output::replace(path, format!("{}\n", summary.words()).as_bytes()),
        (None, SummaryForm::Json) => exit::print_json(&json()?),
        (None, SummaryForm::Text) if args.quiet => {}
        (None, SummaryForm::Text) => exit::tell_message(&summary.words()),
    }
    Ok(())
}
