//! Reads the headers Content-Usage and Content-Signal.
//!
//! Invariant: the library reads the values and has the labels. A field that it cannot read allows nothing, and what the
//! parts of it forbid still counts.

use robosieve::syntax::Directive;
use robosieve::value::{ContentUse, Label, Purpose};

use crate::finding::FindingKind;
use crate::record::{Record, Words};
use crate::statement::{Place, Said};
use crate::uses::{Amount, Use};

/// A header line: its place and its value.
pub(crate) type Line<'v> = (Place, &'v [u8]);

/// Words for no that are none of a directive's values.
const NO: [&str; 5] = ["n", "no", "false", "0", "?0"];

/// Reads all lines of one of the two fields. The lines of Content-Usage are one dictionary (RFC 9651 4.2); of a label
/// that is there twice the last one counts. The lines of Content-Signal add up.
pub(crate) fn read(directive: Directive, lines: &[Line<'_>], record: &mut Record) {
    let lines: Vec<Line<'_>> = lines.iter().copied().filter(|line| !line.1.is_empty()).collect();
    let Some((first, _)) = lines.first() else { return };
    if directive == Directive::ContentUsage && lines.len() > 1 {
        let values: Vec<&[u8]> = lines.iter().map(|line| line.1).collect();
        let all = values.join(&b", "[..]);
        match value(directive, &all) {
            Some(found) => said(directive, &found, (*first, &all), true, record),
            None => lines.iter().for_each(|line| forbidden(directive, *line, record)),
        }
        return;
    }
    for line in lines {
        match value(directive, line.1) {
            Some(found) => said(directive, &found, line, true, record),
            None => forbidden(directive, line, record),
        }
    }
}

/// A value. In a header it has no path.
fn value(directive: Directive, text: &[u8]) -> Option<ContentUse> {
    let text = text.trim_ascii();
    if text.starts_with(b"/") {
        return None;
    }
    if directive == Directive::ContentUsage { ContentUse::read_usage(text) } else { ContentUse::read_signal(text) }
}

/// Notes what the parts of a line forbid that cannot be read as a whole.
fn forbidden(directive: Directive, (at, text): Line<'_>, record: &mut Record) {
    record.find(FindingKind::Malformed, at, text);
    for part in text.split(|byte| matches!(byte, b',' | b';' | b'"') || byte.is_ascii_whitespace()) {
        if let Some(found) = value(directive, part) {
            said(directive, &found, (at, part), false, record);
        }
    }
}

fn said(directive: Directive, found: &ContentUse, (at, text): Line<'_>, is_whole: bool, record: &mut Record) {
    for label in Label::current(directive) {
        let (Some(purpose), Some(one)) = (label.purpose, found.of(label.name)) else { continue };
        let written = one.to_string();
        let words = Words { at, may_allow: is_whole, is_preference: true, text: written.as_bytes() };
        let rank = label.rank(&one.value).or_else(|| {
            record.find(FindingKind::Malformed, at, written.as_bytes());
            NO.iter().any(|no| one.value.eq_ignore_ascii_case(no)).then_some(0)
        });
        match (purpose, rank) {
            (_, None) => {}
            (Purpose::Extent, Some(rank)) => {
                let place = u32::try_from(rank).unwrap_or(Amount::UNLIMITED);
                record.say(words, Said::AtMost(Amount::Extent, place));
            }
            (_, Some(0)) => record.say(words, Said::No(Use::Of(purpose))),
            (_, Some(_)) => record.say(words, Said::Yes(Use::Of(purpose))),
        }
    }
    let is_known = |name: &str| Label::find(directive, name).is_some();
    if is_whole && found.uses.iter().any(|one| !is_known(&one.name)) {
        record.find(FindingKind::Unknown, at, text);
    }
}
