//! Field names: which directives there are, how they are misspelled, and what each belongs to.
//!
//! Invariant: recognising a name never looks past its octets and never allocates; a name means one directive or none.
//! The tables below are the whole truth about names. SPEC.md prints them, and a test compares the two.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::ConfigError;
use crate::octets::{self, OctetSet};

/// What the name of a field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Directive {
    /// `User-agent`: opens a record, or adds an agent to it (RFC 9309 2.2.1).
    UserAgent,
    /// `Allow` (RFC 9309 2.2.2).
    Allow,
    /// `Disallow` (RFC 9309 2.2.2).
    Disallow,
    /// `Crawl-delay`: seconds between two requests (Bing, Yandex and others).
    CrawlDelay,
    /// `Request-rate`: pages per time (the 1996 extended standard).
    RequestRate,
    /// `Visit-time`: hours of the day, UTC (the 1996 extended standard).
    VisitTime,
    /// `Noindex`: paths to leave out of an index (Google, until 2019).
    Noindex,
    /// `Content-Signal`: what the content may be used for (Cloudflare).
    ContentSignal,
    /// `Content-Usage`: what the content may be used for (IETF AI preferences).
    ContentUsage,
    /// `Clean-param`: query parameters that do not change the page (Yandex).
    CleanParam,
    /// `Host`: the main mirror of the site (Yandex).
    Host,
    /// `Sitemap`: where a sitemap is (sitemaps.org).
    Sitemap,
    /// `License`: where the licence of the content is (RSL).
    License,
    /// A name of the caller's, by its place in [`Vocabulary::own`].
    Own(u16),
    /// A name that no table holds, kept on request only.
    Unknown,
}

/// What a directive belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Scope {
    /// The record it stands in: it never reaches another record's agents.
    Record,
    /// The file, wherever it stands.
    File,
}

/// What the value of a directive is, which decides how it is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueForm {
    /// Text for people or for another program.
    Text,
    /// A path pattern: normalised and limited as those of Allow and Disallow.
    Path,
}

/// How many words a value has, which decides what may continue it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// One: a path, a URL, a number, a host.
    One,
    /// Some.
    Several,
    /// A list that may run on over lines.
    List,
}

/// How much misspelling is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Leniency {
    /// The names as they are, in any case.
    Strict,
    /// As the PHP filter does: `Useragent` too, and no other.
    Processor,
    /// The misspellings that Google's parser takes, and a colon missing between exactly two words.
    #[default]
    Common,
    /// Those, and more that are seen in the wild.
    Generous,
    /// As Google's parser does: a name that begins with `user-agent`, `allow`, `disallow` or `sitemap` is that directive.
    Prefix,
}

/// The standard's name, what it means, and where a line of it belongs. The first is the one the text is written with.
const NAMES: &[(&str, Directive, Scope)] = &[
    ("User-agent", Directive::UserAgent, Scope::Record),
    ("Allow", Directive::Allow, Scope::Record),
    ("Disallow", Directive::Disallow, Scope::Record),
    ("Crawl-delay", Directive::CrawlDelay, Scope::Record),
    ("Request-rate", Directive::RequestRate, Scope::Record),
    ("Visit-time", Directive::VisitTime, Scope::Record),
    ("Noindex", Directive::Noindex, Scope::Record),
    ("Content-Signal", Directive::ContentSignal, Scope::Record),
    ("Content-Usage", Directive::ContentUsage, Scope::Record),
    ("Clean-param", Directive::CleanParam, Scope::Record),
    ("Host", Directive::Host, Scope::File),
    ("Sitemap", Directive::Sitemap, Scope::File),
    ("License", Directive::License, Scope::File),
];

