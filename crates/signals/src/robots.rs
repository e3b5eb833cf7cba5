//! Reads robots.txt: whether the page may be fetched, and what its lines say of the use of the page.
//!
//! Invariant: the library says which lines are for the crawler and the page. What its report calls lost puts the file
//! in doubt, and a line that cannot be read forbids what its words forbid.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroU32;

use robosieve::lines::{FileLines, LineMeaning, LogicalLine};
use robosieve::parts::nearest_directive;
use robosieve::records::{AgentLine, Directive, Parser, RecordSet, Selection};
use robosieve::report::{FindingKind as Reported, Report};
use robosieve::settings::Interest;
use robosieve::{Options, Tester};
use robosieve_explain::{Answer, Groups, Who};
use robosieve_printable::escape_short;

use crate::finding::FindingKind;
use crate::preference;
use crate::record::{Record, Words};
use crate::statement::{Place, Said, Source};
use crate::uses::Use;

/// What is known of robots.txt.
#[derive(Clone, Debug)]
pub(crate) enum Robots<'p> {
    File(Cow<'p, [u8]>),
    /// Something was left out of it.
    Part(Cow<'p, [u8]>),
    /// Without it, the site is open or closed, for this reason.
    Site {
        is_open: bool,
        why: Cow<'p, str>,
    },
}

impl Robots<'_> {
    pub(crate) fn into_owned(self) -> Robots<'static> {
        match self {
            Self::File(bytes) => Robots::File(Cow::Owned(bytes.into_owned())),
            Self::Part(bytes) => Robots::Part(Cow::Owned(bytes.into_owned())),
            Self::Site { is_open, why } => Robots::Site { is_open, why: Cow::Owned(why.into_owned()) },
        }
    }

    pub(crate) fn lent(&self) -> Robots<'_> {
        match self {
            Self::File(bytes) => Robots::File(Cow::Borrowed(bytes)),
            Self::Part(bytes) => Robots::Part(Cow::Borrowed(bytes)),
            Self::Site { is_open, why } => Robots::Site { is_open: *is_open, why: Cow::Borrowed(why) },
        }
    }
}

/// The place of a line; 0 for none.
fn place(line: Option<NonZeroU32>) -> Place {
    Place { source: Source::RobotsTxt, place: line.map_or(0, NonZeroU32::get) }
}

/// Adds what is known of robots.txt. Whether the page may be fetched.
pub(crate) fn read(robots: &Robots<'_>, url: &[u8], options: &Options, groups: &Groups, record: &mut Record) -> bool {
    match robots {
        Robots::File(file) => Rules::read(file, options, groups).add(url, record),
        Robots::Part(file) => {
            let is_open = Rules::read(file, options, groups).add(url, record);
            record.doubt(FindingKind::Malformed, place(None), b"robots.txt");
            is_open
        }
        Robots::Site { is_open, why } => {
            let words = Words { at: place(None), may_allow: *is_open, is_preference: false, text: why.as_bytes() };
            record.say_always(words, if *is_open { Said::Yes } else { Said::No }(Use::Fetch));
            *is_open
        }
    }
}

/// A file, read for a crawler: it answers for each page of its site.
#[derive(Debug)]
pub(crate) struct Rules<'f> {
    tester: Tester<'f>,
    who: Who,
    /// The lines that were probably meant for the use of pages.
    meant: Vec<(Option<NonZeroU32>, String)>,
    /// The first loss of the library.
    loss: Option<(FindingKind, Option<NonZeroU32>)>,
    /// The lines of which the library left something out: the directive, the line, and its text.
    unread: Vec<Unread>,
    /// Whether there are more of them.
    has_more_unread: bool,
    /// The licences, with their lines.
    licenses: Vec<(Option<NonZeroU32>, Vec<u8>)>,
}

/// A line of which something was left out.
type Unread = (Directive, Option<NonZeroU32>, Vec<u8>);

/// The lines that say what a page may be used for.
const OF_USES: [Directive; 2] = [Directive::ContentUsage, Directive::ContentSignal];

impl<'f> Rules<'f> {
    pub(crate) fn read(robots: &'f [u8], options: &Options, groups: &Groups) -> Self {
        let options = groups.options(options.clone());
        let whole = Parser::new(options.clone()).parse_lines(robots);
        let file = Parser::new(options).for_agents(Interest::clone(groups)).parse_lines(robots);
        let meant = meant(&whole, file.records());
        let selection = Selection::of(file.records(), groups);
        let (tester, who) = (Tester::of(&selection), Who::new(selection.answered_by(), groups));
        let report = selection.report();
        let kind = if report.count(Reported::InputCut) > 0 { FindingKind::Cut } else { FindingKind::Malformed };
        let (unread, has_more_unread) = unread(&file, report);
        let of_file = file.records().file_lines();
        let named = of_file.iter().filter(|line| line.directive() == Directive::License);
        let licenses: Vec<_> = named.map(|line| (line.line(), line.value().to_vec())).collect();
        let loss = report.first_loss().map(|loss| (kind, loss.line));
        Self { tester, who, meant, loss, unread, has_more_unread, licenses }
    }

