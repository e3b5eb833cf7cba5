//! Lints of groups: groups that drop what `*` says, repeated ones, and runs of user-agent lines that close a site.
//!
//! Invariant: each group is looked at once. What a group drops is what its tester allows and that of `*` does not.

use std::collections::{BTreeMap, BTreeSet};

use robosieve::Tester;
use robosieve::lines::FileLines;
use robosieve::records::{AgentLine, Record, Rule, RuleKind, Selection};
use robosieve::report::FindingKind;
use robosieve::settings::Interest;
use robosieve_diff::{Coverage, Share};

use super::drafts::Drafts;
use super::{LintKind, shown};
use crate::counted::listed;
use crate::crawlers::Crawler;
use crate::tree::example;
use crate::{LineNumber, number};

/// The groups and the rules for `*` that are compared. Our choice: what people read.
const MOST_GROUPS: usize = 100;
const MOST_RULES: usize = 100;
/// The lines that a lint lists.
pub(super) const LISTED: usize = 3;

/// `[lint.groups]`, `[lint.dropped]`, `[lint.joined]`
pub(super) fn lint(file: &FileLines<'_>, drafts: &mut Drafts) {
    let mut groups = Groups { file, drafts };
    if file.records().records().all(|record| record.agents().is_empty()) {
        return groups.none();
    }
    let everyone = Interest::everyone();
    let everyone = Selection::of(file.records(), &everyone);
    let closed = closed_paths(&everyone);
    groups.repeated(&closed);
    groups.dropped(&closed);
    groups.joined();
    groups.closed();
}

/// Search engines whose closed group is a note: for most sites it is a mistake. Our choice.
const SEARCH_ENGINES: [&str; 2] = ["Googlebot", "Bingbot"];
/// The steps of the proofs that groups close a site. Our choice: 20 ms.
const MOST_STEPS: usize = 1_000_000;

struct Groups<'c, 'a> {
    file: &'c FileLines<'a>,
    drafts: &'c mut Drafts,
}

impl Groups<'_, '_> {
    /// A file without a group.
    fn none(&mut self) {
        let Some(line) = self.file.iter().next() else { return };
        let has_rules = self.file.iter().any(|line| matches!(line.meaning(), robosieve::lines::LineMeaning::Rule(_)));
        if !has_rules {
            self.drafts.at(Some(line), LintKind::NoGroup, None);
        }
    }

    fn repeated(&mut self, closed: &[(String, Vec<u8>)]) {
        let records = self.file.records();
        let everyone_has_rules = records.records().any(|record| is_for_everyone(record) && disallows(record));
        let with_rules: BTreeSet<Vec<u8>> =
            records.records().filter(|record| !record.rules().is_empty()).flat_map(names_of).collect();
        let closed: Vec<String> = closed.iter().map(|(rule, _)| rule.clone()).collect();
        let opens = if closed.is_empty() { String::new() } else { format!(", also {}", listed(&closed, LISTED)) };
        let mut first_groups: BTreeMap<Vec<u8>, LineNumber> = BTreeMap::new();
        let mut several = BTreeSet::new();
        for record in records.records() {
            let first_line = record.agents().first().and_then(AgentLine::line);
            for agent in record.agents() {
                let name = agent.name().to_ascii_lowercase();
                let is_named = !name.is_empty() && !agent.is_everyone();
                if is_named && everyone_has_rules && !with_rules.contains(&name) {
                    let name = shown(agent.name());
                    self.at(
                        LintKind::GroupWithoutRules,
                        agent.line(),
                        format!("the group of {name} has no rule, so {name} may fetch everything{opens}"),
                    );
                }
                let first = *first_groups.entry(name.clone()).or_insert(first_line);
                if first != first_line {
                    several.insert(name);
                    let name = shown(agent.name());
                    self.at(
                        LintKind::RepeatedGroup,
                        agent.line(),
                        format!("{name} has a group at line {} already: both count as one", number(first)),
                    );
                }
            }
        }
        several.iter().take(MOST_GROUPS).for_each(|name| self.opposite(name));
    }

