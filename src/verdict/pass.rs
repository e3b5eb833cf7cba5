//! One URL of a file, answered in one pass over its bytes: no group, rule or report is kept but the rule that decides.
//!
//! Invariant: the answer is that of the parser and a tester, or there is none. The pass gives up on a line whose meaning
//! it does not know at once; then the parser reads the file. A debug build asks both ways (`[verdict.pass]`).
//!
//! Few lines matter: a user-agent line, a rule for the agent, and an indented line, which may continue another. A vector
//! finds the lines that begin as these do. The others are not looked at.

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]

use alloc::borrow::Cow;
use core::num::NonZeroU32;

use crate::limits::OverLimit;
use crate::path::glob::PathForm;
use crate::path::pattern::{PathPattern, UrlPath};
use crate::policy::agent::{Agent, Interest};
use crate::policy::options::{For, Options, Precedence};
use crate::policy::parse::Parser;
use crate::policy::record::Rule;
use crate::policy::select::AnsweredBy;
use crate::report::LineNumber;
use crate::syntax::bytes::{self, Flags};
use crate::syntax::fast::{BLOCK, LineStarts, Scan, Work};
use crate::syntax::grammar::Style;
use crate::syntax::names::RuleKind;
use crate::syntax::preamble;
use crate::verdict::lookup::SHORT_PATH;
use crate::verdict::once::FileVerdict;
use crate::verdict::tester::{SiteAccess, Verdict, without_rules};

/// The number of rules that may be compared as patterns: those with wildcards, escapes, or bytes that are encoded.
const MOST_PATTERNS: u32 = 64;

/// The answer for the path of a URL, if the pass can give it.
pub(crate) fn answer<'a>(parser: &Parser, input: &'a [u8], url: &UrlPath<'_>) -> Option<FileVerdict<'a>> {
    let (options, interest) = (&parser.options, parser.interest.as_deref());
    if !reads_plainly(options) || input.len() > options.limits.max_bytes || !is_plain(url) {
        return None;
    }
    if interest.is_some_and(|interest| !interest.agents.iter().all(|agent| agent.only_name().is_ok())) {
        return None;
    }
    let body = match input.first() {
        Some(0xEF) => input.strip_prefix(preamble::UTF8_MARK)?,
        // A byte order mark of UTF-16 or UTF-32.
        Some(0 | 0x80..) => return None,
        _ => input,
    };
    let group = Group { in_run: false, place: NOBODY, is_everyones: false };
    let (path, has_escapes) = (url.compared(), url.compared().contains(&b'%'));
    let pass = Pass {
        body,
        url,
        path,
        has_escapes,
        interest,
        group,
        found: NOBODY,
        has_everyones: false,
        patterns: 0,
        best: None,
    };
    let (best, answered_by) = parser.ways.run(pass)?;
    if let Some(verdict) = without_rules(url, SiteAccess::Rules, options.robots_txt_allowed, || false) {
        return Some(FileVerdict::new(None, verdict, answered_by));
    }
    Some(FileVerdict::new(best.map(|best| best.into_rule(body)), Verdict::NoRule, answered_by))
}

/// Whether it is a URL, and patterns are compared with its bytes, one by one.
fn is_plain(url: &UrlPath<'_>) -> bool {
    let flags = bytes::flags_in(url.compared()).without(Flags::PERCENT | Flags::COLON);
    url.is_of_url() && url.compared().len() <= SHORT_PATH && flags.is_none()
}

/// Whether the options that decide a verdict are those of the standard dialect.
fn reads_plainly(options: &Options) -> bool {
    options.lines == Style::Standard
        && options.fold
        && !options.keep_trailing_spaces
        && options.vocabulary.is_common()
        && options.agents == Style::Standard
        && !options.union_of_agents
        && options.paths == PathForm::default()
        && options.precedence == Precedence::LongestMatch
        && options.robots_txt_allowed
        && !options.index_html
        && !options.any_line_ends_run
        && options.complete
        && options.over_limit == OverLimit::Drop
        && (options.reads_for == For::Text || options.limits == options.limits.for_verdicts())
}

/// The group that the pass is in.
#[derive(Clone, Copy)]
struct Group {
    /// Whether another user-agent line would belong to it: it has no rule yet.
    in_run: bool,
    /// The place of the most preferred agent that it names.
    place: usize,
    is_everyones: bool,
}

