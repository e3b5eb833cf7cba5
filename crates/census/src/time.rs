//! Times of observations.
//!
//! Invariant: a time is compared as digits in UTC. A part of a time means its end.

use jiff::Timestamp;
use jiff::civil::Date;

/// The number of digits of a whole time.
pub(crate) const WHOLE: usize = 14;

/// The digits of a time in UTC: of `2026`, `2026-01`, `2026-01-31`, `2026-01-31T12:00:00Z`, the same with an offset, or
/// `20260131120000`. None for another form, and for a day or an hour that there is not.
///
/// ```
/// use robosieve_census::digits;
/// assert_eq!(digits("2026-01-31T12:00:00.5Z").as_deref(), Some("20260131120000"));
/// assert_eq!(digits("2026-01-31T12:00:00+02:00").as_deref(), Some("20260131100000"));
/// assert_eq!((digits("2026-1"), digits("2026-02-30")), (None, None));
/// ```
#[must_use]
pub fn digits(time: &str) -> Option<String> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let bare = time.strip_suffix('Z').unwrap_or(time);
    let (bare, fraction) = bare.split_once('.').unwrap_or((bare, ""));
    let fits = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let fits = fits
        && bare.bytes().zip(FORM).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == *form });
    let found = if fits && matches!(bare.len(), 4 | 7 | 10 | 13 | 16 | 19) {
        bare.chars().filter(char::is_ascii_digit).collect()
    } else if time.len() == WHOLE {
        time.to_owned()
    } else {
        time.parse::<Timestamp>().ok()?.strftime("%Y%m%d%H%M%S").to_string()
    };
    is_time(&found).then_some(found)
}

/// Whether these are the digits of a time that there is, or of a part of one.
fn is_time(digits: &str) -> bool {
    let number = |from: usize, most: i8| {
        let part = digits.get(from..from.saturating_add(2));
        part.map_or(Some(0), |part| part.parse::<i8>().ok().filter(|number| *number <= most))
    };
    let date = || {
        let year = digits.get(..4)?.parse().ok()?;
        let part = |from: usize| if digits.len() > from { number(from, 31) } else { Some(1) };
        Date::new(year, part(4)?, part(6)?).ok()
    };
    // A minute can have a leap second.
    let clock = [number(8, 23), number(10, 59), number(12, 60)];
    digits.bytes().all(|byte| byte.is_ascii_digit()) && date().is_some() && clock.iter().all(Option::is_some)
}

/// Whether something that was seen at this time was seen after the end of the other time. A month may have been seen
/// after a day of it.
pub(crate) fn is_later(seen: &str, most: &str) -> bool {
    seen.get(..most.len()).map_or(*seen >= *most.get(..seen.len()).unwrap_or(""), |seen| seen > most)
}

/// Whether something that was seen at this time was surely seen after the other time: a day of a month is not surely
/// after the month.
pub(crate) fn is_surely_later(seen: &str, other: &str) -> bool {
    let both = seen.len().min(other.len());
    seen.get(..both) > other.get(..both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [history.at] [census.ask-last]
    #[test]
    fn times_are_of_one_form() {
        for (time, expected) in [
            ("2026", Some("2026")),
            ("2026-01", Some("202601")),
            ("2026-01-31T12:00:00Z", Some("20260131120000")),
            ("2026-01-31T12:00:00.123Z", Some("20260131120000")),
            ("2026-01-31T12:00:00+02:00", Some("20260131100000")),
            ("2026-01-01T00:30:00.5+01:00", Some("20251231233000")),
            ("20260131120000", Some("20260131120000")),
            ("2024-02-29", Some("20240229")),
            ("2026-02-29", None),
            ("2024-13-99", None),
            ("2026-00", None),
            ("2026-01-31T24:00:00Z", None),
            ("2026-01-31T23:60", None),
            ("2026-01-31T23:59:60Z", Some("20260131235960")),
            ("-002026-01-31T12:00:00Z", None),
            ("2026-1", None),
            ("20260131", None),
            ("20260131 12000", None),
            ("2026-01-31T1\u{e9}", None),
            ("", None),
        ] {
            assert_eq!(digits(time).as_deref(), expected, "{time}");
        }
    }
}
