//! Which group of a file answers each crawler, and what it says: once for all crawlers of a group.
//!
//! Invariant: an answer is that of [`Selection::of`] for the crawler alone. Crawlers share one if no group names them,
//! or if the same groups do and all lines of these are for all their agents.

use std::collections::HashMap;

use robosieve::agent::{AgentForm, AgentLine, AnsweredBy, Interest};
use robosieve::policy::{RecordSet, Selection};

use crate::agents::Asked;
use crate::answer::Nature;
use crate::normal::PolicyRow;
use crate::texts::Texts;

/// Finds the crawlers that a user-agent line may name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// For each name in small letters: the places of the crawlers, and that of the name in each one's order of
    /// preference.
    places: HashMap<Vec<u8>, Vec<(u32, u32)>>,
    /// Crawlers that could mean several groups at once. If a line names one, it is asked about alone.
    alone: Vec<u32>,
}

/// Whose group answers a crawler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Group {
    #[default]
    Nobody,
    Everyone,
    /// That of the name at this place in the crawler's order of preference.
    Own(usize),
}

/// The answer for a crawler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) group: Group,
    /// Whether a line names the crawler itself.
    pub(crate) named: bool,
    /// The first user-agent line with the name.
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
                let tokens = agent.names().map(|token| token.as_str().as_bytes());
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

    /// The places of the crawlers that a name in small letters could answer.
    pub(crate) fn places(&self, name: &[u8]) -> impl Iterator<Item = usize> {
        self.places.get(name).into_iter().flatten().filter_map(|(place, _)| usize::try_from(*place).ok())
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
        let (form, mut name) = (set.reading().agents, Vec::new());
        for (record, group) in (0..).zip(set.records()) {
            for agent in group.agents() {
                let text: &[u8] = agent.name().as_bstr().as_ref();
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
                        if is_it.is_some_and(|it| agent.name().names(it, form)) {
                            found.push(Named { place, preference, record, line: agent.line() });
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
pub(crate) fn lengths(text: &[u8], form: AgentForm) -> [usize; 4] {
    let up_to = |digits: bool, dots: bool| {
        let goes_on = |byte: &&u8| match **byte {
            b'0'..=b'9' => digits,
            b'.' => dots,
            other => other.is_ascii_alphabetic() || matches!(other, b'_' | b'-'),
        };
        text.iter().take_while(goes_on).count()
    };
    match form {
        AgentForm::Google => [text.len(); 4],
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
    /// The canonical texts of the answers, if they are wanted.
    pub(crate) texts: Option<Texts>,
    pub(crate) made: Vec<PolicyRow>,
    known: HashMap<Key, usize>,
    /// The answers for those that no line names: by the groups for `*`, and without them.
    everyones: Option<Answered>,
    nobodys: Option<Answered>,
}

impl<'s, 'a, 'w> Answers<'s, 'a, 'w> {
    /// `has_texts`: whether canonical texts are made.
    pub(crate) fn new(set: &'s RecordSet<'a>, nature: Nature, work: &'w mut usize, has_texts: bool) -> Self {
        let (made, known, texts) = (Vec::new(), HashMap::new(), has_texts.then(Texts::default));
        Self { set, nature, work, texts, made, known, everyones: None, nobodys: None }
    }

    /// The answer for a crawler that these lines name.
    fn answer(&mut self, one: &Asked, named: &[Named]) -> Answered {
        let Some(first) = named.first() else { return self.unnamed(one) };
        // The most preferred name that has a group.
        let own = named.iter().take_while(|one| one.preference == first.preference);
        let mut groups: Vec<u32> = own.clone().map(|one| one.record).collect();
        groups.dedup();
        let lines = if self.is_shared(&groups) { Vec::new() } else { own.clone().map(|one| one.line).collect() };
        let answer = self.known((groups, lines), one.groups.interest());
        let group = Group::Own(first.preference as usize);
        Answered { group, named: first.preference == 0, line: own.map(|one| one.line).min(), answer }
    }

    /// The answer for a crawler that no line names.
    fn unnamed(&mut self, one: &Asked) -> Answered {
        let fallback = one.groups.fallback;
        let known = if fallback { self.everyones } else { self.nobodys };
        let answered = known.unwrap_or_else(|| {
            let everyone = Interest::everyone().fallback(fallback);
            let line = if fallback { self.line_of_everyone() } else { None };
            let group = if line.is_some() { Group::Everyone } else { Group::Nobody };
            Answered { group, named: false, line, answer: self.add(Selection::of(self.set, &everyone), &everyone) }
        });
        *(if fallback { &mut self.everyones } else { &mut self.nobodys }) = Some(answered);
        Answered { named: one.is_everyone && answered.line.is_some(), ..answered }
    }

    /// The answer for a crawler that could mean several groups.
    fn alone(&mut self, one: &Asked) -> Answered {
        let groups = one.groups.within(self.set);
        let selection = Selection::of(self.set, &groups);
        let (group, named, line) = match selection.answered_by() {
            AnsweredBy::Agent(place) => {
                // Of several names that are taken together, one can be left.
                let name = groups.agents.iter().nth(place);
                let place = one.groups.agents.iter().position(|agent| Some(agent) == name).unwrap_or(place);
                let form = self.set.reading().agents;
                let line = name.and_then(|name| self.line_of(|line| line.name().names(name, form)));
                (Group::Own(place), place == 0, line)
            }
            AnsweredBy::Everyone => (Group::Everyone, false, self.line_of_everyone()),
            AnsweredBy::Nobody => (Group::Nobody, false, None),
        };
        Answered { group, named, line, answer: self.add(selection, &groups) }
    }

    fn add(&mut self, selection: Selection<'s, 'a>, interest: &Interest) -> usize {
        let mut answer = PolicyRow::answer(&selection, self.nature, self.work);
        if let Some(texts) = &mut self.texts {
            (answer.hash, answer.exact) = texts.add(self.set, interest, selection);
        }
        self.made.push(answer);
        self.made.len().saturating_sub(1)
    }

    fn known(&mut self, key: Key, interest: &Interest) -> usize {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let place = self.add(Selection::of(self.set, interest), interest);
        self.known.insert(key, place);
        place
    }

    fn line_of_everyone(&self) -> Option<u32> {
        self.line_of(|line| line.name().is_everyone())
    }

    /// The first user-agent line of this kind.
    fn line_of(&self, is_one: impl Fn(&AgentLine<'_>) -> bool) -> Option<u32> {
        self.set.records().flat_map(|group| group.agents().iter()).find(|line| is_one(line)).map(AgentLine::line)
    }

    /// Whether all other lines of these groups are for all their agents.
    fn is_shared(&self, groups: &[u32]) -> bool {
        groups
            .iter()
            .filter_map(|group| self.set.records().nth(*group as usize))
            .all(|group| group.extensions().iter().all(|line| group.agents_of(line).len() == group.agents().len()))
    }
}
