//! The command line, as clap reads it.
//!
//! Invariant: a flag is a field here and a choice in [`Choices`], and means nothing anywhere else; agents and URLs are
//! octets, not text.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use robosieve::{Agent, Agents, Dialect, Forbidden, Form, Leniency, Newline, OverLimit};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as NameError, StrDeserializer};

use crate::batch::source::Form as InputForm;
use crate::choices::{Choices, Limit, LimitChoices, Order, OwnDirective};
use crate::help;

/// Sanitize, test and explain robots.txt files that nobody vouches for.
#[derive(Debug, Parser)]
#[command(name = "robosieve", version, max_term_width = 100, arg_required_else_help = true)]
#[command(long_about = help::ABOUT, after_help = help::AFTER)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the canonical text of a file, for one crawler or for all
    #[command(long_about = help::FILTER, after_help = help::AFTER_FILTER)]
    Filter(Box<FilterArgs>),
    /// Say whether a crawler may fetch URLs, and by which line
    #[command(long_about = help::TEST, after_help = help::AFTER_TEST)]
    Test(Box<TestArgs>),
    /// Show a file line by line, with what each line means and what was found
    #[command(long_about = help::EXPLAIN, after_help = help::AFTER_EXPLAIN)]
    Explain(Box<ExplainArgs>),
    /// Show all that a file says to a crawler
    #[command(long_about = help::INSPECT, after_help = help::AFTER_INSPECT)]
    Inspect(Box<InspectArgs>),
    /// Show what changed between two files, in policy and not in spelling
    #[command(long_about = help::DIFF, after_help = help::AFTER_DIFF)]
    Diff(Box<DiffArgs>),
    /// Filter archives, directories and lists of files, with one record a file
    #[command(long_about = help::BATCH, after_help = help::AFTER_BATCH)]
    Batch(Box<BatchArgs>),
    #[cfg(feature = "gate")]
    #[command(flatten)]
    Gate(crate::gate::GateCommand),
    /// Print a completion script for a shell
    #[command(after_help = help::AFTER_COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page (roff)
    #[command(after_help = help::AFTER_MAN)]
    Man {
        /// Print the page of this command [default: that of robosieve itself]
        command: Option<String>,
    },
}

impl Command {
    /// For whom files are read, unless nothing is to be said about it.
    pub(crate) fn told_agents(&self) -> Option<&AgentArgs> {
        let (agents, quiet) = match self {
            Self::Filter(args) => (&args.agents, args.quiet),
            Self::Test(args) => (&args.agents, args.quiet),
            Self::Explain(args) => (&args.agents, false),
            Self::Inspect(args) => (&args.agents, false),
            Self::Diff(args) => (&args.agents, args.quiet),
            Self::Batch(args) => (&args.agents, args.quiet),
            #[cfg(feature = "gate")]
            Self::Gate(_) => return None,
            Self::Completions { .. } | Self::Man { .. } => return None,
        };
        Some(agents).filter(|_| !quiet)
    }
}

/// For whom a file is read.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// Your crawler's product token, as `MyBot`; give it several times to name more, the preferred first
    #[arg(short, long = "agent", value_name = "AGENT")]
    agents: Vec<OsString>,
    /// The whole User-Agent header that your crawler sends, in place of its product token or as the last choice behind
    /// --agent
    #[arg(long, value_name = "HEADER")]
    user_agent: Option<OsString>,
}

impl AgentArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.user_agent.is_none()
    }

    /// The preferred first.
    pub(crate) fn agents(&self) -> Agents {
        let named = self.agents.iter().map(|agent| Agent::new(agent.as_encoded_bytes()));
        // What is not UTF-8 is no part of a product token.
        let sent = self.user_agent.iter().map(|header| Agent::from_header(&header.to_string_lossy()));
        named.chain(sent).collect()
    }

    /// Whether an --agent is the header of one: its product token is not at its front.
    pub(crate) fn has_header(&self) -> bool {
        let is_header = |agent: &OsString| agent.to_string_lossy().to_ascii_lowercase().contains("compatible;");
        self.agents.iter().any(is_header)
    }
}

