//! How the values of extension lines are written: in canonical spelling, and repaired where they do not have the form of
//! their directive but have a clear meaning.
//!
//! Invariant: no other file knows which directive has which type of value. A repaired value has the form of its
//! directive, and restricts no less than the original: the longer delay, the lower rate, a use that is disallowed, and
//! never one that is allowed. A value that already has this form, or that could mean anything, is not changed. The cost
//! is one or two passes over the value.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use bstr::ByteSlice;

use crate::policy::address::read_host;
use crate::policy::content_use::{repaired_signal, repaired_usage, spell_signal, spell_usage};
use crate::policy::value::{CleanParam, Millis, RequestRate, VisitTime, is_digit, push_printable};
use crate::syntax::bytes;
use crate::syntax::names::{self, Directive};

/// The value of a directive in its canonical spelling. None if it is not valid for the directive.
#[must_use]
pub fn canonical(directive: Directive, value: &[u8]) -> Option<Cow<'_, [u8]>> {
    // The parser keeps valid values only.
    if names::is_url(directive) {
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
        _ if names::is_url(directive) => {
            out.extend_from_slice(value);
            Ok(())
        }
        _ => {
            push_printable(out, value);
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

/// The units that people write after a delay, and their lengths in thousandths of a second.
const UNITS: [(&str, u64); 19] = [
    ("", 1_000),
    ("s", 1_000),
    ("sec", 1_000),
    ("secs", 1_000),
    ("second", 1_000),
    ("seconds", 1_000),
    ("m", 60_000),
    ("min", 60_000),
    ("mins", 60_000),
    ("minute", 60_000),
    ("minutes", 60_000),
    ("h", 3_600_000),
    ("hour", 3_600_000),
    ("hours", 3_600_000),
    ("d", 86_400_000),
    ("day", 86_400_000),
    ("days", 86_400_000),
    ("ms", 1),
    ("milliseconds", 1),
];

/// Reads a delay with a unit, or with a comma for its point: `10s`, `10 seconds`, `1,5`.
fn crawl_delay(value: &[u8]) -> Option<Vec<u8>> {
    let value = bytes::trim(value, bytes::is_blank);
    let (number, unit) = bytes::split_while(value, |byte| is_digit(byte) || matches!(byte, b'.' | b','));
    let unit = bytes::trim(unit, bytes::is_blank);
    let unit = unit.strip_suffix(b".").unwrap_or(unit);
    let (_, length) = UNITS.into_iter().find(|known| unit.eq_ignore_ascii_case(known.0.as_bytes()))?;
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
            0 => matches!(group.len(), 1..=3) && group.iter().copied().all(is_digit),
            _ => group.len() == 3 && group.iter().copied().all(is_digit),
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
