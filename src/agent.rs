//! Who is asked for, and whom a user-agent line names.
//!
//! Invariant: a [`ProductToken`] holds token octets only; a line is matched with it by whole tokens in any case, never by
//! substring. An [`AgentName`] is what is left of a line's value when all that cannot matter is gone.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use bstr::{BStr, BString, ByteSlice};

use crate::error::ConfigError;
use crate::octets;

/// How agents are read and matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum AgentForm {
    /// RFC 9309 2.2.1, where digits and dots count for a token that holds them.
    #[default]
    Token,
    /// As Google's parser does: a line's name ends at the first octet outside `[A-Za-z_-]`, and has to equal the agent that
    /// was asked for, to the letter but for case.
    Google,
}

/// The name by which a crawler answers to robots.txt: `[0-9A-Za-z._-]+` (RFC 9309 2.2.1, with the digits and dots that
/// real crawlers have in theirs).
///
/// ```
/// use robosieve::ProductToken;
/// assert_eq!(ProductToken::new("MJ12bot")?.as_str(), "MJ12bot");
/// assert!(ProductToken::new("Foo Bar").is_err());
/// # Ok::<(), robosieve::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductToken(String);

impl ProductToken {
    /// Checks a token.
    ///
    /// # Errors
    /// If it is empty or holds another octet than a letter, a digit, `_`, `-` or `.`.
    pub fn new(token: &str) -> Result<Self, ConfigError> {
        if token.is_empty() || !token.bytes().all(octets::is_wide_token) {
            return Err(ConfigError::ProductToken(token.into()));
        }
        Ok(Self(token.into()))
    }

    /// The longest token at the front of `bytes`; none where a word in another script only begins like one.
    fn leading(bytes: &[u8]) -> Option<Self> {
        let (token, rest) = octets::split_while(bytes, octets::is_wide_token);
        if rest.first().is_some_and(|next| !next.is_ascii()) {
            return None;
        }
        token.to_str().ok().and_then(|token| Self::new(token).ok())
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the octet, behind this token, would be a part of it.
    fn goes_on_with(&self, octet: u8) -> bool {
        octets::is_token(octet)
            || octet.is_ascii_digit() && self.0.bytes().any(|own| own.is_ascii_digit())
            || octet == b'.' && self.0.bytes().any(|own| own == b'.')
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An agent to ask for.
///
/// Anything can be asked for: what holds no product token is an agent that only `*` speaks to.
///
/// ```
/// use robosieve::Agent;
/// assert_eq!(Agent::new("googlebot/2.1").token().unwrap().as_str(), "googlebot");
/// let header = "Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)";
/// assert_eq!(Agent::from_header(header).token().unwrap().as_str(), "DanBot");
/// assert!(Agent::new("").token().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    verbatim: BString,
    token: Option<ProductToken>,
}

impl Agent {
    /// The agent of that name; its product token is the longest one at the front.
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        let verbatim = BString::from(name.as_ref());
        let token = ProductToken::leading(octets::trim_start(&verbatim, octets::is_blank));
        Self { verbatim, token }
    }

    /// The agent that sends this `User-Agent` header: what follows `compatible;`, or else the first product.
    #[must_use]
    pub fn from_header(header: &str) -> Self {
        const MARK: &str = "compatible;";
        let lower = header.to_ascii_lowercase();
        let named = lower.find(MARK).and_then(|at| header.get(at.saturating_add(MARK.len())..));
        let by_mark = named.map(Self::new).filter(|agent| agent.token.is_some());
        let agent = by_mark.unwrap_or_else(|| Self::new(header));
        match agent.token {
            Some(token) => Self { verbatim: BString::from(token.as_str()), token: Some(token) },
            None => agent,
        }
    }

    /// As it was given.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.verbatim.as_bstr()
    }

    /// The product token in it.
    #[must_use]
    pub fn token(&self) -> Option<&ProductToken> {
        self.token.as_ref()
    }
}

impl From<ProductToken> for Agent {
    fn from(token: ProductToken) -> Self {
        Self { verbatim: BString::from(token.as_str()), token: Some(token) }
    }
}