/// The place of an agent that is not there.
const NOBODY: usize = usize::MAX;

/// The rule that decides, so far.
#[derive(Clone, Copy)]
struct Best<'a> {
    value: &'a [u8],
    kind: RuleKind,
    rank: usize,
    /// Where its line begins.
    at: usize,
}

impl<'a> Best<'a> {
    fn into_rule(self, body: &'a [u8]) -> Rule<'a> {
        let line = preamble::count_lines(bytes::part(body, 0..self.at)).saturating_add(1);
        rule_of(NonZeroU32::new(line), self.kind, self.value)
    }
}

/// The rule that the parser reads from this value.
fn rule_of(line: LineNumber, kind: RuleKind, value: &[u8]) -> Rule<'_> {
    let flags = bytes::flags_in(value).without(Flags::COLON);
    let (pattern, repairs) = PathPattern::read_asking(Cow::Borrowed(value), flags, PathForm::default());
    Rule { line, kind, len_before_widening: pattern.len(), pattern, flags: repairs.flags }
}

struct Pass<'a, 'q> {
    body: &'a [u8],
    url: &'q UrlPath<'q>,
    path: &'q [u8],
    /// Whether the path has a `%`.
    has_escapes: bool,
    /// None if only the groups for `*` are wanted.
    interest: Option<&'q Interest>,
    group: Group,
    /// The place of the most preferred agent that a group names. If there is one, those for `*` do not apply.
    found: usize,
    has_everyones: bool,
    /// The number of rules that were compared as patterns.
    patterns: u32,
    best: Option<Best<'a>>,
}

impl<'a> Work for Pass<'a, '_> {
    type Output = Option<(Option<Best<'a>>, AnsweredBy)>;

    #[inline(always)]
    fn run<S: Scan>(mut self, scan: S) -> Self::Output {
        let mut ends_before = true;
        let (mut at, mut rest) = (0_usize, self.body);
        while !rest.is_empty() {
            let mut last = [0; BLOCK];
            let (block, after) = rest.split_first_chunk().unwrap_or_else(|| {
                last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                (&last, &[])
            });
            let mut starts = scan.line_starts(block, &mut ends_before);
            while let Some(place) = self.next_in(&mut starts) {
                self.line(at.wrapping_add(place))?;
            }
            (at, rest) = (at.wrapping_add(BLOCK), after);
        }
        let of_all = if self.has_everyones { AnsweredBy::Everyone } else { AnsweredBy::Nobody };
        Some((self.best, if self.found == NOBODY { of_all } else { AnsweredBy::Agent(self.found) }))
    }
}

