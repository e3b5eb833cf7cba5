//! Rules that Google reads otherwise than the standard.
//!
//! Invariant: what Google reads is what the library's Google dialect reads. Nothing is assumed here.

use robosieve::line::{FileLines, KeptPart, LogicalLine};
use robosieve::report::FindingKind;
use robosieve::{Dialect, Parser, Record, RuleKind};

use super::{Lint, LintKind, field, shown};

/// A rule as somebody reads it.
type Read<'f> = Option<(RuleKind, &'f [u8])>;

/// `[lint.google]`: adds a lint for each rule that Google reads otherwise, in the groups that apply to its crawlers.
pub(super) fn lint(file: &FileLines<'_>, input: &[u8], lints: &mut Vec<Lint>) {
    let googles = Parser::new(Dialect::Google.options()).parse_lines(input);
    for line in file.iter() {
        let other = googles.line_at(line.number());
        let (ours, theirs) = (rule_of(&line), other.as_ref().and_then(rule_of));
        let is_googles =
            [line.record(), other.as_ref().and_then(LogicalLine::record)].into_iter().flatten().any(is_for_google);
        if ours == theirs || !is_googles || is_told(&line) {
            continue;
        }
        if let Some(message) = difference(ours, theirs) {
            let lint = Lint::at_value(LintKind::GoogleDiffers, &line, message);
            lints.push(match (ours, theirs) {
                (Some((kind, pattern)), Some(_)) => {
                    lint.with_help("write the path as all read it").with_replacement([field(kind.as_str(), pattern)])
                }
                _ => lint.with_help("write the line so that all read the same: a documented name, a path behind it"),
            });
        }
    }
}

/// The rule of a line. None for one without an effect.
fn rule_of<'f>(line: &LogicalLine<'f, '_>) -> Read<'f> {
    match line.kept()? {
        KeptPart::Rule(rule) if !rule.pattern().is_empty() => Some((rule.kind(), rule.pattern().as_bytes())),
        _ => None,
    }
}

/// Whether a finding says already what Google does.
fn is_told(line: &LogicalLine<'_, '_>) -> bool {
    let is_told = |kind| matches!(kind, FindingKind::MissingSlash | FindingKind::FoldedLine);
    line.findings().iter().any(|finding| is_told(finding.kind))
}

fn difference(ours: Read<'_>, theirs: Read<'_>) -> Option<String> {
    Some(match (ours, theirs) {
        (Some(ours), None) => format!("Google reads no rule here; others read `{}`", words(ours)),
        (None, Some(theirs)) => format!("Google reads `{}` here; others ignore the line", words(theirs)),
        (Some(_), Some((_, pattern))) if !matches!(pattern.first(), Some(b'/' | b'*')) => {
            "Google never matches this rule, because its path begins with neither `/` nor `*`".into()
        }
        (Some(ours), Some(theirs)) => format!("Google reads `{}` here; others read `{}`", words(theirs), words(ours)),
        (None, None) => return None,
    })
}

fn words((kind, pattern): (RuleKind, &[u8])) -> String {
    format!("{}: {}", kind.as_str(), shown(pattern))
}

/// Whether a group applies to one of Google's crawlers.
pub(super) fn is_for_google(record: Record<'_, '_>) -> bool {
    record.agents().iter().any(|agent| {
        let name = agent.name().as_bstr().to_ascii_lowercase();
        let starts = [&b"google"[..], b"adsbot-google", b"mediapartners-google"];
        agent.name().is_everyone() || starts.iter().any(|start| name.starts_with(start))
    })
}
