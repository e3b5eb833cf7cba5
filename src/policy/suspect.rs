//! Suspects: lines whose owner probably meant something else, and what was probably meant.
//!
//! Invariant: nothing here changes the meaning of a line. Each function looks at each byte of a line a few times at
//! most. It is called only for lines that contain a byte which ordinary lines do not contain.

use bstr::ByteSlice;

use crate::report::{Effect, FindingKind};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::glued;
use crate::syntax::grammar::Style;
use crate::syntax::names::{self, Directive, RuleKind};

/// A suspect: its kind, and how the verdicts may differ from what was probably meant.
pub(crate) type Suspect = (FindingKind, Effect);

/// Extensions of file names. A name that ends in one is not a host.
const FILE_EXTENSIONS: &[&[u8]] = &[
    b"asp", b"aspx", b"cfm", b"cgi", b"css", b"csv", b"do", b"doc", b"gif", b"gz", b"htm", b"html", b"ico", b"jpeg",
    b"jpg", b"js", b"jsf", b"json", b"jsp", b"jspx", b"map", b"md", b"mp", b"pdf", b"php", b"pl", b"png", b"py",
    b"rss", b"svg", b"swf", b"tar", b"txt", b"webp", b"xls", b"xml", b"zip",
];

/// Invisible characters: special blanks, direction marks, byte order marks, joiners.
const INVISIBLE: &[&str] = &[
    "\u{A0}", "\u{AD}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}",
    "\u{202D}", "\u{202E}", "\u{2060}", "\u{3000}", "\u{FEFF}",
];

/// `[suspect.*]`: what is suspect about the value of a rule. `flags` are the normalisation that its bytes need.
/// Returns at most one suspect for a line.
#[cold]
pub(crate) fn in_rule(kind: RuleKind, value: &[u8], flags: Flags) -> Option<Suspect> {
    let own = kind.effect_of_losing();
    let has_raw = flags.has(Flags::RAW);
    let begins_otherwise = !matches!(value.first(), None | Some(b'/' | b'*' | b'$'));
    if flags.has(Flags::COLON)
        && let Some(glued) = Glued::in_value(kind.directive(), value)
    {
        let own = if glued.begins { Effect::None } else { own };
        return Some((FindingKind::GluedRule, either(own, glued.effect)));
    }
    let found = if let Some(found) = has_raw.then(|| second_word(value)).flatten() {
        found
    } else if begins_otherwise && begins_as_url(value) {
        FindingKind::UrlInRule
    } else if flags.has(Flags::HIGH) && is_cut_by_invisible(value) {
        FindingKind::InvisibleCharacter
    } else if has_raw && is_regular_expression(value) {
        FindingKind::RegularExpression
    } else {
        return None;
    };
    Some((found, own))
}

/// The combined effect of two effects.
fn either(one: Effect, other: Effect) -> Effect {
    match (one, other) {
        (Effect::None, effect) | (effect, Effect::None) => effect,
        _ if one == other => one,
        _ => Effect::Either,
    }
}

/// The directives in the value of another one.
struct Glued {
    /// Whether the value begins with a directive.
    begins: bool,
    has_agent: bool,
    /// The combined effect of those that are rules.
    effect: Effect,
}

impl Glued {
    /// None if the value has no other directive.
    fn in_value(directive: Directive, value: &[u8]) -> Option<Self> {
        let mut parts = glued::parts(directive, value);
        let own = parts.next()?;
        let mut others = parts.peekable();
        others.peek()?;
        let mut glued = Self { begins: own.value.is_empty(), has_agent: false, effect: Effect::None };
        for part in others {
            glued.has_agent |= part.directive == Directive::UserAgent;
            glued.effect = match part.directive {
                Directive::Disallow if !part.value.is_empty() => either(glued.effect, Effect::MorePermissive),
                Directive::Disallow | Directive::Allow => either(glued.effect, Effect::MoreRestrictive),
                _ => glued.effect,
            };
        }
        Some(glued)
    }
}

/// `[suspect.glued]`: how the verdicts may differ, if the value of a line that is neither a rule nor a user-agent line
/// has other directives.
pub(crate) fn in_other(directive: Directive, value: &[u8]) -> Option<Effect> {
    let glued = Glued::in_value(directive, value)?;
    Some(if glued.has_agent { Effect::Either } else { glued.effect })
}

