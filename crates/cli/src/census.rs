//! `census`: what files say to whom, made by a run of [`robosieve_batch`].
//!
//! Invariant: the lines and rows are those of [`Census`], and the run is that of `batch`.

#[cfg(feature = "parquet")]
mod ask;
#[cfg(feature = "parquet")]
mod tables;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use robosieve_ask::{Plan, SETTINGS, Setting, Settings};
use robosieve_batch::files::Apart;
use robosieve_batch::lines::{Lines, Next, listed};
use robosieve_batch::{Batch, Filter, Output};
use robosieve_census::{AgentList, Census, Form, Rows, Stored};

use crate::batch::{self, InputArgs, RowForm, RunArgs, Words};
use crate::choices::{self, Flags, Reading, Statuses};
use crate::exit::{Code, Failure};
use crate::input;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(crate) struct CensusArgs {
    #[cfg(feature = "parquet")]
    #[command(subcommand)]
    command: Option<ask::CensusCommand>,
    // The first, because those before it take their values away.
    #[command(flatten)]
    words: Words,
    /// Crawlers, separated by commas: names, `*` for those that no group names, known, known:KIND (ai, search, ads,
    /// archive, seo, other), named for those that a file names, or a file of names, also in the JSON of ai.robots.txt
    #[arg(id = "crawlers", long = "agents", value_name = "LIST", default_value = AgentList::DEFAULT)]
    agents: String,
    #[command(flatten)]
    inputs: InputArgs,
    /// File of lines or rows: its name ends in .ndjson, .jsonl or .csv, also with .gz or .zst. Or a folder of tables: its
    /// name has no dot, or ends in a slash [default: `-`, the standard output]
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
    /// What has a line or a row
    #[arg(long, value_name = "WHAT", default_value = "normal")]
    rows: RowsOf,
    /// Write a row for each file and crawler; the same as --rows agents
    #[arg(long, conflicts_with = "rows")]
    expand: bool,
    /// How it is written [default: as the name of OUTPUT says, else ndjson; tables in a folder are parquet]
    #[arg(long, value_name = "FORM")]
    format: Option<CensusForm>,
    /// The crawl that the tables are of [default: the CC-MAIN-YYYY-WW in the names of the inputs, else `none`]
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "NAME", value_parser = tables::crawl_name, hide_short_help = true)]
    crawl: Option<String>,
    /// The number of this part of the crawl, from 0: several runs can write parts of one crawl
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = tables::part(), hide_short_help = true)]
    part: u32,
    /// Compare the records of archives with this list, as their index has them: lines such as a.warc.gz,812
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    expect: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    statuses: Flags<WholeStatuses>,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RowsOf {
    /// Each file, with what it says to whom: the normal form
    Normal,
    /// Each file and crawler
    Agents,
    /// Each file
    Files,
}

/// How a census is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CensusForm {
    /// Tables in a folder
    Parquet,
    /// A JSON object on each line
    Ndjson,
    /// Comma-separated values, with their names first
    Csv,
}

impl CensusForm {
    const fn of_rows(self) -> Option<RowForm> {
        match self {
            Self::Parquet => None,
            Self::Ndjson => Some(RowForm::Ndjson),
            Self::Csv => Some(RowForm::Csv),
        }
    }
}

/// Options that say what one file is, or that leave rules out.
const NOT_HERE: [&str; 12] = [
    "complete",
    "fail_on",
    "fallback",
    "max_directive_length",
    "max_lines",
    "max_name_length",
    "max_records",
    "max_user_agents",
    "max_value_length",
    "max_wildcards",
    "over_limit",
    "status",
];

/// How files are read, apart from [`NOT_HERE`].
#[derive(Clone, Debug)]
pub(crate) struct ReadWhole;

impl choices::Rows for ReadWhole {
    fn has(setting: &Setting) -> bool {
        <Reading as choices::Rows>::has(setting)
    }

    fn is_refused(setting: &Setting) -> bool {
        NOT_HERE.contains(&setting.name)
    }
}

