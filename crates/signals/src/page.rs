//! A page: its address, and what is known of it.
//!
//! Invariant: nothing is fetched. Each source is read once, within the limits.

use std::borrow::Cow;

use robosieve::settings::Options;
use robosieve::syntax::Directive;

use crate::answer::Signals;
use crate::limits::Limits;
use crate::preference::{self, Line};
use crate::record::Record;
use crate::statement::{Place, Source};
use crate::{head, link, robots_tag, tdm};

/// A page, and the sources that say what may be done with it. All of them are untrusted bytes, and any may be missing.
///
/// ```
/// use robosieve_explain::Names;
/// use robosieve_signals::{Allowed, Page, Use};
///
/// let page = Page::new("https://example.com/a")
///     .header("X-Robots-Tag", "otherbot: noindex, nofollow")
///     .header("Content-Signal", "search=yes, ai-train=no")
///     .html("<head><meta name=robots content='max-snippet:20, nofollow'></head>")
///     .robots("User-agent: *\nDisallow: /private\n");
/// let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 1_764_000_000);
/// assert_eq!(answer.of(Use::Fetch), Allowed::Yes);
/// assert_eq!((answer.of(Use::Index), answer.of(Use::Follow)), (Allowed::Unsaid, Allowed::No));
/// assert_eq!(answer.limits.max_snippet, Some(20));
/// assert_eq!(answer.decided_by["ai-training"].text, "ai-train=no");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Page<'p> {
    url: Bytes<'p>,
    headers: Vec<(Bytes<'p>, Bytes<'p>)>,
    html: Option<Bytes<'p>>,
    robots: Option<Bytes<'p>>,
    tdmrep: Option<Bytes<'p>>,
    options: Options,
    limits: Limits,
}

type Bytes<'p> = Cow<'p, [u8]>;

fn bytes<T: AsRef<[u8]> + ?Sized>(text: &T) -> Bytes<'_> {
    Cow::Borrowed(text.as_ref())
}

impl<'p> Page<'p> {
    /// A page with this URL, of which nothing is known yet: a whole URL, or a path.
    pub fn new<T: AsRef<[u8]> + ?Sized>(url: &'p T) -> Self {
        Self {
            url: bytes(url),
            headers: Vec::new(),
            html: None,
            robots: None,
            tdmrep: None,
            options: Options::default(),
            limits: Limits::DEFAULT,
        }
    }

    /// Adds a header line, in the order of the response.
    pub fn header<N: AsRef<[u8]> + ?Sized, V: AsRef<[u8]> + ?Sized>(mut self, name: &'p N, value: &'p V) -> Self {
        self.headers.push((bytes(name), bytes(value)));
        self
    }

    /// Adds the lines of a head, as `curl -D` writes it: one or several responses, each behind a status line. Those of
    /// the last one count, because the others are redirects. A line that begins with a blank goes on with the value
    /// above it, and one without a colon is none.
    ///
    /// ```
    /// use robosieve_signals::Page;
    /// let head = "HTTP/1.1 302 Found\r\nX-Robots-Tag: all\r\n\r\nHTTP/2 200\r\nx-robots-tag: noindex,\r\n nofollow\r\n\r\n";
    /// let page = Page::new("/").head(head);
    /// assert_eq!(page.signals().statements().len(), 3);
    /// ```
    pub fn head<T: AsRef<[u8]> + ?Sized>(mut self, text: &'p T) -> Self {
        let lines = text.as_ref().split(|byte| *byte == b'\n');
        for line in lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)) {
            if line.get(..5).is_some_and(|front| front.eq_ignore_ascii_case(b"HTTP/")) {
                self.headers.clear();
            } else if line.starts_with(b" ") || line.starts_with(b"\t") {
                if let Some((_, value)) = self.headers.last_mut() {
                    value.to_mut().push(b' ');
                    value.to_mut().extend_from_slice(line.trim_ascii());
                }
            } else if let Some(colon) = line.iter().position(|byte| *byte == b':') {
                let (name, value) = line.split_at_checked(colon).unwrap_or((line, b""));
                let value = value.get(1..).unwrap_or_default();
                self.headers.push((Cow::Borrowed(name), Cow::Borrowed(value)));
            }
        }
        self
    }

    /// Sets the page itself, as HTML; its head is read. A page of another kind has none.
    pub fn html<T: AsRef<[u8]> + ?Sized>(mut self, html: &'p T) -> Self {
        self.html = Some(bytes(html));
        self
    }

    /// Sets the robots.txt of its host.
    pub fn robots<T: AsRef<[u8]> + ?Sized>(mut self, robots: &'p T) -> Self {
        self.robots = Some(bytes(robots));
        self
    }

    /// Sets `/.well-known/tdmrep.json` of its host.
    pub fn tdmrep<T: AsRef<[u8]> + ?Sized>(mut self, json: &'p T) -> Self {
        self.tdmrep = Some(bytes(json));
        self
    }

    /// Sets how robots.txt is read. The default is that of the library.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the limits.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads all sources. Cost: linear in their bytes, up to the limits; robots.txt is read for each answer.
    #[must_use]
    pub fn signals(&self) -> Signals<'_> {
        let mut record = Record::new(self.limits);
        self.read_headers(&mut record);
        if let Some(html) = &self.html {
            head::read(html, &self.limits, &mut record);
        }
        if let Some(json) = &self.tdmrep {
            if json.len() > self.limits.max_tdmrep_bytes {
                record.cut(Place::new(Source::Tdmrep, 0), b"tdmrep.json");
            } else {
                tdm::file(json, &self.url, self.limits.max_statements, &mut record);
            }
        }
        let has_page = self.html.is_some() || !self.headers.is_empty();
        Signals::new(&self.url, record, self.robots.as_deref(), has_page, &self.options)
    }

    fn read_headers(&self, record: &mut Record) {
        let (mut usage, mut signal): (Vec<Line<'_>>, Vec<Line<'_>>) = (Vec::new(), Vec::new());
        let (mut lines, mut length) = (0_usize, 0_usize);
        for (number, (name, value)) in self.headers.iter().enumerate() {
            let Some(field) = Field::find(name.trim_ascii()) else { continue };
            let at = Place::new(Source::Header, number.saturating_add(1));
            lines = lines.saturating_add(1);
            length = length.saturating_add(value.len());
            if lines > self.limits.max_headers || length > self.limits.max_header_bytes {
                record.cut(at, name);
                break;
            }
            let value = value.trim_ascii();
            match field {
                Field::RobotsTag => robots_tag::header(value, at, record),
                Field::Usage => usage.push((at, value)),
                Field::Signal => signal.push((at, value)),
                Field::Link => link::header(value, at, record),
                Field::Reservation => tdm::reservation(value, at, true, record),
            }
        }
        preference::read(Directive::ContentUsage, &usage, record);
        preference::read(Directive::ContentSignal, &signal, record);
    }
}

/// The headers that count.
#[derive(Clone, Copy)]
enum Field {
    RobotsTag,
    Usage,
    Signal,
    Link,
    Reservation,
}

impl Field {
    fn find(name: &[u8]) -> Option<Self> {
        const FIELDS: [(&str, Field); 5] = [
            ("x-robots-tag", Field::RobotsTag),
            ("content-usage", Field::Usage),
            ("content-signal", Field::Signal),
            ("link", Field::Link),
            ("tdm-reservation", Field::Reservation),
        ];
        FIELDS.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)).map(|(_, field)| *field)
    }
}
