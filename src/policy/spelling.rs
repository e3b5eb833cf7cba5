//! How the values of extension lines are written: in canonical spelling, and repaired where they do not have the form of
//! their directive but have a clear meaning.
//!
//! Invariant: no other file knows which directive has which type of value. A repaired value has the form of its
//! directive and the meaning of the original. A value that already has this form, or that could mean two things, is not
//! changed. The cost is one or two passes over the value.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::policy::address::read_host;
use crate::policy::content_use::{spell_signal, spell_usage};
use crate::policy::value::{CleanParam, Millis, RequestRate, VisitTime, push_printable};
use crate::syntax::bytes;
use crate::syntax::dictionary::Strictness;
use crate::syntax::names::Directive;

/// The value of a directive in its canonical spelling. None if it is not valid for the directive.
pub(crate) fn canonical(directive: Directive, value: &[u8]) -> Option<Cow<'_, [u8]>> {
    // The parser keeps valid values only.
    if directive == Directive::Sitemap {
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
        Directive::ContentUsage => return spell_usage(value, Strictness::Strict, out),
        Directive::Host => Text(out).write_str(&read_host(value)?),
        Directive::Sitemap => {
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
        Directive::VisitTime if VisitTime::read(value).is_none() => Some(visit_time(value)?.to_string().into_bytes()),
        Directive::RequestRate if RequestRate::read(value).is_none() => request_rate(value),
        Directive::ContentSignal => signals(value),
        Directive::ContentUsage => usage(value),
        // A host in UTF-8 becomes Punycode.
        Directive::Host if !value.is_ascii() => read_host(value).map(String::into_bytes),
        _ => None,
    }
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

/// A rate without a time means pages per second, the default of the 1996 draft. Also repairs hours that are not
/// `hhmm-hhmm` but mean such a time.
fn request_rate(value: &[u8]) -> Option<Vec<u8>> {
    let (rate, hours) = bytes::split_while(value, |byte| !bytes::is_blank(byte));
    let hours = bytes::trim(hours, bytes::is_blank);
    let per_second: &[u8] = if rate.contains(&b'/') { b"" } else { b"/1" };
    let hours = if hours.is_empty() { Vec::new() } else { visit_time(hours)?.to_string().into_bytes() };
    let meant = RequestRate::read([rate, per_second, b" ", &hours].concat())?;
    Some(meant.to_string().into_bytes())
}

/// The dictionary that a value means which is none, or which says yes and no in other words.
fn usage(value: &[u8]) -> Option<Vec<u8>> {
    let (mut meant, mut read) = (Vec::new(), Vec::new());
    spell_usage(value, Strictness::Generous, &mut meant)?;
    let is_read_so = spell_usage(value, Strictness::Strict, &mut read).is_some() && read == meant;
    (!is_read_so).then_some(meant)
}

/// Replaces `true` and `1`, `false` and `0`, `y` and `n` by `yes` and `no`.
fn signals(value: &[u8]) -> Option<Vec<u8>> {
    let meant = |item: &[u8]| {
        let at = item.iter().position(|&byte| byte == b'=')?;
        let word = bytes::trim(item.get(at.saturating_add(1)..)?, bytes::is_blank);
        let is_one_of = |words: [&[u8]; 4]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
        let meant: &[u8] = match word {
            _ if is_one_of([b"yes", b"y", b"true", b"1"]) => b"yes",
            _ if is_one_of([b"no", b"n", b"false", b"0"]) => b"no",
            _ => return None,
        };
        (!word.eq_ignore_ascii_case(meant)).then_some((at, meant))
    };
    // Most lists contain none of these words. This check avoids splitting them.
    let may_be_meant = |pair: &[u8]| {
        matches!(pair, [b'=', b' ' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'n' | b'N' | b'0' | b'1'])
    };
    let mut items = value.split(|&byte| byte == b',');
    if !value.windows(2).any(may_be_meant) || !items.any(|item| meant(item).is_some()) {
        return None;
    }
    let mut out = Vec::with_capacity(value.len());
    for (place, item) in value.split(|&byte| byte == b',').enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match meant(item) {
            Some((at, word)) => {
                out.extend_from_slice(bytes::part(item, 0..at));
                out.push(b'=');
                out.extend_from_slice(word);
            }
            None => out.extend_from_slice(item),
        }
    }
    Some(out)
}
