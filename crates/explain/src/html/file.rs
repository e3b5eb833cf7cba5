//! The page of a file: what applies to the agents, findings, paths, and the file line by line.
//!
//! Invariant: the page has what [`Explainer`] and [`Linter`] return, and the tree of the tester's answers.

use std::collections::{BTreeMap, BTreeSet};

use robosieve::settings::Options;

use super::{add_paths, begin, end, left_out};
use crate::counted::counted_len;
use crate::explainer::Explainer;
use crate::explainer::Standing;
use crate::inspection::{Inspection, Section};
use crate::lint::silence::LintFilter;
use crate::lint::{Lint, LintKind, Linted, Linter, Severity};
use crate::markup::{Markup, capital};
use crate::page::Page;
use crate::page_line::PageLine;
use crate::printable::{escape_short, harmless_short};
use crate::report::exactness;
use crate::tree::Tree;

/// The lines of a file that a page shows. Our choice: of 2,111 real files, three have more.
const MAX_LINES: usize = 2_500;
/// The size of the page after which no lines follow. Our choice: lines of printable ASCII never reach it.
const FULL: usize = 2_000_000;
/// The findings that a page describes in full, of each kind and in all. Our choice.
const MAX_OF_A_KIND: usize = 5;
const MAX_LINTS: usize = 100;
/// The values that a page shows of a list. Our choice.
const MAX_VALUES: usize = 50;

/// Where the specification can be read.
const SOURCE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// A web page about a file: what applies to the explainer's agents, what its owner would want to know, its paths as a
/// tree, and each line with its meaning. The name is shown as the heading. If the explainer is for all agents, the page
/// says what applies to crawlers that no group names.
///
/// The page is one file without scripts, and loads nothing. It has at most 4 MB: 2,500 lines of the file, 100 findings
/// and [`Tree::MAX_NODES`] paths. It says what it leaves out.
///
/// ```
/// use robosieve_explain::{Explainer, explained_html};
///
/// let page = explained_html("robots.txt", b"User-agent: *\nDisallow: /<b>\n", &Explainer::new(["MyBot"]));
/// assert!(page.contains("group * applies, line 1") && page.contains("/&lt;b&gt;") && !page.contains("<script"));
/// ```
#[must_use]
pub fn explained_html(name: &str, input: &[u8], explainer: &Explainer) -> String {
    // One after the other, and each given up before the next one: they are large.
    let (findings, wrong) = lints(input, &explainer.options);
    let mut paths = Markup::default();
    add_tree(&mut paths, &explainer.tree(input));
    let inspected = explainer.inspect(input).ok();
    let mut page = begin(&harmless_short(name, 200));
    let (lines, all) = explainer.first_lines(input, MAX_LINES);
    add_headline(&mut page, explainer, input, &lines, wrong);
    page.append(&findings);
    add_summary(&mut page, &explainer.whose(), &lines, inspected.as_ref());
    drop(inspected);
    page.append(&paths);
    add_lines(&mut page, &lines, all, explainer.groups.is_some());
    end(page)
}

/// The answer in one sentence, and whether the lines do what they seem to.
fn add_headline(page: &mut Markup, explainer: &Explainer, input: &[u8], shown: &Page<'_>, wrong: usize) {
    let standing = explainer.standing(input);
    page.raw(match standing {
        _ if shown.refused.is_some() => "<p class=\"headline no\"><span class=\"sign\">&#10007;</span> ",
        Standing::Open => "<p class=\"headline yes\"><span class=\"sign\">&#10003;</span> ",
        Standing::Partly => "<p class=\"headline\"><span class=\"sign\">&#x25D0;</span> ",
        Standing::Closed => "<p class=\"headline no\"><span class=\"sign\">&#10007;</span> ",
    });
    match shown.refused {
        None => page.text(&explainer.standing_words(standing)),
        Some(refused) => page.text(&refused.to_string()),
    };
    page.element("</p>\n<p>", &lines_wrong(wrong), "</p>\n");
}

/// How many lines do not do what they seem to.
fn lines_wrong(wrong: usize) -> String {
    match wrong {
        0 => "Every line does what it seems to.".into(),
        1 => "1 line does not do what it seems to.".into(),
        _ => format!("{} do not do what they seem to.", counted_len(wrong, "line", "lines")),
    }
}

