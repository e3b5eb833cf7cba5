//! Times of observations.
//!
//! Invariant: a time is compared as digits in UTC. A part of a time means its end.

/// The digits of a time in UTC: of `2026`, `2026-01`, `2026-01-31` or `2026-01-31T12:00:00Z`. None for another form.
///
/// ```
/// use robosieve_census::digits;
/// assert_eq!(digits("2026-01-31T12:00:00.5Z").as_deref(), Some("20260131120000"));
/// assert_eq!(digits("2026-1"), None);
/// ```
#[must_use]
pub fn digits(time: &str) -> Option<String> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let bare = time.strip_suffix('Z').unwrap_or(time);
    let (bare, _) = bare.split_once('.').unwrap_or((bare, ""));
    let fits =
        bare.bytes().zip(FORM).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == *form });
    let is_whole = matches!(bare.len(), 4 | 7 | 10 | 13 | 16 | 19);
    (fits && is_whole).then(|| bare.chars().filter(char::is_ascii_digit).collect())
}

/// Whether something that was seen at this time was seen after the end of the other time. A month may have been seen
/// after a day of it.
#[must_use]
pub fn is_later(seen: &str, most: &str) -> bool {
    seen.get(..most.len()).map_or(*seen >= *most.get(..seen.len()).unwrap_or(""), |seen| seen > most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [history.at]
    #[test]
    fn times_are_of_one_form() {
        for (time, expected) in [
            ("2026", Some("2026")),
            ("2026-01", Some("202601")),
            ("2026-01-31T12:00:00Z", Some("20260131120000")),
            ("2026-01-31T12:00:00.123Z", Some("20260131120000")),
            ("2026-1", None),
            ("2026-01-31T12:00:00+02:00", None),
            ("20260131", None),
            ("", None),
        ] {
            assert_eq!(digits(time).as_deref(), expected, "{time}");
        }
    }
}
