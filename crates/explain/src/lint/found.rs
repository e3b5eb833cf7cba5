//! The parser's findings, in the words of the file's owner.
//!
//! Invariant: each finding of the parser is a lint. The lines of a file that is no robots.txt are not: only what makes it
//! none, and what looks like a rule in it.

use robosieve::line::{FileLines, LogicalLine};
use robosieve::report::{Finding, FindingClass, FindingKind};

use super::{Columns, Lint, LintKind, Severity, advice};

/// Adds a lint for each finding.
pub(super) fn lint(file: &FileLines<'_>, lints: &mut Vec<Lint>) {
    let is_text = file.report().input().may_be_robots_txt();
    for finding in file.report().details() {
        let kind = finding.kind;
        if !is_text && matches!(kind.class(), FindingClass::Ignored | FindingClass::Repair) {
            continue;
        }
        if let Some(line) = file.line_at(finding.line) {
            lints.push(of(*finding, &line, file));
        }
    }
}

fn of(finding: Finding, line: &LogicalLine<'_, '_>, file: &FileLines<'_>) -> Lint {
    let kind = finding.kind;
    let (text, help) = words(kind);
    let message = match kind {
        FindingKind::NotRobotsTxt => format!("this is not a robots.txt file: it looks like {}", file.report().input()),
        _ => text.to_owned(),
    };
    let told = Lint::new(LintKind::Found(kind), line, columns(kind, line), message);
    // A field that is left empty is seldom a mistake that matters.
    let is_empty = kind == FindingKind::InvalidValue && line.value().is_none_or(|value| value.trim_ascii().is_empty());
    let severity = if is_empty { Severity::Warning } else { told.severity };
    let told = Lint { effect: finding.effect, severity, ..told };
    told.with_help(help).with_replacement(advice::replacement(kind, line).unwrap_or_default())
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
        | K::NotAField
        | K::MissingColon
        | K::RuleWithoutAgent
        | K::AlmostDirective
        | K::InputCut
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
            "the file is longer than 512,000 bytes: crawlers need not read the rest, and Google does not",
            "shorten the file: use wildcards, or move pages into folders that one rule covers",
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
        K::StrayByteOrderMark => (
            "invisible bytes make the first line invalid",
            "save the file as UTF-8 without a byte order mark, or leave the first line empty",
        ),
        K::AlmostDirective => (
            "crawlers ignore this line, because its name is not spelled as they expect",
            "write `User-agent:`, `Allow:` or `Disallow:`",
        ),
        K::RuleWithoutAgent => (
            "this rule is above the first user-agent line, so it applies to no crawler",
            "write a user-agent line above it; `*` stands for all crawlers",
        ),
        K::AgentWithoutToken => (
            "no crawler can have this name, so the rules below apply to nobody",
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
            "nothing, if the address in a browser shows this path",
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
