//! `census`: what files say to whom, made by a run of [`robosieve_batch`].
//!
//! Invariant: the rows are those of [`Census`], and the run is that of `batch`.

use std::io;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use robosieve_ask::{Plan, SETTINGS, Setting, Settings};
use robosieve_batch::files::Apart;
use robosieve_batch::{Batch, Filter, Output};
use robosieve_census::{AgentList, Census};

use crate::batch::{self, InputArgs, RunArgs};
use crate::choices::{Flags, Reading, Rows, Statuses};
use crate::exit::{Code, Failure};
use crate::input;

#[derive(Debug, Args)]
pub(crate) struct CensusArgs {
    /// Crawlers, separated by commas: names, `*` for those that no group names, known, known:KIND (ai, search, ads,
    /// archive, seo, other), named for those that a file names, or a file with a name on each line
    #[arg(id = "crawlers", long = "agents", value_name = "LIST", default_value = AgentList::DEFAULT)]
    agents: String,
    #[command(flatten)]
    inputs: InputArgs,
    /// File of rows: its name ends in .ndjson or .jsonl, also with .gz or .zst [default: `-`, the standard output]
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    statuses: Flags<Whole<Statuses>>,
    #[command(flatten)]
    choices: Flags<Whole<Reading>>,
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

/// The options of a command, apart from [`NOT_HERE`].
#[derive(Clone, Debug)]
struct Whole<R>(PhantomData<R>);

impl<R: Rows> Rows for Whole<R> {
    fn has(setting: &Setting) -> bool {
        R::has(setting)
    }

    fn is_refused(setting: &Setting) -> bool {
        NOT_HERE.contains(&setting.name)
    }
}

pub(crate) fn run(args: &CensusArgs) -> Result<Code, Failure> {
    let output = args.output.as_deref().filter(|path| !input::is_stdin(path));
    let settings = args.choices.0.clone().over(&args.statuses.0);
    expect_whole(&settings)?;
    let plan = Plan::new(&settings)?;
    let agents = AgentList::with_names(&args.agents, plan.names())
        .map_err(|error| Failure::Usage(format!("--agents: {error}")))?;
    let paths = batch::expect_inputs(&args.inputs)?;
    let census = Census::new(agents).options(plan.options.clone());
    let filter = Filter::all_agents().options(plan.options).all_urls(args.inputs.all_urls).table(Arc::new(census));
    let to = output.map_or_else(|| Output::stream(io::stdout()), Output::table);
    let run = Batch::new(filter, batch::inputs(&args.inputs, &paths), to);
    let mut apart = Apart::default();
    AgentList::files(&args.agents).for_each(|path| apart.reads(path));
    batch::finish(run, (&args.inputs, &args.run), (&paths, apart), (output, batch::ROBOTS_TXT))
}

/// Refuses an option that changes nothing: it would be taken for one that does, and some of them close more.
fn expect_whole(settings: &Settings) -> Result<(), Failure> {
    let is_given = |setting: &&Setting| NOT_HERE.contains(&setting.name) && settings.has(setting.name);
    SETTINGS.iter().find(is_given).map_or(Ok(()), |setting| {
        let name = setting.flag.replace('_', "-");
        Err(Failure::Usage(format!("--{name} is not for a census, which reads each file whole: leave it out")))
    })
}
