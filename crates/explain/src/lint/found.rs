//! The parser's findings, in the words of the file's owner.
//!
//! Invariant: each finding of the parser is a lint, but for the lines of a file that is no robots.txt and has no group:
//! these are counted.

use std::num::NonZeroU32;
use std::sync::LazyLock;

use robosieve::lines::{FileLines, LineMeaning, LogicalLine, Part};
use robosieve::records::{Directive, RuleKind};
use robosieve::report::{Effect, Finding, FindingKind};

use super::advice::{self, Site};
use super::drafts::{Draft, Drafts, Unlisted};
use super::edit::Edit;
use super::google::Googles;
use super::{Lint, LintKind, Severity, groups, shown, values};
use crate::counted::listed;
use crate::table::rows;
use crate::{LineNumber, number};

/// Adds a lint for each finding.
pub(super) fn lint(file: &FileLines<'_>, site: &Site, googles: &Googles<'_, '_>, drafts: &mut Drafts) {
    let details = file.report().details();
    let mut unread = Unread::default();
    let mut lines = file.iter().peekable();
    for finding in details {
        while let Some(line) = lines.next_if(|line| line.number() < finding.line) {
            unread.pass(&line);
        }
        let Some(line) = file.line_at(finding.line) else { continue };
        let mut finding = *finding;
        if finding.kind == FindingKind::AgentList && line.parts().any(|part| part.directive != Directive::UserAgent) {
            finding.kind = FindingKind::GluedDirective;
        }
        let mut draft = of(finding, &line);
        if let Some((edit, claim)) = advice::edit(finding, &line, site) {
            draft = Draft { edit: Some(edit), claim, ..draft };
        }
        if let Some(directive) = advice::slip(finding.kind, &line) {
            did_you_mean(directive, &line, &mut draft.lint);
        }
        match finding.kind {
            FindingKind::GluedDirective | FindingKind::GluedRule => lost_line_end(&line, &mut draft.lint),
            FindingKind::RuleWithoutAgent => unread.explain(&mut draft),
            FindingKind::UrlInRule => other_site(&line, site, &mut draft.lint),
            FindingKind::Fragment => whole_site(&line, &mut draft.lint),
            FindingKind::AgentCut => where_cut(&line, &mut draft.lint),
            FindingKind::JoinedRecords => who_shares(file, &line, &mut draft.lint),
            FindingKind::SeveralPaths => {
                second_colon(&line, &mut draft);
                stray_blanks(&line, &mut draft.lint);
            }
            FindingKind::InvalidValue | FindingKind::RelativeUrl => signs_around(&line, &mut draft),
            FindingKind::NotAField | FindingKind::UnknownDirective | FindingKind::AlmostDirective => {
                without_standard(&line, &mut draft);
                if matches!(line.name().map(|name| name.to_ascii_lowercase()).as_deref(), Some(b"http" | b"https")) {
                    draft.lint.say(
                        "crawlers ignore this line: it is a URL alone",
                        "write `Sitemap:` before it, if it is a sitemap",
                    );
                }
                if let Some(words) = googles.words_of(finding.line) {
                    draft.lint.message = format!("Google reads this line as `{words}`; others ignore it");
                }
            }
            _ => {}
        }
        drafts.push(draft);
    }
}

/// Whether all lints of a file are looked for: it may be a robots.txt file, or it has a group.
pub(super) fn shows_all(file: &FileLines<'_>) -> bool {
    file.report().input().may_be_robots_txt() || file.records().records().any(|record| !record.agents().is_empty())
}

/// `[lint.not-robots]`: a file that is something else has one finding, the first. It says how many others there are.
pub(super) fn not_robots(
    file: &FileLines<'_>,
    what: &str,
    shows_all: bool,
    drafts: &mut Vec<Draft>,
    more: &mut Vec<Unlisted>,
) {
    const KIND: LintKind = LintKind::Found(FindingKind::NotRobotsTxt);
    let Some(first) = file.iter().next() else { return };
    drafts.retain(|draft| draft.lint.kind != KIND);
    let hidden = if shows_all { 0 } else { drafts.len().saturating_add(more.len()) };
    if !shows_all {
        (*drafts, *more) = (Vec::new(), Vec::new());
    }
    let are = if hidden == 1 { "finding is" } else { "findings are" };
    let others = if hidden > 0 { format!("; {hidden} other {are} not shown") } else { String::new() };
    let message = format!("this is not a robots.txt file: it looks like {what}{others}");
    let found = file.report().details().iter().find(|one| one.kind == FindingKind::NotRobotsTxt);
    let effect = found.map_or(Effect::None, |one| one.effect);
    drafts.insert(0, Lint { effect, message, ..Lint::new(KIND, &first) }.into());
}

