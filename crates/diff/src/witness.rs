//! Searches for a URL that shows the effect of a changed rule: best first (A*), in the product of the patterns' automata.
//!
//! Invariant: the rule decides each path that is found, in its file, and the other file answers the path differently.
//! The search reads paths byte by byte with all patterns at once. It follows each combination of their states once,
//! so it ends. If it ends without a path and before the work is used up, no such path exists.

use alloc::collections::{BTreeSet, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::automaton::{Automaton, DEAD, DONE, State};
use crate::sides::{Both, Over, Pattern, Side, answer_of, spend};
use robosieve::parts::{NO_NUMBER, is_hex, is_unit, is_unreserved, is_url_byte, unhex};
use robosieve::settings::Style;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found<T> {
    /// A URL that shows the change.
    Witness(T),
    /// It is proven that there is none.
    Nothing,
    /// Unknown: the work was used up.
    Unknown,
}

/// A search for one rule, in the file of one side.
pub(crate) struct Search<'s> {
    automata: Vec<Automaton<'s>>,
    numbers: Vec<Both<u64>>,
    /// The index of the rule's pattern, and the number of the rule.
    rule: (u32, u64),
    side: Side,
    encoding: Style,
    nodes: Vec<Node>,
    /// The nodes by their hashes.
    known: BTreeSet<(u64, u32)>,
    /// The nodes to continue from. Nodes that seem to need the fewest bytes come first.
    queue: BinaryHeap<Reverse<(usize, u32)>>,
    /// The number of steps that are left.
    work: &'s mut usize,
    /// The number of patterns that further nodes may contain.
    room: usize,
}

/// A path. It represents all paths for which the same further bytes lead to the same result.
#[derive(Clone)]
struct Node {
    parent: u32,
    depth: u32,
    byte: u8,
    escape: Escape,
    /// The numbers of the best rules that already match, before any rest. On the side of the search this is its
    /// rule, or none.
    best: Both<u64>,
    /// The patterns that can still matter, with their states.
    live: Vec<(u32, State)>,
}

impl Node {
    fn is_like(&self, other: &Self) -> bool {
        self.best == other.best && self.escape == other.escape && self.live == other.live
    }

    fn hash(&self) -> u64 {
        let live = self.live.iter().map(|(at, state)| u64::from(*at) << 32 | u64::from(*state));
        let parts = [self.best.old, self.best.new, self.escape.as_number()].into_iter().chain(live);
        parts.fold(0, |hash: u64, part| (hash.rotate_left(5) ^ part).wrapping_mul(0x517C_C1B7_2722_0A95))
    }
}

impl<'s> Search<'s> {
    /// Searches the paths that `rule` decides on its side. `patterns` are all patterns that can match one of these
    /// paths, including that of `rule`. If `is_shown` rejects a path, the search continues.
    pub(crate) fn run<T>(
        patterns: &[&'s Pattern<'_>],
        rule: &Pattern<'_>,
        side: Side,
        encoding: Style,
        work: &'s mut usize,
        is_shown: impl FnMut(&[u8], &mut usize) -> Option<T>,
    ) -> Found<T> {
        let place = patterns.iter().position(|pattern| core::ptr::eq(*pattern, rule));
        let Some(place) = place.and_then(|place| u32::try_from(place).ok()) else { return Found::Unknown };
        let mut search = Self {
            automata: Vec::with_capacity(patterns.len()),
            numbers: patterns.iter().map(|pattern| pattern.numbers).collect(),
            rule: (place, *rule.numbers.of(side)),
            side,
            encoding,
            nodes: Vec::new(),
            known: BTreeSet::new(),
            queue: BinaryHeap::new(),
            work,
            room: ROOM,
        };
        search.find(patterns, is_shown).unwrap_or(Found::Unknown)
    }

    fn find<T>(
        &mut self,
        patterns: &[&'s Pattern<'_>],
        mut is_shown: impl FnMut(&[u8], &mut usize) -> Option<T>,
    ) -> Result<Found<T>, Over> {
        let mut live = Vec::with_capacity(patterns.len());
        for (pattern, at) in patterns.iter().zip(0..) {
            spend(self.work, pattern.literals.bytes.len())?;
            let automaton = Automaton::new(&pattern.literals).ok_or(Over)?;
            live.push((at, automaton.start()));
            self.automata.push(automaton);
        }
        let best = Both { old: NO_NUMBER, new: NO_NUMBER };
        let nothing = Node { parent: 0, depth: 0, byte: 0, escape: Escape::None, best, live };
        let mut was_refused = false;
        // Every path begins with a slash.
        let mut next = Some((nothing, alloc::vec![b'/']));
        while let Some((node, bytes)) = next {
            for byte in bytes {
                let Some(at) = self.follow(&node, byte)? else { continue };
                match is_shown(&self.path(at), self.work) {
                    Some(witness) => return Ok(Found::Witness(witness)),
                    None => was_refused = true,
                }
            }
            next = self.next_node()?;
        }
        Ok(if was_refused { Found::Unknown } else { Found::Nothing })
    }

