//! What a text may still hold.
//!
//! Invariant: a set whose lines were all given room is written as a text no longer than `max_bytes`, or than the least one
//! there can be.

use alloc::borrow::Cow;

use crate::agent::AgentName;
use crate::record::{Extension, Reading, Rule};
use crate::report::FindingKind;
use crate::value::printable_text;

/// `User-agent: *` and `Disallow: /`, less their line ends: so much a text may say whatever the limit, so that it can always
/// forbid everything.
const LEAST: usize = "User-agent: *Disallow: /".len();

/// What is left of the octets that a text may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextRoom {
    octets: usize,
    line: usize,
    newline: usize,
}

impl TextRoom {
    /// Where lines end with LF.
    pub(crate) const fn new(reading: &Reading) -> Self {
        Self::with_line_ends(reading, 1)
    }

    /// Where line ends have this length.
    pub(crate) const fn with_line_ends(reading: &Reading, newline: usize) -> Self {
        let least = LEAST.saturating_add(newline.saturating_mul(2));
        let octets = if reading.max_text > least { reading.max_text } else { least };
        Self { octets, line: reading.max_text_line, newline }
    }

    /// Takes the room of a record's user-agent lines, and of the empty line before it, if there is any and no line is too long.
    #[must_use]
    pub(crate) fn take_agents<'n>(&mut self, agents: impl Iterator<Item = &'n AgentName<'n>>, is_first: bool) -> bool {
        let written = |agent: &AgentName<'_>| printable_text(Cow::Borrowed(agent.as_bstr())).len();
        let mut longest = 0;
        let mut octets = if is_first { 0 } else { self.newline };
        for agent in agents {
            let line = "User-agent: ".len().saturating_add(written(agent));
            longest = longest.max(line);
            octets = octets.saturating_add(line).saturating_add(self.newline);
        }
        // A line that its own reader cuts would name another crawler.
        longest <= self.line && self.take(octets)
    }

    /// Takes the room of the line that a record without rules has.
    #[must_use]
    pub(crate) const fn take_empty_rule(&mut self) -> bool {
        self.take("Disallow:".len().saturating_add(self.newline))
    }

    /// Takes the room of an empty line.
    #[must_use]
    pub(crate) const fn take_empty_line(&mut self) -> bool {
        self.take(self.newline)
    }

    /// Takes the room of a rule's line, or says what that is over.
    pub(crate) fn take_rule(&mut self, rule: &Rule<'_>) -> Option<FindingKind> {
        self.take_line(rule.kind.as_str().len(), rule.pattern.len())
    }

    /// Takes the room of another line, or says what that is over.
    pub(crate) fn take_extension(&mut self, line: &Extension<'_>) -> Option<FindingKind> {
        self.take_line(line.name.len(), line.value.len())
    }

    const fn take_line(&mut self, name: usize, value: usize) -> Option<FindingKind> {
        let colon = if value == 0 { 1 } else { ": ".len() };
        let line = name.saturating_add(value).saturating_add(colon);
        if line > self.line {
            return Some(FindingKind::ValueTooLong);
        }
        if self.take(line.saturating_add(self.newline)) { None } else { Some(FindingKind::TextTooLong) }
    }

    const fn take(&mut self, octets: usize) -> bool {
        let Some(rest) = self.octets.checked_sub(octets) else { return false };
        self.octets = rest;
        true
    }
}
