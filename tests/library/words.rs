//! The words of an example of SPEC.md, and of a check of a corpus document: who asks, and with which options.
//!
//! Invariant: a word that is not known fails. Not options are `[clause]`, `property::name`, `show` and `lines`.

use robosieve::report::{Effect, Finding};
use robosieve::settings::{Dialect, Style, TextForm};
use robosieve::{Options, Sieve};

/// What the words say. Without any, it is `MyBot`, with the options of the standard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) agents: Vec<String>,
    pub(crate) all: bool,
    pub(crate) no_fallback: bool,
    pub(crate) form: TextForm,
    /// Whether it may be fetched is shown.
    pub(crate) url: Option<String>,
    pub(crate) options: Options,
}

impl Asked {
    pub(crate) fn read<'w>(words: impl Iterator<Item = &'w str> + Clone) -> Self {
        let dialect = words.clone().find_map(|word| word.strip_prefix("dialect="));
        let dialect: Dialect = dialect.map_or(Dialect::Standard, |name| name.parse().unwrap());
        let mut asked = Self { options: dialect.options(), ..Self::default() };
        let is_option =
            |word: &&str| !word.starts_with('[') && !word.contains("::") && !["show", "lines"].contains(word);
        words.filter(is_option).for_each(|word| asked.add(word));
        if asked.agents.is_empty() {
            asked.agents.push("MyBot".into());
        }
        asked
    }

    fn add(&mut self, word: &str) {
        let (name, value) = word.split_once('=').unwrap_or((word, "on"));
        let is_on = ["on", "any-line", "google"].contains(&value);
        let options = &mut self.options;
        match name {
            "agent" => self.agents.push(value.into()),
            "all" => self.all = is_on,
            "fallback" => self.no_fallback = !is_on,
            "form" => self.form = value.parse().unwrap(),
            "url" => self.url = Some(value.into()),
            "dialect" => {}
            "agents" => options.agents = if is_on { Style::Google } else { Style::Standard },
            "base" => options.base_url = Some(value.parse().unwrap()),
            "complete" => options.complete = is_on,
            "decode-wildcard" => options.paths.decode_wildcard = is_on,
            "encoding" => options.paths.encoding = if is_on { Style::Google } else { Style::Standard },
            "escaped-wildcard" => options.paths.escaped_wildcard = is_on,
            "keep-trailing-spaces" => options.keep_trailing_spaces = is_on,
            "keep-unknown" => options.keep_unknown = is_on,
            "order" => options.precedence = value.parse().unwrap(),
            "over-limit" => options.over_limit = value.parse().unwrap(),
            "run" => options.any_line_ends_run = is_on,
            _ => {
                let limit = options.limits.named_mut(name).unwrap_or_else(|| panic!("the word {word:?} is not known"));
                *limit = value.parse().unwrap();
            }
        }
    }

    pub(crate) fn sieve(&self) -> Sieve {
        let sieve = if self.all { Sieve::all_agents() } else { Sieve::new(&self.agents) };
        sieve.fallback(!self.no_fallback).options(self.options.clone()).with(|options| options.form = self.form)
    }
}

/// A finding without its line: its kind, and its effect if it has one.
pub(crate) fn reported(finding: Finding) -> String {
    let effect = if finding.effect == Effect::None { String::new() } else { format!(" {}", finding.effect) };
    format!("{}{effect}", finding.kind.as_str())
}

/// Each combination of the values of a check: its words, `a=1,2` with one value of them.
pub(crate) fn combinations(check: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for word in check.split(' ') {
        let (name, values) =
            word.split_once('=').map_or((word.to_owned(), ""), |(name, values)| (format!("{name}="), values));
        let with = |before: Vec<String>, value: &str| [before, vec![format!("{name}{value}")]].concat();
        all = all
            .into_iter()
            .flat_map(|before| values.split(',').map(move |value| (before.clone(), value)))
            .map(|(before, value)| with(before, value))
            .collect();
    }
    all
}
