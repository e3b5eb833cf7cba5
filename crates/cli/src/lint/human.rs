//! Lints for people, as rustc shows its own.
//!
//! Invariant: of each kind of a file at most so many are shown, and notes only if they are asked for; all are counted.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use robosieve_explain::{Lint, LintKind, Linted, Severity};

use super::Printer;
use super::characters::Characters;
use crate::args::LintArgs;
use crate::shade::{self, Shaded};
use crate::text::{counted_len, escape, front, harmless};

/// The most lints of a kind that are shown.
const SHOWN: usize = 5;

/// The lints that are shown with their lines. Others, which only `--all` shows, have a line of their own. Our choice.
const DRAWN: usize = 1_000;

/// What stands for the part of a line that is left out.
const CUT: &str = "...";

/// The columns that stand left of a line, next to its number.
const MARGIN: usize = 4;

/// The pages of all files.
pub(super) struct Pages {
    out: Shaded,
    most: usize,
    drawn: usize,
    has_notes: bool,
    width: usize,
    totals: Totals,
    /// The name of the first file, if nothing was found in it.
    clean: String,
}

/// Numbers of one file, or of all.
#[derive(Clone, Copy, Default)]
struct Totals {
    files: usize,
    /// Of each severity, the worst first.
    found: [usize; 3],
    unlisted: usize,
    left_out: usize,
    /// Edits that change no answer.
    safe: usize,
    has_hidden_notes: bool,
    has_more: bool,
}

impl Pages {
    pub(super) fn new(args: &LintArgs) -> Self {
        Self {
            out: shade::stdout(),
            most: if args.all { usize::MAX } else { SHOWN },
            drawn: 0,
            has_notes: args.notes || args.all,
            width: shade::width(),
            totals: Totals::default(),
            clean: String::new(),
        }
    }
}

impl Printer for Pages {
    /// The lints of a file, and a summary.
    fn file(&mut self, file: &str, linted: &Linted<'_>) -> io::Result<()> {
        let renderer = Renderer::styled().term_width(self.width);
        let mut characters = Characters::default();
        let mut shown: BTreeMap<LintKind, usize> = BTreeMap::new();
        let is_listed = |lint: &&Lint| self.has_notes || lint.severity != Severity::Note;
        for lint in linted.lints.iter().filter(is_listed) {
            let count = shown.entry(lint.kind).or_default();
            *count = count.saturating_add(1);
            if *count > self.most {
                continue;
            }
            if self.drawn < DRAWN {
                self.drawn = self.drawn.saturating_add(1);
                let groups = groups(file, lint, linted.line(lint.line), self.width);
                writeln!(self.out, "{}\n", renderer.render(&groups))?;
            } else {
                let (column, _) = characters.of(lint, linted);
                let (name, severity, kind) = (harmless(file), lint.severity, lint.kind);
                writeln!(self.out, "{name}:{}:{column}: {severity}[{kind}]: {}", lint.line, lint.message)?;
            }
        }
        let mut has_more = false;
        for (kind, count) in shown.iter().filter(|(_, count)| **count > self.most) {
            has_more = true;
            writeln!(self.out, "and {} more {}[{kind}]", count.saturating_sub(self.most), kind.severity())?;
        }
        if has_more {
            self.out.write_all(b"\n")?;
        }
        let own = Totals {
            files: 1,
            found: [linted.errors, linted.warnings, linted.notes],
            unlisted: linted.unlisted,
            left_out: linted.left_out,
            safe: linted.lints.iter().filter(|lint| lint.is_safe()).count(),
            has_hidden_notes: !self.has_notes && linted.notes > 0,
            has_more,
        };
        if own.found != [0; 3] {
            writeln!(self.out, "{}: {}", harmless(file), own.words())?;
        } else if self.totals.files == 0 {
            // It is named at the end, if it is the only file.
            file.clone_into(&mut self.clean);
        }
        self.totals.add(own);
        Ok(())
    }

