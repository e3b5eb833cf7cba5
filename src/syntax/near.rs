//! Slips of the pen: names that are one edit away from another name.
//!
//! Invariant: a name with a meaning is near to none, and nothing here changes the meaning of a line. Cost: the length of the
//! name, for each directive.

use bstr::ByteSlice;

use crate::syntax::bytes;
use crate::syntax::names::{self, Directive, known_directives};

/// Shorter names are one edit away from words of every day: `Host` and `Most`. Our choice.
const SHORTEST: usize = 5;

/// Whether a letter that is added, left out, another one or in another place makes one name of the other. Case does not
/// count.
///
/// ```
/// use robosieve::parts::is_one_edit;
/// assert!(is_one_edit(b"Dsiallow", b"Disallow") && is_one_edit(b"uers-agent", b"User-agent"));
/// assert!(!is_one_edit(b"allow", b"Allow"));
/// ```
#[must_use]
pub fn is_one_edit(one: &[u8], other: &[u8]) -> bool {
    let is_same = |(a, b): &(&u8, &u8)| a.eq_ignore_ascii_case(b);
    let front = one.iter().zip(other).take_while(is_same).count();
    let (one, other) = (one.get(front..).unwrap_or_default(), other.get(front..).unwrap_or_default());
    let back = one.iter().rev().zip(other.iter().rev()).take_while(is_same).count();
    let rest = |name: &[u8]| name.len().saturating_sub(back);
    match (one.get(..rest(one)), other.get(..rest(other))) {
        (Some([_] | []), Some([_])) | (Some([_]), Some([])) => true,
        (Some([first, one @ ..]), Some([other @ .., last])) if is_moved(*first, *last, one, other) => true,
        (Some([one @ .., last]), Some([first, other @ ..])) => is_moved(*last, *first, one, other),
        _ => false,
    }
}

/// Whether two names are the same but for the place of a letter.
fn is_moved(from: u8, to: u8, one: &[u8], other: &[u8]) -> bool {
    from.eq_ignore_ascii_case(&to) && one.eq_ignore_ascii_case(other)
}

/// The directive whose name is one slip of the pen away from this one, which has no meaning. A blank and `_` are read as
/// `-`.
///
/// ```
/// use robosieve::parts::nearest_directive;
/// use robosieve::records::Directive;
/// assert_eq!(nearest_directive(b"Content-Signals"), Some(Directive::ContentSignal));
/// assert_eq!(nearest_directive(b"Sitemap"), None);
/// ```
#[must_use]
pub fn nearest_directive(name: &[u8]) -> Option<Directive> {
    let has_length = |known: &str| known.len().abs_diff(name.len()) <= 1 && known.len() >= SHORTEST;
    let mut known = known_directives().map(|(known, _)| known).filter(|known| has_length(known)).peekable();
    known.peek()?;
    let is_gap = |byte: u8| byte == b'_' || bytes::is_blank(byte);
    let dashed =
        name.iter().copied().any(is_gap).then(|| name.fields_with(|one| one == '_' || one == ' ' || one == '\t'));
    let dashed = dashed.map(|words| bstr::join(b"-", words));
    let name = dashed.as_deref().unwrap_or(name);
    let near = known.find(|known| is_one_edit(name, known.as_bytes()))?;
    names::nearly(near.as_bytes()).filter(|_| names::nearly(name).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [suspect.almost] [crawlers.near]
    #[test]
    fn one_edit_is_one_letter_or_its_place() {
        for (one, other, expected) in [
            ("GTPBot", "GPTBot", true),
            ("gptbo", "GPTBot", true),
            ("GPTBott", "GPTBot", true),
            ("GPTBat", "gptbot", true),
            ("GPTBot", "gptbot", false),
            ("GPBTot", "GPTBot", true),
            ("GPTtoB", "GPTBot", false),
            ("PTGBot", "GPTBot", true),
            ("GPTotB", "gptbot", true),
            ("aab", "aaab", true),
            ("ab", "ba", true),
            ("", "a", true),
            ("", "ab", false),
            ("abcd", "badc", false),
        ] {
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(is_one_edit(one.as_bytes(), other.as_bytes()), expected, "{one} {other}");
            }
        }
    }

    /// [suspect.almost]
    #[test]
    fn names_with_a_slip_are_near_to_one_directive() {
        use Directive as D;
        for (name, expected) in [
            ("Disabllow", Some(D::Disallow)),
            ("Dsiallow", Some(D::Disallow)),
            ("Disallop", Some(D::Disallow)),
            ("dis allow", Some(D::Disallow)),
            ("User-agen", Some(D::UserAgent)),
            ("Uers-agent", Some(D::UserAgent)),
            ("use_agent", Some(D::UserAgent)),
            ("Alllow", Some(D::Allow)),
            ("Alow", None),
            ("Sitmap", Some(D::Sitemap)),
            ("Crawl-dealy", Some(D::CrawlDelay)),
            ("Licence", Some(D::License)),
            ("Hots", None),
            ("Follow", None),
            ("Disallow", None),
            ("Noallow", None),
            ("", None),
        ] {
            assert_eq!(nearest_directive(name.as_bytes()), expected, "{name}");
        }
    }
}
