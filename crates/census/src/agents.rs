//! The crawlers that are asked about, as data.
//!
//! Invariant: each crawler is there once, by its name in any case. The list is bounded.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use robosieve::settings::{Agent, Interest};
use robosieve_explain::{Crawler, Groups, Names};
use robosieve_printable::escape;

use crate::row::MAX_TEXT;

/// A crawler that is asked about.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its name, escaped.
    pub(crate) name: String,
    /// Whose groups apply to it.
    pub(crate) groups: Groups,
}

impl Asked {
    pub(crate) fn new(name: &[u8], names: Names) -> Self {
        Self { name: escape(name), groups: names.groups(Agent::new(name)) }
    }

    /// Those that no group names.
    fn everyone() -> Self {
        Self { name: "*".into(), groups: Interest::everyone().into() }
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
    /// The names, in small letters.
    seen: HashSet<String>,
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
    /// The number of crawlers in a list. Our choice: all of them can be in a row.
    pub const MAX_AGENTS: usize = 1_000;
    /// The number of crawlers that are asked about because a file names them. Our choice; of 2,111 real files one names 600.
    pub const MAX_NAMED: usize = 1_000;
    /// The bytes of a crawler's name: the limit of all texts in rows.
    pub const MAX_NAME: usize = MAX_TEXT;
    /// The bytes of a file of names. Our choice: 1,000 names have some 20,000.
    pub const MAX_BYTES: usize = 1_000_000;
    /// What is asked about if nobody says.
    pub const DEFAULT: &'static str = "*,known:ai";

    /// Reads a list, separated by commas. Each part is a product token; `*` for the crawlers that no group names;
    /// `known` for all crawlers that their owners document, `known:KIND` for all known ones of a kind; `named` for
    /// those that a file names; or a file with a name on each line, if it has a slash or ends in `.txt` or `.json`.
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
                    list.add(part)?;
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

    /// Whether it has a crawler of this name, in any case.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        std::str::from_utf8(name).is_ok_and(|name| self.seen.contains(&name.to_ascii_lowercase()))
    }

    fn extend<'c>(&mut self, crawlers: impl Iterator<Item = &'c Crawler>) -> Result<(), AgentsError> {
        // Some names in lists are no tokens that a line could have.
        let mut crawlers = crawlers.filter(|crawler| Agent::new(crawler.token).is_named());
        crawlers.try_for_each(|crawler| self.add(crawler.token))
    }

    fn file(&mut self, path: &Path) -> Result<(), AgentsError> {
        let name = robosieve_printable::name_of(path);
        let wrong = |what: &dyn fmt::Display| AgentsError(format!("{name}: {}", escape(what.to_string().as_bytes())));
        let mut bytes = Vec::new();
        let most = u64::try_from(Self::MAX_BYTES).unwrap_or(u64::MAX);
        let hint = "with a slash, .txt or .json it is a file's name; for a crawler write its product token, as GPTBot";
        let file = File::open(path).map_err(|error| wrong(&format_args!("{error}; {hint}")))?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
        if bytes.len() > Self::MAX_BYTES {
            return Err(wrong(&format_args!("more than {most} bytes: use several lists")));
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| wrong(&error))?;
        let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines().map(str::trim);
        let mut has_names = false;
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            self.add(line).map_err(|error| wrong(&error))?;
            has_names = true;
        }
        // A table without a crawler would look like one in which nobody closes anything.
        if has_names { Ok(()) } else { Err(wrong(&"names no crawler: write one name on each line")) }
    }

    fn add(&mut self, name: &str) -> Result<(), AgentsError> {
        if name.len() > Self::MAX_NAME {
            let name = robosieve_printable::escape_short(name.as_bytes());
            return Err(AgentsError(format!("`{name}` is longer than {} bytes: leave it out", Self::MAX_NAME)));
        }
        if name != "*" && !Agent::new(name).is_named() {
            let name = escape(name.as_bytes());
            return Err(AgentsError(format!(
                "`{name}` names no crawler: write product tokens such as GPTBot, `*`, known, known:KIND, named or a file"
            )));
        }
        if !self.seen.contains(&name.to_ascii_lowercase()) {
            if self.asked.len() >= Self::MAX_AGENTS {
                return Err(AgentsError(format!("more than {} crawlers: make several tables", Self::MAX_AGENTS)));
            }
            self.seen.insert(name.to_ascii_lowercase());
            let one = if name == "*" { Asked::everyone() } else { Asked::new(name.as_bytes(), self.names) };
            self.asked.push(one);
        }
        Ok(())
    }
}

fn is_file(part: &str) -> bool {
    let has = |suffix: &str| part.len() > suffix.len() && part.to_ascii_lowercase().ends_with(suffix);
    part.contains('/') || has(".txt") || has(".json")
}
