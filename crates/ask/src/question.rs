//! What can be asked about a file, and its answers; [`ask`]: the border of the packages for Python and JavaScript.
//!
//! Invariant: an answer is the JSON of the command, without version and file name. No body is an error. A name that
//! does not exist, and a value of another type, is one that says what to write instead.

use std::collections::HashSet;

use robosieve::Agents;
use robosieve::records::Parser;
use robosieve::report::Report;
use robosieve::settings::{Agent, Refused};
use robosieve::values::ContentUse;
use robosieve_diff::Diff;
use robosieve_explain::{
    AgentsDiff, Answer, Asked, Changes, Crawler, ExplainedFinding, FileSummary, Linter, Page, PageLine, Tested, Who,
    report_lines, target, tester,
};
use robosieve_printable::escape;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::json::json_error;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::request::NAME_OF_CRAWLER;
use crate::rows::Door;
use crate::settings::Settings;

/// What is asked about a file, as a request says it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Question {
    /// The canonical text, and the report.
    Sieve,
    /// A verdict for each URL. One that cannot be tested has an error.
    Test { urls: Vec<String> },
    /// The file line by line, or a part of it. With `words`, in words too.
    Explain {
        first_line: Option<usize>,
        most_lines: Option<usize>,
        #[serde(default)]
        words: bool,
    },
    /// What does not do what it seems to: so many of them.
    Lint { most: Option<usize> },
    /// What changed in a newer file.
    Diff,
    /// A verdict for each crawler and each URL: for those that are named, and for known ones of a kind.
    Matrix { urls: Vec<String>, names: Vec<String>, crawlers: Option<String> },
    /// The paths as a tree.
    Tree,
    /// The known crawlers.
    Crawlers,
}

type Json = Result<String, Problem>;

fn json(data: &impl Serialize) -> Json {
    serde_json::to_string(data).map_err(|error| Problem::value(error.to_string()))
}

/// A text and its report: what `robosieve filter --ndjson` answers.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Filtered {
    /// The canonical text.
    pub text: String,
    /// What the file is like.
    #[serde(flatten)]
    pub found: FileSummary,
    /// Which group applies.
    #[serde(flatten)]
    pub who: Who,
    /// What was changed.
    pub report: Report,
}

impl Filtered {
    /// Filters a file.
    ///
    /// # Errors
    /// If the options refuse the file.
    pub fn new(plan: &Plan, body: &[u8]) -> Result<Self, Refused> {
        let sieved = plan.sieve().filter(body)?;
        let report = sieved.report();
        Ok(Self {
            found: FileSummary::new(report),
            who: plan.who(sieved.answered_by()),
            report: report.clone(),
            text: plan.text(sieved),
        })
    }
}

/// What a file does that it does not seem to: `most` of it.
///
/// # Errors
/// None: no file is one.
pub fn lint(plan: &Plan, body: &[u8], most: Option<usize>) -> Json {
    let linted = Linter::default().options(plan.options.clone()).lint(body);
    let linted = if let Some(most) = most { linted.at_most(most) } else { linted };
    json(&linted)
}

/// A file line by line, or only `part` of it: the first line, and the number of lines.
///
/// # Errors
/// None: no file is one.
pub fn explain(plan: &Plan, body: &[u8], part: Option<(usize, usize)>, has_words: bool) -> Json {
    #[derive(Serialize)]
    struct Reported<'p> {
        #[serde(flatten)]
        page: &'p Page<'p>,
        #[serde(skip_serializing_if = "Option::is_none")]
        total_lines: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        words: Option<Words>,
    }
    /// A page in words: for each line its meaning and its findings, and the report.
    #[derive(Serialize)]
    struct Words {
        lines: Vec<(String, Vec<String>)>,
        report: Vec<String>,
    }
    let mut page = plan.explainer().page(body);
    // A file can have 512,000 lines, and who shows it shows a part.
    let total_lines = part.map(|_| page.lines.len());
    if let Some((first, most)) = part {
        page.lines = page.lines.into_iter().skip(first.saturating_sub(1)).take(most).collect();
    }
    let findings = |line: &PageLine<'_>| line.findings.iter().map(ExplainedFinding::words).collect();
    let words = has_words.then(|| Words {
        lines: page.lines.iter().map(|line| (line.words(), findings(line))).collect(),
        report: report_lines(&page.who.clone().unwrap_or_else(Who::all), &page.report),
    });
    json(&Reported { page: &page, total_lines, words })
}

