//! The canonical text: its form, and that it is canonical.

use std::collections::BTreeSet;

use robosieve::Sieved;
use robosieve::records::{Directive, ExtensionLine, Record, RecordSet, RuleKind};
use robosieve::report::FindingKind;
use robosieve::settings::{OverLimit, Precedence, TextForm};
use robosieve::values::{CleanParam, ContentUse, CrawlDelay, RequestRate, VisitTime};

use super::Choices;

/// `[text.form]` `[value.everybody]`: printable ASCII and line ends of the chosen kind. Each line is empty, `Name: value` or `Name:`. A
/// text without lines is empty.
pub fn form(input: &[u8], choices: &Choices) {
    for sieved in texts(input, choices) {
        let text = sieved.text();
        let end = if choices.crlf { "\r\n" } else { "\n" };
        let lines: Vec<&str> = text.strip_suffix(end).expect("the last line has no end").split(end).collect();
        // The lines for every crawler are above all groups.
        let between = format!("{end}{end}");
        let mut parts = text.split(&between);
        let first = parts.next().unwrap_or_default();
        let is_general =
            ["Crawl-delay: ", "Content-Signal: ", "Content-Usage: "].iter().any(|name| first.starts_with(name));
        let group = if is_general { parts.next().unwrap_or_default() } else { first };
        assert!(group.starts_with("User-agent:"), "has a wrong first line: {text:?}");
        for line in lines {
            assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')), "not printable: {line:?}");
            assert!(line.is_empty() || is_field(line), "no field: {line:?}");
        }
    }
}

fn is_field(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_value = value.is_empty()
        || value
            .strip_prefix(' ')
            .is_some_and(|value| !value.is_empty() && value.trim() == value && !value.contains('#'));
    is_name && is_value
}

/// The texts of an input: for the agents, and for all agents. None if it is refused.
fn texts<'a>(input: &'a [u8], choices: &Choices) -> Vec<Sieved<'a>> {
    [choices.sieve().filter(input), choices.sieve_all().filter(input)].into_iter().flatten().collect()
}

/// `[text.idempotent]`: the canonical text of a canonical text is that text, under the same options. Only the
/// shortest texts can be longer than `max_bytes`. If the options leave no space for its user-agent lines, parsing any
/// text is a loss.
pub fn idempotent(input: &[u8], choices: &Choices) {
    for (sieve, second) in [
        (choices.sieve(), choices.second_sieve()),
        (choices.sieve_all(), choices.sieve_all().with(|options| options.complete = true)),
    ] {
        let Ok(first) = sieve.filter(input) else { continue };
        let is_whole = choices.options.complete && first.report().count(FindingKind::InputIncomplete) == 0;
        let first = first.text();
        // The `Disallow: /` of a file that is not whole may be over any limit.
        let is_closed = !is_whole && first.contains("Disallow: /");
        if first.len() > choices.options.limits.max_bytes || !has_room_for_heads(choices) || is_closed {
            continue;
        }
        match second.filter(first.as_bytes()) {
            Ok(again) => assert_eq!(again.text(), first, "the second text (left) is not the first (right)"),
            Err(refused) => panic!("the text {first:?} was refused: {refused}"),
        }
        // `[portable.stable]`: the portable text, written faithfully, is the same.
        if choices.form == TextForm::Portable {
            let faithful =
                second.clone().with(|options| options.form = TextForm::Faithful).filter(first.as_bytes()).unwrap();
            assert_eq!(faithful.text(), first, "the faithful text (left) is not the portable one (right)");
        }
    }
}

fn has_room_for_heads(choices: &Choices) -> bool {
    let limits = &choices.options.limits;
    let own = choices.own_name();
    if own.is_some_and(|own| limits.max_user_agents < 2 || limits.max_name_length < own.len()) {
        return false;
    }
    let has_lines =
        limits.max_records > 0 && limits.max_user_agents > 0 && limits.max_directive_length >= "User-agent".len();
    limits.max_name_length > 0 && (has_lines || choices.options.over_limit == OverLimit::Drop)
}

