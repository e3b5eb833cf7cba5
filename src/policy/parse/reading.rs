//! Reads line after line: by shortcuts as far as they go, and the others by the grammar.
//!
//! Invariant: a rule that is read here in bulk is kept as [`Parsing::rule`] would keep it. All others are left to it.

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]

use alloc::borrow::Cow;

use super::open::Standing;
use super::{Parsing, kind_of, trimmed};
use crate::limits::Budget;
use crate::path::pattern::PathPattern;
use crate::policy::record::{RecordSet, Rule};
use crate::syntax::bytes::{self, special};
use crate::syntax::fast::{PlainField, Usual};
use crate::syntax::grammar::Field;
use crate::syntax::names::Directive;
use crate::syntax::vector::{Scan, Work};

/// Reading lines, of one record or of the whole file.
pub(super) struct ReadOn<'r, 'a, 'p> {
    pub(super) parsing: &'r mut Parsing<'a, 'p>,
    /// Whether it stops when a record is closed.
    pub(super) is_for_one: bool,
}

impl Work for ReadOn<'_, '_, '_> {
    /// Whether it has stopped before the end.
    type Output = bool;

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> bool {
        let Self { parsing, is_for_one } = self;
        while !is_for_one || parsing.set.entries.is_empty() {
            if !parsing.read_on(scan) {
                return false;
            }
        }
        true
    }
}

impl<'a> Parsing<'a, '_> {
    /// Reads lines as long as a shortcut can read them, or one line by the grammar. False at the end.
    #[inline(always)]
    fn read_on(&mut self, scan: impl Scan) -> bool {
        if self.standing() == Standing::Foreign {
            self.lines.skip_to(&self.parser.always_matter, scan);
        }
        self.lines.skip_empty(scan);
        if self.plain_rules(scan) {
            return true;
        }
        match self.lines.usual(scan) {
            Some((number, Usual::Field(field))) => self.usual_field(number, field),
            Some((number, Usual::Other(text))) => self.other(number, text),
            Some((number, Usual::Unknown(text, length))) => self.unknown_field(number, text, length),
            None => return self.read_by_grammar(),
        }
        true
    }

    /// Reads plain rules of a record that is kept. Returns whether there was one.
    #[inline(always)]
    fn plain_rules(&mut self, scan: impl Scan) -> bool {
        if !self.parser.shortcuts || !self.keeps_rules() {
            return false;
        }
        let Self { lines, set, budget, .. } = self;
        lines.plain_rules(scan, |line, field| keep(set, budget, line, field))
    }

    /// Reads a field that a shortcut has read. Each kind of line has a function of its own, so that none pays for what
    /// another needs.
    #[inline(always)]
    fn usual_field(&mut self, line: u32, field: PlainField<'a>) {
        match field.directive {
            Directive::UserAgent => self.usual_agent(line, field),
            Directive::Sitemap => self.usual_sitemap(line, field),
            _ => self.usual_rule(line, field),
        }
    }

    #[inline(never)]
    fn usual_agent(&mut self, line: u32, field: PlainField<'a>) {
        self.begin_agent(line);
        let fits = self.fits(field.directive.usual_name());
        self.user_agent(line, trimmed(Cow::Borrowed(field.value)), fits);
    }

    #[inline(never)]
    fn usual_sitemap(&mut self, line: u32, field: PlainField<'a>) {
        if !self.takes_sitemap(line, field.value, field.special) {
            self.field(line, field.into(), false);
        }
    }

    #[inline(never)]
    fn usual_rule(&mut self, line: u32, field: PlainField<'a>) {
        let PlainField { directive, value, special } = field;
        let kind = kind_of(directive);
        self.end_run_by_rule(kind, value.is_empty());
        if self.keeps_rules() && matches!(value, [b'/' | b'*', ..]) {
            let Self { set, budget, .. } = self;
            if keep(set, budget, line, field) {
                return;
            }
        }
        self.rule(line, kind, Cow::Borrowed(value), special, self.fits(directive.usual_name()));
    }

    /// Reads a field whose name has this length and no meaning.
    #[inline(never)]
    fn unknown_field(&mut self, line: u32, text: &'a [u8], length: usize) {
        let (name, behind) = bytes::split_at(text, length);
        let value = bytes::trim_start(behind.strip_prefix(b":").unwrap_or_default(), bytes::is_blank);
        self.end_block();
        self.unknown(line, Field::new(name, None, value, true));
    }

    /// Whether the open record is kept, has a rule, and the names of rules are not too long.
    #[inline]
    fn keeps_rules(&self) -> bool {
        let fits_all = self.budget.limits().max_directive_length >= "Disallow".len();
        fits_all && self.open.as_ref().is_some_and(|open| !open.in_run && open.matters)
    }

    /// Reads a line by the grammar. False at the end.
    #[inline(never)]
    fn read_by_grammar(&mut self) -> bool {
        let Some(line) = self.lines.next() else { return false };
        self.line(line);
        true
    }
}

/// Adds a rule whose value begins with `/` or `*`, if nothing about it has to be reported. Returns false if it does not.
#[inline(always)]
fn keep<'a>(set: &mut RecordSet<'a>, budget: &mut Budget, line: u32, field: PlainField<'a>) -> bool {
    let PlainField { directive, value, special } = field;
    let (pattern, repairs) = if special == 0 {
        PathPattern::plain(value)
    } else if special & !special::WILDCARDS == 0 {
        PathPattern::with_wildcards(value, special)
    } else {
        return false;
    };
    let limits = budget.limits();
    let fits = value.len() <= limits.max_value_length && repairs.wildcards <= limits.max_wildcards;
    let taken = fits && budget.line();
    if taken {
        let kind = kind_of(directive);
        set.rules.push(Rule { line, kind, claimed_rank: pattern.len(), pattern, special: repairs.special });
    }
    taken
}
