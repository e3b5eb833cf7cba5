//! The parts of a response's head that a retrieval needs, and how long the response may be kept by them (RFC 9111, as a
//! private cache).
//!
//! Invariant: it keeps the first line of each header that counts, and of a list all lines, up to a fixed length. Other
//! headers are not kept. A lifetime that can't be read counts as stale, never as fresh, and none overflows. What
//! identifies a version is printable ASCII and short, and has the form that its header must have, so it can be sent
//! back as it is.

use std::time::{Duration, UNIX_EPOCH};

use crate::moment::Moment;

/// The headers that count whose lines are one list (RFC 9110 5.3).
const LISTS: [&str; 4] = ["cache-control", "content-encoding", "content-length", "transfer-encoding"];

/// The others that count.
const LINES: [&str; 7] = ["location", "etag", "last-modified", "retry-after", "age", "expires", "date"];

/// The number of bytes kept of a value. A value of this length or more counts as missing.
const KEPT: usize = 65_536;

/// The most bytes of a value, other than of codings and lengths: a longer one counts as missing. RFC 9110 4.1 asks for
/// so many for a URL.
pub(crate) const MAX_VALUE: usize = 8_000;

/// The most header lines, as our client has it.
const MAX_LINES: usize = 128;

/// The longest `Retry-After`. Longer ones are shortened to it.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(86_400);

/// Status and headers of a response.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Whether it came in HTTP/1.0, which has no transfer codings.
    pub(crate) is_http_10: bool,
    lines: Vec<(&'static str, Vec<u8>)>,
    /// All lines, also of headers that do not count.
    count: usize,
    /// Whether a line is one that our client refuses.
    is_odd: bool,
}

impl Head {
    /// Creates a head with this status and no headers.
    pub(crate) const fn new(status: u16) -> Self {
        Self { status, is_http_10: false, lines: Vec::new(), count: 0, is_odd: false }
    }

    /// Adds a header line. The name is not case-sensitive.
    pub(crate) fn add(&mut self, name: &str, value: &[u8]) {
        self.count = self.count.saturating_add(1);
        let is_text = |&byte: &u8| byte == b'\t' || !byte.is_ascii_control();
        self.is_odd |= name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic());
        self.is_odd |= !value.trim_ascii().iter().all(is_text);
        let mut known = LISTS.into_iter().chain(LINES);
        let Some(name) = known.find(|known| name.eq_ignore_ascii_case(known)) else { return };
        // Trimmed before it is cut: a value that is cut must not look like a shorter one.
        let value = value.trim_ascii();
        match self.lines.iter_mut().find(|(known, _)| *known == name) {
            // It counts as missing where one line of that length would.
            Some((_, list)) if LISTS.contains(&name) => {
                let room = KEPT.saturating_sub(list.len());
                list.extend(b",".iter().chain(value).take(room));
            }
            Some(_) => {}
            None => self.lines.push((name, value.get(..KEPT).unwrap_or(value).to_vec())),
        }
    }

    /// Whether our client would refuse these lines: a control character, a blank in a name, too many. Others read them,
    /// each in its own way.
    pub(crate) const fn is_refused(&self) -> bool {
        self.is_odd || self.count > MAX_LINES
    }

    fn value(&self, name: &str) -> Option<&[u8]> {
        self.lines.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_slice())
    }

    /// The values of a list, which may be empty; `None` if it was cut.
    pub(crate) fn list(&self, name: &str) -> Option<&[u8]> {
        Some(self.value(name).unwrap_or_default()).filter(|list| list.len() < KEPT)
    }

    /// Whether the status is one of success: only then is there a body to read.
    pub(crate) const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    /// The length of the body, if it is said. RFC 9110 8.6: digits, or several of the same value. As our client reads
    /// it: no sign, and no other digits.
    pub(crate) fn length(&self) -> Result<Option<u64>, &'static str> {
        const WRONG: &str = "the Content-Length is no number, or is two";
        if self.value("content-length").is_none() {
            return Ok(None);
        }
        let list = self.list("content-length").ok_or(WRONG)?;
        let numbers = list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).map(|digits| {
            let is_number = digits.iter().all(u8::is_ascii_digit);
            str::from_utf8(digits).ok().filter(|_| is_number)?.parse::<u64>().ok()
        });
        let same = numbers.reduce(|one, other| one.filter(|_| one == other)).flatten();
        same.map(Some).ok_or(WRONG)
    }

    /// Whether the target of a redirect has a byte that no URL has (RFC 3986 2). Clients differ in how they read it.
    pub(crate) fn has_bad_location(&self) -> bool {
        self.value("location").is_some_and(|value| !value.is_ascii())
    }

    /// What identifies this version of the file.
    pub(crate) fn validators(&self) -> Validators {
        Validators::new(self.text("etag"), self.text("last-modified"))
    }

    /// How long the response may be kept: by `Cache-Control`, or else by `Expires`, minus its age.
    pub(crate) fn fresh_for(&self, now: Moment) -> Option<Duration> {
        let control = self.short("cache-control").unwrap_or_default();
        let age = self.text("age").and_then(seconds).unwrap_or_default();
        let lifetime = by_cache_control(control).or_else(|| {
            self.value("expires")?;
            // A value that is no date, such as "0", means a time in the past (RFC 9111 5.3).
            Some(self.date("expires").map_or(Duration::ZERO, |at| at.since(self.sent(now))))
        })?;
        Some(lifetime.saturating_sub(age))
    }

    /// The time until the next request: seconds, or a date.
    pub(crate) fn retry_after(&self, now: Moment) -> Option<Duration> {
        let after = self.text("retry-after").and_then(seconds);
        let after = after.or_else(|| Some(self.date("retry-after")?.since(self.sent(now))));
        after.map(|after| after.min(MAX_RETRY_AFTER))
    }

    /// When the server sent this, by the server's own clock, so that its other dates can be compared.
    fn sent(&self, now: Moment) -> Moment {
        self.date("date").unwrap_or(now)
    }

    /// A value that is not too long. One that was cut is longer.
    fn short(&self, name: &str) -> Option<&[u8]> {
        self.value(name).filter(|value| value.len() <= MAX_VALUE)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.short(name).and_then(|value| std::str::from_utf8(value).ok())
    }

    fn date(&self, name: &str) -> Option<Moment> {
        let time = httpdate::parse_http_date(self.text(name)?).ok()?;
        Some(Moment::from_millis(0).after(time.duration_since(UNIX_EPOCH).unwrap_or_default()))
    }
}

