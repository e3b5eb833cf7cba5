//! Values with a meaning: what the extension directives say, typed.
//!
//! Invariant: each type is built from the octets of a value by its `read`, which takes well-formed values only, and
//! prints a text that reads back as itself. None of them decides a verdict.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use bstr::ByteSlice;

use crate::octets;
use crate::pattern::{is_normal_url, normalised_url};

/// The seconds between two requests that a record asks for, with up to three decimals.
///
/// ```
/// use robosieve::CrawlDelay;
/// assert_eq!(CrawlDelay::read(b"0.5").unwrap().as_duration().as_millis(), 500);
/// assert!(CrawlDelay::read(b"NaN").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CrawlDelay {
    millis: u64,
    raw: String,
}

impl CrawlDelay {
    /// The longest delay that is believed: a day (house). Longer ones are set to it.
    pub const MAX: Duration = Duration::from_secs(86_400);

    /// Reads digits, maybe with a point among them, before them or behind them.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let (whole, rest) = octets::split_while(value, is_digit);
        let fraction = match rest.split_first() {
            None => &[][..],
            Some((b'.', fraction)) if fraction.iter().copied().all(is_digit) => fraction,
            Some(_) => return None,
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let seconds = decimal(whole);
        // A fourth decimal rounds up: a delay is never shorter than was asked for.
        let thousandths = decimal(octets::part(fraction, 0..fraction.len().min(3)));
        let scale = [1_000_u64, 100, 10, 1].get(fraction.len().min(3)).copied().unwrap_or(1);
        let round_up = u64::from(fraction.iter().skip(3).any(|&digit| digit != b'0'));
        let millis =
            seconds.saturating_mul(1_000).saturating_add(thousandths.saturating_mul(scale)).saturating_add(round_up);
        Some(Self { millis, raw: String::from_utf8_lossy(value).into_owned() })
    }

    /// The delay, at most [`CrawlDelay::MAX`].
    #[must_use]
    pub fn as_duration(&self) -> Duration {
        Duration::from_millis(self.millis).min(Self::MAX)
    }

    /// Whether the file asks for more than [`CrawlDelay::MAX`].
    #[must_use]
    pub fn is_clamped(&self) -> bool {
        Duration::from_millis(self.millis) > Self::MAX
    }

    /// As the file has it.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }
}

impl fmt::Display for CrawlDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let delay = self.as_duration();
        write!(f, "{}", delay.as_secs())?;
        match delay.subsec_millis() {
            0 => Ok(()),
            millis if millis.is_multiple_of(100) => write!(f, ".{}", millis / 100),
            millis if millis.is_multiple_of(10) => write!(f, ".{:02}", millis / 10),
            millis => write!(f, ".{millis:03}"),
        }
    }
}

/// A part of the day, in UTC, from minute to minute; it may run over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct VisitTime {
    /// Minutes since midnight.
    pub from: u16,
    /// Minutes since midnight.
    pub to: u16,
}

impl VisitTime {
    /// Reads `hhmm-hhmm`, with blanks around the dash, as in `0600-0845`.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let (from, to) = value.split_once_str("-")?;
        Some(Self { from: minute_of_day(from)?, to: minute_of_day(to)? })
    }
}

impl fmt::Display for VisitTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hhmm = |minute: u16| (minute / 60, minute % 60);
        let ((h1, m1), (h2, m2)) = (hhmm(self.from), hhmm(self.to));
        write!(f, "{h1:02}{m1:02}-{h2:02}{m2:02}")
    }
}

fn minute_of_day(text: &[u8]) -> Option<u16> {
    let digits = octets::trim(text, octets::is_blank);
    if digits.len() != 4 || !digits.iter().copied().all(is_digit) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let (hours, minutes) = (decimal(hours), decimal(minutes));
    if hours > 24 || minutes > 59 || hours == 24 && minutes > 0 {
        return None;
    }
    u16::try_from(hours.saturating_mul(60).saturating_add(minutes)).ok()
}

/// So many pages in so much time, maybe at some hours only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RequestRate {
    /// Pages, at least 1.
    pub pages: u32,
    /// In how many seconds, at least 1 and at most a day.
    pub seconds: u32,
    /// When.
    pub hours: Option<VisitTime>,
}

