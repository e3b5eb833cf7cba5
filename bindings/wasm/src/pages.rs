//! Calls of the full module: what a file means, why a URL has its answer, and what changed.

use std::collections::HashSet;

use robosieve::{Diff, Parser, Selection};
use robosieve_explain::{
    AgentsDiff, Answer, Changes, Crawler, Explainer, FileSummary, LintFilter, Linter, MatrixRow, Page, TreeNode, Usage,
    Who, Why, matrix, report_lines, svg, target,
};
use serde::Serialize;

use crate::answers::json;
use crate::error::Wrong;
use crate::frame::Frame;
use crate::settings::Settings;

type Json = Result<Vec<u8>, Wrong>;

/// Answers a call, if this module has the function.
pub(crate) fn answer(function: &str, frame: &Frame<'_>, settings: &Settings) -> Json {
    let body = frame.bytes("body");
    match function {
        "explain" => explain(frame, body, settings),
        "inspect" => json(&explainer(settings).inspect(body)?),
        "lint" => lint(frame, body, settings),
        "test" => test(frame, body, settings),
        "why" => json(&Why::new(body, &settings.verdicts, settings.groups(), url(frame)?)),
        "usage" => json(&Usage::new(body, &settings.verdicts, settings.groups(), url(frame)?)),
        "matrix" => rows(frame, body, settings),
        "tree" => tree(body, settings),
        "treeSvg" => {
            let title = frame.text("title").unwrap_or("robots.txt");
            json(&svg(title, &explainer(settings).tree(body)))
        }
        "diff" => diff(body, frame, settings),
        "crawlers" => json(&Crawler::every().map(KnownCrawler::of).collect::<Vec<_>>()),
        _ => Err(Wrong::missing(format!("there is no function {function:?} in this module"))),
    }
}

fn explainer(settings: &Settings) -> Explainer {
    let explainer = settings.named().cloned().map_or_else(Explainer::all_agents, Explainer::for_agents);
    explainer.options(settings.verdicts.clone())
}

/// The URL of a call.
fn url<'f>(frame: &Frame<'f>) -> Result<&'f str, Wrong> {
    let url = frame.text("url").unwrap_or_default();
    target::check(url.as_bytes()).map_err(|message| Wrong::range(format!("url: {message}")))?;
    Ok(url)
}

/// A whole number, if it was given.
fn number(frame: &Frame<'_>, name: &str) -> Option<usize> {
    frame.text(name).and_then(|text| text.parse().ok())
}

/// Whether the same is wanted in words.
fn has_words(frame: &Frame<'_>) -> bool {
    frame.text("words") == Some("true")
}

fn explain(frame: &Frame<'_>, body: &[u8], settings: &Settings) -> Json {
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
    let mut page = explainer(settings).page(body);
    // A file can have 512,000 lines, and who shows it shows a part.
    let part = number(frame, "first_line").zip(number(frame, "most_lines"));
    let total_lines = part.map(|_| page.lines.len());
    if let Some((first, most)) = part {
        page.lines = page.lines.into_iter().skip(first.saturating_sub(1)).take(most).collect();
    }
    if !has_words(frame) {
        return json(&Told { page: &page, total_lines, words: None });
    }
    let findings = |line: &robosieve_explain::PageLine<'_>| {
        line.findings.iter().map(robosieve_explain::ExplainedFinding::words).collect()
    };
    let lines = page.lines.iter().map(|line| (line.words(), findings(line))).collect();
    let who = page.who.clone().unwrap_or_else(Who::all);
    let words = Words { lines, report: report_lines(&who, &page.report) };
    json(&Told { page: &page, total_lines, words: Some(words) })
}

fn lint(frame: &Frame<'_>, body: &[u8], settings: &Settings) -> Json {
    let linted = Linter::default().options(settings.options.clone()).lint(body);
    let heard = LintFilter::default().apply(&linted, body);
    json(&match number(frame, "most") {
        Some(most) => heard.at_most(most),
        None => heard,
    })
}

