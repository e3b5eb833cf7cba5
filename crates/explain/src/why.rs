//! Why a URL has its answer: the group, the rules that match, the one that decides, and what other dialects answer.
//!
//! Invariant: the answer is the tester's. This module only lists what the tester chose from.

use std::num::NonZeroU32;

use robosieve::Options;
use robosieve::parts::UrlPath;
use robosieve::records::{Rule, RuleKind, Selection};
use robosieve::settings::{Dialect, Precedence};

use crate::answer::Answer;
use crate::names::Groups;
use crate::who::{Who, answering, records, tester};
use robosieve_printable::{escape, escape_short};

/// A rule that matches the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MatchingRule {
    /// Its line. None for a rule that replaces lost ones.
    pub line: Option<u32>,
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// Its pattern.
    pub pattern: String,
    /// The length of its pattern in bytes. The longest decides.
    pub length: usize,
    /// The pattern in words.
    pub words: String,
    /// Whether it decides.
    pub decides: bool,
}

/// What a dialect answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DialectAnswer {
    /// The name of the dialect.
    pub dialect: &'static str,
    /// Its answer.
    pub answer: Answer,
}

/// Why a URL has its answer.
///
/// ```
/// use robosieve::Options;
/// use robosieve_explain::{Names, Why};
///
/// let file = b"User-agent: *\nDisallow: /a\nAllow: /a/*.pdf$\n";
/// let why = Why::new(file, &Options::default(), &Names::Known.groups(["MyBot"]), "/a/b.pdf");
/// assert!(why.answer.allowed);
/// assert_eq!(why.group, "no group names MyBot, so the group for `*` applies (line 1)");
/// assert_eq!(why.rules[1].words, "every path that begins with /a/ and ends in .pdf");
/// assert_eq!(why.reason, "line 3 decides: of the 2 rules that match, its path is the longest");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Why {
    /// The URL, as it was asked for.
    pub url: String,
    /// Its path and query, as rules are compared with them.
    pub path: String,
    /// The answer.
    pub answer: Answer,
    /// Which group applies, and why.
    pub group: String,
    /// The rules of the group that match, in file order.
    pub rules: Vec<MatchingRule>,
    /// Why the answer is what it is.
    pub reason: String,
    /// What each dialect answers.
    pub dialects: Vec<DialectAnswer>,
}

impl Why {
    /// Looks at one URL. Cost: reads the file four times, and compares the URL with each rule of the group.
    #[must_use]
    pub fn new(input: &[u8], options: &Options, groups: impl Into<Groups>, url: impl AsRef<[u8]>) -> Self {
        let (groups, url) = (&groups.into(), url.as_ref());
        let options = &groups.options(options.clone());
        let set = records(input, options, groups);
        let selection = Selection::of(&set, groups);
        let (tester, who) = answering(&selection, groups);
        let verdict = tester.test(url);
        let answer = Answer::new(&verdict, &who);
        let path = UrlPath::of(url, options.paths);
        let matches = |rule: &&Rule<'_>| !rule.pattern().is_empty() && rule.pattern().matches_path(&path);
        let decides =
            |rule: &Rule<'_>| verdict.rule().is_some_and(|one| (one.line(), one.kind()) == (rule.line(), rule.kind()));
        let rules: Vec<MatchingRule> =
            selection.rules().filter(matches).map(|rule| MatchingRule::new(rule, decides(rule))).collect();
        let asked = groups.agents.iter().next().map_or_else(|| "*".into(), |agent| escape(agent.as_bstr()));
        Self {
            url: escape(url),
            path: escape(&path.text()),
            group: group(&who, &asked, selection.agent_line()),
            reason: reason(&answer, &rules, options.precedence),
            rules,
            dialects: [Dialect::Standard, Dialect::Google, Dialect::Processor]
                .map(|it| dialect(it, input, groups, url))
                .into(),
            answer,
        }
    }
}