/// RFC 9111 1.2.2: greater values are read as this one.
const MOST_SECONDS: u64 = 1 << 31;

/// Parses a number of seconds: digits only.
fn seconds(value: &str) -> Option<Duration> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Duration::from_secs(value.parse().unwrap_or(MOST_SECONDS).min(MOST_SECONDS)))
}

/// The lifetime from `Cache-Control`. `s-maxage` is for shared caches and is ignored.
fn by_cache_control(control: &[u8]) -> Option<Duration> {
    let mut lifetime = None;
    for directive in split_list(control) {
        let (name, value) = split_directive(directive);
        // `no-cache="field"` concerns that header field only (RFC 9111 5.2.2.4).
        if name.eq_ignore_ascii_case(b"no-store") || name.eq_ignore_ascii_case(b"no-cache") && value.is_none() {
            return Some(Duration::ZERO);
        }
        if name.eq_ignore_ascii_case(b"max-age") {
            let value = value.and_then(|value| std::str::from_utf8(value).ok()).and_then(seconds).unwrap_or_default();
            // The shortest of several values: RFC 9111 4.2.1 leaves the choice.
            lifetime = Some(lifetime.map_or(value, |first: Duration| first.min(value)));
        }
    }
    lifetime
}

/// The entries of a comma-separated list. A comma in a quoted string does not separate.
fn split_list(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(move |&byte| {
        let separates = byte == b',' && !quoted;
        if escaped {
            escaped = false;
        } else if byte == b'\\' && quoted {
            escaped = true;
        } else if byte == b'"' {
            quoted = !quoted;
        }
        separates
    })
}

fn split_directive(directive: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut parts = directive.splitn(2, |&byte| byte == b'=');
    let name = parts.next().unwrap_or_default().trim_ascii();
    let value = parts.next().map(<[u8]>::trim_ascii);
    (name, value.map(|value| value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)))
}

/// The longest `ETag` that is kept, in bytes. Our choice: those of real servers have fewer than 100.
const MAX_TAG: usize = 512;

/// What identifies a version of a file, for a conditional request.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "Unchecked")]
#[must_use]
pub struct Validators {
    etag: Option<String>,
    last_modified: Option<String>,
}

/// The same, of a store that anybody may have written.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Unchecked {
    etag: Option<String>,
    last_modified: Option<String>,
}

impl From<Unchecked> for Validators {
    fn from(found: Unchecked) -> Self {
        Self::new(found.etag.as_deref(), found.last_modified.as_deref())
    }
}

impl Validators {
    /// Takes the values of `ETag` and `Last-Modified`. A value that is not valid counts as missing.
    pub fn new(etag: Option<&str>, last_modified: Option<&str>) -> Self {
        let is_date = |value: &&str| value.len() < 64 && httpdate::parse_http_date(value).is_ok();
        Self {
            etag: etag.filter(|value| is_tag(value)).map(str::to_owned),
            last_modified: last_modified.filter(is_date).map(str::to_owned),
        }
    }

    /// The `ETag`, for `If-None-Match`.
    pub fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }

    /// The `Last-Modified`, for `If-Modified-Since`.
    pub fn last_modified(&self) -> Option<&str> {
        self.last_modified.as_deref()
    }

    /// The header lines that make a request conditional: names and values.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let lines = [("If-None-Match", self.etag()), ("If-Modified-Since", self.last_modified())];
        lines.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// Whether there is nothing to make a conditional request with.
    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// Whether a value is an entity tag (RFC 9110 8.8.3), in ASCII.
fn is_tag(value: &str) -> bool {
    let opaque = value.strip_prefix("W/").unwrap_or(value);
    let inner = opaque.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    value.len() <= MAX_TAG && inner.is_some_and(|inner| inner.bytes().all(|byte| matches!(byte, b'!' | b'#'..=b'~')))
}