/// Misspellings, each with the least leniency that understands it.
const TYPOS: &[(&str, Directive, Leniency)] = &[
    ("useragent", Directive::UserAgent, Leniency::Processor),
    ("user agent", Directive::UserAgent, Leniency::Common),
    ("dissallow", Directive::Disallow, Leniency::Common),
    ("dissalow", Directive::Disallow, Leniency::Common),
    ("disalow", Directive::Disallow, Leniency::Common),
    ("diasllow", Directive::Disallow, Leniency::Common),
    ("disallaw", Directive::Disallow, Leniency::Common),
    ("site-map", Directive::Sitemap, Leniency::Common),
    ("user-agents", Directive::UserAgent, Leniency::Generous),
    ("user agents", Directive::UserAgent, Leniency::Generous),
    ("user-agnet", Directive::UserAgent, Leniency::Generous),
    ("users-agent", Directive::UserAgent, Leniency::Generous),
    ("user-agant", Directive::UserAgent, Leniency::Generous),
    ("user--agent", Directive::UserAgent, Leniency::Generous),
    ("ser-agent", Directive::UserAgent, Leniency::Generous),
    ("desallow", Directive::Disallow, Leniency::Generous),
    ("dsallow", Directive::Disallow, Leniency::Generous),
    ("diallow", Directive::Disallow, Leniency::Generous),
    ("disllow", Directive::Disallow, Leniency::Generous),
    ("disallows", Directive::Disallow, Leniency::Generous),
    ("disallowed", Directive::Disallow, Leniency::Generous),
    ("dissallows", Directive::Disallow, Leniency::Generous),
    ("disalllow", Directive::Disallow, Leniency::Generous),
    ("disaalow", Directive::Disallow, Leniency::Generous),
    ("disallo", Directive::Disallow, Leniency::Generous),
    ("isallow", Directive::Disallow, Leniency::Generous),
    ("allows", Directive::Allow, Leniency::Generous),
    ("alow", Directive::Allow, Leniency::Generous),
    ("crawl delay", Directive::CrawlDelay, Leniency::Generous),
    ("crawldelay", Directive::CrawlDelay, Leniency::Generous),
    ("craw-delay", Directive::CrawlDelay, Leniency::Generous),
    ("sitemaps", Directive::Sitemap, Leniency::Generous),
    ("site map", Directive::Sitemap, Leniency::Generous),
];

/// No name of the tables is longer, and none is with some blanks more between its words.
const LONGEST_NAME: usize = 32;

/// No name of the tables is shorter.
const SHORTEST_NAME: usize = 4;

/// Google's keys, in the order its parser tries them: a name that begins so is that directive.
const GOOGLE_PREFIXES: &[(&str, Directive)] = &[
    ("user-agent", Directive::UserAgent),
    ("useragent", Directive::UserAgent),
    ("user agent", Directive::UserAgent),
    ("allow", Directive::Allow),
    ("disallow", Directive::Disallow),
    ("dissallow", Directive::Disallow),
    ("dissalow", Directive::Disallow),
    ("disalow", Directive::Disallow),
    ("diasllow", Directive::Disallow),
    ("disallaw", Directive::Disallow),
    ("sitemap", Directive::Sitemap),
    ("site-map", Directive::Sitemap),
];

impl Directive {
    /// The name as the canonical text spells it; none for names of the caller's or unknown ones.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find(|entry| entry.1 == self).map(|entry| entry.0)
    }

    /// Whether it is Allow or Disallow.
    #[must_use]
    pub const fn is_rule(self) -> bool {
        matches!(self, Self::Allow | Self::Disallow)
    }
}

/// A name of the caller's own.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    name: String,
    /// None: it is another name of `User-agent`.
    extension: Option<(Scope, ValueForm)>,
}

/// Which names are understood, and as what.
///
/// ```
/// use robosieve::{Leniency, Scope, ValueForm, Vocabulary};
/// let words = Vocabulary::new(Leniency::Common)
///     .with_directive("X-Throttle", Scope::Record, ValueForm::Text)?
///     .with_user_agent_name("Crawler")?;
/// # Ok::<(), robosieve::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    leniency: Leniency,
    own: Vec<Own>,
}

/// A name as it was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recognised {
    pub(crate) directive: Directive,
    pub(crate) misspelled: bool,
}

impl Vocabulary {
    /// The known names, understood so leniently.
    #[must_use]
    pub const fn new(leniency: Leniency) -> Self {
        Self { leniency, own: Vec::new() }
    }

    /// How much misspelling is understood.
    #[must_use]
    pub const fn leniency(&self) -> Leniency {
        self.leniency
    }

