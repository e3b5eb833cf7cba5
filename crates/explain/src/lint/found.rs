//! The parser's findings, in the words of the file's owner.
//!
//! Invariant: each finding of the parser is a lint, but for the lines of a file that is no robots.txt and has no group:
//! these are counted.

use std::num::NonZeroU32;

use robosieve::lines::{FileLines, LineMeaning, LogicalLine, Part};
use robosieve::records::{Directive, RuleKind};
use robosieve::report::{Effect, Finding, FindingKind};

use super::advice::{self, Site};
use super::drafts::{Draft, Drafts, Unlisted};
use super::edit::Edit;
use super::google::Googles;
use super::{Columns, Lint, LintKind, Severity, groups, shown, values};
use crate::counted::listed;
use crate::usage::name_without_standard;
use crate::{LineNumber, number};

/// Adds a lint for each finding.
pub(super) fn lint(file: &FileLines<'_>, site: &Site, googles: &Googles<'_, '_>, drafts: &mut Drafts) {
    let details = file.report().details();
    let mut unread = Unread::default();
    let mut lines = file.iter().peekable();
    for finding in details {
        while let Some(line) = lines.next_if(|line| line.number() < finding.line) {
            unread.pass(&line);
        }
        let Some(line) = file.line_at(finding.line) else { continue };
        let mut finding = *finding;
        if finding.kind == FindingKind::AgentList && line.parts().any(|part| part.directive != Directive::UserAgent) {
            finding.kind = FindingKind::GluedDirective;
        }
        let mut draft = of(finding, &line);
        if let Some((edit, claim)) = advice::edit(finding, &line, site) {
            draft = Draft { edit: Some(edit), claim, ..draft };
        }
        if let Some(directive) = advice::slip(finding.kind, &line) {
            did_you_mean(directive, &line, &mut draft.lint);
        }
        match finding.kind {
            FindingKind::GluedDirective | FindingKind::GluedRule => lost_line_end(&line, &mut draft.lint),
            FindingKind::RuleWithoutAgent => unread.explain(&mut draft),
            FindingKind::UrlInRule => other_site(&line, site, &mut draft.lint),
            FindingKind::Fragment => whole_site(&line, &mut draft.lint),
            FindingKind::AgentCut => where_cut(&line, &mut draft.lint),
            FindingKind::JoinedRecords => who_shares(file, &line, &mut draft.lint),
            FindingKind::SeveralPaths => {
                second_colon(&line, &mut draft);
                stray_blanks(&line, &mut draft.lint);
            }
            FindingKind::InvalidValue | FindingKind::RelativeUrl => signs_around(&line, &mut draft),
            FindingKind::NotAField | FindingKind::UnknownDirective | FindingKind::AlmostDirective => {
                without_standard(&line, &mut draft);
                if matches!(line.name().map(|name| name.to_ascii_lowercase()).as_deref(), Some(b"http" | b"https")) {
                    draft.lint.message = "crawlers ignore this line: it is a URL alone".into();
                    draft.lint.help = "write `Sitemap:` before it, if it is a sitemap".into();
                }
                if let Some(words) = googles.words_of(finding.line) {
                    draft.lint.message = format!("Google reads this line as `{words}`; others ignore it");
                }
            }
            _ => {}
        }
        drafts.push(draft);
    }
}

/// Whether all lints of a file are looked for: it may be a robots.txt file, or it has a group.
pub(super) fn shows_all(file: &FileLines<'_>) -> bool {
    file.report().input().may_be_robots_txt() || file.records().records().any(|record| !record.agents().is_empty())
}

/// `[lint.not-robots]`: a file that is something else has one finding, the first. It says how many others there are.
pub(super) fn not_robots(
    file: &FileLines<'_>,
    what: &str,
    shows_all: bool,
    drafts: &mut Vec<Draft>,
    more: &mut Vec<Unlisted>,
) {
    const KIND: LintKind = LintKind::Found(FindingKind::NotRobotsTxt);
    let Some(first) = file.iter().next() else { return };
    drafts.retain(|draft| draft.lint.kind != KIND);
    let hidden = if shows_all { 0 } else { drafts.len().saturating_add(more.len()) };
    if !shows_all {
        (*drafts, *more) = (Vec::new(), Vec::new());
    }
    let are = if hidden == 1 { "finding is" } else { "findings are" };
    let others = if hidden > 0 { format!("; {hidden} other {are} not shown") } else { String::new() };
    let message = format!("this is not a robots.txt file: it looks like {what}{others}");
    let lint = Lint::new(KIND, &first, Columns::of_line(&first), message).with_help(words(FindingKind::NotRobotsTxt).1);
    let effect = file.report().details().iter().find(|one| one.kind == FindingKind::NotRobotsTxt);
    drafts.insert(0, Lint { effect: effect.map_or(Effect::None, |one| one.effect), ..lint }.into());
}