fn of(finding: Finding, line: &LogicalLine<'_, '_>) -> Draft {
    let kind = finding.kind;
    let mut lint = Lint { effect: finding.effect, ..Lint::new(LintKind::Found(kind), line) };
    if matches!(kind, FindingKind::InvalidValue | FindingKind::RepairedValue) && values::lacks_commas(line) {
        lint.help = values::COMMAS.into();
    }
    // A field that is left empty is seldom a mistake that matters.
    if kind == FindingKind::InvalidValue && line.value().is_none_or(|value| value.trim_ascii().is_empty()) {
        lint.severity = Severity::Warning;
    }
    lint.into()
}

/// `[lint.glued]`: the lines that it should be.
fn lost_line_end(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let parts: Vec<Part<'_>> = line.parts().collect();
    if parts.iter().all(|part| part.directive == Directive::Sitemap && !part.value.is_empty()) {
        *lint = Lint { effect: lint.effect, ..Lint::new(LintKind::JoinedSitemaps, line) };
        return;
    }
    if !matches!(line.meaning(), LineMeaning::UserAgent | LineMeaning::Rule(_)) {
        lint.message = "two directives are on one line: the second is read as a part of the value of the first".into();
    }
    let is_of_line = |part: &&Part<'_>| !(part.name.is_empty() && part.value.is_empty());
    let own = shown(line.name().unwrap_or_default());
    let words = |part: &Part<'_>| {
        let field = format!("{}: {}", part.directive.name().unwrap_or(&own), shown(part.value));
        format!("`{}`", field.trim_end())
    };
    let lines: Vec<String> = parts.iter().filter(is_of_line).take(MOST_PARTS).map(words).collect();
    let more = if parts.len() > lines.len().saturating_add(1) { " …" } else { "" };
    lint.help = format!("write each directive on a line of its own: {}{more}", lines.join(", "));
}

/// The lines that a help names.
const MOST_PARTS: usize = 4;

/// `[lint.slips]`: a name that is one slip of the pen away from that of a directive.
fn did_you_mean(directive: Directive, line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let (Some(name), written) = (directive.name(), line.name().map(|name| shown(name))) else { return };
    let written = written.map_or_else(|| "this name".into(), |written| format!("`{written}`"));
    lint.message = format!("crawlers ignore this line, because they do not know {written}: did you mean `{name}`?");
    lint.help = format!("write `{name}:`");
}

/// A name that some files use and no standard has. Others may read it, so there is no edit.
fn without_standard(line: &LogicalLine<'_, '_>, draft: &mut Draft) {
    let name = line.name().map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
    if let Some(what) = name_without_standard(&name) {
        draft.lint.message =
            format!("crawlers ignore this line: no standard of robots.txt has its name, which is {what}");
        draft.lint.help = "nothing to do, if it is meant for others".into();
        draft.edit = None;
    }
}

/// A fragment right after the `/`: the rule is for all of the site.
fn whole_site(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    if let (LineMeaning::Rule(kind), Some(b"/")) = (line.meaning(), line.value().map(|value| value.trim_ascii())) {
        let verb = if kind == RuleKind::Allow { "allows" } else { "disallows" };
        lint.message = format!("`#` begins a comment, so this is `{kind}: /`: it {verb} the whole site");
        lint.severity = Severity::Error;
    }
}

/// The crawlers above the last run of user-agent lines of a group, for which its rules were probably not meant.
fn who_shares(file: &FileLines<'_>, line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let Some(record) = line.record() else { return };
    let is_between = |number: &u32| {
        let meaning = file.line_at(NonZeroU32::new(*number)).map(|line| line.meaning());
        !matches!(meaning, Some(LineMeaning::UserAgent | LineMeaning::Empty | LineMeaning::Comment))
    };
    let last = record.agents().last().map_or(0, |agent| number(agent.line()));
    let first = number(line.number());
    let end = (first..last).rev().find(is_between).unwrap_or(first);
    let above = record.agents().iter().take_while(|agent| agent.line() < NonZeroU32::new(end));
    let mut above: Vec<String> = above.map(|agent| format!("`{}`", shown(agent.name()))).collect();
    above.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
    let rules = record.rules().iter().filter(|rule| !rule.pattern().is_empty()).map(groups::words).collect::<Vec<_>>();
    lint.message = format!(
        "this user-agent line continues the group above, so its rules apply to {}, too: {}",
        listed(&above, groups::LISTED),
        listed(&rules, groups::LISTED)
    );
}

/// A name that ends at a letter of another script, or at a sign that nobody sees.
fn where_cut(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let value = line.value().map(|value| value.trim_ascii()).and_then(|value| std::str::from_utf8(value).ok());
    let Some(one) = value.and_then(|value| value.chars().find(|one| !one.is_ascii())) else { return };
    let code = u32::from(one);
    lint.message = if robosieve_printable::is_shown(one) && one.is_alphabetic() {
        format!("the crawler's name ends at `{one}` (U+{code:04X}): names have the letters a to z only")
    } else {
        format!("the crawler's name ends at a sign that is not seen as what it is (U+{code:04X})")
    };
    lint.help = "type the name again, as the crawler's owner documents it".into();
}

