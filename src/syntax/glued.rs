//! Lost line ends: the directives that stand inside the value of another one.
//!
//! Invariant: the parts of a value are in its order and do not overlap, and only separators are between them: no name, no
//! path and no URL is left out. Each byte is looked at a few times at most. Nothing here changes the meaning of a line.

use crate::syntax::bytes;
use crate::syntax::names::{self, Directive};

/// A directive of a line. A line has several if a line end was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part<'v> {
    /// What it is.
    pub directive: Directive,
    /// Its name as the value has it. Empty for the first part, whose name is the line's, and for a URL without a name.
    pub name: &'v [u8],
    /// Its value, without the blanks, the markup and the separators around it.
    pub value: &'v [u8],
}

/// The parts of the value of a line with this directive: one, unless a line end was lost. The first is empty if the
/// value begins with a directive. [`Directive::Unknown`] stands for a line that is no known field.
///
/// A part begins with the name of a directive, or with a misspelling of the table, and a colon. In the value of a Sitemap
/// or a License, it may also begin with `http://` or `https://`, but not within a path or a query.
pub(crate) fn parts(directive: Directive, value: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let mut starts = Starts { field: directive, current: directive, value, part: 0, from: 0 };
    let mut open = Some(Start { directive, name: 0..0, value: 0 });
    core::iter::from_fn(move || {
        let Start { directive, name, value: from } = open.take()?;
        open = starts.next();
        let end = open.as_ref().map_or(value.len(), |next| next.name.start);
        let is_alone = open.is_none() && from == 0;
        let text = bytes::trim(bytes::part(value, from..end), bytes::is_blank);
        let text = if is_alone { text } else { without_separators(text, names::has_url_values(directive)) };
        Some(Part { directive, name: bytes::part(value, name), value: text })
    })
}

/// Where a part begins.
struct Start {
    directive: Directive,
    /// Where the name is. A URL without a name has an empty one.
    name: core::ops::Range<usize>,
    /// Where the value begins.
    value: usize,
}

/// Finds the beginnings of all parts but the first.
struct Starts<'v> {
    /// The directive of the line.
    field: Directive,
    /// The directive of the part that is read.
    current: Directive,
    value: &'v [u8],
    /// Where the value of that part begins.
    part: usize,
    /// After the last colon.
    from: usize,
}

impl Starts<'_> {
    fn next(&mut self) -> Option<Start> {
        loop {
            let unread = self.value.get(self.from..)?;
            let at = memchr::memchr(b':', unread)?.saturating_add(self.from);
            let before = bytes::part(self.value, self.from..at);
            let after = self.value.get(at.saturating_add(1)..).unwrap_or_default();
            let found = self.named(before, after, at).or_else(|| self.url(before, after, at));
            self.from = at.saturating_add(1);
            if let Some(start) = found {
                (self.part, self.current) = (start.value, start.directive);
                return Some(start);
            }
        }
    }

    /// A name before this colon.
    fn named(&self, before: &[u8], after: &[u8], at: usize) -> Option<Start> {
        let text = bytes::trim_end(before, bytes::is_blank);
        let (directive, length) = names::ending(text)?;
        let end = self.from.saturating_add(text.len());
        let start = end.saturating_sub(length);
        let (front, name) = (bytes::part(self.value, self.part..start), bytes::part(self.value, start..end));
        let is_meant = self.is_meant(directive, front, name, after);
        is_meant.then(|| Start { directive, name: start..end, value: at.saturating_add(1) })
    }

    /// Whether a name and its colon begin a line of their own, by what is before and after them.
    fn is_meant(&self, directive: Directive, front: &[u8], name: &[u8], after: &[u8]) -> bool {
        let value = bytes::trim_start(after, bytes::is_blank);
        let (is_spaced, is_long) = (value.len() < after.len(), name.len() >= "sitemap".len());
        let fits = begins_as_value_of(directive, value);
        let is_usual = directive.is_rule()
            || matches!(directive, Directive::UserAgent | Directive::Sitemap | Directive::CrawlDelay);
        let begins_word = name.first().is_some_and(u8::is_ascii_uppercase)
            && front.last().is_some_and(|last| last.is_ascii_lowercase() || last.is_ascii_digit());
        match front.last() {
            // No name has a colon.
            _ if self.field == Directive::UserAgent => is_usual || fits,
            _ if ends_with_break(front) => is_usual || fits,
            // The characters of paths and queries.
            Some(b'/' | b'=' | b'?' | b'&' | b'.' | b'_' | b'-' | b'%' | b'+' | b'~' | b'@' | b'$' | b'*' | b':') => {
                let is_path = value.first().is_some_and(|first| matches!(first, b'/' | b'*')) || is_http(value);
                fits && (is_spaced || is_path)
            }
            Some(last) if last.is_ascii_alphanumeric() => {
                let is_other_word = is_spaced || is_long || begins_word;
                fits && is_other_word || is_long && (is_spaced || begins_word && value.is_empty())
            }
            _ => is_usual || fits,
        }
    }

    /// A URL after another one in a value of URLs.
    fn url(&self, before: &[u8], after: &[u8], at: usize) -> Option<Start> {
        if !names::has_url_values(self.current) || !after.starts_with(b"//") {
            return None;
        }
        let scheme = [&b"https"[..], b"http"].into_iter().find(|scheme| ends_with(before, scheme))?;
        let start = at.saturating_sub(scheme.len());
        let front = bytes::part(self.value, self.part..start);
        let is_first = front.iter().copied().all(bytes::is_blank);
        let is_apart = ends_with_break(front)
            || front.last().is_some_and(|last| last.is_ascii_alphanumeric() || b",;|>\"'&+".contains(last));
        let is_query = memchr::memchr(b'?', before).is_some() && !front.last().copied().is_some_and(bytes::is_blank);
        (!is_first && is_apart && !is_query).then_some(Start {
            directive: self.current,
            name: start..start,
            value: start,
        })
    }
}

