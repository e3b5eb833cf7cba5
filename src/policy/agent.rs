//! The requested agents, and the names in user-agent lines.
//!
//! Invariant: a [`ProductToken`] is matched with a line by whole tokens in any case, never by substring.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use bstr::{BStr, BString, ByteSlice};

use crate::error::ConfigError;
use crate::policy::header::{HeaderNames, ProductToken};
use crate::policy::options::Options;
use crate::syntax::bytes;
use crate::syntax::grammar::Style;

/// An agent that rules are requested for: the name of a crawler, or the whole `User-Agent` header that it sends.
///
/// Any text is accepted. SPEC.md says under `[agent.header]` how names are read from a header. If it contains no
/// crawler's name, [`Agent::is_named`] is false, and every [`Report`](crate::report::Report) for the agent says so.
///
/// ```
/// use robosieve::settings::Agent;
/// assert_eq!(Agent::new("googlebot/2.1").token().unwrap(), "googlebot");
/// let header = "Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)";
/// assert_eq!(Agent::new(header).token().unwrap(), "DanBot");
/// assert!(!Agent::new("Mozilla/5.0 (X11; Linux) Firefox/140.0").is_named() && !Agent::new("").is_named());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    verbatim: BString,
    /// The names in it, the crawler's own first.
    names: Vec<ProductToken>,
    /// How many of the names are the crawler's own. The others could be.
    sure: usize,
    /// Whether a name is more, or less, than the given text.
    is_header: bool,
    /// Whether it was given as neither a name nor a usual header.
    is_cut: bool,
}

impl Agent {
    /// The agent with this name, or that sends this header. What is no plain name is a header, and the agent is called by
    /// the first name in it. Cost: reads 4,096 bytes at most.
    ///
    /// ```
    /// use robosieve::settings::Agent;
    /// assert_eq!(Agent::new("MyBot/1.0 (+https://example.com/bot)").as_bstr(), "MyBot");
    /// assert_eq!(Agent::new("MJ12bot").as_bstr(), "MJ12bot");
    /// ```
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        let HeaderNames { names, sure } = HeaderNames::read(name.as_ref());
        let is_header = |called: &[u8]| !matches!(&*names, [one] if *one.as_str().as_bytes() == *called);
        let own = names.first().filter(|_| sure > 0 || !is_header(name.as_ref()));
        let verbatim = own.map_or_else(|| BString::from(name.as_ref()), |own| BString::from(own.as_str()));
        let is_header = is_header(&verbatim);
        let is_cut = is_cut(name.as_ref().trim_ascii(), &verbatim);
        Self { verbatim, names, sure, is_header, is_cut }
    }

    /// Whether it was given as neither one word nor a header as crawlers send them: `My Bot` is read as `My`, and perhaps
    /// another name was meant. Tell who wrote it, with its [`names`](Self::names).
    ///
    /// ```
    /// use robosieve::settings::Agent;
    /// assert!(Agent::new("My Bot").is_cut() && Agent::new("MyBot, Other").is_cut());
    /// assert!(!Agent::new("MyBot/1.0 (+https://example.com/bot)").is_cut());
    /// ```
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What it is called: its name, the first in its header, or the text as it was given if there is none.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.verbatim.as_bstr()
    }

    /// The crawler's own name: the first product token. None if there is no crawler's name.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        let own = self.own_names().first().or_else(|| if self.is_header { None } else { self.names.first() });
        own.map(ProductToken::as_str)
    }

    /// All names that groups could have for this agent, the crawler's own first.
    ///
    /// ```
    /// use robosieve::settings::Agent;
    /// let names = |header: &str| Agent::new(header).names().map(str::to_owned).collect::<Vec<_>>();
    /// assert_eq!(names("Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help)"), ["Slurp", "Yahoo"]);
    /// assert_eq!(names("mybot (python-requests/2.3)"), ["mybot"]);
    /// ```
    #[must_use]
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(ProductToken::as_str)
    }

    /// Whether it has a crawler's name. If not, a group for it cannot be found, and those for `*` apply.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.sure > 0
    }

    /// Whether it is the name or the header of a browser, and of no crawler.
    #[must_use]
    pub fn is_browser(&self) -> bool {
        !self.is_named() && !self.names.is_empty()
    }

    /// Whether groups of several names could be meant.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.names.len() > 1 || self.sure == 0 && !self.names.is_empty() && self.is_header
    }

    /// The one name that groups for it have, if any. An error if several could be meant.
    pub(crate) fn only_name(&self) -> Result<Option<&ProductToken>, ()> {
        if self.is_in_doubt() { Err(()) } else { Ok(self.names.first()) }
    }

    /// All names that groups could have for this agent.
    pub(crate) fn all_names(&self) -> &[ProductToken] {
        &self.names
    }

    /// The names that are the crawler's own.
    pub(crate) fn own_names(&self) -> &[ProductToken] {
        self.names.get(..self.sure).unwrap_or(&self.names)
    }

    /// Whether the name is empty, or has nothing that could be a name, and is not `*`.
    pub(crate) fn is_nameless(&self) -> bool {
        !self.is_named() && *self.verbatim != *b"*"
    }
}