impl<'a> Pass<'a, '_> {
    /// Whether rules of the open group are for the agent.
    const fn counts(&self) -> bool {
        if self.found == NOBODY { self.group.is_everyones } else { self.group.place == self.found }
    }

    /// The next line that may matter. After the first rule of a group for others, these are user-agent lines.
    #[inline(always)]
    fn next_in(&self, starts: &mut LineStarts) -> Option<usize> {
        starts.next(self.group.in_run || self.counts())
    }

    /// Reads the line that begins here. None if it is not known at once what it means.
    #[inline(always)]
    fn line(&mut self, at: usize) -> Option<()> {
        let line = self.body.get(at..)?;
        let (kind, value) = match line.first()? | 0x20 {
            b'd' => (RuleKind::Disallow, after(line, b"disallow:")),
            b'a' => (RuleKind::Allow, after(line, b"allow:")),
            b'u' => {
                self.user_agent(after(line, b"user-agent:")?);
                return Some(());
            }
            _ => return self.indented(line),
        };
        match value {
            Some(value) => self.rule(at, kind, value),
            None => is_one_word(line).then_some(()),
        }
    }

    fn user_agent(&mut self, value: &[u8]) {
        if !self.group.in_run {
            self.group = Group { in_run: true, place: NOBODY, is_everyones: false };
        }
        let value = bytes::trim_blanks(value);
        if let [b'*', rest @ ..] = value {
            let is_all = matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'#'));
            self.group.is_everyones |= is_all && self.interest.is_none_or(|interest| interest.fallback);
            self.has_everyones |= self.group.is_everyones;
        } else if let Some(interest) = self.interest
            && let Some(place) = interest.agents.iter().position(|agent| is_named(agent, value))
        {
            self.group.place = self.group.place.min(place);
            if place < self.found {
                (self.found, self.best) = (place, None);
            }
        }
    }

    /// An indented line may continue the one before it, or be one.
    fn indented(&self, line: &[u8]) -> Option<()> {
        let is_skipping = !self.group.in_run && !self.counts();
        match bytes::trim_blanks(line).first() {
            None | Some(b'\r' | b'\n' | b'#') => Some(()),
            Some(b'u' | b'U') => None,
            Some(_) => is_skipping.then_some(()),
        }
    }

    /// Compares a rule with the path, byte by byte.
    #[inline(always)]
    fn rule(&mut self, at: usize, kind: RuleKind, value: &'a [u8]) -> Option<()> {
        self.group.in_run = false;
        if !self.counts() {
            return Some(());
        }
        let value = bytes::trim_blanks(value);
        let same = value.iter().zip(self.path).take_while(|(value, path)| value == path).count();
        let (front, next) = (bytes::part(value, 0..same), value.get(same).copied().unwrap_or(b'\n'));
        let is_end = matches!(next, b'\r' | b'\n' | b'#');
        // An escape may be the same as another spelling.
        let is_plain = same > 0 && !(self.has_escapes && front.contains(&b'%'));
        match next {
            _ if is_end && same == 0 => {}
            _ if is_end && is_plain => self.matched(Best { value: front, kind, rank: same, at }),
            _ if is_plain && bytes::flags_of(next).without(Flags::COLON).is_none() => {}
            _ => return self.pattern(at, kind, value),
        }
        Some(())
    }

    /// A rule that is not the beginning of a path as it is written.
    #[inline(never)]
    fn pattern(&mut self, at: usize, kind: RuleKind, value: &'a [u8]) -> Option<()> {
        self.patterns = self.patterns.wrapping_add(1);
        if self.patterns > MOST_PATTERNS {
            return None;
        }
        let end = memchr::memchr3(b'#', b'\r', b'\n', value).unwrap_or(value.len());
        let value = bytes::trim_end(bytes::part(value, 0..end), bytes::is_blank);
        let rule = rule_of(None, kind, value);
        if rule.pattern.matches_path(self.url) {
            self.matched(Best { value, kind, rank: rule.pattern.len(), at });
        }
        Some(())
    }

    /// `[rule.longest]`, `[rule.tie]`: of two that are the same, the first decides.
    fn matched(&mut self, rule: Best<'a>) {
        let order = |rule: &Best<'_>| (rule.rank, rule.kind == RuleKind::Allow);
        if self.best.as_ref().is_none_or(|best| order(&rule) > order(best)) {
            self.best = Some(rule);
        }
    }
}

/// Whether a user-agent line with this value, and anything after it, names the agent: `[agent.token]`.
#[inline]
fn is_named(agent: &Agent, value: &[u8]) -> bool {
    let Ok(Some(token)) = agent.only_name() else { return false };
    let name = token.as_str().as_bytes();
    let Some((front, rest)) = value.split_at_checked(name.len()) else { return false };
    front.eq_ignore_ascii_case(name) && !rest.first().is_some_and(|next| token.goes_on_with(*next))
}

/// Whether a line that does not begin as a user-agent line has one word without a colon. It is no field, and only an
/// indented line after it could give it a meaning.
#[inline(never)]
fn is_one_word(line: &[u8]) -> bool {
    let is_of_word = |byte: u8| !bytes::is_blank(byte) && !bytes::is_line_end(byte) && !matches!(byte, b'#' | b':');
    let rest = bytes::trim_blanks(bytes::trim_start(line, is_of_word));
    matches!(rest.first(), None | Some(b'\r' | b'\n' | b'#'))
}

/// What follows a name and its colon at the front of a line. The name is in lower case here.
#[inline(always)]
fn after<'a, const N: usize>(line: &'a [u8], name: &[u8; N]) -> Option<&'a [u8]> {
    let (front, rest) = line.split_first_chunk::<N>()?;
    front.eq_ignore_ascii_case(name).then_some(rest)
}
