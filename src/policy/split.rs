//! Splits groups whose agents share the rules but not all values: which agents need a separate group in a text, and
//! whether that is cheap enough.
//!
//! Invariant: agents of one class have the same values in every record that they share. [`Copies`] limits the copies
//! of rules, so the size of a text for all agents stays proportional to the size of the file.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::policy::record::{AgentLine, ExtensionLine, Record, RecordSet, Rule};
use crate::policy::select::Part;
use crate::policy::spelling;
use crate::policy::value::CrawlDelay;
use crate::syntax::names::Directive;

/// Whether any value of a record applies to only some of its agents.
pub(crate) fn is_divided(record: &Record<'_, '_>) -> bool {
    record.extensions().iter().any(|line| !record.is_shared(line))
}

/// How many rules and values a text may repeat for agents that share rules but not all their values.
#[derive(Debug)]
pub(crate) struct Copies {
    bytes: usize,
    lines: usize,
    groups: usize,
}

impl Copies {
    /// Bytes that may be copied in any case, if the text has space for them. Our choice: a real file that needs
    /// copies needs a few kilobytes.
    const FLOOR: usize = 64 * 1024;

    /// Allows as many bytes as the set itself has, or [`Copies::FLOOR`], as long as the text and its records stay
    /// within the limits. `groups` is the number of groups before any is split.
    pub(crate) fn new(set: &RecordSet<'_>, groups: usize) -> Self {
        let agents = set.agents.iter().map(|agent| "User-agent: ".len().saturating_add(agent.name.as_bstr().len()));
        let lines = set.rules.len().saturating_add(set.extensions.len());
        let heads = set.entries.len().saturating_mul("\nDisallow:\n".len());
        let all = [agents.sum(), rule_bytes(set.rules.iter()), bytes_of(&set.extensions), bytes_of(&set.loose), heads];
        // Two bytes for a line end. Percent-encoding makes a name three times as long.
        let ends = set.agents.len().saturating_add(lines).saturating_add(set.loose.len()).saturating_mul(2);
        let written = all.into_iter().fold(ends, usize::saturating_add);
        Self {
            bytes: written.max(Self::FLOOR).min(set.reading.max_text.saturating_sub(written.saturating_mul(3))),
            lines: set.reading.max_lines.saturating_sub(lines),
            groups: set.reading.max_records.saturating_sub(groups),
        }
    }

    /// Reserves the cost of writing what these records share `times` more times. Returns false if that is too much.
    fn spend(&mut self, records: &[Record<'_, '_>], times: usize) -> bool {
        let (mut bytes, mut lines) = ("\nDisallow:\n".len().saturating_mul(2), 0_usize);
        for record in records {
            let shared = record.extensions().iter().filter(|line| record.is_shared(line));
            let shared = shared.map(|line| bytes_of(core::slice::from_ref(line)).saturating_add(2));
            bytes = bytes.saturating_add(rule_bytes(record.rules().iter())).saturating_add(shared.sum());
            lines = lines.saturating_add(record.rules().len()).saturating_add(record.extensions().len());
        }
        let left = |have: usize, each: usize| have.checked_sub(each.saturating_mul(times));
        let after = (left(self.bytes, bytes), left(self.lines, lines), left(self.groups, 1));
        let (Some(bytes), Some(lines), Some(groups)) = after else { return false };
        *self = Self { bytes, lines, groups };
        true
    }
}

fn rule_bytes<'r, 'a: 'r>(rules: impl Iterator<Item = &'r Rule<'a>>) -> usize {
    rules.fold(0, |sum, rule| sum.saturating_add(rule.pattern.len()).saturating_add("Disallow: \r\n".len()))
}

