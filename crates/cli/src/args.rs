//! The flags of the commands that read files, as clap reads them.
//!
//! Invariant: a flag is a field here and a row of [`Flags`], and has no meaning anywhere else. Agents and URLs are
//! bytes, not text.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use robosieve::Agents;
use robosieve::settings::{Agent, Leniency, Vocabulary};
use robosieve_ask::{Door, Plan, Problem, Settings, expect_name, with_directive};
use robosieve_explain::{Crawler, LintKind};

use crate::choices::{Flags, Reading, Statuses, Texts};
use crate::exit::Failure;
use crate::files::NameArgs;
use crate::text;

/// Refuses what is no name of a crawler: an unset shell variable would otherwise select the group for `*`, and a list of
/// names would be read as a header.
pub(crate) fn expect_crawler(name: &[u8]) -> Result<(), Failure> {
    expect_name(name, "repeat --agent for each").map_err(Failure::Usage)
}

// The agents that a file is read for.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// Your crawler's product token, for example `MyBot`; repeat the flag for more, most preferred first
    #[arg(short, long = "agent", value_name = "AGENT")]
    agents: Vec<OsString>,
    /// Your crawler's whole User-Agent header; use it instead of --agent, or together with --agent as the least
    /// preferred name
    #[arg(long, value_name = "HEADER")]
    user_agent: Option<OsString>,
}

impl AgentArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.user_agent.is_none()
    }

    /// The requested agents, if there are any.
    pub(crate) fn given(&self) -> Option<Agents> {
        (!self.is_empty()).then(|| self.agents())
    }

    /// The requested agents, most preferred first.
    pub(crate) fn agents(&self) -> Agents {
        self.agents.iter().chain(&self.user_agent).map(|agent| Agent::new(agent.as_encoded_bytes())).collect()
    }

    /// Refuses what is no name, and `-agent` with one dash.
    pub(crate) fn expect_names(&self) -> Result<(), Failure> {
        if self.agents.iter().any(|name| name == "gent" || name.as_encoded_bytes().starts_with(b"gent=")) {
            return Err(Failure::Usage("-agent: write `--agent`, with two dashes".into()));
        }
        self.agents.iter().chain(&self.user_agent).try_for_each(|name| expect_crawler(name.as_encoded_bytes()))
    }

    /// A warning for each name that is probably a mistake, where files are read so.
    pub(crate) fn warnings(&self, choices: &Flags<Reading>) -> Result<Vec<String>, Failure> {
        let form = Plan::new(&choices.0)?.verdicts.agents;
        let agents = self.agents();
        let nameless = agents.iter().filter(|agent| !agent.is_named() && agent.as_bstr() != "*").map(|agent| {
            let name = text::escape(agent.as_bstr());
            format!("no group can name `{name}`, so only groups for `*` apply: a product token is a word like MyBot")
        });
        let known = agents.iter().filter_map(|agent| agent.token()).filter_map(Crawler::find);
        let ignoring = known.filter(|crawler| crawler.ignores_robots_txt).map(|crawler| {
            let Crawler { token, owner, source, .. } = crawler;
            format!("{token} does not always obey robots.txt, says {owner}: {source}; here is what a file asks of it")
        });
        let cut = robosieve_explain::Names::Plain.groups(agents.clone()).form(form).read_as_note();
        let words = agents.iter().filter_map(|agent| Crawler::owned_words(agent.token()?));
        Ok(nameless.chain(cut).chain(ignoring).chain(words).collect())
    }
}

/// The formats of a report and of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// One JSON object per line
    Json,
    /// Text for people
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Keep the groups of all agents instead
    #[arg(long, conflicts_with_all = ["agents", "user_agent"])]
    pub(crate) all_agents: bool,
    /// Files to read; `-` is the standard input (default)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Write the text to this file; one that exists is replaced as a whole, and keeps its owner and mode
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Write each text to this directory; under the name of its FILE. Required for several FILEs
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "output")]
    pub(crate) output_dir: Option<PathBuf>,
    #[command(flatten)]
    texts: Flags<Texts>,
    /// Write the full report; to the standard error, instead of a summary
    #[arg(long, value_name = "FORM")]
    pub(crate) report: Option<ReportForm>,
    /// Write the full report to this file; it is replaced as a whole [form: text, unless --report is json]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report_to: Option<PathBuf>,
    /// Write no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Answer JSON requests; one per line of the standard input, with one answer per line of the standard output
    #[arg(long, conflicts_with_all = ["files", "output", "output_dir", "report", "report_to", "quiet"])]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}

impl FilterArgs {
    pub(crate) fn settings(&self) -> Result<Settings, Problem> {
        let mut settings = self.choices.0.clone().over(&self.texts.0);
        if self.all_agents {
            settings.set(Door::Command, "all_agents", true)?;
        }
        Ok(settings)
    }
}

