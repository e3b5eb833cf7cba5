//! Rewrites rules as fewer and plainer rules that decide the same.
//!
//! Invariant: no step changes a verdict, given the rules at that moment. Steps are repeated until none is left, so
//! minimising again changes nothing. If that costs more than the allowed fuel, nothing is changed.
//!
//! Why a step is neutral: a rule decides a path if it matches and no stronger one does. So one may go if a stronger one
//! contains it, or if a weaker one of its kind does and no rule of the other kind that ranks between them overlaps it. One
//! may be spelled otherwise if it matches the same paths, and no rule of the other kind that ranks between its old length
//! and its new one overlaps it. In file order a rule's rank is its place, for a pattern of any length.
//!
//! Other readers read the text, too. So a step is neutral for each of them: for those that compare bytes (see [`Shape`]), and
//! for those for whom an Allow of `/dir/index.html` allows `/dir/`. What only some of them read as a rule can hold a step up,
//! but never be the reason for one.

mod respell;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::Cell;
use core::cmp::Reverse;

use self::respell::may_be_plainer;
pub(super) use self::respell::shorten;
use crate::path::containment::Shape;
use crate::policy::options::{Options, Precedence};
use crate::policy::record::{Rule, has_index_directory, index_directory};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::names::RuleKind;
use crate::text::heads::{Compared, Heads, NONE, Places, Slot, packed};

/// A rule as a text has it. The pattern begins with a slash or a star.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    pub(crate) kind: RuleKind,
    pub(crate) pattern: Cow<'t, [u8]>,
    /// Flags of [`Flags`] bytes. The pattern has no special bytes without their flag.
    pub(crate) flags: Flags,
}

impl<'t> Line<'t> {
    /// A rule as it is.
    #[inline]
    pub(crate) fn of(rule: &'t Rule<'_>) -> Self {
        Self { kind: rule.kind, pattern: Cow::Borrowed(rule.pattern.as_bytes()), flags: rule.flags }
    }
}

/// What minimising may cost.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// The pairs of rules that may be compared. Long pairs count more than once.
    pub(crate) fuel: usize,
    /// The maximum number of rules after a step.
    pub(crate) rules: usize,
}

/// Minimises rules, which must be in order of precedence and must not be merged with others. Returns None if that costs
/// more than the allowed fuel, of which it takes its share.
pub(crate) fn minimise<'t>(lines: &[Line<'t>], options: &Options, bounds: &mut Bounds) -> Option<Vec<Line<'t>>> {
    let is_too_long = |line: &Line<'_>| line.pattern.len() > MOST;
    if bounds.fuel == 0 || lines.len() > MOST || lines.iter().any(is_too_long) {
        return None;
    }
    let mut rules = Rules::new(lines, options, *bounds);
    while rules.pass() {}
    bounds.fuel = rules.fuel.get();
    (bounds.fuel != 0).then(|| rules.into_lines())
}

/// Ranks and places have 32 bits.
const MOST: usize = 1 << 28;

struct Candidate<'t> {
    text: Cow<'t, [u8]>,
    /// The greater wins; rules of different kinds never have the same.
    rank: u32,
    /// Its part. After it is that of the directory that some readers take it to allow, if there is one.
    part: u32,
    /// The first of the two entries of `/x` and `/*/x`, for `*/x`.
    halves: u32,
    /// The entry of that directory as a rule, where this reader takes it so.
    directory: u32,
    /// The number of steps that were taken when no step was found for it; 0 if it has to be looked at.
    seen: u32,
    kind: RuleKind,
    counts: bool,
    has_implied: bool,
    may_be_plainer: bool,
}

struct Rules<'t, 'l> {
    entries: Vec<Candidate<'t>>,
    parts: Vec<Compared<'l>>,
    heads: Heads,
    options: &'l Options,
    /// How many entries count, and how many may.
    count: usize,
    most: usize,
    fuel: Cell<usize>,
    steps: Steps,
    /// Whether the entries that count are in order of precedence: none was added, or has another rank.
    is_in_order: bool,
}

