//! [`Fix`]: an edit that was tried, and what it changes. The law of advice.
//!
//! Invariant: a [`Fix`] exists only for an edit that was applied to the file and compared. One that is safe changes
//! nothing, and no word of the file is lost. Any other one says what it takes away, and changes answers of the agents of
//! its lines only, and `/` only for agents that its lines name.

use std::collections::HashSet;

use robosieve::line::{FileLines, LineMeaning, LogicalLine};
use robosieve::report::{self, Finding, FindingKind};
use robosieve::syntax::{Directive, nearest_directive};

use super::edit::Edit;
use super::proof::{Affected, Effect, Effects, ReadAs};
use crate::printable::escape;
use crate::reading::cuts;

/// An edit that is offered to the owner of a file.
///
/// ```
/// use robosieve_explain::Linter;
///
/// let linted = Linter::default().lint(b"User-agent: *\nDisalow: /a\nDisallow: /b // old\n");
/// let [spelling, note] = linted.lints() else { panic!() };
/// let fix = spelling.fix.as_deref().unwrap();
/// assert_eq!((fix.edit.lines[0].as_str(), fix.is_safe), ("Disallow: /a", true));
/// let fix = note.fix.as_deref().unwrap();
/// assert_eq!((fix.edit.lines[0].as_str(), fix.is_safe), ("Disallow: /b  # old", false));
/// assert_eq!(fix.words(), "changes answers for `*`: /b is then disallowed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fix {
    /// The lines, and what to write instead.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub edit: Edit,
    /// Whether it changes nothing: no answer and no value, for no agent, as the standard and as Google read the file; and
    /// no word is lost.
    #[cfg_attr(feature = "serde", serde(rename = "safe"))]
    pub is_safe: bool,
    /// What it changes for agents: the first [`Fix::MAX_CHANGES`].
    pub changes: Vec<FixChange>,
    /// The number of changes that are not listed.
    pub more_changes: usize,
    /// Whether it changes lines of the whole file, such as sitemaps.
    pub changes_file: bool,
    /// What it takes away from the file, for people: the first [`Fix::MAX_CHANGES`]. A rule, or words.
    pub removes: Vec<String>,
    /// The words that are lost.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) lost: Vec<String>,
    /// The words that another rule of the group has, which says the same.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) twins: Vec<String>,
    /// Whether it gives a rule to everyone.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) is_for_everyone: bool,
}

/// What an edit takes away: the words that are lost, what they are for people, and those that another rule of the group
/// has, which says the same.
#[derive(Default)]
pub(super) struct Removed {
    pub(super) lost: Vec<String>,
    pub(super) shown: Vec<String>,
    pub(super) twins: Vec<String>,
}

/// What a fix changes for some agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FixChange {
    /// Who reads the file so.
    pub read_as: ReadAs,
    /// The agents: the first [`Fix::MAX_AGENTS`]. `*` stands for each that the file does not name.
    pub agents: Vec<String>,
    /// The number of agents that are not listed.
    pub more_agents: usize,
    /// A path and query that is then answered otherwise. None if only values change.
    pub path: Option<String>,
    /// Whether that path is then allowed.
    pub allowed: Option<bool>,
    /// Whether other values change: a delay, a use of content.
    pub values: bool,
}

impl Fix {
    /// The number of changes that are listed.
    pub const MAX_CHANGES: usize = 10;
    /// The number of agents that are listed of a change.
    pub const MAX_AGENTS: usize = 10;

    pub(super) fn new(edit: Edit, effects: &Effects, is_for_everyone: bool, removed: Removed) -> Self {
        let changes: Vec<FixChange> = effects.of_agents.iter().take(Self::MAX_CHANGES).map(FixChange::of).collect();
        Self {
            edit,
            is_safe: effects.is_nothing() && removed.lost.is_empty() && !is_for_everyone,
            more_changes: effects.of_agents.len().saturating_sub(changes.len()),
            changes,
            changes_file: effects.of_file,
            removes: removed.shown,
            lost: removed.lost,
            twins: removed.twins,
            is_for_everyone,
        }
    }

    /// What it may change.
    pub(super) fn scope(&self, file: &FileLines<'_>) -> Scope {
        Scope::of(&self.edit, file, self.is_for_everyone)
    }

    /// What it changes, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = Vec::new();
        if let Some(change) = self.changes.first() {
            let mut agents: Vec<String> = change.agents.iter().take(3).map(|agent| format!("`{agent}`")).collect();
            let more = change.agents.len().saturating_sub(agents.len()).saturating_add(change.more_agents);
            if more > 0 {
                agents.push(format!("{more} more"));
            }
            let agents = agents.join(", ");
            let reader =
                if self.changes.iter().all(|change| change.read_as == ReadAs::Google) { " at Google" } else { "" };
            words.push(match (&change.path, change.allowed) {
                (Some(path), Some(allowed)) => {
                    let allowed = if allowed { "allowed" } else { "disallowed" };
                    format!("changes answers{reader} for {agents}: {path} is then {allowed}")
                }
                _ => format!("changes values{reader} for {agents}"),
            });
        }
        if self.changes_file {
            words.push("changes lines of the whole file".into());
        }
        if !self.removes.is_empty() {
            words.push(format!("removes {}", self.removes.join(", ")));
        }
        if words.is_empty() { "changes no answer".into() } else { words.join(", and ") }
    }
}

