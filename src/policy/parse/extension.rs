//! Lines that are neither user-agent lines nor rules: what they belong to, and whether their values are valid.
//!
//! Invariant: a line that is kept is printable ASCII, within the limits, and has the form of its directive. A sitemap or
//! a licence is an absolute URL in its canonical spelling.

use alloc::borrow::Cow;

use bstr::ByteSlice;

use super::{Parsing, Standing, trimmed};
use crate::path::pattern::PathPattern;
use crate::policy::address::{self, HttpUrl};
use crate::policy::record::ExtensionLine;
use crate::policy::suspect;
use crate::policy::value::{Millis, repaired, spell};
use crate::report::{Effect, FindingKind, LineNumber};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::grammar::Name;
use crate::syntax::names::{self, Directive, DirectiveScope, Vocabulary, Words};

impl<'a> Parsing<'a, '_> {
    /// Adds a sitemap, if its address is canonical, as most are, and nothing has to be reported. Returns whether it did.
    pub(super) fn takes_sitemap(&mut self, line: LineNumber, value: &'a [u8], flags: Flags) -> bool {
        let directive = Directive::Sitemap;
        let fits = value.len() <= self.limits.max_value_length;
        let is_glued =
            || suspect::may_be_glued(directive, value, flags) && suspect::in_other(directive, value).is_some();
        let taken = fits && HttpUrl::is_canonical(value, flags) && !is_glued() && self.budget.loose_line();
        if taken {
            let (name, value) = (Cow::Borrowed(&b"Sitemap"[..]), Cow::Borrowed(value));
            self.set.loose.push(ExtensionLine { line, block: None, directive, name, value });
        }
        taken
    }

    /// `[ext.*]`: adds any other line to its record or to the file.
    #[inline(never)]
    pub(super) fn extension(
        &mut self,
        line: LineNumber,
        directive: Directive,
        field: Name<'a>,
        value: Cow<'a, [u8]>,
        flags: Flags,
    ) {
        self.end_block();
        if !field.fits {
            return self.found_of(directive, line, FindingKind::DirectiveTooLong, Effect::None);
        }
        if directive == Directive::Sitemap
            && let Cow::Borrowed(value) = value
            && self.takes_sitemap(line, value, flags)
        {
            return;
        }
        let vocabulary = &self.parser.options.vocabulary;
        let is_general = self.open.is_none() && is_for_everybody(directive);
        let loose = vocabulary.scope(directive) == DirectiveScope::File || is_general;
        let standing = self.standing_of_value();
        if !loose && standing != Standing::Kept {
            return self.lose(line, standing, Effect::None);
        }
        let words = vocabulary.words(directive);
        // A value that is glued is seldom valid, and that is the cause.
        let mut is_reported = false;
        if suspect::may_be_glued(directive, &value, flags)
            && let Some(effect) = suspect::in_other(directive, &value)
        {
            self.found_of(directive, line, FindingKind::GluedDirective, effect);
            is_reported = true;
        }
        let (value, is_repaired) = match words {
            Words::Path => {
                let (pattern, repairs) = PathPattern::read(value, self.parser.options.paths);
                if repairs.wildcards > self.limits.max_wildcards {
                    return self.found(line, FindingKind::TooManyWildcards, Effect::None);
                }
                // Google's encoding keeps blanks.
                (bytes::as_percent_encoded(trimmed(pattern.into_bytes())), false)
            }
            _ if names::has_url_values(directive) => {
                match address::url_of_line(&trimmed(value), self.parser.options.base_url.as_ref()) {
                    Ok((url, is_repaired)) => (Cow::Owned(url.into_bytes()), is_repaired),
                    Err(FindingKind::InvalidValue) if is_reported => return,
                    Err(kind) => return self.found_in_file(line, kind, Effect::None),
                }
            }
            _ => {
                let value = with_blanks_for_tabs(trimmed(value));
                match repaired(directive, &value) {
                    Some(repaired) => (Cow::Owned(repaired), true),
                    None => (bytes::as_percent_encoded(value), false),
                }
            }
        };
        if let Some(kind) = self.extension_finding(directive, &value, loose) {
            if !(is_reported && kind == FindingKind::InvalidValue) {
                self.found_of(directive, line, kind, Effect::None);
            }
            if kind != FindingKind::ClampedValue {
                return;
            }
        }
        if is_repaired {
            self.found_of(directive, line, FindingKind::RepairedValue, Effect::None);
        }
        let name = Vocabulary::canonical_name(directive, field.bytes);
        // Below the run of user-agent lines, a value applies to all of its agents.
        let block = self.open.as_ref().filter(|open| open.in_run && !loose);
        let block = block.and_then(|open| open.block.first_line);
        let list = match loose {
            _ if is_general => &mut self.set.general,
            true => &mut self.set.loose,
            false => &mut self.set.extensions,
        };
        list.push(ExtensionLine { line, block, directive, name, value });
    }

    /// A value within a run applies to nobody if the user-agent lines directly above it name nobody.
    fn standing_of_value(&self) -> Standing {
        match &self.open {
            Some(open) if open.in_run && !open.block.is_named => Standing::Nobodys,
            _ => self.standing(),
        }
    }

    /// The finding for the value of an extension line, if any. Only a clamped value is kept.
    fn extension_finding(&mut self, directive: Directive, value: &[u8], loose: bool) -> Option<FindingKind> {
        // Checked before parsing, because the parts of a long list need many times its bytes.
        if value.len() > self.limits.max_value_length {
            return Some(FindingKind::ValueTooLong);
        }
        // A URL is already canonical.
        if !names::has_url_values(directive) {
            let spelled = &mut self.spelled;
            spelled.clear();
            if spell(directive, value, spelled).is_none() {
                return Some(FindingKind::InvalidValue);
            }
            if spelled.len() > self.limits.max_value_length {
                return Some(FindingKind::ValueTooLong);
            }
        }
        let has_room = if loose { self.budget.loose_line() } else { self.budget.line() };
        if !has_room {
            return Some(FindingKind::TooManyLines);
        }
        let is_clamped = directive == Directive::CrawlDelay && Millis::read(value).is_some_and(Millis::is_clamped);
        is_clamped.then_some(FindingKind::ClampedValue)
    }
}

/// `[value.everybody]`: whether a line above all groups is for every crawler.
const fn is_for_everybody(directive: Directive) -> bool {
    matches!(directive, Directive::CrawlDelay | Directive::ContentSignal | Directive::ContentUsage)
}

/// A tab separates words as a blank does, but a text cannot contain tabs.
fn with_blanks_for_tabs(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if value.contains(&b'\t') { Cow::Owned(value.replace(b"\t", b" ")) } else { value }
}
