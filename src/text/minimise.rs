//! Rewrites rules as fewer and plainer rules that decide the same.
//!
//! Invariant: no step changes a verdict, given the rules at that moment. Steps are repeated until none is left, so
//! minimising again changes nothing. If that costs more than the allowed work, nothing is changed.
//!
//! Why a step is neutral: a rule decides a path if it matches and no stronger one does. So one may go if a stronger one
//! contains it, or if a weaker one of its kind does and no rule of the other kind that ranks between them overlaps it. One
//! may be spelled otherwise if it matches the same paths, and no rule of the other kind that ranks between its old length
//! and its new one overlaps it. In file order a rule's rank is its place, whatever its length.
//!
//! Other readers read the text, too. So a step is neutral for each of them: for those that compare bytes (see [`Shape`]), and
//! for those for whom an Allow of `/dir/index.html` allows `/dir/`. What only some of them read as a rule can hold a step up,
//! but never be the reason for one.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::Cell;
use core::cmp::Reverse;

use bstr::ByteSlice;

use crate::path::containment::Shape;
use crate::policy::record::{Precedence, Reading, RuleKind, index_directory};
use crate::syntax::bytes;

/// A rule as a text has it. The pattern begins with a slash or a star.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    pub(crate) kind: RuleKind,
    pub(crate) pattern: Cow<'t, [u8]>,
}

/// What minimising may cost.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// The pairs of rules that may be compared. Long pairs count more than once.
    pub(crate) work: usize,
    /// The maximum number of rules after a step.
    pub(crate) rules: usize,
}

/// Minimises rules, which must be in order of precedence and must not be merged with others. Returns None if that costs
/// more than the allowed work.
pub(crate) fn minimise<'t>(lines: &[Line<'t>], reading: &Reading, bounds: Bounds) -> Option<Vec<Line<'t>>> {
    if bounds.work == 0 {
        return None;
    }
    let mut rules = Rules::new(lines, reading, bounds);
    while rules.pass() {}
    (rules.work.get() != 0).then(|| rules.into_lines())
}

struct Entry<'t> {
    kind: RuleKind,
    text: Cow<'t, [u8]>,
    /// The greater wins; rules of different kinds never have the same.
    rank: usize,
    counts: bool,
    /// Its parts: itself, and the directory that some readers take it to allow, too.
    parts: (usize, Option<usize>),
    /// The places of `/x` and `/*/x`, for `*/x`.
    halves: Option<(usize, usize)>,
    /// The place of that directory as a rule, where this reader takes it so.
    directory: Option<usize>,
}

/// What is matched with a path.
struct Part {
    entry: usize,
    /// That of a rule is in its entry, since it changes.
    implied_rank: Option<usize>,
    shape: Shape,
}

struct Rules<'t, 'r> {
    entries: Vec<Entry<'t>>,
    parts: Vec<Part>,
    /// Parts of each kind by the heads of their shapes.
    allow: PartsByHead,
    disallow: PartsByHead,
    reading: &'r Reading,
    /// How many entries count, and how many may.
    count: usize,
    most: usize,
    work: Cell<usize>,
}

