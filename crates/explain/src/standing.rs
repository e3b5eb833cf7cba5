//! [`Standing`]: whether a site is open, partly open or closed to a crawler.
//!
//! Invariant: open and closed are proved: no URL has another answer than with a file that opens or closes all. In doubt a
//! site is partly open.

use robosieve::diff::Comparison;
use robosieve::{Interest, Parser, Selection};

use crate::compare::AgentsDiff;
use crate::explainer::{Explainer, records};
use crate::printable::escape_short;
use crate::tree::Tree;

/// How much of a site is open to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Every URL is allowed.
    Open,
    /// Two URLs have other answers, or it is not proved that none has.
    Partly,
    /// Every URL is disallowed, `/robots.txt` excepted.
    Closed,
}

const CLOSED: &[u8] = b"User-agent: *\nDisallow: /\n";

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
    /// that of a tree, and of a comparison if all examples have the same answer.
    #[must_use]
    pub fn standing(&self, input: &[u8]) -> Standing {
        let groups = self.groups.clone().unwrap_or_else(|| Interest::everyone().into());
        let options = groups.options(self.options.clone()).for_verdicts();
        let set = records(input, &options, &groups);
        let tree = Tree::of(&Selection::of(&set, &groups.clone().within(&set)));
        // `/robots.txt` is open on every site.
        let is_asked = |label: &str| !matches!(label, "robots.txt" | "robots.txt$");
        let answers = || tree.nodes.iter().filter(|node| node.depth != 1 || is_asked(&node.label));
        let has = |allowed| answers().any(|node| node.allowed == Some(allowed));
        let (standing, whole) = match (has(true), has(false)) {
            (true, false) => (Standing::Open, &b""[..]),
            (false, true) => (Standing::Closed, CLOSED),
            _ => return Standing::Partly,
        };
        let whole = Parser::new(options).parse(whole);
        let is_same = AgentsDiff::of_one(&set, &whole, &groups).is_ok_and(|diff| diff.answers() == Comparison::Same);
        if is_same { standing } else { Standing::Partly }
    }
}