fn add_summary(page: &mut Markup, who: &str, explained: &Page<'_>, inspected: Option<&Inspection>) {
    page.raw("<section>\n<h2>What applies</h2>\n").element("<p>For <strong>", who, "</strong>: ");
    match (inspected, explained.refused) {
        (Some(found), None) => page.rich(&found.heading()),
        (_, Some(refused)) => page.element("<strong>", &refused.to_string(), "</strong>"),
        (None, None) => page.text("refused"),
    };
    page.raw(".</p>\n");
    if let Some(inspected) = inspected {
        add_facts(page, inspected);
    }
    page.element("<p class=\"note\">Its canonical text: ", &exactness(&explained.report), ".</p>\n</section>\n");
}

fn add_facts(page: &mut Markup, inspected: &Inspection) {
    page.raw("<dl class=\"facts\">\n");
    for section in inspected.sections() {
        match section {
            // The tree shows them.
            Section::List(name, _) if name.starts_with("rules") => {}
            Section::Value(name, value) => add_values(page, name, &[value]),
            Section::List(name, values) => add_values(page, name, &values),
        }
    }
    page.raw("</dl>\n");
}

fn add_values(page: &mut Markup, name: &str, values: &[String]) {
    page.element("<dt>", name, "</dt>\n");
    page.some(values, MAX_VALUES, ["<dd class=\"more\">", "</dd>\n"], |page, value| {
        page.element("<dd>", &harmless_short(value, 300), "</dd>\n");
    });
}

/// What the owner would want to know, each kind with its lines; and how many lines do not do what they seem to. Comments
/// of the file silence what they name, and are counted.
fn lints(input: &[u8], options: &Options) -> (Markup, usize) {
    let linted = Linter::default().options(options.clone()).lint(input);
    let heard = LintFilter::default().apply(&linted, input);
    let mut page = Markup::default();
    page.raw("<section>\n<h2>Findings</h2>\n");
    let counts = Severity::ALL.map(|severity| {
        let one = severity.as_str();
        counted_len(heard.count(severity), one, &format!("{one}s"))
    });
    let silenced =
        if heard.silenced > 0 { format!("; {} silenced by comments", heard.silenced) } else { String::new() };
    page.element("<p>", &format!("{}{silenced}", counts.join(", ")), ".</p>\n");
    let all = heard.counted.lints.len().saturating_add(heard.counted.unlisted);
    let mut shown: usize = 0;
    for severity in Severity::ALL {
        let mut of_kinds: BTreeMap<LintKind, Vec<&Lint>> = BTreeMap::new();
        for lint in heard.counted.lints.iter().filter(|lint| lint.severity == severity) {
            let of_kind = of_kinds.entry(lint.kind).or_default();
            if shown < MAX_LINTS && of_kind.len() < MAX_OF_A_KIND {
                of_kind.push(lint);
                shown = shown.saturating_add(1);
            }
        }
        let mut cards: Vec<_> = of_kinds.into_values().filter(|lints| !lints.is_empty()).collect();
        cards.sort_by_key(|lints| lints.first().map(|lint| lint.line));
        for lints in &cards {
            add_lints(&mut page, lints, &linted);
        }
    }
    if let Some(more @ 1..) = all.checked_sub(shown) {
        let more = counted_len(more, "more finding", "more findings");
        left_out(&mut page, &format!("And {more}: robosieve lint --all shows all."));
    }
    page.raw("</section>\n");
    let is_wrong = |lint: &&&Lint| lint.severity != Severity::Note;
    let wrong: BTreeSet<u32> = heard.counted.lints.iter().filter(is_wrong).map(|lint| lint.line).collect();
    (page, wrong.len())
}

