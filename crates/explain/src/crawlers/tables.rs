//! The tables of known crawlers, and a look-up by name.
//!
//! Invariant: where each name is was found by the compiler; a crawler is read when it is first asked for. Each name is
//! there once, in any case of its letters.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::places::{COUNT, PLACES};
use super::{Crawler, token_of};

/// Where the names of the list of those without a page are from.
const LISTS: [(&str, &str); 2] = [
    ("ai.robots.txt", "https://github.com/ai-robots-txt/ai.robots.txt"),
    ("crawler-user-agents", "https://github.com/monperrus/crawler-user-agents"),
];

/// Those that have been asked for.
static READ: [OnceLock<Crawler>; COUNT] = [const { OnceLock::new() }; COUNT];

/// All known crawlers.
pub(super) fn every() -> impl Iterator<Item = &'static Crawler> {
    READ.iter().enumerate().map(|(place, read)| read.get_or_init(|| crawler(place)))
}

pub(super) fn find(name: &str) -> Option<&'static Crawler> {
    let name = name.trim_matches([' ', '\t']);
    let place = PLACES.find(name).or_else(|| PLACES.find(token_of(name)))?;
    Some(READ.get(place)?.get_or_init(|| crawler(place)))
}

/// Reads a line. A test says that no field is missing.
fn crawler(place: usize) -> Crawler {
    let mut fields = PLACES.line(place).split('\t');
    let mut next = || fields.next().unwrap_or_default();
    let one = named(next(), next(), next());
    if PLACES.is_documented(place) {
        let (fallbacks, reads) = (next(), next());
        Crawler {
            fallbacks,
            uses_everyone: reads != "own",
            ignores_robots_txt: reads == "ignores",
            documented: true,
            purpose: next().into(),
            source: next().into(),
            ..one
        }
    } else {
        let (purpose, list) = (next(), next());
        let source = LISTS.into_iter().find(|(name, _)| *name == list).unwrap_or_default().1;
        Crawler { purpose: purpose.into(), source: source.into(), ..one }
    }
}

/// A crawler of which nothing else is known: it is read by its name.
pub(super) fn named(
    token: impl Into<Cow<'static, str>>,
    owner: impl Into<Cow<'static, str>>,
    kinds: &'static str,
) -> Crawler {
    Crawler {
        token: token.into(),
        owner: owner.into(),
        kinds: kinds.into(),
        fallbacks: "",
        uses_everyone: true,
        ignores_robots_txt: false,
        documented: false,
        purpose: "".into(),
        source: "".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [crawlers.list], [crawlers.listed]
    #[test]
    fn each_line_has_all_fields_and_its_name_finds_it() {
        for (place, one) in every().enumerate() {
            let fields = if one.documented { 7 } else { 5 };
            assert_eq!(PLACES.line(place).split('\t').count(), fields, "{one:?}");
            assert!(!one.token.is_empty() && !one.source.is_empty(), "{one:?}");
            let upper = format!(" {}\t", one.token.to_ascii_uppercase());
            assert_eq!(find(&upper), Some(one));
            assert!(find(&format!("x{}", one.token)).is_none_or(|other| other != one));
        }
        let lines =
            include_str!("../../data/crawlers.tsv").lines().chain(include_str!("../../data/listed.tsv").lines());
        assert_eq!(every().count(), lines.filter(|line| !line.starts_with('#')).count());
        assert_eq!(find(""), None);
        assert_eq!(find(&"a".repeat(1 << 20)), None);
    }
}