impl RequestRate {
    /// Reads `pages/time [hhmm-hhmm]`, where the time is a number with `s` (or nothing), `m` or `h` behind it: `1/10m`.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let (rate, hours) = octets::split_while(value, |octet| !octets::is_blank(octet));
        let (pages, time) = rate.split_once_str("/")?;
        let (number, unit) = octets::split_while(time, is_digit);
        let unit = match unit {
            b"" | b"s" | b"S" => 1,
            b"m" | b"M" => 60,
            b"h" | b"H" => 3_600,
            _ => return None,
        };
        if !pages.iter().copied().all(is_digit) {
            return None;
        }
        let pages = u32::try_from(decimal(pages)).ok()?;
        let seconds = u32::try_from(decimal(number).saturating_mul(unit)).ok()?;
        // No digits are 0 too.
        if pages == 0 || seconds == 0 || seconds > 86_400 {
            return None;
        }
        let hours = octets::trim(hours, octets::is_blank);
        let hours = if hours.is_empty() { None } else { Some(VisitTime::read(hours)?) };
        Some(Self { pages, seconds, hours })
    }

    /// The time that one page takes up.
    #[must_use]
    pub fn per_page(&self) -> Duration {
        Duration::from_secs(u64::from(self.seconds)).checked_div(self.pages).unwrap_or(CrawlDelay::MAX)
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pages, self.seconds)?;
        self.hours.map_or(Ok(()), |hours| write!(f, " {hours}"))
    }
}

/// Query parameters that do not change a page: `ref&utm_source /shop/`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CleanParam {
    /// Their names.
    pub parameters: Vec<String>,
    /// The paths it holds for; all, where it is empty.
    pub path: String,
}

impl CleanParam {
    /// Reads `name *("&" name) [path]`.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let (names, path) = octets::split_while(value, |octet| !octets::is_blank(octet));
        let path = octets::trim(path, octets::is_blank);
        let names = names.split(|&octet| octet == b'&').filter(|name| !name.is_empty());
        // Each takes up many times its octets: a list that grew would be held three times.
        let mut parameters = Vec::with_capacity(names.clone().count());
        parameters.extend(names.map(printable));
        if parameters.is_empty() || path.iter().copied().any(octets::is_blank) {
            return None;
        }
        Some(Self { parameters, path: printable(path) })
    }
}

impl fmt::Display for CleanParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parameters.join("&"))?;
        if self.path.is_empty() { Ok(()) } else { write!(f, " {}", self.path) }
    }
}

/// The octets of `a=n`.
const SHORTEST_USE: usize = 3;

/// What content may be used for: `search=yes, ai-train=no`, for some paths (`/blog train-ai=n`) or for all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ContentUse {
    /// The paths it holds for; all, where it is empty.
    pub path: String,
    /// Uses, in lower case, with what is said of each.
    pub uses: Vec<(String, String)>,
}

impl ContentUse {
    /// Reads `[path] use "=" word *("," use "=" word)`.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let (path, list) = match value.first() {
            Some(b'/') => octets::split_while(value, |octet| !octets::is_blank(octet)),
            _ => (&[][..], value),
        };
        // Each takes up many times its octets: a list that grew would be held three times.
        let mut uses =
            Vec::with_capacity(list.split(|&octet| octet == b',').filter(|item| item.len() >= SHORTEST_USE).count());
        for item in list.split(|&octet| octet == b',') {
            let item = octets::trim(item, octets::is_blank);
            if item.is_empty() {
                continue;
            }
            let (name, word) = item.split_once_str("=")?;
            let (name, word) = (octets::trim(name, octets::is_blank), octets::trim(word, octets::is_blank));
            if name.is_empty() || word.is_empty() || !name.iter().copied().all(octets::is_wide_token) {
                return None;
            }
            uses.push((printable(name).to_ascii_lowercase(), printable(word).to_ascii_lowercase()));
        }
        if uses.is_empty() { None } else { Some(Self { path: printable(path), uses }) }
    }
}

impl fmt::Display for ContentUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for (at, (name, word)) in self.uses.iter().enumerate() {
            let between = match at {
                0 if self.path.is_empty() => "",
                0 => " ",
                _ => ", ",
            };
            write!(f, "{between}{name}={word}")?;
        }
        Ok(())
    }
}

/// An absolute http or https URL, with its scheme and host in lower case and no octet that a URL cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HttpUrl(String);