impl FixChange {
    fn of(effect: &Effect) -> Self {
        // `*` stands for those that use its groups.
        let uses_everyone = |agent: &&Affected| agent.uses.iter().all(|used| used.as_deref() == Some(b"*"));
        let has_everyone = effect.agents.iter().any(|agent| agent.name == "*");
        let named: Vec<&Affected> =
            effect.agents.iter().filter(|one| one.name == "*" || !has_everyone || !uses_everyone(one)).collect();
        let agents: Vec<String> =
            named.iter().take(Fix::MAX_AGENTS).map(|agent| escape(agent.name.as_bytes())).collect();
        let (path, allowed) = effect.flip.clone().unzip();
        Self {
            read_as: effect.read_as,
            more_agents: named.len().saturating_sub(agents.len()),
            agents,
            path,
            allowed,
            values: effect.values,
        }
    }
}

/// What an edit may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// The names whose groups the lines belong to, in lower case: their answers may change.
    groups: HashSet<Vec<u8>>,
    /// The names that the lines name, in lower case: for them `/` may be answered otherwise too.
    named: HashSet<Vec<u8>>,
    /// Whether lines of the whole file may change.
    file: bool,
}

impl Scope {
    /// What an edit of these lines may change. A rule without a group may be given to everyone.
    pub(super) fn of(edit: &Edit, file: &FileLines<'_>, is_for_everyone: bool) -> Self {
        let mut scope = Self::default();
        let mut number = edit.first;
        while number <= edit.last {
            let Some(line) = file.line_at(number) else { break };
            scope.add(&line);
            number = line.numbers().end().saturating_add(1);
        }
        scope.groups.extend(is_for_everyone.then(|| b"*".to_vec()));
        scope
    }

    fn add(&mut self, line: &LogicalLine<'_, '_>) {
        if let Some(record) = line.record() {
            record.agents().iter().for_each(|agent| add_name(&mut self.groups, agent.name().as_bstr()));
        }
        let meaning = line.meaning();
        self.file |= line.record().is_none() || matches!(meaning, LineMeaning::Extension(_));
        let meant = line.name().and_then(|name| nearest_directive(name));
        self.file |= meaning == LineMeaning::UnknownField && meant.is_some_and(|directive| !directive.is_rule());
        // Lines whose end was lost.
        for part in line.parts().skip(1) {
            match part.directive {
                Directive::UserAgent => add_name(&mut self.named, part.value),
                directive => self.file |= !directive.is_rule(),
            }
        }
        if let Some(name) = line.parts().next().filter(|_| meaning == LineMeaning::UserAgent) {
            add_name(&mut self.named, name.value);
        }
        for part in line.physical() {
            let text = part.split(|byte| *byte == b'#').next().unwrap_or_default();
            let is_slip = |finding: &Finding| {
                finding.kind == FindingKind::AlmostDirective && finding.effect == report::Effect::Either
            };
            let is_almost = || {
                line.findings().iter().any(is_slip)
                    || text.to_ascii_lowercase().windows(AGENT.len()).any(|part| part == AGENT)
            };
            match meaning {
                LineMeaning::UserAgent => {}
                LineMeaning::NoField | LineMeaning::UnknownField if is_almost() => {}
                _ => continue,
            }
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'*');
            text.split(|byte| !is_name(byte)).for_each(|word| add_name(&mut self.named, word));
        }
    }

    /// The scope of both.
    pub(super) fn join(&mut self, other: Self) {
        self.groups.extend(other.groups);
        self.named.extend(other.named);
        self.file |= other.file;
    }

    /// `[lint.law]`: whether these effects are only what the lines are about.
    pub(super) fn allows(&self, effects: &Effects) -> bool {
        let covers =
            |names: &HashSet<Vec<u8>>, agent: &Affected| agent.uses.iter().flatten().any(|used| names.contains(used));
        let is_allowed = |effect: &Effect, agent: &Affected| {
            covers(&self.named, agent) || !effect.root && covers(&self.groups, agent)
        };
        let agents_may = effects.of_agents.iter().all(|effect| effect.agents.iter().all(|one| is_allowed(effect, one)));
        agents_may && (self.file || !effects.of_file)
    }
}

/// A line with this word may be meant as a user-agent line.
const AGENT: &[u8] = b"agent";

/// Adds a name in lower case, without what may stand around it, and the tokens that it names if it is cut at a digit or
/// a dot.
fn add_name(names: &mut HashSet<Vec<u8>>, word: &[u8]) {
    let lower = word.to_ascii_lowercase();
    let is_around = |byte: &u8| matches!(byte, b'*' | b'.' | b'-');
    let start = lower.iter().position(|byte| !is_around(byte)).unwrap_or(lower.len());
    let end = lower.iter().rposition(|byte| !is_around(byte)).map_or(start, |at| at.saturating_add(1));
    let name = lower.get(start..end).unwrap_or_default().to_vec();
    names.extend(cuts(&name).map(<[u8]>::to_vec));
    names.extend([lower, name].into_iter().filter(|name| !name.is_empty()));
}