/// Whether these bytes end as lines do, or as some texts write the end of a line.
fn ends_with_break(front: &[u8]) -> bool {
    front.last().copied().is_none_or(bytes::is_blank)
        || [&b"\\n"[..], b"\\r", b"\\t", b"%0a", b"%0d"].iter().any(|end| ends_with(front, end))
}

fn ends_with(text: &[u8], end: &[u8]) -> bool {
    let from = text.len().checked_sub(end.len());
    from.and_then(|from| text.get(from..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

fn is_http(value: &[u8]) -> bool {
    let begins = |scheme: &[u8]| bytes::part(value, 0..scheme.len()).eq_ignore_ascii_case(scheme);
    begins(b"http:") || begins(b"https:")
}

/// Whether a text begins as the values of a directive do.
fn begins_as_value_of(directive: Directive, value: &[u8]) -> bool {
    /// Enough for the first word of a value.
    const MOST: usize = 64;
    let first = value.first().copied().unwrap_or(b' ');
    let has = |sign: u8| bytes::part(value, 0..MOST).contains(&sign);
    match directive {
        Directive::Allow | Directive::Disallow | Directive::Noindex => matches!(first, b'/' | b'*'),
        Directive::UserAgent => first == b'*' || first.is_ascii_alphabetic(),
        Directive::Sitemap | Directive::License => is_http(value) || first == b'/',
        Directive::CrawlDelay | Directive::RequestRate | Directive::VisitTime => first.is_ascii_digit(),
        Directive::ContentSignal | Directive::ContentUsage => has(b'='),
        Directive::Host => first.is_ascii_alphanumeric() && has(b'.'),
        Directive::CleanParam => first.is_ascii_alphabetic(),
        Directive::Own(_) | Directive::Unknown => false,
    }
}

/// A part without what stood for the line end around it: markup, signs between values, and line ends that are written
/// as two characters or percent-encoded.
fn without_separators(text: &[u8], has_urls: bool) -> &[u8] {
    let mut text = text;
    loop {
        let rest = match text {
            [rest @ .., b' ' | b'\t' | b',' | b';' | b'|']
            | [rest @ .., b'\\', b'n' | b'r' | b't']
            | [rest @ .., b'%', b'0', b'A' | b'a' | b'D' | b'd'] => rest,
            [rest @ .., b' ', b'&' | b'+'] | [rest @ .., b' ', b'a', b'n', b'd'] if has_urls => rest,
            [.., b'>'] => match before_tag(text) {
                Some(rest) => rest,
                None => return text,
            },
            _ => return text,
        };
        text = rest;
    }
}

/// The text before a tag of HTML at its end: `<br>`, `<br />`, `</p>`.
fn before_tag(text: &[u8]) -> Option<&[u8]> {
    /// The longest tag that stands for a line end.
    const MOST: usize = 16;
    let from = text.len().saturating_sub(MOST);
    let open = memchr::memrchr(b'<', text.get(from..)?)?.saturating_add(from);
    let tag = text.get(open..)?.strip_prefix(b"<")?.strip_suffix(b">")?;
    let is_of_tag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b' ' | b'!' | b'-');
    (!tag.is_empty() && tag.iter().all(is_of_tag)).then(|| bytes::part(text, 0..open))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::*;

    fn lines(directive: Directive, value: &str) -> Vec<String> {
        parts(directive, value.as_bytes())
            .map(|part| {
                let name = part.directive.name().unwrap_or("?");
                alloc::format!("{name}: {}", core::str::from_utf8(part.value).unwrap()).trim_end().to_string()
            })
            .collect()
    }

    /// [suspect.glued]
    #[test]
    fn parts_are_the_lines_that_were_meant() {
        use Directive as D;
        let cases: &[(Directive, &str, &[&str])] = &[
            (D::UserAgent, "*Disallow: /", &["User-agent: *", "Disallow: /"]),
            (D::UserAgent, "*Allow:", &["User-agent: *", "Allow:"]),
            (D::UserAgent, "* Disallow: /", &["User-agent: *", "Disallow: /"]),
            (D::UserAgent, "*dissallow : /", &["User-agent: *", "Disallow: /"]),
            (D::UserAgent, "*Crawl-delay: 10", &["User-agent: *", "Crawl-delay: 10"]),
            (D::UserAgent, "*Crawl delay: 10", &["User-agent: *", "Crawl-delay: 10"]),
            (D::UserAgent, "GPTBotAllow: /", &["User-agent: GPTBot", "Allow: /"]),
            (D::UserAgent, "GPTBotallow:/", &["User-agent: GPTBot", "Allow: /"]),
            (D::UserAgent, "AUser-agent: BDisallow: /", &["User-agent: A", "User-agent: B", "Disallow: /"]),
            (D::UserAgent, r"*\nDisallow: /a\r\nAllow: /b\n", &["User-agent: *", "Disallow: /a", "Allow: /b"]),
            (D::Disallow, "/aCrawl-delay: 10", &["Disallow: /a", "Crawl-delay: 10"]),
            (D::Disallow, "/aDisallow:/b", &["Disallow: /a", "Disallow: /b"]),
            (D::Disallow, "/a/Allow: /b", &["Disallow: /a/", "Allow: /b"]),
            (D::Disallow, "/a%0AAllow: /b", &["Disallow: /a", "Allow: /b"]),
            (D::Disallow, "/a<br>Disallow: /b<br />", &["Disallow: /a", "Disallow: /b"]),
            (D::Disallow, "/a</p><p>ALLOW: /b", &["Disallow: /a", "Allow: /b"]),
            (D::Disallow, "/a; Disallow: /b, Disallow: /c", &["Disallow: /a", "Disallow: /b", "Disallow: /c"]),
            (D::Allow, "/Sitemap: https://s.example/a", &["Allow: /", "Sitemap: https://s.example/a"]),
            (D::Allow, "Disallow: /c", &["Allow:", "Disallow: /c"]),
            (D::CrawlDelay, "10Disallow: /x", &["Crawl-delay: 10", "Disallow: /x"]),
            (D::CrawlDelay, "10User_agent: *", &["Crawl-delay: 10", "User-agent: *"]),
            (D::ContentSignal, "search=yesAllow: /", &["Content-Signal: search=yes", "Allow: /"]),
            (D::Sitemap, "https://a/a.xmlSitemap: https://b/b", &["Sitemap: https://a/a.xml", "Sitemap: https://b/b"]),
            (D::Sitemap, "https://a/a.xmlhttps://b/b", &["Sitemap: https://a/a.xml", "Sitemap: https://b/b"]),
            (D::Sitemap, "https://a/a and http://b/b", &["Sitemap: https://a/a", "Sitemap: http://b/b"]),
            (D::Sitemap, "https://a/aUser-agent: *", &["Sitemap: https://a/a", "User-agent: *"]),
        ];
        for (directive, value, expected) in cases {
            assert_eq!(lines(*directive, value), *expected, "{value}");
        }
    }

    /// [suspect.glued]
    #[test]
    fn honest_values_are_one_part() {
        for value in [
            "/allow:x",
            "/wiki/Allow:x",
            "/wiki/Disallow:",
            "/a?sitemap=https://b/c",
            "/a?x=allow:1",
            "/shallow:/",
            "/Sitemap:httpd",
            "/License:https",
            "/x:y",
            "https://a/b",
            "https://host:80/",
            "/license:",
            "/wiki/Special:/",
            "<br>",
        ] {
            assert_eq!(parts(Directive::Disallow, value.as_bytes()).count(), 1, "{value}");
        }
        for value in [
            "https://a/https://b/c",
            "https://a/?u=https://b/c",
            "https://a:80/b",
            "http://sitemap:8080/x",
            "https://a/b?x=1,https://b",
            "  https://a/b",
        ] {
            assert_eq!(parts(Directive::Sitemap, value.as_bytes()).count(), 1, "{value}");
        }
    }
}