/// What statuses say, apart from [`NOT_HERE`].
#[derive(Clone, Debug)]
pub(crate) struct WholeStatuses;

impl choices::Rows for WholeStatuses {
    fn has(setting: &Setting) -> bool {
        <Statuses as choices::Rows>::has(setting)
    }

    fn is_refused(setting: &Setting) -> bool {
        <ReadWhole as choices::Rows>::is_refused(setting)
    }
}

/// How the files of a census are read.
pub(crate) fn plan(settings: &Settings) -> Result<Plan, Failure> {
    // An option that changed nothing would be taken for one that did, and some of them close more.
    if let Some(setting) =
        SETTINGS.iter().find(|setting| NOT_HERE.contains(&setting.name) && settings.has(setting.name))
    {
        let name = setting.flag.replace('_', "-");
        return Err(Failure::Usage(format!("--{name} is not for a census, which reads each file whole: leave it out")));
    }
    Ok(Plan::new(settings)?)
}

pub(crate) fn run(args: &CensusArgs) -> Result<Code, Failure> {
    #[cfg(feature = "parquet")]
    if let Some(command) = &args.command {
        return ask::run(command);
    }
    expect_archives(args)?;
    if let Some(folder) = args.output.as_deref().filter(|path| is_folder(path)) {
        return tables_in(args, folder);
    }
    #[cfg(feature = "parquet")]
    if args.expect.is_some() {
        return Err(Failure::Usage("--expect is for tables: name a folder with -o, as `-o crawls/`".into()));
    }
    if args.format == Some(CensusForm::Parquet) {
        return Err(Failure::Usage(
            "--format parquet writes tables to a folder: name one with -o, as `-o crawls/`".into(),
        ));
    }
    if rows_of(args) == Rows::Normal && form(args)? == Form::Csv {
        return Err(Failure::Usage(
            "the normal form is no single table: give --expand for a row for each file and crawler, or name a folder \
             with -o"
                .into(),
        ));
    }
    run_to(args, args.output.as_deref(), form(args)?)
}

/// The commands of a census. A word that is near one of them is hardly ever an input.
#[cfg(feature = "parquet")]
pub(crate) fn meant(word: &str) -> Option<String> {
    let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let meant = is_word.then(|| robosieve_explain::Crawler::no_name(word, &["ask", "expand"])).flatten();
    meant.filter(|_| !Path::new(word).exists())
}

#[cfg(not(feature = "parquet"))]
pub(crate) const fn meant(_: &str) -> Option<String> {
    None
}

/// Checks that no input is a command with a slip of the pen, or a census already: nobody wants its lines as files.
fn expect_archives(args: &CensusArgs) -> Result<(), Failure> {
    let word = args.inputs.inputs.first().and_then(|path| path.to_str());
    if let Some(meant) = word.and_then(meant) {
        return Err(Failure::Usage(meant));
    }
    let expect = |path: &Path| match census_at(path) {
        Some(census) => {
            let (path, name) = (crate::text::name_of(path), crate::text::name_of(&census));
            Err(Failure::Usage(format!(
                "{path}: is of a census already: `robosieve census expand {name}` prints its rows, `robosieve census ask \
                 {name}` answers questions, and `robosieve history {name}` says what changed"
            )))
        }
        None => Ok(()),
    };
    args.inputs.inputs.iter().filter(|path| !input::is_stdin(path)).try_for_each(|path| expect(path))?;
    // A list that cannot be read is an error of the run.
    each_listed(args, &mut |path| expect(path)).unwrap_or(Ok(()))
}

/// Reports a run that has not written its tables yet.
pub(crate) fn report_running(stored: &Stored) {
    if let Some(running) = stored.running() {
        crate::exit::tell(&format!(
            "{}: its run has not ended, and nothing that it reads is here yet",
            crate::text::name_of(&running)
        ));
    }
}

/// The census that an input is of, or that a folder has in it. Cost: a look at each folder in it.
fn census_at(path: &Path) -> Option<PathBuf> {
    let within = || {
        let found = std::fs::read_dir(path).ok().into_iter().flatten().flatten();
        let mut folders = found.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.find_map(|entry| Some(entry.path()).filter(|path| Stored::is_one(path)))
    };
    Stored::census_of(path).or_else(within)
}

