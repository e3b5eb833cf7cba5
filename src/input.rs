//! What an input looks like: a robots.txt file, or something else that was given as one.
//!
//! Invariant: a kind is a description, never a decision. Any input is parsed and answered in the same way.

use core::fmt;

/// What the first bytes of an input look like. SPEC.md has the rules under `[input.kind]`.
///
/// ```
/// use robosieve::report::InputKind;
/// let page = robosieve::Sieve::new(["MyBot"]).filter(b"<!DOCTYPE html>\n<title>Not found</title>\n").unwrap();
/// assert_eq!(page.report().input(), InputKind::Html);
/// assert_eq!(page.report().input().to_string(), "an HTML page");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", content = "format", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum InputKind {
    /// Text. It may be a robots.txt file.
    #[default]
    Text,
    /// No bytes, or nothing but a byte order mark.
    Empty,
    /// HTML, or a part of an HTML page.
    Html,
    /// XML that is not HTML.
    Xml,
    /// PHP source.
    Php,
    /// JSON.
    Json,
    /// An HTTP response with its head.
    HttpResponse,
    /// An image, with the short name of its format.
    Image(&'static str),
    /// A document, such as a PDF, with the short name of its format.
    Document(&'static str),
    /// An archive of files, with the short name of its format.
    Archive(&'static str),
    /// A program.
    Program(&'static str),
    /// Compressed data that this project does not decompress, with the short name of its format.
    Compressed(&'static str),
    /// Data compressed with gzip.
    Gzip,
    /// Data compressed with zstd.
    Zstd,
    /// UTF-16 text.
    #[cfg_attr(feature = "serde", serde(rename = "utf-16"))]
    Utf16(ByteOrder),
    /// UTF-32 text.
    #[cfg_attr(feature = "serde", serde(rename = "utf-32"))]
    Utf32(ByteOrder),
    /// Bytes of no known format that are not text.
    Binary,
}

/// Which byte of a character comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum ByteOrder {
    /// The least significant byte.
    #[cfg_attr(feature = "serde", serde(rename = "le"))]
    Little,
    /// The most significant byte.
    #[cfg_attr(feature = "serde", serde(rename = "be"))]
    Big,
}

impl InputKind {
    /// Whether the input may be a robots.txt file: text, or no bytes at all.
    #[must_use]
    pub const fn may_be_robots_txt(self) -> bool {
        matches!(self, Self::Text | Self::Empty)
    }

    /// The names of all kinds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        const LITTLE: ByteOrder = ByteOrder::Little;
        let text = [Self::Text, Self::Empty, Self::Html, Self::Xml, Self::Php, Self::Json, Self::HttpResponse];
        let named = [Self::Image(""), Self::Document(""), Self::Archive(""), Self::Program(""), Self::Compressed("")];
        let data = [Self::Gzip, Self::Zstd, Self::Utf16(LITTLE), Self::Utf32(LITTLE), Self::Binary];
        text.into_iter().chain(named).chain(data).map(Self::as_str)
    }

    /// A stable name for machines, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.words().0
    }

    /// The name, what people call it, and which format it is.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Text => ("text", "text", ""),
            Self::Empty => ("empty", "an empty file", ""),
            Self::Html => ("html", "an HTML page", ""),
            Self::Xml => ("xml", "XML", ""),
            Self::Php => ("php", "PHP source", ""),
            Self::Json => ("json", "JSON", ""),
            Self::HttpResponse => ("http-response", "an HTTP response with its head", ""),
            Self::Image(format) => ("image", "an image", format),
            Self::Document(format) => ("document", "a document", format),
            Self::Archive(format) => ("archive", "an archive", format),
            Self::Program(format) => ("program", "a program", format),
            Self::Compressed(format) => ("compressed", "compressed data", format),
            Self::Gzip => ("gzip", "compressed data", "gzip"),
            Self::Zstd => ("zstd", "compressed data", "zstd"),
            Self::Utf16(order) => ("utf-16", "UTF-16 text", order.as_str()),
            Self::Utf32(order) => ("utf-32", "UTF-32 text", order.as_str()),
            Self::Binary => ("binary", "binary data", ""),
        }
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            (_, words, "") => f.write_str(words),
            (_, words, format) => write!(f, "{words} ({format})"),
        }
    }
}

impl ByteOrder {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Little => "little-endian",
            Self::Big => "big-endian",
        }
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
