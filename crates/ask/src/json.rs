//! Reading JSON so that nothing in it is guessed.
//!
//! Invariant: what is read has names, and every reader of JSON accepts it.

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;
use serde_json::value::RawValue;

/// The id of a request, as it was written. Its answer repeats it, and every reader of JSON accepts it: it is parsed to
/// ensure that, since a parser that skips a value accepts half surrogate pairs, numbers out of range, and deeply nested
/// arrays.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Id<'a>(&'a RawValue);

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = <&RawValue>::deserialize(deserializer)?;
        // Nested as deeply as in the answer.
        let answer = serde_json::from_str::<Value>(&format!(r#"{{"id":{id}}}"#));
        answer.map(|_| Self(id)).map_err(D::Error::custom)
    }
}

impl Id<'_> {
    /// The id, apart from its request.
    #[must_use]
    pub fn into_raw(self) -> Box<RawValue> {
        self.0.to_owned()
    }
}

/// What is wrong with a JSON text, without its place, in words for people who know JSON and not this program.
#[must_use]
pub fn json_error(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&words);
    let types = words.rsplit_once("invalid type: ");
    let types = types.and_then(|(before, types)| Some((before, types.rsplit_once(", expected ")?)));
    let words = match types {
        Some((before, (found, wanted))) => {
            format!("{before}expected {}, found {}", name_of_type(wanted), name_of_type(found))
        }
        None => words.to_owned(),
    };
    words.replace("expected ident", "expected value").replace("duplicate field", "the same field twice:")
}

/// What JSON calls a type.
fn name_of_type(word: &str) -> &str {
    match word {
        "sequence" | "a sequence" => "an array",
        "map" | "a map" => "an object",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f64" => "a number",
        word => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [harmless.json]
    #[test]
    fn an_id_that_other_readers_reject_is_invalid() {
        let reads = |id: &str| serde_json::from_str::<Id<'_>>(id).is_ok();
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for id in ["1", "-1.5e3", r#""a\u00e9\ud83e\udd16""#, "{\"a\":[null]}", "\"\u{1f916}\"", &nested(126)] {
            assert!(reads(id), "{id}");
        }
        for id in [r#""\ud800""#, r#"{"\udc00":1}"#, "1e999", &nested(127), &nested(100_000)] {
            assert!(!reads(id), "{id}");
        }
    }
}
