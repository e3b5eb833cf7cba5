//! What an edit changes, for each agent, in the standard dialect and in Google's.
//!
//! Invariant: an agent that is in no change gets the same answer for every URL and the same values from both files. This
//! was compared on the edited file itself. What could not be compared within the bounds is not known, and never nothing.

use std::collections::{HashMap, HashSet};

use robosieve::lines::FileLines;
use robosieve::records::{Parser, RecordSet};
use robosieve::settings::{Dialect, Interest};
use robosieve::{Options, Tester};
use robosieve_diff::{Comparison, Diff};

use super::edit::Edit;
use crate::crawlers::Crawler;
use crate::reading::{Content, Groups};
use robosieve_printable::escape;

/// The agents that are named of a change, for people.
const NAMED: usize = 3;

/// All that an edit changes.
#[derive(Default)]
pub(super) struct Effects {
    /// What changes for agents, in the order in which they were asked: `*` first.
    changes: Vec<Change>,
    /// Whether lines of the whole file differ.
    of_file: bool,
}

/// What changes in the same way for some agents.
struct Change {
    is_googles: bool,
    /// At least one. `*` stands for each that the file does not name.
    agents: Vec<String>,
    /// A path that is answered otherwise, and whether it is then allowed.
    flip: Option<(String, bool)>,
    /// Whether `/` is then allowed, if that changes.
    root: Option<bool>,
}

impl Effects {
    pub(super) const fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.of_file
    }

    /// Whether some agent may then fetch `/` and may not now.
    pub(super) fn opens_root(&self) -> bool {
        self.changes.iter().any(|change| change.root == Some(true))
    }

    /// Whether `/` is answered otherwise for some agent.
    pub(super) fn changes_root(&self) -> bool {
        self.changes.iter().any(|change| change.root.is_some())
    }

    /// What it changes, for people: the first change, and whether others are of Google alone.
    pub(super) fn words(&self) -> String {
        let mut words = Vec::new();
        if let Some(change) = self.changes.first() {
            // A file and a table spell a name in two ways.
            let mut seen = HashSet::new();
            let names: Vec<&String> =
                change.agents.iter().filter(|agent| seen.insert(agent.to_ascii_lowercase())).collect();
            let mut agents: Vec<String> =
                names.iter().take(NAMED).map(|agent| format!("`{}`", escape(agent.as_bytes()))).collect();
            let more = names.len().saturating_sub(agents.len());
            agents.extend((more > 0).then(|| format!("{more} more")));
            let (agents, google) = (agents.join(", "), self.changes.iter().all(|change| change.is_googles));
            let reader = if google { " at Google" } else { "" };
            words.push(match &change.flip {
                Some((path, allowed)) => {
                    let allowed = if *allowed { "allowed" } else { "disallowed" };
                    format!("changes answers{reader} for {agents}: {path} is then {allowed}")
                }
                None => format!("changes values{reader} for {agents}"),
            });
        }
        words.extend(self.of_file.then(|| "changes lines of the whole file".into()));
        if words.is_empty() { "changes no answer".into() } else { words.join(", and ") }
    }
}

/// An agent to compare: its name, and the tokens whose groups it uses, in lower case.
struct Asked {
    name: String,
    tokens: Vec<Vec<u8>>,
    uses_everyone: bool,
}

impl Asked {
    /// Whom to read a file for, in which it uses the groups of this name. Google's dialect would take the groups of all
    /// its tokens together ([names.dialect]).
    fn interest(&self, uses: Option<&[u8]>) -> Interest {
        match uses.filter(|name| *name != b"*") {
            Some(name) => Interest::new([name]).fallback(false),
            None => Interest::new(self.tokens.as_slice()).fallback(self.uses_everyone),
        }
    }

    /// `*`, and the known crawlers.
    fn always() -> Vec<Self> {
        let known = Crawler::all().map(|crawler| Self {
            name: crawler.token.to_string(),
            tokens: std::iter::once(crawler.token)
                .chain(crawler.fallbacks())
                .map(|token| token.to_ascii_lowercase().into_bytes())
                .collect(),
            uses_everyone: crawler.uses_everyone,
        });
        let everyone = Self { name: "*".into(), tokens: Vec::new(), uses_everyone: true };
        std::iter::once(everyone).chain(known).collect()
    }

    /// Those that one of the files names, by name.
    fn named(old: &Groups, new: &Groups) -> Vec<Self> {
        let mut tokens: Vec<&[u8]> = old.tokens().chain(new.tokens()).collect();
        tokens.sort_unstable();
        tokens.dedup();
        let named = tokens.into_iter().map(|token| Self {
            name: String::from_utf8_lossy(token).into_owned(),
            tokens: vec![token.to_vec()],
            uses_everyone: true,
        });
        named.collect()
    }
}

/// A file as it is read in a dialect.
struct Read<'a> {
    is_googles: bool,
    parser: Parser,
    set: RecordSet<'a>,
    groups: Groups,
}

impl<'a> Read<'a> {
    fn new(is_googles: bool, options: Options, input: &'a [u8]) -> Self {
        let parser = Parser::new(Options { max_details: 0, ..options.for_verdicts() });
        let set = parser.parse(input);
        Self { is_googles, groups: Groups::of(&set), parser, set }
    }
}

/// What may be spent: bytes to read in each dialect, some tenths of a second; agents to look up, by the same measure;
/// rules to compare, of which a [`Diff`] writes and sorts two portable texts, by the worst of the hostile files of the
/// tests; and steps of its searches, at most 80 instructions each, a tenth of a second. Our choice.
#[derive(Clone, Copy)]
struct Left {
    bytes: usize,
    look_ups: usize,
    rules: usize,
    steps: usize,
}

