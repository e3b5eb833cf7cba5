//! What a file says to the agents of a group.
//!
//! Invariant: `none`, `some` and `all` are those of [`Coverage`], and root is that of the tester.

use robosieve::Tester;
use robosieve::diff::Coverage;
use robosieve::policy::{RuleKind, Selection};
use robosieve::syntax::Directive;
use robosieve::value::{AgentValues, Label, Purpose};

use crate::cells::{Cell, Form};

/// What a file says to some agents.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    /// Whether `/` may be fetched.
    pub(crate) root: Option<bool>,
    /// Whether the status is proved.
    proved: Option<bool>,
    allows: u64,
    disallows: u64,
    delay: Option<f64>,
    /// In the order of [`Purpose::ALL`].
    uses: [(Option<&'static str>, Option<u32>); 4],
}

/// What is known of a file before its rules are read for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It may be a robots.txt file, or has groups.
    Robots,
    /// It has no field: nothing but blanks and comments.
    Empty,
    /// It looks like something else, and has no group.
    NotRobots,
}

impl Answer {
    /// An answer that no rules give.
    pub(crate) const fn without_rules(status: &'static str, root: Option<bool>) -> Self {
        let uses = [(None, None); 4];
        Self { status, root, proved: None, allows: 0, disallows: 0, delay: None, uses }
    }

    pub(crate) fn of(selection: &Selection<'_, '_>, nature: Nature, work: &mut usize) -> Self {
        let count = |kind: RuleKind| selection.rules().filter(|rule| rule.kind() == kind).count();
        let count = |kind| u64::try_from(count(kind)).unwrap_or(u64::MAX);
        let values = selection.values();
        let delay = values.crawl_delay().map(|delay| delay.as_duration().as_secs_f64());
        let (disallows, uses) = (count(RuleKind::Disallow), uses(&values));
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
        // Of an incomplete file, the rule that closes it is none of its own.
        let own = u64::from(!selection.is_incomplete());
        let (allows, disallows) = (count(RuleKind::Allow), disallows.saturating_mul(own));
        Self { status, root: Some(root), proved, allows, disallows, delay, uses }
    }

    /// Writes its cells, which are the last of a row.
    pub(crate) fn write(&self, form: Form, out: &mut Vec<u8>) {
        form.push(out, "status", Cell::Text(self.status));
        form.push(out, "root", self.root);
        form.push(out, "proved", self.proved);
        form.push(out, "allows", Cell::Count(self.allows));
        form.push(out, "disallows", Cell::Count(self.disallows));
        form.push(out, "crawl_delay", self.delay.map_or(Cell::Null, Cell::Seconds));
        for (name, (said, line)) in ["training", "ai_input", "search", "extent"].iter().zip(self.uses) {
            form.push(out, name, said);
            form.push(out, &[name, "_line"].concat(), line.map(u64::from));
        }
    }
}

/// What the lines without a path say of each use, the strictest of them, and the first line that says it.
fn uses(values: &AgentValues<'_, '_>) -> [(Option<&'static str>, Option<u32>); 4] {
    let mut uses = [(None, None); 4];
    if values.lines().is_empty() {
        return uses;
    }
    let lines = [Directive::ContentUsage, Directive::ContentSignal].map(|directive| values.uses_of(directive, "/"));
    for (purpose, said) in Purpose::ALL.iter().zip(&mut uses) {
        let mut strictest: Option<(usize, &'static Label, u32)> = None;
        for (line, value) in lines.iter().flatten() {
            let labels = Label::current(line.directive()).filter(|label| label.purpose == Some(*purpose));
            for (label, one) in labels.filter_map(|label| Some((label, value.of(label.name)?))) {
                let Some(rank) = one.rank() else { continue };
                strictest = Some(strictest.filter(|known| known.0 <= rank).unwrap_or((rank, label, line.line())));
            }
        }
        if let Some((rank, label, line)) = strictest {
            let value = label.values.get(rank).copied();
            let word = if *purpose == Purpose::Extent { value } else { Some(if rank > 0 { "yes" } else { "no" }) };
            *said = (word, Some(line));
        }
    }
    uses
}