    /// `[lint.rules]`: rules of several groups of a crawler that say the opposite of one path, the later one.
    fn opposite(&mut self, name: &[u8]) {
        let mut seen: BTreeMap<Vec<u8>, (RuleKind, LineNumber, LineNumber)> = BTreeMap::new();
        let mut found = Vec::new();
        for record in self.file.records().records().filter(|record| names_of(*record).any(|one| one == name)) {
            let group = record.agents().first().and_then(AgentLine::line);
            for rule in record.rules().iter().filter(|rule| !rule.pattern().is_empty()) {
                let known = seen.entry(rule.pattern().as_bytes().to_vec()).or_insert((rule.kind(), rule.line(), group));
                if known.0 != rule.kind() && known.2 != group {
                    found.push((rule.line(), number(known.1)));
                }
            }
        }
        for (line, first) in found {
            let name = shown(name);
            let message =
                format!("line {first}, in another group of `{name}`, says the opposite of the same path: Allow wins");
            self.at(LintKind::OppositeRules, line, message);
        }
    }

    /// `[lint.dropped]`: what `*` is disallowed, and a crawler with a group of its own is not.
    fn dropped(&mut self, paths: &[(String, Vec<u8>)]) {
        let set = self.file.records();
        if paths.is_empty() {
            return;
        }
        let mut seen = BTreeSet::new();
        // An empty Disallow says that all is meant to be open.
        let of_crawlers = |record: &Record<'_, '_>| {
            !is_for_everyone(*record) && record.rules().iter().any(|rule| !rule.pattern().is_empty())
        };
        for record in set.records().filter(of_crawlers).take(MOST_GROUPS) {
            let Some(first) = record.agents().first() else { continue };
            let has_own = disallows(record);
            // For a crawler that never uses the rules for `*`, nothing is dropped.
            let ignores_everyone = || record.agents().iter().all(|agent| !uses_everyone(agent));
            if !has_own && ignores_everyone() {
                continue;
            }
            if !seen.insert(first.name().to_ascii_lowercase()) {
                continue;
            }
            let own = Selection::of(set, &Interest::new([first.name()]));
            let own_tester = Tester::of(&own);
            // Another group of the same crawler may disallow something.
            let has_own =
                has_own || own.rules().any(|rule| rule.kind() == RuleKind::Disallow && !rule.pattern().is_empty());
            let is_engine = |agent: &&AgentLine<'_>| {
                SEARCH_ENGINES.iter().any(|engine| agent.name().eq_ignore_ascii_case(engine.as_bytes()))
            };
            let engine = record.agents().iter().find(is_engine);
            let kind = match has_own {
                true => LintKind::GroupDropsRules,
                false if engine.is_some() => LintKind::EngineOpens,
                false => LintKind::GroupOpens,
            };
            // Some of the group may never use the rules for `*`.
            let agent = engine.or_else(|| record.agents().iter().find(|agent| uses_everyone(agent))).unwrap_or(first);
            let name = match record.agents().len() {
                1 => shown(agent.name()),
                more => format!("{} and {} more", shown(agent.name()), more.saturating_sub(1)),
            };
            let dropped: Vec<String> =
                paths.iter().filter(|(_, path)| own_tester.is_allowed(path)).map(|(rule, _)| rule.clone()).collect();
            if !dropped.is_empty() {
                self.at(
                    kind,
                    agent.line(),
                    format!(
                        "the rules for `*` do not apply to {name}, which may fetch what {} disallow{}: {}",
                        if dropped.len() == 1 { "this rule" } else { "these rules" },
                        if dropped.len() == 1 { "s" } else { "" },
                        listed(&dropped, LISTED)
                    ),
                );
            }
        }
    }

    /// `[lint.joined]`: `*` and other crawlers share a `Disallow: /` because a line between their user-agent lines does
    /// not end the group.
    fn joined(&mut self) {
        let set = self.file.records();
        let lines = self.file.report().details().iter().filter(|finding| finding.kind == FindingKind::JoinedRecords);
        let joined: Vec<LineNumber> = lines.map(|finding| finding.line).collect();
        if joined.is_empty() || Tester::new(set, &Interest::everyone()).is_allowed("/") {
            return;
        }
        for at in joined {
            let Some(line) = self.file.line_at(at) else { continue };
            let Some(record) = line.record() else { continue };
            let everyone = record.agents().iter().find(|agent| agent.is_everyone() && agent.line() < at);
            let closing = record.rules().iter().find(|rule| {
                rule.kind() == RuleKind::Disallow && matches!(rule.pattern().as_bytes(), b"/" | b"/*" | b"*")
            });
            let (Some(everyone), Some(closing)) = (everyone, closing) else { continue };
            self.at(
                LintKind::NobodyMayFetch,
                at,
                format!(
                    "the group of `*` (line {}) goes on here, so line {} is for all crawlers without a group of their own",
                    number(everyone.line()),
                    number(closing.line())
                ),
            );
        }
    }

    /// `[lint.closed]`: a site that is closed to all without a group of their own, or to a search engine, however it is
    /// written.
    fn closed(&mut self) {
        let set = self.file.records();
        let mut steps = MOST_STEPS;
        for name in std::iter::once("*").chain(SEARCH_ENGINES) {
            let interest = if name == "*" { Interest::everyone() } else { Interest::new([name]).fallback(false) };
            let selection = Selection::of(set, &interest);
            let coverage = Coverage::within(&selection, &mut steps);
            if coverage.share() != Share::All || !coverage.is_proved {
                continue;
            }
            let tester = Tester::of(&selection);
            let Some(rule) = tester.test("/").rule() else { continue };
            let message = if name == "*" {
                "this disallows the whole site to all crawlers without a group of their own".to_owned()
            } else {
                format!("this disallows the whole site to {name}, so a search engine shows none of its text")
            };
            self.at(LintKind::AllClosed, rule.line(), message);
        }
    }

    fn at(&mut self, kind: LintKind, line: LineNumber, message: String) {
        self.drafts.at(self.file.line_at(line), kind, message);
    }
}

