//! How much of a site the rules for an agent forbid: nothing, some of it, or all of it.
//!
//! Invariant: a path that is given was answered by the rules. That there is none is proved on the rules: no rule that
//! gives the answer decides any path. If the work is used up before that, the site counts as closed as the rest allows.
//!
//! The rules of the file are the newer side of a [`Search`]. The older side answers every path that counts with the
//! opposite, so a path that shows a difference is one with the answer that is looked for.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::flips::{BYTES_OF_A_STEP, ORIGIN, likely_paths};
use crate::sides::{Both, Over, Pattern, Side, answer_of, spend};
use crate::witness::{Found, Search};
use robosieve::parts::{Literals, NO_NUMBER, UrlPath, matches, numbered, percent_encoded, written};
use robosieve::records::{Rule, RuleKind, Selection};
use robosieve::settings::{PathForm, Style};

/// How much of a site is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Share {
    /// Every path that counts is allowed.
    None,
    /// There are allowed paths and disallowed paths.
    Some,
    /// Every path that counts is disallowed.
    All,
}

impl Share {
    /// `none`, `some` or `all`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Some => "some",
            Self::All => "all",
        }
    }
}

/// How much of a site the rules of a selection forbid, with the paths that show it.
///
/// Paths that begin with `/robots.txt` do not count.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve_diff::{Coverage, Share};
/// use robosieve::records::{Parser, Selection};
/// let share = |file: &str| {
///     let set = Parser::default().parse(file.as_bytes());
///     Coverage::of(&Selection::of(&set, &Interest::new(["MyBot"]))).share()
/// };
/// assert_eq!(share("User-agent: *\nDisallow: /\nAllow: /robots.txt"), Share::All);
/// assert_eq!(share("User-agent: *\nDisallow: /\nAllow: /$"), Share::Some);
/// assert_eq!(share("User-agent: *\nDisallow: /x\nAllow: /x"), Share::None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// A path that counts and is allowed.
    pub allowed: Option<String>,
    /// A path that counts and is disallowed.
    pub disallowed: Option<String>,
    /// Whether it is proved that there is no path where none is given.
    pub is_proved: bool,
}

impl Coverage {
    /// The number of steps that a proof may take by default. A step is at most 80 instructions, as those of a
    /// [`Diff`](crate::Diff). Our choice: 20 ms.
    pub const MAX_FUEL: usize = 1_000_000;

    /// Looks at the rules of a selection. Cost: sees most files with one or two paths; [`Coverage::MAX_FUEL`] at most.
    #[must_use]
    pub fn of(selection: &Selection<'_, '_>) -> Self {
        Self::within(selection, &mut { Self::MAX_FUEL })
    }

    /// The same with this number of steps, from which those that it takes are subtracted. So the groups of a file can
    /// share one limit.
    #[must_use]
    pub fn within(selection: &Selection<'_, '_>, work: &mut usize) -> Self {
        if !selection.rules().any(|rule| rule.kind() == RuleKind::Disallow && rule.pattern().can_match()) {
            return Self { allowed: Some("/".into()), disallowed: None, is_proved: true };
        }
        let rules = Rules::of(selection);
        let (allowed, disallowed) = (rules.find(RuleKind::Allow, work), rules.find(RuleKind::Disallow, work));
        Self {
            is_proved: allowed != Found::Unknown && disallowed != Found::Unknown,
            allowed: allowed.witness(),
            disallowed: disallowed.witness(),
        }
    }

    /// How much is forbidden. What is not proved is forbidden.
    #[must_use]
    pub const fn share(&self) -> Share {
        match (&self.allowed, &self.disallowed) {
            (None, _) => Share::All,
            (Some(_), None) if self.is_proved => Share::None,
            (Some(_), _) => Share::Some,
        }
    }
}

impl<T> Found<T> {
    fn witness(self) -> Option<T> {
        match self {
            Self::Witness(path) => Some(path),
            Self::Nothing | Self::Unknown => None,
        }
    }
}

/// Paths that begin with it do not count: owners allow it next to `Disallow: /`, and it is always allowed.
const NOT_COUNTED: &[u8] = b"/robots.txt";
/// What decides if no rule matches.
const NO_RULE_MATCHES: u64 = (u32::MAX as u64) << 32;
/// The number of a rule of the older side that decides before all others.
const fn first(kind: RuleKind) -> u64 {
    match kind {
        RuleKind::Allow => 0,
        RuleKind::Disallow => 1 << 31,
    }
}

/// A pattern of a rule, and the rule's number.
struct Entry<'s> {
    pattern: Cow<'s, [u8]>,
    literals: Literals<'s>,
    number: u64,
}

/// The rules of a selection, and last, that everything else is allowed.
struct Rules<'s> {
    entries: Vec<Entry<'s>>,
    form: PathForm,
}