/// Whether more than a version or a comment follows the name: `MyBot/1.0 …` and `MyBot (…)` are headers.
fn is_cut(text: &[u8], name: &[u8]) -> bool {
    match text.strip_prefix(name) {
        Some(rest) => !matches!(rest.trim_ascii_start().first(), None | Some(b'/' | b'(')),
        None => !name.is_empty() && !text.iter().any(|byte| b"/(".contains(byte)),
    }
}

impl From<&str> for Agent {
    /// By [`Agent::new`].
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl FromStr for Agent {
    type Err = ConfigError;

    /// Reads the name of a crawler, `[0-9A-Za-z._-]+`, and no header.
    fn from_str(name: &str) -> Result<Self, ConfigError> {
        let token = ProductToken::parse(name)?;
        Ok(Self { verbatim: BString::from(name), names: alloc::vec![token], sure: 1, is_header: false, is_cut: false })
    }
}

/// The requested agents, the most preferred first: `["MyBot-Image", "MyBot"]`. A list of names can be used in its place.
///
/// ```
/// use robosieve::Agents;
/// use robosieve::settings::{Agent, Interest};
/// let agents: Agents = [Agent::new("MyBot/2.1 (+https://example.com/bot)")].into_iter().collect();
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

    /// The first agent without a crawler's name, as an empty string or the header of a browser; `*` is one. The groups for
    /// `*` apply to it, and a [`Tester`](crate::Tester) does not say so: refuse it, if names come from elsewhere.
    ///
    /// ```
    /// use robosieve::Agents;
    /// assert!(Agents::new(["MyBot", ""]).unnamed().is_some());
    /// assert!(Agents::new(["MyBot", "*", "MyBot-Image/2.1 (+https://example.com/bot)"]).unnamed().is_none());
    /// ```
    #[must_use]
    pub fn unnamed(&self) -> Option<&Agent> {
        self.0.iter().find(|agent| agent.is_nameless())
    }

    /// Whether the groups of several names could be meant by one of the agents.
    pub(crate) fn has_doubt(&self) -> bool {
        self.0.iter().any(Agent::is_in_doubt)
    }

    /// The agent of this preference, if the groups of several names could be meant by it.
    pub(crate) fn in_doubt_at(&self, preference: usize) -> Option<&Agent> {
        self.0.get(preference).filter(|agent| agent.is_in_doubt())
    }

    /// The agents, the most preferred first.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.0.iter()
    }

    /// The preference of the first agent that the line names.
    pub(crate) fn named_by(&self, name: &AgentName<'_>, form: Style) -> Option<usize> {
        self.0.iter().position(|agent| name.may_name(agent) && name.names(agent, form))
    }
}

impl FromIterator<Agent> for Agents {
    fn from_iter<I: IntoIterator<Item = Agent>>(agents: I) -> Self {
        Self(agents.into_iter().collect())
    }
}

impl From<Agent> for Agents {
    fn from(agent: Agent) -> Self {
        Self(alloc::vec![agent])
    }
}

impl<I> From<I> for Agents
where
    I: IntoIterator,
    I::Item: AsRef<[u8]>,
{
    /// By [`Agents::new`].
    fn from(names: I) -> Self {
        Self::new(names)
    }
}

/// The agents that a set is read for, and whether `*` is the fallback.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve::records::Parser;
/// use robosieve::Tester;
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
    /// Whether a text names the agents next to `*` although the groups for `*` apply to them, where a group of their own
    /// answers. For a caller that applies `*` to crawlers that ignore it, and keeps texts for others to read.
    pub is_named: bool,
}

