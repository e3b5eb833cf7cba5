//! What a row says of a file as a whole.
//!
//! Invariant: lists are bounded, and their numbers count all.

use std::collections::{BTreeMap, HashSet};

use robosieve::Sieve;
use robosieve::agent::AgentLine;
use robosieve::line::LineMeaning;
use robosieve::policy::{Parser, RecordSet, RuleKind};
use robosieve::report::{FindingClass, FindingKind};
use robosieve::syntax::Directive;
use sha2::{Digest as _, Sha256};

use crate::cells::{Cell, Form, MAX_TEXT, text};
use crate::normal::PolicyRow;

/// The number of names, addresses and values that are listed. Our choice.
const MAX_LISTED: usize = 1_000;
/// The number of directives that are listed. Our choice: style sheets in HTML pages look like directives.
const MAX_DIRECTIVES: usize = 100;

/// The names in user-agent lines, each once, in any case of its letters.
pub(crate) fn names<'s>(set: &'s RecordSet<'_>) -> impl Iterator<Item = &'s [u8]> {
    let mut seen = HashSet::new();
    let lines = set.records().flat_map(|group| group.agents().iter());
    let names = lines.map(AgentLine::name).filter(|name| !name.is_everyone() && !name.as_bstr().is_empty());
    names.map(|name| name.as_bstr().as_ref()).filter(move |name: &&[u8]| seen.insert(name.to_ascii_lowercase()))
}

/// Those of them that a row can have.
pub(crate) fn short_names<'s>(set: &'s RecordSet<'_>) -> impl Iterator<Item = &'s [u8]> {
    names(set).filter(|name| name.len() <= MAX_TEXT)
}

/// Writes the cells of a file, or with no bytes those of one that could not be retrieved.
pub(crate) fn write(
    answer: &PolicyRow,
    (parser, sieve): (&Parser, &Sieve),
    bytes: Option<&[u8]>,
    form: Form,
    out: &mut Vec<u8>,
) {
    let file = parser.parse_lines(bytes.unwrap_or_default());
    let set = file.records();
    let rules = |kind: RuleKind| {
        let rules = set.records().flat_map(|group| group.rules().iter());
        count(rules.filter(|rule| rule.kind() == kind && !rule.pattern().is_empty()).count())
    };
    let of_class = |class: FindingClass| {
        let kinds = FindingKind::ALL.iter().filter(|kind| kind.class() == class);
        kinds.map(|kind| file.report().count(*kind)).fold(0, u64::saturating_add)
    };
    let mut directives: BTreeMap<String, u64> = BTreeMap::new();
    let mut lines = 0_u64;
    for line in file.iter() {
        let own = || line.name().map(|name| name.to_ascii_lowercase()).and_then(text);
        let name = match line.meaning() {
            LineMeaning::UserAgent => Some("user-agent".to_owned()),
            LineMeaning::Rule(kind) => Some(kind.as_str().to_ascii_lowercase()),
            LineMeaning::Extension(directive) => directive.name().map(str::to_ascii_lowercase).or_else(own),
            LineMeaning::UnknownField => own(),
            _ => continue,
        };
        lines = lines.saturating_add(1);
        let Some(name) = name else { continue };
        let has_room = directives.len() < MAX_DIRECTIVES;
        match directives.get_mut(&name) {
            Some(number) => *number = number.saturating_add(1),
            None if has_room => drop(directives.insert(name, 1)),
            None => {}
        }
    }
    let directives: Vec<(String, u64)> = directives.into_iter().collect();
    let agents: Vec<String> = names(set).filter_map(text).take(MAX_LISTED).collect();
    let sitemaps = set.sitemaps();
    let urls: Vec<String> = sitemaps.iter().filter_map(|url| text(url.as_str())).take(MAX_LISTED).collect();
    let licenses = set.file_lines().iter().filter(|line| line.directive() == Directive::License);
    let licenses: Vec<String> = licenses.filter_map(|line| text(line.value())).take(MAX_LISTED).collect();
    let sieved = bytes.and_then(|bytes| sieve.run(bytes).ok());
    let text_hash = sieved.map(|sieved| hash(sieved.text().as_str().as_bytes()));
    form.push(out, "status", Cell::Text(&answer.status));
    form.push(out, "root", answer.root);
    form.push(out, "groups", Cell::Count(count(set.records().len())));
    form.push(out, "allows", Cell::Count(rules(RuleKind::Allow)));
    form.push(out, "disallows", Cell::Count(rules(RuleKind::Disallow)));
    form.push(out, "agents", Cell::List(&agents));
    form.push(out, "agents_count", Cell::Count(count(names(set).count())));
    form.push(out, "sitemaps", Cell::List(&urls));
    form.push(out, "sitemaps_count", Cell::Count(count(sitemaps.len())));
    form.push(out, "licenses", Cell::List(&licenses));
    form.push(out, "directives", Cell::Counts(&directives));
    form.push(out, "lines", Cell::Count(lines));
    form.push(out, "repairs", Cell::Count(of_class(FindingClass::Repair)));
    form.push(out, "suspects", Cell::Count(of_class(FindingClass::Suspect)));
    form.push(out, "losses", Cell::Count(of_class(FindingClass::Loss)));
    form.push(out, "hash", bytes.map(hash).as_deref());
    form.push(out, "text_hash", text_hash.as_deref());
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// SHA-256, as rows have it.
pub(crate) fn hash(bytes: impl AsRef<[u8]>) -> String {
    hash_text(&Sha256::digest(bytes))
}

/// A SHA-256, as rows have it.
pub(crate) fn hash_text(digest: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS.get(usize::from(half)).copied().unwrap_or_default());
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in digest {
        text.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    text
}