/// Whether the value of a line may have other directives. The first colon of a URL is that of its scheme.
pub(crate) fn may_be_glued(directive: Directive, value: &[u8], flags: Flags) -> bool {
    let from = if names::has_url_values(directive) { "https:".len() } else { 0 };
    flags.has(Flags::COLON) && memchr::memchr(b':', value.get(from..).unwrap_or_default()).is_some()
}

/// The name before the first directive in the value of a user-agent line.
pub(crate) fn own_name(value: &[u8]) -> &[u8] {
    glued::parts(Directive::UserAgent, value).next().map_or(value, |part| part.value)
}

/// A path, a blank, and then another path or a note.
fn second_word(value: &[u8]) -> Option<FindingKind> {
    let mut words = value.split(|&byte| bytes::is_blank(byte)).filter(|word| !word.is_empty());
    words.next()?;
    words.find_map(|word| match word {
        [b'/', b'/', ..] | [b';', ..] | [b'-', b'-', ..] => Some(FindingKind::NoteInRule),
        _ if word.starts_with(b"<!--") => Some(FindingKind::NoteInRule),
        _ if word.starts_with(b"/*") && value.contains_str("*/") => Some(FindingKind::NoteInRule),
        [b'/', ..] => Some(FindingKind::SeveralPaths),
        _ => None,
    })
}

/// Whether the value begins with `https://site/path`, or with a host that cannot be a file name: `www.site.com/path`.
fn begins_as_url(value: &[u8]) -> bool {
    let (scheme, rest) = bytes::split_while(value, |byte| byte.is_ascii_alphabetic());
    if rest.starts_with(b"://") && !scheme.is_empty() {
        return true;
    }
    let host = value.split(|byte| matches!(byte, b'/' | b'?' | b':')).next().unwrap_or_default();
    let is_label = |label: &[u8]| !label.is_empty() && label.iter().copied().all(bytes::is_name);
    let labels = || host.split(|&byte| byte == b'.');
    let Some(last) = labels().next_back().filter(|_| labels().all(is_label)) else { return false };
    let is_top_level = last.len() > 1 && last.iter().all(u8::is_ascii_alphabetic);
    let is_one_of = |names: &[&[u8]]| names.iter().any(|name| last.eq_ignore_ascii_case(name));
    let is_host = match labels().count() {
        0 | 1 => false,
        2 => is_one_of(&[b"com", b"org", b"net"]),
        _ => true,
    };
    is_host && is_top_level && !is_one_of(FILE_EXTENSIONS)
}

/// Whether the value begins or ends with an invisible character. No path of a real site does.
fn is_cut_by_invisible(value: &[u8]) -> bool {
    let value = bytes::trim(value, bytes::is_blank);
    // The no-break space in an old 8-bit encoding.
    let is_old = value.ends_with(b"\xA0") && value.to_str().is_err();
    is_old || INVISIBLE.iter().any(|mark| value.starts_with(mark.as_bytes()) || value.ends_with(mark.as_bytes()))
}

/// Whether the value contains what regular expressions contain and paths do not: an escaped sign, a leading caret, or
/// alternatives in parentheses.
fn is_regular_expression(value: &[u8]) -> bool {
    if memchr::memchr3(b'\\', b'|', b'^', value).is_none() {
        return false;
    }
    let has_escape = value.windows(2).any(|pair| {
        matches!(
            pair,
            [b'\\', b'.' | b'?' | b'/' | b'+' | b'*' | b'-' | b'(' | b')' | b'[' | b'$' | b'd' | b'w' | b's']
        )
    });
    let has_choice = value
        .find_byte(b'(')
        .zip(value.rfind_byte(b')'))
        .is_some_and(|(open, close)| bytes::part(value, open..close).contains(&b'|'));
    has_escape || has_choice || value.starts_with(b"^")
}

/// Whether a comment directly after a rule, without a blank between, is the fragment of a URL: it is one word.
pub(crate) fn is_fragment(comment: &[u8]) -> bool {
    !comment.is_empty() && !comment.iter().copied().any(bytes::is_blank)
}

