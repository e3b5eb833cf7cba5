//! Files that are no robots.txt: what the first bytes say, and texts of other kinds, of which few lines are directives.
//!
//! Invariant: such a file is one finding, and nothing in it is edited, unless its owner asks ([lint.not-robots]). Each
//! line is looked at once.

use std::borrow::Cow;

use robosieve::lines::{FileLines, LineMeaning, LogicalLine};
use robosieve::report::{FindingClass, FindingKind};

use super::words;

/// What a file looks like, if it is no robots.txt. None if it may be one.
pub(super) fn looks_like(file: &FileLines<'_>) -> Option<Cow<'static, str>> {
    let report = file.report();
    if report.count(FindingKind::NotRobotsTxt) > 0 {
        return Some(report.input().to_string().into());
    }
    let Lines { read, other, code } = Lines::of(file);
    let is_code = other >= LEAST && code.saturating_mul(2) >= other && other > read;
    let first = file.text().split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    match first {
        [b'#', b'!', b'/', ..] if other > 0 => Some("a script".into()),
        b"---" if other > read => Some("YAML".into()),
        _ if is_code && has_fence(file) => Some("Markdown".into()),
        _ if is_code => Some("source code".into()),
        _ if read == 0 && other > 0 => Some("a text without a directive".into()),
        _ => None,
    }
}

/// Whether a file is a robots.txt beyond doubt, so that its lines of no directive may be made comments: it has a group
/// with a rule, and no more such lines than others.
pub(super) fn is_robots(file: &FileLines<'_>) -> bool {
    let mut groups = file.records().records();
    let lines = Lines::of(file);
    lines.other <= lines.read && groups.any(|group| !group.agents().is_empty() && !group.rules().is_empty())
}

/// How many lines a crawler reads, or seem to be such; how many others there are; and how many of these look like code.
#[derive(Default)]
struct Lines {
    read: usize,
    other: usize,
    code: usize,
}

impl Lines {
    fn of(file: &FileLines<'_>) -> Self {
        let mut lines = Self::default();
        for line in file.iter() {
            let is_suspect = || {
                words::has_almost_name(&line)
                    || line.findings().iter().any(|one| one.kind.class() == FindingClass::Suspect)
            };
            match line.meaning() {
                LineMeaning::Empty | LineMeaning::Comment | LineMeaning::NotRead => {}
                LineMeaning::UnknownField | LineMeaning::NoField if !is_suspect() => {
                    lines.other = lines.other.saturating_add(1);
                    lines.code = lines.code.saturating_add(usize::from(is_code(&line)));
                }
                _ => lines.read = lines.read.saturating_add(1),
            }
        }
        lines
    }
}

/// The lines of other kinds that a file has to have. Our choice: a note or two that lack their `#` are no other file.
const LEAST: usize = 3;

/// Whether a line ends or begins as those of programs, of YAML, of settings and of Markdown do, and not as a directive
/// that is not known.
fn is_code(line: &LogicalLine<'_, '_>) -> bool {
    const BEGINS: &str = "- |* |```|//|/*|import |export |function |const |def |if |$ |[";
    let Some(bytes) = line.physical().next() else { return false };
    let text = bytes.trim_ascii();
    matches!(text.last(), Some(b';' | b'{' | b'}' | b'(' | b')' | b'[' | b']'))
        || BEGINS.split('|').any(|begin| text.starts_with(begin.as_bytes()))
        || bytes.starts_with(b"  ") && text.contains(&b':')
        || text.ends_with(b":")
}

/// Whether a line begins or ends a part with code in Markdown.
fn has_fence(file: &FileLines<'_>) -> bool {
    file.text().split(|byte| *byte == b'\n').any(|line| line.starts_with(b"```") || line.starts_with(b"## "))
}
