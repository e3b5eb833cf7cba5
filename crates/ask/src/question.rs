//! What can be asked about a file, and its answers.
//!
//! Invariant: an answer is the JSON of the command, without version and file name. No body is an error.

use std::collections::HashSet;

use robosieve::records::Parser;
use robosieve::report::Report;
use robosieve::settings::Refused;
use robosieve_diff::Diff;
use robosieve_explain::{
    AgentsDiff, Changes, Crawler, ExplainedFinding, FileSummary, LintFilter, Linter, MatrixRow, Page, PageLine, Tested,
    TreeNode, Who, matrix, report_lines, target,
};
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::wrong::Wrong;

/// What is asked about a file, as a request says it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Question {
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

type Json = Result<Vec<u8>, Wrong>;

/// The answer, as JSON. `new` is the newer file of a comparison.
pub(crate) fn answer(plan: &Plan, question: &Question, body: &[u8], new: &[u8]) -> Json {
    match question {
        Question::Sieve => json(&Filtered::new(plan, body)?),
        Question::Test { urls } => test(plan, body, urls),
        Question::Explain { first_line, most_lines, words } => explain(plan, body, first_line.zip(*most_lines), *words),
        Question::Lint { most } => lint(plan, body, *most),
        Question::Diff => diff(plan, body, new),
        Question::Matrix { urls, names, crawlers } => rows(plan, body, urls, names, crawlers.as_deref()),
        Question::Tree => tree(plan, body),
        Question::Crawlers => json(&Crawler::every().map(KnownCrawler::of).collect::<Vec<_>>()),
    }
}

fn json(data: &impl Serialize) -> Json {
    serde_json::to_vec(data).map_err(|error| Wrong::of_value(error.to_string()))
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
    let heard = LintFilter::default().apply(&linted);
    json(&match most {
        Some(most) => heard.at_most(most),
        None => heard,
    })
}

/// A file line by line, or only `part` of it: the first line, and the number of lines.
///
/// # Errors
/// None: no file is one.
pub fn explain(plan: &Plan, body: &[u8], part: Option<(usize, usize)>, has_words: bool) -> Json {
    #[derive(Serialize)]
    struct Told<'p> {
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
    if !has_words {
        return json(&Told { page: &page, total_lines, words: None });
    }
    let findings = |line: &PageLine<'_>| line.findings.iter().map(ExplainedFinding::words).collect();
    let lines = page.lines.iter().map(|line| (line.words(), findings(line))).collect();
    let who = page.who.clone().unwrap_or_else(Who::all);
    let words = Words { lines, report: report_lines(&who, &page.report) };
    json(&Told { page: &page, total_lines, words: Some(words) })
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
        let once = plan.asked_once(body, url.as_bytes())?;
        return json(&Answers { results: vec![once.tested], found: once.found });
    }
    let asked = plan.asked(body)?;
    let results = urls.iter().map(|url| asked.tested(url.as_bytes())).collect();
    json(&Answers { results, found: asked.found() })
}

fn rows(plan: &Plan, body: &[u8], urls: &[String], names: &[String], crawlers: Option<&str>) -> Json {
    #[derive(Serialize)]
    struct Rows<'u> {
        urls: &'u [String],
        rows: &'u [MatrixRow],
    }
    let wrong = |message| Wrong::of_value(format!("urls: {message}"));
    urls.iter().try_for_each(|url| target::check(url.as_bytes())).map_err(wrong)?;
    if let Some(kind) = crawlers.filter(|kind| *kind != "all" && !Crawler::KINDS.contains(kind)) {
        let kinds = Crawler::KINDS.join(", ");
        return Err(Wrong::of_value(format!("crawlers: there is no kind {kind:?}: the kinds are all, {kinds}")));
    }
    let is_wanted = |crawler: &&Crawler| match crawlers {
        Some(kind) => kind == "all" || crawler.is(kind),
        None => crawler.documented,
    };
    let mut agents: Vec<&str> = names.iter().map(String::as_str).collect();
    if crawlers.is_some() || agents.is_empty() {
        agents.extend(Crawler::every().filter(is_wanted).map(|crawler| &*crawler.token));
    }
    let mut seen = HashSet::new();
    agents.retain(|agent| seen.insert(agent.to_ascii_lowercase()));
    let rows: Vec<_> =
        matrix(body, &plan.verdicts, |agent: &str| plan.groups_of([agent]), agents, urls.iter().map(String::as_str))
            .collect();
    json(&Rows { urls, rows: &rows })
}

fn tree(plan: &Plan, body: &[u8]) -> Json {
    #[derive(Serialize)]
    struct Nodes<'n> {
        nodes: Vec<Node<'n>>,
    }
    #[derive(Serialize)]
    struct Node<'n> {
        #[serde(flatten)]
        node: &'n TreeNode,
        words: String,
    }
    let tree = plan.explainer().tree(body);
    json(&Nodes { nodes: tree.nodes.iter().map(|node| Node { node, words: node.words() }).collect() })
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
        return Err(Wrong::of_value(message.into()));
    }
    let parser = Parser::new(plan.verdicts.clone());
    let (old, new) = (parser.parse(old), parser.parse(new));
    let diff = AgentsDiff::of_names(&old, &new, plan.names())?;
    json(&Changes::for_all(&diff, &old.report(), &new.report()))
}

/// A crawler, with what its JSON in a table leaves out.
#[derive(Serialize)]
struct KnownCrawler {
    #[serde(flatten)]
    crawler: &'static Crawler,
    kinds: Vec<&'static str>,
    fallbacks: Vec<&'static str>,
}

impl KnownCrawler {
    fn of(crawler: &'static Crawler) -> Self {
        Self { crawler, kinds: crawler.kinds().collect(), fallbacks: crawler.fallbacks().collect() }
    }
}