/// The numbers of the last steps of each sort. A step is searched for again only if one was taken that can allow it:
///
/// - A rule that decides nothing does so because of stronger or containing rules. Fewer of its kind never allow it to
///   go; fewer, or other ranks, of the other kind may. Another rank within its kind changes nothing, because no rule of
///   the other kind that overlaps lies between the ranks. The same is true of its spelling.
/// - A rule with alternatives depends on which others are there, so on all steps.
#[derive(Default)]
struct Steps {
    all: u32,
    allow: u32,
    disallow: u32,
    added: u32,
}

impl Steps {
    fn took(&mut self, kind: RuleKind) {
        self.all = self.all.saturating_add(1);
        match kind {
            RuleKind::Allow => self.allow = self.all,
            RuleKind::Disallow => self.disallow = self.all,
        }
    }

    fn added(&mut self) {
        self.all = self.all.saturating_add(1);
        self.added = self.all;
    }

    fn concern(&self, entry: &Candidate<'_>) -> bool {
        let of_other_kind = match entry.kind {
            RuleKind::Allow => self.disallow,
            RuleKind::Disallow => self.allow,
        };
        let has_alternatives = entry.halves != NONE || entry.directory != NONE;
        let last = if has_alternatives { self.all } else { self.added.max(of_other_kind) };
        entry.seen == 0 || last >= entry.seen
    }
}

