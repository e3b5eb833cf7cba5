//! Reads Content-Usage and Content-Signal: the headers, and what the lines of robots.txt say.
//!
//! Invariant: the library reads the values and has the labels. A field with a part that it cannot read allows nothing,
//! and what such a part forbids still counts.

use robosieve::records::Directive;
use robosieve::values::{ContentUse, Label};

use crate::broken;
use crate::finding::FindingKind;
use crate::record::{Record, Words};
use crate::statement::Place;

/// A header line: its place and its value.
type Line<'v> = (Place, &'v [u8]);

/// Reads all lines of one of the two fields. The lines of Content-Usage are one dictionary (RFC 9651 4.2), and those of
/// Content-Signal add up. Of a label that is there twice the strictest counts: lines may come from several programs.
pub(crate) fn read(directive: Directive, lines: &[(Place, Vec<u8>)], record: &mut Record) {
    let lines: Vec<Line<'_>> =
        lines.iter().map(|(at, value)| (*at, &**value)).filter(|line| !line.1.is_empty()).collect();
    let Some((first, _)) = lines.first() else { return };
    let start = record.length();
    let values: Vec<&[u8]> = lines.iter().map(|line| line.1).collect();
    let all = values.join(&b", "[..]);
    let is_whole = if directive == Directive::ContentUsage && value(directive, &all).is_some() {
        line(directive, (*first, &all), record)
    } else {
        // All of them are read, also after one that is broken.
        lines.iter().filter(|one| !line(directive, **one, record)).count() == 0
    };
    if !is_whole {
        record.allow_nothing_since(start);
        record.is_broken(first.source, true);
    }
}

/// Reads one value, and says whether it is well written.
fn line(directive: Directive, (at, text): Line<'_>, record: &mut Record) -> bool {
    if let Some(found) = value(directive, text) {
        return said(directive, &found, at, "", record);
    }
    broken(at, text, text, record);
    false
}

/// A value. In a header it has no path.
fn value(directive: Directive, text: &[u8]) -> Option<ContentUse> {
    read_value(directive, text).filter(|found| found.path.is_empty())
}

/// A value, as robots.txt has it.
pub(crate) fn read_value(directive: Directive, text: &[u8]) -> Option<ContentUse> {
    let text = text.trim_ascii();
    if directive == Directive::ContentUsage { ContentUse::read_usage(text) } else { ContentUse::read_signal(text) }
}

/// Notes what a text forbids that cannot be read. `bare`: the text for its words.
pub(crate) fn broken(at: Place, text: &[u8], bare: &[u8], record: &mut Record) {
    record.find(FindingKind::Malformed, at, text);
    for said in broken::labels(bare) {
        record.say(Words { at, may_allow: false, is_preference: true, text }, said);
    }
}

/// Notes what a value says, with the front of its line. Whether all of it is well written.
pub(crate) fn said(directive: Directive, found: &ContentUse, at: Place, front: &str, record: &mut Record) -> bool {
    let (mut is_whole, mut has_unknown) = (true, false);
    for one in &found.uses {
        let text = format!("{front}{one}");
        let bare = broken::without_escapes(&text);
        let label = Label::find(directive, &one.name);
        let rank = label.and_then(|label| label.rank(&one.value));
        let is_broken = !broken::labels(one.parameters.as_bytes()).is_empty()
            || if label.is_some() { rank.is_none() } else { !broken::labels(&bare).is_empty() };
        if let (Some(said), false) = (label.zip(rank).and_then(|(label, rank)| broken::said(label, rank)), is_broken) {
            record.say(Words { at, may_allow: true, is_preference: true, text: text.as_bytes() }, said);
        }
        if is_broken {
            broken(at, text.as_bytes(), &bare, record);
            is_whole = false;
        }
        has_unknown |= label.is_none() && !is_broken;
    }
    if has_unknown {
        record.find(FindingKind::Unknown, at, format!("{front}{found}").as_bytes());
    }
    is_whole
}
