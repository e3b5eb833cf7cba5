//! Lines that are neither a user-agent nor a rule: what they belong to, and whether their values are what they should be.
//!
//! Invariant: what is kept of one is printable ASCII, within the limits and of its directive's form; a sitemap is an absolute
//! address in its canonical spelling.

use alloc::borrow::Cow;

use bstr::ByteSlice;

use super::{Parsing, Standing, trimmed};
use crate::directive::{Directive, Scope, ValueForm, Vocabulary};
use crate::grammar::Field;
use crate::pattern::PathPattern;
use crate::record::Extension;
use crate::report::{Effect, Finding, FindingKind};
use crate::value::{CrawlDelay, HttpUrl, printable_text};

impl<'a> Parsing<'a, '_> {
    /// A sitemap whose address needs no repair.
    pub(super) fn sitemap(&mut self, line: u32, url: &'a [u8]) {
        if url.len() > self.budget.limits().max_value_length {
            self.found_in_file(line, FindingKind::ValueTooLong, Effect::None);
        } else if self.budget.loose_line() {
            let name = Vocabulary::canonical_name(Directive::Sitemap, b"Sitemap");
            self.set.loose.push(Extension { line, directive: Directive::Sitemap, name, value: Cow::Borrowed(url) });
        } else {
            self.found_in_file(line, FindingKind::TooManyLines, Effect::None);
        }
    }

    /// `[ext.*]`: adds any other line to what it belongs to.
    pub(super) fn extension(&mut self, line: u32, directive: Directive, field: Field<'a>) {
        let vocabulary = &self.parser.options.vocabulary;
        let loose = vocabulary.scope(directive) == Scope::File;
        let standing = self.standing();
        if !loose && standing != Standing::Kept {
            return self.lose(line, standing, Effect::None);
        }
        let value = match vocabulary.form(directive) {
            ValueForm::Path => {
                let (pattern, repairs) = PathPattern::read(field.value, self.parser.options.paths);
                if repairs.wildcards > self.budget.limits().max_wildcards {
                    return self.found(line, FindingKind::TooManyWildcards, Effect::None);
                }
                // Google's encoding leaves blanks as they are.
                printable_text(trimmed(pattern.into_octets()))
            }
            ValueForm::Text if directive == Directive::Sitemap && !HttpUrl::is_canonical(&field.value) => {
                let Some(url) = HttpUrl::read(&trimmed(field.value)) else {
                    return self.found_in_file(line, FindingKind::InvalidValue, Effect::None);
                };
                Cow::Owned(url.as_str().into())
            }
            ValueForm::Text => printable_text(with_blanks_for_tabs(trimmed(field.value))),
        };
        if let Some(kind) = self.extension_finding(directive, &value, loose) {
            let finding = Finding { line, kind, effect: Effect::None };
            match &mut self.open {
                Some(open) if !loose => open.push(finding, self.parser.options.max_details),
                _ => self.set.report.push(finding),
            }
            if kind != FindingKind::ClampedValue {
                return;
            }
        }
        let name = Vocabulary::canonical_name(directive, field.name);
        let list = if loose { &mut self.set.loose } else { &mut self.set.extensions };
        list.push(Extension { line, directive, name, value });
    }

    /// What is wrong with the value of an extension line; only a clamped one is kept.
    fn extension_finding(&mut self, directive: Directive, value: &[u8], loose: bool) -> Option<FindingKind> {
        let max_length = self.budget.limits().max_value_length;
        // Before it is read: the parts of a long list take up many times its octets.
        if value.len() > max_length {
            return Some(FindingKind::ValueTooLong);
        }
        // That of a sitemap is canonical already.
        let Some(spelled) = Extension::canonical_value(directive, value) else {
            return Some(FindingKind::InvalidValue);
        };
        if spelled.len() > max_length {
            return Some(FindingKind::ValueTooLong);
        }
        let has_room = if loose { self.budget.loose_line() } else { self.budget.line() };
        if !has_room {
            return Some(FindingKind::TooManyLines);
        }
        let is_clamped =
            directive == Directive::CrawlDelay && CrawlDelay::read(value).is_some_and(|it| it.is_clamped());
        is_clamped.then_some(FindingKind::ClampedValue)
    }
}

/// A tab parts words as a blank does, and a text holds no tab.
fn with_blanks_for_tabs(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if value.contains(&b'\t') { Cow::Owned(value.replace(b"\t", b" ")) } else { value }
}
