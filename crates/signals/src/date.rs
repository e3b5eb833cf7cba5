//! The dates of `unavailable_after`: RFC 822, RFC 850 and ISO 8601.
//!
//! Invariant: a date that leaves something open is read as the earliest moment that it can mean.

use jiff::Timestamp;
use jiff::civil;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::Offset;

/// A longer text is no date.
const LONGEST: usize = 100;
/// Where a day begins first, as RFC 822 writes it.
const FIRST_ZONE: &str = "+1400";
const FIRST_HOURS: i8 = 14;

/// A date in seconds since 1970, and whether it says its time zone.
pub(crate) fn read(text: &str) -> Option<(i64, bool)> {
    let text = text.trim_ascii();
    if text.len() > LONGEST {
        return None;
    }
    if let Ok(exact) = text.parse::<Timestamp>() {
        return Some((exact.as_second(), true));
    }
    let local = text.parse::<civil::DateTime>().or_else(|_| text.parse::<civil::Date>().map(civil::DateTime::from));
    if let Ok(local) = local {
        let first = Offset::constant(FIRST_HOURS).to_timestamp(local).ok()?;
        return Some((first.as_second(), false));
    }
    // After a zone its name may follow.
    let text =
        text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).map_or(text, |(front, _)| front.trim_ascii());
    if let Some((local, zone)) = text.rsplit_once(' ') {
        let zone = known_zone(zone);
        if let (Ok(local), Some(zone)) = (local.trim_ascii().parse::<civil::DateTime>(), zone) {
            let exact =
                DateTimeParser::new().parse_timestamp(format!("{} {zone}", local.strftime("%d %b %Y %H:%M:%S")));
            return exact.ok().map(|exact| (exact.as_second(), true));
        }
    }
    of_mail(text)
}

/// RFC 822: `25 Jun 2010 15:00:00 PST`. RFC 850 has hyphens in the date. The name of the day says nothing more.
fn of_mail(text: &str) -> Option<(i64, bool)> {
    let starts_with_day = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let (day, rest) = text.split_once([',', ' ']).unwrap_or(("", text));
    if starts_with_day && !is_weekday(day) {
        return None;
    }
    let text = if starts_with_day { rest.trim_ascii() } else { text };
    let (date, time) = match text.split_once(' ') {
        Some((date, time)) if date.contains('-') => (date.replace('-', " "), time),
        _ => (text.to_owned(), ""),
    };
    let text = format!("{date} {time}");
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    // A month may be written whole.
    if let Some(month) = words.get_mut(1) {
        *month = month.get(..3).unwrap_or(month);
    }
    let is_time = |word: &&str| word.contains(':');
    if !words.iter().any(is_time) {
        words.insert(words.len().min(3), "00:00:00");
    }
    let zone = words.pop_if(|word| !is_time(&&**word));
    let with = |zone: &str| {
        let text = format!("{} {zone}", words.join(" "));
        DateTimeParser::new().parse_timestamp(text).ok().map(Timestamp::as_second)
    };
    let zone = zone.and_then(known_zone);
    let exact = zone.and_then(with).map(|found| (found, true));
    exact.or_else(|| with(FIRST_ZONE).map(|found| (found, false)))
}

/// A time zone that means the same to all readers. Other names have several meanings.
fn known_zone(word: &str) -> Option<&str> {
    const NAMES: [&str; 11] = ["UT", "GMT", "Z", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT"];
    match word {
        _ if word.starts_with(['+', '-']) => Some(word),
        _ if word.eq_ignore_ascii_case("UTC") => Some("GMT"),
        _ => NAMES.into_iter().find(|name| word.eq_ignore_ascii_case(name)),
    }
}

/// Whether a word is the name of a day, whole or its first three letters. A comma belongs to it: a list of words goes
/// on after it.
pub(crate) fn is_weekday(word: &str) -> bool {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let word = word.to_ascii_lowercase();
    DAYS.iter().any(|day| word == *day || day.get(..3) == Some(&*word))
}

/// A time as RFC 3339 writes it, in seconds since 1970: when a page was fetched.
///
/// ```
/// assert_eq!(robosieve_signals::time("2000-02-29T00:00:00Z"), Some(951_782_400));
/// assert_eq!(robosieve_signals::time("yesterday"), None);
/// ```
#[must_use]
pub fn time(text: &str) -> Option<i64> {
    text.trim_ascii().parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// The same as text.
pub(crate) fn text_of(seconds: i64) -> String {
    Timestamp::from_second(seconds).map(|found| found.to_string()).unwrap_or_default()
}
