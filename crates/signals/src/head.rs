//! Reads an HTML page: `meta` and `link` elements of its head, and of its body what forbids.
//!
//! Invariant: the tokenizer is a kept one. Comments, scripts, styles and titles have no elements. `template` gives
//! nothing, and `noscript` nothing that allows; neither hides what stands after it. The time is linear in what is read.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, State, Tokenizer};

use crate::finding::FindingKind;
use crate::limits::Limits;
use crate::record::Record;
use crate::response::ascii_based;
use crate::statement::{Place, Source, is_name};
use crate::tags::{Start, Tag, Token};
use crate::{broken, link, robots_tag, tdm};

/// How the parts are read of which there are two readings: `noscript`, by whether scripts run, and styles, scripts and
/// titles in `svg` and `math`, by whether the element has ended before.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    Elements,
    Text,
}

/// Reads what the head says. `is_part`: whether the rest of the page is missing. Where there are two readings, what either forbids counts, and what both allow.
pub(crate) fn read(html: &[u8], is_part: bool, limits: &Limits, record: &mut Record) {
    let front = html.get(..limits.max_html_bytes).unwrap_or(html);
    let text = ascii_based(front);
    if is_unreadable(&text) {
        record.doubt(FindingKind::Malformed, Place::new(Source::Html, 0), b"html");
    }
    let start = record.length();
    let mut head = Head::new(&text, Reading::Elements, record);
    head.read();
    let (mut has_body, has_two) = (head.has_body, head.has_two);
    if has_two {
        let mut other = Record::new(*limits);
        let mut head = Head::new(&text, Reading::Text, &mut other);
        head.read();
        has_body &= head.has_body;
        record.add_reading(start, other);
    }
    if !has_body && (is_part || front.len() < html.len()) {
        record.cut(Place::new(Source::Html, 0), b"html");
    }
}

/// Whether it is still packed (gzip, zstd), or in an encoding without ASCII for ASCII: browsers decode it by its headers.
fn is_unreadable(html: &[u8]) -> bool {
    /// Where an element would begin. Our choice.
    const START: usize = 1_024;
    let start = html.get(..START).unwrap_or(html);
    start.starts_with(&[0x1F, 0x8B]) || start.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) || start.contains(&0)
}

