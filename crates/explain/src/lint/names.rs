//! Lints of names that are almost those of known crawlers, or stand for nobody.
//!
//! Invariant: each user-agent line is looked at once.

use std::collections::HashMap;

use robosieve::lines::{FileLines, KeptPart, LineMeaning, LogicalLine};
use robosieve::records::{AgentLine, Record, Rule};

use super::drafts::Drafts;
use super::{Lint, LintKind, shown, words};
use crate::LineNumber;
use crate::crawlers::Crawler;

/// `[lint.names]`
pub(super) fn lint(file: &FileLines<'_>, drafts: &mut Drafts) {
    let mut groups = Groups::of(file);
    for line in file.iter().filter(|line| line.meaning() == LineMeaning::UserAgent) {
        let Some(value) = line.value().and_then(|value| std::str::from_utf8(value.trim_ascii()).ok()) else { continue };
        let Some(KeptPart::Agent(agent)) = line.kept() else { continue };
        let name = String::from_utf8_lossy(agent.name());
        // A name with a blank is another one: `Microsoft URL Control`.
        let is_whole = name.len() == value.len();
        let near = if is_whole { Crawler::owned_words(&name) } else { None };
        let near = near.map(|words| (words, "write the names of the crawlers that are meant")).or_else(|| {
            let known = &meant(&name)?.token;
            let name = shown(name.as_bytes());
            let message = format!("no crawler is known by the name `{name}`: did you mean `{known}`?");
            Some((message, "check the spelling in the documentation of the crawler"))
        });
        if let Some((message, help)) = near.filter(|_| !groups.has_both(&line, &name)) {
            drafts.push(Lint { message, help: help.into(), ..Lint::new(LintKind::NearName, &line) }.into());
        }
        if let Some(new) = new_name(&name).filter(|new| groups.of_name(new).is_none()) {
            let message = format!("no crawler uses the name `{}` any more: it is `{new}` now", shown(name.as_bytes()));
            drafts.at(Some(line), LintKind::GivenUpName, message);
        }
        if is_word_for_all(&name) && !value.contains([' ', '\t']) {
            let message =
                format!("this is a crawler that is called `{}`: only `*` stands for all", shown(value.as_bytes()));
            drafts.at(Some(line), LintKind::NotEveryone, message);
        }
    }
}

/// The name that an owner's crawler has in the place of one that its owner gave up, by the page of the owner.
fn new_name(name: &str) -> Option<&'static str> {
    // https://support.claude.com/en/articles/8896518, as of 2026-11-27.
    const NAMES: [(&str, &str); 2] = [("Claude-Web", "ClaudeBot"), ("anthropic-ai", "ClaudeBot")];
    NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(name)).map(|(_, new)| *new)
}

/// The groups by their names.
struct Groups<'s, 'a> {
    /// The last group of each name, in small letters.
    last: HashMap<Vec<u8>, Record<'s, 'a>>,
    /// For a name and the first line of its group, whether [`Groups::has_both`]: a line may stand there often.
    both: HashMap<(String, LineNumber), bool>,
}

impl<'s, 'a> Groups<'s, 'a> {
    fn of(file: &'s FileLines<'a>) -> Self {
        let names = |record: Record<'s, 'a>| {
            record.agents().iter().map(move |agent| (agent.name().to_ascii_lowercase(), record))
        };
        Self { last: file.records().records().flat_map(names).collect(), both: HashMap::new() }
    }

    fn of_name(&self, name: &str) -> Option<&Record<'s, 'a>> {
        self.last.get(name.to_ascii_lowercase().as_bytes())
    }

    /// Whether the known crawler with `bot` after this name has the same rules as the group of a line: some owners of
    /// sites write both names, to be sure. Each group is compared once for a name.
    fn has_both(&mut self, line: &LogicalLine<'_, '_>, name: &str) -> bool {
        let Some(own) = line.record() else { return false };
        let key = (name.to_ascii_lowercase(), own.agents().first().and_then(AgentLine::line));
        if let Some(known) = self.both.get(&key) {
            return *known;
        }
        let found = self.have_same_rules(&own, &format!("{name}bot"));
        self.both.insert(key, found);
        found
    }

    fn have_same_rules(&self, own: &Record<'_, '_>, name: &str) -> bool {
        let Some(other) = self.of_name(name) else { return false };
        let is_same = |(one, other): (&Rule<'_>, &Rule<'_>)| {
            one.kind() == other.kind() && one.pattern().as_bytes() == other.pattern().as_bytes()
        };
        let (own, other) = (own.rules(), other.rules());
        is_known(name) && own.len() == other.len() && own.iter().zip(other).all(is_same)
    }
}

/// The names of a line that has several ([suspect.agents]).
pub(super) fn several(value: &str) -> Option<Vec<&str>> {
    if value.len() > MOST {
        return None;
    }
    let names = value.split([',', ';', '|']).map(str::trim).filter(|part| !part.is_empty());
    let names: Vec<&str> = names.map(without_version).collect();
    let is_name = |name: &&str| {
        *name == "*" || name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.chars().all(is_of_name)
    };
    (names.len() > 1 && names.iter().all(|name| is_name(name) && !words::is_directive(name))).then_some(names)
}

/// The longest value that is taken for a list of names.
const MOST: usize = 2_000;

/// `Googlebot/2.1` without its version.
fn without_version(name: &str) -> &str {
    match name.split_once('/') {
        Some((front, version)) if version.starts_with(|first: char| first.is_ascii_digit()) => front.trim_end(),
        _ => name,
    }
}

fn is_of_name(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.')
}

fn is_known(name: &str) -> bool {
    Crawler::find(name).is_some_and(|crawler| crawler.documented && crawler.token.eq_ignore_ascii_case(name))
}

/// Whether a name is no crawler's, but a word for all crawlers, or what is left of `.*`. Our choice: words such as `bot`
/// and `crawler` stand in real files for crawlers that call themselves so.
fn is_word_for_all(name: &str) -> bool {
    const WORDS: &str = "all any anyone everyone everybody every other others default allbots all-bots .";
    WORDS.split(' ').any(|word| word.eq_ignore_ascii_case(name))
}

/// The known crawler that a name may be meant for.
fn meant(name: &str) -> Option<&'static Crawler> {
    // Owners have crawlers for several things: `SemrushBot-SA` and `SemrushBot-SWA`.
    let is_variant = || name.rsplit_once('-').is_some_and(|(front, _)| Crawler::find(front).is_some());
    if name.len() > MOST_OF_NAME || Crawler::find(name).is_some() || is_variant() {
        return None;
    }
    // `Google` is the name of an owner.
    Crawler::near(name)
        .filter(|known| known.documented && is_slip(name, known.token))
        .or_else(|| Crawler::find(&format!("{name}bot")).filter(|known| known.documented))
}

/// Whether a name is long enough to be a slip of the pen of another: many short names of real crawlers differ in one
/// letter, such as `aipbot` and `AI2Bot`. Our choice, by the names of 2,111 real files.
fn is_slip(name: &str, token: &str) -> bool {
    let letters = |name: &str| {
        let mut letters = name.to_ascii_lowercase().into_bytes();
        letters.sort_unstable();
        letters
    };
    let is_exchange = letters(name) == letters(token);
    name.len() >= 6 && (name.len() != token.len() || is_exchange || name.len() >= 9)
}

/// The longest name that is compared with known ones.
const MOST_OF_NAME: usize = 60;