fn of(finding: Finding, line: &LogicalLine<'_, '_>) -> Draft {
    let kind = finding.kind;
    let (text, mut help) = words(kind);
    if matches!(kind, FindingKind::InvalidValue | FindingKind::RepairedValue) && values::lacks_commas(line) {
        help = values::COMMAS;
    }
    let lint = Lint::new(LintKind::Found(kind), line, columns(kind, line), text);
    // A field that is left empty is seldom a mistake that matters.
    let is_empty = kind == FindingKind::InvalidValue && line.value().is_none_or(|value| value.trim_ascii().is_empty());
    let severity = if is_empty { Severity::Warning } else { lint.severity };
    Lint { effect: finding.effect, severity, ..lint }.with_help(help).into()
}

/// `[lint.glued]`: the lines that it should be.
fn lost_line_end(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let parts: Vec<Part<'_>> = line.parts().collect();
    if parts.iter().all(|part| part.directive == Directive::Sitemap && !part.value.is_empty()) {
        let message = "a Sitemap line has one URL: crawlers read all of this as one, or ignore the line";
        let joined = Lint::at_value(LintKind::JoinedSitemaps, line, message);
        *lint = Lint { effect: lint.effect, ..joined }.with_help("write a Sitemap line for each URL");
        return;
    }
    if !matches!(line.meaning(), LineMeaning::UserAgent | LineMeaning::Rule(_)) {
        lint.message = "two directives are on one line: the second is read as a part of the value of the first".into();
    }
    let is_of_line = |part: &&Part<'_>| !(part.name.is_empty() && part.value.is_empty());
    let own = shown(line.name().unwrap_or_default());
    let words = |part: &Part<'_>| {
        let field = format!("{}: {}", part.directive.name().unwrap_or(&own), shown(part.value));
        format!("`{}`", field.trim_end())
    };
    let lines: Vec<String> = parts.iter().filter(is_of_line).take(MOST_PARTS).map(words).collect();
    let more = if parts.len() > lines.len().saturating_add(1) { " …" } else { "" };
    lint.help = format!("write each directive on a line of its own: {}{more}", lines.join(", "));
}

/// The lines that a help names.
const MOST_PARTS: usize = 4;

/// `[lint.slips]`: a name that is one slip of the pen away from that of a directive.
fn did_you_mean(directive: Directive, line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let (Some(name), written) = (directive.name(), line.name().map(|name| shown(name))) else { return };
    let written = written.map_or_else(|| "this name".into(), |written| format!("`{written}`"));
    lint.message = format!("crawlers ignore this line, because they do not know {written}: did you mean `{name}`?");
    lint.help = format!("write `{name}:`");
}

/// A name that some files use and no standard has. Others may read it, so there is no edit.
fn without_standard(line: &LogicalLine<'_, '_>, draft: &mut Draft) {
    let name = line.name().map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
    if let Some(what) = name_without_standard(&name) {
        draft.lint.message =
            format!("crawlers ignore this line: no standard of robots.txt has its name, which is {what}");
        draft.lint.help = "nothing to do, if it is meant for others".into();
        draft.edit = None;
    }
}

/// A fragment right after the `/`: the rule is for all of the site.
fn whole_site(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    if let (LineMeaning::Rule(kind), Some(b"/")) = (line.meaning(), line.value().map(|value| value.trim_ascii())) {
        let verb = if kind == RuleKind::Allow { "allows" } else { "disallows" };
        lint.message = format!("`#` begins a comment, so this is `{kind}: /`: it {verb} the whole site");
        lint.severity = Severity::Error;
    }
}

