//! A page: its address, and what is known of it.
//!
//! Invariant: nothing is fetched. Each source is read once, within the limits.

use std::borrow::Cow;

use robosieve::Options;
use robosieve::records::Directive;
use robosieve::verdict::SiteAccess;

use crate::answer::Signals;
use crate::finding::FindingKind;
use crate::limits::Limits;
use crate::record::Record;
use crate::robots::Robots;
use crate::statement::{Place, Source};
use crate::{head, link, preference, response, robots_tag, tdm};

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
    headers: Vec<Given<'p>>,
    html: Option<Bytes<'p>>,
    /// Whether the rest of it is missing.
    is_part: bool,
    robots: Option<Robots<'p>>,
    tdmrep: Option<Bytes<'p>>,
    options: Options,
    limits: Limits,
}

/// Headers, as they were given.
#[derive(Clone, Debug)]
enum Given<'p> {
    /// A name, a value, and whether that may be the value of several lines.
    Line(Bytes<'p>, Bytes<'p>, bool),
    Head(Bytes<'p>),
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
            is_part: false,
            robots: None,
            tdmrep: None,
            options: Options::default(),
            limits: Limits::DEFAULT,
        }
    }

    /// Adds a header line, in the order of the response.
    pub fn header<N: AsRef<[u8]> + ?Sized, V: AsRef<[u8]> + ?Sized>(mut self, name: &'p N, value: &'p V) -> Self {
        self.headers.push(Given::Line(bytes(name), bytes(value), false));
        self
    }

    /// Adds all header lines of a name as one value, with commas between: so clients have them that keep one value for
    /// each name. Words after the name of a crawler may be of another line then, which is for all.
    ///
    /// ```
    /// use robosieve_explain::Names;
    /// use robosieve_signals::{Allowed, Page, Use};
    /// let page = Page::new("/a").joined_header("X-Robots-Tag", "googlebot: nofollow, noindex");
    /// assert_eq!(page.signals().answer(Names::Known.groups(["MyBot"]), 0).of(Use::Index), Allowed::No);
    /// ```
    pub fn joined_header<N: AsRef<[u8]> + ?Sized, V: AsRef<[u8]> + ?Sized>(
        mut self,
        name: &'p N,
        value: &'p V,
    ) -> Self {
        self.headers.push(Given::Line(bytes(name), bytes(value), true));
        self
    }

    /// Adds a head as text, as `curl -D` writes it: one or several responses, each after a status line. Those of the
    /// last one count, because the others are redirects. A line that begins with a blank goes on with the value above
    /// it. After a blank line only a status line goes on; anything else is a body, which is not read, and is reported
    /// unless [`html`](Self::html) has the page. A line that is no header line is reported, and then nothing is allowed.
    ///
    /// ```
    /// use robosieve_signals::Page;
    /// let head = "HTTP/1.1 302 Found\r\nX-Robots-Tag: all\r\n\r\nHTTP/2 200\r\nx-robots-tag: noindex,\r\n nofollow\r\n\r\n";
    /// let page = Page::new("/").head(head);
    /// assert_eq!(page.signals().statements().len(), 3);
    /// ```
    pub fn head<T: AsRef<[u8]> + ?Sized>(mut self, text: &'p T) -> Self {
        self.headers.push(Given::Head(bytes(text)));
        self
    }

    /// Sets the page itself, as HTML. Its head is read, and of its body what forbids. A page of another kind has none.
    pub fn html<T: AsRef<[u8]> + ?Sized>(mut self, html: &'p T) -> Self {
        self.html = Some(bytes(html));
        self
    }

    /// The same, if the rest of the page is missing: then nothing is allowed, unless the body begins before that.
    ///
    /// ```
    /// use robosieve_signals::Page;
    /// let is_cut = |html| Page::new("/").html_part(html).signals().is_cut();
    /// assert!(is_cut("<meta name=robots content=index>") && !is_cut("<meta name=robots content=index><body>"));
    /// ```
    pub fn html_part<T: AsRef<[u8]> + ?Sized>(mut self, html: &'p T) -> Self {
        self.is_part = true;
        self.html(html)
    }

    /// Sets the robots.txt of its host.
    pub fn robots<T: AsRef<[u8]> + ?Sized>(mut self, robots: &'p T) -> Self {
        self.robots = Some(Robots::File(bytes(robots)));
        self
    }

    /// The same for a text from which something was left out, as a program may keep it: what it forbids counts, and
    /// nothing is allowed.
    ///
    /// ```
    /// use robosieve_explain::Names;
    /// use robosieve_signals::{Allowed, Page, Use};
    /// let page = Page::new("/a").header("X-Robots-Tag", "index").part_of_robots("User-agent: *\nDisallow: /b\n");
    /// assert_eq!(page.signals().answer(Names::Known.groups(["MyBot"]), 0).of(Use::Index), Allowed::Unsaid);
    /// ```
    pub fn part_of_robots<T: AsRef<[u8]> + ?Sized>(mut self, robots: &'p T) -> Self {
        self.robots = Some(Robots::Part(bytes(robots)));
        self
    }

    /// Says that the page's site is closed, and why, in words: its server answers with an error, for example.
    ///
    /// ```
    /// use robosieve_explain::Names;
    /// use robosieve_signals::{Allowed, Page, Use};
    /// let page = Page::new("/a").header("X-Robots-Tag", "index").closed("robots.txt returned status 503");
    /// assert_eq!(page.signals().answer(Names::Known.groups(["MyBot"]), 0).of(Use::Index), Allowed::No);
    /// ```
    pub fn closed(mut self, why: &'p str) -> Self {
        self.robots = Some(Robots::Site { is_open: false, why: Cow::Borrowed(why) });
        self
    }

    /// Sets the status that robots.txt came with, after robots.txt itself. What is no success opens or closes the site,
    /// also if a file was given; of a part (206) only what forbids counts.
    ///
    /// ```
    /// use robosieve::Options;
    /// use robosieve_explain::Names;
    /// use robosieve_signals::{Allowed, Page, Use};
    /// let fetch = |status| {
    ///     let page = Page::new("/a").robots("User-agent: *\nDisallow: /a\n").status(status, &Options::default());
    ///     page.signals().answer(Names::Known.groups(["MyBot"]), 0).of(Use::Fetch)
    /// };
    /// assert_eq!([200, 404, 503].map(fetch), [Allowed::No, Allowed::Yes, Allowed::No]);
    /// ```
    pub fn status(mut self, status: u16, options: &Options) -> Self {
        let why = format!("robots.txt answered with the status {status}").into();
        self.robots = match (SiteAccess::of_status(status, options), self.robots) {
            (SiteAccess::Rules, Some(Robots::File(bytes))) if status == 206 => Some(Robots::Part(bytes)),
            (SiteAccess::Rules, robots) => robots,
            (access, _) => Some(Robots::Site { is_open: access == SiteAccess::AllowAll, why }),
        };
        self
    }

    /// Whether the body of its response may be HTML, as its headers say. In doubt it is.
    ///
    /// ```
    /// use robosieve_signals::Page;
    /// let may_be = |kind| Page::new("/a").header("Content-Type", kind).may_be_html();
    /// assert!(may_be("text/html; charset=utf-8") && may_be("*/*") && may_be("text/plain, text/html"));
    /// assert!(!may_be("image/png") && Page::new("/a").may_be_html());
    /// ```
    #[must_use]
    pub fn may_be_html(&self) -> bool {
        let is_type = |name: &[u8]| name.trim_ascii().eq_ignore_ascii_case(b"content-type");
        let mut types: Vec<Bytes<'_>> = Vec::new();
        for given in self.headers.iter().take(self.limits.max_lines) {
            match given {
                Given::Line(name, value, _) => types.extend(is_type(name).then(|| bytes(&**value))),
                Given::Head(text) => {
                    let front = response::ascii_based(text.get(..self.limits.max_head_bytes).unwrap_or(text));
                    let fields = response::lines(&front).0.into_iter().filter_map(|line| line.field);
                    types.extend(fields.filter(|(name, _)| is_type(name)).map(|(_, value)| value.into_owned().into()));
                }
            }
        }
        types.is_empty() || types.iter().any(|value| response::may_be_html(value))
    }

    /// Its URL, as it was given.
    #[must_use]
    pub fn url(&self) -> &[u8] {
        &self.url
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
            head::read(html, self.is_part, &self.limits, &mut record);
        }
        if let Some(json) = &self.tdmrep {
            if json.len() > self.limits.max_tdmrep_bytes {
                record.cut(Place::new(Source::Tdmrep, 0), b"tdmrep.json");
            } else {
                tdm::file(json, &self.url, self.limits.max_statements, &mut record);
            }
        }
        Signals::new(&self.url, record, self.robots.as_ref().map(Robots::lent), &self.options)
    }

    fn read_headers(&self, record: &mut Record) {
        let mut reader = Reader::default();
        let mut number = 0_usize;
        for given in &self.headers {
            number = number.saturating_add(1);
            if number > self.limits.max_lines {
                record.cut(Place::new(Source::Header, number), b"headers");
                break;
            }
            match given {
                Given::Line(name, value, is_joined) if response::is_name(name.trim_ascii()) => {
                    reader.is_joined = *is_joined;
                    reader.line(Place::new(Source::Header, number), name, value, &self.limits, record);
                }
                Given::Line(name, ..) => record.doubt(FindingKind::Malformed, Place::new(Source::Header, number), name),
                Given::Head(text) => {
                    reader.is_joined = false;
                    self.read_head(text, &mut reader, record);
                }
            }
        }
        preference::read(Directive::ContentUsage, &reader.usage, record);
        preference::read(Directive::ContentSignal, &reader.signal, record);
    }

    fn read_head(&self, text: &[u8], reader: &mut Reader, record: &mut Record) {
        let front = text.get(..self.limits.max_head_bytes).unwrap_or(text);
        if front.len() < text.len() {
            record.cut(Place::new(Source::Header, 0), b"headers");
        }
        let front = response::ascii_based(front);
        let (lines, body) = response::lines(&front);
        for line in lines {
            let at = Place::new(Source::Header, line.number);
            match line.field {
                Some((name, value)) => reader.line(at, name, &value, &self.limits, record),
                None => record.doubt(FindingKind::Malformed, at, line.text),
            }
        }
        if let Some(number) = body.filter(|_| self.html.is_none()) {
            record.find(FindingKind::Body, Place::new(Source::Header, number), b"body");
        }
    }
}