    /// Understands a directive of the caller's own.
    ///
    /// # Errors
    /// If the name is none (`[0-9A-Za-z-]+`) or is taken.
    pub fn with_directive(self, name: &str, scope: Scope, form: ValueForm) -> Result<Self, ConfigError> {
        self.with(name, Some((scope, form)))
    }

    /// Understands one more name as `User-agent` (PROCESSOR `userAgentRegEx`).
    ///
    /// # Errors
    /// If the name is none (`[0-9A-Za-z-]+`) or is taken.
    pub fn with_user_agent_name(self, name: &str) -> Result<Self, ConfigError> {
        self.with(name, None)
    }

    fn with(mut self, name: &str, extension: Option<(Scope, ValueForm)>) -> Result<Self, ConfigError> {
        if name.is_empty() || !name.bytes().all(octets::is_name) {
            return Err(ConfigError::DirectiveName(name.into()));
        }
        if self.recognise(name.as_bytes()).is_some() || self.own.len() >= usize::from(u16::MAX) {
            return Err(ConfigError::DirectiveTaken(name.into()));
        }
        let mut name = name.to_ascii_lowercase();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.own.push(Own { name, extension });
        Ok(self)
    }

    /// The names of the caller's own.
    pub fn own(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|own| own.name.as_str())
    }

    /// What a name means. Cost: its length, times the few names of that first letter and length.
    #[inline]
    pub(crate) fn recognise(&self, name: &[u8]) -> Option<Recognised> {
        // The four names that nearly all lines have, by length: no table is searched for them.
        let common = match name.len() {
            8 if name.eq_ignore_ascii_case(b"disallow") => Some(Directive::Disallow),
            5 if name.eq_ignore_ascii_case(b"allow") => Some(Directive::Allow),
            10 if name.eq_ignore_ascii_case(b"user-agent") => Some(Directive::UserAgent),
            7 if name.eq_ignore_ascii_case(b"sitemap") => Some(Directive::Sitemap),
            _ => None,
        };
        match common {
            Some(directive) => Some(Recognised { directive, misspelled: false }),
            None => self.recognise_rare(name),
        }
    }

    #[cold]
    fn recognise_rare(&self, name: &[u8]) -> Option<Recognised> {
        if name.len() > self.longest_name() && self.leniency != Leniency::Prefix {
            return None;
        }
        if name.len() < SHORTEST_NAME && self.own.is_empty() {
            return None;
        }
        let name = match self.leniency {
            // Google's parser knows one blank, and no more, in `user agent`.
            Leniency::Prefix => Cow::Borrowed(name),
            _ => with_single_blanks(name),
        };
        let name = &*name;
        if let Some(entry) = NAMES.iter().find(|entry| name.eq_ignore_ascii_case(entry.0.as_bytes())) {
            return Some(Recognised { directive: entry.1, misspelled: false });
        }
        if let Some(at) = self.own.iter().position(|own| name.eq_ignore_ascii_case(own.name.as_bytes())) {
            let means_agent = self.own.get(at).is_some_and(|own| own.extension.is_none());
            let place = u16::try_from(at).unwrap_or(u16::MAX);
            let directive = if means_agent { Directive::UserAgent } else { Directive::Own(place) };
            return Some(Recognised { directive, misspelled: false });
        }
        let directive = if self.leniency == Leniency::Prefix {
            let begins = |prefix: &str| octets::part(name, 0..prefix.len()).eq_ignore_ascii_case(prefix.as_bytes());
            GOOGLE_PREFIXES.iter().find(|entry| begins(entry.0)).map(|entry| entry.1)
        } else {
            TYPOS
                .iter()
                .find(|entry| self.leniency >= entry.2 && name.eq_ignore_ascii_case(entry.0.as_bytes()))
                .map(|entry| entry.1)
        };
        directive.map(|directive| Recognised { directive, misspelled: true })
    }

    /// The length of the longest name that means anything.
    pub(crate) fn longest_name(&self) -> usize {
        let own = self.own.iter().map(|own| own.name.len()).max().unwrap_or(0);
        own.max(LONGEST_NAME)
    }

    /// How many words a value of a name has. Where nobody knows the name, none may continue it.
    pub(crate) fn words(&self, name: &[u8]) -> Words {
        match self.recognise(name).map(|it| it.directive) {
            Some(Directive::ContentSignal | Directive::ContentUsage) => Words::List,
            Some(
                Directive::UserAgent
                | Directive::RequestRate
                | Directive::VisitTime
                | Directive::CleanParam
                | Directive::License,
            ) => Words::Several,
            Some(own @ Directive::Own(_)) if self.form(own) == ValueForm::Text => Words::List,
            _ => Words::One,
        }
    }

    /// The octets with which every name begins that can matter in a record of other agents: a user-agent line's, which may
    /// open one that matters, and those of lines that belong to the file.
    pub(crate) fn starts_that_always_matter(&self) -> OctetSet {
        let mut starts = OctetSet::default();
        let mut add = |name: &str, directive: Directive, scope: Scope| {
            if directive == Directive::UserAgent || scope == Scope::File {
                name.bytes().take(1).for_each(|octet| starts.insert(octet));
            }
        };
        for (name, directive, scope) in NAMES {
            add(name, *directive, *scope);
        }
        for (name, directive) in TYPOS.iter().map(|entry| (entry.0, entry.1)).chain(GOOGLE_PREFIXES.iter().copied()) {
            add(name, directive, self.scope(directive));
        }
        for own in &self.own {
            add(&own.name, Directive::UserAgent, Scope::File);
        }
        starts
    }

    /// Whether a colon may be missing.
    pub(crate) fn supplies_colon(&self) -> bool {
        self.leniency >= Leniency::Common
    }

    pub(crate) fn scope(&self, directive: Directive) -> Scope {
        match directive {
            Directive::Own(place) => {
                self.own.get(usize::from(place)).and_then(|own| own.extension).map_or(Scope::File, |(scope, _)| scope)
            }
            // What nobody knows belongs to the place where it stands.
            Directive::Unknown => Scope::Record,
            _ => NAMES.iter().find(|entry| entry.1 == directive).map_or(Scope::File, |entry| entry.2),
        }
    }

    pub(crate) fn form(&self, directive: Directive) -> ValueForm {
        match directive {
            Directive::Allow | Directive::Disallow | Directive::Noindex => ValueForm::Path,
            Directive::Own(place) => {
                self.own.get(usize::from(place)).and_then(|own| own.extension).map_or(ValueForm::Text, |(_, form)| form)
            }
            _ => ValueForm::Text,
        }
    }

    /// The name as the canonical text spells it: the first letter in upper case, and known names as they are known.
    pub(crate) fn canonical_name(directive: Directive, name: &[u8]) -> Cow<'_, [u8]> {
        if let Some(name) = directive.name() {
            return Cow::Borrowed(name.as_bytes());
        }
        let mut spelled = name.to_ascii_lowercase();
        if let Some(first) = spelled.first_mut() {
            first.make_ascii_uppercase();
        }
        if spelled == name { Cow::Borrowed(name) } else { Cow::Owned(spelled) }
    }
}

/// Whether another reader may take the name for one that means something: it must not stand in a text.
pub(crate) fn may_be_known(name: &[u8]) -> bool {
    let generous = Vocabulary::new(Leniency::Generous).recognise(name);
    generous.is_some() || Vocabulary::new(Leniency::Prefix).recognise(name).is_some()
}

/// Two words of a name have one blank between them in the tables.
fn with_single_blanks(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.iter().copied().any(octets::is_blank) {
        return Cow::Borrowed(name);
    }
    let words: Vec<&[u8]> = name.split(|&octet| octets::is_blank(octet)).filter(|word| !word.is_empty()).collect();
    Cow::Owned(words.join(&b' '))
}

/// The misspellings understood at a leniency, with what they mean: the table of SPEC.md.
pub fn misspellings(leniency: Leniency) -> impl Iterator<Item = (&'static str, Directive)> {
    TYPOS
        .iter()
        .filter(move |entry| leniency != Leniency::Prefix && leniency >= entry.2)
        .map(|entry| (entry.0, entry.1))
}

/// The directives that are known by name, with what each belongs to: the table of SPEC.md.
pub fn known_directives() -> impl Iterator<Item = (&'static str, Scope)> {
    NAMES.iter().map(|entry| (entry.0, entry.2))
}