/// `Disallow:: /path`: the second colon is a part of the path.
fn second_colon(line: &LogicalLine<'_, '_>, draft: &mut Draft) {
    let value = line.value().map(|value| value.trim_ascii()).unwrap_or_default();
    let LineMeaning::Rule(kind) = line.meaning() else { return };
    let Some(path) = value.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else { return };
    if path.starts_with(b"/") {
        draft.lint.say("the second colon is read as a part of the path", "write one colon");
        draft.edit = Edit::of_field(line, kind.name(), path);
    }
}

/// `Disallow: / a /`: a blank is in the path, and no second path.
fn stray_blanks(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let value = line.value().unwrap_or_default().trim_ascii();
    let parts = || value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|part| !part.is_empty());
    if parts().any(|part| part == b"/") && parts().any(|part| !part.starts_with(b"/")) {
        lint.say(
            "a blank is in the path: crawlers read it as `%20`, or end the path there",
            "write the path without blanks, or a line for each path",
        );
    }
}

/// `Sitemap: (https://host/s.xml)`: signs around a URL.
fn signs_around(line: &LogicalLine<'_, '_>, draft: &mut Draft) {
    let LineMeaning::Extension(directive @ (Directive::Sitemap | Directive::License)) = line.meaning() else { return };
    let Ok(value) = std::str::from_utf8(line.value().unwrap_or_default().trim_ascii()) else { return };
    let url =
        value.trim_matches(|one: char| "()[]<>{}\"'`,;".contains(one) || !one.is_ascii() && !one.is_alphanumeric());
    let is_url = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) && !url.contains([' ', '\t']);
    if url != value && is_url {
        draft.lint.say(
            "the signs around the URL are read as a part of it, so crawlers ignore the line",
            "write the URL alone",
        );
        draft.edit = directive.name().and_then(|name| Edit::of_field(line, name, url.as_bytes()));
    }
}

/// A rule of another site: its path is no rule of this one.
fn other_site(line: &LogicalLine<'_, '_>, site: &Site, lint: &mut Lint) {
    let url = String::from_utf8_lossy(line.value().map(|value| value.trim_ascii()).unwrap_or_default()).into_owned();
    if !site.may_have(&url) {
        lint.say(
            "a rule needs a path: this is the URL of another site, which has its own robots.txt",
            "delete the line, or write the path on this site that is meant",
        );
    }
}

/// The last line that its owner probably took for a user-agent line, and that names nobody.
#[derive(Default)]
struct Unread {
    line: LineNumber,
    has_agent: bool,
}

impl Unread {
    /// Takes the next line of the file.
    fn pass(&mut self, line: &LogicalLine<'_, '_>) {
        let is_almost = || {
            let text = line.bytes().to_ascii_lowercase();
            let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
            has(b"user") && has(b"agent")
        };
        match line.meaning() {
            LineMeaning::UserAgent if line.kept().is_some() && !is_nameless(line) => {
                *self = Self { line: None, has_agent: true }
            }
            LineMeaning::UserAgent => self.line = line.number(),
            LineMeaning::NoField | LineMeaning::UnknownField | LineMeaning::Comment if is_almost() => {
                self.line = line.number();
            }
            _ => {}
        }
    }

    /// Says why a rule is in no group.
    fn explain(&self, draft: &mut Draft) {
        match self.line {
            Some(line) => {
                draft.lint.message = format!("this rule applies to no crawler: line {line}, above it, names none");
                draft.lint.help = format!("correct line {line}: `User-agent:` and the name of a crawler");
                draft.edit = None;
            }
            None if self.has_agent => {
                draft.lint.message = "this rule is in no group, so it applies to no crawler".into();
            }
            None => {}
        }
    }
}

fn is_nameless(line: &LogicalLine<'_, '_>) -> bool {
    line.findings().iter().any(|finding| finding.kind == FindingKind::AgentWithoutToken)
}

/// What the name of a line is elsewhere, if some files have it although no standard gives it a meaning in robots.txt.
fn name_without_standard(name: &str) -> Option<&'static str> {
    static NAMES: LazyLock<Vec<[&str; 2]>> =
        LazyLock::new(|| rows(include_str!("../../data/without_standard.tsv")).collect());
    let is = |known: &str| match name.get(..known.len()) {
        Some(front) => front.eq_ignore_ascii_case(known) && (name.len() == known.len() || known.ends_with('-')),
        None => false,
    };
    NAMES.iter().find(|[known, _]| known.split(' ').any(is)).map(|[_, what]| *what)
}
