//! Typed values of the extension directives.
//!
//! Invariant: each type is built from the bytes of a value by its `read`, which accepts well-formed values only. It
//! prints a text that is read as the same value. None of these values affects a verdict.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use core::time::Duration;

use bstr::ByteSlice;

use crate::policy::address::read_host;
use crate::policy::content_use::{repaired_signal, repaired_usage, spell_signal, spell_usage};
use crate::syntax::bytes;
use crate::syntax::names::{self, Directive};

/// A crawl delay: the seconds between two requests, with up to three decimals.
///
/// ```
/// use robosieve::values::CrawlDelay;
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
    /// The longest delay: a day (our choice). Longer delays are set to it.
    pub const MAX: Duration = Duration::from_secs(86_400);

    /// Reads digits with at most one point before, between or after them.
    #[must_use]
    pub fn read(value: impl AsRef<[u8]>) -> Option<Self> {
        let value = value.as_ref();
        let Millis(millis) = Millis::read(value)?;
        Some(Self { millis, raw: String::from_utf8_lossy(value).into_owned() })
    }

    /// The delay, at most [`CrawlDelay::MAX`].
    #[must_use]
    pub fn as_duration(&self) -> Duration {
        Millis(self.millis).as_duration()
    }

    /// Whether the delay in the file is longer than [`CrawlDelay::MAX`].
    #[must_use]
    pub fn is_clamped(&self) -> bool {
        Millis(self.millis).is_clamped()
    }

    /// The delay as in the file.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }
}

impl fmt::Display for CrawlDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Millis(self.millis).spell(f)
    }
}

/// A crawl delay without its spelling, so that reading it allocates nothing.
#[derive(Clone, Copy)]
pub(crate) struct Millis(u64);

impl Millis {
    /// Reads a delay, by the rules of [`CrawlDelay::read`].
    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        let (whole, rest) = bytes::split_while(value, bytes::is_digit);
        let fraction = match rest.split_first() {
            None => &[][..],
            Some((b'.', fraction)) if fraction.iter().copied().all(bytes::is_digit) => fraction,
            Some(_) => return None,
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let seconds = bytes::decimal(whole);
        // A fourth decimal is rounded up, so a delay is never shorter than in the file.
        let thousandths = bytes::decimal(bytes::part(fraction, 0..fraction.len().min(3)));
        let scale = [1_000_u64, 100, 10, 1].get(fraction.len().min(3)).copied().unwrap_or(1);
        let round_up = u64::from(fraction.iter().skip(3).any(|&digit| digit != b'0'));
        let millis =
            seconds.saturating_mul(1_000).saturating_add(thousandths.saturating_mul(scale)).saturating_add(round_up);
        Some(Self(millis))
    }

    /// The delay, at most [`CrawlDelay::MAX`].
    pub(crate) fn as_duration(self) -> Duration {
        Duration::from_millis(self.0).min(CrawlDelay::MAX)
    }

    /// Whether the delay is longer than [`CrawlDelay::MAX`].
    pub(crate) fn is_clamped(self) -> bool {
        Duration::from_millis(self.0) > CrawlDelay::MAX
    }

