//! Reports suspects of lines, in the report of the open record or of the agents that a line contains but does not
//! name.
//!
//! Invariant: a line that was left out has one finding that says so. A suspect has no other effect on a line.

use alloc::borrow::Cow;

use super::Parsing;
use crate::path::pattern::{PathPattern, PathRepairs};
use crate::policy::suspect;
use crate::report::{Effect, Finding, FindingKind, LineNumber};
use crate::syntax::bytes::Flags;
use crate::syntax::names::{Directive, RuleKind};

impl Parsing<'_, '_> {
    /// Reports a line that is not a field.
    pub(super) fn other(&mut self, line: LineNumber, text: &[u8]) {
        // Nearly all such lines begin with a byte that says enough.
        if suspect::may_be_almost(text) {
            self.other_or_almost(line, text);
        } else {
            self.found(line, FindingKind::NotAField, Effect::None);
        }
    }

    #[inline(never)]
    fn other_or_almost(&mut self, line: LineNumber, text: &[u8]) {
        if self.parser.options.vocabulary.is_bare_user_agent(text) {
            return self.bare_user_agent(line);
        }
        let (directive, value) = suspect::almost(text).unzip();
        self.unread(line, FindingKind::NotAField, directive, value.unwrap_or_default());
    }

    /// `[field.missing-colon]`: a user-agent line without colon and value. It names nobody, and ends the rules above it.
    #[cold]
    fn bare_user_agent(&mut self, line: LineNumber) {
        self.begin_agent(line);
        self.found(line, FindingKind::MissingColon, Effect::None);
        let fits = Directive::UserAgent.name().is_some_and(|name| name.len() <= self.limits.max_directive_length);
        self.user_agent(line, Cow::Borrowed(b""), fits);
    }

    /// Reports a line that was left out: as `kind`, or as almost being a directive.
    pub(super) fn unread(&mut self, line: LineNumber, kind: FindingKind, almost: Option<Directive>, value: &[u8]) {
        if !almost.is_some_and(|directive| self.almost(line, directive, value)) {
            self.found(line, kind, Effect::None);
        }
    }

    /// Reports that a line is almost a rule or a user-agent line. Returns whether it did.
    pub(super) fn almost(&mut self, line: LineNumber, directive: Directive, value: &[u8]) -> bool {
        // The lines below it belong to the open record.
        if directive == Directive::UserAgent && !self.is_in_ours() {
            return self.suspect_agents(line, FindingKind::AlmostDirective, value);
        }
        self.found(
            line,
            FindingKind::AlmostDirective,
            RuleKind::of(directive).map_or(Effect::Either, RuleKind::effect_of_losing),
        );
        true
    }

    /// Whether the open record is known to apply to agents that the file is parsed for.
    fn is_in_ours(&self) -> bool {
        self.parser.interest.is_some() && self.open.as_ref().is_some_and(|open| open.matters)
    }

    /// `[suspect.agents]`: reports that agents in this text are not named, if any of them can matter. Returns whether
    /// it did.
    fn suspect_agents(&mut self, line: LineNumber, kind: FindingKind, text: &[u8]) -> bool {
        let preference = match &self.parser.interest {
            None => Some(0),
            Some(interest) => interest.preference_in(text, &self.parser.options),
        };
        if let Some(preference) = preference {
            self.lose_for(preference, Finding { line, kind, effect: Effect::Either });
        }
        preference.is_some()
    }

    /// Normalises the value of a rule that is kept and may be suspect, and reports what is (`[suspect.path]`,
    /// `[suspect.glued]`). Not inlined, so that plain paths do not pay for it.
    #[inline(never)]
    pub(super) fn unusual_path<'v>(
        &mut self,
        line: LineNumber,
        kind: RuleKind,
        value: Cow<'v, [u8]>,
        flags: Flags,
    ) -> (PathPattern<'v>, PathRepairs) {
        let found = suspect::in_rule(kind, &value, flags);
        let read = PathPattern::read_asking(value, flags.without(Flags::COLON), self.parser.options.paths);
        match found {
            Some((kind, effect)) => self.found(line, kind, effect),
            None => self.suspect_pattern(line, kind, &read.0),
        }
        read
    }

    /// `[text.unwritable]`: reports that no URL can match a pattern.
    #[cold]
    fn suspect_pattern(&mut self, line: LineNumber, kind: RuleKind, pattern: &PathPattern<'_>) {
        if !matches!(pattern.as_bytes().first(), None | Some(b'/' | b'*')) {
            self.found(line, FindingKind::NeverMatches, kind.effect_of_losing());
        }
    }

    /// `[suspect.path]`: reports that a rule ends before a fragment.
    #[cold]
    pub(super) fn suspect_fragment(&mut self, line: LineNumber, directive: Directive, comment: &[u8]) {
        if let Some(kind) = RuleKind::of(directive).filter(|_| suspect::is_fragment(comment)) {
            self.found(line, FindingKind::Fragment, suspect::effect_of_fragment(kind));
        }
    }

    /// Reports text after an agent's name: a directive or another name, but not a version. Not inlined, so that lines
    /// with a name alone do not pay for it.
    #[inline(never)]
    pub(super) fn report_agent_rest(&mut self, line: LineNumber, value: &[u8], length: usize) {
        let rest = value.get(length..).unwrap_or_default();
        let is_reported = match suspect::in_agent(value, length, self.parser.options.agents) {
            None => length == 0 || is_version(rest),
            Some((FindingKind::GluedDirective, effect)) => {
                let name = suspect::own_name(value);
                // Another name may have been meant: `GPTBotAllow: /`.
                if name.len() == length || !self.suspect_agents(line, FindingKind::GluedDirective, name) {
                    self.found(line, FindingKind::GluedDirective, effect);
                }
                true
            }
            Some((FindingKind::AgentCut, _)) => self.suspect_agents(line, FindingKind::AgentCut, value),
            Some((kind, _)) => self.suspect_agents(line, kind, rest) || is_version(rest),
        };
        if !is_reported {
            self.found(line, FindingKind::AgentText, Effect::None);
        }
    }

    /// Reports a user-agent line that names nobody (`[agent.value]`), or on which another directive is (`[agent.glued]`).
    #[cold]
    pub(super) fn without_name(&mut self, line: LineNumber, value: &[u8]) {
        let glued = suspect::in_agent(value, 0, self.parser.options.agents);
        let kind = glued.map_or(FindingKind::AgentWithoutToken, |glued| glued.0);
        self.found_in_file(line, kind, Effect::Either);
    }
}

/// Whether the text is `/2.1`, `/2.1 (+http://…)` or a star, as usually follows a name.
fn is_version(rest: &[u8]) -> bool {
    rest == b"*" || rest.starts_with(b"/")
}
