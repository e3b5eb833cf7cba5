//! What to write instead of a line with a finding.
//!
//! Invariant: an edit is made of the line's own words. Without a plain guess there is none. Nothing here is offered before
//! it is tried ([`trial`](super::trial)).

use std::collections::BTreeSet;

use robosieve::Options;
use robosieve::lines::{FileLines, KeptPart, LineMeaning, LogicalLine};
use robosieve::parts::nearest_directive;
use robosieve::records::{Directive, Parser};
use robosieve::report::{Effect, Finding, FindingKind};

use super::drafts::Claim;
use super::edit::Edit;
use super::{field_text, foreign, meant, names, words};
use crate::crawlers::Crawler;

/// What is known of the site of a file.
pub(super) struct Site {
    /// The hosts that its own lines and the base URL name, in lower case and without `www.`.
    hosts: Vec<String>,
    /// Whether rules name several hosts, and no other line says which is its own.
    is_unclear: bool,
    /// Whether lines that are none of a robots.txt may become comments.
    is_robots: bool,
}

impl Site {
    pub(super) fn of(file: &FileLines<'_>, options: &Options, is_forced: bool) -> Self {
        let own = options.base_url.iter().map(|url| url.as_str().to_owned());
        let sitemaps = file.records().sitemaps().into_iter().map(|url| url.as_str().to_owned());
        let urls: Vec<String> = if options.base_url.is_some() { own.collect() } else { sitemaps.collect() };
        let rules = file.iter().filter(|line| matches!(line.meaning(), LineMeaning::Rule(_)));
        let values = rules.filter_map(|line| Some(text(line.value()?)?.trim().to_owned()));
        let named: BTreeSet<String> =
            values.filter(|value| value.contains("//")).map(|value| place_of(&value).0.to_ascii_lowercase()).collect();
        Self {
            is_unclear: urls.is_empty() && named.len() > 1,
            hosts: urls.iter().map(|url| place_of(url).0.to_owned()).collect(),
            is_robots: is_forced || foreign::is_robots(file),
        }
    }

    /// Whether a URL may be one of this site.
    pub(super) fn may_have(&self, url: &str) -> bool {
        let (host, port) = place_of(url);
        // Another port is another site.
        let is_usual = port.is_none_or(|port| matches!(port, "80" | "443"));
        let is_own = || self.hosts.is_empty() || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        !self.is_unclear && is_usual && is_own()
    }
}

/// The host of `https://www.host:443/path`, `//host/path` or `host/path`, without `www.`, and the port.
fn place_of(url: &str) -> (&str, Option<&str>) {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?']).next().unwrap_or_default();
    let (host, port) = place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
    let is_www = host.get(..4).is_some_and(|www| www.eq_ignore_ascii_case("www."));
    (if is_www { host.get(4..).unwrap_or(host) } else { host }, port)
}

/// What to write instead of a line with this finding, and what is said of that.
pub(super) fn edit(finding: Finding, line: &LogicalLine<'_, '_>, site: &Site) -> Option<(Edit, Claim)> {
    use FindingKind as K;
    let claim = match finding.kind {
        K::NotAField | K::UnknownDirective | K::ByteOrderMark | K::DuplicateValue => Claim::Unread,
        K::UrlInRule | K::RepairedValue | K::RuleWithoutAgent => Claim::Suggestion,
        _ => Claim::Repair,
    };
    match finding.kind {
        K::UnknownDirective if slip(finding.kind, line).is_some() => {
            let fields =
                one(slip(finding.kind, line)?.name()?, line.value()?.trim_ascii()).filter(|fields| is_right(fields))?;
            Some((Edit::of_line(line, fields)?, Claim::Repair))
        }
        K::NotAField | K::UnknownDirective => Some((commented(line).filter(|_| site.is_robots)?, claim)),
        K::DuplicateValue => Some((as_comment(line)?, claim)),
        K::ByteOrderMark => Some((without_mark(line)?, claim)),
        _ => {
            let is_glued = matches!(finding.kind, K::GluedDirective | K::GluedRule);
            let is_plain = |fields: &Vec<String>| is_right(fields) && (is_glued || !are_for_all(fields, line));
            let fields = fields(finding, line, site).filter(is_plain)?;
            Some((Edit::of_line(line, fields)?, claim))
        }
    }
}