/// What `robosieve test --ndjson` answers.
fn test(plan: &Plan, body: &[u8], urls: &[String]) -> Json {
    #[derive(Serialize)]
    struct Answers {
        #[serde(flatten)]
        found: FileSummary,
        results: Vec<Tested>,
    }
    if let [url] = urls {
        let (tested, found, _) = Asked::once(body, &plan.verdicts, &plan.groups, plan.access(), url.as_bytes())?;
        return json(&Answers { results: vec![tested], found });
    }
    let asked = plan.asked(body)?;
    let results = urls.iter().map(|url| asked.tested(url.as_bytes())).collect();
    json(&Answers { results, found: asked.found() })
}

fn rows(plan: &Plan, body: &[u8], urls: &[String], names: &[String], crawlers: Option<&str>) -> Json {
    #[derive(Serialize)]
    struct Rows<'u> {
        urls: &'u [String],
        rows: Vec<Row>,
    }
    /// What a file says to a crawler: an answer for each URL, in their order, and what it may use the content for.
    #[derive(Serialize)]
    struct Row {
        name: String,
        crawler: Option<&'static Crawler>,
        #[serde(flatten)]
        who: Who,
        answers: Vec<Answer>,
        content_signals: Vec<ContentUse>,
        content_usage: Vec<ContentUse>,
    }
    let wrong = |message| Problem::value(format!("urls: {message}"));
    urls.iter().try_for_each(|url| target::check(url.as_bytes())).map_err(wrong)?;
    if let Some(kind) = crawlers.filter(|kind| *kind != "all" && !Crawler::KINDS.contains(kind)) {
        let kinds = Crawler::KINDS.join(", ");
        return Err(Problem::value(format!("crawlers: there is no kind {kind:?}: the kinds are all, {kinds}")));
    }
    let is_wanted = |crawler: &&Crawler| match crawlers {
        Some(kind) => kind == "all" || crawler.is(kind),
        None => crawler.documented,
    };
    let mut agents: Vec<&str> = names.iter().map(String::as_str).collect();
    if crawlers.is_some() || agents.is_empty() {
        agents.extend(Crawler::every().filter(is_wanted).map(|crawler| crawler.token));
    }
    let mut seen = HashSet::new();
    agents.retain(|agent| seen.insert(agent.to_ascii_lowercase()));
    let row = |agent: &str| {
        let groups = plan.groups_of([agent]);
        let (tester, who) = tester(body, &groups.options(plan.verdicts.clone()), &groups);
        let values = tester.values();
        Row {
            name: escape(agent.as_bytes()),
            crawler: Crawler::find(agent),
            answers: urls.iter().map(|url| Answer::new(&tester.test(url), &who)).collect(),
            content_signals: values.content_signals().collect(),
            content_usage: values.content_usage().collect(),
            who,
        }
    };
    json(&Rows { urls, rows: agents.into_iter().map(row).collect() })
}

/// The known crawlers, with what their JSON in a table leaves out.
fn crawlers() -> Json {
    #[derive(Serialize)]
    struct Known {
        #[serde(flatten)]
        crawler: &'static Crawler,
        kinds: Vec<&'static str>,
        fallbacks: Vec<&'static str>,
    }
    let known = |crawler: &'static Crawler| Known {
        crawler,
        kinds: crawler.kinds().collect(),
        fallbacks: crawler.fallbacks().collect(),
    };
    json(&Crawler::every().map(known).collect::<Vec<_>>())
}