/// The crawlers above the last run of user-agent lines of a group, for which its rules were probably not meant.
fn who_shares(file: &FileLines<'_>, line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let Some(record) = line.record() else { return };
    let is_between = |number: &u32| {
        let meaning = file.line_at(NonZeroU32::new(*number)).map(|line| line.meaning());
        !matches!(meaning, Some(LineMeaning::UserAgent | LineMeaning::Empty | LineMeaning::Comment))
    };
    let last = record.agents().last().map_or(0, |agent| number(agent.line()));
    let first = number(line.number());
    let end = (first..last).rev().find(is_between).unwrap_or(first);
    let above = record.agents().iter().take_while(|agent| agent.line() < NonZeroU32::new(end));
    let mut above: Vec<String> = above.map(|agent| format!("`{}`", shown(agent.name()))).collect();
    above.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
    let rules = record.rules().iter().filter(|rule| !rule.pattern().is_empty()).map(groups::words).collect::<Vec<_>>();
    lint.message = format!(
        "this user-agent line continues the group above, so its rules apply to {}, too: {}",
        listed(&above, groups::LISTED),
        listed(&rules, groups::LISTED)
    );
}

/// A name that ends at a letter of another script, or at a sign that nobody sees.
fn where_cut(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let value = line.value().map(|value| value.trim_ascii()).and_then(|value| std::str::from_utf8(value).ok());
    let Some(one) = value.and_then(|value| value.chars().find(|one| !one.is_ascii())) else { return };
    let code = u32::from(one);
    lint.message = if robosieve_printable::is_shown(one) && one.is_alphabetic() {
        format!("the crawler's name ends at `{one}` (U+{code:04X}): names have the letters a to z only")
    } else {
        format!("the crawler's name ends at a sign that is not seen as what it is (U+{code:04X})")
    };
    lint.help = "type the name again, as the crawler's owner documents it".into();
}

/// `Disallow:: /path`: the second colon is a part of the path.
fn second_colon(line: &LogicalLine<'_, '_>, draft: &mut Draft) {
    let value = line.value().map(|value| value.trim_ascii()).unwrap_or_default();
    let LineMeaning::Rule(kind) = line.meaning() else { return };
    let Some(path) = value.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else { return };
    if path.starts_with(b"/") {
        draft.lint.message = "the second colon is read as a part of the path".into();
        draft.lint.help = "write one colon".into();
        draft.edit = Edit::of_field(line, kind.name(), path);
    }
}

/// `Disallow: / a /`: a blank is in the path, and no second path.
fn stray_blanks(line: &LogicalLine<'_, '_>, lint: &mut Lint) {
    let value = line.value().unwrap_or_default().trim_ascii();
    let parts = || value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|part| !part.is_empty());
    if parts().any(|part| part == b"/") && parts().any(|part| !part.starts_with(b"/")) {
        lint.message = "a blank is in the path: crawlers read it as `%20`, or end the path there".into();
        lint.help = "write the path without blanks, or a line for each path".into();
    }
}

/// `Sitemap: (https://host/s.xml)`: signs around a URL.
fn signs_around(line: &LogicalLine<'_, '_>, draft: &mut Draft) {
    let LineMeaning::Extension(directive @ (Directive::Sitemap | Directive::License)) = line.meaning() else { return };
    let Ok(value) = std::str::from_utf8(line.value().unwrap_or_default().trim_ascii()) else { return };
    let url =
        value.trim_matches(|one: char| "()[]<>{}\"'`,;".contains(one) || !one.is_ascii() && !one.is_alphanumeric());
    let is_url = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) && !url.contains([' ', '\t']);
    if url != value && is_url {
        draft.lint.message = "the signs around the URL are read as a part of it, so crawlers ignore the line".into();
        draft.lint.help = "write the URL alone".into();
        draft.edit = directive.name().and_then(|name| Edit::of_field(line, name, url.as_bytes()));
    }
}

/// A rule of another site: its path is no rule of this one.
fn other_site(line: &LogicalLine<'_, '_>, site: &Site, lint: &mut Lint) {
    let url = String::from_utf8_lossy(line.value().map(|value| value.trim_ascii()).unwrap_or_default()).into_owned();
    if !site.may_have(&url) {
        lint.message = "a rule needs a path: this is the URL of another site, which has its own robots.txt".into();
        lint.help = "delete the line, or write the path on this site that is meant".into();
    }
}

