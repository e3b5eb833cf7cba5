//! What an owner would want to know of lines that are valid: groups, rules and values that do less, or more, than they
//! seem to.
//!
//! Invariant: time grows in proportion to the file, but for one sort of the rules of each group.

use std::collections::{BTreeMap, BTreeSet};

use robosieve::line::{FileLines, LineMeaning, LogicalLine};
use robosieve::syntax::Directive;
use robosieve::value::{ContentUse, CrawlDelay};
use robosieve::{Options, Parser, Record, Rule, RuleKind, Sieve, TextForm};

use super::google::is_for_google;
use super::{Columns, Lint, LintKind, shown};
use crate::usage;

/// The longest crawl delay that is no reason for a warning, in seconds. A crawler then fetches 2,880 pages a day.
const LONG_DELAY: u64 = 30;

/// Adds the lints of groups, rules and values.
pub(super) fn lint(file: &FileLines<'_>, input: &[u8], options: &Options, lints: &mut Vec<Lint>) {
    let mut checks = Checks { file, lints, opposite: BTreeSet::new() };
    checks.groups();
    for record in file.records().records() {
        checks.rules(record);
    }
    checks.without_effect(input, options);
    checks.values();
    checks.uses();
}

struct Checks<'c, 'a> {
    file: &'c FileLines<'a>,
    lints: &'c mut Vec<Lint>,
    /// The lines of opposite rules.
    opposite: BTreeSet<u32>,
}

impl Checks<'_, '_> {
    /// `[lint.groups]`
    fn groups(&mut self) {
        let records = self.file.records();
        if records.records().all(|record| record.agents().is_empty()) {
            return self.no_group();
        }
        let everyone_has_rules = records.records().any(|record| is_for_everyone(record) && disallows(record));
        let with_rules: BTreeSet<Vec<u8>> =
            records.records().filter(|record| !record.rules().is_empty()).flat_map(names_of).collect();
        let mut first_groups: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for record in records.records() {
            let first_line = record.agents().first().map_or(0, robosieve::agent::AgentLine::line);
            for agent in record.agents() {
                let name = agent.name().as_bstr().to_ascii_lowercase();
                let is_named = !name.is_empty() && !agent.name().is_everyone();
                if is_named && everyone_has_rules && !with_rules.contains(&name) {
                    self.at_value(LintKind::GroupWithoutRules, agent.line(), |name| Words {
                        message: format!("the group of {name} has no rule, so {name} may fetch everything"),
                        help:
                            "the rules for `*` do not apply to a crawler with a group of its own: repeat them here, or \
                               write an empty `Disallow:` if this is meant"
                                .into(),
                    });
                }
                let first = *first_groups.entry(name).or_insert(first_line);
                if first != first_line {
                    self.at_value(LintKind::RepeatedGroup, agent.line(), |name| Words {
                        message: format!("{name} has a group at line {first} already: both count as one"),
                        help: "write all rules of a crawler in one group".into(),
                    });
                }
            }
        }
    }

    /// A file without a group.
    fn no_group(&mut self) {
        let Some(line) = self.file.line_at(1) else { return };
        let has_rules = self.file.iter().any(|line| matches!(line.meaning(), LineMeaning::Rule(_)));
        if !has_rules {
            let message = "the file has no group, so every crawler may fetch everything";
            let told = Lint::new(LintKind::NoGroup, &line, Columns::of_line(&line), message);
            self.lints.push(told.with_help("nothing, if this is meant"));
        }
    }

    /// `[lint.rules]`, `[lint.wildcards]`, `[lint.closed]`: the rules of a group.
    fn rules(&mut self, record: Record<'_, '_>) {
        let mut seen: BTreeMap<&[u8], &Rule<'_>> = BTreeMap::new();
        for rule in record.rules().iter().filter(|rule| !rule.pattern().is_empty()) {
            let pattern = rule.pattern().as_bytes();
            match seen.get(pattern) {
                Some(first) if first.kind() == rule.kind() => self.repeated(rule, first.line()),
                Some(first) => self.opposite(rule, first.line()),
                None => {
                    seen.insert(pattern, rule);
                }
            }
            self.wildcards(rule);
        }
        self.closed(record);
    }

    fn repeated(&mut self, rule: &Rule<'_>, first: u32) {
        self.at_value(LintKind::RepeatedRule, rule.line(), |_| Words {
            message: format!("this rule stands at line {first} already"),
            help: "delete one of them".into(),
        });
    }

