//! The names of crawlers, and the one reader of `User-Agent` headers: which of them are in a header.
//!
//! Invariant: a name of a browser or of a library is no name of a crawler. A text that is one word is that name. What
//! cannot be a name is never one: no comment of a browser, no address, no version.

use alloc::string::String;
use alloc::vec::Vec;

use bstr::ByteSlice;

use crate::error::ConfigError;
use crate::syntax::bytes;

/// More of a header is not read. Our choice: four times what servers accept of all headers together is not sent.
const MOST_BYTES: usize = 4_096;
/// More names are not taken. Our choice: real headers have three.
const MOST_NAMES: usize = 8;

/// Names of browsers, in lower case, separated by blanks.
const BROWSERS: &str = "\
    applewebkit chrome chromium crios edg edga edge edgios firefox fxios gecko headlesschrome iceweasel khtml \
    konqueror mozilla msie netscape opera opr presto safari samsungbrowser seamonkey trident ucbrowser up.browser \
    vivaldi webkit yabrowser";

/// Words of their headers: systems, devices and engines.
const SYSTEMS: &str = "\
    amd64 android build compatible configuration cpu cros dalvik electron epiphany focus gui html intel ipad \
    iphone ipod like linux mac macintosh midp mobile nexus os phantomjs profile qtwebengine silk tablet u ubuntu \
    version win64 windows wow64 wv x x11 x86_64";

/// Libraries and tools that programs of others send requests with.
const LIBRARIES: &str = "\
    aiohttp akka-http apache-httpasyncclient apache-httpclient axios cfnetwork colly commons-httpclient curl \
    darwin dart deno fasthttp faraday go-http-client got guzzle guzzlehttp http_client http_request2 httpclient \
    httpx hyper jakarta java jersey ktor libcurl libwww-perl lua-resty-http lwp lwp-trivial mechanize node \
    node-fetch okhttp perl php pycurl python python-aiohttp python-httpx python-requests python-urllib \
    reactornetty reqwest requests restsharp ruby scrapy simplepie typhoeus undici urllib urllib3 wget winhttp \
    www-mechanize zend_http_client";

/// The name of a crawler in robots.txt: `[0-9A-Za-z._-]+`. RFC 9309 2.2.1 allows no digits and dots, but names of real
/// crawlers contain them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ProductToken(String);

impl ProductToken {
    /// Checks a token. An error if it is empty or contains a byte other than a letter, a digit, `_`, `-` and `.`.
    pub(crate) fn parse(token: &str) -> Result<Self, ConfigError> {
        if token.is_empty() || !token.bytes().all(bytes::is_wide_token) {
            return Err(ConfigError::ProductToken(token.into()));
        }
        Ok(Self(token.into()))
    }

    /// The longest token at the front of `bytes`. None if the word goes on in another script.
    pub(crate) fn leading(bytes: &[u8]) -> Option<Self> {
        let (token, rest) = bytes::split_while(bytes, bytes::is_wide_token);
        if rest.first().is_some_and(|next| !next.is_ascii()) {
            return None;
        }
        token.to_str().ok().and_then(|token| Self::parse(token).ok())
    }

    /// The token as it was given.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this byte after the token would make it a longer token.
    pub(crate) fn goes_on_with(&self, byte: u8) -> bool {
        bytes::is_token(byte)
            || byte.is_ascii_digit() && self.0.bytes().any(|own| own.is_ascii_digit())
            || byte == b'.' && self.0.bytes().any(|own| own == b'.')
    }
}

/// The names in a header.
#[derive(Debug, Default)]
pub(crate) struct HeaderNames {
    /// The crawler's own first: see `sure`.
    pub(crate) names: Vec<ProductToken>,
    /// How many of them are the crawler's own. The others could be.
    pub(crate) sure: usize,
}

/// Whether a word of a header is one of a browser, or of the system that it runs on.
fn is_browsers(word: &str) -> bool {
    is_in(BROWSERS, word) || is_in(SYSTEMS, word)
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known.eq_ignore_ascii_case(word))
}

/// Where a word stands in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// After `compatible;`: the convention of crawlers.
    Compatible,
    /// The first product, and the words before it (RFC 9110 10.1.5).
    Leading,
    /// Another product, or a word between products.
    Product,
    /// In a comment: a product, the only word, or a word as `MyBot` or `MyCrawler`.
    Comment,
    /// The name of the software, in front of its version: `MyBot/Nutch-1.19`.
    Software,
    /// A library's, if nothing else is named.
    Library,
    /// A browser's, if nothing else is named.
    Browser,
}

