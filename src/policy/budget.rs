//! The bytes that are left for a text.
//!
//! Invariant: if a budget has space for all lines of a set, the text of the set is no longer than `max_bytes`, or than
//! the shortest possible text.

use alloc::borrow::Cow;

use crate::path::glob::PathForm;
use crate::policy::agent::AgentName;
use crate::policy::options::{For, Options};
use crate::policy::record::{ExtensionLine, Rule};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::syntax::bytes;
use crate::syntax::grammar::Style;

/// The length of `User-agent: *` and `Disallow: /` without line ends. A text may always be this long, so that it can
/// always disallow everything.
const LEAST: usize = "User-agent: *Disallow: /".len();

/// The bytes of a rule's line next to its pattern, at most.
pub(crate) const AROUND_PATTERN: usize = 16;

/// The bytes that are left for a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextBudget {
    bytes: usize,
    line: usize,
    newline: usize,
    paths: PathForm,
}

impl TextBudget {
    /// The budget of a text with these options. A set for verdicts has no limit: the bytes that were read bound it, and
    /// a rule that no text can contain stays.
    pub(crate) const fn new(options: &Options) -> Self {
        let newline: usize = if options.crlf { 2 } else { 1 };
        if matches!(options.reads_for, For::Verdicts) {
            let paths = PathForm { encoding: Style::Standard, ..options.paths };
            return Self { bytes: usize::MAX, line: usize::MAX, newline: 0, paths };
        }
        let least = LEAST.saturating_add(newline.saturating_mul(2));
        let most = options.limits.max_bytes;
        let bytes = if most > least { most } else { least };
        Self { bytes, line: options.max_text_line(), newline, paths: options.paths }
    }

    /// Also has space for a name next to `*` in the shortest text.
    #[must_use]
    pub(crate) fn or_shortest_with(self, own: Option<&AgentName<'_>>) -> Self {
        let Some(own) = own else { return self };
        let lines = [LEAST, "User-agent: ".len(), own.as_bstr().len(), self.newline.saturating_mul(3)];
        Self { bytes: self.bytes.max(lines.iter().fold(0, |sum, &part| sum.saturating_add(part))), ..self }
    }

    /// Reserves space for a record's user-agent lines, and for the empty line before them. Returns false if they do not
    /// fit, or if a line is too long.
    #[must_use]
    pub(crate) fn take_agents<'n>(&mut self, agents: impl Iterator<Item = &'n AgentName<'n>>, is_first: bool) -> bool {
        let written = |agent: &AgentName<'_>| bytes::as_percent_encoded(Cow::Borrowed(agent.as_bstr())).len();
        let mut longest = 0;
        let mut bytes = if is_first { 0 } else { self.newline };
        for agent in agents {
            let line = "User-agent: ".len().saturating_add(written(agent));
            longest = longest.max(line);
            bytes = bytes.saturating_add(line).saturating_add(self.newline);
        }
        // A line that is cut would name another crawler.
        longest <= self.line && self.take(bytes)
    }

    /// Reserves space for the `Disallow:` line of a record without rules. Returns false if it does not fit.
    #[must_use]
    pub(crate) const fn take_empty_rule(&mut self) -> bool {
        self.take("Disallow:".len().saturating_add(self.newline))
    }

    /// Reserves space for an empty line. Returns false if it does not fit.
    #[must_use]
    pub(crate) const fn take_empty_line(&mut self) -> bool {
        self.take(self.newline)
    }

    /// Reserves more space than rules that were read from so many bytes can need. Returns false if there is less: then
    /// each rule is counted.
    #[must_use]
    pub(crate) fn take_ample(&mut self, rules: usize, bytes_read: usize) -> bool {
        // Encoding makes a byte three bytes. A line has a name, a line end, and perhaps a slash that was missing.
        let most = rules.saturating_mul(AROUND_PATTERN).saturating_add(bytes_read.saturating_mul(3));
        self.paths.encoding == Style::Standard && self.line == usize::MAX && self.take(most)
    }

    /// Reserves space for a rule; returns the limit it exceeds, if any.
    pub(crate) fn take_rule(&mut self, rule: &Rule<'_>) -> Option<FindingKind> {
        if rule.is_unwritable(self.paths) {
            return Some(FindingKind::Unwritable);
        }
        self.take_line(rule.kind.name().len(), rule.pattern.len())
    }

    /// Reserves space for another line; returns the limit it exceeds, if any.
    pub(crate) fn take_extension(&mut self, line: &ExtensionLine<'_>) -> Option<FindingKind> {
        self.take_line(line.name.len(), line.value.len())
    }

    /// [`TextBudget::take_extension`]. Reports a line that does not fit, and returns whether it does.
    pub(crate) fn keeps_extension(&mut self, line: &ExtensionLine<'_>, report: &mut Report) -> bool {
        let kind = self.take_extension(line);
        report.extend(kind.map(|kind| Finding { line: line.line, kind, effect: Effect::None }));
        kind.is_none()
    }

    const fn take_line(&mut self, name: usize, value: usize) -> Option<FindingKind> {
        let colon = if value == 0 { 1 } else { ": ".len() };
        let line = name.saturating_add(value).saturating_add(colon);
        if line > self.line {
            return Some(FindingKind::ValueTooLong);
        }
        if self.take(line.saturating_add(self.newline)) { None } else { Some(FindingKind::TextTooLong) }
    }

    const fn take(&mut self, bytes: usize) -> bool {
        let Some(rest) = self.bytes.checked_sub(bytes) else { return false };
        self.bytes = rest;
        true
    }
}