    /// This many thousandths of a second, at most [`CrawlDelay::MAX`].
    pub(crate) fn clamped(millis: u64) -> Self {
        Self(millis.min(u64::try_from(CrawlDelay::MAX.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The thousandths of a second, not clamped.
    pub(crate) const fn count(self) -> u64 {
        self.0
    }

    /// Writes it as it is displayed.
    pub(crate) fn spell(self, out: &mut impl fmt::Write) -> fmt::Result {
        let delay = self.as_duration();
        write_number(out, delay.as_secs(), 1)?;
        let millis = u64::from(delay.subsec_millis());
        if millis == 0 {
            return Ok(());
        }
        out.write_char('.')?;
        match millis {
            _ if millis.is_multiple_of(100) => write_number(out, millis / 100, 1),
            _ if millis.is_multiple_of(10) => write_number(out, millis / 10, 2),
            _ => write_number(out, millis, 3),
        }
    }
}

/// Writes a number with this many digits at least. Files can have very many numbers, so this calls no formatter.
fn write_number(out: &mut impl fmt::Write, number: u64, least: usize) -> fmt::Result {
    let mut digits = [b'0'; 20];
    let (mut rest, mut from) = (number, digits.len());
    while let Some(digit) = digits.get_mut(..from).and_then(<[u8]>::last_mut).filter(|_| rest > 0) {
        *digit = b'0'.wrapping_add(u8::try_from(rest % 10).unwrap_or(0));
        rest /= 10;
        from = from.saturating_sub(1);
    }
    let from = from.min(digits.len().saturating_sub(least));
    out.write_str(digits.get(from..).and_then(|digits| core::str::from_utf8(digits).ok()).unwrap_or_default())
}

/// A part of the day, in UTC, from minute to minute. It may extend over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct VisitTime {
    /// The start, in minutes since midnight.
    pub from: u16,
    /// The end, in minutes since midnight.
    pub to: u16,
}

impl VisitTime {
    /// Reads `hhmm-hhmm`, with optional blanks around the dash, as in `0600-0845`.
    #[must_use]
    pub fn read(value: impl AsRef<[u8]>) -> Option<Self> {
        let value = value.as_ref();
        let (from, to) = bytes::split_once(value, b'-')?;
        Some(Self { from: minute_of_day(from)?, to: minute_of_day(to)? })
    }

    /// Writes it as it is displayed.
    pub(crate) fn spell(self, out: &mut impl fmt::Write) -> fmt::Result {
        let hhmm = |minute: u16| u64::from(minute / 60).saturating_mul(100).saturating_add(u64::from(minute % 60));
        write_number(out, hhmm(self.from), 4)?;
        out.write_char('-')?;
        write_number(out, hhmm(self.to), 4)
    }
}

impl fmt::Display for VisitTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spell(f)
    }
}

pub(crate) fn minute_of_day(text: &[u8]) -> Option<u16> {
    let digits = bytes::trim(text, bytes::is_blank);
    if digits.len() != 4 || !digits.iter().copied().all(bytes::is_digit) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let (hours, minutes) = (bytes::decimal(hours), bytes::decimal(minutes));
    if hours > 24 || minutes > 59 || hours == 24 && minutes > 0 {
        return None;
    }
    u16::try_from(hours.saturating_mul(60).saturating_add(minutes)).ok()
}

/// A request rate: a number of pages in a time, with optional hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RequestRate {
    /// Pages, at least 1.
    pub pages: u32,
    /// The time in seconds, at least 1 and at most a day.
    pub seconds: u32,
    /// The hours that the rate is for.
    pub hours: Option<VisitTime>,
}

impl RequestRate {
    /// The longest time: a day (our choice).
    pub(crate) const MAX_SECONDS: u32 = 86_400;

    /// Reads `pages/time [hhmm-hhmm]`. The time is a number and a unit: `s` (or none), `m`, `h` or `d`, as in `1/10m`.
    #[must_use]
    pub fn read(value: impl AsRef<[u8]>) -> Option<Self> {
        let value = value.as_ref();
        let (rate, hours) = bytes::split_while(value, |byte| !bytes::is_blank(byte));
        let (pages, seconds) = Self::parts(rate)?;
        let (pages, seconds) = (u32::try_from(pages).ok()?, u32::try_from(seconds).ok()?);
        if seconds > Self::MAX_SECONDS {
            return None;
        }
        let hours = bytes::trim(hours, bytes::is_blank);
        let hours = if hours.is_empty() { None } else { Some(VisitTime::read(hours)?) };
        Some(Self { pages, seconds, hours })
    }

    /// The pages and the seconds of a rate without hours, neither of them 0.
    pub(crate) fn parts(rate: &[u8]) -> Option<(u64, u64)> {
        let (pages, time) = bytes::split_once(rate, b'/')?;
        let (number, unit) = bytes::split_while(time, bytes::is_digit);
        let unit = match unit {
            b"" | b"s" | b"S" => 1,
            b"m" | b"M" => 60,
            b"h" | b"H" => 3_600,
            b"d" | b"D" => 86_400,
            _ => return None,
        };
        let is_number = pages.iter().copied().all(bytes::is_digit);
        // No digits give 0, which is also rejected.
        let (pages, seconds) = (bytes::decimal(pages), bytes::decimal(number).saturating_mul(unit));
        (is_number && pages > 0 && seconds > 0).then_some((pages, seconds))
    }

    /// The time for one page.
    #[must_use]
    pub fn per_page(&self) -> Duration {
        Duration::from_secs(u64::from(self.seconds)).checked_div(self.pages).unwrap_or(CrawlDelay::MAX)
    }

