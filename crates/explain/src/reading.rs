//! What each group of a file says, and which groups each name uses, to be compared cheaply.
//!
//! Invariant: agents with equal contents, or for whom equal things are [`Said`], get the same rules and the same values.
//! Others may still get the same: a `Diff` tells. A token is found by the names that
//! [`AgentLine::names`](robosieve::records::AgentLine::names) finds for it, those that are cut at a digit or a dot too.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use robosieve::Options;
use robosieve::records::{Record, RecordSet, Rule, RuleKind, Selection};
use robosieve::settings::{Interest, Style};

/// What an agent gets from a group: a hash of what the group says, and the place of its user-agent line, if the lines
/// of the group have not the same values for all agents.
pub(crate) type Content = (u64, usize);

/// The keys of hashes are random, so no file can aim at equal ones.
pub(crate) static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The groups of a file.
pub(crate) struct Groups {
    /// A hash of each group with its names, in file order.
    all: Vec<u64>,
    by_token: HashMap<Vec<u8>, Vec<Content>>,
    everyone: Vec<Content>,
    /// A hash of the lines that may apply to an agent by no group of its own: those above all groups, and those for `*`.
    shared: u64,
}

impl Groups {
    pub(crate) fn of(set: &RecordSet<'_>) -> Self {
        let of_everyone = lines_for(set, &Interest::everyone());
        let of_nobody = lines_for(set, &Interest::everyone().fallback(false));
        let shared = KEYS.hash_one((of_everyone, of_nobody));
        let mut groups = Self { all: Vec::new(), by_token: HashMap::new(), everyone: Vec::new(), shared };
        for record in set.records() {
            groups.add(record, set.options());
        }
        groups
    }

    fn add(&mut self, record: Record<'_, '_>, options: &Options) {
        let content = hash_of(record);
        let names: Vec<&[u8]> = record.agents().iter().map(|agent| -> &[u8] { agent.name() }).collect();
        self.all.push(KEYS.hash_one((content, &names)));
        let is_shared = record.extensions().iter().all(|line| record.agents_of(line).len() == names.len());
        for (place, agent) in record.agents().iter().enumerate() {
            let one = (content, if is_shared { 0 } else { place.saturating_add(1) });
            let add = |contents: &mut Vec<Content>| {
                // A group that names an agent twice is used once.
                if contents.last().is_none_or(|last| last.0 != content || !is_shared) {
                    contents.push(one);
                }
            };
            if agent.is_everyone() {
                add(&mut self.everyone);
                continue;
            }
            // A line without a name is for nobody.
            for token in tokens_of(agent.name(), options).into_iter().filter(|token| !token.is_empty()) {
                add(self.by_token.entry(token.to_ascii_lowercase()).or_default());
            }
        }
    }

    /// Whether both files have the same groups in the same order.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.all == other.all && self.shares_same(other)
    }

    /// Whether both files say the same to agents that they do not name.
    pub(crate) fn shares_same(&self, other: &Self) -> bool {
        self.shared == other.shared
    }

    /// All names of agents, in lower case, without `*`.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        self.by_token.keys().map(Vec::as_slice)
    }

    /// What an agent with these tokens gets, and by which of its names: `*` for everyone.
    pub(crate) fn answering<'g>(
        &'g self,
        tokens: &'g [Vec<u8>],
        uses_everyone: bool,
    ) -> (Option<&'g [u8]>, &'g [Content]) {
        let own = tokens.iter().find_map(|token| self.by_token.get(token).map(|contents| (token, contents)));
        match own {
            Some((token, contents)) => (Some(token), contents),
            None if uses_everyone && !self.everyone.is_empty() => (Some(b"*"), &self.everyone),
            None => (None, &[]),
        }
    }
}

/// The rules and other lines of an agent, in file order, without their numbers.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Said<'s> {
    rules: Vec<(RuleKind, &'s [u8])>,
    lines: Vec<(&'s [u8], &'s [u8])>,
}

impl<'s> Said<'s> {
    pub(crate) fn by(selection: &'s Selection<'_, '_>) -> Self {
        let lines = selection.extensions().map(|line| -> (&[u8], &[u8]) { (line.name(), line.value()) });
        Self { rules: selection.rules().map(pair).collect(), lines: lines.collect() }
    }
}

fn pair<'s>(rule: &'s Rule<'_>) -> (RuleKind, &'s [u8]) {
    (rule.kind(), rule.pattern().as_bytes())
}

/// The lines other than rules for some agents.
fn lines_for(set: &RecordSet<'_>, interest: &Interest) -> Vec<(Vec<u8>, Vec<u8>)> {
    let selection = Selection::of(set, interest);
    selection.extensions().map(|line| (line.name().to_vec(), line.value().to_vec())).collect()
}

/// A hash of what a group says, without its names.
fn hash_of(record: Record<'_, '_>) -> u64 {
    let rules: Vec<_> = record.rules().iter().map(pair).collect();
    // Places among the names say for which of them a line is.
    let agents = record.agents();
    let lines: Vec<_> = record
        .extensions()
        .iter()
        .map(|line| -> (&[u8], &[u8], usize, usize) {
            let of = record.agents_of(line);
            let first = of.first().map_or(0, |first| agents.partition_point(|agent| agent.line() < first.line()));
            let is_shared = of.len() == agents.len();
            (line.name(), line.value(), first, if is_shared { usize::MAX } else { of.len() })
        })
        .collect();
    KEYS.hash_one((rules, lines))
}

/// `[agent.token]`: the tokens that a line with this name names: it, and, as RFC 9309 has neither in names, what is
/// before its first digit, and before its first dot.
pub(crate) fn tokens_of<'n>(name: &'n [u8], options: &Options) -> Vec<&'n [u8]> {
    let ends = [u8::is_ascii_digit as fn(&u8) -> bool, |byte| *byte == b'.'];
    let cuts = ends.into_iter().filter_map(|is_end| name.get(..name.iter().position(is_end)?));
    let mut tokens = vec![name];
    for cut in cuts.filter(|cut| !cut.is_empty() && options.agents == Style::Standard) {
        if !tokens.contains(&cut) {
            tokens.push(cut);
        }
    }
    tokens
}