/// Whether a file with these lines has no suspect and no loss.
fn is_right(lines: &[String]) -> bool {
    let file = format!("User-agent: *\nAllow: /\n{}\nDisallow: /0\n", lines.join("\n"));
    let report = Parser::default().parse(file.as_bytes()).report();
    report.is_exact() && !report.has_suspects()
}

/// Whether a rule with a path becomes one for all of the site.
fn are_for_all(lines: &[String], line: &LogicalLine<'_, '_>) -> bool {
    let is_for_all = |value: &[u8]| value.iter().all(|byte| matches!(byte, b'/' | b'*' | b'.' | b'$' | b' '));
    let mut paths = lines.iter().filter_map(|line| line.strip_prefix("Allow: ").or(line.strip_prefix("Disallow: ")));
    !line.value().is_some_and(|value| is_for_all(value)) && paths.any(|path| is_for_all(path.as_bytes()))
}

fn fields(finding: Finding, line: &LogicalLine<'_, '_>, site: &Site) -> Option<Vec<String>> {
    use FindingKind as K;
    let value = line.value().map(|value| value.trim_ascii()).unwrap_or_default();
    match finding.kind {
        K::MisspelledDirective | K::MissingColon | K::FoldedLine => one(name(line)?, value),
        K::MissingSlash => one(name(line)?, with_slash(text(value)?)?.as_bytes()),
        K::RepairedValue => one(name(line)?, kept(line)?),
        K::AgentText => noted(&known_name(line, value)?, value),
        K::UrlInRule => {
            let url = text(value)?;
            one(rule(line)?, path_of_url(url).filter(|_| site.may_have(url))?.as_bytes())
        }
        K::SeveralPaths => each(rule(line)?, &meant::several_paths(text(value)?)?),
        K::NoteInRule => {
            if let Some(paths) = meant::several_paths(text(value)?) {
                return each(rule(line)?, &paths);
            }
            let (path, note) = text(value)?.split_once([' ', '\t'])?;
            Some(vec![format!("{}  # {}", field_text(rule(line)?, path.as_bytes())?, plain_note(note.trim()))])
        }
        K::AgentList => names::several(text(value)?).map_or_else(|| glued(line), |names| each("User-agent", &names)),
        K::AgentHeader => {
            let header = text(value)?;
            let agent = robosieve::settings::Agent::new(header);
            let token = agent.token()?;
            // The name must be whole: `Yahoo! Slurp` is not Yahoo.
            let after = header.find(token).and_then(|at| header.get(at.saturating_add(token.len())..))?;
            let is_whole = after.starts_with(['/', ';', ')']) || after.is_empty();
            // Two addresses are those of two crawlers: one that sends another one's header.
            let is_one = header.matches("://").nth(1).is_none();
            let is_name = is_whole && is_one && !is_of_browser(token) && !words::is_directive(token);
            noted(Some(token).filter(|_| is_name)?, value)
        }
        K::GluedDirective | K::GluedRule => glued(line),
        K::RuleWithoutAgent => {
            let own = field_text(rule(line)?, value)?;
            Some(vec!["User-agent: *".to_owned(), own])
        }
        K::AgentWithoutToken => one("User-agent", undecorated(text(value)?)?.as_bytes()),
        K::InvisibleCharacter => one(rule(line)?, text(value)?.trim_matches(is_invisible).as_bytes()),
        K::AlmostDirective => respelled(line, finding.effect),
        _ => None,
    }
}

fn one(name: &str, value: &[u8]) -> Option<Vec<String>> {
    Some(vec![field_text(name, value)?])
}

/// A line for the name at the front of a value, with the value as a note if more than a version follows.
fn noted(name: &str, value: &[u8]) -> Option<Vec<String>> {
    let (line, value) = (field_text("User-agent", name.as_bytes())?, text(value)?);
    let is_version = |one: char| one.is_ascii_digit() || matches!(one, '.' | '/' | ' ' | '\t');
    let is_whole = value.strip_prefix(name).is_some_and(|rest| rest.chars().all(is_version));
    Some(vec![if is_whole { line } else { format!("{line}  # {value}") }])
}

fn each(name: &str, values: &[&str]) -> Option<Vec<String>> {
    values.iter().map(|value| field_text(name, value.as_bytes())).collect()
}

fn text(value: &[u8]) -> Option<&str> {
    std::str::from_utf8(value).ok()
}