    fn opposite(&mut self, rule: &Rule<'_>, first: u32) {
        self.opposite.extend([first, rule.line()]);
        self.at_value(LintKind::OppositeRules, rule.line(), |_| Words {
            message: format!("line {first} says the opposite of the same path: Allow wins"),
            help: "delete the line that is not meant".into(),
        });
    }

    fn wildcards(&mut self, rule: &Rule<'_>) {
        let pattern = rule.pattern().as_bytes();
        let front = pattern.split_last().map_or(pattern, |(_, front)| front);
        if front.contains(&b'$') {
            self.at_value(LintKind::DollarInside, rule.line(), |_| Words {
                message: "a `$` that is not the last character is an ordinary character".into(),
                help: "write `$` at the end, where it means the end of the URL, or `%24` for the character".into(),
            });
        }
        if pattern.ends_with(b"*") && pattern.len() > 2 {
            self.at_value(LintKind::LastWildcard, rule.line(), |_| Words {
                message: "a `*` at the end changes nothing: a rule covers everything that begins with its path".into(),
                help: "leave it out".into(),
            });
        }
    }

    /// `[lint.closed]`
    fn closed(&mut self, record: Record<'_, '_>) {
        let is_all = |rule: &&Rule<'_>| {
            rule.kind() == RuleKind::Disallow && matches!(rule.pattern().as_bytes(), b"/" | b"/*" | b"*")
        };
        let has_allow = record.rules().iter().any(|rule| rule.kind() == RuleKind::Allow);
        if let Some(rule) = record.rules().iter().find(is_all).filter(|_| is_for_everyone(record) && !has_allow) {
            self.at_value(LintKind::AllClosed, rule.line(), |_| Words {
                message: "this disallows the whole site to all crawlers without a group of their own".into(),
                help: "nothing, if this is meant: a test site, for example".into(),
            });
        }
        if !is_for_google(record) {
            return;
        }
        let is_resource =
            |rule: &&Rule<'_>| rule.kind() == RuleKind::Disallow && is_resource(rule.pattern().as_bytes());
        for rule in record.rules().iter().filter(is_resource) {
            self.at_value(LintKind::ResourcesClosed, rule.line(), |_| Words {
                message: "search engines cannot see pages as people do, if they may not fetch styles and scripts"
                    .into(),
                help: "allow the files that pages need".into(),
            });
        }
    }

    /// `[lint.rules]`: a rule that the portable form leaves out changes no answer. Only those count whose path is in no
    /// group of it.
    fn without_effect(&mut self, input: &[u8], options: &Options) {
        let options = Options { max_details: usize::MAX, ..options.clone() };
        let sieve = Sieve::all_agents().options(options).form(TextForm::Portable);
        let Ok(portable) = sieve.run(input) else { return };
        let text = Parser::default().parse(portable.text().as_str().as_bytes());
        let needed: BTreeSet<(RuleKind, Vec<u8>)> = text.records().flat_map(|record| record.rules()).map(key).collect();
        // A lost rule is no rule without an effect, and the loser of two opposite rules is told.
        let lost = portable.report().details().iter().map(|finding| finding.line);
        let told: BTreeSet<u32> = lost.chain(self.opposite.iter().copied()).collect();
        let rules = self.file.records().records().flat_map(|record| record.rules());
        for rule in rules.filter(|rule| !rule.pattern().is_empty() && !told.contains(&rule.line())) {
            if !needed.contains(&key(rule)) {
                self.at_value(LintKind::RuleWithoutEffect, rule.line(), |_| Words {
                    message: "this rule changes no answer: without all rules of this kind, every URL has the same"
                        .into(),
                    help: "delete it, or look whether another path is meant".into(),
                });
            }
        }
    }

    /// `[lint.values]`: Google's words of a directive are at its first line only.
    fn values(&mut self) {
        let mut told = BTreeSet::new();
        let file = self.file;
        for line in file.iter() {
            let LineMeaning::Extension(directive) = line.meaning() else { continue };
            if line.kept().is_none() {
                continue;
            }
            if let Some((kind, message, help)) = of_directive(directive, &line)
                && (kind == LintKind::LongCrawlDelay || told.insert(directive.name()))
            {
                let columns = if kind == LintKind::LongCrawlDelay { Columns::of_value } else { Columns::of_name };
                self.lints.push(Lint::new(kind, &line, columns(&line), message).with_help(help));
            }
        }
    }

    /// `[lint.uses]`: the first use of a line that has no meaning.
    fn uses(&mut self) {
        let file = self.file;
        let records = file.records();
        for line in records.records().flat_map(|record| record.extensions()) {
            let (value, yes, no) = match line.directive() {
                Directive::ContentUsage => (ContentUse::read_usage(line.value()), "y", "n"),
                Directive::ContentSignal => (ContentUse::read_signal(line.value()), "yes", "no"),
                _ => continue,
            };
            let uses = value.map(|value| value.uses).unwrap_or_default();
            let Some((one, is_name)) = uses.iter().find_map(|one| {
                let is_name = !usage::is_known(line.directive(), &one.name);
                (is_name || one.is_allowed().is_none()).then_some((one, is_name))
            }) else {
                continue;
            };
            let (name, shown) = (shown(one.name.as_bytes()), shown(one.to_string().as_bytes()));
            let words = if is_name {
                Words {
                    message: format!("`{name}` is no use that {} knows, so crawlers ignore it", line.name()),
                    help: format!("write one of {}", usage::known(line.directive())),
                }
            } else {
                Words {
                    message: format!("`{shown}` neither allows nor disallows anything"),
                    help: format!("write {name}={no} to disallow it, or {name}={yes} to allow it"),
                }
            };
            self.at_value(LintKind::UseWithoutMeaning, line.line(), |_| words.clone());
        }
    }

    /// Adds a lint at the value of a line. The words may quote the value.
    fn at_value(&mut self, kind: LintKind, line: u32, words: impl Fn(&str) -> Words) {
        let Some(line) = self.file.line_at(line) else { return };
        let Words { message, help } = words(&shown(line.value().unwrap_or_default().trim_ascii()));
        self.lints.push(Lint::at_value(kind, &line, message).with_help(help));
    }
}

