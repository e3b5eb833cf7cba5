//! Prepares the rules of a selection, and decides which URLs may be fetched.
//!
//! Invariant: the first matching rule in order of precedence decides. Testing needs only `&self`. It allocates only for
//! the index of the rules, to normalise a URL that is not normal, and to index a long one. The cost is the length of
//! the path, and again that length for each rule with wildcards that has the path's beginning before its first wildcard.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::closed;
use crate::path::pattern::UrlPath;
use crate::policy::address::HttpUrl;
use crate::policy::agent::Interest;
use crate::policy::options::Options;
use crate::policy::record::{ExtensionLine, RecordSet, Rule, sitemaps_of};
use crate::policy::select::{AnsweredBy, Selection, who_answers};
use crate::policy::values::AgentValues;
use crate::syntax::names::{Directive, RuleKind};
use crate::verdict::lookup::{Lookup, kind_of, position_of};

/// Decides which URLs some agents may fetch, under one file.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve::records::Parser;
/// use robosieve::Tester;
/// let set = Parser::default().parse(b"User-agent: *\nDisallow: /tmp\nAllow: /tmp/public\n");
/// let tester = Tester::new(&set, &Interest::new(["MyBot"]));
/// assert!(tester.is_allowed("https://example.com/tmp/public/a.html"));
/// let verdict = tester.test(b"/tmp/a.html");
/// assert!(!verdict.allowed());
/// assert_eq!(verdict.line().unwrap().get(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Tester<'a> {
    lookup: Lookup<'a>,
    answered_by: AnsweredBy,
    agent_line: Option<NonZeroU32>,
    access: SiteAccess,
    /// Whether the file ends before any rule for the agents.
    is_incomplete: bool,
    /// The other lines for the agents.
    values: Vec<ExtensionLine<'a>>,
    /// The file's own lines.
    of_file: Vec<ExtensionLine<'a>>,
}

/// The answer for a URL: why it is allowed, or not. It is displayed as a harmless phrase: see [`printable`](robosieve_printable).
///
/// ```
/// let tester = robosieve::Sieve::new(["MyBot"]).tester(b"User-agent: *\nDisallow: /x\n").unwrap();
/// assert_eq!(tester.test("/x/y").to_string(), "disallowed by line 2: Disallow: /x");
/// assert_eq!(tester.test("/").to_string(), "allowed: no rule matches");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'t, 'a> {
    /// A rule.
    Rule(&'t Rule<'a>),
    /// No rule matches, so the URL is allowed.
    NoRule,
    /// `/robots.txt` itself is always allowed.
    RobotsTxt,
    /// The HTTP status of the file: it allows all URLs (`true`) or none (`false`).
    Status(bool),
    /// The bytes are not the whole file, and end before any rule for the agents: no URL is allowed.
    Incomplete,
    /// The text is no URL that a robots.txt file can be about, so it is not allowed.
    NotAUrl,
}

impl<'t, 'a> Verdict<'t, 'a> {
    /// Whether the URL may be fetched.
    #[must_use]
    pub fn allowed(&self) -> bool {
        match *self {
            Verdict::Rule(rule) => rule.kind == RuleKind::Allow,
            Verdict::NoRule | Verdict::RobotsTxt => true,
            Verdict::Status(opens) => opens,
            Verdict::Incomplete | Verdict::NotAUrl => false,
        }
    }

    /// The rule that decided, if a rule did.
    #[must_use]
    pub const fn rule(&self) -> Option<&'t Rule<'a>> {
        match *self {
            Verdict::Rule(rule) => Some(rule),
            _ => None,
        }
    }

    /// The line of the rule that decided. None if no rule did, or one that stands for lost rules.
    #[must_use]
    pub fn line(&self) -> Option<NonZeroU32> {
        self.rule().and_then(Rule::line)
    }
}

impl fmt::Display for Verdict<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.allowed() { "allowed" } else { "disallowed" })?;
        match *self {
            Verdict::Rule(rule) => match rule.line {
                Some(line) => write!(f, " by line {line}: {rule}"),
                None => write!(f, ": {rule}"),
            },
            Verdict::NoRule => f.write_str(": no rule matches"),
            Verdict::RobotsTxt => f.write_str(": /robots.txt is always allowed"),
            Verdict::Status(_) => f.write_str(" by the HTTP status of the file"),
            Verdict::Incomplete => f.write_str(": the file is incomplete, and no rule is known"),
            Verdict::NotAUrl => f.write_str(": it is no URL"),
        }
    }
}