impl<'t, 'l> Rules<'t, 'l> {
    fn new(lines: &'l [Line<'t>], options: &'l Options, bounds: Bounds) -> Self {
        let (entries, parts) = room_for(lines, options);
        let (entries, parts) = (Vec::with_capacity(entries), Vec::with_capacity(parts));
        let (count, most, fuel) = (lines.len(), bounds.rules, Cell::new(bounds.fuel));
        let (heads, steps) = (Heads::default(), Steps::default());
        let mut rules = Self { entries, parts, heads, options, count, most, fuel, steps, is_in_order: true };
        for (place, line) in lines.iter().enumerate() {
            let rank = match options.precedence {
                Precedence::LongestMatch => rank_of(line.kind, line.pattern.len()),
                Precedence::FileOrder => packed(lines.len().saturating_sub(place)),
            };
            match (&line.pattern, Shape::plain(&line.pattern, line.flags)) {
                // Most rules. With one way to make it, it is made where it stays.
                (Cow::Borrowed(text), Some(shape)) if line.kind == RuleKind::Disallow => {
                    rules.add(line.kind, Cow::Borrowed(*text), shape, rank, Flags::NONE, true);
                }
                _ => rules.add_line(line, rank),
            }
        }
        rules.heads = Heads::of(&mut rules.parts);
        for entry in &rules.entries {
            rules.heads.place(&rules.parts, entry);
        }
        rules
    }

    /// Adds a rule with its alternatives.
    fn add_line(&mut self, line: &'l Line<'t>, rank: u32) {
        let shape = Shape::of(&line.pattern, line.flags);
        let at = self.add(line.kind, line.pattern.clone(), shape, rank, line.flags, true);
        self.add_halves(at, Some(&line.pattern));
        self.add_directory(at);
    }

    /// Adds an alternative, which does not count yet.
    #[inline(never)]
    fn add_alternative(&mut self, kind: RuleKind, text: Vec<u8>, shape: Shape<'l>, rank: u32) -> u32 {
        self.add(kind, Cow::Owned(text), shape, rank, Flags::ANY, false)
    }

    /// Adds a rule.
    #[allow(clippy::inline_always, reason = "a rule is made where it stays, without a copy")]
    #[inline(always)]
    fn add(
        &mut self,
        kind: RuleKind,
        text: Cow<'t, [u8]>,
        shape: Shape<'l>,
        rank: u32,
        flags: Flags,
        counts: bool,
    ) -> u32 {
        let (entry, part) = (packed(self.entries.len()), packed(self.parts.len()));
        let places = Places::default();
        self.parts.push(Compared { shape, kind, entry, is_implied: false, rank, places });
        let implied = index_directory(kind, &text);
        let has_implied = implied.is_some();
        if let Some(directory) = implied {
            let rank = self.new_rank(kind, rank, directory.len());
            let shape = Shape::of(&directory, Flags::ANY).into_owned();
            self.parts.push(Compared { shape, kind, entry, is_implied: true, rank, places });
        }
        let may_be_plainer = may_be_plainer(&text, flags);
        let (seen, halves, directory) = (0, NONE, NONE);
        self.entries.push(Candidate {
            text,
            rank,
            part,
            halves,
            directory,
            seen,
            kind,
            counts,
            has_implied,
            may_be_plainer,
        });
        entry
    }

    /// Adds `/x` and `/*/x` to a rule `*/x`, as inactive alternatives until [`Rules::spell_out`].
    fn add_halves(&mut self, at: u32, line: Option<&'l [u8]>) {
        let Some(entry) = self.entry(at) else { return };
        let (kind, rank) = (entry.kind, entry.rank);
        if entry.has_implied {
            return;
        }
        let Some(from_slash) = after_stars(&entry.text) else { return };
        let (here, anywhere) = (from_slash.to_vec(), [b"/*", from_slash].concat());
        let shape = match line.and_then(after_stars) {
            Some(from_slash) => Shape::of(from_slash, Flags::ANY),
            None => Shape::of(&here, Flags::ANY).into_owned(),
        };
        let halves = self.add_alternative(kind, here, shape, rank);
        let shape = Shape::of(&anywhere, Flags::ANY).into_owned();
        self.add_alternative(kind, anywhere, shape, rank);
        if let Some(entry) = self.entries.get_mut(at as usize) {
            entry.halves = halves;
        }
    }

    /// Adds the directory that an Allow of an index page allows to this reader, as an inactive alternative until
    /// [`Rules::spell_out`].
    fn add_directory(&mut self, at: u32) {
        let Some(entry) = self.entry(at).filter(|_| self.options.index_html) else { return };
        let (kind, rank) = (entry.kind, entry.rank);
        let Some(directory) = index_directory(kind, &entry.text) else { return };
        let rank = self.new_rank(kind, rank, directory.len());
        let shape = Shape::of(&directory, Flags::ANY).into_owned();
        let directory = self.add_alternative(kind, directory, shape, rank);
        self.add_halves(directory, None);
        if let Some(entry) = self.entries.get_mut(at as usize) {
            entry.directory = directory;
        }
    }

    /// The rank of a rule that is spelled with another length.
    fn new_rank(&self, kind: RuleKind, rank: u32, length: usize) -> u32 {
        match self.options.precedence {
            Precedence::LongestMatch => rank_of(kind, length),
            Precedence::FileOrder => rank,
        }
    }

    /// Applies a step to each rule that may have one, the strongest first. Returns whether there were any.
    fn pass(&mut self) -> bool {
        let before = self.steps.all;
        for at in 0..packed(self.entries.len()) {
            if !self.entry(at).is_some_and(|entry| entry.counts && self.steps.concern(entry)) {
                continue;
            }
            let changes = self.leave_out(at) || self.respell(at) || self.spell_out(at);
            if self.fuel.get() == 0 {
                return false;
            }
            if let Some(entry) = self.entries.get_mut(at as usize) {
                entry.seen = if changes { 0 } else { self.steps.all.saturating_add(1) };
            }
        }
        self.steps.all != before
    }

    fn leave_out(&mut self, at: u32) -> bool {
        let goes = self.entry(at).is_some_and(|entry| {
            let is_redundant = |part: u32| self.part(part).is_some_and(|it| self.is_decided(it, self.rank(it), at));
            is_redundant(entry.part) && (!entry.has_implied || is_redundant(entry.part.saturating_add(1)))
                || self.halves_stand_for(entry, at)
        });
        if goes && let Some(entry) = self.entries.get_mut(at as usize) {
            entry.counts = false;
            self.heads.place(&self.parts, entry);
            self.count = self.count.saturating_sub(1);
            self.steps.took(entry.kind);
        }
        goes
    }

    /// Whether the two alternatives decide as the rule does: together they match what it matches.
    fn halves_stand_for(&self, entry: &Candidate<'t>, at: u32) -> bool {
        let stands = |half: u32| {
            let part = self.entry(half).and_then(|half| self.part(half.part));
            part.is_some_and(|part| self.is_decided(part, entry.rank, at))
        };
        entry.halves != NONE && stands(entry.halves) && stands(entry.halves.saturating_add(1))
    }

    /// `[portable.redundant]`: whether other rules decide as this part does at that rank, wherever it matches. There are
    /// three cases: a stronger rule contains it; a weaker rule of its kind contains it, and no rule of the
    /// other kind that ranks between the two overlaps it; or it is an Allow, no rule contains it, and none overlaps it.
    fn is_decided(&self, part: &Compared<'l>, rank: u32, but: u32) -> bool {
        let container = self.container(part, but);
        if container >= rank {
            return true;
        }
        // Without a rule, all is allowed.
        let mut may_be = container != 0 || part.kind == RuleKind::Allow;
        let others = self.heads.of_other_kind(part.kind);
        for other in others.chain(part.places.other) {
            self.spend(0);
            if other.rank >= rank {
                if !other.is_implied && other.fixed <= part.places.fixed && self.contains(other, part) {
                    return true;
                }
            } else if may_be && other.rank > container && self.overlaps(other, part) {
                may_be = false;
            }
            if self.fuel.get() == 0 {
                return false;
            }
        }
        // A pattern contains none whose head is shorter, unless that begins with a star.
        let is_open = part.shape.literal_prefix().is_empty();
        let is_done = !is_open && (!may_be || !self.may_be_below(part, rank));
        if is_done {
            return may_be;
        }
        for other in self.below(part) {
            if other.rank >= rank {
                if is_open && !other.is_implied && other.fixed <= part.places.fixed && self.contains(other, part) {
                    return true;
                }
            } else if may_be && other.rank > container && self.overlaps(other, part) {
                may_be = false;
            }
            if !is_open && !may_be {
                break;
            }
        }
        may_be
    }

    /// The rank of the strongest rule of its kind but for one that contains the part; 0 if there is none. A rule that
    /// testers without wildcards understand is not redundant because of one that they don't.
    fn container(&self, part: &Compared<'l>, but: u32) -> u32 {
        let same = self.heads.of_kind(part.kind);
        let mut strongest = 0;
        for other in same.plain_chain(part.places.same) {
            self.spend(0);
            if other.rank > strongest
                && other.entry != but
                && !other.is_implied
                && (other.is_head || self.contains(other, part))
            {
                strongest = other.rank;
            }
        }
        if !part.shape.is_plain() {
            let equals = self.equals(part).filter(|other| other.entry != but && !other.is_implied);
            strongest = equals.map(|other| other.rank).fold(strongest, u32::max);
        }
        strongest
    }

    /// The parts of its kind that have its shape, including itself.
    fn equals<'s>(&'s self, part: &'s Compared<'l>) -> impl Iterator<Item = &'s Slot> {
        let same = self.heads.of_kind(part.kind);
        let is_equal = |slot: &&Slot| {
            self.spend(0);
            self.fuel.get() != 0 && self.part(slot.part).is_some_and(|other| other.shape == part.shape)
        };
        same.run(part.places.own).iter().take_while(is_equal).chain(same.before(part.places.own).take_while(is_equal))
    }

    /// The parts of the other kind whose heads begin with the head of this one, and are longer.
    fn below<'s>(&'s self, part: &'s Compared<'l>) -> impl Iterator<Item = &'s Slot> {
        let head = part.shape.literal_prefix();
        self.heads.of_other_kind(part.kind).run(part.places.later).iter().take_while(move |other| {
            self.spend(head.len());
            self.fuel.get() != 0
                && self.part(other.part).is_some_and(|other| other.shape.literal_prefix().starts_with(head))
        })
    }

    /// Whether one of them can have a lower rank: a pattern is at least as long as its head.
    fn may_be_below(&self, part: &Compared<'l>, rank: u32) -> bool {
        match self.options.precedence {
            Precedence::LongestMatch => {
                rank > rank_of(RuleKind::Disallow, part.shape.literal_prefix().len().saturating_add(1))
            }
            Precedence::FileOrder => true,
        }
    }

    fn entry(&self, at: u32) -> Option<&Candidate<'t>> {
        self.entries.get(at as usize)
    }

    fn part(&self, at: u32) -> Option<&Compared<'l>> {
        self.parts.get(at as usize)
    }

    fn rank(&self, part: &Compared<'l>) -> u32 {
        if part.is_implied { part.rank } else { self.entry(part.entry).map_or(0, |entry| entry.rank) }
    }

    fn spend(&self, bytes: usize) {
        let cost = bytes.wrapping_shr(5).saturating_add(1);
        self.fuel.set(self.fuel.get().saturating_sub(cost));
    }

    fn contains(&self, other: &Slot, part: &Compared<'l>) -> bool {
        let Some(other) = self.part(other.part) else { return false };
        self.spend(other.shape.len().saturating_add(part.shape.len()));
        other.shape.contains(&part.shape)
    }

    fn overlaps(&self, other: &Slot, part: &Compared<'l>) -> bool {
        let Some(other) = self.part(other.part) else { return false };
        self.spend(other.shape.len().saturating_add(part.shape.len()));
        other.shape.overlaps(&part.shape)
    }

    fn into_lines(self) -> Vec<Line<'t>> {
        let Self { entries, parts, heads, options, is_in_order, .. } = self;
        drop((parts, heads));
        let line = |entry: Candidate<'t>| Line { kind: entry.kind, pattern: entry.text, flags: Flags::ANY };
        let entries = entries.into_iter().filter(|entry| entry.counts);
        if is_in_order {
            return entries.map(line).collect();
        }
        // What is short is sorted, and not the entries: sorting holds twice what it sorts.
        let mut ranked: Vec<(u32, Line<'t>)> = entries.map(|entry| (entry.rank, line(entry))).collect();
        match options.precedence {
            Precedence::LongestMatch => {
                ranked.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.pattern.cmp(&right.1.pattern)));
            }
            // Halves lie together already; the plain one first.
            Precedence::FileOrder => ranked.sort_by_key(|(rank, _)| Reverse(*rank)),
        }
        ranked.into_iter().map(|(_, line)| line).collect()
    }
}

