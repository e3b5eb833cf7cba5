//! [`Explainer`]: for which agents, and under which options, files are explained.
//!
//! Invariant: a page and an inspection are of what [`Explainer::kept`] keeps of the file. That a site is open or closed is
//! proved on the rules ([`Coverage`]); in doubt it is partly open.

use robosieve::records::{AnsweredBy, RecordSet, Selection};
use robosieve::settings::{Interest, Refused};
use robosieve::{Agents, Options};
use robosieve_diff::{Coverage, Share};

use crate::inspection::Inspection;
use crate::names::{Groups, Names};
use crate::page::Page;
use crate::tree::Tree;
use crate::who::{kept, records};
use robosieve_printable::escape_short;

/// Explains files for the same agents, with the same options.
///
/// ```
/// use robosieve::settings::Dialect;
/// use robosieve_explain::Explainer;
/// let explainer = Explainer::all_agents().options(Dialect::Google.options());
/// let page = explainer.page(b"user-agents: a\ndisallow: /x\n");
/// assert_eq!((page.records, page.rules), (1, 1));
/// assert_eq!(page.lines[0].words(), "user-agent: a");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Explainer {
    pub(crate) options: Options,
    /// None for all agents.
    pub(crate) groups: Option<Groups>,
}

impl Explainer {
    /// Explains what files say to these agents, the most preferred first. If no group names one of them, those for `*`
    /// apply; to a known crawler those that its owner documents.
    pub fn new(agents: impl Into<Agents>) -> Self {
        Self::for_agents(Names::Known.groups(agents))
    }

    /// Explains what files say to these agents, with or without the fallback to `*`.
    #[must_use]
    pub fn for_agents(groups: impl Into<Groups>) -> Self {
        Self { groups: Some(groups.into()), ..Self::default() }
    }

    /// Explains what files say to all agents.
    #[must_use]
    pub fn all_agents() -> Self {
        Self::default()
    }

    /// Replaces all options. With those for verdicts ([`Options::for_verdicts`]), nothing is called lost that decides
    /// verdicts; with others, what a text under these limits loses.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Explains a file line by line. Keeps all findings, also more than `max_details`: a line has few.
    #[must_use]
    pub fn page<'a>(&self, input: &'a [u8]) -> Page<'a> {
        let options = Options { max_details: usize::MAX, ..self.effective() };
        Page::read(input, &options, self.groups.as_ref())
    }

    /// Lists all that a file says to the agents; if it is for all agents, what it says to those that no group names.
    ///
    /// # Errors
    /// With [`OverLimit::Refuse`](robosieve::settings::OverLimit::Refuse), if a limit cost the agents something.
    pub fn inspect(&self, input: &[u8]) -> Result<Inspection, Refused> {
        Inspection::read(input, &self.effective(), &self.groups_or_everyone())
    }

    /// The paths that the rules for the agents speak of, with the answers of a tester for the whole file; if it is for
    /// all agents, those for crawlers that no group names.
    #[must_use]
    pub fn tree(&self, input: &[u8]) -> Tree {
        let groups = self.groups_or_everyone();
        let set = records(input, &self.effective().for_verdicts(), &groups);
        Tree::of(&Selection::of(&set, &groups))
    }

    /// The groups of the agents; for all agents, those of crawlers that no group names.
    fn groups_or_everyone(&self) -> Groups {
        self.groups.clone().unwrap_or_else(|| Interest::everyone().into())
    }

    /// The options for these agents.
    fn effective(&self) -> Options {
        self.groups.as_ref().map_or_else(|| self.options.clone(), |groups| groups.options(self.options.clone()))
    }

    /// What a file says to the agents, or to all, and which groups apply. A [`Sieve`](robosieve::Sieve) with the same
    /// agents and options writes its text from this.
    ///
    /// # Errors
    /// With [`OverLimit::Refuse`](robosieve::settings::OverLimit::Refuse), if a limit cost the agents something.
    pub fn kept<'a>(&self, input: &'a [u8]) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
        kept(input, &self.effective(), self.groups.as_ref())
    }

    /// The answer in a sentence without its end.
    ///
    /// ```
    /// use robosieve_explain::Explainer;
    ///
    /// let explainer = Explainer::new(["MyBot"]);
    /// let standing = explainer.standing(b"User-agent: *\nDisallow: /\nAllow: /a\n");
    /// assert_eq!(explainer.standing_words(standing), "MyBot may fetch a part of the site");
    /// ```
    #[must_use]
    pub fn standing_words(&self, standing: Standing) -> String {
        let names = self.groups.iter().flat_map(|groups| groups.agents.iter());
        let names: Vec<String> = names.map(|agent| escape_short(agent.as_bstr())).collect();
        let who = if names.is_empty() { "Crawlers that no group names".into() } else { names.join(", ") };
        let what = match standing {
            Standing::Open => "everything",
            Standing::Partly => "a part of the site",
            Standing::Closed => "nothing",
        };
        format!("{who} may fetch {what}")
    }

    /// Whether the site is open to the agents; if the explainer is for all agents, to those that no group names. Cost:
    /// that of a [`Coverage`].
    #[must_use]
    pub fn standing(&self, input: &[u8]) -> Standing {
        let groups = self.groups_or_everyone();
        let options = groups.options(self.options.clone()).for_verdicts();
        let set = records(input, &options, &groups);
        let coverage = Coverage::of(&Selection::of(&set, &groups.within(&set)));
        match coverage.share() {
            Share::None => Standing::Open,
            Share::All if coverage.is_proved => Standing::Closed,
            _ => Standing::Partly,
        }
    }
}

/// How much of a site is open to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Every URL is allowed.
    Open,
    /// Two URLs have other answers, or it is not proved that none has.
    Partly,
    /// Every path is disallowed; those that begin with `/robots.txt` do not count.
    Closed,
}
