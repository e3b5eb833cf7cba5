//! Reads the header Link (RFC 8288): the links to a licence.
//!
//! Invariant: nothing is fetched, and no answer follows from a licence. The time is linear in the value.

use crate::record::Record;
use crate::statement::Place;

/// Notes each link with the relation `license`.
pub(crate) fn header(value: &[u8], at: Place, record: &mut Record) {
    let mut rest = value;
    while let Some((_, after)) = split(rest, b'<') {
        let Some((url, after)) = split(after, b'>') else { break };
        let (parameters, next) = until_comma(after);
        if of(parameters, b"rel").is_some_and(is_license) {
            record.license(at, url.trim_ascii(), of(parameters, b"type"));
        }
        rest = next;
    }
}

/// Whether a list of relations has `license`.
pub(crate) fn is_license(relations: &[u8]) -> bool {
    relations.split(u8::is_ascii_whitespace).any(|one| one.eq_ignore_ascii_case(b"license"))
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().position(|byte| *byte == at)?;
    Some((text.get(..place)?, text.get(place.saturating_add(1)..)?))
}

/// The text before the next comma that is not quoted, and the rest.
fn until_comma(text: &[u8]) -> (&[u8], &[u8]) {
    let end = outside_quotes(text, b',').next().unwrap_or(text.len());
    (text.get(..end).unwrap_or_default(), text.get(end.saturating_add(1)..).unwrap_or_default())
}

/// The places of a byte that is not quoted.
fn outside_quotes(text: &[u8], wanted: u8) -> impl Iterator<Item = usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.iter().enumerate().filter_map(move |(place, &byte)| {
        let is_text = core::mem::take(&mut is_escaped);
        match byte {
            b'\\' if is_quoted && !is_text => is_escaped = true,
            b'"' if !is_text => is_quoted = !is_quoted,
            _ => {}
        }
        (byte == wanted && !is_quoted).then_some(place)
    })
}

/// The value of a parameter. Of two with one name the first counts (RFC 8288 3.3).
fn of<'t>(parameters: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let mut from = 0;
    let ends = outside_quotes(parameters, b';').chain([parameters.len()]);
    let mut all = ends.filter_map(|end| {
        let one = parameters.get(from..end);
        from = end.saturating_add(1);
        split(one?, b'=')
    });
    let (_, value) = all.find(|(known, _)| known.trim_ascii().eq_ignore_ascii_case(name))?;
    let value = value.trim_ascii();
    Some(value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value))
}
