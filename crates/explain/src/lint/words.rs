//! The words of a text that its owner wrote: names of directives and of crawlers, paths and URLs. The second law of
//! advice: none is lost.
//!
//! Invariant: a word is found wherever it stands in a line, also glued to another one, and in a comment. Two spellings
//! of one word are equal: other case, hyphens, percent-encoding of the same octets, a slip in a directive's name. What
//! stands between words is none: blanks, quotes, brackets, separators, tags.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use robosieve::line::{KeptPart, LogicalLine};
use robosieve::syntax::{Leniency, known_directives, misspellings};

use super::meant::without_entities;
use super::silence::distance;

static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The names of directives in small letters, without what stands between them, and how they are documented.
static NAMES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let known = known_directives().map(|(name, _)| (letters(name), letters(name)));
    let slips =
        misspellings(Leniency::Generous).filter_map(|(slip, meant)| Some((letters(slip), letters(meant.name()?))));
    slips.chain(known).collect()
});

/// The longest name of a directive that is looked for at the end of a word. Our choice: more than any has.
const LONGEST_NAME: usize = 32;
/// The name of the directive whose values are names of crawlers.
const AGENT: &str = "useragent";

fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_lowercase()).collect()
}

/// The words that `new` lacks, each as often as it does. Cost: in proportion to both; a word that is gone is compared
/// with those that came.
pub(super) fn lost<'t>(
    old: impl IntoIterator<Item = &'t [u8]>,
    new: impl IntoIterator<Item = &'t [u8]>,
) -> Vec<String> {
    let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (old.into_iter().collect(), new.into_iter().collect());
    let (gone, come) = difference(&old, &new);
    if gone.is_empty() {
        return Vec::new();
    }
    let texts = |lines: &[&[u8]], mut wanted: HashMap<u64, usize>| {
        let mut texts = Vec::new();
        for line in lines {
            each(line, |word| {
                if let Some(count) = wanted.get_mut(&KEYS.hash_one(word)).filter(|count| **count > 0) {
                    *count = count.saturating_sub(1);
                    texts.push(word.to_owned());
                }
            });
        }
        texts
    };
    let (mut gone, mut come) = (texts(&old, gone), texts(&new, come));
    // A directive that is spelled as documented now.
    gone.retain(|word| {
        let is_meant = |name: &String| NAMES.contains_key(name) && is_slip(word, name);
        let place = if word.len() > LONGEST_NAME { None } else { come.iter().take(MOST_COMPARED).position(is_meant) };
        place.map(|place| come.swap_remove(place)).is_none()
    });
    gone
}

/// The words that are compared with one that is gone. Our choice: more than an edit adds.
const MOST_COMPARED: usize = 50;

/// Whether a name is meant for another one, by two letters at most.
fn is_slip(word: &str, name: &str) -> bool {
    let word = letters(word);
    word.len() >= 3 && distance(&word, name) <= 2
}

/// How often each word is missing in the new lines, and how often each is new.
fn difference(old: &[&[u8]], new: &[&[u8]]) -> (HashMap<u64, usize>, HashMap<u64, usize>) {
    let mut counts: HashMap<u64, isize> = HashMap::new();
    for (lines, step) in [(old, 1), (new, -1)] {
        for line in lines {
            each(line, |word| {
                let count = counts.entry(KEYS.hash_one(word)).or_default();
                *count = count.saturating_add(step);
            });
        }
    }
    let of = |is_it: fn(&isize) -> bool| {
        let those = counts.iter().filter(|(_, count)| is_it(count));
        those.map(|(word, count)| (*word, count.unsigned_abs())).collect()
    };
    (of(|count| *count > 0), of(|count| *count < 0))
}

/// The first line of a rule's group, and a hash of what the rule says.
fn rule_key(line: &LogicalLine<'_, '_>) -> Option<(u32, u64)> {
    let KeptPart::Rule(rule) = line.kept()? else { return None };
    let group = line.record()?.agents().first()?.line();
    Some((group, KEYS.hash_one((rule.kind(), rule.pattern().as_bstr()))))
}