impl Standing {
    const ALL: &'static [Self] =
        &[Self::Compatible, Self::Leading, Self::Product, Self::Comment, Self::Software, Self::Library, Self::Browser];
    /// Those of crawlers.
    const NAMES: &'static [Self] = &[Self::Compatible, Self::Leading, Self::Product, Self::Comment, Self::Software];
}

impl HeaderNames {
    /// `[agent.header]`: reads a name, or a whole header.
    pub(crate) fn read(text: &[u8]) -> Self {
        let text = bytes::trim(text, |byte| bytes::is_blank(byte) || bytes::is_line_end(byte));
        if !text.is_empty() && text.iter().all(|&byte| bytes::is_wide_token(byte)) {
            let names: Vec<_> = ProductToken::leading(text).into_iter().collect();
            let is_sure = names.iter().all(|name| !is_in(BROWSERS, name.as_str()));
            return Self { sure: if is_sure { names.len() } else { 0 }, names };
        }
        // A name in another script has no group: its other words are not the name.
        if words(text).next().is_some_and(|word| !word.is_ascii()) {
            return Self::default();
        }
        let mut found = Found { is_front: true, ..Found::default() };
        found.read(bytes::part(text, 0..text.len().min(MOST_BYTES)));
        found.ordered()
    }
}

/// The words that were found, in the order of the header.
#[derive(Default)]
struct Found {
    words: Vec<(Standing, bool, ProductToken)>,
    /// Whether no product has ended the words at the front.
    is_front: bool,
    /// Whether the last part was `compatible`.
    is_marked: bool,
    /// Whether there is a product: a header begins with one.
    has_product: bool,
}

impl Found {
    /// Reads products and comments in turn.
    fn read(&mut self, header: &[u8]) {
        let mut rest = header;
        while !rest.is_empty() {
            let (outside, comment) = bytes::split_while(rest, |byte| byte != b'(');
            parts(outside).for_each(|part| self.part(part, false, false));
            if comment.is_empty() {
                break;
            }
            self.is_front = self.is_front && self.words.is_empty() && bytes::trim(outside, bytes::is_blank).is_empty();
            let end = comment_end(comment);
            self.comment(bytes::part(comment, 1..end));
            rest = comment.get(end.saturating_add(1)..).unwrap_or_default();
        }
    }

    /// The parts of a comment.
    fn comment(&mut self, text: &[u8]) {
        let one_word = parts(text).filter(|part| words(part).next().is_some()).count() == 1;
        for part in parts(text) {
            self.part(part, true, one_word && words(part).count() == 1);
        }
    }

    /// The words of a part, which is outside comments, or in one.
    fn part(&mut self, part: &[u8], is_in_comment: bool, is_alone: bool) {
        let is_mark = part.eq_ignore_ascii_case(b"compatible");
        if part.is_empty() || is_mark {
            self.is_marked |= is_mark;
            return;
        }
        let mut is_like = false;
        for word in words(part).filter_map(Word::of) {
            let is_browsers = is_browsers(word.name.as_str());
            let standing = match () {
                () if is_like => None,
                () if self.is_marked && !is_browsers => Some(Standing::Compatible),
                () if !is_in_comment => {
                    Some(if self.is_front && !is_browsers { Standing::Leading } else { Standing::Product })
                }
                () if self.has_product && (word.has_version || is_alone || is_robots(&word.name)) => {
                    Some(Standing::Comment)
                }
                () => None,
            };
            is_like = word.name.as_str().eq_ignore_ascii_case("like");
            // What follows a browser's name is its version or its system.
            self.is_marked &= !is_browsers;
            self.has_product |= !is_in_comment;
            self.is_front = self.is_front && !word.has_version && !is_browsers;
            self.add(standing, word);
        }
        self.is_marked = false;
    }

    fn add(&mut self, standing: Option<Standing>, word: Word) {
        let Some(standing) = standing else { return };
        let standing = match word.name.as_str() {
            name if is_browsers(name) => Standing::Browser,
            name if is_in(LIBRARIES, name) => Standing::Library,
            _ => standing,
        };
        self.words.push((standing, word.is_cut, word.name));
        self.words.extend(word.software.map(|software| (Standing::Software, false, software)));
    }

