//! What an edit changes, for each agent, in the standard dialect and in Google's.
//!
//! Invariant: an agent that is in no change gets the same answer for every URL and the same values from both files.
//! This was compared on the edited file itself. What could not be compared within the bounds is no effect at all, but
//! none. The work of all edits of a file together is bounded.

use std::collections::{HashMap, HashSet};

use robosieve::Tester;
use robosieve::agent::Interest;
use robosieve::diff::{Comparison, Diff};
use robosieve::line::FileLines;
use robosieve::policy::{Parser, RecordSet, filter_for};
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Options};

use super::edit::Edit;
use super::quick::{self, Lines};
use crate::crawlers::Crawler;
use crate::reading::{Content, Groups};

/// The bytes that may be read for the edits of a file, in each dialect. Our choice, so that the law costs some
/// tenths of a second.
const MAX_BYTES: usize = 8_000_000;
/// The agents that may be looked up for the edits of a file. Our choice, by the same measure.
const MAX_LOOK_UPS: usize = 1_000_000;
/// The rules that may be compared, by sorting or by a [`Diff`]. Our choice, by the same measure.
const MAX_RULES: usize = 3_000_000;
/// As how many rules each one counts that a [`Diff`] compares: it writes and sorts two portable texts. Our choice, by the
/// worst of the hostile files of the tests.
const OF_A_DIFF: usize = 15;
/// The steps of the searches of [`Diff`]. A step is at most 80 instructions. Our choice: a tenth of a second.
const MAX_STEPS: usize = 5_000_000;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ReadAs {
    /// As RFC 9309 says.
    Standard,
    /// As Google's parser does.
    Google,
}

/// What an edit changes for some agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) read_as: ReadAs,
    /// The agents, `*` first. At least one.
    pub(super) agents: Vec<Affected>,
    /// A path that is answered otherwise, and whether it is now allowed.
    pub(super) flip: Option<(String, bool)>,
    /// Whether other lines for them differ: a delay, a use of content.
    pub(super) values: bool,
    /// Whether `/` is answered otherwise.
    pub(super) root: bool,
}

/// An agent whose answers change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Affected {
    pub(super) name: String,
    /// The name, in lower case, whose groups it uses in the old and in the new file: `*` for everyone.
    pub(super) uses: [Option<Vec<u8>>; 2],
}

/// All that an edit changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) of_agents: Vec<Effect>,
    /// Whether lines of the whole file differ.
    pub(super) of_file: bool,
}

impl Effects {
    pub(super) fn is_nothing(&self) -> bool {
        self.of_agents.is_empty() && !self.of_file
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
}

/// A file as it is read in a dialect.
pub(super) struct Read<'a> {
    by: ReadAs,
    parser: Parser,
    set: RecordSet<'a>,
}

impl<'a> Read<'a> {
    /// The standard dialect, and Google's.
    pub(super) fn both(input: &'a [u8], options: &Options) -> [Self; 2] {
        let read = |by, options: Options| {
            let parser = Parser::new(Options { max_details: 0, ..options.for_verdicts() });
            Self { by, set: parser.parse(input), parser }
        };
        let standard = Options { base_url: options.base_url.clone(), ..Dialect::Standard.options() };
        let standard = Options { vocabulary: options.vocabulary.clone(), ..standard };
        [read(ReadAs::Standard, standard), read(ReadAs::Google, Dialect::Google.options())]
    }
}

/// What edits are compared with.
struct Reading<'s, 'a> {
    file: &'s Read<'a>,
    groups: Groups,
    lines: Lines<'s>,
}

/// A file, and what is left to spend on its edits.
pub(super) struct Proof<'s, 'a> {
    input: &'a [u8],
    readings: [Reading<'s, 'a>; 2],
    known: Vec<Asked>,
    max_bytes: usize,
    bytes: usize,
    look_ups: usize,
    rules: usize,
    steps: usize,
}

impl<'s, 'a> Proof<'s, 'a> {
    pub(super) fn new(input: &'a [u8], read: &'s [Read<'a>; 2], options: &Options) -> Self {
        let reading = |file: &'s Read<'a>| Reading { file, groups: Groups::of(&file.set), lines: Lines::of(&file.set) };
        let known = Crawler::all().map(|crawler| Asked {
            name: crawler.token.to_string(),
            tokens: std::iter::once(crawler.token.to_string())
                .chain(crawler.fallbacks().map(ToOwned::to_owned))
                .map(|token| token.to_ascii_lowercase().into_bytes())
                .collect(),
            uses_everyone: crawler.uses_everyone,
        });
        Self {
            input,
            readings: read.each_ref().map(reading),
            known: known.collect(),
            max_bytes: options.limits.max_bytes.min(Options::default().limits.max_bytes),
            bytes: MAX_BYTES,
            look_ups: MAX_LOOK_UPS,
            rules: MAX_RULES,
            steps: MAX_STEPS,
        }
    }

    /// What an edit of the file changes. None if that is not known within the bounds.
    pub(super) fn of_edit(&mut self, edit: &Edit, file: &FileLines<'_>) -> Option<Effects> {
        let [standard, google] = &self.readings;
        let readings = [(&standard.file.parser, &standard.lines), (&google.file.parser, &google.lines)];
        // The standard dialect reads no more than this.
        let grown: usize = edit.lines.iter().map(|line| line.len().saturating_add(2)).sum();
        let is_read = self.input.len().saturating_add(grown) <= self.max_bytes;
        // An edit of a file that was decoded makes it UTF-8, which Google reads otherwise.
        let is_decoded = file.report().count(FindingKind::Decoded) > 0;
        if is_read && !is_decoded && quick::changes_nothing(edit, file, self.input, readings) {
            return Some(Effects::default());
        }
        // Not even the edited file is made, if it cannot be read any more.
        self.bytes.checked_sub(self.input.len())?;
        self.effects(&Edit::apply([edit], file)?)
    }

    /// Gives the comparisons of several edits together what those of single edits had.
    pub(super) fn renew(&mut self) {
        (self.bytes, self.look_ups, self.rules, self.steps) = (MAX_BYTES, MAX_LOOK_UPS, MAX_RULES, MAX_STEPS);
    }

    /// What changes if the file becomes this one. None if that is not known within the bounds.
    pub(super) fn effects(&mut self, edited: &[u8]) -> Option<Effects> {
        let mut effects = Effects::default();
        if edited == self.input {
            return Some(effects);
        }
        self.bytes = self.bytes.checked_sub(edited.len())?;
        let Self { readings, known, look_ups, rules, steps, .. } = self;
        for reading in readings {
            let set = reading.file.parser.parse(edited);
            let mut step = Step { old: reading, new: &set, groups: Groups::of(&set), known, look_ups, rules, steps };
            step.run(&mut effects)?;
        }
        Some(effects)
    }
}

/// The comparison of one edited file in one dialect.
struct Step<'s, 'a, 'e> {
    old: &'s Reading<'s, 'a>,
    new: &'s RecordSet<'e>,
    groups: Groups,
    known: &'s [Asked],
    look_ups: &'s mut usize,
    rules: &'s mut usize,
    steps: &'s mut usize,
}