/// A hash of the words of a line without its comment.
fn said(line: &[u8]) -> u64 {
    let mut words = Vec::new();
    each(line.split(|byte| *byte == b'#').next().unwrap_or_default(), |word| words.push(KEYS.hash_one(word)));
    KEYS.hash_one(words)
}

/// Whether another line of the group of a rule says the same in the same words, and stays.
pub(super) fn is_twin(line: &LogicalLine<'_, '_>, other: &LogicalLine<'_, '_>, text: &[u8]) -> bool {
    let words = |line: &LogicalLine<'_, '_>| text.get(line.span()).map(said);
    line.number() != other.number()
        && rule_key(line).is_some_and(|key| rule_key(other) == Some(key))
        && words(line) == words(other)
}

/// Calls a function with each word of a text.
pub(super) fn each(text: &[u8], mut add: impl FnMut(&str)) {
    for line in text.split(|byte| matches!(byte, b'\r' | b'\n' | 0)).filter(|line| !line.is_empty()) {
        each_of_line(line, &mut add);
    }
}

fn each_of_line(line: &[u8], add: &mut impl FnMut(&str)) {
    let decoded = decoded(line);
    let text = String::from_utf8_lossy(&decoded);
    let text =
        Some(&text).filter(|text| text.contains('&')).and_then(|text| without_entities(text)).map_or(text, Cow::Owned);
    let text = without_signs(&text);
    let mut rest: &str = &text;
    // The word before, if only blanks follow it: `User agent` is one name.
    let mut before: Option<String> = None;
    let mut is_agent = false;
    let mut flush = |word: Option<String>, is_agent: bool| {
        if let Some(word) = word {
            pieces(&word, is_agent, add);
        }
    };
    let mut is_first = true;
    while let Some(start) = rest.find(|one| !is_between(one)) {
        rest = rest.get(start..).unwrap_or_default();
        let end = rest.find(is_between).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        let mut lower = word.to_lowercase();
        let has_colon = after.trim_start().starts_with([':', '=', '\u{ff1a}', ';']);
        // A URL that another word is glued to.
        if after.starts_with("://")
            && let Some(front) = lower.strip_suffix("https").or(lower.strip_suffix("http"))
        {
            lower.truncate(front.len());
        }
        let is_word = |front: &&String| has_colon && front.bytes().all(|byte| byte.is_ascii_alphabetic());
        let joined = before.as_ref().filter(is_word).map(|front| format!("{front}{}", letters(&lower)));
        if let Some(name) = joined.and_then(|joined| NAMES.get(&joined)) {
            before = None;
            flush(Some(name.clone()), false);
            is_agent = name == AGENT;
        } else if let Some(name) = Some(&lower).filter(|_| is_first && has_colon).and_then(|word| almost(word)) {
            flush(Some(name.to_owned()), false);
            is_agent = name == AGENT;
        } else if let Some((front, name, back)) = named(&lower, has_colon, is_first || is_agent) {
            let some = |part: &str| Some(part.to_owned()).filter(|part| !part.is_empty());
            flush(before.take(), is_agent);
            flush(some(front), is_agent);
            flush(Some(name.to_owned()), false);
            is_agent = name == AGENT;
            flush(some(back), is_agent);
        } else if !lower.is_empty() {
            flush(before.take(), is_agent);
            before = Some(lower);
        }
        is_first = is_first && !word.contains(char::is_alphanumeric);
    }
    flush(before, is_agent);
}

/// The directive that a word is meant for which is no directive's name: the nearest of the usual ones.
pub(super) fn almost(word: &str) -> Option<&'static str> {
    const USUAL: [&str; 5] = [AGENT, "disallow", "allow", "sitemap", "crawldelay"];
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name = Some(word).filter(|word| word.len() <= LONGEST_NAME && word.bytes().all(is_name)).map(letters)?;
    let known = NAMES.contains_key(&name);
    USUAL.into_iter().filter(|usual| !known && is_slip(&name, usual)).min_by_key(|usual| distance(&name, usual))
}

/// Whether a word is a directive's name, or is meant for one. No crawler is called so: it was glued to something.
pub(super) fn is_directive(word: &str) -> bool {
    NAMES.contains_key(&letters(word)) || almost(word).is_some()
}

