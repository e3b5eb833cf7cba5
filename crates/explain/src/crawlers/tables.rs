//! The tables of known crawlers, and a look-up by name.
//!
//! Invariant: the tables are read once, when a crawler is first asked for. Each name is there once, in any case of its
//! letters.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Crawler, token_of};

/// Where the names of the list of those without a page are from.
const LISTS: [(&str, &str); 2] = [
    ("ai.robots.txt", "https://github.com/ai-robots-txt/ai.robots.txt"),
    ("crawler-user-agents", "https://github.com/monperrus/crawler-user-agents"),
];

/// Those that their owners document, and after them those of which only the name is known.
static ALL: LazyLock<Vec<Crawler>> = LazyLock::new(|| {
    let rows = |table: &'static str| table.lines().filter(|line| !line.starts_with('#'));
    let documented = rows(include_str!("../../data/crawlers.tsv")).map(documented);
    documented.chain(rows(include_str!("../../data/listed.tsv")).map(listed)).collect()
});

/// The places of crawlers, by their names in small letters.
static BY_NAME: LazyLock<HashMap<String, &'static Crawler>> =
    LazyLock::new(|| ALL.iter().map(|crawler| (crawler.token.to_ascii_lowercase(), crawler)).collect());

/// The longest name that is looked up: no known one is as long.
const LONGEST: usize = 100;

/// All known crawlers.
pub(super) fn every() -> impl Iterator<Item = &'static Crawler> {
    ALL.iter()
}

pub(super) fn find(name: &str) -> Option<&'static Crawler> {
    let of = |name: &str| BY_NAME.get(&name.to_ascii_lowercase()).copied();
    let name = name.trim_matches([' ', '\t']);
    let token = token_of(name);
    Some(name)
        .filter(|name| name.len() <= LONGEST)
        .and_then(of)
        .or_else(|| Some(token).filter(|token| token.len() <= LONGEST && *token != name).and_then(of))
}

/// Reads a row. A test says that no field is missing.
fn documented(row: &'static str) -> Crawler {
    let mut fields = row.split('\t');
    let mut next = || fields.next().unwrap_or_default();
    let one = named(next(), next(), next());
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
}

fn listed(row: &'static str) -> Crawler {
    let mut fields = row.split('\t');
    let mut next = || fields.next().unwrap_or_default();
    let one = named(next(), next(), next());
    let (purpose, list) = (next(), next());
    let source = LISTS.into_iter().find(|(name, _)| *name == list).unwrap_or_default().1;
    Crawler { purpose: purpose.into(), source: source.into(), ..one }
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
    fn each_row_has_all_fields_and_its_name_finds_it() {
        let rows = |table: &'static str| table.lines().filter(|line| !line.starts_with('#'));
        let documented = rows(include_str!("../../data/crawlers.tsv")).map(|row| (row, 7));
        let all = documented.chain(rows(include_str!("../../data/listed.tsv")).map(|row| (row, 5)));
        for ((row, fields), one) in all.zip(every()) {
            assert_eq!(row.split('\t').count(), fields, "{one:?}");
            assert!(!one.token.is_empty() && one.token.len() < LONGEST && !one.source.is_empty(), "{one:?}");
            let upper = format!(" {}\t", one.token.to_ascii_uppercase());
            assert_eq!(find(&upper), Some(one));
            assert!(find(&format!("x{}", one.token)).is_none_or(|other| other != one));
        }
        assert_eq!(BY_NAME.len(), ALL.len());
        for name in ["", &"a".repeat(LONGEST), &"a".repeat(1 << 20)] {
            assert_eq!(find(name), None);
        }
    }
}
