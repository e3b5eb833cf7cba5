//! What changed for all agents that two files name.
//!
//! Invariant: an agent is unchanged, or it is in a change, or it is named as not compared. Agents with the same change
//! are reported together, and what belongs to the whole file is reported once. The work is bounded.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use robosieve::records::{RecordSet, Selection};
use robosieve::settings::{Interest, Refused};
use robosieve_diff::{ChangedLine, ChangedRule, Comparison, Diff, Witness};

use crate::counted::counted_len;
use crate::crawlers::Crawler;
use crate::names::{Groups, Names};
use crate::reading::{self, KEYS, Said, tokens_of};
use crate::who::Who;
use robosieve_printable::escape;

/// Whose group an agent uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum GroupUsed {
    /// Its own.
    Own,
    /// That of another agent, as its owner documents.
    Of(String),
    /// The one for `*`.
    Everyone,
    /// None: all is allowed.
    Nobody,
}

impl GroupUsed {
    fn new(who: &Who, agent: &str) -> Self {
        match (who.answered_by(), who.agent()) {
            ("agent", Some(other)) if !other.eq_ignore_ascii_case(agent) => Self::Of(other.to_owned()),
            ("agent", _) => Self::Own,
            ("everyone", _) => Self::Everyone,
            _ => Self::Nobody,
        }
    }

    /// For people.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Own => "its own group".into(),
            Self::Of(other) => format!("the group of {other}"),
            Self::Everyone => "the group for `*`".into(),
            Self::Nobody => "no group".into(),
        }
    }
}

/// Where a changed rule is, and whether a URL shows the change; for people.
#[must_use]
pub fn changed_at(rule: &ChangedRule) -> String {
    let was = rule.old_line.map(|line| format!(", was line {line}")).unwrap_or_default();
    let witness = match rule.witness {
        Witness::Found => "",
        Witness::Impossible => "; changes no result",
        Witness::NotFound => "; no URL found",
        Witness::NotSearched => "; not searched",
    };
    let line = rule.line.map_or_else(|| "no line".to_owned(), |line| format!("line {line}"));
    format!("{line}{was}{witness}")
}

/// What changed for some agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AgentsChange {
    /// The agents; `*` is each crawler that neither file names. The numbers of lines are those of the first.
    pub agents: Vec<String>,
    /// Whose group they use in the older file.
    pub old_group: GroupUsed,
    /// Whose group they use in the newer file.
    pub new_group: GroupUsed,
    /// What changed, without the lines of the whole file.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub diff: Diff,
}

impl AgentsChange {
    /// Whose groups they use, if that is not the same in both files: words to be put after their names.
    #[must_use]
    pub fn groups(&self) -> String {
        if self.old_group == self.new_group {
            return String::new();
        }
        format!(": before {}, now {}", self.old_group.words(), self.new_group.words())
    }

    /// Whether people are shown this rule. If the agents now use another group, many rules differ: those that
    /// change no result are only counted.
    #[must_use]
    pub fn tells(&self, rule: &ChangedRule) -> bool {
        self.old_group == self.new_group || rule.witness != Witness::Impossible
    }

    /// The words about what people are not shown here; none if they are shown all.
    #[must_use]
    pub fn unreported(&self) -> Option<String> {
        let count = self.diff.rules().filter(|rule| !self.tells(rule)).count();
        let words =
            || counted_len(count, "other changed rule changes no result", "other changed rules change no result");
        (count > 0).then(words)
    }
}

/// What changed between two files for all agents.
///
/// ```
/// use robosieve::records::Parser;
/// use robosieve_explain::{AgentsDiff, Names};
///
/// let old = Parser::default().parse(b"User-agent: *\nDisallow: /tmp\n");
/// let new = Parser::default().parse(b"User-agent: *\nDisallow: /tmp\n\nUser-agent: GPTBot\nDisallow: /\n");
/// let diff = AgentsDiff::of(&old, &new, Names::Known)?;
/// assert!(!diff.is_empty());
/// assert_eq!((diff.agents_added.as_slice(), diff.unchanged), (&["GPTBot".to_owned()][..], 1));
/// assert_eq!(diff.changes[0].agents, ["GPTBot"]);
/// assert_eq!(diff.changes[0].groups(), ": before the group for `*`, now its own group");
/// assert_eq!(diff.changes[0].diff.flips[0].path, "/");
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AgentsDiff {
    /// Agents that only the newer file names, in its order.
    pub agents_added: Vec<String>,
    /// Agents that only the older file names, in its order.
    pub agents_removed: Vec<String>,
    /// What changed, for `*` first, then for known crawlers, and then for others in file order.
    pub changes: Vec<AgentsChange>,
    /// Lines of the whole file that only the newer file has.
    pub lines_added: Vec<ChangedLine>,
    /// Lines of the whole file that only the older file has.
    pub lines_removed: Vec<ChangedLine>,
    /// The number of agents for which nothing changed.
    pub unchanged: usize,
    /// Agents that were not compared, because of [`AgentsDiff::MAX_AGENTS`],
    /// [`AgentsDiff::MAX_CHANGES`] or [`AgentsDiff::MAX_LINES`].
    pub not_compared: Vec<String>,
    /// Compared agents that use other groups than their names say, because their owners document it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub documented: Vec<String>,
}