    /// The names, the crawler's own first, each once.
    fn ordered(self) -> HeaderNames {
        let first = self.words.iter().map(|(standing, ..)| *standing).min();
        let is_own = |standing: Standing| match first {
            Some(Standing::Compatible | Standing::Leading) => standing <= Standing::Leading,
            Some(Standing::Browser) | None => false,
            Some(first) => standing == first,
        };
        // Libraries and browsers count only if nothing else is named.
        let is_named = first.is_some_and(|first| first < Standing::Library);
        let counted = if is_named { Standing::NAMES } else { Standing::ALL };
        let mut found = HeaderNames::default();
        // The part of a name before a byte that no name has, as in `Yahoo! Slurp`, comes after whole words.
        for (standing, is_cut) in counted.iter().flat_map(|&standing| [(standing, false), (standing, true)]) {
            for (_, _, name) in self.words.iter().filter(|word| (word.0, word.1) == (standing, is_cut)) {
                let is_known = found.names.iter().any(|known| known.as_str().eq_ignore_ascii_case(name.as_str()));
                if !is_known && found.names.len() < MOST_NAMES {
                    found.sure = found.sure.saturating_add(usize::from(is_own(standing)));
                    found.names.push(name.clone());
                }
            }
        }
        found
    }
}

/// What is between semicolons, commas and parentheses.
fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| matches!(byte, b';' | b',' | b'(' | b')')).map(|part| bytes::trim(part, bytes::is_blank))
}

/// Whether the name says that it is a crawler's.
fn is_robots(name: &ProductToken) -> bool {
    let name = name.as_str().to_ascii_lowercase();
    ["bot", "crawl", "spider"].iter().any(|word| name.contains(word))
}

/// The place of the parenthesis that ends the comment at the front.
fn comment_end(comment: &[u8]) -> usize {
    let mut depth = 0_usize;
    for (at, &byte) in comment.iter().enumerate() {
        match byte {
            b'(' => depth = depth.saturating_add(1),
            b')' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at;
        }
    }
    comment.len()
}

/// The words of a part, up to an address.
fn words(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_space = |byte: u8| bytes::is_blank(byte) || bytes::is_line_end(byte);
    part.split(move |&byte| is_space(byte)).filter(|word| !word.is_empty()).take_while(|word| !is_address(word))
}

/// Whether it is a URL, a mail address, or the sign before one.
fn is_address(word: &[u8]) -> bool {
    let starts = |front: &[u8]| word.get(..front.len()).is_some_and(|found| found.eq_ignore_ascii_case(front));
    let is_mail = bytes::split_once(word, b'@').is_some_and(|(user, host)| !user.is_empty() && host.contains(&b'.'));
    word.first() == Some(&b'+') || is_mail || starts(b"http:") || starts(b"https:") || starts(b"www.")
}

/// A word that can be a name.
struct Word {
    name: ProductToken,
    has_version: bool,
    /// Whether a byte follows the name that is in no name.
    is_cut: bool,
    /// `Nutch` of `MyBot/Nutch-1.19`.
    software: Option<ProductToken>,
}

impl Word {
    fn of(word: &[u8]) -> Option<Self> {
        let name = ProductToken::leading(word)?;
        let rest = word.get(name.as_str().len()..).unwrap_or_default();
        let version = rest.strip_prefix(b"/");
        let is_number = |version: &[u8]| version.first().is_some_and(u8::is_ascii_digit);
        let has_version =
            version.is_some_and(|version| is_number(version) || version.strip_prefix(b"v").is_some_and(is_number));
        let software = version.filter(|_| !has_version).and_then(software);
        let has_version = has_version || software.is_some();
        // `008/0.83` is a crawler, `5.04` a version.
        let is_name = has_version || name.as_str().bytes().any(|byte| byte.is_ascii_alphabetic());
        is_name.then_some(Self { name, has_version, is_cut: !rest.is_empty() && version.is_none(), software })
    }
}

/// The software in a version as `Nutch-1.19`.
fn software(version: &[u8]) -> Option<ProductToken> {
    let (name, rest) = bytes::split_while(version, |byte| byte.is_ascii_alphabetic());
    let is_version = matches!(rest, [b'-', digit, ..] if digit.is_ascii_digit());
    if is_version { ProductToken::leading(name) } else { None }
}