impl MatchingRule {
    fn new(rule: &Rule<'_>, decides: bool) -> Self {
        let pattern = rule.pattern().as_bytes();
        Self {
            line: rule.line().map(NonZeroU32::get),
            kind: rule.kind(),
            pattern: escape_short(pattern),
            length: pattern.len(),
            words: pattern_in_words(pattern),
            decides,
        }
    }
}

fn dialect(dialect: Dialect, input: &[u8], groups: &Groups, url: &[u8]) -> DialectAnswer {
    let options = groups.options(dialect.options().for_verdicts());
    let (tester, who) = tester(input, &options, groups);
    DialectAnswer { dialect: dialect.as_str(), answer: Answer::new(&tester.test(url), &who) }
}

fn group(who: &Who, asked: &str, line: Option<NonZeroU32>) -> String {
    let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
    match (who.answered_by(), who.agent()) {
        ("agent", Some(agent)) if agent == asked => format!("the group of {agent} applies{line}"),
        ("agent", Some(agent)) => format!("no group names {asked}, so the group of {agent} applies{line}"),
        ("everyone", _) if asked == "*" => format!("the group for `*` applies{line}"),
        ("everyone", _) => format!("no group names {asked}, so the group for `*` applies{line}"),
        _ if who.documented().is_some() => format!("no group names {asked}, and it does not use those for `*`"),
        _ => format!("no group names {asked}, and none is for `*`"),
    }
}

fn reason(answer: &Answer, rules: &[MatchingRule], precedence: Precedence) -> String {
    if answer.reason == "robots-txt" {
        return "/robots.txt is always allowed".into();
    }
    let Some(winner) = &answer.rule else { return "no rule matches, so it is allowed".into() };
    let line = answer.line.map_or_else(|| "a rule in place of lost ones".into(), |line| format!("line {line}"));
    let others = rules.len();
    let longest = rules.iter().find(|rule| rule.decides).map(|rule| rule.length);
    let is_tie = rules.iter().any(|rule| rule.kind != winner.kind && Some(rule.length) == longest);
    match precedence {
        _ if others <= 1 => format!("{line} decides: no other rule matches"),
        Precedence::FileOrder => format!("{line} decides: it is the first of the {others} rules that match"),
        _ if is_tie => format!("{line} decides: of rules of the same length, Allow wins"),
        _ => format!("{line} decides: of the {others} rules that match, its path is the longest"),
    }
}

/// What a pattern matches, in words.
///
/// ```
/// use robosieve_explain::pattern_in_words;
/// assert_eq!(pattern_in_words(b"/*.pdf$"), "every path that ends in .pdf");
/// assert_eq!(pattern_in_words(b"/a*b/*c"), "every path that begins with /a, then contains b/, then contains c");
/// assert_eq!(pattern_in_words(b"/$"), "only the path /");
/// ```
#[must_use]
pub fn pattern_in_words(pattern: &[u8]) -> String {
    let (body, is_anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |body| (body, true));
    let parts = body.split(|&byte| byte == b'*').collect::<Vec<_>>();
    if parts.len() == 1 {
        return match (body, is_anchored) {
            (b"/" | b"", false) => "every path".into(),
            (_, true) => format!("only the path {}", escape_short(body)),
            (_, false) => format!("every path that begins with {}", escape_short(body)),
        };
    }
    let mut words = Vec::new();
    // Every path begins with a slash.
    let says = |(place, part): &(usize, &&[u8])| !part.is_empty() && (*place > 0 || **part != b"/");
    for (place, part) in (0..).zip(&parts).filter(says) {
        let what = match (place, words.is_empty()) {
            _ if is_anchored && place >= parts.len().saturating_sub(1) => "ends in",
            (0, _) => "begins with",
            (_, true) => "contains",
            _ => "then contains",
        };
        words.push(format!("{what} {}", escape_short(part)));
    }
    let end = words.pop_if(|end| is_anchored && end.starts_with("ends in "));
    let words = [Some(words.join(", ")).filter(|words| !words.is_empty()), end].into_iter().flatten();
    let words = words.collect::<Vec<_>>().join(" and ");
    if words.is_empty() { "every path".into() } else { format!("every path that {words}") }
}