    /// Adds what the file says of a page. Whether it may be fetched. Cost: compares the URL with each line.
    pub(crate) fn add(&self, url: &[u8], record: &mut Record) -> bool {
        let answer = Answer::new(&self.tester.test(url), &self.who);
        record.add_room();
        let (at, why) = (place(answer.line.and_then(NonZeroU32::new)), answer.why());
        let words = Words { at, may_allow: true, is_preference: false, text: why.as_bytes() };
        let said = if answer.allowed { Said::Yes } else { Said::No };
        record.say_always(words, said(Use::Fetch));
        if let Some((kind, line)) = self.loss {
            record.doubt(kind, place(line), b"robots.txt");
        }
        if answer.allowed {
            for directive in OF_USES {
                let start = record.length();
                let is_read = self.uses(directive, url, record);
                if !self.add_unread(directive, record) || !is_read {
                    record.allow_nothing_since(start);
                    record.is_broken(Source::RobotsTxt, true);
                }
            }
            for (line, text) in &self.meant {
                record.find(FindingKind::Unknown, place(*line), text.as_bytes());
            }
        }
        for (line, value) in &self.licenses {
            record.license(place(*line), value, None);
        }
        answer.allowed
    }

    /// The lines that hold for the page. Whether all of them are well written.
    fn uses(&self, directive: Directive, url: &[u8], record: &mut Record) -> bool {
        let mut is_whole = true;
        for (line, value) in self.tester.values().uses_of(directive, url) {
            let between = if value.path.is_empty() { "" } else { " " };
            let front = format!("{}: {}{between}", line.name(), value.path);
            is_whole &= preference::said(directive, &value, place(line.line()), &front, record);
        }
        is_whole
    }

    /// Whether the library left nothing out of these lines.
    fn add_unread(&self, directive: Directive, record: &mut Record) -> bool {
        if self.has_more_unread {
            record.doubt(FindingKind::Malformed, place(None), b"robots.txt");
        }
        let mut is_whole = true;
        for (_, line, text) in self.unread.iter().filter(|(of, _, _)| *of == directive) {
            preference::broken(place(*line), text, text, record);
            is_whole = false;
        }
        is_whole
    }
}

/// The lines of which the library left something out, and whether its report does not list all.
fn unread(file: &FileLines<'_>, report: &Report) -> (Vec<Unread>, bool) {
    let is_one = |kind| matches!(kind, Reported::InvalidValue | Reported::RepairedValue);
    let mut details = report.details().iter().filter(|one| is_one(one.kind));
    let listed = details.clone().count();
    let counted = report.count(Reported::InvalidValue).saturating_add(report.count(Reported::RepairedValue));
    let has_more = u64::try_from(listed).is_ok_and(|listed| listed < counted);
    let mut found = Vec::new();
    while let Some(line) = details.next().and_then(|one| file.line_at(one.line)) {
        let value = line.value().map(|value| value.trim_ascii()).unwrap_or_default();
        let LineMeaning::Extension(directive) = line.meaning() else { continue };
        if OF_USES.contains(&directive) && preference::read_value(directive, value).is_none() {
            let name: &[u8] = line.name().map(|name| &**name).unwrap_or_default();
            found.push((directive, line.number(), [name, b": ", value].concat()));
        }
    }
    (found, has_more)
}

/// The lines that are listed as probably meant. Our choice: one says enough.
const MAX_MEANT: usize = 20;

/// `[signals.file]`: the lines of the groups that may apply whose names are one slip of the pen away from those of
/// uses.
fn meant(file: &FileLines<'_>, ours: &RecordSet<'_>) -> Vec<(Option<NonZeroU32>, String)> {
    let ours: BTreeSet<_> = ours.records().flat_map(|record| record.agents()).map(AgentLine::line).collect();
    // A line that is ignored is in no group: that of the user-agent line above it counts.
    let (mut group, mut is_ours) = (None, true);
    let of_line = |line: LogicalLine<'_, '_>| {
        if line.meaning() == LineMeaning::UserAgent {
            is_ours = ours.contains(&line.number()) || is_ours && group == line.group();
            group = line.group();
        }
        let name = line.name().filter(|_| is_ours && line.meaning() == LineMeaning::UnknownField)?;
        nearest_directive(name).filter(|directive| OF_USES.contains(directive))?;
        let text = [name, line.value()?.trim_ascii()].join(&b": "[..]);
        Some((line.number(), escape_short(&text)))
    };
    file.iter().filter_map(of_line).take(MAX_MEANT).collect()
}