/// The last line that its owner probably took for a user-agent line, and that names nobody.
#[derive(Default)]
struct Unread {
    line: LineNumber,
    has_agent: bool,
}

impl Unread {
    /// Takes the next line of the file.
    fn pass(&mut self, line: &LogicalLine<'_, '_>) {
        let is_almost = || {
            let text = line.bytes().to_ascii_lowercase();
            let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
            has(b"user") && has(b"agent")
        };
        match line.meaning() {
            LineMeaning::UserAgent if line.kept().is_some() && !is_nameless(line) => {
                *self = Self { line: None, has_agent: true }
            }
            LineMeaning::UserAgent => self.line = line.number(),
            LineMeaning::NoField | LineMeaning::UnknownField | LineMeaning::Comment if is_almost() => {
                self.line = line.number();
            }
            _ => {}
        }
    }

    /// Says why a rule is in no group.
    fn explain(&self, draft: &mut Draft) {
        match self.line {
            Some(line) => {
                draft.lint.message = format!("this rule applies to no crawler: line {line}, above it, names none");
                draft.lint.help = format!("correct line {line}: `User-agent:` and the name of a crawler");
                draft.edit = None;
            }
            None if self.has_agent => {
                draft.lint.message = "this rule is in no group, so it applies to no crawler".into();
            }
            None => {}
        }
    }
}

fn is_nameless(line: &LogicalLine<'_, '_>) -> bool {
    line.findings().iter().any(|finding| finding.kind == FindingKind::AgentWithoutToken)
}

/// What the finding is about: the name of the field, its value, or all of the line.
fn columns(kind: FindingKind, line: &LogicalLine<'_, '_>) -> Columns {
    use FindingKind as K;
    match kind {
        K::MisspelledDirective | K::UnknownDirective | K::DirectiveTooLong => Columns::of_name(line),
        K::ByteOrderMark
        | K::StrayByteOrderMark
        | K::NotRobotsTxt
        | K::Utf16
        | K::Decoded
        | K::BrokenCharacter
        | K::NotAField
        | K::MissingColon
        | K::RuleWithoutAgent
        | K::AlmostDirective
        | K::InputCut
        | K::InputIncomplete
        | K::LineCut
        | K::JoinedRecords => Columns::of_line(line),
        _ => Columns::of_value(line),
    }
}

