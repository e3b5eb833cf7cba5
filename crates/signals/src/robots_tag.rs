//! Reads the value of an X-Robots-Tag header, or the content of a robots meta tag: words, separated by commas.
//!
//! Invariant: a line with a word that is not written as its owner documents it allows nothing, and what such a word
//! forbids still counts. The time is linear in the value.

use crate::directives::{Directive, Forbidden, Meaning, NOINDEX, NOSNIPPET};
use crate::finding::FindingKind;
use crate::record::{Record, Words};
use crate::statement::{Place, Said, is_name, known_as};
use crate::uses::Amount;
use crate::{broken, date};

/// Reads a header line. A name of a crawler may come first, and is for all words after it; if the value may be that of
/// several lines, the words after its first part may be for all.
pub(crate) fn header(value: &[u8], at: Place, is_joined: bool, record: &mut Record) {
    let start = record.length();
    let mut reader =
        Reader { at, agents: Vec::new(), is_header: true, is_sure: true, was_sure: true, reports: true, record };
    let mut is_first = true;
    for part in Parts(value) {
        let named = agent_of(part);
        if let Some((agent, _)) = named {
            reader.name(agent, is_first);
        } else if is_joined && !is_first && !reader.agents.is_empty() {
            reader.agents = Vec::new();
            reader.doubt(FindingKind::AmbiguousAgent, part);
        }
        let words = named.map_or(part, |(_, rest)| rest);
        if !words.is_empty() {
            reader.part(words);
        }
        is_first = false;
    }
    reader.end(start);
}

/// Reads the content of a meta tag with this name: `robots`, or that of a crawler. Other tags have names too, and other
/// contents, so unknown words are reported for `robots` only.
pub(crate) fn meta(name: &str, content: &[u8], at: Place, is_sure: bool, record: &mut Record) {
    let is_for_all = is_robots(name.as_bytes());
    let agents = if is_for_all { Vec::new() } else { vec![known_as(name)] };
    let start = record.length();
    let mut reader = Reader { at, agents, is_header: false, is_sure, was_sure: is_sure, reports: is_for_all, record };
    Parts(content).for_each(|part| reader.part(part));
    reader.end(start);
}

/// Whether a word is the name that is for all crawlers, or is often written for it.
pub(crate) fn is_robots(word: &[u8]) -> bool {
    [&b"robots"[..], b"robot"].iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The parts between commas, without blanks. A date of RFC 850 has a comma after the name of its day, which ends no
/// part.
struct Parts<'v>(&'v [u8]);

impl<'v> Iterator for Parts<'v> {
    type Item = &'v [u8];

    fn next(&mut self) -> Option<&'v [u8]> {
        while !self.0.is_empty() {
            let comma = |from: usize| {
                let rest = self.0.get(from..).unwrap_or_default();
                rest.iter().position(|byte| *byte == b',').map_or(self.0.len(), |at| from.saturating_add(at))
            };
            let mut end = comma(0);
            let front = self.0.get(..end).unwrap_or_default();
            let next = self.0.get(end.saturating_add(1)..).unwrap_or_default().trim_ascii_start();
            if ends_with_day(front) && next.first().is_some_and(u8::is_ascii_digit) {
                end = comma(end.saturating_add(1));
            }
            let part = self.0.get(..end).unwrap_or_default().trim_ascii();
            self.0 = self.0.get(end.saturating_add(1)..).unwrap_or_default();
            if !part.is_empty() {
                return Some(part);
            }
        }
        None
    }
}

/// Whether a text ends with `unavailable_after`, a colon, and the name of a day. The name of a crawler may stand
/// before it.
fn ends_with_day(front: &[u8]) -> bool {
    let mut parts = front.rsplit(|byte| *byte == b':').map(<[u8]>::trim_ascii);
    let (Some(day), Some(name)) = (parts.next(), parts.next()) else { return false };
    name.eq_ignore_ascii_case(b"unavailable_after") && str::from_utf8(day).is_ok_and(date::is_weekday)
}

/// A name and its value, around the first colon.
fn value_of(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = part.iter().position(|byte| *byte == b':')?;
    let (name, value) = part.split_at_checked(colon)?;
    Some((name.trim_ascii(), value.get(1..).unwrap_or_default().trim_ascii()))
}

/// The name of a crawler that a part begins with, and the rest. A word of the table is no name, nor is `robots`.
fn agent_of(part: &[u8]) -> Option<(&str, &[u8])> {
    let (name, rest) = value_of(part)?;
    let name = str::from_utf8(name).ok().filter(|name| is_name(name) && !is_robots(name.as_bytes()))?;
    // The field's own name, or that of an attribute, was written twice.
    let is_field = ["x-robots-tag", "content", "directive"].iter().any(|known| known.eq_ignore_ascii_case(name));
    (!is_field && !Directive::is_near(name.as_bytes())).then_some((name, rest))
}