/// Allow or Disallow.
fn rule(line: &LogicalLine<'_, '_>) -> Option<&'static str> {
    match line.meaning() {
        LineMeaning::Rule(kind) => Some(kind.name()),
        _ => None,
    }
}

/// The name of the directive, spelled as documented.
fn name(line: &LogicalLine<'_, '_>) -> Option<&'static str> {
    match line.meaning() {
        LineMeaning::UserAgent => Some("User-agent"),
        LineMeaning::Rule(kind) => Some(kind.name()),
        LineMeaning::Extension(directive) => directive.name(),
        _ => None,
    }
}

/// The value that the parser kept.
fn kept<'f>(line: &LogicalLine<'f, '_>) -> Option<&'f [u8]> {
    Some(match line.kept()? {
        KeptPart::Agent(agent) => agent.name(),
        KeptPart::Rule(rule) => rule.pattern().as_bstr(),
        KeptPart::Extension(extension) => extension.value(),
    })
}

/// The directive whose name is one slip of the pen away from that of a line with this finding. A rule that was meant is
/// an almost-directive.
pub(super) fn slip(kind: FindingKind, line: &LogicalLine<'_, '_>) -> Option<Directive> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let word = || {
        let text = line.physical().next().unwrap_or_default().trim_ascii_start();
        text.get(..text.iter().position(|byte| !is_word(byte)).unwrap_or(text.len()))
    };
    let near = || nearest_directive(line.name().map(|name| -> &[u8] { name }).or_else(word)?);
    match kind {
        FindingKind::AlmostDirective => near(),
        FindingKind::UnknownDirective => near().filter(|directive| !directive.is_rule()),
        _ => None,
    }
}

/// The line as a comment.
fn commented(line: &LogicalLine<'_, '_>) -> Option<Edit> {
    let text = text(line.physical().next()?)?.trim();
    // A line that seems to mean something is to be corrected, not put aside.
    let lower = text.to_ascii_lowercase();
    let parts = ["agent", "allow", "sitemap", "delay", "signal", "usage", "crawl", "robot", "index", "://", "/"];
    if parts.iter().any(|part| lower.contains(part)) || words::has_almost_name(line) {
        return None;
    }
    as_comment(line)
}

/// The same for a line that crawlers do not read.
fn as_comment(line: &LogicalLine<'_, '_>) -> Option<Edit> {
    let numbers = line.numbers();
    let text = text(line.physical().next()?)?.trim();
    let is_one_line = numbers.start() == numbers.end();
    let lines = vec![format!("# {}", text.trim_start_matches('\u{feff}'))];
    Edit::new(line, lines).filter(|_| is_one_line)
}

/// The first line without its byte order mark.
fn without_mark(line: &LogicalLine<'_, '_>) -> Option<Edit> {
    let mut lines = Vec::new();
    for part in line.physical() {
        lines.push(text(part.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(part))?.to_owned());
    }
    Edit::new(line, lines)
}

