//! The command line of `batch`, and what `census` has in common with it.
//!
//! Invariant: a flag is a field here or a row of [`Flags`], and has no meaning anywhere else.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use robosieve_ask::{Door, Problem, Setting, Settings};
use robosieve_batch::Form;

use crate::args::{AgentArgs, ReportForm};
use crate::choices::{Flags, Reading, Rows};

// What a run reads. A doc comment would be the command's.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Directories, archives, robots.txt files: also .warc, .warc.gz, .warc.zst, .wacz and .ndjson; `-` is the standard input
    /// (default)
    #[arg(value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Read more names from this file; one per line, `-` is the standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// Format of the inputs: robots.txt files, JSON lines or WARC archives. With auto, the name decides: .warc, .wacz,
    /// .ndjson, .jsonl and .txt, also with .gz and .zst. If the name has no such ending, `-` and a single input are
    /// recognized by their first bytes; other files are robots.txt files. Packed lines and archives are checked before
    /// they are used, except for what the standard input holds in a gzip member or zstd frame of more than 16 MiB: then
    /// an error says if it was damaged
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = input_form())]
    pub(crate) input: Form,
    /// Treat the responses of all URLs as robots.txt files, not only those of /robots.txt
    #[arg(long, hide_short_help = true)]
    pub(crate) all_urls: bool,
}

// How a run goes on, and what is said of it.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Threads that filter; two more read and write [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// Continue an interrupted run, with the same arguments and inputs. Until a run is complete, OUTPUT.part and
    /// OUTPUT.journal are its files
    #[arg(long, conflicts_with = "start_over")]
    pub(crate) resume: bool,
    /// Discard an interrupted run, and begin again
    #[arg(long)]
    pub(crate) start_over: bool,
    /// Format of the summary [default: text]
    #[arg(long, value_name = "FORM")]
    pub(crate) summary: Option<ReportForm>,
    /// Write no summary and show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Keep the groups of all agents instead
    #[arg(long, conflicts_with_all = ["agents", "user_agent"])]
    pub(crate) all_agents: bool,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Ask each file about this path; may be repeated. The records have `results`, the answers of `test`
    #[arg(long = "url", value_name = "PATH")]
    pub(crate) urls: Vec<String>,
    /// File of records, or directory of texts: a name that ends in .ndjson or .jsonl (also with .gz or .zst) is that of
    /// a file; a name without a suffix, or with `/` at the end, that of a directory [default: `-`, records to the
    /// standard output]
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    texts: Flags<Records>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}

impl BatchArgs {
    /// The options of the command line. By default, records count findings without details.
    pub(crate) fn settings(&self) -> Result<Settings, Problem> {
        let mut settings = self.choices.0.clone().over(&self.texts.0);
        if !settings.has("max_findings") {
            settings.set(Door::Command, "max_findings", 0)?;
        }
        Ok(settings)
    }
}

/// How texts are written, and what statuses mean.
#[derive(Clone, Debug)]
struct Records;

impl Rows for Records {
    fn has(setting: &Setting) -> bool {
        setting.place == "texts" || setting.name == "forbidden"
    }

    fn is_rare(setting: &Setting) -> bool {
        setting.name != "form"
    }
}

fn input_form() -> impl TypedValueParser<Value = Form> {
    // The names are known, so none is left out.
    PossibleValuesParser::new(Form::NAMED.map(|named| named.0)).map(|name| Form::named(&name).unwrap_or_default())
}

/// Reads a number of threads. More than 256 give no speed.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=256) => Ok(jobs),
        _ => Err("write a number from 1 to 256".into()),
    }
}
