//! The rules of two files side by side, and which of them changed.
//!
//! Invariant: each pattern occurs once, with the number of its rule in each file, as the testers number rules. If the
//! two files answer a URL differently, a changed rule decides it in one of them.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry as Slot;
use alloc::vec::Vec;
use core::cmp::Reverse;

use robosieve::parts::{Literals, NO_NUMBER, kind_of, numbered, position_of};
use robosieve::records::{Rule, RuleKind};
use robosieve::settings::Precedence;
use robosieve::{Options, Tester};

/// The work is used up.
pub(crate) struct Over;

/// Takes steps from the remaining work.
pub(crate) fn spend(work: &mut usize, steps: usize) -> Result<(), Over> {
    let rest = work.checked_sub(steps);
    *work = rest.unwrap_or(0);
    rest.map(|_| ()).ok_or(Over)
}

/// The older file or the newer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Old,
    New,
}

impl Side {
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// One item for each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Both<T> {
    pub(crate) old: T,
    pub(crate) new: T,
}

impl<T> Both<T> {
    pub(crate) const fn of(&self, side: Side) -> &T {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    pub(crate) const fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }
}

/// A pattern, and in each file the number of the best rule with this pattern, or [`NO_NUMBER`].
#[derive(Clone, Debug)]
pub(crate) struct Pattern<'s> {
    pub(crate) literals: Literals<'s>,
    pub(crate) numbers: Both<u64>,
}

/// The answer of the rule with this number. Without a rule, the answer is Allow.
pub(crate) fn answer_of(number: u64) -> RuleKind {
    if number == NO_NUMBER { RuleKind::Allow } else { kind_of(number) }
}

/// A rule that only one file has, or that has a different order in both.
#[derive(Clone, Debug)]
pub(crate) struct Change<'s> {
    /// The rule, in the files that have it.
    pub(crate) rules: Both<Option<&'s Rule<'s>>>,
    /// The rule's pattern. If only its implied pattern changed, that one.
    pub(crate) pattern: Cow<'s, [u8]>,
    /// The index of this pattern in [`Sides::patterns`], and of the rule's other pattern if that also changed.
    pub(crate) places: (usize, Option<usize>),
}

/// The rules of two files.
pub(crate) struct Sides<'s> {
    /// Sorted by their fronts.
    pub(crate) patterns: Vec<Pattern<'s>>,
    /// For each pattern, the index of the nearest earlier one whose front is a prefix of its front.
    above: Vec<Option<usize>>,
    /// What is allowed regardless of the rules.
    always: Option<Pattern<'s>>,
    /// The rules that only one file has. Under longest match they are sorted by precedence.
    pub(crate) only: Both<Vec<Change<'s>>>,
    /// The rules that both files have in a different order, relative to other rules: the smallest set that explains
    /// the new order.
    pub(crate) moved: Vec<Change<'s>>,
}

/// Changes by the index of the rule in its file. If both files have it, by its index in the newer one.
#[derive(Default)]
struct Changes<'s>(BTreeMap<usize, Change<'s>>);

impl<'s> Changes<'s> {
    /// Adds a pattern to the change of its rule. `sides` are the files that have the rule; its index in the first of
    /// them counts.
    fn add(&mut self, testers: &Both<&'s Tester<'s>>, sides: &[Side], (place, pattern, numbers): Common<'_, 's>) {
        let Some(first) = sides.first() else { return };
        let rule = |side: Side| testers.of(side).rules().get(position_of(*numbers.of(side)));
        match self.0.entry(position_of(*numbers.of(*first))) {
            Slot::Vacant(slot) => {
                let mut rules = Both::default();
                for side in sides {
                    *rules.of_mut(*side) = rule(*side);
                }
                slot.insert(Change { rules, pattern: pattern.clone(), places: (place, None) });
            }
            Slot::Occupied(slot) => {
                let change = slot.into_mut();
                change.places.1 = Some(place);
                // Reports the rule's own pattern, not the implied one.
                if rule(*first).is_some_and(|rule| rule.pattern().as_bytes() == &**pattern) {
                    change.pattern.clone_from(pattern);
                }
            }
        }
    }

    fn in_order(self, side: Side, options: &Options) -> Vec<Change<'s>> {
        let mut changes: Vec<(usize, Change<'s>)> = self.0.into_iter().collect();
        if options.precedence == Precedence::LongestMatch {
            let kind = |change: &Change<'s>| change.rules.of(side).map(Rule::kind);
            changes.sort_by_key(|(_, change)| (Reverse(change.pattern.len()), kind(change)));
        }
        changes.into_iter().map(|(_, change)| change).collect()
    }
}

/// A pattern: its index in [`Sides::patterns`], the pattern, and its numbers.
type Common<'e, 's> = (usize, &'e Cow<'s, [u8]>, Both<u64>);

/// A pattern of a rule of one file.
struct Entry<'s> {
    pattern: Cow<'s, [u8]>,
    literals: Literals<'s>,
    side: Side,
    number: u64,
}

