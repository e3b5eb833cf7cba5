//! Where the names of known crawlers are in the tables.
//!
//! Invariant: the compiler makes it from `data/`, so that a program that asks for one crawler, or for none, reads no
//! table when it starts. It holds numbers only: the loader has nothing to do for it.

/// The crawlers that their owners document, and after them those of which only the name is known.
const DATA: &str = concat!(include_str!("../../data/crawlers.tsv"), include_str!("../../data/listed.tsv"));

/// Where the second table begins.
const LISTED: usize = include_str!("../../data/crawlers.tsv").len();

/// The number of known crawlers.
pub(super) const COUNT: usize = count();

/// More than twice as many places as names, so that a look-up ends soon.
const SLOTS: usize = (COUNT * 2).next_power_of_two();

pub(super) static PLACES: Places = Places::read();

#[derive(Clone, Copy)]
struct Line {
    start: usize,
    name: usize,
    length: usize,
}

pub(super) struct Places {
    lines: [Line; COUNT],
    /// For each hash the place of a crawler and one more. 0: of none.
    slots: [u16; SLOTS],
    /// The length of the longest name.
    longest: usize,
}

impl Places {
    #[allow(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        reason = "it runs in the compiler only"
    )]
    const fn read() -> Self {
        let none = Line { start: 0, name: 0, length: 0 };
        let mut read = Self { lines: [none; COUNT], slots: [0; SLOTS], longest: 0 };
        let (mut place, mut start) = (0, 0);
        while let Some(line) = line_at(start) {
            if DATA.as_bytes()[start] != b'#' {
                read.lines[place] = line;
                place += 1;
                let name = DATA.as_bytes().split_at(start).1.split_at(line.name).0;
                let mut slot = hash(name) % SLOTS;
                while read.slots[slot] != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                read.slots[slot] = place as u16;
                read.longest = if line.name > read.longest { line.name } else { read.longest };
            }
            start += line.length + 1;
        }
        read
    }

    /// The crawler with this name, in any case.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        if name.len() > self.longest {
            return None;
        }
        let first = hash(name.as_bytes());
        let mut places = (0..SLOTS).map_while(|step| self.slots.get(first.wrapping_add(step) % SLOTS)?.checked_sub(1));
        places.find_map(|place| {
            let line = self.lines.get(usize::from(place))?;
            self.line(place.into()).get(..line.name)?.eq_ignore_ascii_case(name).then_some(place.into())
        })
    }

    /// The line of a crawler, without its end.
    pub(super) fn line(&self, place: usize) -> &'static str {
        let line = self.lines.get(place);
        let text = line.and_then(|line| DATA.get(line.start..)?.get(..line.length)).unwrap_or_default();
        // A checkout may have ends of lines of its own.
        text.trim_end_matches('\r')
    }

    /// Whether it is in the first table.
    pub(super) fn is_documented(&self, place: usize) -> bool {
        self.lines.get(place).is_some_and(|line| line.start < LISTED)
    }
}

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "it runs in the compiler only")]
const fn count() -> usize {
    let (mut count, mut start) = (0, 0);
    while let Some(line) = line_at(start) {
        if DATA.as_bytes()[start] != b'#' {
            count += 1;
        }
        start += line.length + 1;
    }
    count
}

/// The line that begins here.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "it runs in the compiler only")]
const fn line_at(start: usize) -> Option<Line> {
    let data = DATA.as_bytes();
    if start >= data.len() {
        return None;
    }
    let (mut name, mut length) = (None, 0);
    while start + length < data.len() && data[start + length] != b'\n' {
        if name.is_none() && data[start + length] == b'\t' {
            name = Some(length);
        }
        length += 1;
    }
    let name = match name {
        Some(name) => name,
        None => length,
    };
    Some(Line { start, name, length })
}

/// The function FNV-1a, the same for a letter in both cases.
#[allow(clippy::cast_lossless, reason = "`From` is not for the compiler's own evaluation")]
const fn hash(mut name: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    while let [first, rest @ ..] = name {
        hash = (hash ^ first.to_ascii_lowercase() as u32).wrapping_mul(0x0100_0193);
        name = rest;
    }
    hash as usize
}
