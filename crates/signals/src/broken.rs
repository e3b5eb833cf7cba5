//! What still counts in a text that is not written as its document says: what forbids.
//!
//! Invariant: nothing that is found here allows anything. Headers, meta tags and preferences are all searched here, and
//! the time is linear in the text.

use robosieve::values::{Label, Purpose};

use crate::directives::{Directive, Meaning, NOINDEX, NOSNIPPET};
use crate::statement::Said;
use crate::uses::{Amount, Use};

/// Words for no, in any of the documents.
pub(crate) const NO: [&[u8]; 4] = [b"n", b"no", b"false", b"0"];

/// What a text forbids, and the crawlers whose owners say so (none: all).
pub(crate) type Forbids = (Said, &'static [&'static str]);

/// The words of a text, with anything between them.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.split(move |byte| !is_of_word(byte)).filter(|word| !word.is_empty())
}

/// Whether a text has a word of the table.
pub(crate) fn has_directive(text: &[u8]) -> bool {
    words(text).any(|word| Directive::meant(word).is_some())
}

/// What the words of X-Robots-Tag forbid in a text. A number, or the name of a size, belongs to the word before it.
pub(crate) fn directives(text: &[u8]) -> Vec<Forbids> {
    let (mut found, mut before) = (Vec::new(), Meaning::Nothing);
    for word in words(text) {
        // `none` is the name of a size, too.
        let is_size = before == Meaning::Image && Amount::image(word).is_some();
        let Some(directive) = Directive::meant(word).filter(|_| !is_size) else {
            amount(std::mem::replace(&mut before, Meaning::Nothing), word, &mut found);
            continue;
        };
        before = directive.meaning;
        match before {
            Meaning::Forbids(uses) => found.extend(uses.iter().map(|one| (Said::No(one.what), one.only))),
            Meaning::Date => found.extend(NOINDEX.iter().map(|one| (Said::No(one.what), one.only))),
            _ => {}
        }
    }
    found
}

fn amount(meaning: Meaning, word: &[u8], found: &mut Vec<Forbids>) {
    match meaning {
        Meaning::Number(amount) if word.iter().all(u8::is_ascii_digit) => {
            let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok()).unwrap_or(Amount::UNLIMITED);
            found.push((Said::AtMost(amount, number), &[]));
            if amount == Amount::Snippet && number == 0 {
                found.extend(NOSNIPPET.iter().map(|one| (Said::No(one.what), one.only)));
            }
        }
        Meaning::Image => {
            found.extend(Amount::image(word).map(|place| (Said::AtMost(Amount::ImagePreview, place), &[][..])));
        }
        _ => {}
    }
    found.retain(|(said, _)| !said.allows());
}

/// The text of the library for a value, in which each byte that is not printable ASCII is `%XX`: such a byte is of no
/// word.
pub(crate) fn without_escapes(text: &str) -> Vec<u8> {
    let mut out = text.as_bytes().to_vec();
    let mut from = 0;
    while let Some(at) = out.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b'%')) {
        let at = from.saturating_add(at);
        from = at.saturating_add(1);
        let escape = out.get_mut(at..at.saturating_add(3)).unwrap_or_default();
        if escape.iter().skip(1).all(u8::is_ascii_hexdigit) {
            escape.fill(b' ');
        }
    }
    out
}

/// Labels of older drafts, and what they are of: a `no` of theirs still counts.
const OLDER: [(&str, &[Purpose]); 8] = {
    use Purpose::{AiTraining, AiUse, Search};
    [
        ("train-genai", &[AiTraining]),
        ("genai", &[AiTraining]),
        ("tdm", &[AiTraining]),
        ("ai", &[AiTraining, AiUse]),
        ("inference", &[AiUse]),
        ("ai-output", &[AiUse]),
        ("bots", &[AiTraining, AiUse, Search]),
        ("all", &[AiTraining, AiUse, Search]),
    ]
};

/// What the labels of Content-Usage and Content-Signal forbid in a text: those with a word for no after them, up to the
/// next label. Such a word before the first label is for all of them.
pub(crate) fn labels(text: &[u8]) -> Vec<Said> {
    let (mut found, mut known, mut is_for_all): (Vec<Said>, Option<&Label>, bool) = (Vec::new(), None, false);
    let mut older: &[Purpose] = &[];
    for word in words(text) {
        let word = &*word.iter().map(|byte| if *byte == b'_' { b'-' } else { *byte }).collect::<Vec<u8>>();
        let is_no = NO.iter().any(|no| no.eq_ignore_ascii_case(word));
        let mut current = Label::all().filter(|label| !label.is_removed);
        if let Some(label) = current.find(|label| label.name.as_bytes().eq_ignore_ascii_case(word)) {
            (known, older) = (Some(label), &[]);
            found.extend(said(label, 0).filter(|_| is_for_all));
        } else if let Some((_, of)) = OLDER.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(word)) {
            (known, older) = (None, of);
        } else if is_no && !older.is_empty() {
            found.extend(older.iter().map(|purpose| Said::No(Use::Of(*purpose))));
        } else if let Some(label) = known {
            let rank = label.values.iter().position(|value| value.as_bytes().eq_ignore_ascii_case(word));
            found.extend(rank.or(is_no.then_some(0)).and_then(|rank| said(label, rank)).filter(|said| !said.allows()));
        } else {
            is_for_all |= is_no;
        }
    }
    found
}

/// What a value of a label says, by its place among the values of the label, of which the first is the strictest.
pub(crate) fn said(label: &Label, rank: usize) -> Option<Said> {
    match (label.purpose?, rank) {
        (Purpose::Extent, rank) => Some(Said::AtMost(Amount::Extent, u32::try_from(rank).ok()?)),
        (purpose, 0) => Some(Said::No(Use::Of(purpose))),
        (purpose, _) => Some(Said::Yes(Use::Of(purpose))),
    }
}
