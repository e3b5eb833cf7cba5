//! What to write instead of a line.
//!
//! Invariant: a replacement is made of the line's own bytes, in printable ASCII. Without a safe guess there is none.

use robosieve::line::{KeptPart, LineMeaning, LogicalLine};
use robosieve::report::FindingKind;
use robosieve::{Parser, RuleKind};

use super::field;

/// The lines to write instead of a line with this finding.
pub(super) fn replacement(kind: FindingKind, line: &LogicalLine<'_, '_>) -> Option<Vec<String>> {
    guess(kind, line).filter(|lines| is_right(lines))
}

/// Whether a file with these lines has no suspect and no loss.
fn is_right(lines: &[String]) -> bool {
    let file = format!("User-agent: *\nAllow: /\n{}\nDisallow: /0\n", lines.join("\n"));
    let report = Parser::default().parse(file.as_bytes()).report();
    report.is_exact() && !report.has_suspects()
}

fn guess(kind: FindingKind, line: &LogicalLine<'_, '_>) -> Option<Vec<String>> {
    use FindingKind as K;
    let value = || line.value().map(|value| value.trim_ascii());
    match kind {
        K::MisspelledDirective | K::MissingColon | K::FoldedLine => {
            // The path as the owner wrote it is easier to read than its normalised form.
            one(field(name(line)?, value().filter(|_| !line.is_continued()).or_else(|| kept(line))?))
        }
        K::MissingSlash | K::AgentText | K::RepairedValue => one(field(name(line)?, kept(line)?)),
        K::UrlInRule => one(field(rule(line)?, path_of_url(value()?)?)),
        K::SeveralPaths => Some(words(value()?).map(|word| field(rule(line).unwrap_or("Disallow"), word)).collect())
            .filter(|_| words(value().unwrap_or_default()).all(|word| matches!(word.first(), Some(b'/' | b'*')))),
        K::NoteInRule => {
            let (path, note) = split_at_blank(value()?)?;
            one(format!("{}  # {}", field(rule(line)?, path), crate::printable::escape(plain_note(note))))
        }
        K::AgentList => {
            let names = value()?.split(|byte| matches!(byte, b',' | b';' | b' ' | b'\t'));
            Some(names.filter(|name| !name.is_empty()).map(|name| field("User-agent", name)).collect())
        }
        K::AgentHeader => {
            let header = String::from_utf8_lossy(value()?).into_owned();
            one(field("User-agent", robosieve::Agent::from_header(&header).token()?.as_str().as_bytes()))
        }
        K::RuleWithoutAgent => Some(vec!["User-agent: *".to_owned(), field(rule(line)?, value()?)]),
        _ => None,
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the arms above return options")]
fn one(line: String) -> Option<Vec<String>> {
    Some(vec![line])
}

/// Allow or Disallow.
fn rule(line: &LogicalLine<'_, '_>) -> Option<&'static str> {
    match line.meaning() {
        LineMeaning::Rule(kind) => Some(RuleKind::as_str(kind)),
        _ => None,
    }
}

/// The name of the directive, spelled as documented.
fn name(line: &LogicalLine<'_, '_>) -> Option<&'static str> {
    match line.meaning() {
        LineMeaning::UserAgent => Some("User-agent"),
        LineMeaning::Rule(kind) => Some(kind.as_str()),
        LineMeaning::Extension(directive) => directive.name(),
        _ => None,
    }
}

/// The value that the parser kept.
fn kept<'f>(line: &LogicalLine<'f, '_>) -> Option<&'f [u8]> {
    Some(match line.kept()? {
        KeptPart::Agent(agent) => agent.name().as_bstr(),
        KeptPart::Rule(rule) => rule.pattern().as_bstr(),
        KeptPart::Extension(extension) => extension.value(),
    })
}

/// The path of `https://host/path`, `//host/path` or `host/path`.
fn path_of_url(value: &[u8]) -> Option<&[u8]> {
    let behind = value.windows(2).position(|two| two == b"//").map_or(0, |at| at.saturating_add(2));
    let host = value.get(behind..)?;
    let at = host.iter().position(|&byte| byte == b'/')?;
    host.get(at..).filter(|path| !path.iter().any(|byte| matches!(byte, b' ' | b'\t')))
}

fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| matches!(byte, b' ' | b'\t' | b',')).filter(|word| !word.is_empty())
}

fn split_at_blank(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = value.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
    let (path, note) = value.split_at_checked(at)?;
    Some((path, note.trim_ascii()))
}

/// A note without the characters that began it.
fn plain_note(note: &[u8]) -> &[u8] {
    let begins = |byte: &u8| matches!(byte, b'/' | b'-' | b'*' | b';' | b'(' | b'<' | b'!' | b' ');
    let at = note.iter().position(|byte| !begins(byte)).unwrap_or(note.len());
    note.get(at..).unwrap_or_default()
}
