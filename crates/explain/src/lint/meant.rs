//! Rules and sitemaps whose owner meant something else: paths that no client sends, several URLs, and signs of HTML.
//!
//! Invariant: a line that has a finding of the parser about its value has no lint of this module. Each line is looked at
//! once. An edit is what was meant, as far as that is plain; otherwise there is none.

use std::borrow::Cow;

use robosieve::lines::{FileLines, LineMeaning, LogicalLine};
use robosieve::records::{Directive, RuleKind};
use robosieve::report::{FindingClass, FindingKind};

use super::drafts::{Claim, Draft, Drafts};
use super::edit::Edit;
use super::{Lint, LintKind};

/// The longest value that is looked at.
const MOST: usize = 2_000;

/// `[lint.never-sent]`, `[lint.urls]`
pub(super) fn lint(file: &FileLines<'_>, drafts: &mut Drafts) {
    for line in file.iter() {
        let Some(value) = line.value().map(|value| value.trim_ascii()).filter(|value| value.len() <= MOST) else {
            continue;
        };
        match line.meaning() {
            LineMeaning::Rule(kind) if !is_reported(&line) => drafts.extend(of_rule(&line, kind, value)),
            LineMeaning::Extension(_) if is_reported(&line) => {}
            LineMeaning::Extension(Directive::Sitemap) => drafts.extend(of_sitemap(&line, value)),
            LineMeaning::Extension(Directive::License) => drafts.extend(no_single_url(&line, "License", value)),
            _ => {}
        }
    }
}

/// Whether a finding says already that something else was meant.
fn is_reported(line: &LogicalLine<'_, '_>) -> bool {
    line.findings().iter().any(|finding| {
        let kind = finding.kind;
        kind.class() == FindingClass::Suspect && kind != FindingKind::RuleWithoutAgent
    })
}

fn of_rule(line: &LogicalLine<'_, '_>, kind: RuleKind, value: &[u8]) -> Option<Draft> {
    let name = kind.name();
    let lint = |message, help: &str| Lint { message, help: help.into(), ..Lint::new(LintKind::NeverSent, line) };
    let Ok(text) = std::str::from_utf8(value) else {
        let message = "no client sends these bytes: a URL is UTF-8, and this path is not".into();
        return Some(lint(message, "save the file as UTF-8, and type the path again").into());
    };
    if let Some((why, meant)) = never_sent(text) {
        let help = if meant.is_some() { "write the path as clients send it" } else { "write the path that is meant" };
        let edit = meant.and_then(|meant| Edit::of_field(line, name, meant.as_bytes()));
        let lint = lint(format!("no client sends such a URL: {why}"), help);
        return Some(Draft { edit, claim: Claim::Suggestion, ..lint.into() });
    }
    without_entities(text).map(|decoded| of_entity(line, name, &decoded))
}

fn of_sitemap(line: &LogicalLine<'_, '_>, value: &[u8]) -> Option<Draft> {
    let text = std::str::from_utf8(value).ok()?;
    no_single_url(line, "Sitemap", value)
        .or_else(|| without_entities(text).map(|decoded| of_entity(line, "Sitemap", &decoded)))
}

/// `[lint.urls]`: a value that has blanks, or its scheme twice.
fn no_single_url(line: &LogicalLine<'_, '_>, name: &str, value: &[u8]) -> Option<Draft> {
    // A value that is dropped has a finding of its own.
    line.kept()?;
    let text = std::str::from_utf8(value).ok()?;
    let is_scheme = |word: &str| word.eq_ignore_ascii_case("http") || word.eq_ignore_ascii_case("https");
    let mut parts = text.splitn(3, ':');
    let (scheme, second) = (parts.next()?, parts.next()?.trim_start_matches('/'));
    if !is_scheme(scheme) {
        return None;
    }
    let (message, help, edit) = if is_scheme(second) {
        let rest = parts.next().unwrap_or_default().trim_start_matches('/');
        let meant = (!rest.contains(':')).then(|| Edit::of_field(line, name, format!("{second}://{rest}").as_bytes()));
        (
            "the URL has its scheme twice: its host is read as `http` or `https`",
            "write the scheme once",
            meant.flatten(),
        )
    } else if text.contains([' ', '\t']) {
        ("a URL has no blanks: crawlers read all of this as one", "write one URL, and nothing after it", None)
    } else {
        return None;
    };
    let lint = Lint { message: message.into(), help: help.into(), ..Lint::new(LintKind::NoSingleUrl, line) };
    Some(Draft { edit, ..lint.into() })
}

fn of_entity(line: &LogicalLine<'_, '_>, name: &str, decoded: &str) -> Draft {
    let edit = Edit::of_field(line, name, decoded.as_bytes());
    Draft { edit, ..Lint::new(LintKind::HtmlEntity, line).into() }
}