/// What `robosieve test --ndjson` answers.
fn test(frame: &Frame<'_>, body: &[u8], settings: &Settings) -> Json {
    #[derive(Serialize)]
    struct Answers<'u> {
        #[serde(flatten)]
        found: FileSummary,
        results: Vec<Tested<'u>>,
    }
    #[derive(Serialize)]
    struct Tested<'u> {
        url: &'u str,
        #[serde(flatten)]
        outcome: Outcome,
        #[serde(skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Outcome {
        Answer(Answer),
        Problem { error: Problem },
    }
    #[derive(Serialize)]
    struct Problem {
        kind: &'static str,
        message: String,
    }
    let groups = settings.groups();
    let set = Parser::new(settings.verdicts.clone()).for_agents(groups.interest().clone()).parse(body);
    let selection = Selection::of(&set, &groups);
    selection.check()?;
    let (tester, who) = (robosieve::Tester::of(&selection), Who::new(selection.answered_by(), &groups));
    let answer = |url: &str| match target::check(url.as_bytes()) {
        Ok(()) => Outcome::Answer(Answer::new(&tester.test(url.as_bytes()), &who)),
        Err(message) => Outcome::Problem { error: Problem { kind: "bad-url", message } },
    };
    let results = frame.texts("url").map(|url| {
        let outcome = answer(url);
        let words = match &outcome {
            Outcome::Answer(answer) if has_words(frame) => Some(answer.words()),
            _ => None,
        };
        Tested { url, outcome, words }
    });
    json(&Answers { results: results.collect(), found: FileSummary::new(selection.report()) })
}

fn rows(frame: &Frame<'_>, body: &[u8], settings: &Settings) -> Json {
    #[derive(Serialize)]
    struct Rows<'u> {
        urls: &'u [&'u str],
        rows: &'u [MatrixRow],
    }
    let urls: Vec<&str> = frame.texts("url").collect();
    for url in &urls {
        target::check(url.as_bytes()).map_err(|message| Wrong::range(format!("urls: {message}")))?;
    }
    let mut agents: Vec<&str> = frame.texts("agent").collect();
    let kind = frame.text("crawlers");
    if let Some(kind) = kind.filter(|kind| *kind != "all" && !Crawler::KINDS.contains(kind)) {
        let kinds = Crawler::KINDS.join(", ");
        return Err(Wrong::range(format!("crawlers: there is no kind {kind:?}: the kinds are all, {kinds}")));
    }
    let is_wanted = |crawler: &&Crawler| match kind {
        Some(kind) => kind == "all" || crawler.is(kind),
        None => crawler.documented,
    };
    if kind.is_some() || agents.is_empty() {
        agents.extend(Crawler::every().filter(is_wanted).map(|crawler| &*crawler.token));
    }
    let mut seen = HashSet::new();
    agents.retain(|agent| seen.insert(agent.to_ascii_lowercase()));
    let rows: Vec<_> = matrix(body, &settings.verdicts, settings.names, agents, urls.iter().copied()).collect();
    json(&Rows { urls: &urls, rows: &rows })
}

fn tree(body: &[u8], settings: &Settings) -> Json {
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
    let tree = explainer(settings).tree(body);
    json(&Nodes { nodes: tree.nodes.iter().map(|node| Node { node, words: node.words() }).collect() })
}

fn diff(old: &[u8], frame: &Frame<'_>, settings: &Settings) -> Json {
    let new = frame.bytes("new");
    if let Some(groups) = settings.named() {
        let sieve = settings.sieve_for_verdicts();
        let (old, new) = (sieve.run(old)?, sieve.run(new)?);
        let diff = Diff::of(old.records(), new.records());
        let whose = [&old, &new].map(|one| Who::new(one.answered_by(), groups));
        return json(&Changes::for_one(&diff, old.report(), new.report()).of(&whose));
    }
    let parser = Parser::new(settings.verdicts.clone());
    let (old, new) = (parser.parse(old), parser.parse(new));
    let diff = AgentsDiff::of_names(&old, &new, settings.names)?;
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
