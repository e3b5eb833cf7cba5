//! The requested agents, and the names in user-agent lines.
//!
//! Invariant: a [`ProductToken`] contains token bytes only. It is matched with a line by whole tokens in any case,
//! never by substring. An [`AgentName`] is the part of a line's value that can matter.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use bstr::{BStr, BString, ByteSlice};

use crate::error::ConfigError;
use crate::syntax::bytes;

/// How user agents are read and matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum AgentForm {
    /// As RFC 9309 2.2.1. Digits and dots also count if the requested token contains them.
    #[default]
    Token,
    /// As Google's parser. The name in a line ends at the first byte outside `[A-Za-z_-]`. It has to be equal to the
    /// requested agent, in any case.
    Google,
}

/// The name of a crawler in robots.txt: `[0-9A-Za-z._-]+`. RFC 9309 2.2.1 allows no digits and dots, but names of real
/// crawlers contain them.
///
/// ```
/// use robosieve::agent::ProductToken;
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
    /// If it is empty or contains a byte other than a letter, a digit, `_`, `-` and `.`.
    pub fn new(token: &str) -> Result<Self, ConfigError> {
        if token.is_empty() || !token.bytes().all(bytes::is_wide_token) {
            return Err(ConfigError::ProductToken(token.into()));
        }
        Ok(Self(token.into()))
    }

    /// The longest token at the front of `bytes`. None if the word goes on in another script.
    fn leading(bytes: &[u8]) -> Option<Self> {
        let (token, rest) = bytes::split_while(bytes, bytes::is_wide_token);
        if rest.first().is_some_and(|next| !next.is_ascii()) {
            return None;
        }
        token.to_str().ok().and_then(|token| Self::new(token).ok())
    }

    /// The token as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this byte after the token would make it a longer token.
    fn goes_on_with(&self, byte: u8) -> bool {
        bytes::is_token(byte)
            || byte.is_ascii_digit() && self.0.bytes().any(|own| own.is_ascii_digit())
            || byte == b'.' && self.0.bytes().any(|own| own == b'.')
    }
}

impl FromStr for ProductToken {
    type Err = ConfigError;

    fn from_str(token: &str) -> Result<Self, ConfigError> {
        Self::new(token)
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An agent that rules are requested for.
///
/// Any text is accepted. If it contains no product token, only `*` applies to the agent.
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
    /// An agent with this name. Its product token is the longest one at the front.
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        let verbatim = BString::from(name.as_ref());
        let token = ProductToken::leading(bytes::trim_start(&verbatim, bytes::is_blank));
        Self { verbatim, token }
    }

    /// The agent that sends this `User-Agent` header. Its name is what follows `compatible;`, or else the first
    /// product.
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

    /// The name as it was given.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.verbatim.as_bstr()
    }

    /// The product token in the name.
    #[must_use]
    pub fn token(&self) -> Option<&ProductToken> {
        self.token.as_ref()
    }
}

impl From<&str> for Agent {
    /// As [`Agent::new`].
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<ProductToken> for Agent {
    fn from(token: ProductToken) -> Self {
        Self { verbatim: BString::from(token.as_str()), token: Some(token) }
    }
}

/// The requested agents, the most preferred first: `["MyBot-Image", "MyBot"]`. A list of names can be used in its place.
///
/// ```
/// use robosieve::{Agent, Agents, Interest};
/// let agents: Agents = [Agent::from_header("MyBot/2.1 (+https://example.com/bot)")].into_iter().collect();
/// assert_eq!(Interest::new(agents), Interest::new(["MyBot"]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents(Vec<Agent>);

impl Agents {
    /// Makes agents from names; see [`Agent::new`].
    pub fn new<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        names.into_iter().map(Agent::new).collect()
    }

    /// The agents, the most preferred first.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.0.iter()
    }

    /// The place of the first agent that the line names.
    pub(crate) fn named_by(&self, name: &AgentName<'_>, form: AgentForm) -> Option<usize> {
        self.0.iter().position(|agent| name.may_name(agent) && name.names(agent, form))
    }
}

impl FromIterator<Agent> for Agents {
    fn from_iter<I: IntoIterator<Item = Agent>>(agents: I) -> Self {
        Self(agents.into_iter().collect())
    }
}

impl<I> From<I> for Agents
where
    I: IntoIterator,
    I::Item: AsRef<[u8]>,
{
    /// As [`Agents::new`].
    fn from(names: I) -> Self {
        Self::new(names)
    }
}

