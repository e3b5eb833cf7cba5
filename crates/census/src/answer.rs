//! What a file says to the crawlers of a group.
//!
//! Invariant: `none`, `some` and `all` are those of [`Coverage`], and root is that of the tester. What is not known is
//! null.

use robosieve::Tester;
use robosieve::records::{Directive, RuleKind, Selection};
use robosieve::values::{AgentValues, Label, Purpose};
use robosieve_diff::Coverage;
use serde::Serialize;

/// What is known of a file before its rules are read for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It may be a robots.txt file, or has groups.
    Robots,
    /// It has no field: nothing but blanks and comments.
    Empty,
    /// It looks like something else, and has no group.
    NotRobots,
}

/// The columns of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Answer {
    status: &'static str,
    root: Option<bool>,
    proved: Option<bool>,
    allows: Option<usize>,
    disallows: Option<usize>,
    crawl_delay: Option<f64>,
    training: Option<&'static str>,
    ai_input: Option<&'static str>,
    search: Option<&'static str>,
    extent: Option<&'static str>,
}

impl Answer {
    /// An answer that no rules give.
    pub(crate) fn without_rules(status: &'static str, root: Option<bool>) -> Self {
        Self { status, root, ..Self::default() }
    }

    /// What a file says to some crawlers.
    pub(crate) fn of(selection: &Selection<'_, '_>, nature: Nature, work: &mut usize) -> Self {
        let count = |kind: RuleKind| selection.rules().filter(|rule| rule.kind() == kind).count();
        let values = selection.values();
        let disallows = count(RuleKind::Disallow);
        let (status, root, proved) = match nature {
            _ if selection.is_incomplete() => ("incomplete", false, None),
            Nature::Empty => ("empty", true, None),
            Nature::NotRobots => ("not-robots", true, None),
            Nature::Robots => {
                let coverage = Coverage::within(selection, work);
                let root = disallows == 0 || Tester::of(selection).is_allowed("/");
                (coverage.share().as_str(), root, Some(coverage.is_proved))
            }
        };
        let [training, ai_input, search, extent] = uses(&values);
        Self {
            status,
            root: Some(root),
            proved,
            allows: Some(count(RuleKind::Allow)),
            // The rule that closes an incomplete file is none of its own.
            disallows: Some(if selection.is_incomplete() { 0 } else { disallows }),
            crawl_delay: values.crawl_delay().map(|delay| delay.as_duration().as_secs_f64()),
            training,
            ai_input,
            search,
            extent,
        }
    }
}

/// What the lines without a path say of each use: the strictest of them.
fn uses(values: &AgentValues<'_, '_>) -> [Option<&'static str>; 4] {
    let mut uses = [None; 4];
    if values.lines().is_empty() {
        return uses;
    }
    let lines = [Directive::ContentUsage, Directive::ContentSignal].map(|directive| values.uses_of(directive, "/"));
    for (purpose, said) in Purpose::ALL.iter().zip(&mut uses) {
        let mut strictest: Option<(usize, &'static Label)> = None;
        for (line, value) in lines.iter().flatten() {
            let labels = Label::current(line.directive()).filter(|label| label.purpose == Some(*purpose));
            for (label, one) in labels.filter_map(|label| Some((label, value.of(label.name)?))) {
                let Some(rank) = one.rank() else { continue };
                strictest = Some(strictest.filter(|known| known.0 <= rank).unwrap_or((rank, label)));
            }
        }
        *said = strictest.and_then(|(rank, label)| {
            let word = if rank > 0 { "yes" } else { "no" };
            if *purpose == Purpose::Extent { label.values.get(rank).copied() } else { Some(word) }
        });
    }
    uses
}
