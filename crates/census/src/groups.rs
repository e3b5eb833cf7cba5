//! Which group of a file answers each crawler, and what it says: once for all crawlers of a group.
//!
//! Invariant: an answer is that of [`Selection::of`] for the crawler alone. Crawlers share one if no group names them,
//! or if the same groups do and all lines of these are for all their agents.

use std::collections::HashMap;
use std::num::NonZeroU32;

use robosieve::records::{AgentLine, AnsweredBy, RecordSet, Selection};
use robosieve::settings::{Interest, Style};

use crate::agents::Asked;
use crate::answer::{Answer, Nature};

/// Finds the crawlers that a user-agent line may name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// For each name in small letters: the places of the crawlers, and that of the name in each one's order of
    /// preference.
    places: HashMap<Vec<u8>, Vec<(u32, u32)>>,
    /// Crawlers that could mean several groups at once. If a line names one, it is asked about alone.
    alone: Vec<u32>,
}

/// The answer for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Answered {
    /// Whether a line names the crawler itself. `*` names nobody.
    pub(crate) named: bool,
    /// The first user-agent line of the first group that answers.
    pub(crate) line: Option<u32>,
    /// The place of the answer.
    pub(crate) answer: usize,
}

/// A user-agent line that names a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    place: u32,
    preference: u32,
    record: u32,
    line: u32,
}

impl Index {
    /// `is_union`: whether the groups of all names of a crawler are taken together.
    pub(crate) fn new(asked: &[Asked], is_union: bool) -> Self {
        let mut index = Self::default();
        for (place, one) in (0..).zip(asked) {
            let agents = || one.groups.agents.iter();
            let is_alone = agents().any(|agent| agent.names().len() > 1) || is_union && agents().count() > 1;
            if is_alone {
                index.alone.push(place);
            }
            for (preference, agent) in (0..).zip(agents()) {
                let tokens = agent.names().map(str::as_bytes);
                for name in tokens.chain([agent.as_bstr().as_ref()]) {
                    let places = index.places.entry(name.to_ascii_lowercase()).or_default();
                    if !places.contains(&(place, preference)) {
                        places.push((place, preference));
                    }
                }
            }
        }
        index
    }

    /// Answers for the crawlers that the index was made of. Cost: looks up each user-agent line, and reads the file's
    /// groups once for each answer that is not there yet.
    pub(crate) fn answers(&self, asked: &[Asked], answers: &mut Answers<'_, '_, '_>) -> Vec<Answered> {
        let mut named = self.named(answers.set, asked);
        named.sort_unstable();
        let mut rest = &*named;
        let answered = (0..).zip(asked).map(|(place, one)| {
            let of_it = rest.iter().take_while(|named| named.place == place).count();
            let (own, others) = rest.split_at(of_it.min(rest.len()));
            rest = others;
            let is_alone = !own.is_empty() && self.alone.binary_search(&place).is_ok();
            if is_alone { answers.alone(one) } else { answers.answer(one, own) }
        });
        answered.collect()
    }