    /// Writes it as it is displayed.
    pub(crate) fn spell(self, out: &mut impl fmt::Write) -> fmt::Result {
        write_number(out, self.pages.into(), 1)?;
        out.write_char('/')?;
        write_number(out, self.seconds.into(), 1)?;
        let Some(hours) = self.hours else { return Ok(()) };
        out.write_char(' ')?;
        hours.spell(out)
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spell(f)
    }
}

/// Query parameters that do not change the page: `ref&utm_source /shop/`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CleanParam {
    /// The names of the parameters.
    pub parameters: Vec<String>,
    /// The prefix of the paths that it holds for; empty for all paths.
    pub path: String,
}

impl CleanParam {
    /// Reads `name *("&" name) [path]`.
    #[must_use]
    pub fn read(value: impl AsRef<[u8]>) -> Option<Self> {
        let value = value.as_ref();
        let (names, path) = Self::parts(value)?;
        // Allocates the exact size: each name needs many times its own bytes, and a growing list would need three times
        // that.
        let mut parameters = Vec::with_capacity(names.clone().count());
        parameters.extend(names.map(bytes::percent_encoded));
        Some(Self { parameters, path: bytes::percent_encoded(path) })
    }

    /// The names, and the path.
    fn parts(value: &[u8]) -> Option<(impl Iterator<Item = &[u8]> + Clone, &[u8])> {
        let (names, path) = bytes::split_while(value, |byte| !bytes::is_blank(byte));
        let path = bytes::trim(path, bytes::is_blank);
        let names = names.split(|&byte| byte == b'&').filter(|name| !name.is_empty());
        let is_valid = names.clone().next().is_some() && !path.iter().copied().any(bytes::is_blank);
        is_valid.then_some((names, path))
    }

    /// Appends the canonical spelling of a value.
    pub(crate) fn spell(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let (names, path) = Self::parts(value)?;
        for (at, name) in names.enumerate() {
            if at > 0 {
                out.push(b'&');
            }
            bytes::push_percent_encoded(out, name);
        }
        if !path.is_empty() {
            out.push(b' ');
            bytes::push_percent_encoded(out, path);
        }
        Some(())
    }
}

impl fmt::Display for CleanParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parameters.join("&"))?;
        if self.path.is_empty() { Ok(()) } else { write!(f, " {}", self.path) }
    }
}

/// The value of a directive in its canonical spelling. None if it is not valid for the directive.
#[must_use]
pub fn canonical(directive: Directive, value: &[u8]) -> Option<Cow<'_, [u8]>> {
    // The parser keeps valid values only.
    if names::has_url_values(directive) {
        return Some(Cow::Borrowed(value));
    }
    let mut spelled = Vec::new();
    spell(directive, value, &mut spelled)?;
    Some(Cow::Owned(spelled))
}

/// Appends the value of a directive in its canonical spelling. None if it is not valid for the directive.
pub(crate) fn spell(directive: Directive, value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let spelled = match directive {
        Directive::CrawlDelay => Millis::read(value)?.spell(&mut Text(out)),
        Directive::RequestRate => RequestRate::read(value)?.spell(&mut Text(out)),
        Directive::VisitTime => VisitTime::read(value)?.spell(&mut Text(out)),
        Directive::CleanParam => return CleanParam::spell(value, out),
        Directive::ContentSignal => return spell_signal(value, out),
        Directive::ContentUsage => return spell_usage(value, out),
        Directive::Host => Text(out).write_str(&read_host(value)?),
        _ if names::has_url_values(directive) => {
            out.extend_from_slice(value);
            Ok(())
        }
        _ => {
            bytes::push_percent_encoded(out, value);
            Ok(())
        }
    };
    spelled.ok()
}

/// Bytes that text is appended to.
struct Text<'t>(&'t mut Vec<u8>);

impl fmt::Write for Text<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// The repaired value. None if the value should be used as it is.
pub(crate) fn repaired(directive: Directive, value: &[u8]) -> Option<Vec<u8>> {
    match directive {
        Directive::CrawlDelay if Millis::read(value).is_none() => crawl_delay(value),
        Directive::VisitTime if VisitTime::read(value).is_none() => Some(visit_time(value)?.to_string().into_bytes()),
        Directive::RequestRate if RequestRate::read(value).is_none() => request_rate(value),
        Directive::ContentSignal => repaired_signal(value),
        Directive::ContentUsage => repaired_usage(value),
        // A host in UTF-8 becomes Punycode.
        Directive::Host if !value.is_ascii() => read_host(value).map(String::into_bytes),
        _ => None,
    }
}