impl<'t, 'r> Rules<'t, 'r> {
    fn new(lines: &[Line<'t>], reading: &'r Reading, bounds: Bounds) -> Self {
        let (allow, disallow) = (PartsByHead::default(), PartsByHead::default());
        let (entries, parts) = room_for(lines, reading);
        let (entries, parts) = (Vec::with_capacity(entries), Vec::with_capacity(parts));
        let (count, most, work) = (lines.len(), bounds.rules, Cell::new(bounds.work));
        let mut rules = Self { entries, parts, allow, disallow, reading, count, most, work };
        for (place, line) in lines.iter().enumerate() {
            let rank = match reading.precedence {
                Precedence::LongestMatch => rank_of(line.kind, line.pattern.len()),
                Precedence::FileOrder => usize::MAX.saturating_sub(place),
            };
            let at = rules.add(line.kind, line.pattern.clone(), rank, true);
            rules.add_halves(at);
            rules.add_directory(at);
        }
        rules.allow = PartsByHead::new(&rules, RuleKind::Allow);
        rules.disallow = PartsByHead::new(&rules, RuleKind::Disallow);
        rules
    }

    fn add(&mut self, kind: RuleKind, text: Cow<'t, [u8]>, rank: usize, counts: bool) -> usize {
        let entry = self.entries.len();
        let first = self.parts.len();
        self.parts.push(Part { entry, implied_rank: None, shape: Shape::of(&text) });
        let implied = index_directory(kind, &text);
        if let Some(directory) = &implied {
            let rank = match self.reading.precedence {
                Precedence::LongestMatch => rank_of(kind, directory.len()),
                Precedence::FileOrder => rank,
            };
            self.parts.push(Part { entry, implied_rank: Some(rank), shape: Shape::of(directory) });
        }
        let parts = (first, implied.map(|_| first.saturating_add(1)));
        self.entries.push(Entry { kind, text, rank, counts, parts, halves: None, directory: None });
        entry
    }

    /// Adds `/x` and `/*/x` to a rule `*/x`, as inactive alternatives until [`Rules::spell_out`].
    fn add_halves(&mut self, at: usize) {
        let Some(entry) = self.entries.get(at) else { return };
        let (kind, rank) = (entry.kind, entry.rank);
        if entry.parts.1.is_some() {
            return;
        }
        let Some(from_slash) = behind_stars(&entry.text) else { return };
        let (here, anywhere) = (from_slash.to_vec(), [b"/*", from_slash].concat());
        let halves = (self.add(kind, Cow::Owned(here), rank, false), self.add(kind, Cow::Owned(anywhere), rank, false));
        if let Some(entry) = self.entries.get_mut(at) {
            entry.halves = Some(halves);
        }
    }

    /// Adds the directory that an Allow of an index page allows to this reader, as an inactive alternative until
    /// [`Rules::spell_out`].
    fn add_directory(&mut self, at: usize) {
        let Some(entry) = self.entries.get(at).filter(|_| self.reading.index_html) else { return };
        let (kind, rank) = (entry.kind, entry.rank);
        let Some(directory) = index_directory(kind, &entry.text) else { return };
        let rank = self.new_rank(kind, rank, directory.len());
        let directory = self.add(kind, Cow::Owned(directory), rank, false);
        self.add_halves(directory);
        if let Some(entry) = self.entries.get_mut(at) {
            entry.directory = Some(directory);
        }
    }

    /// The rank of a rule that is spelled with another length.
    fn new_rank(&self, kind: RuleKind, rank: usize, length: usize) -> usize {
        match self.reading.precedence {
            Precedence::LongestMatch => rank_of(kind, length),
            Precedence::FileOrder => rank,
        }
    }

    /// Applies all possible steps to each rule, the strongest first. Returns whether there were any.
    fn pass(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.entries.len() {
            let counts = self.entries.get(at).is_some_and(|entry| entry.counts);
            changed |= counts && (self.leave_out(at) || self.respell(at) || self.spell_out(at));
            if self.work.get() == 0 {
                return false;
            }
        }
        changed
    }

    fn leave_out(&mut self, at: usize) -> bool {
        let goes = self.entries.get(at).is_some_and(|entry| {
            let is_redundant = |part: usize| self.parts.get(part).is_some_and(|part| self.is_redundant(part, at));
            is_redundant(entry.parts.0) && entry.parts.1.is_none_or(is_redundant) || self.halves_stand_for(entry, at)
        });
        if goes && let Some(entry) = self.entries.get_mut(at) {
            entry.counts = false;
            self.count = self.count.saturating_sub(1);
        }
        goes
    }

    /// Whether the two alternatives decide as the rule does: together they match what it matches.
    fn halves_stand_for(&self, entry: &Entry<'t>, at: usize) -> bool {
        let stands = |half: usize| {
            let part = self.entries.get(half).and_then(|half| self.parts.get(half.parts.0));
            part.is_some_and(|part| self.is_decided(part, entry.rank, at))
        };
        entry.halves.is_some_and(|(here, anywhere)| stands(here) && stands(anywhere))
    }

    fn is_redundant(&self, part: &Part, but: usize) -> bool {
        self.is_decided(part, self.rank(part), but)
    }

    /// Whether rules but for one decide as this part does at that rank, wherever it matches. A rule that testers without
    /// wildcards understand is not redundant because of one that they don't.
    fn is_decided(&self, part: &Part, rank: usize, but: usize) -> bool {
        let Some(kind) = self.entries.get(part.entry).map(|entry| entry.kind) else { return false };
        let Some(next_below) = self.next_below(kind, rank, part) else { return true };
        if next_below == 0 && kind == RuleKind::Allow {
            return true;
        }
        self.of_kind(kind)
            .containers(self, part.shape.head())
            .filter(|other| other.entry != but && other.implied_rank.is_none() && self.rank(other) >= next_below)
            .any(|other| is_as_plain(other, part) && self.contains(other, part))
    }

    /// The rank of the strongest part of the other kind that overlaps the part and would lose to it at that rank; 0 if there
    /// is none, and nothing if a rule that wins contains it.
    fn next_below(&self, kind: RuleKind, rank: usize, part: &Part) -> Option<usize> {
        let mut next_below = 0;
        for other in self.of_kind(other_kind(kind)).related(self, part.shape.head()) {
            let place = self.rank(other);
            if place >= rank {
                if other.implied_rank.is_none() && self.contains(other, part) {
                    return None;
                }
            } else if place >= next_below && self.overlaps(other, part) {
                next_below = place;
            }
        }
        Some(next_below)
    }

    fn respell(&mut self, at: usize) -> bool {
        let Some(entry) = self.entries.get(at) else { return false };
        let Some(part) = self.parts.get(entry.parts.0) else { return false };
        if !entry.text.contains(&b'*') {
            return false;
        }
        let implied = index_directory(entry.kind, &entry.text);
        let fits = |text: &Vec<u8>| {
            self.is_written(entry.kind, text)
                && index_directory(entry.kind, text) == implied
                && self.is_free(part, entry.rank, self.new_rank(entry.kind, entry.rank, text.len()))
        };
        let Some(text) = plainer(&entry.text).find(fits) else { return false };
        let rank = self.new_rank(entry.kind, entry.rank, text.len());
        if let Some(entry) = self.entries.get_mut(at) {
            entry.rank = rank;
            entry.text = Cow::Owned(text);
        }
        true
    }

    /// Activates the alternatives of a rule, which more testers understand, if the limit on rules allows it. The rule
    /// itself is left out once its alternatives decide the same.
    fn spell_out(&mut self, at: usize) -> bool {
        let Some(entry) = self.entries.get(at) else { return false };
        let (halves, directory) = (entry.halves, entry.directory);
        let halves = halves.map(|(here, anywhere)| [here, anywhere]).into_iter().flatten();
        let mut changed = false;
        for beside in halves.chain(directory) {
            changed |= self.add_beside(beside, at);
        }
        changed
    }

    fn add_beside(&mut self, at: usize, of: usize) -> bool {
        let (Some(entry), Some(whole)) = (self.entries.get(at), self.entries.get(of)) else { return false };
        let Some(part) = self.parts.get(entry.parts.0) else { return false };
        if entry.counts || self.count >= self.most {
            return false;
        }
        let mut equals = self.of_kind(entry.kind).containers(self, part.shape.head());
        if equals.any(|other| other.implied_rank.is_none() && other.shape == part.shape) {
            return false;
        }
        drop(equals);
        let rank_as = |text: &[u8]| self.new_rank(entry.kind, whole.rank, text.len());
        // A directory is implied already, as it is spelled.
        let is_implied = whole.directory == Some(at);
        let is_free = |text: &Vec<u8>| {
            self.is_written(entry.kind, text) && (is_implied || self.is_free(part, whole.rank, rank_as(text)))
        };
        // Where it is no stronger than the whole rule a half decides nothing.
        let is_below = |text: &Vec<u8>| self.is_written(entry.kind, text) && rank_as(text) <= whole.rank;
        let plainest = || plainer(&entry.text).take(usize::from(!is_implied));
        let texts = || plainest().chain(core::iter::once(entry.text.to_vec()));
        let Some(text) = texts().find(is_free).or_else(|| texts().find(is_below)) else { return false };
        let rank = rank_as(&text);
        if self.is_decided(part, rank, of) || self.halves_stand_for(entry, at) {
            return false;
        }
        if let Some(entry) = self.entries.get_mut(at) {
            entry.counts = true;
            entry.rank = rank;
            entry.text = Cow::Owned(text);
            self.count = self.count.saturating_add(1);
        }
        true
    }

    /// Whether the text's own reader keeps the rule so spelled, and does not cut its line.
    fn is_written(&self, kind: RuleKind, text: &[u8]) -> bool {
        let line = kind.as_str().len().saturating_add(": ".len()).saturating_add(text.len());
        text.len() <= self.reading.max_value_length && line <= self.reading.max_text_line
    }

    /// Whether no rule of the other kind that overlaps the part ranks between the two.
    fn is_free(&self, part: &Part, rank: usize, new_rank: usize) -> bool {
        let Some(entry) = self.entries.get(part.entry) else { return false };
        let between = rank.min(new_rank)..rank.max(new_rank);
        between.is_empty()
            || !self
                .of_kind(other_kind(entry.kind))
                .related(self, part.shape.head())
                .any(|other| between.contains(&self.rank(other)) && self.overlaps(other, part))
    }

    fn of_kind(&self, kind: RuleKind) -> &PartsByHead {
        match kind {
            RuleKind::Allow => &self.allow,
            RuleKind::Disallow => &self.disallow,
        }
    }

    fn rank(&self, part: &Part) -> usize {
        part.implied_rank.or_else(|| self.entries.get(part.entry).map(|entry| entry.rank)).unwrap_or(0)
    }

    fn head(&self, part: usize) -> &[u8] {
        self.parts.get(part).map(|part| part.shape.head()).unwrap_or_default()
    }

    fn spend(&self, bytes: usize) {
        let cost = bytes.wrapping_shr(5).saturating_add(1);
        self.work.set(self.work.get().saturating_sub(cost));
    }

    fn contains(&self, part: &Part, other: &Part) -> bool {
        self.spend(part.shape.len().saturating_add(other.shape.len()));
        part.shape.contains(&other.shape)
    }

    fn overlaps(&self, part: &Part, other: &Part) -> bool {
        self.spend(part.shape.len().saturating_add(other.shape.len()));
        part.shape.overlaps(&other.shape)
    }

    fn into_lines(self) -> Vec<Line<'t>> {
        let Self { entries, parts, allow, disallow, reading, .. } = self;
        drop((parts, allow, disallow));
        // What is short is sorted, and not the entries: sorting holds twice what it sorts.
        let line = |entry: Entry<'t>| (entry.rank, Line { kind: entry.kind, pattern: entry.text });
        let mut ranked: Vec<(usize, Line<'t>)> = entries.into_iter().filter(|entry| entry.counts).map(line).collect();
        match reading.precedence {
            Precedence::LongestMatch => {
                ranked.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.pattern.cmp(&right.1.pattern)));
            }
            // Halves lie together already; the plain one first.
            Precedence::FileOrder => ranked.sort_by_key(|(rank, _)| Reverse(*rank)),
        }
        ranked.into_iter().map(|(_, line)| line).collect()
    }
}