/// `[text.parse]`, `[text.stars]`: parsing a text gives the rules that it was written from, in order of precedence,
/// and the other lines. Only runs of stars may have another length. The portable form has other rules, which decide
/// in the same way.
pub fn reads_back(input: &[u8], choices: &Choices) {
    if choices.form != TextForm::Faithful {
        return;
    }
    let unlimited = choices.unlimited();
    for sieved in texts(input, choices) {
        let text = sieved.text();
        let again = unlimited.text_parser().parse(text.as_bytes());
        assert_eq!(spelled_loose(&again), spelled_loose(sieved.records()), "lines of the file, of {text:?}");
        let mut written: Vec<_> = spelled_records(sieved.records());
        let mut read: Vec<_> = spelled_records(&again);
        if written.is_empty() {
            assert_eq!(read.len(), 1, "more than an empty record in {text:?}");
            assert!(read[0].1.is_empty() && read[0].2.is_empty(), "lines from nowhere in {text:?}");
            read.clear();
        }
        // In Google's dialect the directory of an index page may replace a rule that cannot be written.
        if choices.options.index_html {
            read.iter_mut().chain(&mut written).for_each(|record| {
                record.1.retain(|(kind, pattern)| *kind == RuleKind::Disallow || !pattern.ends_with("/$"));
            });
        }
        let precedence = choices.options.precedence;
        // Shorter runs of stars can change the order, and make rules of one kind equal.
        if written.iter().any(|record| record.1.iter().any(|(_, pattern)| pattern.contains("**"))) {
            read.iter_mut().chain(&mut written).for_each(|record| record.1 = with_single_stars(&record.1, precedence));
        }
        assert_eq!(read, written, "records of {text:?}");
    }
}

/// The rules with each run of stars as one star, without order. If a pattern occurs in both kinds, both stay, except
/// in file order, where only the first can decide.
fn with_single_stars(rules: &[(RuleKind, String)], precedence: Precedence) -> Vec<(RuleKind, String)> {
    let mut single = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (kind, pattern) in rules {
        let mut bytes = pattern.as_bytes().to_vec();
        bytes.dedup_by(|next, previous| *next == b'*' && *previous == b'*');
        let pattern = String::from_utf8(bytes).unwrap();
        if seen.insert(pattern.clone()) || precedence == Precedence::LongestMatch {
            single.insert((*kind, pattern));
        }
    }
    single.into_iter().collect()
}

/// A record: its agents, its rules and its other lines.
type Spelled = (Vec<String>, Vec<(RuleKind, String)>, BTreeSet<String>);

fn spelled_records(set: &RecordSet<'_>) -> Vec<Spelled> {
    let mut records: Vec<Spelled> = set.records().map(spelled).collect();
    if set.options().precedence == Precedence::LongestMatch {
        records.sort();
    }
    records
}

fn spelled(record: Record<'_, '_>) -> Spelled {
    let agents = record.agents().iter().map(|agent| agent.name().to_string().to_ascii_lowercase()).collect();
    let mut seen = BTreeSet::new();
    let rules = record.rules_by_precedence();
    let rules = rules.into_iter().filter(|rule| rule.pattern().is_writable() && seen.insert(rule.pattern().as_bytes()));
    let rules = rules.map(|rule| (rule.kind(), rule.pattern().as_bstr().to_string())).collect();
    (agents, rules, record.extensions().iter().map(spelled_line).collect())
}

fn spelled_loose(set: &RecordSet<'_>) -> BTreeSet<String> {
    set.file_lines().iter().map(spelled_line).collect()
}

/// The meaning of a line, in one spelling.
pub fn spelled_line(line: &ExtensionLine<'_>) -> String {
    let value: &[u8] = line.value();
    let value = match line.directive() {
        Directive::CrawlDelay => CrawlDelay::read(value).map(|it| it.to_string()),
        Directive::RequestRate => RequestRate::read(value).map(|it| it.to_string()),
        Directive::VisitTime => VisitTime::read(value).map(|it| it.to_string()),
        Directive::CleanParam => CleanParam::read(value).map(|it| it.to_string()),
        Directive::ContentSignal => ContentUse::read_signal(value).map(|it| it.to_string()),
        Directive::ContentUsage => ContentUse::read_usage(value).map(|it| it.to_string()),
        Directive::Sitemap => robosieve::values::HttpUrl::read(value).map(|it| it.to_string()),
        Directive::Host => Some(line.value().to_string().to_ascii_lowercase().trim_end_matches('/').to_owned()),
        _ => Some(line.value().to_string()),
    };
    format!("{:?} {}: {}", line.directive(), line.name(), value.expect("a kept line has a valid value"))
}

/// `[text.once]`: no pattern occurs twice in a record, no other line twice in its place, and no two records have the
/// same agents, unless the order of records decides.
pub fn says_once(input: &[u8], choices: &Choices) {
    for sieved in texts(input, choices) {
        let text = sieved.text();
        let mut heads = BTreeSet::new();
        for part in text.replace("\r\n", "\n").split("\n\n") {
            let lines: Vec<&str> = part.lines().collect();
            let (agents, lines): (Vec<&str>, Vec<&str>) =
                lines.into_iter().partition(|line| line.starts_with("User-agent:"));
            let mut seen = BTreeSet::new();
            for line in lines {
                let key = line.strip_prefix("Allow:").or_else(|| line.strip_prefix("Disallow:")).unwrap_or(line);
                assert!(seen.insert(key), "{line:?} says what another line of {part:?} says");
            }
            let in_order = choices.options.precedence == Precedence::FileOrder;
            assert!(in_order || agents.is_empty() || heads.insert(agents), "two records of the same agents: {part:?}");
        }
    }
}
