//! [`Drafts`]: the lints of a file before their edits are tried.
//!
//! Invariant: of each kind, the first [`Drafts::MAX_OF_A_KIND`] are held. Of all others the line, the kind and the
//! severity are known, so that none is lost.

use std::collections::{BTreeSet, HashMap};

use robosieve::lines::LogicalLine;
use robosieve::report::FindingKind;

use super::edit::Edit;
use super::{Lint, LintKind, Severity};

/// A lint with an edit that has not been tried.
pub(super) struct Draft {
    pub(super) lint: Lint,
    pub(super) edit: Option<Edit>,
    pub(super) claim: Claim,
}

/// What a lint says of its edit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// That it does what the message says, in the line's own words. If it changes nothing, it is safe.
    Repair,
    /// The same, but a word may be lost, or a group is added for all: it is never safe.
    Suggestion,
    /// That it changes nothing. Otherwise it is not offered.
    Unread,
    /// That a rule is made shorter, or is left out that another line has in the same words, and nothing changes.
    Weaker,
    /// That a rule is left out, and nothing changes. Its words go.
    Removal,
}

impl From<Lint> for Draft {
    fn from(lint: Lint) -> Self {
        Self { lint, edit: None, claim: Claim::Repair }
    }
}

/// A lint of which there are too many to be listed: `[lint.many]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unlisted {
    pub(crate) line: u32,
    pub(crate) kind: LintKind,
    pub(crate) severity: Severity,
}

/// All drafts of a file.
#[derive(Default)]
pub(super) struct Drafts {
    held: Vec<Draft>,
    more: Vec<Unlisted>,
    counts: HashMap<LintKind, usize>,
}

impl Drafts {
    /// The lints of a kind that are listed. Our choice: more than a person reads, and memory stays bounded.
    pub(super) const MAX_OF_A_KIND: usize = 10_000;

    pub(super) fn push(&mut self, draft: Draft) {
        let Lint { line, kind, severity, .. } = draft.lint;
        let count = self.counts.entry(kind).or_default();
        *count = count.saturating_add(1);
        if *count > Self::MAX_OF_A_KIND {
            self.more.push(Unlisted { line, kind, severity });
        } else {
            self.held.push(draft);
        }
    }

    /// A lint at a line of the file, without an edit. Its message is that of its kind, if there is no other.
    pub(super) fn at(&mut self, line: Option<LogicalLine<'_, '_>>, kind: LintKind, message: impl Into<Option<String>>) {
        let lint = line.map(|line| Lint::new(kind, &line));
        self.extend(lint.map(|lint| Lint { message: message.into().unwrap_or(lint.message), ..lint }.into()));
    }

    /// Those that are listed, by line, and the others.
    pub(super) fn into_parts(self) -> (Vec<Draft>, Vec<Unlisted>) {
        let Self { mut held, mut more, .. } = self.without_repetition();
        held.sort_by_key(|draft| draft.lint.line);
        more.shrink_to_fit();
        (held, more)
    }

    /// `[lint.one-cause]`: a line with an error has no warnings and notes, because its owner will write it anew. What
    /// Google reads explains what was encoded.
    fn without_repetition(mut self) -> Self {
        let all = || {
            let held = self.held.iter().map(|Draft { lint, .. }| (lint.line, lint.kind, lint.severity));
            held.chain(self.more.iter().map(|one| (one.line, one.kind, one.severity)))
        };
        let wrong: BTreeSet<u32> = all().filter(|one| one.2 == Severity::Error).map(|one| one.0).collect();
        let googles: BTreeSet<u32> = all().filter(|one| one.1 == LintKind::GoogleDiffers).map(|one| one.0).collect();
        let says_more = |line, kind, severity| match kind {
            _ if severity == Severity::Error => true,
            LintKind::Found(FindingKind::EncodedBytes) => !wrong.contains(&line) && !googles.contains(&line),
            _ => !wrong.contains(&line),
        };
        self.held.retain(|Draft { lint, .. }| says_more(lint.line, lint.kind, lint.severity));
        self.more.retain(|one| says_more(one.line, one.kind, one.severity));
        self
    }
}

impl Extend<Draft> for Drafts {
    fn extend<T: IntoIterator<Item = Draft>>(&mut self, drafts: T) {
        drafts.into_iter().for_each(|draft| self.push(draft));
    }
}