impl AgentsDiff {
    /// The number of agents that are compared. Our choice: of 2,111 real files, one names more.
    pub const MAX_AGENTS: usize = 1_000;
    /// The number of different changes that are described. Our choice.
    pub const MAX_CHANGES: usize = 100;
    /// The number of rules and other lines that are looked at in all groups of all agents together, and those of one
    /// agent more. Our choice: ten times what any of 2,111 real files needs.
    pub const MAX_LINES: usize = 1_000_000;

    /// Compares two files for `*`, and for each agent that one of them names: `User-agent: GPTBot2` also names `GPTBot`.
    /// The sets are those of a [`Parser`](robosieve::records::Parser) for all agents, with the same options. `names` says
    /// how the names of agents are read.
    ///
    /// Cost: a selection for each agent in each file, and [`Diff`]s, which share [`Diff::MAX_FUEL`].
    ///
    /// # Errors
    /// With [`OverLimit::Refuse`](robosieve::settings::OverLimit::Refuse), if a limit cost an agent something.
    pub fn of(old: &RecordSet<'_>, new: &RecordSet<'_>, names: Names) -> Result<Self, Refused> {
        let either = names_in_either(old, new);
        let mut found = Self {
            agents_added: either.iter().filter(|name| name.is_in == [true, false]).map(Named::shown).collect(),
            agents_removed: either.iter().filter(|name| name.is_in == [false, true]).map(Named::shown).collect(),
            ..Self::of_files(old, new)?
        };
        if reading::Groups::of(old).is_same(&reading::Groups::of(new)) {
            found.unchanged = either.len().saturating_add(1);
            return Ok(found);
        }
        let mut work = Work::new(old, new);
        work.compare("*", &Interest::everyone().into(), &mut found)?;
        let mut by_fame: Vec<&Named> = either.iter().collect();
        // The sort is stable: others stay in file order.
        by_fame.sort_by_cached_key(|one| !Crawler::find(&one.name).is_some_and(|crawler| crawler.documented));
        let (compared, others) = by_fame.split_at(by_fame.len().min(Self::MAX_AGENTS.saturating_sub(1)));
        for name in compared {
            work.compare(&name.name, &names.groups([&name.name]), &mut found)?;
        }
        found.not_compared.extend(others.iter().map(|name| name.shown()));
        Ok(found)
    }

    /// Compares what a file says to one agent with what it says to another: as from an older file to a newer one.
    ///
    /// # Errors
    /// As [`AgentsDiff::of`].
    pub fn between(set: &RecordSet<'_>, first: &Groups, second: &Groups) -> Result<Diff, Refused> {
        let [first, second] = [first, second].map(|groups| set.filter_for(&groups.within(set)));
        Ok(Diff::of(&first?.0, &second?.0))
    }

    /// The lines of the whole files.
    fn of_files(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Result<Self, Refused> {
        let nobody = Interest::new([""; 0].as_slice()).fallback(false);
        let Diff { lines_added, lines_removed, .. } =
            Diff::of(&old.filter_for(&nobody)?.0, &new.filter_for(&nobody)?.0);
        Ok(Self { lines_added, lines_removed, ..Self::default() })
    }

    /// Whether nothing changed: for each agent every URL has the same answer, and all other lines are the same. There
    /// may be changed rules that affect no answer, and new names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.iter().all(|change| change.diff.is_empty())
            && self.lines_added.is_empty()
            && self.lines_removed.is_empty()
            && self.not_compared.is_empty()
    }

    /// The number of agents that were compared.
    #[must_use]
    pub fn compared(&self) -> usize {
        self.changes.iter().map(|change| change.agents.len()).sum::<usize>().saturating_add(self.unchanged)
    }

    /// Whether all URLs have the same answers as before.
    #[must_use]
    pub fn answers(&self) -> Comparison {
        let answers = |one| self.changes.iter().any(|change| change.diff.answers == one);
        match (answers(Comparison::Changed), answers(Comparison::Unknown) || !self.not_compared.is_empty()) {
            (true, _) => Comparison::Changed,
            (false, true) => Comparison::Unknown,
            (false, false) => Comparison::Same,
        }
    }
}