const ALL: Left = Left { bytes: 8_000_000, look_ups: 1_000_000, rules: 200_000, steps: 5_000_000 };

/// What could not be compared within the bounds.
struct Unknown;

/// A file, and what is left to spend on its edits.
pub(super) struct Proof<'a> {
    input: &'a [u8],
    readings: [Read<'a>; 2],
    always: Vec<Asked>,
    left: Left,
}

impl<'a> Proof<'a> {
    pub(super) fn new(input: &'a [u8], options: &Options) -> Self {
        let standard = Options {
            base_url: options.base_url.clone(),
            vocabulary: options.vocabulary.clone(),
            ..Dialect::Standard.options()
        };
        let google = Dialect::Google.options();
        let readings = [Read::new(false, standard, input), Read::new(true, google, input)];
        Self { input, readings, always: Asked::always(), left: ALL }
    }

    /// Gives the next comparisons what all before them had.
    pub(super) fn renew(&mut self) {
        self.left = ALL;
    }

    /// What edits of the file change together. None if that is not known within the bounds, or they do not fit.
    pub(super) fn of_edits<'e>(
        &mut self,
        edits: impl IntoIterator<Item = &'e Edit>,
        file: &FileLines<'_>,
    ) -> Option<Effects> {
        // Not even the edited file is made, if it cannot be read any more.
        self.left.bytes.checked_sub(self.input.len())?;
        self.effects(&Edit::apply(edits, file)?)
    }

    /// What changes if the file becomes this one. None if that is not known within the bounds.
    pub(super) fn effects(&mut self, edited: &[u8]) -> Option<Effects> {
        let mut effects = Effects::default();
        if edited == self.input {
            return Some(effects);
        }
        let Self { readings, always, left, .. } = self;
        left.bytes = left.bytes.checked_sub(edited.len())?;
        for old in readings {
            let set = old.parser.parse(edited);
            effects.of_file |= file_lines(&old.set) != file_lines(&set);
            let groups = Groups::of(&set);
            if !old.groups.is_same(&groups) {
                effects.changes.extend(changes(old, (&set, &groups), always, left).ok()?);
            }
        }
        Some(effects)
    }
}

/// What changes for agents. Those that get the same from both files share a change.
fn changes(
    old: &Read<'_>,
    new: (&RecordSet<'_>, &Groups),
    always: &[Asked],
    left: &mut Left,
) -> Result<Vec<Change>, Unknown> {
    let named = Asked::named(&old.groups, new.1);
    left.look_ups = left.look_ups.checked_sub(named.len().saturating_add(always.len())).ok_or(Unknown)?;
    let mut changes: Vec<Change> = Vec::new();
    let mut places: HashMap<[&[Content]; 2], Option<usize>> = HashMap::new();
    for asked in always.iter().chain(&named) {
        let (old_by, said) = old.groups.answering(&asked.tokens, asked.uses_everyone);
        let (new_by, says) = new.1.answering(&asked.tokens, asked.uses_everyone);
        if said == says && old.groups.shares_same(new.1) {
            continue;
        }
        if let Some(place) = places.get(&[said, says]) {
            let change = place.and_then(|place| changes.get_mut(place));
            // Those that use the groups of `*` are not named next to it.
            let is_everyone = [old_by, new_by].iter().all(|by| *by == Some(b"*"));
            let change = change.filter(|change| !is_everyone || change.agents.first().is_none_or(|name| name != "*"));
            if let Some(change) = change {
                change.agents.push(asked.name.clone());
            }
            continue;
        }
        let change = compared(asked, [(&old.set, old_by), (new.0, new_by)], left)?;
        places.insert([said, says], change.as_ref().map(|_| changes.len()));
        changes.extend(change.map(|change| Change { is_googles: old.is_googles, ..change }));
    }
    Ok(changes)
}

/// The change for an agent, if there is one.
fn compared(
    asked: &Asked,
    files: [(&RecordSet<'_>, Option<&[u8]>); 2],
    left: &mut Left,
) -> Result<Option<Change>, Unknown> {
    let [old, new] = files.map(|(set, uses)| set.filter_for(&asked.interest(uses)));
    let (Ok((old, _)), Ok((new, _))) = (old, new) else { return Err(Unknown) };
    let count = |set: &RecordSet<'_>| set.records().map(|record| record.rules().len()).sum::<usize>();
    left.rules = left.rules.checked_sub(count(&old).saturating_add(count(&new))).ok_or(Unknown)?;
    let diff = Diff::within(&old, &new, &mut left.steps);
    if diff.is_empty() {
        return Ok(None);
    }
    if diff.answers == Comparison::Unknown {
        return Err(Unknown);
    }
    let [before, after] = [&old, &new].map(|set| Tester::new(set, &Interest::everyone()).is_allowed("/"));
    Ok(Some(Change {
        is_googles: false,
        agents: vec![asked.name.clone()],
        flip: diff.flips.first().map(|flip| (flip.path.clone(), flip.allowed)),
        root: (before != after).then_some(after),
    }))
}

/// The lines of the whole file, in file order.
fn file_lines<'s>(set: &'s RecordSet<'_>) -> Vec<(&'s [u8], &'s [u8])> {
    let mut seen = HashSet::new();
    let lines = set.file_lines().iter().map(|line| -> (&[u8], &[u8]) { (line.name(), line.value()) });
    lines.filter(|line| seen.insert(*line)).collect()
}