impl<'s> Rules<'s> {
    fn of(selection: &'s Selection<'_, '_>) -> Self {
        let options = selection.options();
        let form = options.paths;
        let mut entries = Vec::with_capacity(selection.rules().len().saturating_add(1));
        for (place, rule) in (0..).zip(selection.rules()) {
            let mut add = |pattern: Cow<'s, [u8]>, literals| {
                let number = numbered(options.precedence, pattern.len(), rule.kind(), place);
                entries.push(Entry { pattern, literals, number });
            };
            let rule: &'s Rule<'_> = rule;
            let pattern = rule.pattern().as_bytes();
            if rule.pattern().can_match() {
                add(Cow::Borrowed(pattern), Literals::of(pattern, form));
            }
            if let Some(implied) = rule.implied_directory(options) {
                let literals = Literals::of(&implied, form).into_owned();
                add(Cow::Owned(implied), literals);
            }
        }
        let everything = Cow::Borrowed(&b"/"[..]);
        entries.push(Entry { pattern: everything, literals: Literals::of(b"/", form), number: NO_RULE_MATCHES });
        Self { entries, form }
    }

    /// A path that counts and has this answer.
    fn find(&self, kind: RuleKind, work: &mut usize) -> Found<String> {
        self.try_find(kind, work).unwrap_or(Found::Unknown)
    }

    fn try_find(&self, kind: RuleKind, work: &mut usize) -> Result<Found<String>, Over> {
        let against = |entry: &&Entry<'_>| answer_of(entry.number) != kind && entry.is_everything();
        let outranked = self.entries.iter().filter(against).map(|entry| entry.number).min().unwrap_or(NO_NUMBER);
        let counts = |entry: &&Entry<'_>| {
            answer_of(entry.number) == kind
                && entry.number < outranked
                && !entry.literals.literal_prefix().starts_with(NOT_COUNTED)
        };
        let targets = || self.entries.iter().filter(counts);
        // The shortest paths of the rules show most files. That of no rule is the likeliest to be allowed.
        for target in targets().rev().take(1).chain(targets()) {
            for path in likely_paths(&target.pattern) {
                if let Some(shown) = self.shown(&[ORIGIN, &*path].concat(), kind, work)? {
                    return Ok(Found::Witness(shown));
                }
            }
        }
        let patterns = self.patterns(kind);
        let (mut is_proved, numbers) = (true, self.entries.iter().zip(&patterns));
        for (_, target) in numbers.filter(|(entry, _)| counts(entry)) {
            let related = related(target, &patterns, work)?;
            let is_shown = |path: &[u8], work: &mut usize| {
                let path = match self.form.encoding {
                    Style::Standard => written(path),
                    _ => Cow::Borrowed(path),
                };
                self.shown(&[ORIGIN, &*path].concat(), kind, work).ok().flatten()
            };
            match Search::run(&related, target, Side::New, self.form.encoding, work, is_shown) {
                Found::Witness(path) => return Ok(Found::Witness(path)),
                Found::Unknown => is_proved = false,
                Found::Nothing => {}
            }
        }
        Ok(if is_proved { Found::Nothing } else { Found::Unknown })
    }

    /// The path of this URL, if it counts and has this answer.
    fn shown(&self, url: &[u8], kind: RuleKind, work: &mut usize) -> Result<Option<String>, Over> {
        let path = UrlPath::of(url, self.form);
        let compared = path.compared();
        let of_path = compared.len().wrapping_div(BYTES_OF_A_STEP).saturating_add(1);
        spend(work, self.entries.len().saturating_mul(of_path))?;
        let matching = self.entries.iter().filter(|entry| matches(&entry.literals, compared));
        let decides = matching.map(|entry| entry.number).min();
        let is_shown = decides.is_some_and(|number| answer_of(number) == kind) && !compared.starts_with(NOT_COUNTED);
        Ok(is_shown.then(|| percent_encoded(url.get(ORIGIN.len()..).unwrap_or_default())))
    }

    /// The patterns with their numbers here, and on the older side, which answers what counts with the opposite. In the
    /// order of the entries; the last is of what does not count.
    fn patterns(&self, kind: RuleKind) -> Vec<Pattern<'_>> {
        let older = |entry: &Entry<'_>| match kind {
            RuleKind::Allow if entry.number == NO_RULE_MATCHES => first(RuleKind::Disallow),
            _ => NO_NUMBER,
        };
        let of = |entry: &Entry<'s>| Pattern {
            literals: entry.literals.clone(),
            numbers: Both { old: older(entry), new: entry.number },
        };
        let not_counted = Literals::of(NOT_COUNTED, self.form);
        let not_counted = Pattern { literals: not_counted, numbers: Both { old: first(kind), new: NO_NUMBER } };
        self.entries.iter().map(of).chain([not_counted]).collect()
    }
}

impl Entry<'_> {
    /// Whether it matches every path.
    fn is_everything(&self) -> bool {
        !self.literals.anchored && matches!(&*self.literals.bytes, b"" | b"/" | b"*" | b"*/")
    }
}

/// The patterns that can match a path of this one.
fn related<'p, 's>(
    target: &Pattern<'s>,
    all: &'p [Pattern<'s>],
    work: &mut usize,
) -> Result<Vec<&'p Pattern<'s>>, Over> {
    let own = target.literals.literal_prefix();
    spend(work, all.len())?;
    let is_related = |pattern: &&Pattern<'_>| {
        let front = pattern.literals.literal_prefix();
        front.starts_with(own) || own.starts_with(front)
    };
    Ok(all.iter().filter(is_related).collect())
}