impl<'s> Sides<'s> {
    /// Compares the rules. Cost: sorts the patterns of both files.
    pub(crate) fn new(testers: Both<&'s Tester<'s>>, options: &Options) -> Self {
        let mut entries = entries_of(testers.old, Side::Old, options);
        entries.extend(entries_of(testers.new, Side::New, options));
        entries.sort_unstable_by(|left, right| {
            let key = |entry: &Entry<'s>| (entry.side, entry.number);
            let fronts = left.literals.literal_prefix().cmp(right.literals.literal_prefix());
            fronts.then_with(|| left.pattern.cmp(&right.pattern)).then_with(|| key(left).cmp(&key(right)))
        });
        let mut patterns = Vec::new();
        let mut only = Both::<Changes<'s>>::default();
        let mut common = Vec::new();
        for same in entries.chunk_by(|left, right| left.pattern == right.pattern) {
            let Some(first) = same.first() else { continue };
            let number = |side| same.iter().find(|entry| entry.side == side).map_or(NO_NUMBER, |entry| entry.number);
            let numbers = Both { old: number(Side::Old), new: number(Side::New) };
            let place = patterns.len();
            patterns.push(Pattern { literals: first.literals.clone(), numbers });
            let is_in_both = numbers.old != NO_NUMBER && numbers.new != NO_NUMBER;
            if is_in_both && answer_of(numbers.old) == answer_of(numbers.new) {
                common.push((place, &first.pattern, numbers));
                continue;
            }
            for side in [Side::Old, Side::New].into_iter().filter(|side| *numbers.of(*side) != NO_NUMBER) {
                only.of_mut(side).add(&testers, &[side], (place, &first.pattern, numbers));
            }
        }
        let mut moved = Changes::default();
        if options.precedence == Precedence::FileOrder {
            for changed in out_of_order(common) {
                moved.add(&testers, &[Side::New, Side::Old], changed);
            }
        }
        let only = Both { old: only.old.in_order(Side::Old, options), new: only.new.in_order(Side::New, options) };
        let always = options.robots_txt_allowed.then(|| Pattern {
            literals: Literals::of(ROBOTS_TXT, options.paths),
            numbers: Both { old: FIRST, new: FIRST },
        });
        Self { above: above(&patterns), patterns, always, only, moved: moved.in_order(Side::New, options) }
    }

    /// The patterns that can match a path of this one: the front of one of the two is a prefix of the other's front.
    /// Each pattern costs one step, plus one for each 16 bytes of the front.
    pub(crate) fn related(&self, place: usize, work: &mut usize) -> Result<Vec<&Pattern<'s>>, Over> {
        let front = |place: usize| self.patterns.get(place).map(|pattern| pattern.literals.literal_prefix());
        let own = front(place).unwrap_or_default();
        let cost = own.len().wrapping_div(16).saturating_add(1);
        let above = core::iter::successors(Some(place), |at| self.above.get(*at).copied().flatten());
        let below = (place.saturating_add(1)..).take_while(|at| front(*at).is_some_and(|other| other.starts_with(own)));
        let mut related: Vec<_> = self.always.iter().collect();
        for at in above.chain(below) {
            spend(work, cost)?;
            related.extend(self.patterns.get(at));
        }
        Ok(related)
    }
}

/// See [`Sides::above`]. Cost: the length of the fronts.
fn above(patterns: &[Pattern<'_>]) -> Vec<Option<usize>> {
    let mut above = Vec::with_capacity(patterns.len());
    // The patterns whose fronts are prefixes of the last pattern's front.
    let mut open: Vec<(usize, &[u8])> = Vec::new();
    for (place, pattern) in patterns.iter().enumerate() {
        let front = pattern.literals.literal_prefix();
        while open.pop_if(|(_, shorter)| !front.starts_with(shorter)).is_some() {}
        above.push(open.last().map(|(place, _)| *place));
        open.push((place, front));
    }
    above
}

/// `/robots.txt` is always allowed.
const ROBOTS_TXT: &[u8] = b"/robots.txt$";
/// The number of an Allow that decides before all other rules.
const FIRST: u64 = 0;

fn entries_of<'s>(tester: &'s Tester<'s>, side: Side, options: &Options) -> Vec<Entry<'s>> {
    let rules = tester.rules();
    let mut entries = Vec::with_capacity(rules.len());
    for (place, rule) in (0..).zip(rules) {
        let mut add = |pattern: Cow<'s, [u8]>, literals| {
            let number = numbered(options.precedence, pattern.len(), rule.kind(), place);
            entries.push(Entry { pattern, literals, side, number });
        };
        let pattern = rule.pattern().as_bytes();
        add(Cow::Borrowed(pattern), Literals::of(pattern, options.paths));
        if let Some(implied) = rule.implied_directory(options) {
            let literals = Literals::of(&implied, options.paths).into_owned();
            add(Cow::Owned(implied), literals);
        }
    }
    entries
}

/// Of patterns that both files have, those whose order changed: the others keep their order. Rules of one kind may
/// change places with each other.
fn out_of_order<'e, 's>(mut common: Vec<Common<'e, 's>>) -> Vec<Common<'e, 's>> {
    let kind = |(_, _, numbers): &Common<'_, '_>| answer_of(numbers.new);
    common.sort_by_key(|(place, _, numbers)| (numbers.new, *place));
    for similar in common.chunk_by_mut(|left, right| kind(left) == kind(right)) {
        similar.sort_by_key(|(place, _, numbers)| (numbers.old, *place));
    }
    let stays = longest_rise(&common.iter().map(|(place, _, numbers)| (numbers.old, *place)).collect::<Vec<_>>());
    let mut stays = stays.into_iter();
    common.retain(|_| stays.next() == Some(false));
    common
}

/// For each number, whether it belongs to the longest increasing subsequence. Cost: as sorting.
fn longest_rise<T: Ord>(numbers: &[T]) -> Vec<bool> {
    // For each length, the index of the last number of a rising row of that length. Of several rows, the one with the
    // lowest last number.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers.get(*end).is_some_and(|end| end < number));
        before.push(length.checked_sub(1).and_then(|length| ends.get(length).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut stays = alloc::vec![false; numbers.len()];
    let row = core::iter::successors(ends.last().copied(), |at| before.get(*at).copied().flatten());
    row.for_each(|at| stays.iter_mut().skip(at).take(1).for_each(|stays| *stays = true));
    stays
}
