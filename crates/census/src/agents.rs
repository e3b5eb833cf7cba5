//! The crawlers that are asked about, as data.
//!
//! Invariant: each crawler is there once, by its name in any case. The list is bounded.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use robosieve::agent::{Agent, Interest};
use robosieve::printable::escape;
use robosieve_explain::{Crawler, CrawlerList, Groups, Names};

use crate::cells::{Cell, Form, MAX_TEXT, text};

/// The name of those that no group names, and that do not obey `*`.
pub(crate) const NOBODY: &str = "";

/// A crawler that is asked about.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its name, escaped.
    pub(crate) name: String,
    pub(crate) owner: Option<String>,
    pub(crate) kinds: Option<String>,
    pub(crate) purpose: Option<String>,
    /// Whose groups apply to it.
    pub(crate) groups: Groups,
    /// The names of these groups, escaped.
    pub(crate) group_names: Vec<String>,
    /// Whether it stands for all crawlers that no group names.
    pub(crate) is_everyone: bool,
}

impl Asked {
    /// A crawler of which the table, or a list, may know more.
    pub(crate) fn new(name: &[u8], known: Option<&Crawler>, names: Names) -> Self {
        let agent = Agent::new(name);
        let known = known.or_else(|| Crawler::find(std::str::from_utf8(name).ok()?));
        let said = |said: &str| text(said).filter(|said| !said.is_empty());
        let groups = names.groups(agent);
        Self {
            name: escape(name),
            owner: known.and_then(|known| said(&known.owner)),
            kinds: known.and_then(|known| said(&known.kinds().collect::<Vec<_>>().join(" "))),
            purpose: known.and_then(|known| said(&known.purpose)),
            group_names: groups.agents.iter().map(|agent| escape(agent.as_bstr())).collect(),
            groups,
            is_everyone: false,
        }
    }

    /// Those that no group names.
    pub(crate) fn everyone() -> Self {
        Self {
            name: "*".into(),
            owner: None,
            kinds: None,
            purpose: None,
            groups: Interest::everyone().into(),
            group_names: Vec::new(),
            is_everyone: true,
        }
    }

    /// Those that no group names, and that do not obey `*`.
    pub(crate) fn nobody() -> Self {
        let groups = Interest::everyone().fallback(false).into();
        Self { name: NOBODY.into(), groups, is_everyone: false, ..Self::everyone() }
    }
}

impl Asked {
    /// The cells that are the same in each of its rows.
    pub(crate) fn cells(&self, form: Form) -> Vec<u8> {
        let mut cells = Vec::new();
        form.push(&mut cells, "agent", Cell::Text(&self.name));
        form.push(&mut cells, "owner", self.owner.as_deref());
        form.push(&mut cells, "kinds", self.kinds.as_deref());
        form.push(&mut cells, "purpose", self.purpose.as_deref());
        cells
    }
}

/// The crawlers that are asked about.
///
/// ```
/// use robosieve_census::AgentList;
/// assert_eq!(AgentList::read("GPTBot, gptbot, CCBot, *")?.len(), 3);
/// assert!(AgentList::read("known:ai")?.len() > 100);
/// assert!(AgentList::read("known:nothing").is_err() && AgentList::read("").is_err());
/// # Ok::<(), robosieve_census::AgentsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AgentList {
    pub(crate) asked: Vec<Asked>,
    /// Whether the crawlers that a file names are asked about, too.
    pub(crate) named: bool,
    pub(crate) names: Names,
    /// The place of each name, in small letters.
    seen: HashMap<String, usize>,
}

/// Why a list of crawlers cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentsError(String);

impl fmt::Display for AgentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AgentsError {}

impl AgentList {
    /// The number of crawlers in a list. Our choice: each is a row for each file.
    pub const MAX_AGENTS: usize = 1_000;
    /// The number of crawlers that a file names and that get rows. Our choice; of 2,111 real files one names 600.
    pub const MAX_NAMED: usize = 1_000;
    /// The bytes of a crawler's name: the limit of all texts in rows.
    pub const MAX_NAME: usize = MAX_TEXT;
    /// What is asked about if nobody says.
    pub const DEFAULT: &'static str = "*,known:ai";

    /// Reads a list, separated by commas. Each part is a product token; `*` for the crawlers that no group names;
    /// `known` for all crawlers that their owners document, `known:KIND` for all known ones of a kind; `named` for
    /// those that a file names; or a file, if it has a slash or ends in `.json` or `.txt`: one name a line, or the JSON
    /// format of the project ai.robots.txt.
    ///
    /// # Errors
    /// If a part is none of these or has no crawler, if a file cannot be read, if a name is longer than
    /// [`AgentList::MAX_NAME`], or if there are more crawlers than [`AgentList::MAX_AGENTS`].
    pub fn read(text: &str) -> Result<Self, AgentsError> {
        Self::with_names(text, Names::Known)
    }

    /// The files that a list names.
    pub fn files(text: &str) -> impl Iterator<Item = &Path> {
        text.split(',').map(str::trim).filter(|part| !part.starts_with("known:") && is_file(part)).map(Path::new)
    }