/// Reads header lines one by one. Those of a preference are kept, to be read together.
#[derive(Default)]
struct Reader {
    lines: usize,
    length: usize,
    /// Whether the next value may be that of several lines.
    is_joined: bool,
    usage: Vec<(Place, Vec<u8>)>,
    signal: Vec<(Place, Vec<u8>)>,
}

impl Reader {
    fn line(&mut self, at: Place, name: &[u8], value: &[u8], limits: &Limits, record: &mut Record) {
        let Some(field) = Field::find(name.trim_ascii()) else { return };
        self.lines = self.lines.saturating_add(1);
        self.length = self.length.saturating_add(value.len());
        if self.lines > limits.max_headers || self.length > limits.max_header_bytes {
            return record.cut(at, name);
        }
        let value = value.trim_ascii();
        match field {
            Field::RobotsTag => robots_tag::header(value, at, self.is_joined, record),
            Field::Usage => self.usage.push((at, value.to_vec())),
            Field::Signal => self.signal.push((at, value.to_vec())),
            Field::Link => link::header(value, at, record),
            Field::Reservation => tdm::reservation(value, at, true, record),
            Field::Policy => record.license(at, value, None),
        }
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
    Policy,
}

impl Field {
    fn find(name: &[u8]) -> Option<Self> {
        const FIELDS: [(&str, Field); 6] = [
            ("x-robots-tag", Field::RobotsTag),
            ("content-usage", Field::Usage),
            ("content-signal", Field::Signal),
            ("link", Field::Link),
            ("tdm-reservation", Field::Reservation),
            ("tdm-policy", Field::Policy),
        ];
        FIELDS.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)).map(|(_, field)| *field)
    }
}