/// How a file is read.
// Each flag is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Args)]
#[command(next_help_heading = "How the file is read")]
pub(crate) struct ReadingArgs {
    /// Whose reading is followed: RFC 9309's, that of Google's parser (no limits but those you set), or that of the PHP
    /// filter robots-txt-processor [default: standard]
    #[arg(long, value_parser = named::<Dialect>(&["standard", "google", "processor"]))]
    dialect: Option<Dialect>,
    /// Which of the rules that match decides [default: longest-match]
    #[arg(long)]
    order: Option<Order>,
    /// How much misspelling is understood [default: the dialect's, which is common for standard]
    #[arg(long, value_parser = named::<Leniency>(&["strict", "processor", "common", "generous", "prefix"]))]
    leniency: Option<Leniency>,
    /// Records for `*` do not answer for an agent that no record names
    #[arg(long)]
    no_fallback: bool,
    /// A line that begins with a blank does not continue the one before
    #[arg(long)]
    no_fold: bool,
    /// Blanks at the end of a path stay
    #[arg(long)]
    keep_trailing_spaces: bool,
    /// A path without a leading slash gets none
    #[arg(long)]
    no_leading_slash: bool,
    /// `%2A` in a rule is a wildcard
    #[arg(long)]
    decode_wildcard: bool,
    /// `%2A` does not count against --max-wildcards
    #[arg(long)]
    no_escaped_wildcard: bool,
    /// Lines with an unknown directive are kept
    #[arg(long)]
    keep_unknown: bool,
    /// Any line ends a run of user-agent lines, not Allow and Disallow only
    #[arg(long)]
    any_line_ends_run: bool,
    /// One more name that means `User-agent`
    #[arg(long = "user-agent-name", value_name = "NAME")]
    user_agent_names: Vec<String>,
    /// A directive of your own: it belongs to the `record` it stands in (default) or to the `file`, and its value is text
    /// or a `path`
    #[arg(long = "directive", value_name = "NAME[:record|file][:path]")]
    directives: Vec<OwnDirective>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What a file may cost.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits (a number, or `none`)")]
struct LimitArgs {
    /// Octets of the file that are read [default: 512000]
    #[arg(long, value_name = "N")]
    max_bytes: Option<Limit>,
    /// Records (groups) that are read [default: 1000]
    #[arg(long, value_name = "N")]
    max_records: Option<Limit>,
    /// Lines that are kept of one record [default: 1000]
    #[arg(long, value_name = "N")]
    max_lines: Option<Limit>,
    /// User-agent lines that are read [default: 1000]
    #[arg(long, value_name = "N")]
    max_user_agents: Option<Limit>,
    /// Octets of a directive's name [default: 32]
    #[arg(long, value_name = "N")]
    max_directive_length: Option<Limit>,
    /// Octets of an agent's name [default: 200]
    #[arg(long, value_name = "N")]
    max_name_length: Option<Limit>,
    /// Octets of a value [default: 2000]
    #[arg(long, value_name = "N")]
    max_value_length: Option<Limit>,
    /// Wildcards in a path [default: 10]
    #[arg(long, value_name = "N")]
    max_wildcards: Option<Limit>,
    /// Findings that a report shows in detail; all are counted [default: 100]
    #[arg(long, value_name = "N")]
    max_findings: Option<Limit>,
    /// What happens to a rule over a limit: it is dropped and reported, widened so that it forbids more, or the file is
    /// refused (exit code 3) [default: drop]
    #[arg(long, value_parser = named::<OverLimit>(&["drop", "widen", "refuse"]))]
    on_over_limit: Option<OverLimit>,
}

impl ReadingArgs {
    pub(crate) fn choices(&self) -> Choices {
        let limits = &self.limits;
        Choices {
            dialect: self.dialect,
            order: self.order,
            leniency: self.leniency,
            fallback: self.no_fallback.then_some(false),
            fold: self.no_fold.then_some(false),
            keep_trailing_spaces: self.keep_trailing_spaces.then_some(true),
            complement_leading_slash: self.no_leading_slash.then_some(false),
            decode_wildcard: self.decode_wildcard.then_some(true),
            escaped_wildcard: self.no_escaped_wildcard.then_some(false),
            keep_unknown: self.keep_unknown.then_some(true),
            any_line_ends_run: self.any_line_ends_run.then_some(true),
            on_over_limit: limits.on_over_limit,
            max_findings: limits.max_findings,
            limits: LimitChoices {
                max_bytes: limits.max_bytes,
                max_records: limits.max_records,
                max_lines: limits.max_lines,
                max_user_agents: limits.max_user_agents,
                max_directive_length: limits.max_directive_length,
                max_name_length: limits.max_name_length,
                max_value_length: limits.max_value_length,
                max_wildcards: limits.max_wildcards,
            },
            user_agent_names: self.user_agent_names.clone(),
            directives: self.directives.clone(),
            ..Choices::default()
        }
    }
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// One JSON object a line
    Json,
    /// For people
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Keep the records of all agents instead
    #[arg(long, conflicts_with_all = ["agents", "user_agent"])]
    pub(crate) all_agents: bool,
    /// Files to read; `-` is the standard input, which is the default
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Write the text to this file, which is replaced in one step
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Write the text of each FILE to a file of the same name in this directory; several inputs need this
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output")]
    pub(crate) output_dir: Option<PathBuf>,
    /// For whom the text is: archives and readers like this one, or other testers, which get fewer and plainer rules that
    /// decide the same [default: faithful]
    #[arg(long, value_parser = named::<Form>(&["faithful", "portable"]))]
    form: Option<Form>,
    /// How lines of the text end [default: lf]
    #[arg(long, value_parser = named::<Newline>(&["lf", "crlf"]))]
    newline: Option<Newline>,
    /// Write the full report to the standard error, instead of a summary
    #[arg(long, value_name = "FORM")]
    pub(crate) report: Option<ReportForm>,
    /// Write the full report to this file, which is replaced in one step [form: text, unless --report says json]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report_to: Option<PathBuf>,
    /// Write no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Answer JSON requests: one a line on the standard input, one answer a line on the standard output
    #[arg(long, conflicts_with_all = ["files", "output", "output_dir", "report", "report_to", "quiet"])]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

impl FilterArgs {
    pub(crate) fn choices(&self) -> Choices {
        let all_agents = self.all_agents.then_some(true);
        Choices { form: self.form, newline: self.newline, all_agents, ..self.reading.choices() }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// The robots.txt file; `-` is the standard input. It has to be named also where the --status alone decides, as 404 does,
    /// but is not read then
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// URLs to test: whole ones, `//host/path`, or paths; `-`, or none, reads them from the standard input, one a line
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing: the exit code says it
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// The HTTP status that the file came with: only 2xx has rules, 4xx opens the site, 5xx closes it, and FILE is not read
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(u16).range(100..=999))]
    status: Option<u16>,
    /// What the statuses 401 and 403 mean [default: the dialect's, which is allow for standard]
    #[arg(long, value_parser = named::<Forbidden>(&["allow", "disallow"]))]
    forbidden: Option<Forbidden>,
    /// Answer JSON requests: one a line on the standard input, one answer a line on the standard output
    #[arg(long, conflicts_with_all = ["file", "urls", "json", "quiet"])]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

impl TestArgs {
    pub(crate) fn choices(&self) -> Choices {
        Choices { status: self.status, forbidden: self.forbidden, ..self.reading.choices() }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Files to read; `-` is the standard input, which is the default
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON object a file
    #[arg(long)]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Files to read; `-` is the standard input, which is the default
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON object a file
    #[arg(long)]
    pub(crate) json: bool,
    /// Answer JSON requests: one a line on the standard input, one answer a line on the standard output
    #[arg(long, conflicts_with_all = ["files", "json"])]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// The older file; `-` is the standard input
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub(crate) old: PathBuf,
    /// The newer file; `-` is the standard input
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    pub(crate) new: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing: the exit code says it
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How a summary is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummaryForm {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

#[allow(clippy::struct_excessive_bools, reason = "each flag is a switch of its own")]
#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Keep the records of all agents instead
    #[arg(long, conflicts_with_all = ["agents", "user_agent"])]
    pub(crate) all_agents: bool,
    /// Directories, .warc, .warc.gz, .warc.zst, .ndjson files or robots.txt files; `-` is the standard input, which is the
    /// default
    #[arg(value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Read the names of more inputs from this file, one a line; `-` is the standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// NUL ends the names of --files-from, as `find -print0` has it
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,
    /// What the inputs hold
    #[arg(long, value_name = "FORM", default_value = "auto")]
    pub(crate) input: InputForm,
    /// Take responses of any URL for robots.txt files, not those of /robots.txt only
    #[arg(long)]
    pub(crate) all_urls: bool,
    /// Write records to this file if it is called .ndjson or .jsonl (also with .gz or .zst), or else each text to a file in
    /// this directory [default: `-`, records to the standard output]
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Where OUTPUT is a directory: write records without texts to this .ndjson file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) records: Option<PathBuf>,
    /// Store the same text once: later records have its hash only, or all texts are called by their hashes in the directory
    #[arg(long)]
    pub(crate) dedup: bool,
    /// What the statuses 401 and 403 mean [default: the dialect's, which is allow for standard]
    #[arg(long, value_parser = named::<Forbidden>(&["allow", "disallow"]))]
    forbidden: Option<Forbidden>,
    /// For whom the texts are: archives and readers like this one, or other testers [default: faithful]
    #[arg(long, value_parser = named::<Form>(&["faithful", "portable"]))]
    form: Option<Form>,
    /// How lines of the texts end [default: lf]
    #[arg(long, value_parser = named::<Newline>(&["lf", "crlf"]))]
    newline: Option<Newline>,
    /// Threads that filter; two more read and write [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// Continue where an interrupted run with the same arguments stopped
    #[arg(long, conflicts_with = "start_over")]
    pub(crate) resume: bool,
    /// Give up what an interrupted run has done, and begin again
    #[arg(long)]
    pub(crate) start_over: bool,
    /// Seconds between two points that --resume can continue from
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) checkpoint: u64,
    /// How the summary is written [default: text]
    #[arg(long, value_name = "FORM")]
    pub(crate) summary: Option<SummaryForm>,
    /// Write the summary to this file, which is replaced in one step, and not to the standard error
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) summary_to: Option<PathBuf>,
    /// Write no summary and show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

impl BatchArgs {
    /// Those of the command line. Records count findings; their details are for those who ask.
    pub(crate) fn choices(&self) -> Choices {
        let all_agents = self.all_agents.then_some(true);
        let reading = self.reading.choices();
        let max_findings = reading.max_findings.or(Some(Limit(0)));
        let (form, newline, forbidden) = (self.form, self.newline, self.forbidden);
        Choices { newline, form, max_findings, all_agents, forbidden, ..reading }
    }
}

/// Threads: a few hundred help nobody.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=256) => Ok(jobs),
        _ => Err("write a number from 1 to 256".into()),
    }
}

/// Reads one of the names that the library has for a choice.
pub(crate) fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: for<'de> Deserialize<'de> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| {
        let name: StrDeserializer<'_, NameError> = name.as_str().into_deserializer();
        T::deserialize(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