impl<'a> Tester<'a> {
    /// Prepares the rules of a set for these agents. Cost: copies each rule, but not its pattern. See [`Tester::with_index`].
    #[must_use]
    pub fn new(set: &RecordSet<'a>, interest: &Interest) -> Self {
        Self::answered(set, interest, who_answers(set, interest))
    }

    /// [`Tester::new`], where it is known who answers.
    pub(crate) fn answered(set: &RecordSet<'a>, interest: &Interest, answered_by: AnsweredBy) -> Self {
        Self::of(&Selection::of_rules(set, interest, answered_by))
    }

    /// Prepares the rules of a selection.
    #[must_use]
    pub fn of(selection: &Selection<'_, 'a>) -> Self {
        Self {
            lookup: Lookup::new(selection.rules().cloned().collect(), Arc::clone(selection.options)),
            answered_by: selection.answered_by(),
            agent_line: selection.agent_line(),
            access: SiteAccess::Rules,
            is_incomplete: selection.is_incomplete(),
            // Lines with unknown and own names have no typed value, and there can be many.
            values: selection.extensions().filter(|line| is_typed(line.directive())).cloned().collect(),
            of_file: selection.of_file.to_vec(),
        }
    }

    /// This tester, with the index of its rules. Otherwise the 9th URL makes the index, or an earlier one that needs
    /// it (`[bounds.index]`). A verdict is the same with and without it. Cost: sorts the rules and copies each pattern.
    ///
    /// ```
    /// // Before it is used by many threads.
    /// let tester = robosieve::Sieve::new(["MyBot"]).tester(b"User-agent: *\nDisallow: /x\n").unwrap().with_index();
    /// assert!(!tester.is_allowed("/x/y"));
    /// ```
    #[must_use]
    pub fn with_index(self) -> Self {
        self.lookup.index();
        self
    }

    /// This tester, for a file that was fetched with this access. The rules count only under [`SiteAccess::Rules`].
    #[must_use]
    pub const fn with_access(mut self, access: SiteAccess) -> Self {
        self.access = access;
        self
    }

    /// This tester, with its own copy of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> Tester<'static> {
        let Self { lookup, answered_by, agent_line, access, is_incomplete, values, of_file } = self;
        let owned = |lines: Vec<ExtensionLine<'_>>| lines.into_iter().map(ExtensionLine::into_owned).collect();
        let (lookup, values, of_file) = (lookup.into_owned(), owned(values), owned(of_file));
        Tester { lookup, answered_by, agent_line, access, is_incomplete, values, of_file }
    }

    /// Which groups apply: those of an agent, those for `*`, or none.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// The first user-agent line of the groups that apply.
    #[must_use]
    pub const fn agent_line(&self) -> Option<NonZeroU32> {
        self.agent_line
    }

    /// The other lines for the agents, typed: crawl delay, rates, times, and what content may be used for. Lines with
    /// unknown names and names of one's own are in [`Selection::values`].
    ///
    /// ```
    /// let file = b"User-agent: *\nDisallow: /x\nCrawl-delay: 2\nSitemap: https://e.com/s.xml\n";
    /// let tester = robosieve::Sieve::new(["MyBot"]).tester(file).unwrap();
    /// assert_eq!(tester.crawl_delay().unwrap().as_secs(), 2);
    /// assert_eq!(tester.sitemaps()[0].as_str(), "https://e.com/s.xml");
    /// assert_eq!(tester.values().request_rates().count(), 0);
    /// ```
    #[must_use]
    pub fn values(&self) -> AgentValues<'_, 'a> {
        self.values.iter().collect()
    }

    /// The longest crawl delay for the agents.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.values().crawl_delay().map(|delay| delay.as_duration())
    }

    /// The URLs of the sitemaps, in file order, without duplicates.
    #[must_use]
    pub fn sitemaps(&self) -> Vec<HttpUrl> {
        sitemaps_of(&self.of_file)
    }

    /// Tests an absolute URL, a URL that begins with `//host`, or a path. The query counts; a fragment is ignored.
    /// Anything else is no URL, and is not allowed: see `[url.none]` in SPEC.md.
    ///
    /// ```
    /// let tester = robosieve::Sieve::new(["MyBot"]).tester(b"").unwrap();
    /// assert_eq!(tester.test("shop.example/cart").to_string(), "disallowed: it is no URL");
    /// ```
    #[must_use]
    pub fn test(&self, url: impl AsRef<[u8]>) -> Verdict<'_, 'a> {
        self.test_path(&UrlPath::of(url.as_ref(), self.lookup.options().paths))
    }

    /// Tests a normalised path.
    pub(crate) fn test_path(&self, path: &UrlPath<'_>) -> Verdict<'_, 'a> {
        if let Some(verdict) = self.without_rules(path) {
            return verdict;
        }
        let Some(number) = self.lookup.find(path.compared()) else { return Verdict::NoRule };
        closed::expect(self.lookup.rules().get(position_of(number)).map(Verdict::Rule), || Verdict::Status(false))
    }

    /// Whether a URL may be fetched.
    #[must_use]
    pub fn is_allowed(&self, url: impl AsRef<[u8]>) -> bool {
        let path = UrlPath::of(url.as_ref(), self.lookup.options().paths);
        match self.without_rules(&path) {
            Some(verdict) => verdict.allowed(),
            // The number contains the kind. Reading the rule would cost a cache miss.
            None => self.lookup.find(path.compared()).is_none_or(|number| kind_of(number) == RuleKind::Allow),
        }
    }

    /// The rules, in file order.
    #[must_use]
    pub fn rules(&self) -> &[Rule<'a>] {
        self.lookup.rules()
    }

    /// The number of rules that may have to be tried one by one for a verdict, and the total length of their literals.
    #[doc(hidden)]
    #[must_use]
    pub fn rules_with_stars(&self) -> (usize, usize) {
        let globs = &self.lookup.index().globs;
        (globs.len(), globs.iter().map(|glob| glob.literals.len()).fold(0, usize::saturating_add))
    }

    /// The verdict, if it needs no rule.
    #[inline]
    fn without_rules(&self, path: &UrlPath<'_>) -> Option<Verdict<'_, 'a>> {
        without_rules(path, self.access, self.lookup.options().robots_txt_allowed, || self.is_incomplete)
    }
}

