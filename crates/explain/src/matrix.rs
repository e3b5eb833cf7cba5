//! Who may fetch what: many crawlers, many URLs, one file.
//!
//! Invariant: an answer is that of the tester for the crawler's groups.

use robosieve::Options;
use robosieve::records::Selection;
use robosieve::values::ContentUse;

use crate::answer::Answer;
use crate::crawlers::Crawler;
use crate::names::Groups;
use crate::who::{Who, answering, records};
use robosieve_printable::escape;

/// What a file says to a crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MatrixRow {
    /// The crawler's product token, as it was asked for.
    #[cfg_attr(feature = "serde", serde(rename = "name"))]
    pub agent: String,
    /// What is known of it.
    pub crawler: Option<Crawler>,
    /// Whose group applies.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub who: Who,
    /// An answer for each URL, in their order.
    pub answers: Vec<Answer>,
    /// What it may use the content for, by Content-Signal.
    pub content_signals: Vec<ContentUse>,
    /// What it may use the content for, by Content-Usage.
    pub content_usage: Vec<ContentUse>,
}

/// Answers for each agent and each URL. `groups` says whose groups apply to an agent. Cost: reads the file once for each agent, when its row is asked for: what a row
/// holds can be as large as the file.
///
/// ```
/// use robosieve::Options;
/// use robosieve_explain::{Names, matrix};
///
/// let file = b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n";
/// let options = Options::default();
/// let groups = |agent: &str| Names::Known.groups([agent]);
/// let rows: Vec<_> = matrix(file, &options, groups, ["Googlebot-Image", "GPTBot"], ["/a", "/b"]).collect();
/// let allowed = |row: usize| rows[row].answers.iter().map(|answer| answer.allowed).collect::<Vec<_>>();
/// assert_eq!((allowed(0), allowed(1)), (vec![false, true], vec![false, false]));
/// ```
pub fn matrix<'u, 'i: 'u>(
    input: &'i [u8],
    options: &'i Options,
    groups: impl Fn(&str) -> Groups,
    agents: impl IntoIterator<Item = &'u str>,
    urls: impl IntoIterator<Item = &'u str>,
) -> impl Iterator<Item = MatrixRow> {
    let urls: Vec<&str> = urls.into_iter().collect();
    agents.into_iter().map(move |agent| row(input, options, &groups(agent), agent, &urls))
}

fn row(input: &[u8], options: &Options, groups: &Groups, agent: &str, urls: &[&str]) -> MatrixRow {
    let set = records(input, &groups.options(options.clone()), groups);
    let selection = Selection::of(&set, groups);
    let (tester, who) = answering(&selection, groups);
    let values = selection.values();
    MatrixRow {
        agent: escape(agent.as_bytes()),
        crawler: Crawler::find(agent).cloned(),
        answers: urls.iter().map(|url| Answer::new(&tester.test(url), &who)).collect(),
        content_signals: values.content_signals().collect(),
        content_usage: values.content_usage().collect(),
        who,
    }
}
