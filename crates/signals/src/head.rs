//! Reads the head of an HTML page: `meta` and `link` elements, up to `<body>`.
//!
//! Invariant: the tokenizer is a kept one. Comments, scripts, styles and titles have no elements. `template` and
//! `noscript` give nothing, and hide nothing that stands behind them. The time is linear in what is read.

use std::mem;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Error, Span, State, Tokenizer};

use crate::charset::ascii_based;
use crate::finding::FindingKind;
use crate::limits::Limits;
use crate::record::Record;
use crate::statement::{Place, Source, is_name};
use crate::{link, robots_tag, tdm};

/// Reads what the head says.
pub(crate) fn read(html: &[u8], limits: &Limits, record: &mut Record) {
    let front = html.get(..limits.max_html_bytes).unwrap_or(html);
    let text = ascii_based(front);
    let mut head = Head { text: &text, line: 1, counted: 0, record, is_over: false, aside: None, raw: None };
    let mut tag = Tag::default();
    let emitter = CallbackEmitter::new(move |event: CallbackEvent<'_>, span: Span<usize>| tag.event(&event, span));
    let mut tokenizer = Tokenizer::new_with_emitter(&*text, emitter);
    let mut has_body = false;
    while let Some(Ok(token)) = tokenizer.next() {
        match token {
            Token::Start(tag) => {
                if let Some(state) = state_in(&tag.name) {
                    head.raw = Some((tag.name.clone(), tag.at));
                    tokenizer.set_state(state);
                }
                if head.start(&tag) {
                    has_body = true;
                    break;
                }
            }
            Token::End(name) => head.end(&name),
            Token::Text => head.is_over |= head.aside.is_none() && head.raw.is_none(),
            Token::OpenComment(at) => head.report(FindingKind::Unclosed, at, b"<!--"),
        }
    }
    head.finish();
    if !has_body && front.len() < html.len() {
        let at = head.place(text.len());
        head.record.cut(at, b"html");
    }
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

enum Token {
    Start(Start),
    End(Vec<u8>),
    /// Text that is not blank.
    Text,
    /// A comment that does not end.
    OpenComment(usize),
}

/// A start tag, with its first attributes of each name that counts.
#[derive(Default)]
struct Start {
    at: usize,
    name: Vec<u8>,
    attributes: [Option<Vec<u8>>; ATTRIBUTES.len()],
}

/// The attributes that count.
const ATTRIBUTES: [&[u8]; 5] = [b"name", b"content", b"rel", b"href", b"type"];

impl Start {
    fn value(&self, name: &[u8]) -> Option<&[u8]> {
        let place = ATTRIBUTES.iter().position(|known| *known == name)?;
        self.attributes.get(place)?.as_deref()
    }
}

/// Puts a tag together from what the tokenizer tells.
#[derive(Default)]
struct Tag {
    now: Start,
    /// The attribute whose value comes next.
    place: Option<usize>,
}

impl Tag {
    fn event(&mut self, event: &CallbackEvent<'_>, span: Span<usize>) -> Option<Token> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.now = Start { at: span.start, name: name.to_vec(), ..Start::default() };
                self.place = None;
            }
            CallbackEvent::AttributeName { name } => {
                self.place = ATTRIBUTES.iter().position(|known| known == name);
                // Of two attributes with one name the first counts.
                match self.place.and_then(|place| self.now.attributes.get_mut(place)) {
                    Some(value @ None) => *value = Some(Vec::new()),
                    _ => self.place = None,
                }
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some(known) = self.place.take().and_then(|place| self.now.attributes.get_mut(place)) {
                    *known = Some(value.to_vec());
                }
            }
            CallbackEvent::CloseStartTag { .. } => return Some(Token::Start(mem::take(&mut self.now))),
            CallbackEvent::EndTag { name } => return Some(Token::End(name.to_vec())),
            CallbackEvent::String { value } if !value.trim_ascii().is_empty() => return Some(Token::Text),
            CallbackEvent::Error(Error::EofInComment) => return Some(Token::OpenComment(span.start)),
            _ => {}
        }
        None
    }
}

struct Head<'h> {
    text: &'h [u8],
    /// The line of the byte up to which lines were counted.
    line: usize,
    counted: usize,
    record: &'h mut Record,
    /// Whether the head has ended.
    is_over: bool,
    /// The `template` or `noscript` that is open: its name, how many are, and what was known before.
    aside: Option<(Vec<u8>, usize, (usize, usize))>,
    /// The element without elements that is open, and where it begins.
    raw: Option<(Vec<u8>, usize)>,
}

impl Head<'_> {
    /// Reads a tag. Whether the body begins.
    fn start(&mut self, tag: &Start) -> bool {
        if let Some((name, depth, _)) = &mut self.aside {
            *depth = depth.saturating_add(usize::from(*name == tag.name));
        } else if matches!(&*tag.name, b"template" | b"noscript") {
            self.aside = Some((tag.name.clone(), 1, self.record.length()));
        } else if tag.name == b"body" {
            return true;
        } else {
            self.is_over |= !IN_HEAD.contains(&&*tag.name);
        }
        match &*tag.name {
            b"meta" => self.meta(tag),
            b"link" => self.link(tag),
            _ => {}
        }
        false
    }

    fn end(&mut self, name: &[u8]) {
        self.raw = None;
        match &mut self.aside {
            Some((open, depth, known)) if open == name => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    self.record.forget_since(*known);
                    self.aside = None;
                }
            }
            None if name == b"head" => self.is_over = true,
            _ => {}
        }
    }

    /// What stood in a `template` or `noscript` that did not end counts as if that was not there.
    fn finish(&mut self) {
        if let Some((name, ..)) = self.aside.take() {
            self.report(FindingKind::Unclosed, self.counted, &name);
        }
        if let Some((name, at)) = self.raw.take() {
            self.report(FindingKind::Unclosed, at, &name);
        }
    }

    fn meta(&mut self, tag: &Start) {
        let (Some(name), Some(content)) = (tag.value(b"name"), tag.value(b"content")) else { return };
        let Ok(name) = str::from_utf8(name.trim_ascii()) else { return };
        let (before, at) = (self.record.length(), self.place(tag.at));
        let is_sure = !self.is_over && self.aside.is_none();
        if name.eq_ignore_ascii_case("tdm-reservation") {
            tdm::reservation(content, at, is_sure, self.record);
        } else if is_name(name) {
            robots_tag::meta(name, content, at, is_sure, self.record);
        }
        if self.is_over && self.record.length() != before {
            self.record.find(FindingKind::AfterHead, at, name.as_bytes());
        }
    }

    fn link(&mut self, tag: &Start) {
        let (Some(relations), Some(url)) = (tag.value(b"rel"), tag.value(b"href")) else { return };
        if link::is_license(relations) {
            let at = self.place(tag.at);
            self.record.license(at, url.trim_ascii(), tag.value(b"type"));
        }
    }

    fn report(&mut self, kind: FindingKind, at: usize, text: &[u8]) {
        let at = self.place(at);
        self.record.doubt(kind, at, text);
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