#[derive(Clone)]
struct Words {
    message: String,
    help: String,
}

/// What is to be known of a directive, or of its value.
fn of_directive(directive: Directive, line: &LogicalLine<'_, '_>) -> Option<(LintKind, String, &'static str)> {
    let delay = || CrawlDelay::read(line.value().unwrap_or_default().trim_ascii());
    match directive {
        Directive::CrawlDelay => match delay().map(|delay| delay.as_duration().as_secs()) {
            Some(seconds) if seconds > LONG_DELAY => Some((
                LintKind::LongCrawlDelay,
                format!("with this delay a crawler fetches {} pages a day at most", 86_400_u64.div_euclid(seconds)),
                "write a shorter delay, or disallow the crawler if it is not wanted",
            )),
            _ => Some((
                LintKind::IgnoredByGoogle,
                "Google ignores Crawl-delay; Bing and others follow it".into(),
                "nothing, if it is meant for others",
            )),
        },
        Directive::Noindex => Some((
            LintKind::Retired,
            "Noindex is no part of the standard, and Google has ignored it since September 2019".into(),
            "write `<meta name=\"robots\" content=\"noindex\">` into the pages, or send `X-Robots-Tag: noindex`; and let \
             crawlers fetch them",
        )),
        Directive::Host => Some((
            LintKind::Retired,
            "only Yandex used Host, and has ignored it since March 2018".into(),
            "redirect to the preferred host with status 301",
        )),
        _ => None,
    }
}

fn is_for_everyone(record: Record<'_, '_>) -> bool {
    record.agents().iter().any(|agent| agent.name().is_everyone())
}

fn disallows(record: Record<'_, '_>) -> bool {
    record.rules().iter().any(|rule| rule.kind() == RuleKind::Disallow && !rule.pattern().is_empty())
}

fn names_of(record: Record<'_, '_>) -> impl Iterator<Item = Vec<u8>> {
    record.agents().iter().map(|agent| agent.name().as_bstr().to_ascii_lowercase())
}

/// A rule without what the portable form writes otherwise: runs of stars, stars at the end, and how a path begins
/// ([portable.stars], [portable.halves]). Rules with one key may differ, so no rule counts by mistake.
fn key(rule: &Rule<'_>) -> (RuleKind, Vec<u8>) {
    let mut pattern: Vec<u8> = rule.pattern().as_bytes().to_vec();
    pattern.dedup_by(|next, byte| (*next, *byte) == (b'*', b'*'));
    let shown = pattern.strip_suffix(b"*$").or(pattern.strip_suffix(b"*")).unwrap_or(&pattern);
    let begin = shown.iter().position(|byte| !matches!(byte, b'/' | b'*')).unwrap_or(shown.len());
    (rule.kind(), shown.get(begin..).unwrap_or_default().to_vec())
}

/// Whether a pattern covers all style sheets or scripts, at least of a folder.
fn is_resource(pattern: &[u8]) -> bool {
    let pattern = pattern.strip_suffix(b"$").or(pattern.strip_suffix(b"*")).unwrap_or(pattern);
    [&b"*.css"[..], b"*.js"].iter().any(|end| pattern.ends_with(end))
}