#[allow(clippy::struct_excessive_bools, reason = "each flag is a switch of its own")]
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// The robots.txt file; `-` is the standard input. With a directory, the URLs are tested with each file in it that
    /// is called robots.txt. Required even when --status alone decides (404, for example); it is not read then
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Test the URLs with each file that this file names, one per line; `-` is the standard input. There is no FILE
    /// then
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath, help_heading = MANY)]
    #[arg(conflicts_with_all = ["expect", "ndjson", "status"])]
    pub(crate) files_from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    #[command(flatten)]
    pub(crate) stdin: StdinArgs,
    /// URLs to test: full URLs, `//host/path`, or paths; with `-` or none, read from the standard input, one per line
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) statuses: Flags<Statuses>,
    /// Compare the answers with this file: a line for each expectation, as `Googlebot allow /shop/`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = MANY)]
    #[arg(conflicts_with_all = ["agents", "user_agent", "urls", "ndjson", "status"])]
    pub(crate) expect: Option<PathBuf>,
    /// Format of what --expect prints
    #[arg(long, value_name = "FORM", default_value = "text", help_heading = MANY)]
    #[arg(requires = "expect", conflicts_with_all = ["quiet", "ndjson"])]
    pub(crate) format: TestForm,
    /// Exit code 0 if all URLs are disallowed, and 1 if one is allowed
    #[arg(long, conflicts_with_all = ["expect", "ndjson"], help_heading = MANY)]
    pub(crate) expect_disallowed: bool,
    /// Answer JSON requests; one per line of the standard input, with one answer per line of the standard output
    #[arg(long, conflicts_with_all = ["file", "urls", "json", "quiet"])]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}

// What the standard input is. A comment that documents would become the words about the command.
#[derive(Debug, Args)]
pub(crate) struct StdinArgs {
    /// The name of what the standard input has, for messages: that of a file which another program passes on
    #[arg(hide_short_help = true, long = "stdin-filename", value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub(crate) name: Option<PathBuf>,
}

/// The heading of flags for many crawlers.
const MANY: &str = "Many files, and expectations";

/// The formats of a comparison with expectations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestForm {
    /// Text for people
    #[default]
    Text,
    /// Commands of a GitHub workflow
    Github,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Files to read; `-` is the standard input (default)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Say why this URL is allowed or disallowed, instead of showing the file; repeat the flag for more
    #[arg(long = "url", value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,
    /// Print one JSON object per file; with --url, per URL
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}

/// The formats of lints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintForm {
    /// Text for people
    #[default]
    Human,
    /// One JSON object per file
    Json,
    /// Commands of a GitHub workflow
    Github,
    /// One SARIF 2.1.0 log
    Sarif,
}

/// What makes the exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFailOn {
    /// An error
    #[default]
    Error,
    /// An error or a warning
    Warning,
    /// Anything
    Note,
    /// A line that a limit cost
    Loss,
    /// Nothing
    Never,
}

/// The kinds of findings, by their names.
fn lint_kinds() -> impl TypedValueParser<Value = LintKind> {
    let kind = |name: String| {
        LintKind::all().find(|kind| kind.as_str().eq_ignore_ascii_case(&name)).ok_or("there is no such kind")
    };
    PossibleValuesParser::new(LintKind::all().map(LintKind::as_str)).try_map(kind)
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each flag is a switch of its own")]
pub(crate) struct LintArgs {
    /// Files to read, and directories, with the files called robots.txt in them; `-` is the standard input (default)
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    #[command(flatten)]
    pub(crate) stdin: StdinArgs,
    /// Format of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    pub(crate) format: LintForm,
    /// Report only findings of these kinds
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = lint_kinds(), ignore_case = true)]
    #[arg(hide_possible_values = true)]
    pub(crate) only: Vec<LintKind>,
    /// Leave out findings of these kinds
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = lint_kinds(), ignore_case = true)]
    #[arg(hide_possible_values = true)]
    pub(crate) ignore: Vec<LintKind>,
    /// What makes the exit code 1
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub(crate) fail_on: LintFailOn,
    /// Show notes, too; otherwise they are counted (only with `--format human`)
    #[arg(long)]
    pub(crate) notes: bool,
    /// Show all findings; otherwise the first five of each kind, and no notes (with `--format human`), and one of a file
    /// that is no robots.txt (in all formats)
    #[arg(long)]
    pub(crate) all: bool,
    /// Apply the fixes that change no answer and no value, for no crawler, and lose no word. All others are suggestions,
    /// each with its effect in words
    #[arg(long)]
    pub(crate) fix: bool,
    /// Fix also a file that is no robots.txt: a web page, a program (with --fix)
    #[arg(hide_short_help = true, long)]
    pub(crate) force: bool,
    /// A directive that is meant to be there, and is not unknown
    #[arg(hide_short_help = true, long = "directive", value_name = "NAME[:record|file][:path]", value_parser = directive)]
    pub(crate) directives: Vec<String>,
}

/// A directive that a vocabulary can have.
fn directive(text: &str) -> Result<String, String> {
    with_directive(Vocabulary::new(Leniency::Strict), text).map(|_| text.to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Files to read; `-` is the standard input (default)
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON object per file
    #[arg(long)]
    pub(crate) json: bool,
    /// Answer JSON requests; one per line of the standard input, with one answer per line of the standard output
    #[arg(long, conflicts_with_all = ["files", "json"])]
    pub(crate) ndjson: bool,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}

#[allow(clippy::struct_excessive_bools, reason = "each flag is a switch of its own")]
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,
    /// Compare for `*` and for every crawler that either file names
    #[arg(long, conflicts_with_all = ["agents", "user_agent"])]
    pub(crate) all_agents: bool,
    /// Compare what one FILE says to two crawlers
    #[arg(long = "agents", value_name = "AGENT,AGENT", value_delimiter = ',', num_args = 1)]
    #[arg(conflicts_with_all = ["agents", "user_agent", "all_agents"])]
    pub(crate) pair: Vec<String>,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    /// The older file, or a directory with files called robots.txt; `-` is the standard input
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub(crate) old: PathBuf,
    /// The newer file, or a directory with files of the same names; `-` is the standard input
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub(crate) new: Option<PathBuf>,
    /// Print one JSON object; for directories, one per changed file
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) choices: Flags<Reading>,
}
