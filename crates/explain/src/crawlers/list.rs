//! A list of one's own: names of crawlers in the JSON format of the project ai.robots.txt.
//!
//! Invariant: a list has names, and words to show for them. It does not say whose groups a crawler uses: that is what
//! its owner documents, or else its name. The list is bounded.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

use super::{Crawler, tables, token_of};
use crate::printable::escape_short;

/// Crawlers of a caller's own list, each name once.
///
/// ```
/// use robosieve_explain::CrawlerList;
///
/// let json = r#"{"MyBot": {"operator": "[Me](https://example.com/)", "respect": "Yes", "function": "tests"}}"#;
/// let list: CrawlerList = serde_json::from_str(json)?;
/// let mine = list.iter().next().unwrap();
/// assert_eq!((&*mine.token, &*mine.owner, &*mine.purpose), ("MyBot", "Me", "tests"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrawlerList(Vec<Crawler>);

impl CrawlerList {
    /// The largest file of a list that should be read: 8 MiB (our choice).
    pub const MAX_BYTES: usize = 8 << 20;
    /// The number of names in a list. Our choice: the list of the project has 166.
    pub const MAX_CRAWLERS: usize = 2_000;
    /// The number of bytes of a name: those that are read of a user-agent line.
    pub const MAX_NAME: usize = 200;

    /// The crawler with this name, in any case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Crawler> {
        self.iter().find(|crawler| crawler.token.eq_ignore_ascii_case(name))
    }

    /// The crawlers, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &Crawler> {
        self.0.iter()
    }
}

/// What the format says of a crawler. A field more is for others.
#[derive(serde::Deserialize)]
#[serde(expecting = "an object with `operator`, `respect`, `function`")]
struct Entry {
    operator: Option<String>,
    respect: Option<String>,
    function: Option<String>,
    #[serde(rename = "frequency")]
    _frequency: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
}

impl<'de> Deserialize<'de> for CrawlerList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = CrawlerList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "an object: for each crawler its name, and an object with `operator`, `respect`, `function`",
                )
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<CrawlerList, A::Error> {
                let (mut list, mut seen) = (Vec::new(), HashSet::new());
                while let Some(name) = entries.next_key::<String>()? {
                    let shown = escape_short(name.as_bytes());
                    check(&name).map_err(|wrong| A::Error::custom(format!("`{shown}`: {wrong}")))?;
                    let entry: Entry =
                        entries.next_value().map_err(|wrong| A::Error::custom(format!("`{shown}`: {wrong}")))?;
                    // The list of the project has some names twice, in other letters.
                    if seen.insert(name.to_ascii_lowercase()) {
                        list.push(crawler(name, entry));
                    }
                    if list.len() > CrawlerList::MAX_CRAWLERS {
                        let most = CrawlerList::MAX_CRAWLERS;
                        return Err(A::Error::custom(format!("more than {most} names: use several lists")));
                    }
                }
                Ok(CrawlerList(list))
            }
        }
        deserializer.deserialize_map(Names)
    }
}

/// Whether it can be the name of a crawler.
fn check(name: &str) -> Result<(), &'static str> {
    if name.len() > CrawlerList::MAX_NAME {
        Err("a name has at most 200 bytes")
    } else if token_of(name).is_empty() {
        Err("no user-agent line can name it: a name begins with letters, as in `MyBot`")
    } else if !name.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        Err("a name is printable ASCII")
    } else {
        Ok(())
    }
}

/// What is known of a crawler: what its owner documents, or else what the list says.
fn crawler(name: String, entry: Entry) -> Crawler {
    let known = Crawler::find(&name).filter(|known| known.documented && known.token.eq_ignore_ascii_case(&name));
    if let Some(known) = known {
        return Crawler { token: name.into(), ..known.clone() };
    }
    let [operator, respect, function] = [entry.operator, entry.respect, entry.function].map(Option::unwrap_or_default);
    let source = [&operator, &respect].into_iter().find_map(|text| target(text)).unwrap_or_default().to_owned();
    Crawler { source: source.into(), purpose: function.into(), ..tables::named(name, label(operator), "") }
}

/// A link of Markdown: its words and its target.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    Some((words, rest.split_once(')')?.0))
}

fn label(text: String) -> Cow<'static, str> {
    match link(&text) {
        Some((words, _)) => words.to_owned().into(),
        None => text.into(),
    }
}

fn target(text: &str) -> Option<&str> {
    link(text).map(|(_, target)| target).filter(|target| target.starts_with("https://"))
}