    /// The next node to continue from, prepared to be a parent, and the bytes to continue with.
    fn next_node(&mut self) -> Result<Option<(Node, Vec<u8>)>, Over> {
        let next = self.queue.pop().map(|Reverse((_, at))| (at, self.nodes.get(at as usize)));
        let Some((at, Some(node))) = next else { return Ok(None) };
        let node = Node { parent: at, ..node.clone() };
        spend(self.work, node.live.len().saturating_add(NODE))?;
        let bytes = self.bytes_behind(&node);
        Ok(Some((node, bytes)))
    }

    /// The bytes that the patterns expect, and one byte that represents all others.
    fn bytes_behind(&self, node: &Node) -> Vec<u8> {
        let of_rule = node.live.iter().find(|(at, _)| *at == self.rule.0);
        let in_front = of_rule.filter(|(at, state)| self.automaton(*at).is_some_and(|it| it.is_in_front(*state)));
        // If the rule is still in its front, any other byte excludes it.
        let live = in_front.map_or(&node.live[..], core::slice::from_ref);
        let expected = |(at, state): &(u32, State)| self.automaton(*at).map(|it| it.expected(*state));
        let mut bytes: Vec<u8> = live.iter().filter_map(expected).flatten().collect();
        bytes.sort_unstable();
        bytes.dedup();
        if in_front.is_none() {
            let may_follow = |byte: &u8| !bytes.contains(byte) && node.escape.with(*byte, self.encoding).is_some();
            bytes.extend(OTHERS.iter().copied().find(may_follow));
        }
        bytes
    }

    /// Adds the node that this byte leads to, unless it is known or cannot lead to a witness. Returns its index if
    /// the path that ends there is a witness.
    fn follow(&mut self, from: &Node, byte: u8) -> Result<Option<u32>, Over> {
        spend(self.work, from.live.len().saturating_add(NODE))?;
        let Some(node) = self.stepped(from, byte) else { return Ok(None) };
        let hash = node.hash();
        let mut similar = self.known.range((hash, 0)..=(hash, u32::MAX));
        if similar.any(|(_, at)| self.nodes.get(*at as usize).is_some_and(|known| known.is_like(&node))) {
            return Ok(None);
        }
        let at = u32::try_from(self.nodes.len()).map_err(|_| Over)?;
        spend(&mut self.room, node.live.len().saturating_add(NODE))?;
        let is_witness = self.is_witness(&node);
        self.known.insert((hash, at));
        self.queue.push(Reverse((self.wants(&node).saturating_add(node.depth as usize), at)));
        self.nodes.push(node);
        Ok(is_witness.then_some(at))
    }

    /// The node after this byte. None if no path can begin in this way, or if no such path can be a witness.
    fn stepped(&self, from: &Node, byte: u8) -> Option<Node> {
        let escape = from.escape.with(byte, self.encoding)?;
        let (rule, number) = self.rule;
        let mut best = from.best;
        let mut live = Vec::with_capacity(from.live.len());
        for &(at, state) in &from.live {
            match self.automaton(at)?.step(state, byte) {
                DEAD if at == rule => return None,
                DEAD => {}
                DONE if self.number(at, self.side) < number => return None,
                DONE => {
                    if at == rule {
                        *best.of_mut(self.side) = number;
                    }
                    let other = best.of_mut(self.side.other());
                    *other = self.number(at, self.side.other()).min(*other);
                }
                state => live.push((at, state)),
            }
        }
        let decided = *best.of(self.side.other());
        live.retain(|(at, _)| {
            // The other patterns decide in neither file.
            *at == rule || self.number(*at, self.side) < number || self.number(*at, self.side.other()) < decided
        });
        let depth = from.depth.saturating_add(1);
        let node = Node { parent: from.parent, depth, byte, escape, best, live };
        let is_open = answer_of(decided) != answer_of(number) || self.against(&node).next().is_some();
        is_open.then_some(node)
    }