/// The units that people write after a delay, separated by blanks, and their lengths in thousandths of a second.
const UNITS: [(&str, u64); 5] = [
    ("s sec secs second seconds", 1_000),
    ("m min mins minute minutes", 60_000),
    ("h hour hours", 3_600_000),
    ("d day days", 86_400_000),
    ("ms milliseconds", 1),
];

/// Reads a delay with a unit, or with a comma for its point: `10s`, `10 seconds`, `1,5`.
fn crawl_delay(value: &[u8]) -> Option<Vec<u8>> {
    let value = bytes::trim(value, bytes::is_blank);
    let (number, unit) = bytes::split_while(value, |byte| bytes::is_digit(byte) || matches!(byte, b'.' | b','));
    let unit = bytes::trim(unit, bytes::is_blank);
    let unit = unit.strip_suffix(b".").unwrap_or(unit);
    let is_it = |known: &str| unit.eq_ignore_ascii_case(known.as_bytes());
    let length = match UNITS.into_iter().find(|(names, _)| names.split(' ').any(is_it)) {
        Some((_, length)) => length,
        None if unit.is_empty() => 1_000,
        None => return None,
    };
    // In thousandths of the unit. Divided last, and rounded up, so that a delay is never shorter than it is written.
    let millis = with_comma(number)?.count().saturating_mul(length).div_ceil(1_000);
    let mut out = Vec::new();
    Millis::clamped(millis).spell(&mut Text(&mut out)).ok()?;
    Some(out)
}

/// A number whose comma is its point, or which commas divide into groups of three digits: the greater one if it may be
/// both.
fn with_comma(number: &[u8]) -> Option<Millis> {
    let is_grouped = number.contains(&b',')
        && !number.starts_with(b"0")
        && number.split(|&byte| byte == b',').enumerate().all(|(place, group)| match place {
            0 => matches!(group.len(), 1..=3) && group.iter().copied().all(bytes::is_digit),
            _ => group.len() == 3 && group.iter().copied().all(bytes::is_digit),
        });
    let number = if is_grouped { number.replace(b",", b"") } else { number.replace(b",", b".") };
    Millis::read(&number)
}

/// Reads two times separated by a blank, as in the 1996 draft, and times with a colon: `0200 0630`, `2:00-6:30`.
fn visit_time(value: &[u8]) -> Option<VisitTime> {
    let value = bytes::trim(value, bytes::is_blank);
    let (from, to) = bytes::split_once(value, b'-').or_else(|| {
        let (from, to) = bytes::split_while(value, |byte| !bytes::is_blank(byte));
        (!to.is_empty()).then_some((from, to))
    })?;
    VisitTime::read([&time(from), &b"-"[..], &time(to)].concat())
}

/// Makes `hhmm` from `hhmm`, `hh:mm` or `h:mm`.
fn time(text: &[u8]) -> Vec<u8> {
    let text = bytes::trim(text, bytes::is_blank);
    let Some((hours, minutes)) = bytes::split_once(text, b':') else { return text.to_vec() };
    let zero: &[u8] = if hours.len() == 1 { b"0" } else { b"" };
    [zero, hours, minutes].concat()
}

/// A rate whose hours are not `hhmm-hhmm`, and mean such a time: for these hours; and if they mean none, for all hours.
/// A rate over more than a day becomes one over a day, rounded down.
fn request_rate(value: &[u8]) -> Option<Vec<u8>> {
    let (rate, hours) = bytes::split_while(value, |byte| !bytes::is_blank(byte));
    let (pages, seconds) = RequestRate::parts(rate)?;
    let most = u64::from(RequestRate::MAX_SECONDS);
    let (pages, seconds) = if seconds > most {
        (u64::try_from(u128::from(pages).saturating_mul(most.into()).checked_div(seconds.into())?).ok()?.max(1), most)
    } else {
        (pages, seconds)
    };
    let hours = VisitTime::read(hours).or_else(|| visit_time(hours));
    let (pages, seconds) = (u32::try_from(pages).ok()?, u32::try_from(seconds).ok()?);
    Some(RequestRate { pages, seconds, hours }.to_string().into_bytes())
}
