//! Lints for people, as rustc shows its own.
//!
//! Invariant: of each kind at most so many are shown; the others are counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use robosieve_explain::{Lint, LintKind, Linted, Severity};

use crate::shade;
use crate::text::{counted_len, escape, front};

/// The most lints of a kind that are shown.
pub(super) const SHOWN: usize = 5;

/// What stands for the part of a line that is left out.
const CUT: &str = "...";

/// The columns that stand left of a line, next to its number.
const MARGIN: usize = 4;

/// The lints of a file, and a summary. With escapes for colour.
pub(super) fn page(file: &str, linted: &Linted<'_>, most: usize, shows_unsafe: bool) -> String {
    let width = shade::width();
    let renderer = Renderer::styled().term_width(width);
    let mut shown: BTreeMap<LintKind, usize> = BTreeMap::new();
    let mut page = String::new();
    for lint in linted.lints() {
        let count = shown.entry(lint.kind).or_default();
        *count = count.saturating_add(1);
        if *count <= most {
            let groups = groups(file, lint, linted.line(lint.line), width, shows_unsafe);
            let _ = writeln!(page, "{}\n", renderer.render(&groups));
        }
    }
    for (kind, count) in shown.iter().filter(|(_, count)| **count > most) {
        let more = count.saturating_sub(most);
        let _ = writeln!(page, "and {more} more {}[{kind}]", kind.severity());
    }
    if shown.values().any(|count| *count > most) {
        page.push_str("`--all` shows all of them\n\n");
    }
    let _ = writeln!(page, "{file}: {}{}", summary(linted), fixable(linted, shows_unsafe));
    page
}

/// What `--fix` would do.
fn fixable(linted: &Linted<'_>, shows_unsafe: bool) -> String {
    let count = |is_safe: bool| linted.fixes().filter(|fix| fix.is_safe == is_safe).count();
    let mut words = String::new();
    if count(true) > 0 {
        let _ = write!(words, "; `--fix` applies {}", counted_len(count(true), "fix", "fixes"));
    }
    if count(false) > 0 {
        let verb = if shows_unsafe { "applies" } else { "shows" };
        let fixes = counted_len(count(false), "fix that changes answers", "fixes that change answers");
        let _ = write!(words, "; `--unsafe-fixes` {verb} {fixes}");
    }
    words
}

/// `1 error, 2 warnings`.
fn summary(linted: &Linted<'_>) -> String {
    let words = |severity: Severity| {
        let count = linted.count(severity);
        (count > 0).then(|| counted_len(count, severity.as_str(), &format!("{severity}s")))
    };
    let counts: Vec<String> = Severity::ALL.into_iter().filter_map(words).collect();
    if counts.is_empty() { "nothing to mend".into() } else { counts.join(", ") }
}

fn groups<'l>(file: &'l str, lint: &'l Lint, source: &[u8], width: usize, shows_unsafe: bool) -> Vec<Group<'l>> {
    let level = match lint.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let room = width.saturating_sub(lint.line.to_string().len().saturating_add(MARGIN));
    let shown = Shown::of(lint, source, room);
    let number = usize::try_from(lint.line).unwrap_or(usize::MAX);
    let title = level.primary_title(format!("{} [{}]", lint.message, lint.clause)).id(lint.kind.as_str());
    let source = Snippet::source(shown.text.clone()).line_start(number).path(file);
    let group = title.element(source.annotation(AnnotationKind::Primary.span(shown.span.clone())));
    let Some(fix) = lint.fix.as_ref().filter(|fix| fix.is_safe || shows_unsafe) else {
        let help = Some(lint.help.as_str()).filter(|help| !help.is_empty());
        return vec![help.into_iter().fold(group, |group, help| group.element(Level::HELP.message(help)))];
    };
    let help = format!("{} ({})", lint.help, fix.words());
    let is_one_line = fix.edit.first == fix.edit.last;
    if shown.is_cut || !is_one_line || fix.edit.lines.is_empty() {
        let lines: Vec<String> = fix.edit.lines.iter().map(|line| start_of(line, room)).collect();
        let between = if lines.is_empty() { "" } else { ":\n" };
        return vec![group.element(Level::HELP.message(format!("{help}{between}{}", lines.join("\n"))))];
    }
    let source = Snippet::source(shown.text.clone()).line_start(number);
    let patch = Patch::new(0..shown.text.len(), fix.edit.lines.join("\n"));
    vec![group, Level::HELP.secondary_title(help).element(source.patch(patch))]
}

/// The start of a text that is too long.
fn start_of(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let most = room.saturating_sub(CUT.len());
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{CUT}", text.get(..end).unwrap_or_default())
}

/// A line as it is shown, and where the lint is in that.
struct Shown {
    text: String,
    span: Range<usize>,
    is_cut: bool,
}

impl Shown {
    /// Of a long line, the part where the lint begins.
    fn of(lint: &Lint, source: &[u8], room: usize) -> Self {
        let bytes = lint.columns.bytes();
        let near = front(source, bytes.start.saturating_add(room));
        let text = escape(near);
        let place = |at: usize| escape(near.get(..at).unwrap_or(near)).len();
        let span = place(bytes.start)..place(bytes.end);
        if near.len() == source.len() && text.len() <= room {
            return Self { text, span, is_cut: false };
        }
        let begin = if span.start > room / 2 { span.start.saturating_sub(room / 4) } else { 0 };
        let begin = (begin..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let front = if begin > 0 { CUT } else { "" };
        let text = format!("{front}{}", text.get(begin..).unwrap_or_default());
        let place = |at: usize| at.saturating_sub(begin).saturating_add(front.len());
        let text =
            if text.len() > room || near.len() < source.len() { start_of(&format!("{text}{CUT}"), room) } else { text };
        // A place inside of a letter that is cut off, or of the sign for that, is its beginning.
        let whole = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = whole(place(span.end));
        Self { span: whole(place(span.start)).min(end)..end, text, is_cut: true }
    }
}

#[cfg(test)]
mod tests {
    use robosieve_explain::Linter;

    use super::*;

    /// [cmd.lint.human]
    #[test]
    fn long_lines_are_shown_around_the_lint() {
        let file =
            format!("User-agent: *\nDisallow: {}\u{e9}https://e.com\nFoo{}: x\n", "/a".repeat(99), "o".repeat(99));
        for room in 20..400 {
            let linted = Linter::default().lint(file.as_bytes());
            for lint in linted.lints() {
                let shown = Shown::of(lint, linted.line(lint.line), room);
                assert!(shown.text.len() <= room, "{room}: {}", shown.text);
                assert!(
                    shown.span.start <= shown.span.end && shown.span.end <= shown.text.len(),
                    "{room}: {}",
                    shown.text
                );
                let is_whole = shown.text == escape(linted.line(lint.line));
                assert_eq!(shown.is_cut, !is_whole, "{room}: {}", shown.text);
            }
        }
    }
}