impl Interest {
    /// These agents, the most preferred first, with `*` as the fallback.
    pub fn new(agents: impl Into<Agents>) -> Self {
        Self { agents: agents.into(), fallback: true, is_named: false }
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

    /// Sets whether a text names the agents where a group of their own answers.
    #[must_use]
    pub fn named(self, is_named: bool) -> Self {
        Self { is_named, ..self }
    }

    /// The name that a text for these agents has next to `*`: the first of their names that a user-agent line can have.
    /// None if the groups for `*` apply to them, and nobody asked for it. Without it, the text would not be for them when
    /// it is read.
    ///
    /// ```
    /// use robosieve::settings::{Style, Interest};
    /// let interest = Interest::new(["AdsBot-Google"]);
    /// assert!(interest.own_name(Style::Standard).is_none());
    /// let own = interest.fallback(false);
    /// assert_eq!(own.own_name(Style::Standard).unwrap(), "AdsBot-Google");
    /// ```
    #[must_use]
    pub fn own_name(&self, form: Style) -> Option<&str> {
        self.own_token(form).map(ProductToken::as_str)
    }

    /// The token of [`Interest::own_name`].
    pub(crate) fn own_token(&self, form: Style) -> Option<&ProductToken> {
        let all = self.agents.iter().filter(|_| !self.fallback || self.is_named);
        all.flat_map(|agent| agent.names.iter().map(move |token| (agent, token)))
            .find(|(agent, token)| AgentName::of(token, form).names(agent, form))
            .map(|(_, token)| token)
    }

    /// The preference of `*`: after all agents.
    pub(crate) const EVERYONE: usize = usize::MAX;

    /// The preference index of the named agent, or none if the name cannot matter. Agents whose groups are merged have
    /// the same index.
    pub(crate) fn preference_of(&self, name: &AgentName<'_>, options: &Options) -> Option<usize> {
        if name.is_everyone() {
            return self.fallback.then_some(Self::EVERYONE);
        }
        let preference = self.agents.named_by(name, options.agents)?;
        Some(if options.union_of_agents { 0 } else { preference })
    }

    /// The best preference of the agents that occur as words in this text.
    pub(crate) fn preference_in(&self, text: &[u8], options: &Options) -> Option<usize> {
        let words = text.split(|&byte| !bytes::is_wide_token(byte) && byte != b'*');
        let names = words.map(|word| match word {
            b"*" => AgentName::EVERYONE,
            _ => AgentName(Cow::Borrowed(bytes::trim(word, |byte| byte == b'*'))),
        });
        names.filter_map(|name| self.preference_of(&name, options)).min()
    }
}

/// The name in a user-agent line: the leading token of its value, `*` for all agents, or nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct AgentName<'a>(Cow<'a, [u8]>);

impl<'a> AgentName<'a> {
    /// `*`: all agents.
    pub(crate) const EVERYONE: Self = Self(Cow::Borrowed(b"*"));

    /// What a user-agent line with this token names.
    pub(crate) fn of(token: &'a ProductToken, form: Style) -> Self {
        let value = token.as_str().as_bytes();
        Self::take(Cow::Borrowed(value), Self::length_in(value, form))
    }

    /// The length of the name at the front of a user-agent line's value.
    pub(crate) fn length_in(value: &[u8], form: Style) -> usize {
        let is_blank = match form {
            Style::Standard => bytes::is_blank,
            Style::Google => bytes::is_c_space,
        };
        match value.split_first() {
            Some((b'*', rest)) if rest.first().copied().is_none_or(is_blank) => 1,
            // Not a pointer to one of them: each is a load from a table.
            _ => match form {
                Style::Standard => bytes::split_while(value, bytes::is_wide_token).0.len(),
                Style::Google => bytes::split_while(value, bytes::is_token).0.len(),
            },
        }
    }

    /// Takes the first `length` bytes of a value as the name.
    pub(crate) fn take(value: Cow<'a, [u8]>, length: usize) -> Self {
        Self(bytes::front(value, length))
    }

    /// `*`, the name, or nothing.
    pub(crate) fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Whether the line is for all agents that are not named elsewhere (`*`).
    pub(crate) fn is_everyone(&self) -> bool {
        *self.0 == *b"*"
    }

    /// Whether the line can name this agent: the name begins with a letter of it. Most names do not.
    #[inline]
    fn may_name(&self, agent: &Agent) -> bool {
        let is_first = |name: &[u8]| matches!((name, &*self.0), ([a, ..], [b, ..]) if a.eq_ignore_ascii_case(b));
        is_first(&agent.verbatim) || agent.is_header
    }

    /// Whether the line names this agent.
    #[inline(never)]
    pub(crate) fn names(&self, agent: &Agent, form: Style) -> bool {
        if self.is_everyone() {
            return false;
        }
        match form {
            Style::Google => self.0.eq_ignore_ascii_case(&agent.verbatim),
            Style::Standard => agent.names.iter().any(|token| self.begins_with(token)),
        }
    }

    /// Whether the line has this name.
    #[inline]
    pub(crate) fn begins_with(&self, token: &ProductToken) -> bool {
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