/// Why no client sends a URL that this matches, and what was meant, if that is plain.
pub(super) fn never_sent(path: &str) -> Option<(&'static str, Option<Cow<'_, str>>)> {
    if let Some(inner) = unquoted(path) {
        let is_path = inner.starts_with(['/', '*']) && !inner.contains(['"', '\'', '`', '\u{201c}', '\u{201d}', ',']);
        return Some(("the signs around the path are a part of it here", is_path.then_some(Cow::Borrowed(inner))));
    }
    let templates = ["{%", "<%", "<?"];
    // Pages whose scripts did not run have links to such paths, which crawlers follow, percent-encoded.
    let templates_of_pages = ["{{", "${", "[object Object]"];
    let has = |marks: &[&str]| marks.iter().any(|mark| path.contains(mark));
    let is_word = matches!(path, "undefined" | "null" | "None" | "NaN" | "false" | "true");
    if is_word || has(&templates) || !path.starts_with(['/', '*']) && has(&templates_of_pages) {
        return Some(("a template or a program left its own text here", None));
    }
    if path.contains('\\') {
        let meant = path.replace('\\', "/");
        let is_plain =
            !meant.contains("//") && meant.starts_with(['/', '*']) && !path.contains(r"\n") && !path.contains(r"\r");
        return Some(("clients send `/` for a backslash", is_plain.then_some(Cow::Owned(meant))));
    }
    let (front, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    if front.contains("/./") || front.contains("/../") {
        let meant = without_dots(front).map(|front| format!("{front}{query}"));
        return Some(("clients leave out `.` and `..` in a path", meant.map(Cow::Owned)));
    }
    if let Some(rest) = path.strip_prefix("//") {
        let (host, _) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_host = host.chars().all(|one| one.is_ascii_alphanumeric() || ".-:".contains(one));
        let top = host.rsplit_once('.').map_or("", |(_, top)| top);
        if is_host && top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Some(("a path has no host", None));
        }
    }
    // Readers encode them, so the rule works; but a tag is no path.
    let has_tag = path.contains('<') && path.contains('>');
    has_tag.then_some(("clients send `<`, `>` and `\"` percent-encoded only", None))
}

/// The text within quotes around all of it.
fn unquoted(text: &str) -> Option<&str> {
    const PAIRS: [&str; 9] = [
        "\"\"",
        "''",
        "``",
        "\u{201c}\u{201d}",
        "\u{201d}\u{201d}",
        "\u{201e}\u{201c}",
        "\u{2018}\u{2019}",
        "\u{ab}\u{bb}",
        "<>",
    ];
    PAIRS.iter().find_map(|pair| {
        let mut signs = pair.chars();
        text.strip_prefix(signs.next()?)?.strip_suffix(signs.next()?)
    })
}

/// A path without `.` and `..`. None if it would leave its root, or a wildcard stands where it matters.
fn without_dots(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop().filter(|part| !part.is_empty() && !part.contains('*'))?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The paths of a value that lists some. All begin with `/` or `*`.
pub(super) fn several_paths(value: &str) -> Option<Vec<&str>> {
    if value.contains('?') {
        return None;
    }
    let mut paths = vec![value];
    for separator in [",", ";", "|", " and ", " or ", " & ", " + ", "&/", "+/", " ", "\t"] {
        let keeps_slash = usize::from(separator.ends_with('/'));
        paths = paths.iter().flat_map(|part| split_before(part, separator, keeps_slash)).collect();
    }
    let paths: Vec<&str> = paths.into_iter().map(str::trim).filter(|path| !path.is_empty()).collect();
    // A sign between slashes, as in `/a+/`, may be one of the path.
    let is_path = |path: &&str| {
        let mut signs = path.chars();
        signs.next() == Some('/')
            && signs.next().is_none_or(|one| one.is_alphanumeric() || matches!(one, '_' | '*' | '.' | '~' | '-'))
            && !path.contains(':')
    };
    let has_content = paths.iter().filter(|path| path.len() > 1).count() > 1 || value.contains([' ', '\t']);
    (paths.len() > 1 && has_content && paths.iter().all(is_path)).then_some(paths)
}

/// The parts between separators. The last `kept` bytes of a separator belong to the next part.
fn split_before<'v>(value: &'v str, separator: &str, kept: usize) -> Vec<&'v str> {
    let mut parts = Vec::new();
    let mut rest = value;
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find(separator)).map(|at| at.saturating_add(from)) {
        parts.push(rest.get(..at).unwrap_or_default());
        rest = rest.get(at.saturating_add(separator.len().saturating_sub(kept))..).unwrap_or_default();
        from = kept;
    }
    parts.push(rest);
    parts
}

/// The text with the HTML entities that paths and URLs may contain decoded. None if it has none.
fn without_entities(text: &str) -> Option<String> {
    const ENTITIES: [(&str, &[&str]); 6] = [
        ("&", &["&amp;", "&#38;", "&#x26;", "&#038;"]),
        ("\"", &["&quot;", "&#34;"]),
        ("'", &["&#39;"]),
        ("<", &["&lt;"]),
        (">", &["&gt;"]),
        ("/", &["&#47;", "&#x2F;", "&#x2f;"]),
    ];
    let mut decoded = text.to_owned();
    for (character, entities) in ENTITIES {
        for entity in entities {
            decoded = decoded.replace(entity, character);
        }
    }
    (decoded != text).then_some(decoded)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail")]
mod tests {
    use super::*;

    /// [lint.joined-paths]
    #[test]
    fn paths_are_split_at_every_separator() {
        for value in "/a,/b~/a;/b~/a | /b~/a and /b~/a & /b~/a&/b~/a + /b~/a+/b~/a /b~/a\t/b~/a, /b,".split('~') {
            assert_eq!(several_paths(value), Some(vec!["/a", "/b"]), "{value}");
        }
        for value in ["/a", "/a,b", "/a,", "/a and b", "/a?x=1,/b", "/a/b", "/and/b"] {
            assert_eq!(several_paths(value), None, "{value}");
        }
    }
}
