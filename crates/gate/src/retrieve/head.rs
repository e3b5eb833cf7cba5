//! The parts of a response's head that a retrieval needs, and how long the response may be kept by them (RFC 9111, as a
//! private cache).
//!
//! Invariant: it keeps the first line of each header that counts (all lines of `Cache-Control`), up
//! to a fixed length. Other headers are not kept. A lifetime that can't be read counts as stale, never as fresh, and none
//! overflows.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::moment::Moment;
use crate::retrieve::validators::Validators;

/// Status and headers of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    status: u16,
    location: Option<Box<[u8]>>,
    etag: Option<Box<[u8]>>,
    last_modified: Option<Box<[u8]>>,
    retry_after: Option<Box<[u8]>>,
    cache_control: Vec<u8>,
    age: Option<Box<[u8]>>,
    expires: Option<Box<[u8]>>,
    date: Option<Box<[u8]>>,
}

/// The number of bytes kept of a value. A value of this length or more counts as missing, whatever the retrieval's
/// limit is.
const KEPT: usize = 65_536;

impl Head {
    /// Creates a head with this status and no headers.
    pub(crate) const fn new(status: u16) -> Self {
        Self {
            status,
            location: None,
            etag: None,
            last_modified: None,
            retry_after: None,
            cache_control: Vec::new(),
            age: None,
            expires: None,
            date: None,
        }
    }

    /// Adds a header line. The name is not case-sensitive.
    pub(crate) fn header(mut self, name: &str, value: &[u8]) -> Self {
        // Trimmed before it is cut: a value that is cut must not look like a shorter one.
        let value = value.trim_ascii();
        let value = value.get(..KEPT).unwrap_or(value);
        let place = match name.to_ascii_lowercase().as_str() {
            "location" => &mut self.location,
            "etag" => &mut self.etag,
            "last-modified" => &mut self.last_modified,
            "retry-after" => &mut self.retry_after,
            "age" => &mut self.age,
            "expires" => &mut self.expires,
            "date" => &mut self.date,
            "cache-control" => {
                self.add_cache_control(value);
                return self;
            }
            _ => return self,
        };
        place.get_or_insert_with(|| value.into());
        self
    }

    /// The lines of a list are one list (RFC 9110 5.3). It counts as missing where one line of that length would.
    fn add_cache_control(&mut self, value: &[u8]) {
        let separator: &[u8] = if self.cache_control.is_empty() { b"" } else { b"," };
        let room = KEPT.saturating_sub(self.cache_control.len());
        self.cache_control.extend(separator.iter().chain(value).take(room));
    }

    /// The status.
    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    /// The target of a redirect.
    pub(crate) fn location(&self, max: usize) -> Option<&str> {
        text(self.location.as_deref(), max)
    }

    /// Whether the target of a redirect has a byte that no URL has (RFC 3986 2). Clients differ in how they read it.
    pub(crate) fn has_bad_location(&self) -> bool {
        self.location.as_ref().is_some_and(|value| !value.is_ascii())
    }

    /// What identifies this version of the file.
    pub(crate) fn validators(&self, max: usize) -> Validators {
        Validators::new(text(self.etag.as_deref(), max), text(self.last_modified.as_deref(), max))
    }

    /// How long the response may be kept: by `Cache-Control`, or else by `Expires`, minus its age.
    pub(crate) fn fresh_for(&self, max: usize, now: Moment) -> Option<Duration> {
        let control = whole(&self.cache_control, max).unwrap_or_default();
        let age = text(self.age.as_deref(), max).and_then(seconds).unwrap_or_default();
        let lifetime = by_cache_control(control).or_else(|| {
            let expires = self.expires.as_deref()?;
            // A value that is no date, such as "0", means a time in the past (RFC 9111 5.3).
            Some(date(Some(expires), max).map_or(Duration::ZERO, |at| at.since(self.sent(max, now))))
        })?;
        Some(lifetime.saturating_sub(age))
    }

    /// The time until the next request: seconds, or a date.
    pub(crate) fn retry_after(&self, max: usize, now: Moment) -> Option<Duration> {
        let value = text(self.retry_after.as_deref(), max)?;
        seconds(value).or_else(|| Some(date(Some(value.as_bytes()), max)?.since(self.sent(max, now))))
    }

    /// When the server sent this, by the server's own clock, so that its other dates can be compared.
    fn sent(&self, max: usize, now: Moment) -> Moment {
        date(self.date.as_deref(), max).unwrap_or(now)
    }
}

fn text(value: Option<&[u8]>, max: usize) -> Option<&str> {
    value.and_then(|value| whole(value, max)).and_then(|value| std::str::from_utf8(value).ok())
}

/// The value, unless it is too long or was cut.
fn whole(value: &[u8], max: usize) -> Option<&[u8]> {
    Some(value).filter(|value| value.len() <= max && value.len() < KEPT)
}

fn date(value: Option<&[u8]>, max: usize) -> Option<Moment> {
    let time: SystemTime = httpdate::parse_http_date(text(value, max)?).ok()?;
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Moment::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
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
