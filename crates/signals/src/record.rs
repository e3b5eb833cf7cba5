//! What all sources say, gathered within the limits.
//!
//! Invariant: no more is kept than [`Limits`] says. Of each source it is known whether something of it is in doubt: a
//! limit cut it, or a part of it cannot be read. Then nothing is allowed.

use robosieve_printable::escape_short;

use crate::finding::{Finding, FindingKind};
use crate::limits::Limits;
use crate::statement::{License, Place, Said, Source, Statement};

/// The words that one statement comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'w> {
    pub(crate) at: Place,
    /// Whether what they allow counts.
    pub(crate) may_allow: bool,
    /// Whether they are of Content-Usage or Content-Signal.
    pub(crate) is_preference: bool,
    pub(crate) text: &'w [u8],
}

/// So many statements are compared with a new one: a line that says the same again and again uses up no limit.
const REMEMBERED: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) statements: Vec<Statement>,
    pub(crate) licenses: Vec<License>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) more_findings: usize,
    /// The sources that are in doubt, and why: each once.
    doubts: Vec<(Source, FindingKind)>,
    /// The sources with a part that cannot be read, and whether it is one of a preference: each once.
    broken: Vec<(Source, bool)>,
    limits: Limits,
}

impl Record {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Notes what is said to all, always.
    pub(crate) fn say(&mut self, words: Words<'_>, said: Said) {
        self.state(words, said, &[], &[], None);
    }

    /// The same for robots.txt, of which few statements are made: there is always room for them.
    pub(crate) fn say_always(&mut self, words: Words<'_>, said: Said) {
        let text = escape_short(words.text);
        self.statements.push(Statement {
            at: words.at,
            agents: Vec::new(),
            only: &[],
            said,
            from: None,
            is_preference: words.is_preference,
            text,
        });
    }