/// A path with what is missing at its front. None if something else may be missing.
fn with_slash(path: &str) -> Option<String> {
    let is_word = ["none", "all", "yes", "no", "true", "false", "everything", "nothing"]
        .iter()
        .any(|word| path.eq_ignore_ascii_case(word));
    let is_odd = |one: char| one.is_whitespace() || one.is_control() || ",;'\"`<>(){}[]\\^|:".contains(one);
    let is_begin = |one: char| one.is_ascii_alphanumeric() || ".?&_-~".contains(one);
    if is_word || path.contains(is_odd) || !path.starts_with(is_begin) || path.contains("./") || path.starts_with(".*")
    {
        return None;
    }
    let is_extension = path.strip_prefix('.').is_some_and(|rest| {
        let name = rest.trim_end_matches(['$', '*']);
        (1..=5).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    Some(if is_extension || path.starts_with(['?', '&']) { format!("/*{path}") } else { format!("/{path}") })
}

/// The name at the front of a value, if a known crawler has it and only a version or a note in parentheses follows.
fn known_name(line: &LogicalLine<'_, '_>, value: &[u8]) -> Option<String> {
    let name = String::from_utf8_lossy(kept(line)?).into_owned();
    let rest = text(value)?.get(name.len()..)?.trim();
    let is_version = !rest.is_empty() && rest.chars().all(|one| one.is_ascii_digit() || matches!(one, '.' | '/' | 'v'));
    let is_note = rest.starts_with('(') && rest.ends_with(')');
    let is_known = name == "*" || Crawler::find(&name).is_some() && !is_of_browser(&name);
    (is_known && (is_version || is_note)).then_some(name)
}

/// The path of `https://host/path`, `//host/path` or `host/path`.
fn path_of_url(url: &str) -> Option<&str> {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    rest.get(rest.find('/')?..).filter(|path| !path.contains([' ', '\t']))
}

/// A note without the sign that began it, if there is a text after that.
fn plain_note(note: &str) -> &str {
    let text = ["//", "--", ";", "<!--", "/*"].iter().find_map(|sign| note.strip_prefix(sign)).map(str::trim_start);
    text.filter(|text| !text.is_empty()).unwrap_or(note)
}

/// Names that browsers and libraries write at the front of their headers.
fn is_of_browser(token: &str) -> bool {
    const BROWSERS: &str = "mozilla compatible opera safari applewebkit chrome gecko firefox msie khtml version mobile";
    BROWSERS.split(' ').any(|browser| token.eq_ignore_ascii_case(browser))
}

/// The directives of a line whose end was lost, each on its own line. None if it is not plain what they are.
fn glued(line: &LogicalLine<'_, '_>) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    for part in line.parts() {
        let (name, value) = (part.directive.name()?, text(part.value)?);
        // A value that begins with a directive has none of its own.
        if !(value.is_empty() && lines.is_empty()) {
            lines.push(field_text(name, part.value).filter(|_| is_value_of(part.directive, value))?);
        }
    }
    (lines.len() > 1).then_some(lines)
}

/// Whether a text is a value of a directive, and not prose.
fn is_value_of(directive: Directive, value: &str) -> bool {
    let is_url = value.starts_with("http://") || value.starts_with("https://");
    match directive {
        Directive::UserAgent => value == "*" || value.parse::<robosieve::settings::Agent>().is_ok(),
        Directive::Allow | Directive::Disallow => {
            let is_path = value.starts_with(['/', '*']) && !value.contains([' ', '\t', '<', '>', '"', ';', ',', '|']);
            value.is_empty() || is_path && meant::never_sent(value).is_none()
        }
        Directive::CrawlDelay => !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'),
        Directive::Sitemap | Directive::License => is_url && !value.contains([' ', '\t', '<', '>', '"', ';', '|']),
        _ => false,
    }
}

/// A name without the brackets, quotes, dashes and stars around it.
fn undecorated(value: &str) -> Option<&str> {
    let is_around = |one: char| one.is_whitespace() || !one.is_alphanumeric() && one != '*' && one != '_';
    let name = value.trim_matches(is_around);
    // What stands after a colon or a slash would be lost.
    if value.contains(['<', ':', '/']) {
        return None;
    }
    let name = if name.trim_matches('*').is_empty() { name } else { name.trim_matches('*') };
    let is_token = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let has_letter = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    (name == "*" || is_token && has_letter && !words::is_directive(name)).then_some(name)
}

/// A blank or a mark that no one sees.
fn is_invisible(one: char) -> bool {
    one.is_whitespace()
        || matches!(one, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A line that is almost a rule or a user-agent line, with the name that its owner meant.
fn respelled(line: &LogicalLine<'_, '_>, effect: Effect) -> Option<Vec<String>> {
    let name = match effect {
        Effect::MorePermissive => "Disallow",
        Effect::MoreRestrictive => "Allow",
        _ => "User-agent",
    };
    let physical = text(line.physical().next()?)?;
    let written = physical.split('#').next().unwrap_or_default().trim_matches(is_invisible);
    let at = written.find([':', ';', '=', '\u{ff1a}']).or_else(|| written.find([' ', '\t']))?;
    let (before, value) = written.split_at(at);
    // A star may be the name of all crawlers, a slash a path, and another name has more: `DisallowAITraining`.
    if before.contains(['*', '/']) || !words::is_directive(before.trim_matches(|one: char| !one.is_alphanumeric())) {
        return None;
    }
    let value = value.trim_start_matches([':', ';', '=', '\u{ff1a}', ' ', '\t']);
    let value = value.trim_end_matches(['"', '\'']);
    let is_path = value.starts_with(['/', '*']);
    let value = if name == "User-agent" { undecorated(value)? } else { value };
    one(name, value.as_bytes()).filter(|_| name == "User-agent" || is_path)
}