#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Reader<'r> {
    at: Place,
    /// Whom the words are for. Empty: all.
    agents: Vec<String>,
    /// Whether names of crawlers can stand in it.
    is_header: bool,
    /// Whether what a word allows counts. False from the first word on that is not well written.
    is_sure: bool,
    /// Whether it did before the first word.
    was_sure: bool,
    /// Whether unknown words are reported.
    reports: bool,
    record: &'r mut Record,
}

impl Reader<'_> {
    /// A name. After other words there are three readings in use: that it is for what follows, for the next word only,
    /// or none at all. So what follows is for whom the words before are for, and for the named one.
    fn name(&mut self, name: &str, is_first: bool) {
        if is_first {
            self.agents = vec![known_as(name)];
            return;
        }
        self.doubt(FindingKind::AmbiguousAgent, name.as_bytes());
        if !self.agents.is_empty() {
            self.agents.truncate(1);
            self.agents.push(known_as(name));
        }
    }

    /// One word that is not well written may be one that forbids, so all words of its line allow nothing.
    fn end(self, start: (usize, usize)) {
        if !self.is_sure {
            self.record.allow_nothing_since(start);
            // Who the words are for may be what is broken.
            if self.agents.is_empty() && self.was_sure {
                self.record.is_broken(self.at.source, false);
            }
        }
    }

    fn part(&mut self, part: &[u8]) {
        let (name, value) = value_of(part).map_or((part, None), |(name, value)| (name, Some(value)));
        let words = self.words(part);
        let Some(directive) = Directive::find(name) else { return self.unknown(part) };
        match (directive.meaning, value) {
            (Meaning::Allows(uses), None) => uses.iter().for_each(|one| self.state(words, Said::Yes(*one))),
            (Meaning::Forbids(uses), None) => self.forbid(words, uses, None),
            (Meaning::Nothing, None) => {}
            (Meaning::Number(amount), Some(value)) => self.number(words, amount, value),
            (Meaning::Image, Some(value)) => self.image(words, value),
            (Meaning::Date, Some(value)) => self.date(words, value),
            _ => self.unknown(part),
        }
    }

    fn words<'w>(&self, text: &'w [u8]) -> Words<'w> {
        Words { at: self.at, may_allow: self.is_sure, is_preference: false, text }
    }

    fn state(&mut self, words: Words<'_>, said: Said) {
        self.record.state(words, said, &self.agents, &[], None);
    }

    fn forbid(&mut self, words: Words<'_>, uses: &[Forbidden], from: Option<i64>) {
        for Forbidden { what, only } in uses {
            self.record.state(words, Said::No(*what), &self.agents, only, from);
        }
    }

    /// A limit that is no number is none, says Google.
    fn number(&mut self, words: Words<'_>, amount: Amount, value: &[u8]) {
        let text = str::from_utf8(value).unwrap_or_default();
        let number = match text {
            "-1" => Some(Amount::UNLIMITED),
            _ if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                // More digits than fit are many characters, and still a limit.
                Some(text.parse().unwrap_or(Amount::UNLIMITED).min(Amount::UNLIMITED.saturating_sub(1)))
            }
            _ => None,
        };
        let Some(number) = number else { return self.unknown(words.text) };
        self.state(words, Said::AtMost(amount, number));
        if amount == Amount::Snippet && number == 0 {
            self.forbid(words, NOSNIPPET, None);
        }
    }

    fn image(&mut self, words: Words<'_>, value: &[u8]) {
        match Amount::image(value) {
            Some(place) => self.state(words, Said::AtMost(Amount::ImagePreview, place)),
            None => self.unknown(words.text),
        }
    }

    fn date(&mut self, words: Words<'_>, value: &[u8]) {
        if broken::has_directive(value) {
            return self.unknown(words.text);
        }
        let found = str::from_utf8(value).ok().and_then(date::read);
        match found {
            None => self.doubt(FindingKind::UnreadableDate, words.text),
            Some((_, false)) => self.record.find(FindingKind::DateWithoutZone, self.at, words.text),
            Some(_) => {}
        }
        self.forbid(words, NOINDEX, found.map(|found| found.0));
    }

    /// What is no word may have some in it, with blanks or other signs between: those that forbid count. With a colon
    /// in it, it may begin with the name of a crawler that cannot be read: then it is for all.
    fn unknown(&mut self, part: &[u8]) {
        let has_words = broken::has_directive(part);
        let has_name = || value_of(part).is_some_and(|(name, _)| Directive::find(name).is_none());
        if self.is_header && has_name() {
            self.agents = Vec::new();
        }
        for (said, only) in broken::directives(part) {
            self.record.state(self.words(part), said, &self.agents, only, None);
        }
        if has_words || self.reports {
            self.doubt(if has_words { FindingKind::Malformed } else { FindingKind::Unknown }, part);
        }
        self.is_sure = false;
    }

    fn doubt(&mut self, kind: FindingKind, text: &[u8]) {
        self.is_sure = false;
        self.record.find(kind, self.at, text);
    }
}