/// What changed between two files.
///
/// # Errors
/// If the options refuse one of the files, or are for named agents only.
pub fn diff(plan: &Plan, old: &[u8], new: &[u8]) -> Json {
    if !plan.all_agents {
        let explainer = plan.explainer();
        let (old, new) = (explainer.kept(old)?, explainer.kept(new)?);
        let diff = Diff::of(&old.0, &new.0);
        let whose = [old.1, new.1].map(|answered_by| Who::new(answered_by, &plan.groups));
        return json(&Changes::for_one(&diff, &old.0.report(), &new.0.report()).of(&whose));
    }
    if !plan.fallback {
        let message = "fallback is for named agents: others use the groups that their owners document";
        return Err(Problem::value(message));
    }
    let parser = Parser::new(plan.verdicts.clone());
    let (old, new) = (parser.parse(old), parser.parse(new));
    let diff = AgentsDiff::of(&old, &new, plan.names())?;
    json(&Changes::for_all(&diff, &old.report(), &new.report()))
}

/// A byte order mark, a line end, and another character of UTF-32: a longer file is cut.
const MORE: usize = 16;

/// What is asked about a file, for whom, and how the file is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageRequest {
    ask: Question,
    agents: Option<Vec<String>>,
    #[serde(default)]
    options: Map<String, Value>,
}

/// Answers a question about a file, as JSON. `new` is the newer file of a comparison. A part of a file that cannot
/// matter is not read.
///
/// ```
/// let request = r#"{"ask":{"test":{"urls":["/x"]}},"agents":["MyBot"],"options":{"limits":{"max_bytes":100}}}"#;
/// let answer = robosieve_ask::ask(request, b"User-agent: *\nDisallow: /x", b"")?;
/// assert!(answer.contains(r#""allowed":false"#));
/// # Ok::<(), robosieve_ask::Problem>(())
/// ```
///
/// # Errors
/// If the request is none, or its options refuse the file.
pub fn ask(request: &str, body: &[u8], new: &[u8]) -> Json {
    let mut reader = serde_json::Deserializer::from_str(request);
    let asked: PackageRequest = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (place, why) = (error.path().to_string(), json_error(error.inner()));
        Problem::option(if place == "." { why } else { format!("{place}: {why}") })
    })?;
    let agents = asked.agents.as_deref().map(agents_of).transpose()?;
    let plan = Plan::new(&Settings::read(Door::Package, &asked.options)?)?.for_agents(agents);
    let most = plan.options.limits.max_bytes.saturating_add(MORE);
    let (body, new) = (body.get(..most).unwrap_or(body), new.get(..most).unwrap_or(new));
    match &asked.ask {
        Question::Sieve => json(&Filtered::new(&plan, body)?),
        Question::Test { urls } => test(&plan, body, urls),
        Question::Explain { first_line, most_lines, words } => {
            explain(&plan, body, first_line.zip(*most_lines), *words)
        }
        Question::Lint { most } => lint(&plan, body, *most),
        Question::Diff => diff(&plan, body, new),
        Question::Matrix { urls, names, crawlers } => rows(&plan, body, urls, names, crawlers.as_deref()),
        Question::Tree => json(&plan.explainer().tree(body)),
        Question::Crawlers => crawlers(),
    }
}

/// The agents with these names, the preferred first.
///
/// # Errors
/// If there is none, or one is empty: it would select the group for `*`.
pub fn agents_of(names: &[String]) -> Result<Agents, Problem> {
    if names.is_empty() || names.iter().any(|name| name.trim_ascii().is_empty()) {
        let what = if names.is_empty() { "agents is empty" } else { "an agent is empty" };
        return Err(Problem::value(format!("{what}: {NAME_OF_CRAWLER}")));
    }
    Ok(names.iter().map(Agent::new).collect())
}