/// Findings of a kind: what is the matter, and each line with what to write instead.
fn add_lints(page: &mut Markup, lints: &[&Lint], linted: &Linted<'_>) {
    let Some(first) = lints.first() else { return };
    page.raw(match first.severity {
        Severity::Error => "<div class=\"lint error\"><p>",
        Severity::Warning => "<div class=\"lint warning\"><p>",
        Severity::Note => "<div class=\"lint note\"><p>",
    });
    page.element("<strong>", &capital(first.severity.as_str()), "</strong>: ").sentence(&first.message);
    add_help(page, first, None);
    page.raw(" <small>");
    add_clause(page, first.clause);
    page.raw("</small></p>\n<ul class=\"quotes\">\n");
    let mut before = *first;
    for lint in lints {
        page.raw("<li>");
        add_link(page, lint.line);
        page.element("<code>", &escape_short(linted.line(lint.line)), "</code>");
        // What is said of several lines is said once.
        if lint.message != before.message {
            page.raw("<span>").sentence(&lint.message);
            add_help(page, lint, Some(before));
            page.raw("</span>");
        }
        before = lint;
        add_fix(page, lint);
        page.raw("</li>\n");
    }
    page.raw("</ul>\n</div>\n");
}

fn add_help(page: &mut Markup, lint: &Lint, before: Option<&Lint>) {
    if !lint.help.is_empty() && before.is_none_or(|before| before.help != lint.help) {
        page.raw(" <span class=\"soft\">").sentence(&lint.help).raw("</span>");
    }
}

fn add_fix(page: &mut Markup, lint: &Lint) {
    let Some(fix) = &lint.fix else { return };
    page.raw(if fix.edit.lines.is_empty() { "<span>delete it" } else { "<span class=\"instead\">write" });
    for (place, line) in fix.edit.lines.iter().enumerate() {
        page.raw(if place == 0 { " " } else { "<br>" }).element("<code>", &escape_short(line.as_bytes()), "</code>");
    }
    page.raw(" <span class=\"why\">(").rich(&fix.words()).raw(")</span></span>");
}

/// A link to a line below, if the page shows it.
fn add_link(page: &mut Markup, line: u32) {
    if usize::try_from(line).is_ok_and(|line| (1..=MAX_LINES).contains(&line)) {
        page.raw("<a href=\"#L").number(line).raw("\">line ").number(line).raw("</a>");
    } else {
        page.raw("line ").number(line);
    }
}

fn add_tree(page: &mut Markup, tree: &Tree) {
    page.raw("<section>\n<h2>Paths</h2>\n");
    page.raw("<p>What the rules speak of. Each path or pattern has the answer to its shortest example, as ");
    page.raw("<code>robosieve test</code> gives it. Deeper paths have the answer of what is above them.</p>\n");
    add_paths(page, tree);
    page.raw("</section>\n");
}

fn add_lines(page: &mut Markup, explained: &Page<'_>, all: usize, has_agent: bool) {
    page.raw("<section>\n<h2>The file</h2>\n");
    if has_agent {
        page.raw("<p>Lines with the mark <b class=\"ours\">&gt;</b> apply.</p>\n");
    }
    page.raw("<ol class=\"file\">\n");
    let mut shown: usize = 0;
    for line in &explained.lines {
        if page.len() > FULL {
            break;
        }
        add_line(page, line);
        shown = shown.saturating_add(1);
    }
    page.raw("</ol>\n");
    if let Some(more @ 1..) = all.checked_sub(shown) {
        left_out(page, &format!("And {}.", counted_len(more, "more line", "more lines")));
    }
    page.raw("</section>\n");
}

fn add_line(page: &mut Markup, line: &PageLine<'_>) {
    page.raw("<li id=\"L").number(line.number);
    page.raw(if line.ours { "\" class=\"ours\"><b>&gt;</b>" } else { "\"><b></b>" });
    page.raw("<span class=\"n\">").number(line.number).raw("</span>");
    page.element("<code>", &escape_short(&line.bytes), "</code>");
    let words = line.long_words();
    if !words.is_empty() {
        page.element("<span class=\"meaning\">", &words, "</span>");
    }
    for finding in &line.findings {
        page.element("<em>", &finding.without_clause(), " ");
        add_clause(page, finding.clause);
        page.raw("</em>");
    }
    page.raw("</li>\n");
}

/// The clause of the specification that a sentence comes from, as a link that is followed by hand only.
fn add_clause(page: &mut Markup, clause: &'static str) {
    page.raw("<a rel=\"noreferrer\" href=\"").raw(SOURCE);
    page.raw(if clause.starts_with("lint.") { "crates/explain/SPEC.md" } else { "SPEC.md" });
    page.raw("#:~:text=%5B").raw(clause).raw("%5D\">").raw(clause).raw("</a>");
}
