//! Field names: the known directives, their misspellings, which are rules, and whether each belongs to a group or to the
//! file.
//!
//! Invariant: recognising a name reads only its bytes and never allocates for the usual names. A name means one
//! directive or none. The tables below define all names. SPEC.md contains the same tables, and a test compares the
//! two.

use bstr::ByteSlice;

use crate::error::names;
use crate::report::finding::Effect;
use crate::syntax::bytes;

mod vocabulary;

pub(crate) use self::vocabulary::Recognised;
pub use self::vocabulary::Vocabulary;

/// The meaning of a field name.
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
    /// `Sitemap`: the address of a sitemap (sitemaps.org).
    Sitemap,
    /// `License`: the address of the content's licence (RSL).
    License,
    /// A name of the caller's, by its index in [`Vocabulary::own`].
    Own(u16),
    /// A name that is in no table. It is kept only on request.
    Unknown,
}

/// Allow or Disallow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum RuleKind {
    /// The paths may be fetched.
    Allow,
    /// They may not.
    Disallow,
}

names!(RuleKind, "a kind of rule", { Allow => "allow", "Allow"; Disallow => "disallow", "Disallow" });

impl RuleKind {
    /// The kind of the rules of a directive, if it is one of rules.
    pub(crate) const fn of(directive: Directive) -> Option<Self> {
        match directive {
            Directive::Allow => Some(Self::Allow),
            Directive::Disallow => Some(Self::Disallow),
            _ => None,
        }
    }

    /// The name of its directive.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        }
    }

    /// How verdicts differ if a rule of this kind is lost, or is not read as its owner meant it.
    pub(crate) const fn effect_of_losing(self) -> Effect {
        match self {
            Self::Allow => Effect::MoreRestrictive,
            Self::Disallow => Effect::MorePermissive,
        }
    }

    pub(crate) const fn directive(self) -> Directive {
        match self {
            Self::Allow => Directive::Allow,
            Self::Disallow => Directive::Disallow,
        }
    }
}

/// What a directive belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum DirectiveScope {
    /// The record that it is in. It never applies to agents of other records.
    Record,
    /// The file, wherever the line is.
    File,
}

names!(DirectiveScope, "a scope", { Record => "record", File => "file" });

/// What a value is made of. This determines which lines may continue it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// One word that is a pattern of paths, normalised and limited like those of Allow and Disallow.
    Path,
    /// One: a URL, a number, a host.
    One,
    /// A few words.
    Several,
    /// A list that may continue on the next lines.
    List,
}

/// Which misspellings are understood.
///
/// `Strict`, `Processor`, `Common` and `Generous` are levels: each understands what the one before understands, and more.
/// `Prefix` is another rule, not a level. So there is no order among all five.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum Leniency {
    /// None: the exact names, in any case.
    Strict,
    /// Only `Useragent`: what the PHP filter understands.
    Processor,
    /// Those that Google's parser accepts, and a missing colon between exactly two words.
    #[default]
    Common,
    /// Those of `Common`, and more from real files.
    Generous,
    /// What Google's parser understands: a name that begins with `user-agent`, `allow`, `disallow` or `sitemap` is that
    /// directive.
    Prefix,
}

names!(Leniency, "a leniency", {
    Strict => "strict",
    Processor => "processor",
    Common => "common",
    Generous => "generous",
    Prefix => "prefix",
});

impl Leniency {
    /// The level of the table of misspellings. `Prefix` does not read the table.
    const fn level(self) -> u8 {
        match self {
            Self::Strict | Self::Prefix => 0,
            Self::Processor => 1,
            Self::Common => 2,
            Self::Generous => 3,
        }
    }

    /// Whether a missing colon is supplied.
    const fn supplies_colon(self) -> bool {
        matches!(self, Self::Common | Self::Generous | Self::Prefix)
    }
}

/// The properties of a directive.
struct Known {
    directive: Directive,
    /// The name in its canonical spelling.
    name: &'static str,
    scope: DirectiveScope,
    words: Words,
}

/// The directives, the most frequent first.
const DIRECTIVES: &[Known] = {
    use {Directive as D, DirectiveScope as S, Words as W};
    &[
        Known { directive: D::Disallow, name: "Disallow", scope: S::Record, words: W::Path },
        Known { directive: D::Allow, name: "Allow", scope: S::Record, words: W::Path },
        Known { directive: D::UserAgent, name: "User-agent", scope: S::Record, words: W::Several },
        Known { directive: D::CrawlDelay, name: "Crawl-delay", scope: S::Record, words: W::One },
        Known { directive: D::RequestRate, name: "Request-rate", scope: S::Record, words: W::Several },
        Known { directive: D::VisitTime, name: "Visit-time", scope: S::Record, words: W::Several },
        Known { directive: D::Noindex, name: "Noindex", scope: S::Record, words: W::Path },
        Known { directive: D::ContentSignal, name: "Content-Signal", scope: S::Record, words: W::List },
        Known { directive: D::ContentUsage, name: "Content-Usage", scope: S::Record, words: W::List },
        Known { directive: D::CleanParam, name: "Clean-param", scope: S::File, words: W::Several },
        Known { directive: D::Host, name: "Host", scope: S::File, words: W::One },
        Known { directive: D::Sitemap, name: "Sitemap", scope: S::File, words: W::One },
        Known { directive: D::License, name: "License", scope: S::File, words: W::One },
    ]
};