/// How the verdicts differ if a rule ends before its fragment: the rule covers more.
pub(crate) const fn effect_of_fragment(kind: RuleKind) -> Effect {
    match kind {
        RuleKind::Allow => Effect::MorePermissive,
        RuleKind::Disallow => Effect::MoreRestrictive,
    }
}

/// What is suspect about a user-agent line. The first `length` bytes of the value are the name.
pub(crate) fn in_agent(value: &[u8], length: usize, form: Style) -> Option<Suspect> {
    let (name, rest) = value.split_at_checked(length)?;
    // In most lines only a version or a star follows the name.
    if rest == b"*" || rest.strip_prefix(b"/").is_some_and(|rest| rest.iter().copied().all(bytes::is_wide_token)) {
        return None;
    }
    if let Some(glued) = Glued::in_value(Directive::UserAgent, value) {
        let is_list = glued.has_agent && length > 0;
        return Some(if is_list {
            (FindingKind::AgentList, Effect::Either)
        } else {
            (FindingKind::GluedDirective, glued.effect)
        });
    }
    if length == 0 {
        return None;
    }
    let is_header = name.eq_ignore_ascii_case(b"mozilla") && rest.contains(&b'(');
    let found = [
        (is_header, FindingKind::AgentHeader),
        (is_list(value), FindingKind::AgentList),
        (is_cut(rest, form), FindingKind::AgentCut),
    ];
    found.into_iter().find(|it| it.0).map(|it| (it.1, Effect::Either))
}

/// Whether the value is a list `A, B`: names separated by commas, semicolons or bars, and nothing else.
fn is_list(value: &[u8]) -> bool {
    if memchr::memchr3(b',', b';', b'|', value).is_none() {
        return false;
    }
    let parts =
        || value.split(|byte| matches!(byte, b',' | b';' | b'|')).map(|part| bytes::trim(part, bytes::is_blank));
    let is_agent = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || part == b"*")
            && part.iter().all(|&byte| bytes::is_wide_token(byte) || matches!(byte, b'*' | b'/'))
    };
    let mut named = parts().filter(|part| !part.is_empty());
    parts().count() > 1 && named.by_ref().take(2).filter(|part| is_agent(part)).count() == 2 && named.all(is_agent)
}

/// Whether the name continues after a character that ends it, as in `Y!J-BRU`. In Google's form a digit also ends a
/// name.
fn is_cut(rest: &[u8], form: Style) -> bool {
    let is_of_name = match form {
        Style::Standard => bytes::is_wide_token,
        Style::Google => bytes::is_token,
    };
    let at = rest.iter().position(|&byte| is_of_name(byte) || bytes::is_blank(byte));
    let Some((cut, after)) = at.and_then(|at| rest.split_at_checked(at)) else { return false };
    let parts_words = |byte: &u8| matches!(byte, b'/' | b'*' | b'(' | b'[' | b',' | b';' | b'|' | b'+');
    !cut.is_empty() && !cut.iter().any(parts_words) && after.first().copied().is_some_and(is_of_name)
}

/// Whether [`almost`] can find something in a line, by its first byte: a letter of a name, or one that is left out in
/// front of a name.
#[inline]
pub(crate) fn may_be_almost(line: &[u8]) -> bool {
    may_begin_name(line) || matches!(line.first(), Some(b' ' | b'\t' | b'-' | b'*' | b'"' | b'\'' | 0x80..))
}

/// `[suspect.almost]`: the rule or user-agent line that a line without meaning resembles, and the value it would
/// have.
pub(crate) fn almost(line: &[u8]) -> Option<(Directive, &[u8])> {
    let text = without_bullet(line);
    if !may_begin_name(text) {
        return None;
    }
    let (name, rest) = bytes::split_while(text, |byte| bytes::is_name(byte) || matches!(byte, b'_' | b' ' | b'\t'));
    let is_colon =
        |rest: &[u8]| matches!(rest.first(), Some(b':' | b';' | b'=')) || rest.starts_with("\u{FF1A}".as_bytes());
    if is_colon(rest) {
        let value = bytes::trim_start(rest, |byte| !byte.is_ascii() || matches!(byte, b':' | b';' | b'='));
        return almost_named(bytes::trim_end(name, bytes::is_blank), value).map(|directive| (directive, value));
    }
    // A colon is missing, and the line has more than two words.
    let (word, value) = bytes::split_while(text, |byte| bytes::is_name(byte) || byte == b'_');
    let value = bytes::trim_start(value, bytes::is_blank);
    let is_value = matches!(value.first(), Some(b'/' | b'*'));
    almost_named(word, value).filter(|_| is_value).map(|directive| (directive, value))
}