    fn named(&self, set: &RecordSet<'_>, asked: &[Asked]) -> Vec<Named> {
        let mut found = Vec::new();
        let (form, mut name) = (set.options().agents, Vec::new());
        for (record, group) in (0..).zip(set.records()) {
            for agent in group.agents() {
                let text: &[u8] = agent.name().as_ref();
                let mut last = usize::MAX;
                for length in lengths(text, form) {
                    if length == last {
                        continue;
                    }
                    last = length;
                    name.clear();
                    name.extend(text.iter().take(length).map(u8::to_ascii_lowercase));
                    for &(place, preference) in self.places.get(&name).into_iter().flatten() {
                        let agents = asked.get(place as usize).map(|one| &one.groups.agents);
                        let is_it = agents.and_then(|agents| agents.iter().nth(preference as usize));
                        if is_it.is_some_and(|it| agent.names(it, form)) {
                            found.push(Named {
                                place,
                                preference,
                                record,
                                line: agent.line().map_or(0, NonZeroU32::get),
                            });
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The lengths that a crawler's name at the front of a user-agent line can have: letters with or without digits and
/// dots go up to the first other byte.
fn lengths(text: &[u8], form: Style) -> [usize; 4] {
    let up_to = |digits: bool, dots: bool| {
        let goes_on = |byte: &&u8| match **byte {
            b'0'..=b'9' => digits,
            b'.' => dots,
            other => other.is_ascii_alphabetic() || matches!(other, b'_' | b'-'),
        };
        text.iter().take_while(goes_on).count()
    };
    match form {
        Style::Google => [text.len(); 4],
        _ => [up_to(false, false), up_to(true, false), up_to(false, true), up_to(true, true)],
    }
}

/// The groups, and the lines if not all of their lines are for all their agents.
type Key = (Vec<u32>, Vec<u32>);

/// The answers of a file. Crawlers of several lists share them.
pub(crate) struct Answers<'s, 'a, 'w> {
    set: &'s RecordSet<'a>,
    nature: Nature,
    work: &'w mut usize,
    /// Each once.
    pub(crate) made: Vec<Answer>,
    known: HashMap<Key, usize>,
    /// The answers for those that no line names: by the groups for `*`, and without them.
    everyones: Option<Answered>,
    nobodys: Option<Answered>,
}

impl<'s, 'a, 'w> Answers<'s, 'a, 'w> {
    pub(crate) fn new(set: &'s RecordSet<'a>, nature: Nature, work: &'w mut usize) -> Self {
        Self { set, nature, work, made: Vec::new(), known: HashMap::new(), everyones: None, nobodys: None }
    }

    /// The answer for those that no group names.
    pub(crate) fn everyone(&mut self) -> Answered {
        self.unnamed(true)
    }

    /// The answer for a crawler that these lines name.
    fn answer(&mut self, one: &Asked, named: &[Named]) -> Answered {
        let Some(first) = named.first() else { return self.unnamed(one.groups.fallback) };
        // The most preferred name that has a group.
        let own = named.iter().take_while(|one| one.preference == first.preference);
        let mut groups: Vec<u32> = own.clone().map(|one| one.record).collect();
        groups.dedup();
        let lines = if self.is_shared(&groups) { Vec::new() } else { own.map(|one| one.line).collect() };
        let line = groups.first().and_then(|group| self.line_of(*group as usize));
        let answer = self.known((groups, lines), one.groups.interest());
        Answered { named: first.preference == 0, line, answer }
    }

    /// The answer for a crawler that no line names. `fallback`: whether it obeys `*`.
    fn unnamed(&mut self, fallback: bool) -> Answered {
        let known = if fallback { self.everyones } else { self.nobodys };
        let answered = known.unwrap_or_else(|| {
            let everyone = Interest::everyone().fallback(fallback);
            let line = if fallback { self.line_with(AgentLine::is_everyone) } else { None };
            Answered { named: false, line, answer: self.add(&Selection::of(self.set, &everyone)) }
        });
        *(if fallback { &mut self.everyones } else { &mut self.nobodys }) = Some(answered);
        answered
    }

    /// The answer for a crawler that could mean several groups.
    fn alone(&mut self, one: &Asked) -> Answered {
        let groups = one.groups.within(self.set);
        let selection = Selection::of(self.set, &groups);
        let (named, line) = match selection.answered_by() {
            AnsweredBy::Agent(place) => {
                // Of several names that are taken together, one can be left.
                let name = groups.agents.iter().nth(place);
                let is_first = name.is_some() && name == one.groups.agents.iter().next();
                let form = self.set.options().agents;
                (is_first, name.and_then(|name| self.line_with(|line| line.names(name, form))))
            }
            AnsweredBy::Everyone => (false, self.line_with(AgentLine::is_everyone)),
            AnsweredBy::Nobody => (false, None),
        };
        Answered { named, line, answer: self.add(&selection) }
    }

    fn known(&mut self, key: Key, interest: &Interest) -> usize {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let place = self.add(&Selection::of(self.set, interest));
        self.known.insert(key, place);
        place
    }

    /// The place of what these groups say.
    fn add(&mut self, selection: &Selection<'_, '_>) -> usize {
        let answer = Answer::of(selection, self.nature, self.work);
        let known = self.made.iter().position(|made| *made == answer);
        known.unwrap_or_else(|| {
            self.made.push(answer);
            self.made.len().saturating_sub(1)
        })
    }

    /// The first user-agent line of a group.
    fn line_of(&self, group: usize) -> Option<u32> {
        self.set.records().nth(group)?.agents().first()?.line().map(NonZeroU32::get)
    }

    /// The same of the first group that has such a line.
    fn line_with(&self, is_one: impl Fn(&AgentLine<'a>) -> bool) -> Option<u32> {
        self.line_of(self.set.records().position(|group| group.agents().iter().any(&is_one))?)
    }

    /// Whether all other lines of these groups are for all their agents.
    fn is_shared(&self, groups: &[u32]) -> bool {
        groups
            .iter()
            .filter_map(|group| self.set.records().nth(*group as usize))
            .all(|group| group.extensions().iter().all(|line| group.agents_of(line).len() == group.agents().len()))
    }
}