    /// The live patterns that would give the opposite answer in the other file.
    fn against<'n>(&self, node: &'n Node) -> impl Iterator<Item = &'n (u32, State)> {
        let decided = *node.best.of(self.side.other());
        node.live.iter().filter(move |(at, _)| {
            let number = self.number(*at, self.side.other());
            number < decided && answer_of(number) != answer_of(self.rule.1)
        })
    }

    /// Whether the rule decides a path that ends here, and the other file answers it differently.
    fn is_witness(&self, node: &Node) -> bool {
        let mut best = node.best;
        let ended = |&&(at, state): &&(u32, State)| self.automaton(at).is_some_and(|it| it.accepts(state));
        for (at, _) in node.live.iter().filter(ended) {
            let own = best.of_mut(self.side);
            *own = self.number(*at, self.side).min(*own);
            let other = best.of_mut(self.side.other());
            *other = self.number(*at, self.side.other()).min(*other);
        }
        *best.of(self.side) == self.rule.1 && answer_of(*best.of(self.side.other())) != answer_of(self.rule.1)
    }

    /// An estimate of the number of bytes that a witness still needs.
    fn wants(&self, node: &Node) -> usize {
        let wants = |(at, state): &(u32, State)| self.automaton(*at).map_or(0, |it| it.wants(*state));
        let of_rule = node.live.iter().find(|(at, _)| *at == self.rule.0).map_or(0, wants);
        if answer_of(*node.best.of(self.side.other())) != answer_of(self.rule.1) {
            return of_rule;
        }
        of_rule.max(self.against(node).map(wants).min().unwrap_or(0))
    }

    fn path(&self, mut at: u32) -> Vec<u8> {
        let mut path = Vec::new();
        while let Some(node) = self.nodes.get(at as usize) {
            path.push(node.byte);
            if at == 0 {
                break;
            }
            at = node.parent;
        }
        path.reverse();
        path
    }

    fn automaton(&self, at: u32) -> Option<&Automaton<'s>> {
        self.automata.get(at as usize)
    }

    fn number(&self, at: u32, side: Side) -> u64 {
        self.numbers.get(at as usize).map_or(NO_NUMBER, |numbers| *numbers.of(side))
    }
}

/// The maximum number of patterns in all nodes together. Our choice: 2 MiB.
const ROOM: usize = 100_000;

/// The cost of a node, in addition to one step for each of its patterns.
const NODE: usize = 8;

/// Bytes that can represent all bytes that no pattern expects. The most readable come first.
/// The last two are the units of a literal `$` and `*`.
const OTHERS: &[u8] =
    b"xyzwvutsrqponmlkjihgXYZWVUTSRQPONMLKJIHG0123456789abcdefABCDEF-_.~/?=&;:,+!'()@[]%$*\"<>\\^`{|} \xA4\xAA";

/// Whether a path ends with an incomplete escape. Paths are normalised, so not every escape can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    /// `%`, or `%` and a digit. The flag: the byte before the `%` could form an escape with a digit.
    Begun(bool, Option<u8>),
}

impl Escape {
    /// The same after one more byte. None if no normalised path contains that.
    fn with(self, byte: u8, encoding: Style) -> Option<Self> {
        if encoding == Style::Google {
            // A client may send a blank, although URLs contain none. Clients do not send controls, and `#` ends a
            // path.
            return (matches!(byte, b' '..=b'~') && byte != b'#').then_some(Self::None);
        }
        if is_unit(byte) {
            return Some(Self::None);
        }
        if !is_url_byte(byte) || matches!(byte, b'*' | b'$') {
            return None;
        }
        match (self, byte) {
            (Self::None, b'%') => Some(Self::Begun(false, None)),
            (Self::Begun(..), b'%') => Some(Self::Begun(true, None)),
            (Self::Begun(may_join, None), _) if is_hex(byte) => Some(Self::Begun(may_join, Some(byte))),
            (Self::Begun(may_join, Some(high)), _) if is_hex(byte) => {
                let escaped = unhex(high, byte)?;
                let is_upper = !high.is_ascii_lowercase() && !byte.is_ascii_lowercase();
                // `%%34` is kept, because decoding it could form another escape with the first `%`.
                let stays = match escaped {
                    // These are written as units.
                    b'*' | b'$' => false,
                    _ => !is_unreserved(escaped) || may_join && is_hex(escaped),
                };
                (is_upper && stays).then_some(Self::None)
            }
            _ => Some(Self::None),
        }
    }

    fn as_number(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Begun(may_join, digit) => 1 | u64::from(may_join) << 1 | u64::from(digit.unwrap_or(0)) << 2,
        }
    }
}

/// Runs a function with a part of the work. Puts back what the function did not use.
pub(crate) fn with_part<T>(work: &mut usize, most: usize, run: impl FnOnce(&mut usize) -> T) -> T {
    let mut part = most.min(*work);
    *work = work.saturating_sub(part);
    let done = run(&mut part);
    *work = work.saturating_add(part);
    done
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use robosieve::parts::UrlPath;
    use robosieve::settings::PathForm;

    #[test]
    fn an_escape_is_allowed_if_normalising_keeps_it() {
        const BYTES: &[u8] = b"%234aAx";
        let form = PathForm::default();
        for length in 0..7_u32 {
            for number in 0..BYTES.len().pow(length) {
                let byte = |place: u32| BYTES.get(number / BYTES.len().pow(place) % BYTES.len()).copied();
                let path: Vec<u8> = core::iter::once(b'/').chain((0..length).filter_map(byte)).collect();
                let is_kept = UrlPath::of(&path, form).compared() == &path[..];
                let read = path.iter().try_fold(Escape::None, |escape, byte| escape.with(*byte, form.encoding));
                assert_eq!(read.is_some(), is_kept, "{:?}", core::str::from_utf8(&path));
            }
        }
    }
}
