//! HTML and SVG under construction.
//!
//! Invariant: markup comes from literals and numbers only. All other text is escaped, so it is printable ASCII without
//! a character that markup is made of. Letters outside ASCII are written by their numbers: no reader mistakes them.

use std::fmt::{self, Write as _};

use crate::printable::harmless;

/// A document, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Markup(String);

impl Markup {
    /// Adds markup: a literal.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds a number.
    pub(crate) fn number<N: Number>(&mut self, number: N) -> &mut Self {
        // Writing to a string does not fail.
        let _ = write!(self.0, "{number}");
        self
    }

    /// Adds text, also of an attribute in quotes.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        for character in harmless(text).chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '`' => self.0.push_str("&#96;"),
                ' '..='~' => self.0.push(character),
                letter => self.letter(letter),
            }
        }
        self
    }

    /// Adds text in which pairs of backticks make code. A text with a backtick that has no other one stays as it is.
    pub(crate) fn rich(&mut self, text: &str) -> &mut Self {
        if text.matches('`').count().is_multiple_of(2) {
            for (place, part) in text.split('`').enumerate() {
                if place.is_multiple_of(2) {
                    self.text(part);
                } else {
                    self.element("<code>", part, "</code>");
                }
            }
            self
        } else {
            self.text(text)
        }
    }

    /// Adds a sentence: as [`Markup::rich`], with a capital letter and a full stop.
    pub(crate) fn sentence(&mut self, text: &str) -> &mut Self {
        self.rich(&capital(text));
        if text.ends_with(['.', '!', '?']) { self } else { self.raw(".") }
    }

    /// Adds a letter by its number.
    fn letter(&mut self, letter: char) {
        // Writing to a string does not fail.
        let _ = write!(self.0, "&#x{:X};", u32::from(letter));
    }

    /// Adds a part.
    pub(crate) fn append(&mut self, part: &Self) -> &mut Self {
        self.0.push_str(&part.0);
        self
    }

    /// Adds an element with text.
    pub(crate) fn element(&mut self, open: &'static str, text: &str, close: &'static str) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    /// Adds the first items of a list, and how many there are besides, in an element.
    pub(crate) fn some<T>(
        &mut self,
        items: &[T],
        most: usize,
        element: [&'static str; 2],
        add: impl Fn(&mut Self, &T),
    ) {
        items.iter().take(most).for_each(|item| add(self, item));
        if let Some(more @ 1..) = items.len().checked_sub(most) {
            let [open, close] = element;
            self.element(open, &format!("and {more} more"), close);
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

/// The text with a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A type whose numbers contain digits only.
pub(crate) trait Number: Copy + fmt::Display {}

impl Number for u32 {}
impl Number for usize {}

#[cfg(test)]
mod tests {
    use super::*;

    /// [html.escaped]
    #[test]
    fn text_has_nothing_that_markup_is_made_of() {
        let all: String =
            (0..=0x2FFF_u32).filter_map(char::from_u32).chain(['\u{202e}', '\u{feff}', '\u{e0001}']).collect();
        let mut markup = Markup::default();
        markup.text(&all).text("<script>alert('x')</script>\"&amp;").number(12_usize);
        let found = markup.into_string();
        assert!(found.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"<>\"'`".contains(&byte)), "{found}");
        for after in found.split('&').skip(1) {
            let name = after.split(';').next().unwrap_or_default();
            let is_letter = |number| u32::from_str_radix(number, 16).ok().and_then(char::from_u32);
            let is_letter = name.strip_prefix("#x").and_then(is_letter).is_some_and(|one| !one.is_ascii());
            assert!(is_letter || ["amp", "lt", "gt", "quot", "#39", "#96"].contains(&name), "{after}");
        }
        assert!(found.ends_with("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;amp;12"), "{found}");
        assert!(found.contains("\\x00") && found.contains("\\xE2\\x80\\xAE"));
    }
}