/// The part of `*/x` after its `*`. The two alternatives are made of it.
fn behind_stars(text: &[u8]) -> Option<&[u8]> {
    let behind = bytes::trim_start(text, |byte| byte == b'*');
    (behind.len() < text.len() && behind.first() == Some(&b'/')).then_some(behind)
}

/// The number of entries and of their parts. Allocates the exact size: growing would need three times that.
fn room_for(lines: &[Line<'_>], reading: &Reading) -> (usize, usize) {
    lines.iter().fold((0_usize, 0_usize), |(entries, parts), line| {
        let halves = if behind_stars(&line.pattern).is_some() { 2_usize } else { 0 };
        let implied = usize::from(index_directory(line.kind, &line.pattern).is_some());
        let directory = if reading.index_html { implied } else { 0 };
        let here = halves.saturating_add(directory).saturating_add(1);
        (entries.saturating_add(here), parts.saturating_add(here).saturating_add(implied))
    })
}

/// The rank under the longest match: by length, then Allow before Disallow.
fn rank_of(kind: RuleKind, length: usize) -> usize {
    length.saturating_mul(2).saturating_add(usize::from(kind == RuleKind::Allow))
}

fn other_kind(kind: RuleKind) -> RuleKind {
    match kind {
        RuleKind::Allow => RuleKind::Disallow,
        RuleKind::Disallow => RuleKind::Allow,
    }
}

/// Whether a tester that understands `part` understands `other`.
fn is_as_plain(other: &Part, part: &Part) -> bool {
    other.shape.is_plain() || other.shape == part.shape
}

/// Plainer patterns that match the same paths: first with all changes, then with each alone.
fn plainer(pattern: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let steps = [one_star, without_needless_anchor, without_last_star, with_slash];
    let all = steps.iter().fold(pattern.to_vec(), |text, step| step(&text).unwrap_or(text));
    let first = (all != pattern).then_some(all);
    let is_changed = first.is_some();
    let pattern = pattern.to_vec();
    first.into_iter().chain(steps.into_iter().filter(move |_| is_changed).filter_map(move |step| step(&pattern)))
}

/// `**` -> `*`
fn one_star(pattern: &[u8]) -> Option<Vec<u8>> {
    pattern.find(b"**")?;
    let mut text = pattern.to_vec();
    text.dedup_by(|next, previous| *next == b'*' && *previous == b'*');
    Some(text)
}

/// `X*$` -> `X*`
fn without_needless_anchor(pattern: &[u8]) -> Option<Vec<u8>> {
    pattern.ends_with(b"*$").then(|| bytes::part(pattern, 0..pattern.len().saturating_sub(1)).to_vec())
}

/// `X*` -> `X`, but not where X is nothing, nor where a byte `$` would become an anchor.
fn without_last_star(pattern: &[u8]) -> Option<Vec<u8>> {
    let front = pattern.strip_suffix(b"*")?;
    (!front.is_empty() && !front.ends_with(b"$")).then(|| front.to_vec())
}

/// `*` -> `/` and `*x` -> `/*x`: every path begins with a slash.
fn with_slash(pattern: &[u8]) -> Option<Vec<u8>> {
    match pattern {
        b"*" => Some(b"/".to_vec()),
        [b'*', b'*' | b'/', ..] => None,
        [b'*', ..] => Some([b"/", pattern].concat()),
        _ => None,
    }
}

/// Parts sorted by the bytes before their first wildcards (the head). Finds those that can overlap a head: one of the
/// two must be a prefix of the other.
#[derive(Default)]
struct PartsByHead {
    /// The parts, sorted by head.
    parts: Vec<usize>,
    /// For each part, the nearest part before it whose head is a prefix of its head.
    above: Vec<Option<usize>>,
}

impl PartsByHead {
    fn new(rules: &Rules<'_, '_>, kind: RuleKind) -> Self {
        let is_of_kind = |part: &Part| rules.entries.get(part.entry).is_some_and(|entry| entry.kind == kind);
        let mut parts = Vec::with_capacity(rules.parts.iter().filter(|part| is_of_kind(part)).count());
        parts.extend(rules.parts.iter().enumerate().filter(|(_, part)| is_of_kind(part)).map(|(at, _)| at));
        parts.sort_unstable_by(|&left, &right| rules.head(left).cmp(rules.head(right)).then(left.cmp(&right)));
        let mut heads = Self { above: Vec::with_capacity(parts.len()), parts };
        for place in 0..heads.parts.len() {
            let head = heads.parts.get(place).map(|&part| rules.head(part)).unwrap_or_default();
            let above = heads.climb(rules, place.checked_sub(1), head).next();
            heads.above.push(above);
        }
        heads
    }

    /// Parts from a place upwards whose heads are prefixes of the head.
    fn climb<'s>(
        &'s self,
        rules: &'s Rules<'_, '_>,
        from: Option<usize>,
        head: &'s [u8],
    ) -> impl Iterator<Item = usize> + 's {
        core::iter::successors(from, |&place| self.above.get(place).copied().flatten())
            .inspect(move |_| rules.spend(head.len()))
            .take_while(|_| rules.work.get() != 0)
            .filter(move |&place| self.parts.get(place).is_some_and(|&part| head.starts_with(rules.head(part))))
    }

    /// The first place with a greater head.
    fn behind(&self, rules: &Rules<'_, '_>, head: &[u8]) -> usize {
        self.parts.partition_point(|&part| rules.head(part) <= head)
    }

    /// The parts of active rules whose heads are a prefix of the head, or the reverse.
    fn related<'s>(&'s self, rules: &'s Rules<'_, '_>, head: &'s [u8]) -> impl Iterator<Item = &'s Part> {
        let start = self.behind(rules, head);
        let below = (start..self.parts.len()).inspect(move |_| rules.spend(head.len())).take_while(move |&place| {
            rules.work.get() != 0 && self.parts.get(place).is_some_and(|&part| rules.head(part).starts_with(head))
        });
        self.counting(rules, self.climb(rules, start.checked_sub(1), head).chain(below))
    }

    /// The parts of active rules whose heads are a prefix of the head.
    fn containers<'s>(&'s self, rules: &'s Rules<'_, '_>, head: &'s [u8]) -> impl Iterator<Item = &'s Part> {
        self.counting(rules, self.climb(rules, self.behind(rules, head).checked_sub(1), head))
    }

    fn counting<'s>(
        &'s self,
        rules: &'s Rules<'_, '_>,
        places: impl Iterator<Item = usize> + 's,
    ) -> impl Iterator<Item = &'s Part> {
        places
            .filter_map(|place| rules.parts.get(*self.parts.get(place)?))
            .filter(|part| rules.entries.get(part.entry).is_some_and(|entry| entry.counts))
    }
}