/// The verdict, if it needs no rule.
#[inline]
pub(crate) fn without_rules<'t, 'a>(
    path: &UrlPath<'_>,
    access: SiteAccess,
    robots_txt_allowed: bool,
    is_incomplete: impl FnOnce() -> bool,
) -> Option<Verdict<'t, 'a>> {
    if !path.is_of_url() {
        return Some(Verdict::NotAUrl);
    }
    match access {
        SiteAccess::AllowAll => Some(Verdict::Status(true)),
        SiteAccess::DisallowAll => Some(Verdict::Status(false)),
        SiteAccess::Rules if robots_txt_allowed && path.compared() == b"/robots.txt" => Some(Verdict::RobotsTxt),
        SiteAccess::Rules => is_incomplete().then_some(Verdict::Incomplete),
    }
}

const fn is_typed(directive: Directive) -> bool {
    !matches!(directive, Directive::Unknown | Directive::Own(_))
}

/// What holds for a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum SiteAccess {
    /// What the file says.
    #[default]
    Rules,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched.
    DisallowAll,
}

impl SiteAccess {
    /// Whether a status is no answer about the file: a success without it, which comes later or after a challenge (202,
    /// 204, 205), or a refusal of the request and not of the file (407, 408, 412 to 417, 421, 425, 429, 431). Its body is
    /// no robots.txt.
    #[must_use]
    pub const fn is_no_answer(status: u16) -> bool {
        matches!(status, 202 | 204 | 205 | 407 | 408 | 412..=417 | 421 | 425 | 429 | 431)
    }

    /// What a status means: 2xx rules, 3xx that could not be followed and 4xx an open site, all else a closed one
    /// (RFC 9309 2.3.1), as far as [`Options::forbidden`] and [`Options::redirected`] do not close it. What
    /// [is no answer](Self::is_no_answer) closes it, as an error of the server does.
    ///
    /// ```
    /// use robosieve::settings::Dialect;
    /// use robosieve::verdict::SiteAccess;
    /// let standard = Dialect::Standard.options();
    /// assert_eq!(SiteAccess::of_status(200, &standard), SiteAccess::Rules);
    /// assert_eq!(SiteAccess::of_status(404, &standard), SiteAccess::AllowAll);
    /// assert_eq!(SiteAccess::of_status(503, &standard), SiteAccess::DisallowAll);
    /// let processor = Dialect::Processor.options();
    /// assert_eq!(SiteAccess::of_status(403, &processor), SiteAccess::DisallowAll);
    /// assert_eq!(SiteAccess::of_status(301, &processor), SiteAccess::DisallowAll);
    /// ```
    #[must_use]
    pub const fn of_status(status: u16, options: &Options) -> Self {
        match (status, options.forbidden, options.redirected) {
            _ if Self::is_no_answer(status) => Self::DisallowAll,
            (200..=299, ..) => Self::Rules,
            (401 | 403, RuleKind::Disallow, _) | (300..=399, _, RuleKind::Disallow) => Self::DisallowAll,
            (300..=499, ..) => Self::AllowAll,
            _ => Self::DisallowAll,
        }
    }
}