/// How the text in an element is read, if it has no elements (WHATWG HTML 13.2.6.2).
fn state_in(name: &[u8]) -> Option<State> {
    match name {
        b"title" | b"textarea" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}

/// What HTML itself means by a name of `meta` (4.2.5.1): no crawler has it.
const NAMES_OF_HTML: [&str; 9] = [
    "application-name",
    "author",
    "color-scheme",
    "description",
    "generator",
    "keywords",
    "referrer",
    "theme-color",
    "viewport",
];

/// Whether a name of `meta` may be that of a crawler, or is `robots`.
fn is_name_here(name: &str) -> bool {
    is_name(name) && !NAMES_OF_HTML.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// What a `meta` without a name has in its place, where readers of `name` alone do not see it: the name of the header, or
/// a property.
fn other_name(tag: &Start) -> Option<&[u8]> {
    let is_header = |value: &&[u8]| value.trim_ascii().eq_ignore_ascii_case(b"x-robots-tag");
    let header = tag.value(b"http-equiv").filter(is_header).map(|_| &b"robots"[..]);
    header.or_else(|| tag.value(b"property").filter(|name| name.trim_ascii().eq_ignore_ascii_case(b"robots")))
}

/// Whether a name is no name, and seems to mean `robots`, or several crawlers.
fn is_almost_robots(name: &[u8]) -> bool {
    let is_bot = |word: &[u8]| word.len() > 3 && word.to_ascii_lowercase().ends_with(b"bot");
    let is_one = str::from_utf8(name).is_ok_and(is_name);
    !name.eq_ignore_ascii_case(b"robots")
        && broken::words(name).any(|word| robots_tag::is_robots(word) || !is_one && is_bot(word))
}

/// Where the last tag that may be a `meta` begins. 0 if there is none.
fn last_meta(text: &[u8]) -> usize {
    let is_meta = |rest: &[u8]| rest.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"));
    let mut starts = text.iter().enumerate().rev().filter(|(_, byte)| **byte == b'<').map(|(at, _)| at);
    starts.find(|at| text.get(*at..).is_some_and(is_meta)).unwrap_or(0)
}

/// The media type of a licence that stands in a `script`.
const RSL: &[u8] = b"application/rsl+xml";

/// The elements that a head can have. Another one ends it.
const IN_HEAD: [&[u8]; 14] = [
    b"base",
    b"basefont",
    b"bgsound",
    b"command",
    b"head",
    b"html",
    b"link",
    b"meta",
    b"noframes",
    b"noscript",
    b"script",
    b"style",
    b"template",
    b"title",
];

struct Head<'h> {
    text: &'h [u8],
    reading: Reading,
    /// The line of the byte up to which lines were counted.
    line: usize,
    counted: usize,
    record: &'h mut Record,
    /// Whether the head has ended, and whether there was a tag of the body.
    is_over: bool,
    has_body: bool,
    /// Whether the other reading may say something else.
    has_two: bool,
    /// The `template` or `noscript` that is open: its name, how many are, and what was known before.
    aside: Option<(Vec<u8>, usize, (usize, usize))>,
    /// The element without elements that is open, and where it begins.
    raw: Option<(Vec<u8>, usize)>,
    /// How many `svg` and `math` are open.
    images: usize,
    /// Where the last `<meta` begins, if that is known.
    last_meta: Option<usize>,
}

impl<'h> Head<'h> {
    const fn new(text: &'h [u8], reading: Reading, record: &'h mut Record) -> Self {
        Self {
            text,
            reading,
            line: 1,
            counted: 0,
            record,
            is_over: false,
            has_body: false,
            has_two: false,
            aside: None,
            raw: None,
            images: 0,
            last_meta: None,
        }
    }

    fn read(&mut self) {
        let mut tag = Tag::default();
        let emitter = CallbackEmitter::new(move |event: CallbackEvent<'_>, span: Span<usize>| tag.event(&event, span));
        let mut tokenizer = Tokenizer::new_with_emitter(self.text, emitter);
        // A comment that begins after the last `>` does not end.
        let last = self.text.iter().rposition(|byte| *byte == b'>').unwrap_or(0);
        while let Some(Ok(token)) = tokenizer.next() {
            match token {
                Token::Start(tag) => {
                    if let Some(state) = self.state_in(&tag) {
                        self.raw = Some((tag.name.clone(), tag.at));
                        tokenizer.set_state(state);
                    }
                    self.start(&tag);
                    if self.is_all(tag.at) {
                        return;
                    }
                }
                Token::End(name) => self.end(&name),
                Token::Text => self.is_over |= self.aside.is_none() && self.raw.is_none(),
                Token::Comment(at) if at <= last => {}
                Token::Comment(at) | Token::Open(at) => self.unclosed(at, b"<"),
            }
        }
        // What stood in a `template` that did not end counts as if that was not there.
        if let Some((name, ..)) = self.aside.take() {
            self.unclosed(self.counted, &name);
        }
        if let Some((name, at)) = self.raw.take() {
            self.unclosed(at, &name);
        }
    }

    /// Whether nothing after this tag matters: of a body only `meta` does, and none begins there. A `template` that is
    /// open may end, and then what is in it says nothing.
    fn is_all(&mut self, at: usize) -> bool {
        if !self.has_body || self.aside.is_some() {
            return false;
        }
        *self.last_meta.get_or_insert_with(|| last_meta(self.text)) <= at
    }

    /// How the text in an element is read, by this reading. One that ends with a slash has none in XHTML.
    fn state_in(&self, tag: &Start) -> Option<State> {
        match self.reading {
            Reading::Elements if self.images > 0 || tag.is_closed => None,
            Reading::Text if tag.name == b"noscript" => Some(State::RawText),
            _ => state_in(&tag.name),
        }
    }

    fn start(&mut self, tag: &Start) {
        let is_image = matches!(&*tag.name, b"svg" | b"math");
        self.images = self.images.saturating_add(usize::from(is_image && !tag.is_closed));
        let is_empty_text = tag.is_closed && state_in(&tag.name).is_some();
        self.has_two |= is_image || is_empty_text || tag.name == b"noscript";
        if let Some((name, depth, _)) = &mut self.aside {
            *depth = depth.saturating_add(usize::from(*name == tag.name));
        } else if matches!(&*tag.name, b"template" | b"noscript") && self.raw.is_none() {
            self.aside = Some((tag.name.clone(), 1, self.record.length()));
        } else {
            self.has_body |= tag.name == b"body";
            self.is_over |= !IN_HEAD.contains(&&*tag.name);
        }
        match &*tag.name {
            b"meta" => self.meta(tag),
            b"link" if !self.has_body => self.link(tag),
            b"script" if !self.has_body => self.script(tag),
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        self.raw = None;
        if matches!(name, b"svg" | b"math") {
            self.images = self.images.saturating_sub(1);
        }
        match &mut self.aside {
            Some((open, depth, known)) if open == name => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    if name == b"template" {
                        self.record.forget_since(*known);
                    }
                    self.aside = None;
                }
            }
            None if matches!(name, b"head" | b"body" | b"html" | b"br") => self.is_over = true,
            _ => {}
        }
    }

    fn meta(&mut self, tag: &Start) {
        let Some(content) = tag.value(b"content") else { return };
        let is_named = tag.value(b"name").is_some();
        let Some(name) = tag.value(b"name").or_else(|| other_name(tag)).map(<[u8]>::trim_ascii) else { return };
        let (before, at) = (self.record.length(), self.place(tag.at));
        let is_sure = !self.is_over && self.aside.is_none();
        if name.eq_ignore_ascii_case(b"tdm-reservation") {
            tdm::reservation(content, at, is_sure, self.record);
        } else if name.eq_ignore_ascii_case(b"tdm-policy") {
            self.record.license(at, content.trim_ascii(), None);
        } else if !is_named || is_almost_robots(name) {
            self.record.find(FindingKind::Malformed, at, name);
            robots_tag::meta("robots", content, at, false, self.record);
        } else if let Some(name) = str::from_utf8(name).ok().filter(|name| is_name_here(name)) {
            robots_tag::meta(name, content, at, is_sure, self.record);
        }
        if self.record.length() != before && !is_sure {
            let kind = if self.is_over { FindingKind::AfterHead } else { FindingKind::Aside };
            let is_template = self.aside.as_ref().is_some_and(|(name, ..)| name == b"template");
            if self.is_over || !is_template {
                self.record.find(kind, at, name);
            }
        }
    }

    /// A licence of RSL in the page itself: it has no address.
    fn script(&mut self, tag: &Start) {
        let kind = tag.value(b"type").and_then(|kind| kind.split(|byte| *byte == b';').next()).unwrap_or_default();
        if kind.trim_ascii().eq_ignore_ascii_case(RSL) {
            let at = self.place(tag.at);
            self.record.license(at, b"", Some(RSL));
        }
    }

    fn link(&mut self, tag: &Start) {
        let (Some(relations), Some(url)) = (tag.value(b"rel"), tag.value(b"href")) else { return };
        if link::is_license(relations) {
            let at = self.place(tag.at);
            self.record.license(at, url.trim_ascii(), tag.value(b"type"));
        }
    }

    /// Of a body only what forbids is read, so that what does not end there matters to nobody.
    fn unclosed(&mut self, at: usize, text: &[u8]) {
        if !self.has_body {
            let at = self.place(at);
            self.record.doubt(FindingKind::Unclosed, at, text);
        }
    }

    /// The line of a byte. Bytes come in order, so each is counted once.
    fn place(&mut self, at: usize) -> Place {
        let at = at.clamp(self.counted, self.text.len());
        let new = self.text.get(self.counted..at).unwrap_or_default();
        self.line = self.line.saturating_add(new.split(|byte| *byte == b'\n').skip(1).count());
        self.counted = at;
        Place::new(Source::Html, self.line)
    }
}
