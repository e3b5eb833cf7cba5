//! `batch --signals`: what the pages of archives say of their use.
//!
//! Invariant: the rows are those of [`PageRows`], and the run is that of `batch`. An option that would change no row is
//! refused.

use std::io;
use std::sync::Arc;

use clap::Args;
use robosieve::agent::{Agent, Agents};
use robosieve_ask::{Place, Plan, SETTINGS, Setting};
use robosieve_batch::files::Apart;
use robosieve_batch::{Batch, Filter, Output};
use robosieve_explain::Groups;
use robosieve_signals::PageRows;

use super::{BatchArgs, RowForm, expect_inputs, finish, inputs};
use crate::exit::{Code, Failure};
use crate::input;
use crate::report::expect_names;
use crate::text::name_of;

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Read the pages of archives: instead of records of robots.txt files, a row for each page and crawler has what its
    /// headers and its HTML say of its use, joined with its site's robots.txt
    #[arg(long, group = "Rows", conflicts_with_all = ["urls", "all_agents", "records", "dedup", "all_urls"])]
    pub(crate) signals: bool,
    /// With --signals, the crawlers that have rows; separated by commas
    #[arg(id = "crawlers", long = "agents", value_name = "NAME,...", value_delimiter = ',', requires = "signals")]
    #[arg(conflicts_with_all = ["agents", "user_agent"])]
    crawlers: Vec<String>,
}

/// The most crawlers that have rows. Our choice: each of them reads robots.txt again for each page.
const MAX_CRAWLERS: usize = 100;

pub(super) fn run(args: &BatchArgs) -> Result<Code, Failure> {
    let settings = args.settings()?;
    if let Some(setting) = SETTINGS.iter().find(|setting| is_not_here(setting) && settings.has(setting.name)) {
        let name = setting.flag.replace('_', "-");
        return Err(Failure::Usage(format!("--{name} changes no row of a page: leave it out, or leave --signals out")));
    }
    let plan = Plan::new(&settings)?;
    let rows = PageRows::new(crawlers(args, &plan)?).options(plan.verdicts.clone());
    let is_csv = RowForm::agreed(args.format, args.output.as_deref())? == RowForm::Csv;
    let rows = if is_csv { rows.csv() } else { rows };
    let filter = Filter::all_agents().options(plan.verdicts).statuses(plan.statuses).pages(Arc::new(rows));
    let output = match &args.output {
        Some(path) if !input::is_stdin(path) => Output::table(path),
        _ => Output::stream(io::stdout()),
    };
    let paths = expect_inputs(&args.inputs)?;
    if let Some(folder) = paths.iter().find(|path| path.is_dir()) {
        let name = name_of(folder);
        return Err(Failure::Usage(format!(
            "{name}: is a directory, and --signals reads archives: write {name}/*.warc.gz"
        )));
    }
    let batch = Batch::new(filter, inputs(&args.inputs, &paths), output).arguments(args.words.0.clone());
    finish(batch, (&args.inputs, &args.run), (&paths, Apart::default()), (args.output.as_deref(), "a page"))
}

/// Whether an option says how texts and their reports are made, or what is no text.
fn is_not_here(setting: &Setting) -> bool {
    setting.place == Place::Texts && setting.name != "max_findings" || matches!(setting.name, "fail_on" | "complete")
}

/// The crawlers, and whose groups apply to each.
fn crawlers(args: &BatchArgs, plan: &Plan) -> Result<Vec<(Vec<u8>, Groups)>, Failure> {
    let of = |agents: Agents| {
        let name = agents.iter().next().map(|first| first.as_bstr().to_vec()).unwrap_or_default();
        (name, plan.clone().for_agents(Some(agents)).groups)
    };
    if let Some(agents) = args.agents.given() {
        return Ok(vec![of(agents)]);
    }
    let names = &args.pages.crawlers;
    expect_names(names.iter().map(String::as_str), "write names, as in --agents GPTBot,CCBot")?;
    if names.is_empty() || names.len() > MAX_CRAWLERS {
        let message = format!("--signals needs the crawlers, 1 to {MAX_CRAWLERS}: write --agents GPTBot,CCBot");
        return Err(Failure::Usage(message));
    }
    let is_first = |at: usize, name: &str| !names.iter().take(at).any(|other| other.trim().eq_ignore_ascii_case(name));
    let once = names.iter().map(|name| name.trim()).enumerate().filter(|(at, name)| is_first(*at, name));
    Ok(once.map(|(_, name)| of([Agent::new(name)].into_iter().collect())).collect())
}