impl HttpUrl {
    /// Reads a URL. Behind the host octets are normalised as those of paths are, and an empty path becomes `/`; in the host
    /// octets that none holds are an error.
    ///
    /// ```
    /// use robosieve::HttpUrl;
    /// assert_eq!(HttpUrl::read(b"HTTPS://Example.com/a b.xml").unwrap().as_str(), "https://example.com/a%20b.xml");
    /// assert!(HttpUrl::read(b"/sitemap.xml").is_none());
    /// ```
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        let (scheme, rest) = value.split_once_str("://")?;
        let scheme = web_scheme(scheme)?;
        let (host, path) = octets::split_while(rest, |octet| !matches!(octet, b'/' | b'?'));
        let well_formed = |octet: u8| octets::is_unreserved(octet) || matches!(octet, b':' | b'[' | b']' | b'@');
        if !has_host(host) || !host.iter().copied().all(well_formed) {
            return None;
        }
        let slash: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
        let url = [scheme, b"://", &host.to_ascii_lowercase(), slash, &normalised_url(path)].concat();
        String::from_utf8(url).ok().map(Self)
    }

    /// The URL of a line that the parser has kept: it is canonical already.
    pub(crate) fn kept(value: &[u8]) -> Option<Self> {
        value.to_str().ok().map(|url| Self(url.into()))
    }

    /// Whether the octets are such a URL as they are, as nearly all are.
    pub(crate) fn is_canonical(value: &[u8]) -> bool {
        let rest = value.strip_prefix(b"https://").or_else(|| value.strip_prefix(b"http://"));
        rest.is_some_and(|rest| {
            let is_plain =
                |octet: u8| octet.is_ascii_lowercase() || octet.is_ascii_digit() || matches!(octet, b'.' | b'-');
            let (host, path) = octets::split_while(rest, is_plain);
            host.iter().any(u8::is_ascii_alphanumeric) && path.first() == Some(&b'/') && is_normal_url(path)
        })
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `http` or `https`, in lower case.
fn web_scheme(scheme: &[u8]) -> Option<&'static [u8]> {
    [&b"http"[..], b"https"].into_iter().find(|known| scheme.eq_ignore_ascii_case(known))
}

/// Whether there is a host between what may stand before it (`user:password@`) and behind it (`:443`).
fn has_host(authority: &[u8]) -> bool {
    let behind_user = authority.rsplit_once_str("@").map_or(authority, |(_, host)| host);
    let (host, port) = match behind_user.rsplit_once_str(":") {
        // The colons of an address stand in brackets.
        Some((host, port)) if !port.contains(&b']') => (host, port),
        _ => (behind_user, &[][..]),
    };
    let is_port = port.iter().copied().all(is_digit) && u16::try_from(decimal(port)).is_ok();
    let name = host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")).unwrap_or(host);
    is_port && name.iter().any(u8::is_ascii_alphanumeric) && !name.iter().any(|octet| matches!(octet, b'[' | b']'))
}

/// The main mirror of a site: a host, maybe with `http://` or `https://` before it and a port behind it, in lower case.
pub(crate) fn read_host(value: &[u8]) -> Option<String> {
    let (scheme, host) = value.split_once_str("://").unwrap_or((b"http", value));
    web_scheme(scheme)?;
    let host = host.strip_suffix(b"/").unwrap_or(host);
    let well_formed =
        |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    let is_host = host.iter().any(u8::is_ascii_alphanumeric) && host.iter().copied().all(well_formed);
    is_host.then(|| printable(value.strip_suffix(b"/").unwrap_or(value)).to_ascii_lowercase())
}

/// Percent-encodes what is not printable ASCII.
pub(crate) fn printable(value: &[u8]) -> String {
    encoded(value, |octet| matches!(octet, b' '..=b'~'))
}

fn encoded(value: &[u8], stays: fn(u8) -> bool) -> String {
    let mut out = Vec::with_capacity(value.len());
    for &octet in value {
        if stays(octet) {
            out.push(octet);
        } else {
            octets::push_escape(&mut out, octet);
        }
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Text that holds printable ASCII only, at no cost where it does already.
pub(crate) fn printable_text(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let plain = |octet: &u8| matches!(octet, b' '..=b'~');
    if value.iter().all(plain) { value } else { Cow::Owned(printable(&value).into_bytes()) }
}

fn is_digit(octet: u8) -> bool {
    octet.is_ascii_digit()
}

/// Digits as a number, the largest one where they are too many.
fn decimal(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0_u64, |number, &digit| number.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0'))))
}