/// What is the matter, and what to do about it.
#[allow(clippy::too_many_lines, reason = "a table")]
fn words(kind: FindingKind) -> (&'static str, &'static str) {
    use FindingKind as K;
    match kind {
        K::InputCut => (
            "the file is longer than 512,000 bytes: crawlers need not read the rest, Google does not, and Yandex takes the \
             whole site for open",
            "shorten the file: use wildcards, or move pages into folders that one rule covers",
        ),
        K::InputIncomplete => (
            "the file ends too early: its last line is not read, and what should follow is not known",
            "upload the whole file again, and check that its last line ends with a line end",
        ),
        K::DirectiveTooLong => ("the name before the colon is very long", "write one directive on each line"),
        K::NameTooLong => (
            "the name of the crawler is very long, so crawlers may ignore it",
            "write the crawler's product token only",
        ),
        K::ValueTooLong => (
            "the value is very long, so crawlers may ignore the line or cut it",
            "shorten it, for example with a wildcard: `/shop/*?`",
        ),
        K::TooManyWildcards => (
            "the path has many wildcards, so crawlers may ignore the line",
            "use fewer `*`: a rule covers everything that begins with its path",
        ),
        K::NotRobotsTxt => (
            "this is not a robots.txt file",
            "check what the server sends for /robots.txt: often an error page or the home page",
        ),
        K::Utf16 => ("the file is UTF-16, which crawlers cannot read", "save the file as UTF-8"),
        K::Decoded => {
            ("the file is UTF-16 or UTF-32, which Google and most crawlers cannot read", "save the file as UTF-8")
        }
        K::BrokenCharacter => ("a character of the file is broken, so its rule covers nothing", "write the line again"),
        K::StrayByteOrderMark => (
            "invisible bytes make the first line invalid",
            "save the file as UTF-8 without a byte order mark, or leave the first line empty",
        ),
        K::AlmostDirective => (
            "crawlers ignore this line, because its name is not spelled as they expect it",
            "write `User-agent:`, `Allow:` or `Disallow:`",
        ),
        K::RuleWithoutAgent => (
            "this rule is above the first user-agent line, so it applies to no crawler",
            "write a user-agent line above it; `*` stands for all crawlers",
        ),
        K::AgentWithoutToken => (
            "no crawler can have this name, so this line names nobody",
            "write the crawler's product token, for example `Googlebot`, or `*` for all crawlers",
        ),
        K::AgentList => (
            "a user-agent line names one crawler: only the first name here counts",
            "write a user-agent line for each crawler, one below the other",
        ),
        K::AgentHeader => (
            "this is a whole User-Agent header: only its first word counts as the crawler's name",
            "write the crawler's product token only",
        ),
        K::AgentCut => (
            "the crawler's name ends at the first character that is no letter, digit, `.`, `-` or `_`",
            "write the crawler's product token, as its owner documents it",
        ),
        K::JoinedRecords => (
            "this user-agent line continues the group above, so its rules apply to all crawlers of that group",
            "write the rules of the group above before this line; an empty `Disallow:` allows everything",
        ),
        K::GluedDirective => {
            ("two directives are on one line: the second is ignored", "write each directive on a line of its own")
        }
        K::GluedRule => {
            ("two directives are on one line: both are read as one path", "write each directive on a line of its own")
        }
        K::SeveralPaths => ("several paths are on one line: they are read as one", "write a line for each path"),
        K::NoteInRule => ("the note is read as a part of the path", "write `#` before the note"),
        K::UrlInRule => (
            "a rule needs a path: a URL or a host matches nothing",
            "write the path only; a robots.txt file applies to its own host",
        ),
        K::InvisibleCharacter => (
            "the path begins or ends with an invisible character, which is read as a part of it",
            "delete the line and type it again",
        ),
        K::NeverMatches => ("no URL can match this rule", "begin the path with `/` or `*`"),
        K::RegularExpression => (
            "a rule is not a regular expression: only `*` and a `$` at the end are special",
            "write the path with `*` for any characters",
        ),
        K::Fragment => (
            "`#` begins a comment here, and crawlers see no part of a page: the rule covers the whole page",
            "leave out `#` and what follows, or write `%23` if the path contains it",
        ),
        K::RelativeUrl => {
            ("a sitemap needs a full URL: crawlers may ignore this line", "write the URL with `https://` and the host")
        }
        K::ByteOrderMark => (
            "the file begins with a byte order mark, which some crawlers read as a part of the first line",
            "save the file as UTF-8 without a byte order mark",
        ),
        K::FoldedLine => {
            ("this line continues on the next, which most crawlers do not read so", "write it on one line")
        }
        K::MisspelledDirective => {
            ("the directive is misspelled: some crawlers understand it, others ignore the line", "correct the spelling")
        }
        K::MissingColon => ("the colon is missing: some crawlers ignore the line", "write a colon after the name"),
        K::AgentText => ("crawlers ignore the text after the name", "write the name only"),
        K::MissingSlash => (
            "the path does not begin with `/`: Google never matches this rule, others add the slash",
            "begin the path with `/`, or with `*` if anything may come before it",
        ),
        K::EncodedBytes => (
            "the path has characters that a URL cannot contain: crawlers compare them percent-encoded",
            "nothing to do, if the address in a browser shows this path",
        ),
        K::ClampedValue => ("the value is larger than any crawler accepts", "write a smaller value"),
        K::RepairedValue => {
            ("the value has an unusual form, which other crawlers may ignore", "write it as documented")
        }
        K::UnknownDirective => (
            "no crawler is known to use this directive: the line is ignored",
            "check the spelling, or begin a comment with `#`",
        ),
        K::NotAField => {
            ("crawlers ignore this line: it has no directive", "begin a comment with `#`, or delete the line")
        }
        K::InvalidValue => ("the value is invalid, so the line is ignored", "correct the value"),
        K::DuplicateValue => ("the value is set already, so this line is ignored", "keep one of the lines"),
        K::LineCut => ("the end of the line is ignored", "delete invisible characters, or shorten the line"),
        _ => (kind.text(), ""),
    }
}
