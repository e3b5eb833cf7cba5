//! Which names are understood: those of the tables, by a leniency, and those of the caller.
//!
//! Invariant: a name means one directive or none. The caller's names are in no table.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Directive, DirectiveScope, LONGEST_NAME, Leniency, Words, in_tables};
use crate::error::ConfigError;
use crate::syntax::bytes;

/// A name that the caller has added.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    name: String,
    /// None if it is another name of `User-agent`.
    extension: Option<(DirectiveScope, Words)>,
}

/// Which names are understood, and what they mean.
///
/// ```
/// use robosieve::settings::{DirectiveScope, Leniency, Vocabulary};
/// let words = Vocabulary::new(Leniency::Common)
///     .with_directive("X-Throttle", DirectiveScope::Record)?
///     .with_user_agent_name("Crawler")?;
/// # Ok::<(), robosieve::settings::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    leniency: Leniency,
    own: Vec<Own>,
}

/// A recognised name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recognised {
    pub(crate) directive: Directive,
    pub(crate) misspelled: bool,
}

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for Vocabulary {
    /// Any leniency, with a few short names of the caller.
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut words = Self::new(u.arbitrary()?);
        for _ in 0..u.int_in_range(0..=3)? {
            let name: String =
                (0..u.int_in_range(1..=8)?).map(|_| u.choose(&['a', 'e', 'x', '-'])).collect::<Result<_, _>>()?;
            let words_of = |is_path| if is_path { Words::Path } else { Words::List };
            let extension = u.arbitrary::<Option<_>>()?.map(|(scope, is_path)| (scope, words_of(is_path)));
            // Leaves out a name that is taken.
            words = words.clone().with(&name, extension).unwrap_or(words);
        }
        Ok(words)
    }
}

impl Vocabulary {
    /// The known names, with this leniency.
    #[must_use]
    pub const fn new(leniency: Leniency) -> Self {
        Self { leniency, own: Vec::new() }
    }

    /// Whether no name of `User-agent`, `Allow` or `Disallow` begins with another letter than they do, and none is the
    /// caller's own.
    pub(crate) const fn is_common(&self) -> bool {
        matches!(self.leniency, Leniency::Strict | Leniency::Processor | Leniency::Common) && self.own.is_empty()
    }

    /// Which misspellings are understood.
    #[must_use]
    pub const fn leniency(&self) -> Leniency {
        self.leniency
    }

    /// Adds a directive of the caller, whose values are texts.
    ///
    /// # Errors
    /// If the name is not valid (`[0-9A-Za-z-]+`), already has a meaning, or begins as that of a rule: Google's parser
    /// reads `Disallow-AI: /` as `Disallow: /`, so a text with such a line would close a site to it.
    pub fn with_directive(self, name: &str, scope: DirectiveScope) -> Result<Self, ConfigError> {
        self.with(name, Some((scope, Words::List)))
    }

    /// Adds a directive of the caller whose values are patterns of paths, normalised and limited like those of Allow and
    /// Disallow.
    ///
    /// # Errors
    /// Those of [`Vocabulary::with_directive`].
    pub fn with_path_directive(self, name: &str, scope: DirectiveScope) -> Result<Self, ConfigError> {
        self.with(name, Some((scope, Words::Path)))
    }

    /// Adds another name of `User-agent` (PROCESSOR `userAgentRegEx`).
    ///
    /// # Errors
    /// Those of [`Vocabulary::with_directive`].
    pub fn with_user_agent_name(self, name: &str) -> Result<Self, ConfigError> {
        self.with(name, None)
    }

    fn with(mut self, name: &str, extension: Option<(DirectiveScope, Words)>) -> Result<Self, ConfigError> {
        if name.is_empty() || !name.bytes().all(bytes::is_name) {
            return Err(ConfigError::DirectiveName(name.into()));
        }
        if self.recognise(name.as_bytes()).is_some() || self.own.len() >= usize::from(u16::MAX) {
            return Err(ConfigError::DirectiveTaken(name.into()));
        }
        let by_prefix = in_tables(name.as_bytes(), Leniency::Prefix);
        if by_prefix.is_some_and(|recognised| recognised.directive.is_rule()) {
            return Err(ConfigError::DirectiveIsRule(name.into()));
        }
        let mut name = name.to_ascii_lowercase();
        name.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        self.own.push(Own { name, extension });
        Ok(self)
    }