/// What a comparison found.
enum Compared {
    Same,
    Changed(Effect),
}

/// What an agent gets from both files. Agents with the same two contents have the same change.
type Contents<'g> = [Vec<Content>; 2];

impl Step<'_, '_, '_> {
    fn run(&mut self, effects: &mut Effects) -> Option<()> {
        effects.of_file |= file_lines(&self.old.file.set) != file_lines(self.new);
        if self.old.groups.is_same(&self.groups) {
            return Some(());
        }
        let mut places: HashMap<Contents<'_>, Option<usize>> = HashMap::new();
        let everyone = Asked { name: "*".into(), tokens: Vec::new(), uses_everyone: true };
        let named = self.old.groups.tokens().chain(self.groups.tokens()).collect::<HashSet<_>>();
        let mut named: Vec<Asked> = named
            .into_iter()
            .map(|token| Asked {
                name: String::from_utf8_lossy(token).into_owned(),
                tokens: vec![token.to_vec()],
                uses_everyone: true,
            })
            .collect();
        named.sort_by(|one, other| one.name.cmp(&other.name));
        *self.look_ups = self.look_ups.checked_sub(named.len().saturating_add(self.known.len()))?;
        for asked in std::iter::once(&everyone).chain(self.known).chain(&named) {
            let (old_by, old) = self.old.groups.answering(&asked.tokens, asked.uses_everyone);
            let (new_by, new) = self.groups.answering(&asked.tokens, asked.uses_everyone);
            if old == new && self.old.groups.shares_same(&self.groups) {
                continue;
            }
            let affected =
                Affected { name: asked.name.clone(), uses: [old_by, new_by].map(|by| by.map(<[u8]>::to_vec)) };
            let key = [old.to_vec(), new.to_vec()];
            match places.get(&key) {
                Some(Some(place)) => effects.of_agents.get_mut(*place)?.agents.push(affected),
                Some(None) => {}
                None => {
                    let place = match self.compare(asked, affected)? {
                        Compared::Same => None,
                        Compared::Changed(effect) => {
                            effects.of_agents.push(effect);
                            effects.of_agents.len().checked_sub(1)
                        }
                    };
                    places.insert(key, place);
                }
            }
        }
        Some(())
    }

    /// The change for an agent. None if it is not known.
    fn compare(&mut self, asked: &Asked, affected: Affected) -> Option<Compared> {
        let [old, new] = affected.uses.each_ref().map(|by| asked.interest(by.as_deref()));
        let (old, _) = filter_for(&self.old.file.set, &old).ok()?;
        let (new, _) = filter_for(self.new, &new).ok()?;
        let count = |set: &RecordSet<'_>| set.records().map(|record| record.rules().len()).sum::<usize>();
        let both = count(&old).saturating_add(count(&new));
        *self.rules = self.rules.checked_sub(both)?;
        if quick::are_same(&old, &new) {
            return Some(Compared::Same);
        }
        *self.rules = self.rules.checked_sub(both.saturating_mul(OF_A_DIFF))?;
        let diff = Diff::within(&old, &new, self.steps);
        let values = !(diff.lines_added.is_empty() && diff.lines_removed.is_empty());
        if diff.is_empty() {
            return Some(Compared::Same);
        }
        let root = {
            let everyone = Interest::everyone();
            Tester::new(&old, &everyone).is_allowed("/") != Tester::new(&new, &everyone).is_allowed("/")
        };
        let flip = diff.flips.first().map(|flip| (flip.path.clone(), flip.allowed));
        if diff.answers == Comparison::Unknown {
            return None;
        }
        Some(Compared::Changed(Effect { read_as: self.old.file.by, agents: vec![affected], flip, values, root }))
    }
}

/// The lines of the whole file, in file order.
fn file_lines<'s>(set: &'s RecordSet<'_>) -> Vec<(&'s [u8], &'s [u8])> {
    let mut seen = HashSet::new();
    let lines = set.file_lines().iter().map(|line| -> (&[u8], &[u8]) { (line.name(), line.value()) });
    lines.filter(|line| seen.insert(*line)).collect()
}
