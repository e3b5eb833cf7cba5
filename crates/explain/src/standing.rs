//! [`Standing`]: whether a site is open, partly open or closed to a crawler.
//!
//! Invariant: open and closed are proved on the rules ([`Coverage`]). In doubt a site is partly open.

use robosieve::diff::{Coverage, Share};
use robosieve::{Interest, Selection};

use crate::explainer::{Explainer, records};
use crate::printable::escape_short;

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

impl Standing {
    /// The answer in a sentence without its end.
    ///
    /// ```
    /// use robosieve_explain::Explainer;
    ///
    /// let standing = Explainer::new(["MyBot"]).standing(b"User-agent: *\nDisallow: /\nAllow: /a\n");
    /// assert_eq!(standing.words("MyBot"), "MyBot may fetch a part of the site");
    /// ```
    #[must_use]
    pub fn words(self, who: &str) -> String {
        let what = match self {
            Self::Open => "everything",
            Self::Partly => "a part of the site",
            Self::Closed => "nothing",
        };
        format!("{who} may fetch {what}")
    }
}

impl Explainer {
    /// The names of the agents, for people.
    #[must_use]
    pub fn whose(&self) -> String {
        let names = self.groups.iter().flat_map(|groups| groups.agents.iter());
        let names: Vec<String> = names.map(|agent| escape_short(agent.as_bstr())).collect();
        if names.is_empty() { "crawlers that no group names".into() } else { names.join(", ") }
    }

    /// The answer in a sentence without its end.
    #[must_use]
    pub fn standing_words(&self, standing: Standing) -> String {
        let is_for_all = self.groups.as_ref().is_none_or(|groups| groups.agents.iter().next().is_none());
        if is_for_all { standing.words("Crawlers that no group names") } else { standing.words(&self.whose()) }
    }

    /// Whether the site is open to the agents; if the explainer is for all agents, to those that no group names. Cost:
    /// that of a [`Coverage`].
    #[must_use]
    pub fn standing(&self, input: &[u8]) -> Standing {
        let groups = self.groups.clone().unwrap_or_else(|| Interest::everyone().into());
        let options = groups.options(self.options.clone()).for_verdicts();
        let set = records(input, &options, &groups);
        let coverage = Coverage::of(&Selection::of(&set, &groups.clone().within(&set)));
        match coverage.share() {
            Share::None => Standing::Open,
            Share::All if coverage.is_proved => Standing::Closed,
            _ => Standing::Partly,
        }
    }
}