/// Misspellings, each with the lowest leniency that understands it. A blank represents any number of blanks.
const MISSPELLINGS: &[(&str, Directive, Leniency)] = {
    use {Directive as D, Leniency as L};
    &[
        ("useragent", D::UserAgent, L::Processor),
        ("user agent", D::UserAgent, L::Common),
        ("dissallow", D::Disallow, L::Common),
        ("dissalow", D::Disallow, L::Common),
        ("disalow", D::Disallow, L::Common),
        ("diasllow", D::Disallow, L::Common),
        ("disallaw", D::Disallow, L::Common),
        ("site-map", D::Sitemap, L::Common),
        ("crawldelay", D::CrawlDelay, L::Common),
        ("requestrate", D::RequestRate, L::Common),
        ("visittime", D::VisitTime, L::Common),
        ("contentsignal", D::ContentSignal, L::Common),
        ("contentusage", D::ContentUsage, L::Common),
        ("cleanparam", D::CleanParam, L::Common),
        ("user-agents", D::UserAgent, L::Generous),
        ("user agents", D::UserAgent, L::Generous),
        ("user-agnet", D::UserAgent, L::Generous),
        ("users-agent", D::UserAgent, L::Generous),
        ("user-agant", D::UserAgent, L::Generous),
        ("user--agent", D::UserAgent, L::Generous),
        ("ser-agent", D::UserAgent, L::Generous),
        ("desallow", D::Disallow, L::Generous),
        ("dsallow", D::Disallow, L::Generous),
        ("diallow", D::Disallow, L::Generous),
        ("disllow", D::Disallow, L::Generous),
        ("disallows", D::Disallow, L::Generous),
        ("disallowed", D::Disallow, L::Generous),
        ("dissallows", D::Disallow, L::Generous),
        ("disalllow", D::Disallow, L::Generous),
        ("disaalow", D::Disallow, L::Generous),
        ("disallo", D::Disallow, L::Generous),
        ("isallow", D::Disallow, L::Generous),
        ("allows", D::Allow, L::Generous),
        ("alow", D::Allow, L::Generous),
        ("crawl delay", D::CrawlDelay, L::Generous),
        ("craw-delay", D::CrawlDelay, L::Generous),
        ("sitemaps", D::Sitemap, L::Generous),
        ("site map", D::Sitemap, L::Generous),
    ]
};

/// The maximum length of names in the tables, including a few extra blanks between their words.
const LONGEST_NAME: usize = 32;

/// For each first letter, the places of its names in the tables, one bit each. The directives come first.
const BY_LETTER: [u64; 32] = places(By::First);
/// For each last letter, the places of its names.
const BY_LAST: [u64; 32] = places(By::Last);
/// For each length, the places of the names that have it.
const BY_LENGTH: [u64; 32] = places(By::Length);

/// What names are looked up by.
#[derive(Clone, Copy)]
enum By {
    First,
    Last,
    Length,
}

// The compiler runs this: a table with too many names, or one too long, does not compile.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
const fn places(by: By) -> [u64; 32] {
    let (mut sets, mut at) = ([0; 32], 0);
    while at < DIRECTIVES.len() + MISSPELLINGS.len() {
        let name = if at < DIRECTIVES.len() { DIRECTIVES[at].name } else { MISSPELLINGS[at - DIRECTIVES.len()].0 };
        let key = match by {
            By::First => (name.as_bytes()[0] & 31) as usize,
            By::Last => (name.as_bytes()[name.len() - 1] & 31) as usize,
            By::Length => name.len(),
        };
        sets[key] |= 1 << at;
        at += 1;
    }
    sets
}

/// The entries of the tables at these places: a name, its meaning, and for a misspelling its leniency.
fn entries(mut places: u64) -> impl Iterator<Item = (&'static str, Directive, Option<Leniency>)> {
    core::iter::from_fn(move || {
        let place = usize::try_from(places.trailing_zeros()).ok()?;
        places &= places.wrapping_sub(1);
        match place.checked_sub(DIRECTIVES.len()) {
            None => DIRECTIVES.get(place).map(|known| (known.name, known.directive, None)),
            Some(place) => MISSPELLINGS.get(place).map(|entry| (entry.0, entry.1, Some(entry.2))),
        }
    })
}