/// The rule or user-agent line whose name this resembles; `_` is read as `-`.
#[inline]
pub(crate) fn almost_named(name: &[u8], value: &[u8]) -> Option<Directive> {
    let known = if may_be_named(name) { named(name) } else { None };
    // One letter more than that of `User-agent`, one less than that of `Allow`.
    if known.is_some() || !(4..=11).contains(&name.len()) { known } else { slip(name, value) }
}

/// The rule or user-agent line whose name is one slip of the pen away. Words of every day are near to `Allow`.
#[cold]
fn slip(name: &[u8], value: &[u8]) -> Option<Directive> {
    let is_meant = |directive: &Directive| match directive {
        Directive::Disallow | Directive::UserAgent => true,
        Directive::Allow => matches!(bytes::trim_start(value, bytes::is_blank).first(), Some(b'/' | b'*')),
        _ => false,
    };
    names::nearest_directive(name).filter(is_meant)
}

/// Whether a name begins like the name of a directive or like a misspelling of one, and is long enough. Few other
/// words are.
#[inline]
fn may_be_named(name: &[u8]) -> bool {
    let [first, second, ..] = name else { return false };
    match (first.to_ascii_lowercase(), second.to_ascii_lowercase()) {
        (b'a', b'l') => name.len() >= "alow".len(),
        (b'd', _) | (b'i', b's') => name.len() >= "isallow".len(),
        (b's', b'i') => name.len() >= "sitemap".len(),
        (b'c', b'r') | (b's', b'e') | (b'u', b's') => name.len() >= "ser-agent".len(),
        _ => false,
    }
}

/// Whether the first letter is that of a rule, of a user-agent line, or of a misspelling of these.
fn may_begin_name(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'A' | b'a' | b'D' | b'd' | b'I' | b'i' | b'S' | b's' | b'U' | b'u'))
}

#[cold]
fn named(name: &[u8]) -> Option<Directive> {
    let is_one = |directive: &Directive| directive.is_rule() || *directive == Directive::UserAgent;
    let dashed = name.contains(&b'_').then(|| name.replace(b"_", b"-"));
    let name = dashed.as_deref().unwrap_or(name);
    // If only the first of several words is a name, the line is prose.
    let is_prose = name.iter().copied().any(bytes::is_blank) && !names::is_generous(name);
    names::nearly(name).filter(|directive| is_one(directive) && !is_prose)
}

/// The line without leading bullets, quotes and invisible characters.
fn without_bullet(line: &[u8]) -> &[u8] {
    let mut text = line;
    loop {
        text = match text {
            [b' ' | b'\t' | b'"' | b'\'', rest @ ..] | [b'-' | b'*', b' ', rest @ ..] => rest,
            [0x80..=0xFF, ..] => match without_invisible(text) {
                Some(rest) => rest,
                None => return text,
            },
            _ => return text,
        };
    }
}

/// The text after a leading invisible character or bullet.
fn without_invisible(text: &[u8]) -> Option<&[u8]> {
    INVISIBLE.iter().chain(&["\u{2022}"]).find_map(|mark| text.strip_prefix(mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::names::{Leniency, misspellings};

    /// [suspect.almost]
    #[test]
    fn every_misspelling_may_be_a_name() {
        let leniencies = [Leniency::Common, Leniency::Generous];
        let is_counted = |directive: &Directive| {
            directive.is_rule() || matches!(directive, Directive::UserAgent | Directive::Sitemap)
        };
        let names = leniencies.into_iter().flat_map(misspellings).filter(|(_, directive)| is_counted(directive));
        for name in names.map(|(name, _)| name).chain(["user-agent", "allow", "disallow", "sitemap", "crawl-delay"]) {
            assert!(may_be_named(name.as_bytes()) && may_be_named(name.to_ascii_uppercase().as_bytes()), "{name}");
        }
    }
}