    /// As [`AgentList::read`], reading names in this way.
    ///
    /// # Errors
    /// The same.
    pub fn with_names(text: &str, names: Names) -> Result<Self, AgentsError> {
        let mut list = Self { names, ..Self::default() };
        for part in text.split(',').map(str::trim) {
            match part.split_once(':') {
                Some(("known", kind)) if Crawler::KINDS.contains(&kind) => {
                    list.extend(Crawler::every().filter(|crawler| crawler.is(kind)))?;
                }
                Some(("known", kind)) => {
                    let kinds = Crawler::KINDS.join(", ");
                    let kind = escape(kind.as_bytes());
                    return Err(AgentsError(format!("known:{kind}: there is no such kind: name one of {kinds}")));
                }
                _ if part == "known" => list.extend(Crawler::all())?,
                _ if part == "named" => list.named = true,
                _ if is_file(part) => list.file(Path::new(part))?,
                _ => {
                    let no_name = Crawler::no_name(part, &["known", "named"]).or_else(|| {
                        let (agent, name) = (Agent::new(part), escape(part.as_bytes()));
                        let called = escape(agent.as_bstr());
                        agent.is_cut().then(|| format!("`{name}` would be read as `{called}`, and a name is one word"))
                    });
                    if let Some(why) = no_name {
                        let kinds = Crawler::KINDS.join(", ");
                        return Err(AgentsError(format!(
                            "{why}: there are known, known:KIND (KIND is one of {kinds}), named, `*`, product tokens such as \
                             GPTBot, and files of names"
                        )));
                    }
                    list.add(part, None)?;
                }
            }
        }
        Ok(list)
    }

    /// The number of crawlers, apart from those that files name.
    #[must_use]
    pub fn len(&self) -> usize {
        self.asked.len()
    }

    /// Whether there are none, apart from those that files name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Whether the crawlers that a file names are asked about, too.
    #[must_use]
    pub const fn named(&self) -> bool {
        self.named
    }

    /// Whether there are rows for a crawler of this name, in any case. `named` asks about all.
    #[must_use]
    pub fn asks(&self, name: &str) -> bool {
        self.named || self.has(name.as_bytes())
    }

    /// Whether it has a crawler of this name, in any case.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.place(name).is_some()
    }

    /// The place of the crawler of this name, in any case.
    pub(crate) fn place(&self, name: &[u8]) -> Option<usize> {
        self.seen.get(&std::str::from_utf8(name).ok()?.to_ascii_lowercase()).copied()
    }

    /// The same list, and then those that no group names: without and with `*`.
    pub(crate) fn with_unnamed(&self) -> Vec<Asked> {
        self.asked.iter().cloned().chain([Asked::nobody(), Asked::everyone()]).collect()
    }

    fn extend<'c>(&mut self, crawlers: impl Iterator<Item = &'c Crawler>) -> Result<(), AgentsError> {
        // Some names in lists are no tokens that a line could have.
        let mut crawlers = crawlers.filter(|crawler| Agent::new(&*crawler.token).is_named());
        crawlers.try_for_each(|crawler| self.add(&crawler.token, Some(crawler)))
    }

    fn file(&mut self, path: &Path) -> Result<(), AgentsError> {
        let name = robosieve::printable::name_of(path);
        let wrong = |what: &dyn fmt::Display| AgentsError(format!("{name}: {}", escape(what.to_string().as_bytes())));
        let mut bytes = Vec::new();
        let most = u64::try_from(CrawlerList::MAX_BYTES).unwrap_or(u64::MAX);
        let hint = "with a slash, .json or .txt it is a file's name; for a crawler write its product token, as GPTBot";
        let file = File::open(path).map_err(|error| wrong(&format_args!("{error}; {hint}")))?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
        if bytes.len() > CrawlerList::MAX_BYTES {
            return Err(wrong(&format_args!("more than {most} bytes: use several lists")));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let mut has_names = false;
        if bytes.trim_ascii_start().first() == Some(&b'{') {
            let list: CrawlerList = serde_json::from_slice(bytes).map_err(|error| wrong(&error))?;
            for crawler in list.iter() {
                self.add(&crawler.token, Some(crawler)).map_err(|error| wrong(&error))?;
                has_names = true;
            }
        } else {
            let text = std::str::from_utf8(bytes).map_err(|error| wrong(&error))?;
            for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                self.add(line, None).map_err(|error| wrong(&error))?;
                has_names = true;
            }
        }
        // A table without rows would look like one in which nobody closes anything.
        if has_names { Ok(()) } else { Err(wrong(&"names no crawler: write one name on each line")) }
    }

    fn add(&mut self, name: &str, known: Option<&Crawler>) -> Result<(), AgentsError> {
        if name.len() > Self::MAX_NAME {
            let name = robosieve::printable::escape_short(name.as_bytes());
            return Err(AgentsError(format!("`{name}` is longer than {} bytes: leave it out", Self::MAX_NAME)));
        }
        if name != "*" && !Agent::new(name).is_named() {
            let name = escape(name.as_bytes());
            return Err(AgentsError(format!(
                "`{name}` names no crawler: write product tokens such as GPTBot, `*`, known, known:KIND, named or a file"
            )));
        }
        if !self.seen.contains_key(&name.to_ascii_lowercase()) {
            if self.asked.len() >= Self::MAX_AGENTS {
                return Err(AgentsError(format!("more than {} crawlers: make several tables", Self::MAX_AGENTS)));
            }
            self.seen.insert(name.to_ascii_lowercase(), self.asked.len());
            self.asked.push(if name == "*" {
                Asked::everyone()
            } else {
                Asked::new(name.as_bytes(), known, self.names)
            });
        }
        Ok(())
    }
}

fn is_file(part: &str) -> bool {
    let has = |suffix: &str| part.len() > suffix.len() && part.to_ascii_lowercase().ends_with(suffix);
    part.contains('/') || has(".json") || has(".txt")
}
