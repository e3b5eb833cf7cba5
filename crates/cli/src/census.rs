//! `census`: a table of files and crawlers, made by a run of [`robosieve_batch`].
//!
//! Invariant: the rows are those of [`Census`], and the run is that of `batch`.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use robosieve_ask::{Plan, SETTINGS, Setting, Settings};
use robosieve_batch::files::Apart;
use robosieve_batch::{Batch, Filter, Output};
use robosieve_census::{AgentList, Census, Form, Rows};

use crate::batch::{self, InputArgs, RowForm, RunArgs, Words};
use crate::choices::{self, Flags, Reading, Statuses};
use crate::exit::{Code, Failure};
use crate::input;

#[derive(Debug, Args)]
pub(crate) struct CensusArgs {
    // The first, because those before it take their values away.
    #[command(flatten)]
    words: Words,
    /// Crawlers, separated by commas: names, `*` for those that no group names, known, known:KIND (ai, search, ads,
    /// archive, seo, other), named for those that a file names, or a file of names, also in the JSON of ai.robots.txt
    #[arg(id = "crawlers", long = "agents", value_name = "LIST", default_value = AgentList::DEFAULT)]
    agents: String,
    #[command(flatten)]
    inputs: InputArgs,
    /// File of rows: its name ends in .ndjson, .jsonl or .csv, also with .gz or .zst [default: `-`, the standard
    /// output]
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// What has a row
    #[arg(long, value_name = "WHAT", default_value = "agents")]
    rows: RowsOf,
    /// How rows are written [default: as the name of OUTPUT says, else ndjson]
    #[arg(long, value_name = "FORM")]
    format: Option<RowForm>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    statuses: Flags<WholeStatuses>,
    #[command(flatten)]
    choices: Flags<ReadWhole>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RowsOf {
    /// Each file and crawler
    Agents,
    /// Each file
    Files,
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
    let plan = plan(&args.choices.0.clone().over(&args.statuses.0))?;
    let agents = AgentList::with_names(&args.agents, plan.names())
        .map_err(|error| Failure::Usage(format!("--agents: {error}")))?;
    let rows = match args.rows {
        RowsOf::Agents => Rows::Agents,
        RowsOf::Files => Rows::Files,
    };
    let census = Census::new(agents).options(plan.options.clone()).form(form(args)).rows(rows);
    let paths = batch::expect_inputs(&args.inputs)?;
    let filter = Filter::all_agents()
        .options(plan.options)
        .statuses(plan.statuses)
        .all_urls(args.inputs.all_urls)
        .table(Arc::new(census));
    let output = match &args.output {
        Some(path) if !input::is_stdin(path) => Output::table(path),
        _ => Output::stream(io::stdout()),
    };
    let run = Batch::new(filter, batch::inputs(&args.inputs, &paths), output).arguments(args.words.0.clone());
    let mut apart = Apart::default();
    AgentList::files(&args.agents).for_each(|path| apart.reads(path));
    batch::finish(run, (&args.inputs, &args.run), (&paths, apart), args.output.as_deref())
}

/// The form of the rows.
fn form(args: &CensusArgs) -> Form {
    match RowForm::of(args.format, args.output.as_deref()) {
        RowForm::Csv => Form::Csv,
        RowForm::Ndjson => Form::Ndjson,
    }
}