/// The agents to ask for, the preferred first: `["MyBot-Image", "MyBot"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents(Vec<Agent>);

impl Agents {
    /// Agents by name; see [`Agent::new`].
    pub fn new<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        names.into_iter().map(Agent::new).collect()
    }

    /// The agents, the preferred first.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.0.iter()
    }

    /// The place of the first of them that the line names.
    pub(crate) fn named_by(&self, name: &AgentName<'_>, form: AgentForm) -> Option<usize> {
        self.0.iter().position(|agent| name.names(agent, form))
    }
}

impl FromIterator<Agent> for Agents {
    fn from_iter<I: IntoIterator<Item = Agent>>(agents: I) -> Self {
        Self(agents.into_iter().collect())
    }
}

/// The agents that a set is read for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interest {
    /// The agents, the preferred first.
    pub agents: Agents,
    /// Whether the records for `*` answer when none names an agent (PROCESSOR `fallback`).
    pub fallback: bool,
}

impl Interest {
    /// The place of everyone, behind all agents.
    pub(crate) const EVERYONE: usize = usize::MAX;

    /// The place, in order of preference, of whom a line names; none, if it can't matter. Agents that count together have the
    /// same place.
    pub(crate) fn place_of(&self, name: &AgentName<'_>, form: AgentForm, together: bool) -> Option<usize> {
        if name.is_everyone() {
            return self.fallback.then_some(Self::EVERYONE);
        }
        let place = self.agents.named_by(name, form)?;
        Some(if together { 0 } else { place })
    }
}

/// Whom a user-agent line names: the leading token of its value, `*` for everyone, or nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AgentName<'a>(Cow<'a, [u8]>);

impl<'a> AgentName<'a> {
    /// `*`: everyone.
    pub(crate) const EVERYONE: Self = Self(Cow::Borrowed(b"*"));

    /// How many octets at the front of a user-agent line's value are the name.
    pub(crate) fn length_in(value: &[u8], form: AgentForm) -> usize {
        let is_blank = match form {
            AgentForm::Token => octets::is_blank,
            AgentForm::Google => octets::is_c_space,
        };
        match value.split_first() {
            Some((b'*', rest)) if rest.first().copied().is_none_or(is_blank) => 1,
            _ => {
                let class = match form {
                    AgentForm::Token => octets::is_wide_token,
                    AgentForm::Google => octets::is_token,
                };
                octets::split_while(value, class).0.len()
            }
        }
    }

    /// Takes the first `length` octets of a value as the name.
    pub(crate) fn take(value: Cow<'a, [u8]>, length: usize) -> Self {
        Self(match value {
            Cow::Borrowed(octets) => Cow::Borrowed(octets::part(octets, 0..length)),
            Cow::Owned(mut octets) => {
                octets.truncate(length);
                Cow::Owned(octets)
            }
        })
    }

    /// `*`, the name, or nothing.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Whether the line speaks to everyone who is not named elsewhere.
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        *self.0 == *b"*"
    }

    /// Whether the line names this agent.
    #[must_use]
    pub fn names(&self, agent: &Agent, form: AgentForm) -> bool {
        if self.is_everyone() {
            return false;
        }
        match form {
            AgentForm::Google => self.0.eq_ignore_ascii_case(&agent.verbatim),
            AgentForm::Token => agent.token.as_ref().is_some_and(|token| self.begins_with(token)),
        }
    }

    fn begins_with(&self, token: &ProductToken) -> bool {
        let token_octets = token.as_str().as_bytes();
        let Some((front, rest)) = self.0.split_at_checked(token_octets.len()) else { return false };
        front.eq_ignore_ascii_case(token_octets) && !rest.first().is_some_and(|&next| token.goes_on_with(next))
    }

    pub(crate) fn into_owned(self) -> AgentName<'static> {
        AgentName(Cow::Owned(self.0.into_owned()))
    }
}

impl fmt::Debug for AgentName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_bstr(), f)
    }
}
