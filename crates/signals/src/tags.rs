//! The tags of HTML, put together from what the tokenizer tells.
//!
//! Invariant: of a tag only the attributes that count are kept, and of two with one name the first.

use std::mem;

use html5gum::emitters::callback::CallbackEvent;
use html5gum::{Error, Span};

pub(crate) enum Token {
    Start(Start),
    End(Vec<u8>),
    /// Text that is not blank.
    Text,
    /// A comment, or what is read as one.
    Comment(usize),
    /// A tag, a doctype or a comment that does not end.
    Open(usize),
}

/// A start tag, with its first attributes of each name that counts.
#[derive(Default)]
pub(crate) struct Start {
    pub(crate) at: usize,
    pub(crate) name: Vec<u8>,
    /// Whether it ends with a slash.
    pub(crate) is_closed: bool,
    attributes: [Option<Vec<u8>>; ATTRIBUTES.len()],
}

/// The attributes that count.
const ATTRIBUTES: [&[u8]; 7] = [b"name", b"content", b"rel", b"href", b"type", b"http-equiv", b"property"];

impl Start {
    pub(crate) fn value(&self, name: &[u8]) -> Option<&[u8]> {
        let place = ATTRIBUTES.iter().position(|known| *known == name)?;
        self.attributes.get(place)?.as_deref()
    }
}

/// Puts a tag together from what the tokenizer tells.
#[derive(Default)]
pub(crate) struct Tag {
    now: Start,
    /// The attribute whose value comes next.
    place: Option<usize>,
}

impl Tag {
    pub(crate) fn event(&mut self, event: &CallbackEvent<'_>, span: Span<usize>) -> Option<Token> {
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
            CallbackEvent::CloseStartTag { self_closing } => {
                self.now.is_closed = *self_closing;
                return Some(Token::Start(mem::take(&mut self.now)));
            }
            CallbackEvent::EndTag { name } => return Some(Token::End(name.to_vec())),
            CallbackEvent::String { value } if !value.trim_ascii().is_empty() => return Some(Token::Text),
            CallbackEvent::Comment { .. } => return Some(Token::Comment(span.start)),
            CallbackEvent::Error(Error::EofInComment | Error::EofInTag | Error::EofInDoctype) => {
                return Some(Token::Open(span.start));
            }
            _ => {}
        }
        None
    }
}