/// The directive's name that a word ends with, what stands before the name, and the stars after it. If no colon follows,
/// nothing but stars may stand before it. `has_stars` is false in a path, where a star is a part of a word.
fn named(word: &str, has_colon: bool, has_stars: bool) -> Option<(&str, &'static str, &str)> {
    let is_star = |one: char| has_stars && one == '*';
    let (word, back) = word.split_at(word.trim_end_matches(is_star).len());
    let whole = |word: &str| {
        let is_short = word.len() <= LONGEST_NAME && word.starts_with(|one: char| one.is_ascii_alphabetic());
        if is_short { NAMES.get(&letters(word)).map(String::as_str) } else { None }
    };
    let inner = word.trim_start_matches(is_star);
    let front = word.strip_suffix(inner).unwrap_or_default();
    if let Some(name) = whole(inner) {
        return Some((front, name, back));
    }
    if !has_colon {
        return None;
    }
    let starts = word.char_indices().map(|(at, _)| word.split_at(at));
    starts.into_iter().find_map(|(front, end)| Some((front, whole(end)?, back)))
}

/// The words of one that has no blank: a host and what follows it, and without the signs around it.
fn pieces(word: &str, is_agent: bool, add: &mut impl FnMut(&str)) {
    if is_agent {
        let mut is_first = true;
        for part in word.split('/') {
            let name = part.trim_matches(['.', '-', '_', '*']);
            let is_version = !is_first && name.starts_with(|one: char| one.is_ascii_digit());
            is_first = false;
            match name {
                "" if part.contains('*') => add("*"),
                name if !is_version => add_word(name, add),
                _ => {}
            }
        }
        return;
    }
    let path = word.trim_start_matches(['/', '*']).trim_end_matches('*');
    if path.is_empty() {
        // Two slashes begin a note.
        if word != "//" {
            add(if word.contains('/') { "/" } else { "*" });
        }
        return;
    }
    let is_number = path.len() == word.len()
        && path.starts_with(|one: char| one.is_ascii_digit())
        && !path.contains('/')
        && path.bytes().filter(u8::is_ascii_alphabetic).count() <= 1;
    match path.split_once('/') {
        _ if is_number => {}
        Some((host, rest)) if host.contains('.') => {
            add_word(host, add);
            let rest = rest.trim_start_matches(['/', '*']);
            if !rest.is_empty() {
                add_word(rest, add);
            }
        }
        _ => add_word(path, add),
    }
}

/// Adds a word, if it is more than signs and words of prose between others.
fn add_word(word: &str, add: &mut impl FnMut(&str)) {
    let has_content = |one: char| one.is_alphanumeric() || matches!(one, '?' | '$' | '~' | '%');
    if word.contains(has_content) && !matches!(word, "and" | "or" | "http" | "https") {
        add(word);
    }
}

/// What stands between words.
fn is_between(one: char) -> bool {
    one.is_whitespace()
        || one.is_control()
        || ",;|\"'`()<>[]{}#&+:=!".contains(one)
        || !one.is_ascii() && !one.is_alphanumeric()
}

/// A line with its percent-encoding undone.
fn decoded(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.contains(&b'%') {
        return Cow::Borrowed(line);
    }
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((first, after)) = rest.split_first() {
        let hex = |place: usize| after.get(place).and_then(|byte| char::from(*byte).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, hex(0), hex(1)) {
            out.push(u8::try_from(high.saturating_mul(16).saturating_add(low)).unwrap_or(*first));
            rest = after.get(2..).unwrap_or_default();
        } else {
            out.push(*first);
            rest = after;
        }
    }
    Cow::Owned(out)
}