fn bytes_of(lines: &[ExtensionLine<'_>]) -> usize {
    lines
        .iter()
        .fold(0, |sum, line| sum.saturating_add(line.name.len()).saturating_add(line.value.len()).saturating_add(2))
}

/// The index of a record, and a line number in it.
type Place = (usize, u32);

/// Agents with the same values, and the parts of their records that contain those values.
pub(crate) struct Class<'s, 'a> {
    pub(crate) agents: Vec<AgentLine<'a>>,
    pub(crate) parts: Vec<Part<'s, 'a>>,
}

/// Divides the agents of these records into classes, in the order of their names. All the records name the same
/// agents. Returns none if copying what the agents share would cost too much.
pub(crate) fn classes<'s, 'a>(
    agents: &[AgentLine<'a>],
    records: &[Record<'s, 'a>],
    copies: &mut Copies,
) -> Option<Vec<Class<'s, 'a>>> {
    let blocks = Blocks::of(records);
    let mut lines: Vec<(Vec<u8>, Place)> = Vec::with_capacity(agents.len());
    for (place, record) in records.iter().enumerate() {
        let named = |agent: &AgentLine<'_>| (agent.name.as_bstr().to_ascii_lowercase(), (place, agent.line));
        lines.extend(record.agents().iter().map(named));
    }
    // This puts the names in the order of the agents.
    lines.sort_unstable();
    let mut lines_by_name = lines.chunk_by(|left, right| left.0 == right.0);
    let mut places: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let mut classes: Vec<Class<'s, 'a>> = Vec::new();
    // The lines of the first agent of each class. They represent the whole class.
    let mut firsts: Vec<Vec<Place>> = Vec::new();
    for agent in agents {
        let lines: Vec<Place> = lines_by_name.next().unwrap_or_default().iter().map(|line| line.1).collect();
        let place = *places.entry(blocks.said_to(&lines)).or_insert(classes.len());
        if let Some(class) = classes.get_mut(place) {
            class.agents.push(agent.clone());
        } else {
            classes.push(Class { agents: alloc::vec![agent.clone()], parts: Vec::new() });
            firsts.push(lines);
        }
    }
    if !copies.spend(records, classes.len().saturating_sub(1)) {
        return None;
    }
    drop((lines, places));
    for (number, (class, lines)) in classes.iter_mut().zip(firsts).enumerate() {
        class.parts = blocks.parts_for(&lines, records, number > 0);
    }
    Some(classes)
}

/// The values of a block of user-agent lines.
struct Block<'s, 'a> {
    /// The first of those lines.
    first: u32,
    values: &'s [ExtensionLine<'a>],
    /// Blocks with the same values have the same number.
    number: usize,
}

/// The values above the rules of some records, block by block.
struct Blocks<'s, 'a> {
    of_records: Vec<Vec<Block<'s, 'a>>>,
}

impl<'s, 'a> Blocks<'s, 'a> {
    fn of(records: &[Record<'s, 'a>]) -> Self {
        let mut numbers: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let of_records = records.iter().map(|record| {
            let blocks = record.extensions().chunk_by(|left, right| left.block == right.block);
            let of_block = |values: &'s [ExtensionLine<'a>]| {
                let first = values.first()?.block?.get();
                let next = numbers.len();
                Some(Block { first, values, number: *numbers.entry(said_by(values)).or_insert(next) })
            };
            blocks.filter_map(of_block).collect()
        });
        Self { of_records: of_records.collect() }
    }

    /// The numbers of the blocks whose values apply to the agent on these lines, sorted and without duplicates.
    fn said_to(&self, lines: &[Place]) -> Vec<usize> {
        let mut numbers: Vec<usize> =
            lines.iter().filter_map(|&line| self.above(line)).map(|block| block.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The block that contains a user-agent line, if the block has values.
    fn above(&self, (record, line): Place) -> Option<&Block<'s, 'a>> {
        let blocks = self.of_records.get(record)?;
        let behind = blocks.partition_point(|block| block.first <= line);
        let block = blocks.get(behind.checked_sub(1)?)?;
        block.values.first().filter(|value| value.is_for(line)).map(|_| block)
    }

    /// The records with the values for the agent on these lines. The lines are in file order.
    fn parts_for(&self, lines: &[Place], records: &[Record<'s, 'a>], is_copy: bool) -> Vec<Part<'s, 'a>> {
        let mut of_records = lines.chunk_by(|left, right| left.0 == right.0);
        let part = |record: &Record<'s, 'a>| {
            // Every record names the agent.
            let mut blocks: Vec<_> =
                of_records.next().unwrap_or_default().iter().filter_map(|&at| self.above(at)).collect();
            blocks.dedup_by_key(|block| block.first);
            let for_all = record.extensions().iter().rev().take_while(|line| line.block.is_none()).count();
            let from = record.extensions().len().saturating_sub(for_all);
            let below = record.extensions().get(from..).unwrap_or_default();
            let values = blocks.into_iter().flat_map(|block| block.values).chain(below).collect();
            Part { record: *record, values: Some(values), is_copy }
        };
        records.iter().map(part).collect()
    }
}

/// The meaning of lines, independent of spelling and order: of several crawl delays, only the longest counts.
fn said_by(lines: &[ExtensionLine<'_>]) -> Vec<u8> {
    let delay = |line: &ExtensionLine<'_>| {
        let is_delay = line.directive == Directive::CrawlDelay;
        is_delay.then(|| CrawlDelay::read(&line.value)).flatten().map(|delay| delay.as_duration())
    };
    let longest = lines.iter().filter_map(delay).max();
    let spelled = |line: &ExtensionLine<'_>| {
        let value = spelling::canonical(line.directive, &line.value)?;
        Some([&line.name, &b": "[..], &value, b"\n"].concat())
    };
    if let [line] = lines {
        return spelled(line).unwrap_or_default();
    }
    let mut said: Vec<Vec<u8>> = lines
        .iter()
        .filter(|line| line.directive != Directive::CrawlDelay || delay(line) == longest)
        .filter_map(spelled)
        .collect();
    said.sort_unstable();
    said.dedup();
    said.concat()
}

/// Whole records, with the values that apply to all of their agents.
pub(crate) fn undivided<'s, 'a>(records: Vec<Record<'s, 'a>>) -> Vec<Part<'s, 'a>> {
    let part = |record| Part { record, values: None, is_copy: false };
    records.into_iter().map(part).collect()
}