    /// The numbers of all files, and what shows more.
    fn end(&mut self) -> io::Result<()> {
        let totals = self.totals;
        if totals.files > 1 {
            writeln!(self.out, "{}: {}", counted_len(totals.files, "file", "files"), totals.words())?;
        } else if totals.files == 1 && totals.found == [0; 3] {
            writeln!(self.out, "{}: {}", harmless(&self.clean), totals.words())?;
        }
        let notes = totals.has_hidden_notes.then_some("`--notes` shows the notes");
        let all = totals.has_more.then_some("`--all` shows all findings");
        let hints: Vec<&str> = notes.into_iter().chain(all).collect();
        if !hints.is_empty() {
            writeln!(self.out, "{}", hints.join("; "))?;
        }
        self.out.flush()
    }
}

impl Totals {
    fn add(&mut self, other: Self) {
        self.files = self.files.saturating_add(other.files);
        for (sum, count) in self.found.iter_mut().zip(other.found) {
            *sum = sum.saturating_add(count);
        }
        self.unlisted = self.unlisted.saturating_add(other.unlisted);
        self.left_out = self.left_out.saturating_add(other.left_out);
        self.safe = self.safe.saturating_add(other.safe);
        self.has_hidden_notes |= other.has_hidden_notes;
        self.has_more |= other.has_more;
    }

    /// `1 error, 2 warnings; 3 of other kinds left out`.
    fn words(self) -> String {
        let words = |(severity, count): (Severity, usize)| {
            (count > 0).then(|| counted_len(count, severity.as_str(), &format!("{severity}s")))
        };
        let counts: Vec<String> = Severity::ALL.into_iter().zip(self.found).filter_map(words).collect();
        let counts = if counts.is_empty() { "nothing to fix".into() } else { counts.join(", ") };
        let unlisted = (self.unlisted > 0)
            .then(|| format!("{} of them not listed: of each kind, {} are", self.unlisted, Linted::MAX_OF_A_KIND));
        let left_out = (self.left_out > 0).then(|| format!("{} of other kinds left out", self.left_out));
        let safe = (self.safe > 0).then(|| format!("`--fix` applies {}", counted_len(self.safe, "fix", "fixes")));
        [Some(counts), unlisted, left_out, safe].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

fn groups<'l>(file: &'l str, lint: &'l Lint, source: &[u8], width: usize) -> Vec<Group<'l>> {
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
    let Some(fix) = lint.fix.as_deref() else {
        let help = Some(lint.help.as_str()).filter(|help| !help.is_empty());
        return vec![help.into_iter().fold(group, |group, help| group.element(Level::HELP.message(help)))];
    };
    let help = format!("{} ({})", lint.help, fix.effect);
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
        // What is shown begins at most that far before the lint: no part of the line becomes shorter.
        let from = front(source, bytes.start.saturating_sub(room)).len();
        let near = front(source, bytes.start.saturating_add(room)).get(from..).unwrap_or_default();
        let is_end = from.saturating_add(near.len()) == source.len();
        let text = escape(near);
        let place = |at: usize| escape(near.get(..at.saturating_sub(from)).unwrap_or(near)).len();
        let span = place(bytes.start)..place(bytes.end);
        if from == 0 && is_end && text.len() <= room {
            return Self { text, span, is_cut: false };
        }
        let is_far = from > 0 || span.start > room / 2;
        let begin = if is_far { span.start.saturating_sub(room / 4) } else { 0 };
        let begin = (begin..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let front = if is_far { CUT } else { "" };
        let text = format!("{front}{}", text.get(begin..).unwrap_or_default());
        let place = |at: usize| at.saturating_sub(begin).saturating_add(front.len());
        let text = if text.len() > room || !is_end { start_of(&format!("{text}{CUT}"), room) } else { text };
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
            for lint in &linted.lints {
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