/// Comparisons that are done, and what is left to spend on others.
struct Work<'s, 'a> {
    old: &'s RecordSet<'a>,
    new: &'s RecordSet<'a>,
    /// For the searches of [`Diff`].
    steps: usize,
    /// Rules and other lines to look at.
    lines: usize,
    /// The place of a change, by a hash of what both files say.
    places: HashMap<(u64, GroupUsed, GroupUsed), Option<usize>>,
}

impl<'s, 'a> Work<'s, 'a> {
    fn new(old: &'s RecordSet<'a>, new: &'s RecordSet<'a>) -> Self {
        Self { old, new, steps: Diff::MAX_FUEL, lines: AgentsDiff::MAX_LINES, places: HashMap::new() }
    }

    /// Adds an agent to the change that it shares with others, to a new one, or to those that did not change.
    fn compare(&mut self, agent: &str, groups: &Groups, found: &mut AgentsDiff) -> Result<(), Refused> {
        if self.lines == 0 {
            found.not_compared.push(escape(agent.as_bytes()));
            return Ok(());
        }
        let [old_groups, new_groups] = [self.old, self.new].map(|set| groups.within(set));
        let (old, new) = (Selection::of(self.old, &old_groups), Selection::of(self.new, &new_groups));
        let lines = [&old, &new].map(|one| one.rules().len().saturating_add(one.extensions().len()));
        self.lines = self.lines.saturating_sub(lines.iter().sum());
        let (says, said) = (Said::by(&new), Said::by(&old));
        if says == said {
            old.check().and_then(|()| new.check())?;
            found.unchanged = found.unchanged.saturating_add(1);
            return Ok(());
        }
        let [before, after] =
            [(&old, &old_groups), (&new, &new_groups)].map(|(one, groups)| Who::new(one.answered_by(), groups));
        let (old_group, new_group) = (GroupUsed::new(&before, agent), GroupUsed::new(&after, agent));
        let key = (KEYS.hash_one((said, says)), old_group.clone(), new_group.clone());
        let shown = escape(agent.as_bytes());
        if before.documented().or(after.documented()).is_some() {
            found.documented.push(shown.clone());
        }
        match self.places.get(&key) {
            Some(Some(place)) => found.changes.get_mut(*place).into_iter().for_each(|it| it.agents.push(shown.clone())),
            Some(None) => found.unchanged = found.unchanged.saturating_add(1),
            None if self.places.len() >= AgentsDiff::MAX_CHANGES => found.not_compared.push(shown),
            None => {
                let (before, after) = (self.old.filter_for(&old_groups)?.0, self.new.filter_for(&new_groups)?.0);
                let mut diff = Diff::within(&before, &after, &mut self.steps);
                diff.lines_added.retain(|line| !found.lines_added.contains(line));
                diff.lines_removed.retain(|line| !found.lines_removed.contains(line));
                let is_change = !diff.is_empty() || diff.rules().next().is_some();
                self.places.insert(key, is_change.then_some(found.changes.len()));
                if is_change {
                    let agents = vec![shown];
                    found.changes.push(AgentsChange { agents, old_group, new_group, diff });
                } else {
                    found.unchanged = found.unchanged.saturating_add(1);
                }
            }
        }
        Ok(())
    }
}

/// An agent, as the file that names it first spells it; and whether a line of the newer file, and one of the older, has
/// exactly this name.
struct Named {
    name: String,
    is_in: [bool; 2],
}

impl Named {
    fn shown(&self) -> String {
        escape(self.name.as_bytes())
    }
}

/// The agents that either file names, without `*`: each once, in any case of its letters; those of the newer file first,
/// each in file order. A line names each agent whose token it begins with, if a digit or a dot follows that the token has
/// none of.
fn names_in_either(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Vec<Named> {
    let mut names: Vec<Named> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (set, is_in) in [(new, [true, false]), (old, [false, true])] {
        for agent in set.records().flat_map(|record| record.agents()) {
            // A name is a token: ASCII.
            let name = String::from_utf8_lossy(agent.name());
            if name.is_empty() || agent.is_everyone() {
                continue;
            }
            for token in
                tokens_of(name.as_bytes(), set.options()).into_iter().filter_map(|token| str::from_utf8(token).ok())
            {
                let place = *places.entry(token.to_ascii_lowercase()).or_insert(names.len());
                if place == names.len() {
                    names.push(Named { name: token.to_owned(), is_in: [false; 2] });
                }
                if let Some(named) = names.get_mut(place).filter(|_| token.len() == name.len()) {
                    named.is_in.iter_mut().zip(is_in).for_each(|(known, now)| *known |= now);
                }
            }
        }
    }
    names
}
