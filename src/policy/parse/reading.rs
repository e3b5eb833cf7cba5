//! Reads line after line, and finds out what each means.
//!
//! Each line that the grammar reads comes here once. Each kind of line has a function of its own, which keeps each
//! one's register use small. A line is read from the inside: [`ReadAll`] asks
//! [`Lines::next`](crate::syntax::logical::Lines) for one, which asks `grammar::line`; the physical line goes back
//! through its closure, which joins what continues it, and the logical line goes through the closure here to
//! [`Parsing::line`].

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]

use alloc::borrow::Cow;
use core::num::NonZeroU32;

use super::{Parsing, Standing, trimmed};
use crate::policy::suspect;
use crate::report::{Effect, FindingKind, LineNumber};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::fast::{Scan, Work};
use crate::syntax::grammar::{Content, Name, Physical};
use crate::syntax::logical::Line;
use crate::syntax::names::{Directive, RuleKind, may_be_known};

/// Reads all lines.
pub(super) struct ReadAll<'r, 'a, 'p>(pub(super) &'r mut Parsing<'a, 'p>);

impl Work for ReadAll<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) {
        let parsing = self.0;
        let mut lines = parsing.lines;
        while lines
            .next(
                scan,
                #[inline(always)]
                |number, line| parsing.line(number, line),
            )
            .is_some()
        {}
        parsing.lines = lines;
    }
}

impl<'a> Parsing<'a, '_> {
    /// Reads a line. Inlined so that `parse` does not slow down because `parse_lines` also calls it.
    #[inline(always)]
    pub(super) fn line(&mut self, number: NonZeroU32, line: Line<'a>) {
        let number = Some(number);
        match line {
            Line::Single(line) => self.physical(number, &line),
            Line::Folded(name, value) => self.folded(number, name, value),
            Line::Google(line, is_cut) => self.google(number, &line, is_cut),
        }
    }

    #[inline(never)]
    fn google(&mut self, number: LineNumber, line: &Physical<'a>, is_cut: bool) {
        if is_cut {
            self.found(number, FindingKind::LineCut, Effect::None);
        }
        self.physical(number, line);
    }

    #[inline(never)]
    fn folded(&mut self, line: LineNumber, name: Name<'a>, value: Cow<'a, [u8]>) {
        let flags = bytes::flags_in(&value);
        self.field(line, name, value, flags, true);
    }

    #[inline(always)]
    fn physical(&mut self, number: LineNumber, line: &Physical<'a>) {
        match line.content {
            Content::Empty | Content::Comment => {}
            Content::Other(text) => self.other(number, text),
            Content::Field(field) => {
                self.field(number, field.name, Cow::Borrowed(field.value), field.flags, false);
                if let (Some(comment), Some(recognised)) = (line.touching_comment(), field.name.meaning) {
                    self.suspect_fragment(number, recognised.directive, comment);
                }
            }
        }
    }

    /// Reads a field.
    #[inline(always)]
    fn field(&mut self, line: LineNumber, name: Name<'a>, value: Cow<'a, [u8]>, flags: Flags, is_folded: bool) {
        let Some(recognised) = name.meaning else { return self.unknown(line, name, value) };
        let directive = recognised.directive;
        if directive == Directive::UserAgent {
            // First, since a repair of this line is a finding of the group that it opens.
            self.begin_agent(line);
        }
        if recognised.misspelled || is_folded || !name.has_colon {
            self.repaired(directive, line, [recognised.misspelled, !name.has_colon, is_folded]);
        }
        match directive {
            Directive::UserAgent => self.user_agent(line, trimmed(value), name.fits),
            Directive::Allow | Directive::Disallow if self.ignores_rules() => {}
            Directive::Allow => self.rule(line, RuleKind::Allow, value, flags, name.fits),
            Directive::Disallow => self.rule(line, RuleKind::Disallow, value, flags, name.fits),
            _ => self.extension(line, directive, name, value, flags),
        }
    }

    /// Whether the open record is for other agents, and no line can change that.
    #[inline(always)]
    fn ignores_rules(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.in_run && open.standing() == Standing::Foreign)
    }

    /// Reports a misspelled name, a missing colon, and a continuation.
    #[cold]
    fn repaired(&mut self, directive: Directive, line: LineNumber, found: [bool; 3]) {
        let kinds = [FindingKind::MisspelledDirective, FindingKind::MissingColon, FindingKind::FoldedLine];
        for (kind, _) in kinds.into_iter().zip(found).filter(|(_, is_found)| *is_found) {
            self.found_of(directive, line, kind, Effect::None);
        }
    }

    /// A field whose name has no meaning.
    #[inline(never)]
    fn unknown(&mut self, line: LineNumber, name: Name<'a>, value: Cow<'a, [u8]>) {
        self.end_block();
        let is_kept = self.parser.options.keep_unknown && !may_be_known(name.bytes);
        let almost = suspect::almost_named(name.bytes, &value);
        if !is_kept {
            self.unread(line, FindingKind::UnknownDirective, almost, &value);
            if almost.is_none()
                && name.bytes.iter().copied().all(bytes::is_name)
                && let Some(effect) = suspect::in_other(Directive::Unknown, &value)
            {
                self.found(line, FindingKind::GluedDirective, effect);
            }
            return;
        }
        almost.map(|directive| self.almost(line, directive, &value));
        if !name.fits {
            self.found(line, FindingKind::DirectiveTooLong, Effect::None);
        } else if !name.bytes.iter().copied().all(bytes::is_name) {
            self.found(line, FindingKind::NotAField, Effect::None);
        } else {
            self.extension(line, Directive::Unknown, name, value, Flags::ANY);
        }
    }
}