/// The length of a path in a list. Our choice: twice that of Linux.
const MAX_PATH: usize = 1 << 13;

/// Gives each path of --files-from, if that is a file. What is no name there is an error of the run.
fn each_listed(
    args: &CensusArgs,
    each: &mut dyn FnMut(&Path) -> Result<(), Failure>,
) -> io::Result<Result<(), Failure>> {
    let list = args.inputs.files_from.as_deref();
    let is_read_twice = |list: &&Path| !input::is_stdin(list) && !robosieve_batch::files::is_stream(list);
    let Some(list) = list.filter(is_read_twice) else { return Ok(Ok(())) };
    let end = if args.inputs.null { 0 } else { b'\n' };
    let mut lines = Lines::ended_by(end, File::open(list)?, MAX_PATH).checked();
    while let Next::Line(line) = lines.next_line()? {
        if let Ok(path) = listed(line.trim_ascii(), end)
            && let Err(failure) = each(&path)
        {
            return Ok(Err(failure));
        }
    }
    Ok(Ok(()))
}

/// Whether this is a folder of tables: no dot in its name, a slash at its end, or there already.
fn is_folder(path: &Path) -> bool {
    let is_named = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator) || path.extension().is_none();
    !input::is_stdin(path) && (path.is_dir() || is_named && !robosieve_batch::files::is_stream(path))
}

#[cfg(feature = "parquet")]
fn tables_in(args: &CensusArgs, folder: &Path) -> Result<Code, Failure> {
    tables::run(args, folder)
}

#[cfg(not(feature = "parquet"))]
fn tables_in(_: &CensusArgs, folder: &Path) -> Result<Code, Failure> {
    let name = crate::text::name_of(folder);
    let how = "call a table .ndjson or .csv; a folder of tables needs this program with `--features parquet`";
    Err(Failure::Usage(format!("{name}: {how}")))
}

const fn rows_of(args: &CensusArgs) -> Rows {
    match args.rows {
        _ if args.expand => Rows::Agents,
        RowsOf::Normal => Rows::Normal,
        RowsOf::Agents => Rows::Agents,
        RowsOf::Files => Rows::Files,
    }
}

/// A run that writes lines or rows.
fn run_to(args: &CensusArgs, output: Option<&Path>, form: Form) -> Result<Code, Failure> {
    let plan = plan(&args.choices.0.clone().over(&args.statuses.0))?;
    let agents = AgentList::with_names(&args.agents, plan.names())
        .map_err(|error| Failure::Usage(format!("--agents: {error}")))?;
    let census = Census::new(agents).options(plan.options.clone()).form(form).rows(rows_of(args));
    let paths = batch::expect_inputs(&args.inputs)?;
    let filter = Filter::all_agents()
        .options(plan.options)
        .statuses(plan.statuses)
        .all_urls(args.inputs.all_urls)
        .table(Arc::new(census));
    let to = match output {
        Some(path) if !input::is_stdin(path) => Output::table(path),
        _ => Output::stream(io::stdout()),
    };
    let run = Batch::new(filter, batch::inputs(&args.inputs, &paths), to).arguments(args.words.0.clone());
    let mut apart = Apart::default();
    AgentList::files(&args.agents).for_each(|path| apart.reads(path));
    batch::finish(run, (&args.inputs, &args.run), (&paths, apart), (output, batch::ROBOTS_TXT))
}

/// The form of the rows.
fn form(args: &CensusArgs) -> Result<Form, Failure> {
    let given = args.format.and_then(CensusForm::of_rows);
    Ok(RowForm::agreed(given, args.output.as_deref())?.into())
}

impl From<RowForm> for Form {
    fn from(form: RowForm) -> Self {
        match form {
            RowForm::Csv => Self::Csv,
            RowForm::Ndjson => Self::Ndjson,
        }
    }
}