/// The meaning of a name by the tables. Cost: its length, times the few names with this first letter and length.
fn in_tables(name: &[u8], leniency: Leniency) -> Option<Recognised> {
    let of_letter = name.first().and_then(|first| BY_LETTER.get(usize::from(first & 31))).copied()?;
    let of_length = BY_LENGTH.get(name.len()).copied().unwrap_or(0);
    // Most names are spelled as in the table.
    let is = |known: &str| name == known.as_bytes() || name.eq_ignore_ascii_case(known.as_bytes());
    let same = entries(of_letter & of_length).find(|entry| is(entry.0));
    let is_understood = |level: Option<Leniency>, by: Leniency| level.is_none_or(|level| by.level() >= level.level());
    if let Some((_, directive, level)) = same.filter(|entry| is_understood(entry.2, leniency)) {
        return Some(Recognised { directive, misspelled: level.is_some() });
    }
    if leniency != Leniency::Prefix {
        return None;
    }
    // Google's keys. A name that begins with one of them is that directive.
    let mut keys = entries(of_letter).filter(|entry| entry.1.is_googles() && is_understood(entry.2, Leniency::Common));
    keys.find(|entry| begins_with(name, entry.0)).map(|entry| Recognised { directive: entry.1, misspelled: true })
}

impl Directive {
    /// The name in its canonical spelling. None for the caller's names and unknown ones.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        self.known().map(|known| known.name)
    }

    fn known(self) -> Option<&'static Known> {
        DIRECTIVES.iter().find(|known| known.directive == self)
    }

    /// Whether Google's parser knows it. It accepts any name that begins with its name or with a misspelling of that.
    const fn is_googles(self) -> bool {
        matches!(self, Self::UserAgent | Self::Allow | Self::Disallow | Self::Sitemap)
    }

    /// Whether it is Allow or Disallow.
    #[must_use]
    pub const fn is_rule(self) -> bool {
        matches!(self, Self::Allow | Self::Disallow)
    }
}

/// Whether two words are a known name that contains a blank. The number of blanks between them does not matter.
pub(crate) fn is_spaced_name(two_words: &[u8]) -> bool {
    let (first, rest) = bytes::split_while(two_words, bytes::is_name);
    let second = bytes::trim_start(rest, bytes::is_blank);
    MISSPELLINGS.iter().any(|(known, ..)| {
        let known = known.as_bytes();
        known.get(first.len()) == Some(&b' ')
            && bytes::part(known, 0..first.len()).eq_ignore_ascii_case(first)
            && bytes::part(known, first.len().saturating_add(1)..known.len()).eq_ignore_ascii_case(second)
    })
}

/// Whether another reader may understand the name. If so, a text must not contain it.
pub(crate) fn may_be_known(name: &[u8]) -> bool {
    nearly(name).is_some()
}

/// Whether [`Leniency::Generous`] understands the name.
pub(crate) fn is_generous(name: &[u8]) -> bool {
    Vocabulary::new(Leniency::Generous).recognise(name).is_some()
}

/// The meaning of the name for the most lenient readers.
pub(crate) fn nearly(name: &[u8]) -> Option<Directive> {
    let by = |leniency| Vocabulary::new(leniency).recognise(name);
    by(Leniency::Generous).or_else(|| by(Leniency::Prefix)).map(|recognised| recognised.directive)
}

/// The longest name of the tables that ends a text, and its length there. `_` is read as `-`. Cost: the few names with
/// this last letter.
pub(crate) fn ending(text: &[u8]) -> Option<(Directive, usize)> {
    let of_last = text.last().and_then(|last| BY_LAST.get(usize::from(last & 31))).copied()?;
    let found = entries(of_last).filter_map(|entry| Some((entry.1, length_at_end(text, entry.0)?)));
    found.max_by_key(|found| found.1)
}

/// The length of what ends a text, if it is this name.
fn length_at_end(text: &[u8], name: &str) -> Option<usize> {
    let mut front = text;
    for letter in name.as_bytes().iter().rev() {
        let (last, before) = front.split_last()?;
        let last = if *last == b'_' { b'-' } else { *last };
        front = if *letter == b' ' && bytes::is_blank(last) {
            bytes::trim_end(before, bytes::is_blank)
        } else {
            Some(before).filter(|_| last.eq_ignore_ascii_case(letter))?
        };
    }
    Some(text.len().saturating_sub(front.len()))
}

/// Whether the values of a directive are URLs.
pub(crate) const fn has_url_values(directive: Directive) -> bool {
    matches!(directive, Directive::Sitemap | Directive::License)
}

/// The misspellings that a leniency understands, and their meanings: the table of SPEC.md.
pub fn misspellings(leniency: Leniency) -> impl Iterator<Item = (&'static str, Directive)> {
    let understood = MISSPELLINGS.iter().filter(move |entry| leniency.level() >= entry.2.level());
    understood.map(|entry| (entry.0, entry.1))
}

fn begins_with(name: &[u8], prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|front| front.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// The known directives, and what each belongs to: the table of SPEC.md.
pub fn known_directives() -> impl Iterator<Item = (&'static str, DirectiveScope)> {
    DIRECTIVES.iter().map(|known| (known.name, known.scope))
}

// Names that are one edit away from another name. A name with a meaning is near to none, and nothing here changes the
// meaning of a line. Cost: the length of the name, for each directive.

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
    nearly(near.as_bytes()).filter(|_| nearly(name).is_none())
}
