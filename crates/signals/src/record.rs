//! What all sources say, gathered within the limits.
//!
//! Invariant: no more is kept than [`Limits`] says. What a limit cuts sets `is_cut`.

use robosieve::printable::escape_short;

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

#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) statements: Vec<Statement>,
    pub(crate) licenses: Vec<License>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) more_findings: usize,
    pub(crate) is_cut: bool,
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
        let is_allowed = matches!(said, Said::Yes(_));
        if (!is_allowed || words.may_allow) && self.has_room(words.at) {
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
        if self.findings.len() < self.limits.max_findings {
            self.findings.push(Finding { kind, at, text: escape_short(text) });
        } else {
            self.more_findings = self.more_findings.saturating_add(1);
        }
    }

    /// Notes that something was not read. Of each source it is reported once.
    pub(crate) fn cut(&mut self, at: Place, what: &[u8]) {
        self.is_cut = true;
        let is_known = |one: &Finding| one.kind == FindingKind::Cut && one.at.source == at.source;
        if !self.findings.iter().any(is_known) {
            self.find(FindingKind::Cut, at, what);
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