/// The agents that a set is read for, and whether `*` is the fallback.
///
/// ```
/// use robosieve::{Interest, Parser, Tester};
/// let set = Parser::default().parse(b"User-agent: *\nDisallow: /\n");
/// let interest = Interest::new(["MyBot-Image", "MyBot"]);
/// assert!(!Tester::new(&set, &interest).is_allowed("/"));
/// assert!(Tester::new(&set, &interest.fallback(false)).is_allowed("/"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interest {
    /// The agents, the most preferred first.
    pub agents: Agents,
    /// Whether the records for `*` apply if no record names one of the agents (PROCESSOR `fallback`).
    pub fallback: bool,
}

impl Interest {
    /// These agents, the most preferred first, with `*` as the fallback.
    pub fn new(agents: impl Into<Agents>) -> Self {
        Self { agents: agents.into(), fallback: true }
    }

    /// The interest of an agent that no record names: the records for `*`.
    #[must_use]
    pub fn everyone() -> Self {
        Self::new(Agents::default())
    }

    /// Sets whether the records for `*` apply if no record names one of the agents.
    #[must_use]
    pub fn fallback(self, fallback: bool) -> Self {
        Self { fallback, ..self }
    }

    /// The place of `*`: after all agents.
    pub(crate) const EVERYONE: usize = usize::MAX;

    /// The preference index of the named agent, or none if the name cannot matter. Agents whose groups are merged have
    /// the same index.
    pub(crate) fn place_of(&self, name: &AgentName<'_>, form: AgentForm, together: bool) -> Option<usize> {
        if name.is_everyone() {
            return self.fallback.then_some(Self::EVERYONE);
        }
        let place = self.agents.named_by(name, form)?;
        Some(if together { 0 } else { place })
    }

    /// The best place of the agents that occur as words in this text.
    pub(crate) fn place_in(&self, text: &[u8], form: AgentForm, together: bool) -> Option<usize> {
        let words = text.split(|&byte| !bytes::is_wide_token(byte) && byte != b'*');
        let names = words.map(|word| match word {
            b"*" => AgentName::EVERYONE,
            _ => AgentName(Cow::Borrowed(bytes::trim(word, |byte| byte == b'*'))),
        });
        names.filter_map(|name| self.place_of(&name, form, together)).min()
    }
}

/// The name in a user-agent line: the leading token of its value, `*` for all agents, or nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AgentName<'a>(Cow<'a, [u8]>);

impl<'a> AgentName<'a> {
    /// `*`: all agents.
    pub(crate) const EVERYONE: Self = Self(Cow::Borrowed(b"*"));

    /// The length of the name at the front of a user-agent line's value.
    pub(crate) fn length_in(value: &[u8], form: AgentForm) -> usize {
        let is_blank = match form {
            AgentForm::Token => bytes::is_blank,
            AgentForm::Google => bytes::is_c_space,
        };
        match value.split_first() {
            Some((b'*', rest)) if rest.first().copied().is_none_or(is_blank) => 1,
            // Not a pointer to one of them: each is a load from a table.
            _ => match form {
                AgentForm::Token => bytes::split_while(value, bytes::is_wide_token).0.len(),
                AgentForm::Google => bytes::split_while(value, bytes::is_token).0.len(),
            },
        }
    }

    /// Takes the first `length` bytes of a value as the name.
    pub(crate) fn take(value: Cow<'a, [u8]>, length: usize) -> Self {
        Self(match value {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes::part(bytes, 0..length)),
            Cow::Owned(mut bytes) => {
                bytes.truncate(length);
                Cow::Owned(bytes)
            }
        })
    }

    /// `*`, the name, or nothing.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Whether the line is for all agents that are not named elsewhere (`*`).
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        *self.0 == *b"*"
    }

    /// Whether the line can name this agent: the name begins with a letter of it. Most names do not.
    #[inline]
    fn may_name(&self, agent: &Agent) -> bool {
        let is_first = |name: &[u8]| matches!((name, &*self.0), ([a, ..], [b, ..]) if a.eq_ignore_ascii_case(b));
        is_first(&agent.verbatim) || agent.verbatim.first().copied().is_none_or(bytes::is_blank)
    }

    /// Whether the line names this agent.
    #[inline(never)]
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

    #[inline]
    fn begins_with(&self, token: &ProductToken) -> bool {
        let token_bytes = token.as_str().as_bytes();
        let Some((front, rest)) = self.0.split_at_checked(token_bytes.len()) else { return false };
        front.eq_ignore_ascii_case(token_bytes) && !rest.first().is_some_and(|&next| token.goes_on_with(next))
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