impl Heads {
    /// Gives the parts of a rule their ranks, if it counts.
    fn place(&mut self, parts: &[Compared<'_>], entry: &Candidate<'_>) {
        let rank_if = |rank: u32| if entry.counts { rank } else { 0 };
        if let Some(part) = parts.get(entry.part as usize) {
            self.set_rank(part, rank_if(entry.rank));
        }
        if let Some(part) = parts.get(entry.part.saturating_add(1) as usize).filter(|_| entry.has_implied) {
            self.set_rank(part, rank_if(part.rank));
        }
    }
}

/// Whether the page of an Allow is a name alone: for some readers only `/dir/index.html` allows `/dir/`, and not with a
/// star at its end. Where any page does, the directory is a rule of the text.
const fn ends_in_name(text: &[u8]) -> bool {
    !matches!(text, [.., b'*' | b'$'])
}

/// The part of `*/x` after its `*`. The two alternatives are made of it.
#[inline]
fn after_stars(text: &[u8]) -> Option<&[u8]> {
    let after = bytes::trim_start(text.strip_prefix(b"*")?, |byte| byte == b'*');
    after.starts_with(b"/").then_some(after)
}

/// The number of entries and of their parts. Allocates the exact size: growing would need three times that.
fn room_for(lines: &[Line<'_>], options: &Options) -> (usize, usize) {
    lines.iter().fold((0_usize, 0_usize), |(entries, parts), line| {
        let halves = if after_stars(&line.pattern).is_some() { 2_usize } else { 0 };
        let implied = usize::from(has_index_directory(line.kind, &line.pattern));
        let directory = if options.index_html { implied } else { 0 };
        let here = halves.saturating_add(directory).saturating_add(1);
        (entries.saturating_add(here), parts.saturating_add(here).saturating_add(implied))
    })
}

/// The rank under the longest match: by length, then Allow before Disallow.
fn rank_of(kind: RuleKind, length: usize) -> u32 {
    packed(length).saturating_mul(2).saturating_add(u32::from(kind == RuleKind::Allow))
}