/// A text without line ends that are spelled, and without tags that stand for one. A backslash is a slash.
fn without_signs(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '<']) {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    for sign in ["<br>", "<br/>", "<br />", "<p>", "</p>", "</div>", "<div>", "</li>", "<li>"] {
        for sign in [sign.to_owned(), sign.to_ascii_uppercase()] {
            out = out.replace(&sign, " ");
        }
    }
    // `\n` is a line end where another line follows it, and else a part of a path.
    let mut kept = String::with_capacity(out.len());
    let mut rest = out.as_str();
    while let Some(at) = rest.find('\\') {
        let (front, after) = rest.split_at(at);
        kept.push_str(front);
        let end = after.len().saturating_sub(after.trim_start_matches("\\r").trim_start_matches("\\n").len());
        let next = after.get(end..).unwrap_or_default();
        let is_end = end > 0 && (next.trim().is_empty() || begins_line(next));
        kept.push(if is_end { ' ' } else { '/' });
        rest = after.get(if is_end { end } else { 1 }..).unwrap_or_default();
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Whether a text begins with a directive's name and a colon, or a comment.
fn begins_line(text: &str) -> bool {
    let text = text.trim_start();
    let name = text.split(':').next().unwrap_or_default();
    text.starts_with('#') || name.len() <= LONGEST_NAME && NAMES.contains_key(&letters(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail")]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each(text.as_bytes(), |word| words.push(word.to_owned()));
        words
    }

    /// [lint.words]
    #[test]
    fn words_are_found_wherever_they_stand() {
        for (text, expected) in [
            ("User-agent: *Disallow: /", "useragent * disallow /"),
            ("user agent : GPTBotAllow: /", "useragent gptbot allow /"),
            ("Allow: /Sitemap: https://e.com/s.xml", "allow / sitemap e.com s.xml"),
            ("Allow: /Sitemap:%20https://e.com/s.xml", "allow / sitemap e.com s.xml"),
            ("Disallow: /aCrawl-delay: 10", "disallow a crawldelay"),
            ("Disallow: /a/Allow: /a/b", "disallow a/ allow a/b"),
            (r"User-agent: *\r\nDisallow: /p\n", "useragent * disallow p"),
            ("Disallow: /a<br>Disallow: /b", "disallow a disallow b"),
            ("Sitemap: https://e.com/a.xmlSitemap: https://e.com/b.xml", "sitemap e.com a.xml sitemap e.com b.xml"),
            ("# Disalow: \"/p\" // note", "disallow p note"),
            ("User-agent: *User-agent", "useragent * useragent"),
            ("User-agent* x*", "useragent * x"),
            ("Disallow: *sitemap*", "disallow sitemap"),
            ("- Uers-agent: Dsiallow", "useragent dsiallow"),
            ("User-agent: Googlebot/2.1, \u{201c}Bingbot\u{201d} and *x*", "useragent googlebot bingbot x"),
            ("User-agent: 008", "useragent 008"),
            ("Disallow: \\p\\", "disallow p/"),
            ("Disallow: /%7ejoe", "disallow ~joe"),
            ("Disallow: /?a=1&amp;b=2", "disallow ?a b"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    /// [lint.replacement]
    #[test]
    fn no_crawler_is_called_as_a_directive_is() {
        let called: Vec<_> = crate::crawlers::Crawler::all().filter(|crawler| is_directive(&crawler.token)).collect();
        assert!(called.is_empty(), "{called:?}");
    }

    /// [lint.words]
    #[test]
    fn a_word_is_lost_or_respelled() {
        let lost = |old: &str, new: &str| lost([old.as_bytes()], [new.as_bytes()]);
        assert_eq!(lost("User-agent: *Disallow: /", "User-agent: Disallow"), ["*", "/"]);
        assert_eq!(lost("Disallow: https://e.com/a", "Disallow: /a"), ["e.com"]);
        assert_eq!(lost("Allow: /a", ""), ["allow", "a"]);
        for (old, new) in [
            ("Dsiallow: /a", "Disallow: /a"),
            ("userAgent = \"x\"", "User-agent: x"),
            ("Allow: /a,/b", "Allow: /a\nAllow: /b"),
            ("Foo: /a", "# Foo: /a"),
            ("Disallow: tmp", "Disallow: /tmp"),
            ("Disallow: /a*", "Disallow: /a"),
        ] {
            assert!(lost(old, new).is_empty(), "{old} {new}: {:?}", lost(old, new));
        }
    }
}
