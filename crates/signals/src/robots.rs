//! Reads robots.txt: whether the page may be fetched, and what its lines say of the use of the page.
//!
//! Invariant: the library says which lines are for the crawler and the page. What its report calls lost puts the file
//! in doubt, and a line that cannot be read forbids what its words forbid.

use std::borrow::Cow;

use robosieve::agent::Interest;
use robosieve::line::{FileLines, LineMeaning};
use robosieve::policy::{Parser, Selection};
use robosieve::report::{FindingKind as Reported, Report};
use robosieve::settings::Options;
use robosieve::syntax::Directive;
use robosieve_explain::{Groups, Usage};

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
    /// It closes the site, for this reason.
    Closed(Cow<'p, str>),
}

impl Robots<'_> {
    pub(crate) fn into_owned(self) -> Robots<'static> {
        match self {
            Self::File(bytes) => Robots::File(Cow::Owned(bytes.into_owned())),
            Self::Part(bytes) => Robots::Part(Cow::Owned(bytes.into_owned())),
            Self::Closed(why) => Robots::Closed(Cow::Owned(why.into_owned())),
        }
    }

    pub(crate) fn lent(&self) -> Robots<'_> {
        match self {
            Self::File(bytes) => Robots::File(Cow::Borrowed(bytes)),
            Self::Part(bytes) => Robots::Part(Cow::Borrowed(bytes)),
            Self::Closed(why) => Robots::Closed(Cow::Borrowed(why)),
        }
    }
}

const fn place(line: u32) -> Place {
    Place { source: Source::RobotsTxt, place: line }
}

/// Adds what is known of robots.txt. Whether the page may be fetched.
pub(crate) fn read(robots: &Robots<'_>, url: &[u8], options: &Options, groups: &Groups, record: &mut Record) -> bool {
    match robots {
        Robots::File(file) => of_file(file, url, options, groups, record),
        Robots::Part(file) => {
            let is_open = of_file(file, url, options, groups, record);
            record.doubt(FindingKind::Malformed, place(0), b"robots.txt");
            is_open
        }
        Robots::Closed(why) => {
            let words = Words { at: place(0), may_allow: false, is_preference: false, text: why.as_bytes() };
            record.say_always(words, Said::No(Use::Fetch));
            false
        }
    }
}

fn of_file(robots: &[u8], url: &[u8], options: &Options, groups: &Groups, record: &mut Record) -> bool {
    let found = Usage::new(robots, options, groups, url);
    record.add_room();
    let (at, why) = (place(found.answer.line.unwrap_or(0)), found.answer.words());
    let words = Words { at, may_allow: true, is_preference: false, text: why.as_bytes() };
    let said = if found.answer.allowed { Said::Yes } else { Said::No };
    record.say_always(words, said(Use::Fetch));

    let parser = Parser::new(groups.options(options.clone())).for_agents(Interest::clone(groups));
    let file = parser.parse_lines(robots);
    let selection = Selection::of(file.records(), groups);
    let report = selection.report();
    if let Some(loss) = report.first_loss() {
        let kind = if report.count(Reported::InputCut) > 0 { FindingKind::Cut } else { FindingKind::Malformed };
        record.doubt(kind, place(loss.line), b"robots.txt");
    }
    if found.answer.allowed {
        for directive in [Directive::ContentUsage, Directive::ContentSignal] {
            let start = record.length();
            let is_read = uses(directive, &selection, url, record);
            if !unread(directive, &file, report, record) || !is_read {
                record.allow_nothing_since(start);
            }
        }
    }
    for line in &found.meant {
        record.find(FindingKind::Unknown, place(line.line), line.text.as_bytes());
    }
    for line in file.records().file_lines().iter().filter(|line| line.directive() == Directive::License) {
        record.license(place(line.line()), line.value(), None);
    }
    found.answer.allowed
}

/// The lines that hold for the page. Whether all of them are well written.
fn uses(directive: Directive, selection: &Selection<'_, '_>, url: &[u8], record: &mut Record) -> bool {
    let mut is_whole = true;
    for (line, value) in selection.values().uses_of(directive, url) {
        let between = if value.path.is_empty() { "" } else { " " };
        let front = format!("{}: {}{between}", line.name(), value.path);
        is_whole &= preference::said(directive, &value, place(line.line()), &front, record);
    }
    is_whole
}

/// The lines of which the library left something out. Whether there are none.
fn unread(directive: Directive, file: &FileLines<'_>, report: &Report, record: &mut Record) -> bool {
    let is_one = |kind| matches!(kind, Reported::InvalidValue | Reported::RepairedValue);
    let mut details = report.details().iter().filter(|one| is_one(one.kind));
    let listed = details.clone().count();
    let counted = report.count(Reported::InvalidValue).saturating_add(report.count(Reported::RepairedValue));
    if u64::try_from(listed).is_ok_and(|listed| listed < counted) {
        record.doubt(FindingKind::Malformed, place(0), b"robots.txt");
    }
    let mut is_whole = true;
    while let Some(line) = details.next().and_then(|one| file.line_at(one.line)) {
        let value = line.value().map(|value| value.trim_ascii()).unwrap_or_default();
        if line.meaning() == LineMeaning::Extension(directive) && preference::read_value(directive, value).is_none() {
            let name: &[u8] = line.name().map(|name| &**name).unwrap_or_default();
            let text = [name, b": ", value].concat();
            preference::broken(place(line.number()), &text, &text, record);
            is_whole = false;
        }
    }
    is_whole
}
