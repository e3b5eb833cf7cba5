//! What a file says to the agents of a group.
//!
//! Invariant: `none`, `some` and `all` are those of [`Coverage`], and root is that of the tester.

use robosieve::Tester;
use robosieve::diff::Coverage;
use robosieve::policy::{RuleKind, Selection};
use robosieve::syntax::Directive;
use robosieve::value::{AgentValues, Label, Purpose};

use crate::cells::Form;
use crate::normal::{PolicyRow, Row as _};

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

/// What a use says, and the first line that says it.
type Said = (Option<&'static str>, Option<u32>);

impl PolicyRow {
    /// The place of the first column that a row for a crawler has, and the number of these columns.
    const OF_AGENT: (usize, usize) = (1, 14);

    /// An answer that no rules give.
    pub(crate) fn without_rules(status: impl Into<String>, root: Option<bool>) -> Self {
        Self { status: status.into(), root, ..Self::default() }
    }

    /// What a file says to some agents. The text is not made.
    pub(crate) fn answer(selection: &Selection<'_, '_>, nature: Nature, work: &mut usize) -> Self {
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
        let [training, ai_input, search, extent] = uses.map(|(said, _)| said.map(str::to_owned));
        let [training_line, ai_input_line, search_line, extent_line] = uses.map(|(_, line)| line.map(u64::from));
        Self {
            root: Some(root),
            proved,
            allows,
            disallows,
            crawl_delay: delay,
            training,
            training_line,
            ai_input,
            ai_input_line,
            search,
            search_line,
            extent,
            extent_line,
            ..Self::without_rules(status, None)
        }
    }

    /// Writes its cells, which are the last of a row for a crawler.
    pub(crate) fn write(&self, form: Form, out: &mut Vec<u8>) {
        let (first, count) = Self::OF_AGENT;
        let mut place = 0_usize;
        self.cells(&mut |cell| {
            let column = Self::COLUMNS.get(place).filter(|_| (first..=count).contains(&place));
            if let Some(column) = column {
                form.push(out, column.name, cell);
            }
            place = place.saturating_add(1);
        });
    }
}

/// What the lines without a path say of each use, the strictest of them, and the first line that says it.
fn uses(values: &AgentValues<'_, '_>) -> [Said; 4] {
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