/// What `*` is disallowed: the rules for people, and a path that each matches. None where all is closed to `*`: a group
/// of its own is then an exception that is meant.
fn closed_paths(everyone: &Selection<'_, '_>) -> Vec<(String, Vec<u8>)> {
    let tester = Tester::of(everyone);
    if !tester.is_allowed("/") {
        return Vec::new();
    }
    let rules = everyone.rules().filter(|rule| rule.kind() == RuleKind::Disallow);
    rules
        .map(|rule| (rule, example(rule.pattern().as_bytes())))
        .filter(|(_, path)| !tester.is_allowed(path))
        .take(MOST_RULES)
        .map(|(rule, path)| (words(rule), path))
        .collect()
}

/// A rule and its line.
pub(super) fn words(rule: &Rule<'_>) -> String {
    format!("`{}` (line {})", shown(rule.to_string().as_bytes()), number(rule.line()))
}

pub(super) fn is_for_everyone(record: Record<'_, '_>) -> bool {
    record.agents().iter().any(AgentLine::is_everyone)
}

fn disallows(record: Record<'_, '_>) -> bool {
    record.rules().iter().any(|rule| rule.kind() == RuleKind::Disallow && !rule.pattern().is_empty())
}

/// Whether the rules for `*` apply to a crawler without a group of its own.
fn uses_everyone(agent: &AgentLine<'_>) -> bool {
    let name = String::from_utf8_lossy(agent.name());
    Crawler::find(&name).is_none_or(|crawler| crawler.uses_everyone)
}

fn names_of(record: Record<'_, '_>) -> impl Iterator<Item = Vec<u8>> {
    record.agents().iter().map(|agent| agent.name().to_ascii_lowercase())
}