    /// The names that the caller has added.
    pub fn own(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|own| own.name.as_str())
    }

    /// The meaning of a name. Cost: its length, times the few names of that length.
    pub(crate) fn recognise(&self, name: &[u8]) -> Option<Recognised> {
        if name.len() > self.longest_name() && self.leniency != Leniency::Prefix {
            return None;
        }
        let known = in_tables(name, self.leniency).or_else(|| self.recognise_own(name));
        // Google's parser accepts exactly one blank in `user agent`.
        if known.is_some() || self.leniency == Leniency::Prefix || !name.iter().copied().any(bytes::is_blank) {
            return known;
        }
        let name = with_single_blanks(name);
        in_tables(&name, self.leniency).or_else(|| self.recognise_own(&name))
    }

    /// The meaning of a name that the caller has added. It is in no table.
    fn recognise_own(&self, name: &[u8]) -> Option<Recognised> {
        let is = |own: &Own| name.eq_ignore_ascii_case(own.name.as_bytes());
        let (own, place) = self.own.iter().zip(0_u16..).find(|(own, _)| is(own))?;
        let directive = if own.extension.is_none() { Directive::UserAgent } else { Directive::Own(place) };
        Some(Recognised { directive, misspelled: false })
    }

    /// The length of the longest name with a meaning.
    pub(crate) fn longest_name(&self) -> usize {
        let own = self.own.iter().map(|own| own.name.len()).max().unwrap_or(0);
        own.max(LONGEST_NAME)
    }

    /// What the caller said of a directive of theirs.
    fn extension(&self, place: u16) -> Option<(DirectiveScope, Words)> {
        self.own.get(usize::from(place)).and_then(|own| own.extension)
    }

    /// What the values of a directive are made of.
    pub(crate) fn words(&self, directive: Directive) -> Words {
        match directive {
            Directive::Own(place) => self.extension(place).map_or(Words::List, |(_, words)| words),
            _ => directive.known().map_or(Words::One, |known| known.words),
        }
    }

    /// Whether a line is the name of a user-agent line alone. Google's parser needs a value to supply the colon.
    pub(crate) fn is_bare_user_agent(&self, text: &[u8]) -> bool {
        self.supplies_colon()
            && self.leniency != Leniency::Prefix
            && self.recognise(text).is_some_and(|recognised| recognised.directive == Directive::UserAgent)
    }

    /// Whether a colon may be missing.
    pub(crate) fn supplies_colon(&self) -> bool {
        self.leniency.supplies_colon()
    }

    pub(crate) fn scope(&self, directive: Directive) -> DirectiveScope {
        match directive {
            Directive::Own(place) => self.extension(place).map_or(DirectiveScope::File, |(scope, _)| scope),
            // Unknown lines belong to the record that they are in.
            Directive::Unknown => DirectiveScope::Record,
            _ => directive.known().map_or(DirectiveScope::File, |known| known.scope),
        }
    }

    /// The canonical spelling of a name: known names as in the table, other names with the first letter in upper
    /// case.
    pub(crate) fn canonical_name(directive: Directive, name: &[u8]) -> Cow<'_, [u8]> {
        if let Some(name) = directive.name() {
            return Cow::Borrowed(name.as_bytes());
        }
        let mut spelled = name.to_ascii_lowercase();
        spelled.iter_mut().take(1).for_each(u8::make_ascii_uppercase);
        if spelled == name { Cow::Borrowed(name) } else { Cow::Owned(spelled) }
    }
}

/// Reduces the blanks between words to one, as in the tables.
fn with_single_blanks(name: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = name.split(|&byte| bytes::is_blank(byte)).filter(|word| !word.is_empty()).collect();
    words.join(&b' ')
}