    /// Notes what is said.
    pub(crate) fn state(
        &mut self,
        words: Words<'_>,
        said: Said,
        agents: &[String],
        only: &'static [&'static str],
        from: Option<i64>,
    ) {
        if said.allows() && !words.may_allow {
            return;
        }
        let is_same = |one: &Statement| {
            (one.at, one.said, one.only, one.from) == (words.at, said, only, from) && one.agents == agents
        };
        if self.statements.iter().rev().take(REMEMBERED).any(is_same) {
            return;
        }
        if self.has_room(words.at) {
            let text = escape_short(words.text);
            self.statements.push(Statement {
                at: words.at,
                agents: agents.to_vec(),
                only,
                said,
                from,
                is_preference: words.is_preference,
                text,
            });
        }
    }

    /// Makes room for as much as all other sources have.
    pub(crate) const fn add_room(&mut self) {
        self.limits.max_statements = self.limits.max_statements.saturating_mul(2);
    }

    pub(crate) fn license(&mut self, at: Place, url: &[u8], media_type: Option<&[u8]>) {
        if self.has_room(at) {
            let media_type = media_type.map(escape_short);
            self.licenses.push(License { at, url: escape_short(url), media_type });
        }
    }

    fn has_room(&mut self, at: Place) -> bool {
        let kept = self.statements.len().saturating_add(self.licenses.len());
        let has_room = kept < self.limits.max_statements;
        if !has_room {
            self.cut(at, b"statements");
        }
        has_room
    }

    pub(crate) fn find(&mut self, kind: FindingKind, at: Place, text: &[u8]) {
        self.list(Finding { kind, at, text: escape_short(text) });
    }

    /// Lists a finding about a statement.
    pub(crate) fn find_of(&mut self, kind: FindingKind, one: &Statement) {
        self.list(Finding { kind, at: one.at, text: one.text.clone() });
    }

    /// A finding that says something of the whole answer takes the place of another one, where the list is full.
    fn list(&mut self, finding: Finding) {
        let is_full = self.findings.len() >= self.limits.max_findings;
        if is_full {
            self.more_findings = self.more_findings.saturating_add(1);
            let last = self.findings.iter().rposition(|one| !one.kind.is_of_all());
            let Some(last) = last.filter(|_| finding.kind.is_of_all()) else { return };
            self.findings.remove(last);
        }
        self.findings.push(finding);
    }

    /// Notes that something was not read. Of each source it is reported once.
    pub(crate) fn cut(&mut self, at: Place, what: &[u8]) {
        self.doubt(FindingKind::Cut, at, what);
    }

    /// Notes that a source is not known as a whole, so that nothing is allowed. For each reason it is reported once.
    pub(crate) fn doubt(&mut self, kind: FindingKind, at: Place, text: &[u8]) {
        if !self.doubts.contains(&(at.source, kind)) {
            self.doubts.push((at.source, kind));
            self.find(kind, at, text);
        }
    }

    /// Notes that a part of a source cannot be read: what it says may be of another line. So this source allows nothing,
    /// and neither does what says things of its kind, preferences or words for robots, in another one.
    pub(crate) fn is_broken(&mut self, source: Source, is_preference: bool) {
        if !self.broken.contains(&(source, is_preference)) {
            self.broken.push((source, is_preference));
        }
    }

    /// Whether such a part is one of the source, or of the kind, of a statement.
    pub(crate) fn is_in_doubt(&self, one: &Statement) -> bool {
        let is_of = |(source, kind): &(Source, bool)| *source == one.at.source || *kind == one.is_preference;
        self.broken.iter().any(is_of)
    }

    /// Whether a source, or any of them, is in doubt.
    pub(crate) fn is_unsure(&self, source: Option<Source>) -> bool {
        self.doubts.iter().any(|(known, _)| source.is_none_or(|source| source == *known))
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.doubts.iter().any(|(_, kind)| *kind == FindingKind::Cut)
    }

    /// Takes back what was allowed since there were so many statements: the line that says it is not well written.
    pub(crate) fn allow_nothing_since(&mut self, length: (usize, usize)) {
        let mut place = 0_usize;
        self.statements.retain(|one| {
            place = place.saturating_add(1);
            place <= length.0 || !one.said.allows()
        });
    }

    /// Adds what another reading of a source forbids, and says so. Of this reading, what was allowed since there were
    /// so many statements is left if the other one allows it too. Cost: the statements of one times those of the other.
    pub(crate) fn add_reading(&mut self, start: (usize, usize), other: Self) {
        let mut place = 0_usize;
        self.statements.retain(|one| {
            place = place.saturating_add(1);
            place <= start.0 || !one.said.allows() || other.statements.contains(one)
        });
        for one in other.statements {
            if !one.said.allows() && !self.statements.contains(&one) && self.has_room(one.at) {
                let is_known = |known: &Finding| (known.kind, known.at) == (FindingKind::Aside, one.at);
                if !self.findings.last().is_some_and(is_known) {
                    self.find_of(FindingKind::Aside, &one);
                }
                self.statements.push(one);
            }
        }
        for finding in other.findings.into_iter().filter(|one| one.kind == FindingKind::Unclosed) {
            self.doubt(finding.kind, finding.at, finding.text.as_bytes());
        }
        other.broken.iter().for_each(|(source, kind)| self.is_broken(*source, *kind));
        if other.doubts.iter().any(|(_, kind)| *kind == FindingKind::Cut) {
            self.cut(Place::new(Source::Html, 0), b"html");
        }
    }

    /// Takes back what was noted since there were so many statements and licences.
    pub(crate) fn forget_since(&mut self, (statements, licenses): (usize, usize)) {
        self.statements.truncate(statements);
        self.licenses.truncate(licenses);
    }

    pub(crate) fn length(&self) -> (usize, usize) {
        (self.statements.len(), self.licenses.len())
    }
}

impl Place {
    pub(crate) fn new(source: Source, place: usize) -> Self {
        Self { source, place: u32::try_from(place).unwrap_or(u32::MAX) }
    }
}
